"""What a served workbench needs of the rooms that it may not import itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sentinel.pipeline.redaction_pool import RedactionPool
from sentinel.review.label_redaction import LabelRedaction, OneAtATime
from sentinel.settings import Settings


@contextmanager
def label_redaction(settings: Settings, key: bytes | None) -> Iterator[LabelRedaction]:
    """Yield what takes personal data out of labels; its process ends with the block.

    The process is started when there is something to redact. `key` None: the workbench has no lasting secret.
    """
    with RedactionPool(settings.redaction, settings.redaction_pool) as pool:
        yield LabelRedaction(OneAtATime(pool.redact_texts), key, settings.redaction)
