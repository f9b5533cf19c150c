"""Persons by kind of mention, and what is only called like one."""

from __future__ import annotations

import pytest

from sentinel.redaction import redact_text
from sentinel.redaction.lexicon import is_common_word, is_given_name, is_proper_noun, is_surname, lexicon
from tests.unit.redaction.presidio_detector import PARAMS, detector


def redacted(text: str) -> str:
    return redact_text(text, detector(), PARAMS)


@pytest.mark.parametrize(
    "template",
    [
        "Patient {}, seen on Monday, reports pain.",
        "The tenant is {} since May.",
        "Regards,\n{}",
        "Kind regards\n{}\nSales",
        "From: {} <x@corp.test>",
        "name={}, age=4",
        'The file holds "customer": "{}" twice.',
        "This was signed by {} in March.",
        "His daughter {} inherits the house.",
        "I am speaking with {} about the bill.",
        "{} told us to wait.",
        "Please forward this to {} today.",
    ],
)
@pytest.mark.parametrize("name", ["Anneke Visser", "Thandiwe Nkosi", "Małgorzata Wójcik", "Ramón Echeverría"])
def test_names_of_many_languages_where_a_phrase_tells(template: str, name: str) -> None:
    out = redacted(template.format(name))
    assert not [word for word in name.split() if word in out], out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ask Dr. Visser now.", "Ask <PERSON_1> now."),
        ("Ask Mrs Okafor now.", "Ask <PERSON_1> now."),
        ("Herr Vogel kommt.", "<PERSON_1> kommt."),
        ("It was Judge Okafor's ruling.", "It was Judge <PERSON_1>'s ruling."),
        ("Senator Lindqvist left.", "Senator <PERSON_1> left."),
        ("Nurse Okafor noted it.", "Nurse <PERSON_1> noted it."),
        ("Dear Anneke,\nthe bill is paid.", "Dear <PERSON_1>,\nthe bill is paid."),
        ("Hi Grace, it works.", "Hi <PERSON_1>, it works."),
        ("Hello team, it works.", "Hello team, it works."),
        ("Customer: Yes. Agent: Correct.", "Customer: Yes. Agent: Correct."),
        ("Anneke's mother called.", "<PERSON_1>'s mother called."),
    ],
)
def test_titles_and_addresses(text: str, expected: str) -> None:
    assert redacted(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The shop in Savannah closes in January.",
        "We moved from Ohio to Madison, near Lake Geneva.",
        "Kubernetes pods restart when the Docker daemon does.",
        "The Jenkins server and the Watson service are down.",
        "Merrill Lynch and Wells Fargo merged their desks.",
        "He has Parkinson's disease and Hodgkin lymphoma.",
        "Types are Fixed, Metered, Tiered, and Reserved.",
        "Order from Marks & Spencer or Harley-Davidson.",
        "Summers in San Jose and Santa Cruz are dry.",
        "Norwegian and German law differ from Argentina's.",
        "The temperature is 58 degrees Fahrenheit in February.",
        "Jack up the car only as the manual says.",
    ],
)
def test_what_is_only_called_like_a_person_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Madison Okafor signed the lease.", "Okafor"),
        ("Her maiden name is Hale.", "Hale"),
        ("Sydney said that it was late.", "Sydney"),
        ("They had three: Adam, Pamela and Brandon.", "Brandon"),
        ("my name is anna kowalski and i wait", "kowalski"),
    ],
)
def test_namesakes_count_where_a_person_is_meant(text: str, name: str) -> None:
    assert name not in redacted(text)


def test_the_lists_hold_what_they_say() -> None:
    names = lexicon()
    ours = [listed for key, listed in names._asdict().items() if not key.endswith(("_world", "_east"))]
    assert all(word.isalpha() and word.isascii() and word.islower() for listed in ours for word in listed)
    world = names.given_world | names.surnames_world
    assert all(word == word.lower() and len(word) > 2 for word in world)
    assert not world & (names.words | names.proper)
    assert {"田中", "王", "김"} <= names.surnames_east
    assert is_given_name("Peter")
    assert is_given_name("José")
    assert not is_given_name("Will")
    assert is_surname("Smith")
    assert is_common_word("Reserved")
    assert not is_common_word("Árias")
    assert is_proper_noun("January")
    assert not names.words & names.both
    assert not names.given_rare & names.words
