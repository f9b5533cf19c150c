"""The words of an answer, worked out once for all who look at them.

Most patterns need a certain word (`not`, `thirty`, `passage`, `May`), and most answers hold none of them.
Finding out is one intersection of sets; the pattern is tried where its words are there.
"""

from __future__ import annotations

from sentinel.indicators.markers import TELLING_WORDS
from sentinel.indicators.numerals import NUMBER_WORDS
from sentinel.indicators.phrases import TRIGGERS
from sentinel.indicators.phrases_abroad import TRIGGERS_ABROAD
from sentinel.indicators.words import STOP_WORDS, folded

#: Words without one of which no clause declines, in a script that puts spaces between words.
DECLINING_WORDS = TRIGGERS | TRIGGERS_ABROAD

_TELLING = STOP_WORDS | DECLINING_WORDS | TELLING_WORDS | NUMBER_WORDS


class Wording:
    """The distinct words of a text, and those of them that something is looked for by.

    `folded` is the text as `words.folded` returns it, `sentences` are its words by sentence. `telling` holds
    every word of the text that declines, numbers, dates or references to a passage need; the stop words of
    the text are among them.
    """

    __slots__ = ("folded", "sentences", "telling", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = folded(text)
        self.sentences = [sentence.split() for sentence in self.folded.split(b"\n")]
        self.words: set[bytes] = set().union(*self.sentences)
        self.telling = self.words & _TELLING

    def __repr__(self) -> str:
        return "<Wording hidden>"

    def stop_words(self) -> set[bytes]:
        """Return the stop words that are there: few, where those that could be are many."""
        return self.telling & STOP_WORDS

    def content(self) -> set[bytes]:
        """Return the distinct words that carry content."""
        return self.words - self.stop_words()

    def telling_content(self) -> set[bytes]:
        """Return the words of `telling` that carry content."""
        return self.telling - STOP_WORDS
