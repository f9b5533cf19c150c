"""One value in many notations: found in each, whole, and with the placeholder of its plain form."""

from __future__ import annotations

import re
import urllib.parse

import pytest

from sentinel.records import Passage, RawAnswer
from sentinel.redaction import PatternDetector, RedactionParams, redact_answer, redact_text
from sentinel.redaction.folding import fold
from tests.unit.redaction.presidio_detector import detector

PARAMS = RedactionParams()
PATTERNS = PatternDetector(PARAMS)
VALUES = (
    "zoe.k@corp.test", "4111111111111111", "DE89370400440532013000", "286-35-6337", "+1-415-555-2351",
    "203.0.113.77",
)  # fmt: skip
UNSEEN = (
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200e", "\u200f", "\ufe0f", "\u2062",
    "\u3164", "\U000e0061", "\u0336", "\u034f", "\u180e", "\x00", "\x1b",
)  # fmt: skip
ZEROS = ("０", "٠", "۰", "०", "০", "𝟎", "𝟘", "𝟶", "⁰", "₀", "๐")


def answer_of(notation: str, plain: str) -> dict[str, object]:
    passage = Passage(id="p1", text=f"it says {plain} here")
    answer = RawAnswer(event_id="e", answer=f"note {notation} end", retrieved=(passage,))
    return redact_answer(answer, PATTERNS, PARAMS).content


def assert_same(notation: str, plain: str) -> None:
    content = answer_of(notation, plain)
    passage = content["retrieved"][0]["text"]  # type: ignore[index]
    placeholder = passage.removeprefix("it says ").removesuffix(" here")
    assert re.fullmatch(r"<[A-Z_]+_1>", placeholder), passage
    assert content["answer"] == f"note {placeholder} end"


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("value", VALUES)
def test_unseen_characters_inside(value: str, unseen: str) -> None:
    assert_same(unseen.join(value), value)
    assert_same(value[:5] + unseen + value[5:], value)


@pytest.mark.parametrize("zero", ZEROS)
@pytest.mark.parametrize("value", VALUES[1:])
def test_digits_of_other_scripts(value: str, zero: str) -> None:
    low = {"⁰": "⁰¹²³⁴⁵⁶⁷⁸⁹"}.get(zero, "".join(chr(ord(zero) + i) for i in range(10)))
    assert_same(value.translate(str.maketrans("0123456789", low)), value)


@pytest.mark.parametrize("value", VALUES)
def test_full_width_throughout(value: str) -> None:
    assert_same("".join(chr(ord(c) + 0xFEE0) for c in value), value)


@pytest.mark.parametrize("value", VALUES[1:4])
def test_circled_digits(value: str) -> None:
    assert_same(value.translate(str.maketrans("0123456789", "⓪①②③④⑤⑥⑦⑧⑨")), value)


@pytest.mark.parametrize(
    "blank", ["\u2002", "\u2003", "\u2005", "\u2006", "\u2008", "\u200a", "\u205f", "\u3000"]
)
@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("4111 1111 1111 1111", ""), ("286 35 6337", "ssn "), ("+1 415 555 2351", ""),
        ("DE89 3704 0044 0532 0130 00", ""),
    ],
)  # fmt: skip
def test_other_blanks(value: str, told: str, blank: str) -> None:
    out = redact_text(f"{told}{value.replace(' ', blank)} end", PATTERNS, PARAMS)
    assert re.fullmatch(rf"{told}<[A-Z_]+_1> end", out), out


ENCODINGS = {
    "decimal entities": lambda v: "".join(f"&#{ord(c)};" for c in v),
    "hexadecimal entities": lambda v: "".join(f"&#x{ord(c):x};" for c in v),
    "entities of signs": lambda v: re.sub(r"[^0-9A-Za-z]", lambda m: f"&#{ord(m.group())};", v),
    "named entities": lambda v: v.replace("@", "&commat;").replace(".", "&period;").replace("+", "&plus;"),
    "entities twice": lambda v: "".join(f"&amp;#{ord(c)};" for c in v),
    "percent throughout": lambda v: "".join(f"%{ord(c):02X}" for c in v),
    "percent of signs": lambda v: "".join(c if c.isalnum() else f"%{ord(c):02x}" for c in v),
    "percent twice": lambda v: urllib.parse.quote("".join(f"%{ord(c):02X}" for c in v), safe=""),
    "backslash u": lambda v: "".join(f"\\u{ord(c):04x}" for c in v),
    "backslash x": lambda v: "".join(f"\\x{ord(c):02x}" for c in v),
    "backslash u of signs": lambda v: "".join(c if c.isalnum() else f"\\u{ord(c):04X}" for c in v),
    "escaped backslash": lambda v: "".join(f"\\\\u{ord(c):04x}" for c in v),
    "braces": lambda v: "".join(f"\\u{{{ord(c):x}}}" for c in v),
    "soft hyphens": lambda v: "&shy;".join(v),
    "zero-width entities": lambda v: "&#8203;".join(v),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS.keys())
@pytest.mark.parametrize("value", VALUES)
def test_escapes(value: str, encode) -> None:  # type: ignore[no-untyped-def]
    assert_same(encode(value), value)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("mark", ["**", "~~", "`", "<b>", "</em>", "<wbr>", '<span class="x">', "</i></b>"])
def test_markup_inside(value: str, mark: str) -> None:
    assert_same(f"{value[:4]}{mark}{value[4:7]}{mark}{value[7:]}", value)


