"""Events for the decoder's tests."""

from __future__ import annotations

import json
from typing import Any

from sentinel.stream.limits import DecodeLimits

#: Small, so that a test can exceed each one by one.
LIMITS = DecodeLimits(
    max_bytes=20_000, max_depth=64, max_items=10, max_text_characters=2000, max_label_characters=64
)


def encoded(**fields: Any) -> bytes:
    """Return a good event with some fields changed or added."""
    return json.dumps({"event_id": "e1", "answer": "Thirty days [1].", **fields}).encode()
