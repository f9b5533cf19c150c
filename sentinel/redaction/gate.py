"""Which parts of a text the model must see: those around words that could be a part of a name.

Why nothing is lost. What the model says of a word matters in two ways only (`persons`): a person it names
is kept, and a thing it names keeps a rule from taking a word for a person. Neither can touch a word that
is *plain* here:

- an ordinary English word in lower case, or several joined by hyphens, or the front of a contraction
  ("doesn"). A person made of such words alone is dropped, for nothing in it looks like a name, and no rule
  takes one for a name. In a text without any capital that is so of ordinary words that are no given
  names only ("may" and "rose" are not plain there, nor is any compound);
- an ordinary word with a capital that the beginning of a sentence gives it, and that is no frequent given
  name ("The", "Please", not "Will", "Mark" or "Grace"): a person made of such words is taken for a heading
  and dropped, and no rule takes one for a name;
- "I" and single letters in lower case, digits and signs, which are never a name by themselves.

All other words are seen: unknown ones, capitals within a sentence, letters beyond ASCII, known names in
any case, initials. The model says of them what it says in the whole text, for it looks at a few words to
each side only, which it is given along: `reach` says how many. What it holds for an open name at the edge is
the one thing that could differ; a few words more let that end (measured, see docs/redaction.md). Where the
reach is not known (a transformer), the whole text is seen as soon as one word is not plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from string import ascii_lowercase
from typing import Any, NamedTuple

from sentinel.redaction import phrases
from sentinel.redaction.lexicon import is_surname, lexicon

#: `[start, end)` of a part of a text, in code points.
Window = tuple[int, int]

_NAME = re.compile(phrases.NAME)
_CHUNK = re.compile(r"\S+")
# What stands before the first word of a sentence, an entry of a list or a quoted sentence.
_OPENING = re.compile(r"(?:\A|[.!?:\n])[\s\"'“”‘’(\[*#>_-]*\Z")
#: How far `_OPENING` looks back.
_LOOK_BACK = 12
_CONTRACTED = frozenset(
    """
    ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren won wouldn
    you'll you're you've he'll she'll it'll we'll we're we've they'll they're they've that'll
    there'll there're what're who'll who've could've should've would've might've must've
    """.split()  # noqa: SIM905 - one word beside the other reads better than quoted ones
)
#: Encoders of which each layer sees `window_size` words to each side.
_WINDOWED = ("spacy.MaxoutWindowEncoder.", "spacy.MishWindowEncoder.")
# Words beyond the reach: a name that the model begins wrongly at the edge has ended by then, and one that
# goes on behind the word ends as it does in the whole text.
_BEFORE = 3
_AFTER = 1


def windows(text: str, places: Sequence[int], reach: int | None) -> list[Window]:
    """Return the disjoint parts of `text`, in order, that the model must see to judge the words at `places`.

    They begin and end at white space and hold `reach` words and a few more to each side; with `reach`
    None there is one window, the whole text. Without any place there is none.
    """
    if not places:
        return []
    if reach is None:
        return [(0, len(text))]
    chunks = [match.span() for match in _CHUNK.finditer(text)]
    chunks[0], chunks[-1] = (0, chunks[0][1]), (chunks[-1][0], len(text))
    found: list[Window] = []
    index, until = 0, -1
    for place in places:
        while chunks[index][1] <= place:
            index += 1
        low, high = max(0, index - reach - _BEFORE), min(len(chunks) - 1, index + reach + _AFTER)
        start = found.pop()[0] if found and low <= until + 1 else chunks[low][0]
        found.append((start, chunks[high][1]))
        until = high
    return found


def telling(text: str) -> list[int]:
    """Return the places of the words of `text`, in order, that are not plain."""
    names = _words()
    if text.islower():
        return [m.start() for m in _NAME.finditer(text) if m.group() not in names.no_given]
    return [
        m.start() for m in _NAME.finditer(text) if m.group() not in names.lower and not _is_plain(text, m)
    ]


def _is_plain(text: str, match: re.Match[str]) -> bool:
    """Return whether the word is plain, being none of the plain ones in lower case."""
    word = match.group()
    if word[0].islower():
        parts = word.split("-")
        return len(parts) > 1 and all(part in _words().lower for part in parts) and not is_surname(word)
    if len(word) == 1:
        if text[match.end() : match.end() + 1] == ".":  # "I. Moreno"
            return False
        return word == "I" or (word == "A" and _opens(text, match.start()))
    return word.lower() in _words().no_given and word[1:].islower() and _opens(text, match.start())


def _opens(text: str, start: int) -> bool:
    return _OPENING.search(text, max(0, start - _LOOK_BACK), start) is not None


class _Words(NamedTuple):
    """Ordinary words: `lower` with what else is plain in lower case, `no_given` without given names."""

    lower: frozenset[str]
    no_given: frozenset[str]


@cache
def _words() -> _Words:
    names = lexicon()
    return _Words(names.words | _CONTRACTED | frozenset(ascii_lowercase), names.words - names.given)


def reach_of(config: Mapping[str, Any]) -> int | None:
    """Return how many words to each side a spaCy pipeline of this configuration looks at, None if unknown.

    Known are pipelines whose components all encode by windows of words: `depth` layers of `window_size`.
    """
    components = config.get("components", {})
    if any("transformer" in str(one.get("factory", "")) for one in components.values()):
        return None  # it may stand beside one that has a reach
    encoders = list(_encoders(components))
    if not encoders or not all(str(e.get("@architectures", "")).startswith(_WINDOWED) for e in encoders):
        return None
    return max(int(e["depth"]) * int(e["window_size"]) for e in encoders)


def _encoders(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for key, value in config.items():
        if isinstance(value, Mapping):
            if key == "encode":
                yield value
            else:
                yield from _encoders(value)
