"""Formulas within prose: their brackets are intervals and indices."""

from __future__ import annotations

import re

#: Formulas, which cite nothing: `\([0, 1]\)`, `$$…$$`, and `$x_{[1]}$` but not `$5 [1] or $6`.
_FORMULA = re.compile(
    r"\\\([^\n]{1,300}?\\\)|\$\$[^$]{1,300}\$\$|(?<![\w$\\])\$(?=[^\s$])[^$\n]{0,200}?(?<=[^\s\\])\$(?![\w$])"
)


def without_formulas(text: str) -> str:
    """Return the text with spaces in the place of its formulas, so that places stay."""
    if "$" not in text and "\\(" not in text:
        return text
    return _FORMULA.sub(lambda match: " " * len(match[0]), text)
