"""The words of an answer, worked out once for all who look at them.

Most patterns need a certain word (`not`, `thirty`, `passage`, `May`), and most answers hold none of them.
Finding out is one look-up a word; the pattern is tried where its words are there.
"""

from __future__ import annotations

from sentinel.indicators.markers import TELLING_WORDS
from sentinel.indicators.numerals import NUMBER_WORDS
from sentinel.indicators.phrases import TRIGGERS
from sentinel.indicators.phrases_abroad import TRIGGERS_ABROAD
from sentinel.indicators.word_sets import Words, vocabulary
from sentinel.indicators.words import STOP_WORDS, folded

#: Words without one of which no clause declines, in a script that puts spaces between words.
DECLINING_WORDS = TRIGGERS | TRIGGERS_ABROAD
#: Negations and `I'm` with the apostrophe left out.
BARE_WORDS = frozenset(
    b"cant dont wont couldnt isnt doesnt didnt arent wasnt werent havent hasnt wouldnt im".split()
)

_TELLING = vocabulary(DECLINING_WORDS | TELLING_WORDS | NUMBER_WORDS | BARE_WORDS)


class Wording:
    """The distinct words of a text, and those of them that something is looked for by.

    `folded` is the text as `words.folded` returns it, `words` its words. `telling` holds every word of the
    text that declines, numbers, dates or references to a passage need.
    """

    __slots__ = ("folded", "telling", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = folded(text)
        self.words = Words(self.folded, keeps_order=True)
        self.telling = self.words.among(_TELLING)

    def __repr__(self) -> str:
        return "<Wording hidden>"

    def telling_content(self) -> set[bytes]:
        """Return the words of `telling` that carry content."""
        return self.telling - STOP_WORDS
