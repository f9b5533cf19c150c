"""Groups of short texts looked for together: of which of them any is in a text.

In C where the extension module was built (`_native_needles.c`), in one pass over the text; the Python here
does the same with a search for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING


class PythonNeedleGroups:
    """Groups of needles in lower case, of two letters or more each; a group without any is always found."""

    __slots__ = ("_groups",)

    def __init__(self, groups: tuple[tuple[str, ...], ...], /) -> None:
        if any(len(needle) < 2 and needle.isascii() for group in groups for needle in group):
            raise ValueError("a needle must be of two letters or more")
        self._groups = groups

    def found_in(self, text: str, /) -> list[int]:
        """Return the numbers of the groups of which a needle is in an ASCII text, in any case.

        Raises:
            ValueError: the text holds another sign.
        """
        if not text.isascii():
            raise ValueError("a string of ASCII letters wanted")
        lowered = text.lower()
        found = []
        for number, group in enumerate(self._groups):
            if not group or any(needle in lowered for needle in group):
                found.append(number)
        return found


if TYPE_CHECKING:
    from sentinel.indicators._native_needles import NeedleGroups as NeedleGroups
else:
    try:
        from sentinel.indicators._native_needles import NeedleGroups
    except ImportError:  # built without a compiler
        NeedleGroups = PythonNeedleGroups
