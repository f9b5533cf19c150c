"""What runs in a redaction process: it loads the model, proves it, then redacts task after task."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from sentinel.errors import ConfigurationError, DeadLetterError, StopError
from sentinel.records import RawAnswer
from sentinel.redaction import (
    CachedDetector,
    Detector,
    PatternDetector,
    RedactionParams,
    SpanCache,
    needs_model,
    redact_answers,
    redact_texts,
)

#: How far redaction stands back for the thread that the stream waits for: it has a whole batch's time.
_NICENESS = 10
#: Signals that are the parent's business: it decides when a worker ends.
PARENTS_SIGNALS = (signal.SIGINT, signal.SIGTERM)

#: Whether an item was redacted, and the redacted item or why not.
Outcome = tuple[bool, object]
#: Turns items into outcomes, in order; a function of this module, so that it passes by name.
Work = Callable[[list[Any], RedactionParams], list[Outcome]]

_detectors: dict[RedactionParams, Detector] = {}


def load_detector(params: RedactionParams) -> StopError | None:
    """Build this process's detector and try it; return what stops it, which no answer is to blame for."""
    try:
        _detector(params)
    except ConfigurationError as error:
        return ConfigurationError(str(error))
    except Exception as error:
        kind = type(error).__name__
        return StopError(
            f"redaction: the detector with the model {params.model!r} cannot be built ({kind}); "
            "`sentinel doctor` looks at the installation"
        )
    return None


def _detector(params: RedactionParams) -> Detector:
    """Return this process's detector, loaded at its first use; without a model where none is of use."""
    if params not in _detectors:
        detector: Detector = _with_model(params) if needs_model(params) else PatternDetector(params)
        # One that fails on this would fail on every answer, and each would be taken for the culprit.
        detector.detect(["Ready, says John Smith."])
        if params.cache_entries:
            detector = CachedDetector(detector, SpanCache(params.cache_entries, os.urandom(32)))
        _detectors[params] = detector
    return _detectors[params]


def _with_model(params: RedactionParams) -> Detector:
    from sentinel.redaction.presidio import PresidioDetector  # seconds, and some 100 MB

    return PresidioDetector(params)


def answers_redacted(batch: list[RawAnswer], params: RedactionParams) -> list[Outcome]:
    """Return each answer redacted; the detector has been loaded before."""
    return _outcomes(batch, lambda part: redact_answers(part, _detector(params), params))


def texts_redacted(batch: list[str], params: RedactionParams) -> list[Outcome]:
    """Return each text redacted on its own; the detector has been loaded before."""
    return _outcomes(batch, lambda part: redact_texts(part, _detector(params), params))


def _outcomes(batch: list[Any], work: Callable[[list[Any]], Sequence[object]]) -> list[Outcome]:
    """Return results and failures in a form that passes between processes without any traceback."""
    try:
        return [(False, r.detail) if isinstance(r, DeadLetterError) else (True, r) for r in work(batch)]
    except Exception as error:
        failure = f"the worker raised {type(error).__name__}"
    if len(batch) > 1:
        return [_outcomes([item], work)[0] for item in batch]
    return [(False, failure)] * len(batch)


def serve(connection: Connection, params: RedactionParams) -> None:
    """Say whether the detector stands (None, or the error), then answer tasks until the pipe closes."""
    _leave_signals_to_the_parent()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    try:
        fault = load_detector(params)
        connection.send(fault)
        while fault is None:
            work, items = pickle.loads(connection.recv_bytes())  # noqa: S301 - the parent's own pipe
            connection.send(work(items, params))
    except (EOFError, ConnectionError):
        return  # the parent has closed its end: nobody waits for an answer


def _leave_signals_to_the_parent() -> None:
    """Let the parent decide when this worker ends: a terminal's Ctrl-C reaches the whole process group."""
    for number in PARENTS_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PARENTS_SIGNALS)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this worker when its parent is gone: it holds raw text, and nobody is left to stop it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
