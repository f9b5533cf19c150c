"""Claims of an answer, true and false: a false one knows what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from sentinel.demo.knowledge import Fact
from sentinel.records import ClaimAnnotation, ClaimLabel, Severity

_ADDITIONS = (
    ("you will also receive a voucher over {n} euros for the trouble", "overgeneralization"),
    ("customers with a premium plan are served within {n} minutes", "overgeneralization"),
    ("an exception is usually made after the first request", "overgeneralization"),
    ("the same rule applies to everything else you have bought", "overgeneralization"),
    ("no further documents are ever needed", "overgeneralization"),
    ("the {programme} programme lets you skip this step", "fabricated entity"),
    ("it can be done in the app under the menu item {programme}", "fabricated entity"),
    ("this was confirmed by {person} from the head office", "fabricated entity"),
)
_PROGRAMMES = ("FastLane Plus", "CareFirst", "GoldLine", "EasySwitch")
_PEOPLE = ("Mr. Robert Calloway", "Ms. Ingrid Ostrander", "Dr. Simon Velasco", "Mrs. Paula Whitcombe")
_CITIES = ("Porto", "Utrecht", "Gdansk", "Malmo", "Sofia", "Bergen", "Naples", "Krakow")
#: Share of false claims that are additions; the others get a fact of the passages wrong.
_ADDED = 0.2
_WIDER = {"days": (24, "hours"), "hours": (60, "minutes"), "months": (30, "days"), "minutes": (60, "seconds")}
_SEVERITIES: tuple[Severity, ...] = ("low", "medium", "high", "critical")
_NONFACTUAL = (
    "I hope this helps.",
    "Let me know if there is anything else I can do for you.",
    "Thank you for your patience.",
)

Making = Callable[[Fact, Sequence[Fact], Random], str | None]


def sentence(words: str) -> str:
    """Return words as a sentence."""
    return f"{words[0].upper()}{words[1:]}."


def true_claim(fact: Fact, rng: Random) -> ClaimAnnotation:
    """Return the fact as a claim; now and then with a figure worked out from it, which is true as well."""
    words = fact.said_with(fact.value)
    if fact.unit in _WIDER and fact.value is not None and fact.value.isdigit() and rng.random() < 0.06:
        factor, unit = _WIDER[fact.unit]
        words += f", that is {int(fact.value) * factor} {unit}"
    return ClaimAnnotation(sentence(words), "supported")


def false_claim(fact: Fact, around: Sequence[Fact], rng: Random) -> ClaimAnnotation:
    """Return a claim that the passages do not support. `around` are the facts retrieved with this one.

    Some ways leave a trace that indicators can see (a figure or a name that stands nowhere), some do
    not (a figure from the next passage, an opposite).
    """
    if rng.random() < _ADDED:
        return invented_claim(rng)
    for make, label, subtype in rng.sample(_WAYS, len(_WAYS)):
        words = make(fact, around, rng)
        if words is not None:
            return ClaimAnnotation(sentence(words), label, _severity(rng), subtype)
    return invented_claim(rng)


def invented_claim(rng: Random) -> ClaimAnnotation:
    """Return a claim that no passage says anything about."""
    words, subtype = rng.choice(_ADDITIONS)
    filled = words.format(
        n=rng.randrange(5, 95), programme=rng.choice(_PROGRAMMES), person=rng.choice(_PEOPLE)
    )
    return ClaimAnnotation(sentence(filled), "not_in_evidence", _severity(rng), subtype)


def nonfactual_claim(rng: Random) -> ClaimAnnotation:
    """Return a courtesy, which claims nothing."""
    return ClaimAnnotation(rng.choice(_NONFACTUAL), "nonfactual")


def _severity(rng: Random) -> Severity:
    return rng.choices(_SEVERITIES, (4, 5, 3, 1))[0]


def _number_from_nowhere(fact: Fact, around: Sequence[Fact], rng: Random) -> str | None:
    if not fact.is_number:
        return None
    known = {other.value for other in around}
    wrong = [value for value in fact.others if value not in known]
    return fact.said_with(rng.choice(wrong)) if wrong else None


def _number_from_beside(fact: Fact, around: Sequence[Fact], rng: Random) -> str | None:
    if not fact.is_number:
        return None
    beside = [o.value for o in around if o.is_number and o.value != fact.value and o.value is not None]
    return fact.said_with(rng.choice(beside)) if beside else None


def _other_name(fact: Fact, _around: Sequence[Fact], rng: Random) -> str | None:
    if fact.is_number or fact.value is None:
        return None
    return fact.said_with(rng.choice(_CITIES))


def _opposite(fact: Fact, _around: Sequence[Fact], _rng: Random) -> str | None:
    return None if fact.twist is None else fact.says.replace(*fact.twist)


_WAYS: tuple[tuple[Making, ClaimLabel, str], ...] = (
    (_number_from_nowhere, "contradicted", "wrong number"),
    (_number_from_beside, "contradicted", "wrong number"),
    (_other_name, "contradicted", "wrong relationship"),
    (_opposite, "contradicted", "incorrect attribute"),
)
