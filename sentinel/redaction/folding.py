"""A plain copy of a text, in which one value has one notation, with the way back to the original.

Recognisers know digits, letters and signs in their plain form. Values also come with invisible
characters inside, in full-width or other digits, as HTML entities, percent or `\\u` escapes, defanged
(`[.]`) or with Markdown in the middle. All of that is undone in a copy; what is found there is replaced
in the original with everything that stands for it. A text with nothing to undo is its own copy.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

T = TypeVar("T")

_HEX = "[0-9A-Fa-f]"
_TAIL = "%[89ABab][0-9A-Fa-f]"
# One character each, as UTF-8 writes it. A lone escape that means a letter or a digit may as well be a
# percentage with a number behind it ("50%4111"), so that it counts only beside another one.
_PERCENT = re.compile(
    rf"%[CDcd]{_HEX}{_TAIL}|%[Ee]{_HEX}{_TAIL}{_TAIL}"
    rf"|%[Ff][0-7]{_TAIL}{_TAIL}{_TAIL}"
    rf"|%(?:2{_HEX}|3[A-Fa-f]|40|5[B-Fb-f]|60|7[B-Eb-e]|0[9AaDd])"
    rf"|%(?:3[0-9]|4[1-9A-Fa-f]|5[0-9Aa]|6[1-9A-Fa-f]|7[0-9Aa])(?=%{_HEX}{{2}})"
    rf"|(?<=%{_HEX}{{2}})%(?:3[0-9]|4[1-9A-Fa-f]|5[0-9Aa]|6[1-9A-Fa-f]|7[0-9Aa])"
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_BACKSLASH = re.compile(
    rf"\\+(?:u[Dd][89ABab]{_HEX}{{2}}\\+u[Dd][C-Fc-f]{_HEX}{{2}}|u\{{{_HEX}{{1,6}}\}}|u{_HEX}{{4}}|x{_HEX}{{2}})"
)
_DEFANGED = re.compile(
    r"(?<=\w)(?: ?[\[({] ?(?:\.|dot|@|at) ?[\])}] ?)(?=\w)",
    re.IGNORECASE,
)
_TAG = r"</?(?:a|b|bdi|code|em|font|i|mark|s|small|span|strong|sub|sup|tt|u|wbr)(?:\s[^<>]{0,200})?/?>"
# Signs that change the look of what they stand in.
_MARKUP = re.compile(rf"(?<=[\w@.+-])(?:\*\*|~~|`|(?:{_TAG})+)(?=[\w@.+-])", re.IGNORECASE)
# Footnote signs: behind a value they are no part of it.
_RAISED = "⁰¹²³⁴-⁹₀-₉①-⑨⓪"
_FOOTNOTE = rf"(?<=[^\W{_RAISED}])[{_RAISED}]{{1,2}}(?![^\W_])"
_MARKED = "[^\\W\\d_][\u0300-\u036f]+"
_CONTROLS = "[\x00-\x08\x0e-\x1f\x7f]"
_CHARACTER = re.compile(rf"(?P<footnote>{_FOOTNOTE})|(?P<marked>{_MARKED})|{_CONTROLS}|[^\x00-\x7f]")
_ANY_CONTROL = re.compile(_CONTROLS)
# Quick look, before any other: the signs with which every notation above begins.
_SUSPECT = re.compile(
    rf"%{_HEX}{{2}}|&#?[0-9A-Za-z]{{2,32}};|\\[ux]{_HEX}|\\u\{{|[\[({{] ?(?:\.|dot|@|at) ?[\])}}]"
    rf"|[\w@.+-](?:\*\*|~~|`|<[a-z/])|{_CONTROLS}",
    re.IGNORECASE,
)
_ROUNDS = 3
_KEPT = frozenset("…™ªº№℠")
_FORMS = ("<wide>", "<narrow>", "<font>", "<circle>", "<small>", "<super>", "<sub>")
_OTHER = {
    "\u2024": ".", "\u3002": ".", "\uff61": ".", "\u2028": "\n", "\u2029": "\n", "\u3164": "", "\u115f": "",
    "\u1160": "", "\uffa0": "", "\u2800": " ", "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl",
    "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st",
}  # fmt: skip


class Folded(NamedTuple):
    """A plain copy; `starts[i]` and `ends[i]` bound what its code point `i` stands for in the original.

    Both are None where the copy is the original.
    """

    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def __repr__(self) -> str:
        return f"Folded({len(self.text)} characters, {'changed' if self.starts else 'as it is'})"

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original that `[start, end)` of the copy stands for."""
        if self.starts is None or self.ends is None or start >= end:
            return start, end
        return self.starts[start], self.ends[end - 1]

    def originals(self, places: Sequence[tuple[int, int, T]]) -> list[tuple[int, int, T]]:
        """Return disjoint places of the copy, in order, as disjoint places of the original.

        Where two of them share one character of the original, the first has it.
        """
        if self.starts is None:
            return list(places)
        mapped: list[tuple[int, int, T]] = []
        done = 0
        for start, end, value in places:
            low, high = self.original(start, end)
            low = max(low, done)
            if low < high:
                mapped.append((low, high, value))
                done = high
        return mapped

    def parted(self) -> tuple[str, list[int]] | None:
        """Return the copy with a blank wherever something unseen stood between letters or digits.

        The list gives, for each of its code points, the index in the copy. Two values may have been
        parted by nothing else. None where nothing was.
        """
        if self.starts is None or self.ends is None:
            return None
        joints = [
            i
            for i in range(1, len(self.text))
            if self.starts[i] > self.ends[i - 1] and self.text[i].isalnum() and self.text[i - 1].isalnum()
        ]
        if not joints:
            return None
        pieces: list[str] = []
        places: list[int] = []
        for low, high in zip([0, *joints], [*joints, len(self.text)], strict=True):
            pieces += [self.text[low:high], " "]
            places += [*range(low, high), high]
        return "".join(pieces), places


