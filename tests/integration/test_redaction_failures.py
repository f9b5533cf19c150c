"""What comes back from worker processes that failed over a text: a type's name, and nothing of the text."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterator, Sequence

import pytest

from sentinel.errors import ConfigurationError, DeadLetterError
from sentinel.pipeline.redaction_pool import RedactionPool, RedactionPoolParams
from sentinel.pipeline.redaction_worker import _outcomes
from sentinel.redaction import RedactionParams, Span, redact_texts

SECRET = "Zora Quill, 4111 1111 1111 1111"
Outcomes = list[tuple[bool, object]]


def chained(text: str) -> None:
    try:
        raise KeyError(text)
    except KeyError as error:
        raise ValueError(f"inside {text}") from error


def in_context(text: str) -> None:
    try:
        raise OSError(1, text)
    except OSError:
        int(text)


def grouped(text: str) -> None:
    raise ExceptionGroup(text, [ValueError(text), TypeError(text)])


def noted(text: str) -> None:
    error = RuntimeError("short")
    error.add_note(text)
    raise error


def undecodable(text: str) -> None:
    (text.encode() + b"\xff").decode()


def too_deep(text: str) -> None:
    too_deep(text)


RAISERS: dict[str, Callable[[str], None]] = {
    f.__name__: f for f in (chained, in_context, grouped, noted, undecodable, too_deep)
}


class Raising:
    """A detector that fails the named way over every text."""

    name = "raising"

    def __init__(self, way: str) -> None:
        self._way = way

    def detect(self, texts: Sequence[str]) -> list[list[Span]]:
        for text in texts:
            RAISERS[self._way](text)
        return []


def way_of(params: RedactionParams) -> str:
    """The way to fail, told through a parameter that a real detector does not mind."""
    return sorted(RAISERS)[params.cache_entries - 1]


def outside(batch: list[str], params: RedactionParams) -> Outcomes:
    """Fail where no detector is: in the worker's own task."""
    return _outcomes(batch, lambda part: RAISERS[way_of(params)](part[0]) or [])


def within(batch: list[str], params: RedactionParams) -> Outcomes:
    return _outcomes(batch, lambda part: redact_texts(part, Raising(way_of(params)), params))


@pytest.fixture(scope="module", params=sorted(RAISERS))
def pool(request: pytest.FixtureRequest) -> Iterator[RedactionPool]:
    params = RedactionParams(cache_entries=sorted(RAISERS).index(request.param) + 1)
    with RedactionPool(params, RedactionPoolParams(processes=1)) as opened:
        yield opened


@pytest.mark.parametrize("work", [within, outside])
def test_failures_in_workers_come_back_without_text(
    pool: RedactionPool,
    work: Callable[[list[str], RedactionParams], Outcomes],
    capfd: pytest.CaptureFixture[str],
) -> None:
    results = pool._run(work, [SECRET, SECRET])
    assert len(results) == 2
    for result in results:
        assert isinstance(result, DeadLetterError)
        assert result.reason == "redaction_failed"
        assert result.detail.rsplit(" ", 1)[-1].endswith(("Error", "ExceptionGroup"))
        assert result.__cause__ is None
        assert result.__context__ is None
        shown = "".join(traceback.format_exception(result)) + repr(result) + repr(pickle.dumps(result))
        assert "Zora" not in shown
        assert "4111" not in shown
    written = "".join(capfd.readouterr())
    assert "Zora" not in written
    assert "4111" not in written


def test_a_model_that_is_missing_shows_no_text_either() -> None:
    with (
        RedactionPool(RedactionParams(model="absent"), RedactionPoolParams(processes=1)) as pool,
        pytest.raises(ConfigurationError) as caught,
    ):
        pool.redact_texts([SECRET])
    assert "Zora" not in "".join(traceback.format_exception(caught.value))
