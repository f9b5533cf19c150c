"""Words that a reviewer marked as somebody's: where they stand in a text, whole, in any case."""

from __future__ import annotations

import re

#: Scripts that write words together, or particles on to a name: there no end of a word can be seen.
_UNDIVIDED = (
    "\u0590-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u2e80-\ua4cf\ua8e0-\ua8ff\ua960-\uabff"
    "\uac00-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufeff\uff66-\uffdc\U00020000-\U0003ffff"
)
#: A letter or digit next to which a word goes on.
_GOES_ON = rf"[^\W_{_UNDIVIDED}]"


def pattern_of(words: str) -> re.Pattern[str]:
    """Return what finds the words, however they are spaced; never a part of a longer word.

    "Ed" stands in "Ed's" and in "ed_quill", not in "supported". In Chinese or Arabic, say, it is found
    within a longer run of letters, too.
    """
    parts = words.split()
    before = rf"(?<!{_GOES_ON})" if re.match(_GOES_ON, words) else ""
    after = rf"(?!{_GOES_ON})" if re.match(_GOES_ON, words[-1:]) else ""
    return re.compile(before + r"\s+".join(re.escape(part) for part in parts) + after, re.IGNORECASE)