def fold(text: str) -> Folded:
    """Return the plain copy of `text`."""
    escaped = _SUSPECT.search(text) is not None
    if not escaped and (text.isascii() or not _has_foldable(text)):
        return Folded(text)
    copy = Folded(text, range(len(text)), range(1, len(text) + 1))
    if escaped:
        copy = _unescaped(copy)
    if not copy.text.isascii() or _ANY_CONTROL.search(copy.text):
        copy = _rewritten(copy, _CHARACTER, _plain)
    if escaped:
        copy = _rewritten(copy, _DEFANGED, _fanged)
        copy = _rewritten(copy, _MARKUP, _nothing)
    return Folded(text) if copy.text == text else _settled(copy)


def _settled(copy: Folded) -> Folded:
    """Return the copy with one range for all code points that one character of the original became."""
    starts, ends = list(copy.starts or ()), list(copy.ends or ())
    for index in range(len(starts) - 2, -1, -1):
        if starts[index] == starts[index + 1]:
            ends[index] = ends[index + 1]
    return Folded(copy.text, starts, ends)


def _has_foldable(text: str) -> bool:
    return any(character > "\x7f" and folded_character(character) != character for character in set(text))


def _unescaped(copy: Folded) -> Folded:
    for _ in range(_ROUNDS):  # an escape may be escaped itself: &amp;#64; or %2540
        before = copy.text
        copy = _rewritten(copy, _BACKSLASH, _from_backslash)
        copy = _rewritten(copy, _ENTITY, lambda match: html.unescape(match.group()))
        copy = _rewritten(copy, _PERCENT, _from_percent)
        if copy.text == before:
            break
    return copy


def _rewritten(copy: Folded, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> Folded:
    """Return the copy with each match replaced; a dropped mark belongs to the character it decorates."""
    if copy.starts is None or copy.ends is None or pattern.search(copy.text) is None:
        return copy
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for match in pattern.finditer(copy.text):
        low, high = match.span()
        new = replace(match)
        if new == match.group():
            continue
        pieces += [copy.text[position:low], new]
        starts += copy.starts[position:low]
        ends += copy.ends[position:low]
        first, last = copy.original(low, high)
        starts += [first] * len(new)
        ends += [last] * len(new)
        if not new and ends and _is_mark(match.group()[0]):
            ends[-1] = last
        position = high
    pieces.append(copy.text[position:])
    starts += copy.starts[position:]
    ends += copy.ends[position:]
    return Folded("".join(pieces), starts, ends)


def _from_backslash(match: re.Match[str]) -> str:
    units = [int(unit, 16) for unit in re.findall(rf"[ux]\{{?({_HEX}{{1,6}})", match.group())]
    if len(units) == 2:
        return chr(0x10000 + ((units[0] - 0xD800) << 10) + (units[1] - 0xDC00))
    return chr(units[0]) if units[0] <= 0x10FFFF and not 0xD800 <= units[0] < 0xE000 else match.group()


def _from_percent(match: re.Match[str]) -> str:
    try:
        return unquote_to_bytes(match.group()).decode()
    except UnicodeDecodeError:
        return match.group()


def _fanged(match: re.Match[str]) -> str:
    return "@" if re.search("@|at", match.group(), re.IGNORECASE) else "."


def _nothing(_: re.Match[str]) -> str:
    return ""


def _plain(match: re.Match[str]) -> str:
    if match.lastgroup == "footnote":
        return match.group()
    if match.lastgroup == "marked":
        whole = unicodedata.normalize("NFC", match.group())
        return folded_character(whole if len(whole) == 1 else whole[0])
    return folded_character(match.group())


@lru_cache(maxsize=16_384)
def folded_character(character: str) -> str:
    """Return what the character stands for: itself, a plain one, or nothing if it is not seen."""
    if character in _OTHER:
        return _OTHER[character]
    if character in _KEPT:
        return character
    category = unicodedata.category(character)
    if category == "Cf" or (category == "Cc" and character not in "\t\n\v\f\r\x85") or _is_mark(character):
        return ""
    if category == "Zs":
        return " "
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    if unicodedata.decomposition(character).startswith(_FORMS):
        return unicodedata.normalize("NFKC", character)
    return character


def _is_mark(character: str) -> bool:
    """Return whether the character only decorates the one before it; vowel signs of scripts are letters."""
    code = ord(character)
    return (
        0x300 <= code <= 0x36F
        or 0x1AB0 <= code <= 0x1AFF
        or 0x1DC0 <= code <= 0x1DFF
        or 0x20D0 <= code <= 0x20FF
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF
    )
