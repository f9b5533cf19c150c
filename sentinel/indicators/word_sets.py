"""The words of an answer and of its evidence, in the form in which they are compared.

The hot path of the stream: where the extension module was built (`_native_words.c`), it does the work in a
tenth of the time. Both do the same; one suite of tests runs over both.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

#: Two words are the same when their first bytes are: the cheapest stemming, and inflection of most
#: European languages sits at the end.
STEM_BYTES = 6
_CAPITALISED = re.compile("[A-Z][A-Za-z]+")
_NO_LETTERS = re.compile("[^A-Za-z]+")
#: Words that begin with a capital, one after the other, small words between them or none.
RUN = r"[{0}][\w’'-]*(?:[ \u00a0](?:(?:of|the|de|van|von|der|la|del|di|al)[ \u00a0]){{0,2}}[{0}][\w’'-]*)*"
_RUN = re.compile(RUN.format("A-Z"))


def stem(word: bytes) -> bytes:
    """Return what words have in common that are taken for the same."""
    return word[:STEM_BYTES].rstrip(b"s")


class PythonWords:
    """The distinct words of a folded text (see `words.folded`); immutable.

    One that `keeps_order` can be compared with evidence, and evidence is what does not: it keeps stems.
    """

    __slots__ = ("_sentences", "_stems", "_words")

    def __init__(self, folded: bytes, *, keeps_order: bool = False) -> None:
        self._sentences: list[list[bytes]] | None = None
        self._stems: frozenset[bytes] | None = None
        if keeps_order:
            self._sentences = [sentence.split() for sentence in folded.split(b"\n")]
            self._words: frozenset[bytes] = frozenset().union(*self._sentences)
        else:
            self._words = frozenset(folded.split())

    def __repr__(self) -> str:
        return f"<Words of a text, {len(self._words)} distinct>"

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, word: object) -> bool:
        return word in self._words

    def __sizeof__(self) -> int:
        # Of stems there are as many as words at most.
        return 2 * (sys.getsizeof(self._words) + sum(map(sys.getsizeof, self._words)))

    def among(self, others: PythonWords) -> set[bytes]:
        """Return those of the words that are among others."""
        return set(self._words & others._words)

    def compared(
        self, evidence: list[PythonWords], stop_words: PythonWords, fewest: int
    ) -> tuple[int, set[bytes], int, float | None]:
        """Compare the content words (all but stop words) with evidence.

        Returns how many distinct ones there are; those that no evidence holds; how many of these it holds
        with no other ending either (by stem); and the lowest share of the known, over sentences with
        `fewest` distinct ones or more (None without such a sentence).

        Raises:
            ValueError: one of the two sides keeps its order wrongly, or `fewest` is below 1.
        """
        if self._sentences is None or fewest < 1:
            raise ValueError("words are compared that keep their order, in sentences of one word or more")
        if any(piece._sentences is not None for piece in evidence):
            raise ValueError("evidence keeps no order: it keeps stems")
        missing = set(self._words)
        # Most stop words are in the evidence as well: taken out last, they cost nothing.
        for piece in evidence:
            missing -= piece._words
        missing -= stop_words._words
        unknown = _unknown(missing, evidence)
        content = len(self._words) - len(self._words & stop_words._words)
        return content, missing, len(unknown), _lowest(self._sentences, stop_words._words, unknown, fewest)

    def _all_stems(self) -> frozenset[bytes]:
        if self._stems is None:
            self._stems = frozenset(map(stem, self._words))
        return self._stems


def _unknown(missing: set[bytes], evidence: list[PythonWords]) -> set[bytes]:
    """Return those of the missing words that are not in the evidence with another ending either."""
    if not missing:
        return missing
    stem_of = {word: stem(word) for word in missing}
    unknown_stems = set(stem_of.values())
    for piece in evidence:
        unknown_stems -= piece._all_stems()
    return {word for word, its_stem in stem_of.items() if its_stem in unknown_stems}


def _lowest(
    sentences: Iterable[list[bytes]], stop_words: frozenset[bytes], unknown: set[bytes], fewest: int
) -> float | None:
    """Return the lowest share of content words found, over sentences that have enough of them.

    A sentence without an unknown word has a share of 1: of those one is looked at closely, not each.
    """
    lowest: float | None = None
    for words in sentences:
        if len(words) < fewest or (lowest is not None and unknown.isdisjoint(words)):
            continue
        content = set(words) - stop_words
        if len(content) >= fewest:
            share = 1 - len(content & unknown) / len(content)
            lowest = share if lowest is None or share < lowest else lowest
    return lowest


def capitalised_runs_in_python(text: str, words: set[bytes]) -> list[int]:
    """Return start and end of each run of capitalised words in an ASCII text that holds one of the words.

    Words are given in lower case, and are letters up to the next sign or digit. None is told of where no
    one stands capitalised, in two letters or more.
    """
    runs = list(_RUN.finditer(text))
    capitalised = "\n".join([word for run in runs for word in _CAPITALISED.findall(run[0])])
    if words.isdisjoint(capitalised.lower().encode().split()):
        return []
    return [
        place
        for run in runs
        if not words.isdisjoint(_NO_LETTERS.sub(" ", run[0]).lower().encode().split())
        for place in run.span()
    ]


class PlainNumbers(Protocol):
    """What sorts out the plain numbers of an ASCII answer, where something is quicker than reading them."""

    def __call__(
        self,
        text: str,
        has_minus_words: bool,
        telling: frozenset[bytes],
        money: frozenset[bytes],
        evidence: list[frozenset[Any]],
        /,
    ) -> tuple[list[int], list[int], list[int]]:
        """Return where those start that stand in the evidence, where the others do, and where those end.

        An end is 0 where the number has to be read; else the digits up to there are all it says, and the
        evidence lacks them. All are in order. What stands nowhere is no number (a code, the number of a
        line). Plain are whole numbers and whole percentages. `telling` are the words, in lower case, that
        change a number before them; those of
        `money` do so only before cents.

        Raises:
            ValueError: the text holds more than ASCII.
        """
        ...


if TYPE_CHECKING:
    from sentinel.indicators._native_text import capitalised_runs as capitalised_runs
    from sentinel.indicators._native_words import SOURCES as SOURCES
    from sentinel.indicators._native_words import Words as Words

    plain_numbers: PlainNumbers | None
else:
    try:
        from sentinel.indicators._native_numbers import plain_numbers
        from sentinel.indicators._native_text import capitalised_runs
        from sentinel.indicators._native_words import SOURCES, Words
    except ImportError:  # built without a compiler
        SOURCES, Words = "", PythonWords
        capitalised_runs = capitalised_runs_in_python
        plain_numbers = None


def vocabulary(words: Iterable[bytes]) -> Words:
    """Return a set of words to look others up in."""
    return Words(b" ".join(words))