@pytest.mark.parametrize(
    ("notation", "plain"),
    [
        ("zoe[at]corp[dot]test", "zoe@corp.test"),
        ("zoe (at) corp (dot) test", "zoe@corp.test"),
        ("zoe[@]corp[.]test", "zoe@corp.test"),
        ("zoe{at}corp{dot}test", "zoe@corp.test"),
        ("zoe.k at corp dot test", "zoe.k@corp.test"),
        ("zoe.k @ corp.test", "zoe.k@corp.test"),
        ("ZOE.K@Corp.Test", "zoe.k@corp.test"),
        ("81[.]2[.]69[.]142", "81.2.69.142"),
        ("81[.]2.69.142", "81.2.69.142"),
        ("81(.)2(.)69(.)142", "81.2.69.142"),
        ("81[dot]2[dot]69[dot]142", "81.2.69.142"),
        ("081.002.069.142", "81.2.69.142"),
        ("2001:0DB8:0:0::1", "2001:db8::1"),
        ("4111/1111/1111/1111", "4111111111111111"),
        ("4111,1111,1111,1111", "4111111111111111"),
        ("4111 | 1111 | 1111 | 1111", "4111111111111111"),
        ("4111  1111  1111  1111", "4111111111111111"),
        ("4111·1111·1111·1111", "4111111111111111"),
        ("3782,822463,10005", "378282246310005"),
        ("286_35_6337", "286-35-6337"),
    ],
)
def test_everyday_notations(notation: str, plain: str) -> None:
    assert_same(notation, plain)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 200 + "@corp.test", "zoe@intranet", "zoe@mailhost", "07911.109795", "id:07911 420877",
        "x+49 30 2339356y", "wa.me/12125551234", "https://wa.me/4915123456789",
        "tel:2125551234", "sms:+12125551234", "whatsapp.com/send?phone=12125551234", "callto:0302339356",
    ],
)  # fmt: skip
def test_other_everyday_values(text: str) -> None:
    out = redact_text(f"see {text} now", PATTERNS, PARAMS)
    assert re.search(r"<(?:EMAIL|PHONE)_1>", out)
    assert not re.search(r"\d{3}|x{9}|zoe", out)


@pytest.mark.parametrize(
    "text",
    [
        "react@latest and node@current", "look at that dot com bubble", "2020,2021,2022,2023,2024,2025",
        "4,111,111,111,111 dollars", "50%41 of them", "R&amp;D at A&amp;B", "a [.] b", "12**34 and 2**10",
        "x² + y² = z²", "see note 5¹ and ⁴", "C:\\users\\x", "100%25", "…™ ½ №",
        "4111,1111,1111,1112",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_notation_stays(text: str) -> None:
    assert redact_text(text, PATTERNS, PARAMS) == text


@pytest.mark.parametrize("unseen", ["\u200b", "\u2060", "\u200e", "\u00ad"])
def test_names_with_unseen_characters(unseen: str) -> None:
    hidden = "".join(c + (unseen if i % 3 == 1 else "") for i, c in enumerate("Robert Vinerley"))
    out = redact_text(f"The file of {hidden} is here. Robert Vinerley signed it.", detector(), PARAMS)
    assert out == "The file of <PERSON_1> is here. <PERSON_1> signed it."


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Omar al-Rashid came in.", " came in."),
        ("Mr al-Rashid left.", " left."),
        ("Yusuf el-Sayed signed.", " signed."),
        ("Layla ad-Din agreed.", " agreed."),
        ("Dr. Hassan al-Banna called.", " called."),
        ("Omar ibn-Khalid wrote.", " wrote."),
        ("Marie d’Angelo wrote.", " wrote."),
        ("Karim ben-Ali said so.", " said so."),
        ("Fatima az-Zahra said so.", " said so."),
        ("Omar Al-Rashid came in.", " came in."),
    ],
)
def test_names_with_a_particle_glued_to_them(text: str, rest: str) -> None:
    assert redact_text(text, detector(), PARAMS) == f"<PERSON_1>{rest}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4111111111111111\u200b2024", "<CREDIT_CARD_1>\u200b2024"),
        ("zoe@corp.test\u200bNext", "<EMAIL_1>"),
        ("a@corp.test\u200b,b@corp.test", "<EMAIL_1>\u200b,<EMAIL_2>"),
        ("4111111111111111¹ paid", "<CREDIT_CARD_1>¹ paid"),
        ("zoe@corp.test² wrote", "<EMAIL_1>² wrote"),
        ("\u200bzoe@corp.test\u200b 🙂", "\u200b<EMAIL_1>\u200b 🙂"),
    ],
)
def test_unseen_borders_and_footnotes_hide_nothing(text: str, expected: str) -> None:
    assert redact_text(text, PATTERNS, PARAMS) == expected


def test_plain_text_is_its_own_copy() -> None:
    for text in ("", "plain words, 100% of them & more", "Grüße, señor — naïve café", "漢字 and 🙂", "a_b"):
        copy = fold(text)
        assert copy.text is text
        assert copy.original(0, len(text)) == (0, len(text))


def test_offsets_of_citations_count_the_code_points_of_the_original() -> None:
    from sentinel.records import Citation

    text = "a 4\u200b111111111111111 b"
    citation = Citation(id="p1", start=text.index("b"), end=len(text))
    content = redact_answer(
        RawAnswer(event_id="e", answer=text, citations=(citation,)), PATTERNS, PARAMS
    ).content
    assert content["answer"] == "a <CREDIT_CARD_1> b"
    cited = content["citations"][0]
    assert content["answer"][cited["start"] : cited["end"]] == "b"
