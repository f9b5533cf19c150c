"""A model that is shown only what may hold a name finds what it finds in the whole text."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec
import pytest
import spacy

from sentinel.redaction import RedactionParams, presidio
from sentinel.redaction.beside import beside
from sentinel.redaction.gate import reach_of, telling, windows
from sentinel.redaction.mentions import cued, known, listed, notable, paired, split_words
from sentinel.redaction.persons import may_hold_lower
from sentinel.redaction.views import documents, entities
from sentinel.redaction.written_names import written_names
from tests.benchmarks.rag_traffic import RagTraffic
from tests.unit.redaction.presidio_detector import detector, seeing_all

NAMES = (
    "John Smith", "Will", "Mark", "Rose", "May", "Hope", "Faith", "Grace", "Bill", "Frank",
    "Will Young", "Mark Price", "Rose Field", "May Day", "Hope Winter", "Grace Bishop", "Frank Bill",
    "Summer Rain", "Art Case", "Price", "Young", "Baker", "Green", "Carpenter", "Major", "An Nguyen",
    "In-su Park", "So-yeon", "Kwame Obi", "Thandiwe Mokoena", "Zoë Müller", "José García",
    "Łukasz Wójcik", "Aoife Ní Bhriain", "Seán O'Brien", "D'Angelo Russo", "Fatima al-Rashid",
    "Mohammed bin Salim", "Ludwig van der Berg", "Li Wei", "Xiuying Zhang", "Sun Yifei", "Yuki Tanaka",
    "Priya Raghunathan", "Arjun", "Olena Kovalenko", "Дмитро Шевченко", "山田太郎", "محمد علي",
    "Jean-Luc Moreau", "Anne-Marie", "J. R. Moura", "K. Briand", "Nkosi", "Sedgwick", "Lansing",
    "Berlin", "Florence", "Jordan", "Paris Hill", "Mary-Ann", "Rose-May", "Abu Bakr", "Ng", "Xu",
    "Bo Li",
)  # fmt: skip
TEMPLATES = (
    "{} asked when the refund of the annual fee is due.",
    "The clerk told us that {} had paid the bill before the end of the month.",
    "Please ask {} about the second invoice and send the answer to the office.",
    "The parcel was signed for by {}.",
    "{}",
    "{}.",
    "Present were {}, Laura Bennett and Omar Haddad.",
    "The list holds three people: Kevin, {} and Sofia.",
    "Dr. {} will see the patient at nine. The report follows within 3 days.",
    "The meeting is over. {} left early, and the others stayed for another hour.",
    "Each order ends the same way [1]. {} pays, the driver waits, and the shop closes.",
    "- {}\n- the second entry of the list\n- another one",
    '"{}," said the driver, "is not at home."',
    "Regards,\n{}",
    "the {} account is closed, the owner has moved",
    "I. {} is the first of the parties. A. {} is the second one.",
    "This is {}'s second call about the same broken lamp.",
)


def sentences() -> Iterator[str]:
    for name in NAMES:
        for template in TEMPLATES:
            text = template.replace("{}", name)
            yield text
        yield TEMPLATES[1].format(name.lower())
        yield TEMPLATES[0].format(name).lower()
        yield TEMPLATES[2].format(name.upper())
        yield TEMPLATES[0].format(name).upper()


def stretched(texts: Sequence[str]) -> Iterator[str]:
    """Yield texts of many plain words and some sentences, so that windows begin and end within them."""
    rng = random.Random(20261130)
    plain = [
        "The total amount covers the annual fee of the regular account within 30 days.",
        "a driver checks the open order, and the others wait for another hour or two.",
        "How long does it take until the money is back? It depends on the bank [2].",
        "Each of the parts can be ordered online; don't pay before the shipment is there.",
    ]
    for _ in range(120):
        yield " ".join(rng.choice(plain) if rng.random() < 0.6 else rng.choice(texts) for _ in range(9))


def differences(texts: Sequence[str]) -> list[str]:
    gated, whole = detector().detect(texts), seeing_all().detect(texts)
    return [
        f"{text[s.start : s.end]!r} ({s.entity}), {'lost' if s in theirs else 'new'} in {text!r}"
        for text, ours, theirs in zip(texts, gated, whole, strict=True)
        for s in sorted({*ours} ^ {*theirs})
    ]


def test_sentences_with_names_of_any_kind_give_the_same_spans() -> None:
    texts = list(dict.fromkeys(sentences()))
    assert len(texts) > 1000
    assert differences(texts) == []


def test_long_texts_with_names_here_and_there_give_the_same_spans() -> None:
    assert differences(list(stretched(list(sentences())))) == []


def test_events_of_retrieval_give_the_same_spans() -> None:
    events = [msgspec.json.decode(event) for event in RagTraffic(5).events(60)]
    texts = [t for e in events for t in (e["question"], e["answer"], *(p["text"] for p in e["retrieved"]))]
    assert differences(list(dict.fromkeys(texts))) == []


@pytest.mark.parametrize(
    "text",
    [
        "The annual fee covers the repair within 30 days [1]. Please don't wait: it isn't open-ended.",
        'I think so. "Each part can be ordered," it says. A second one costs 12.50 more.',
        "the fee covers the repair, and the clerk pays",
        "- First the lamp\n- Then the wire\n\n* A switch",
        "",
        "12 + 30 = 42",
    ],
)
def test_plain_texts_are_not_shown_to_the_model(text: str) -> None:
    assert telling(text) == []
    assert windows(text, telling(text), 4) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Will you pay? Mark is here. Grace too.", "Will Mark Grace"),
        ("The clerk met Price at noon.", "Price"),
        ("The CLERK waits.", "CLERK"),
        ("Please call smith or mary-ann now.", "smith mary-ann"),
        ("The café of zoë is open.", "café zoë"),
        ("Price. I. Price. J. Young.", "I Price J Young"),
        ("may and rose are here, open-ended", "may rose open-ended"),
        ("A blorfing lamp", "blorfing"),
        ("THE END", "THE END"),
    ],
)
def test_what_may_be_a_part_of_a_name_is_shown(text: str, words: str) -> None:
    found = telling(text)
    shown = windows(text, found, 0)
    assert found
    for word in words.split():
        assert any(word in text[low:high] for low, high in shown)


def test_windows_are_cut_at_white_space_apart_and_hold_the_words_with_some_around() -> None:
    for text in stretched(list(sentences())):
        places = telling(text)
        found = windows(text, places, 4)
        assert all(any(low <= place < high for low, high in found) for place in places)
        assert all(one[1] < other[0] for one, other in pairwise(found))
        for low, high in found:
            assert low == 0 or text[low - 1].isspace()
            assert high == len(text) or text[high].isspace()
            first = next(place for place in places if place >= low)
            assert low == 0 or len(text[low:first].split()) >= 4
            assert high == len(text) or len(text[max(p for p in places if p < high) : high].split()) > 4


def test_a_model_whose_reach_is_unknown_sees_the_whole_text_or_nothing() -> None:
    text = f"{'The fee is due. ' * 40}Kwame Obi pays."
    assert windows(text, telling(text), None) == [(0, len(text))]
    assert windows("The fee is due.", telling("The fee is due."), None) == []


def test_the_reach_of_a_model_is_read_from_its_configuration() -> None:
    window = {"@architectures": "spacy.MaxoutWindowEncoder.v2", "depth": 4, "window_size": 1}
    assert reach_of(detector()._nlp.config) == 4
    assert reach_of({"components": {"ner": {"model": {"tok2vec": {"encode": {**window, "depth": 8}}}}}}) == 8
    assert reach_of({"components": {"ner": {"model": {}}}}) is None
    transformer = {"factory": "curated_transformer", "model": {"name": "roberta"}}
    assert reach_of({"components": {"transformer": transformer, "ner": {"encode": window}}}) is None
    other = {**window, "@architectures": "spacy.TorchBiLSTMEncoder.v1"}
    assert reach_of({"components": {"ner": {"encode": window}, "tok2vec": {"encode": other}}}) is None


def test_entities_of_other_kinds_are_looked_for_in_the_whole_text() -> None:
    """A date or an amount has no word that a name could have."""
    params = RedactionParams(entities=("PERSON", "DATE_TIME"))
    found = presidio.PresidioDetector(params).detect(["the parcel came two days ago."])[0]
    assert [span.entity for span in found] == ["DATE_TIME"]


def test_step_by_step_the_model_finds_what_it_finds_in_one_go() -> None:
    texts = sorted(set(sentences()), key=len)[::3]
    model = detector()._nlp
    with model.memory_zone():
        ours = [entities(doc) for doc in documents(model, texts)]
        theirs = [entities(doc) for doc in model.pipe(texts)]
    assert ours == theirs


def test_a_model_of_other_parts_is_left_to_its_own_loop() -> None:
    model = spacy.blank("en")
    model.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "Kwame"}])  # type: ignore[attr-defined]
    found = [entities(doc) for doc in documents(model, ["Kwame pays."] * 5)]
    assert [[(e.start, e.end, e.label, e.words) for e in one] for one in found] == [[(0, 5, "PERSON", 1)]] * 5


def test_rules_need_look_at_no_word_that_is_not_notable() -> None:
    for text in [*sentences(), *stretched(list(sentences()))]:
        words = split_words(text)
        some, every = notable(words), range(len(words))
        assert list(cued(text, words, some, set())) == list(cued(text, words, every, set()))
        assert list(known(text, words, some, [])) == list(known(text, words, every, []))
        assert list(paired(words, some, [], set())) == list(paired(words, every, [], set()))
        assert list(beside(text, words, some, set(), [])) == list(beside(text, words, every, set(), []))
        assert list(listed(text, words, some, [], set())) == list(listed(text, words, every, [], set()))
        if not may_hold_lower(text, words, some):
            assert list(written_names(text, lower=False)) == list(written_names(text))
