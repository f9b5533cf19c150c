"""JSON values as lines that every reader takes for one line each."""

from __future__ import annotations

import json
from typing import Any

#: Many readers end a line here, too; JSON itself would let them stand in a string.
_LINE_BREAKS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\x85\u2028\u2029"}


def json_line(value: Any) -> str:
    """Return `value` as one line of JSON with its line feed; NaN and infinities raise `ValueError`."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.translate(_LINE_BREAKS) + "\n"
