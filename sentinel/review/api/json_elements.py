"""A list in JSON, taken one element at a time: nothing is held that is larger than an element may be.

Read whole, a file of 64 MB in which each element is `{}` becomes gigabytes of objects, while no other thread
of the process gets its turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from typing import Any

from sentinel.errors import DeadLetterError

#: Code points of one element.
MOST_CHARACTERS = 4_194_304
#: A string that nothing ends is a token, too, up to the end: a search that went on behind its opening quote
#: would begin again at each quote in it, which takes the square of its length.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:(?P<end>")|\\?\Z)|[\[\]{}]', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(r"[^ \t\r\n,\[\]{}\"]+")


def elements(content: bytes) -> Iterator[Any]:
    """Yield the elements of a list, or the one object that the file is.

    Raises:
        DeadLetterError: `not_json`, `not_a_list`, `too_large` (an element): at the place where it is found.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _not_json() from None
    place = _after_space(text, 0)
    if text[place : place + 1] == "{":
        element, place = _element(text, place)
        yield element
    elif text[place : place + 1] == "[":
        place = yield from _of_list(text, place + 1)
    else:
        try:
            json.loads(text[:MOST_CHARACTERS])
        except (ValueError, RecursionError):
            raise _not_json() from None
        raise DeadLetterError("not_a_list", "an export of Label Studio in the form JSON is a list of tasks")
    if _after_space(text, place) < len(text):
        raise _not_json()


def _of_list(text: str, place: int) -> Generator[Any, None, int]:
    """Yield the elements from behind the opening bracket on; return the place behind the closing one."""
    place = _after_space(text, place)
    if text[place : place + 1] == "]":
        return place + 1
    while True:
        element, place = _element(text, place)
        yield element
        place = _after_space(text, place)
        mark, place = text[place : place + 1], _after_space(text, place + 1)
        if mark == "]":
            return place
        if mark != ",":
            raise _not_json()


def _element(text: str, start: int) -> tuple[Any, int]:
    end = _end(text, start)
    try:
        return json.loads(text[start:end]), end
    except (ValueError, RecursionError):
        raise _not_json() from None


def _end(text: str, start: int) -> int:
    """Return the place behind the element that begins at `start`."""
    if text[start : start + 1] not in ("[", "{", '"'):
        word = _WORD.match(text, start, start + 100)
        if word is None:
            raise _not_json()
        return word.end()
    depth = 0
    limit = min(len(text), start + MOST_CHARACTERS)
    for token in _TOKEN.finditer(text, start, limit):
        mark = text[token.start()]
        if mark == '"' and token["end"] is None:
            break
        depth += (mark in "[{") - (mark in "]}")
        if depth == 0:
            return token.end()
    if limit < len(text):
        raise DeadLetterError("too_large", f"a task may have {MOST_CHARACTERS:,} characters")
    raise _not_json()


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return place if match is None else match.end()


def _not_json() -> DeadLetterError:
    return DeadLetterError("not_json", "the file is not one JSON value in UTF-8")
