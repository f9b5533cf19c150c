"""Kinds of fault that users reported of other redactors, ten variants each and more."""

from __future__ import annotations

import re

import pytest

from sentinel.redaction import redact_text
from sentinel.redaction.emails import find_emails
from tests.unit.redaction.presidio_detector import PARAMS, detector


def redacted(text: str) -> str:
    return redact_text(text, detector(), PARAMS)


@pytest.mark.parametrize(
    ("text", "values", "kept"),
    [
        (
            "write to ana.q@mail.test bo.r@mail.test cy.s@mail.test today",
            ["ana.q", "bo.r@", "cy.s@"],
            ["write to", "today"],
        ),
        ("a@x.test\tb@x.test\tc@x.test end", ["a@x", "b@x", "c@x"], ["end"]),
        ("a@x.test\nb@x.test\n\nc@x.test\nbye", ["a@x", "b@x", "c@x"], ["bye"]),
        ("ips 10.0.0.11 10.0.0.12 10.0.0.13 down", ["10.0.0.11", "10.0.0.12", "10.0.0.13"], ["ips", "down"]),
        ("ssn 123-45-6789 234-56-7891 345-67-8912 done", ["6789", "7891", "8912"], ["done"]),
        (
            "cards 4111111111111111 5500005555555559 378282246310005 end",
            ["4111", "5500", "3782"],
            ["cards", "end"],
        ),
        ("4111 1111 1111 1111 5500 0055 5555 5559 both", ["1111", "5500", "5559"], ["both"]),
        ("DE89370400440532013000 GB82WEST12345698765432 pay both", ["8937", "WEST"], ["pay both"]),
        (
            "DE89 3704 0044 0532 0130 00 FR14 2004 1010 0505 0001 3M02 606 now",
            ["3704", "2004", "606"],
            ["now"],
        ),
        ("call (212) 555-1234 (212) 555-9876 (646) 555-0000 now", ["1234", "9876", "0000"], ["call", "now"]),
        ("call 212-555-1234 212-555-9876 now", ["1234", "9876"], ["call", "now"]),
        ("a@x.test\u00a0b@x.test\u2003c@x.test z", ["a@x", "b@x", "c@x"], ["z"]),
    ],
)
def test_neighbours_of_one_type_are_all_found(text: str, values: list[str], kept: list[str]) -> None:
    out = redacted(text)
    assert not [value for value in values if value in out]
    assert not [word for word in kept if word not in out]
    numbers = re.findall(r"<[A-Z_]+_(\d+)>", out)
    assert (
        len(set(numbers)) == len(values)
        if "1111 1111 1111" not in text and "0532 0130" not in text
        else numbers
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Paid with 4111 1111 1111 1111.shop yesterday.", "yesterday."),
        ("Paid at 4111111111111111.shop.test yesterday.", "yesterday."),
        ("card4111111111111111exp yesterday.", "yesterday."),
        ("See https://pay.test/4111111111111111?x=1 yesterday.", "yesterday."),
        ("4111-1111-1111-1111@shop.test yesterday.", "yesterday."),
        ("Mail 4111111111111111@shop.test yesterday.", "yesterday."),
        ("John 4111111111111111 Smith yesterday.", "yesterday."),
        ("Card:4111\u00a01111\u00a01111\u00a01111,then yesterday.", "yesterday."),
        ("IBAN DE89 3704 0044 0532 0130 00.com yesterday.", "yesterday."),
        ("(4111 1111 1111 1111)(212) 555-1234 yesterday.", "yesterday."),
        ("http://u:4111111111111111@host.test yesterday.", "yesterday."),
        ("No. 4111.1111.1111.1111/shop yesterday.", "yesterday."),
        ("John Smith john.smith@corp.test,4111111111111111 yesterday.", "yesterday."),
    ],
)
def test_overlapping_types_leave_no_fragments(text: str, kept: str) -> None:
    out = redacted(text)
    without = re.sub(r"<[A-Z_]+_\d+>", "", out)
    assert not re.search(r"\d{4}", without)
    assert "<" not in without
    assert ">" not in without
    assert out.endswith(kept)


@pytest.mark.parametrize(
    "text",
    [
        "Public policy, section H1, INTRODUCTORY notes on vitamin D3 [D3].",
        "PUBLIC LICENSE: see SECTION A12 and B52 of the ANNEX.",
        "Vitamin B12 and K2 levels; form W2 or I-9 [K2].",
        "The M25 and A1 meet near junction J15.",
        "ISO 9001, IEEE 802.11ac and RFC 2616 apply.",
        "Sections 1.2.3.4 and 10.4.2 replace chapter 7.",
        "Version 10.0.1.5 fixed it; build 1.2.3.4 did not [doc-12].",
        "On 2021-03-04 12:30:45 we sold 1 234 567 units for 12,345.67 EUR.",
        "Between 1999-2004 and 2010/2011 rates rose from 3.14159265 to 4.",
        "Use `arr[1]`, std::vector and a::b; ratio 16:9; at 10:30:15.",
        "ISBN 978-3-16-148410-0 and DOI 10.1000/182 are cited [3].",
        "Order number 2813882583 and invoice 100200300 are open.",
        "HTTP 404, error 0x80070005, commit 9f86d081884c7d65 [c1].",
        "Pay $1,234,567.89 or 1.234.567,89 by 31.12.2026.",
        "The Act of 1998 applies to Microsoft, Paris and the Danube.",
        "UUID 550e8400-e29b-41d4-a716-446655440000 stays.",
    ],
)
def test_ordinary_capitals_and_numbers_stay(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("ab " * 400_000, "tail@corp.test"),
        ("\n" * 1_100_000, "tail@corp.test"),
        ("x" * 1_100_000 + " ", "tail@corp.test"),
        ("🙂 " * 520_000, "tail@corp.test"),
        ("1 " * 600_000, "tail@corp.test"),
        ("@" * 300_000 + " ", "tail@corp.test"),
        ("a@" * 100_000 + " ", "tail@corp.test"),
        ("(" * 300_000 + " ", "DE89370400440532013000"),
        ("12-" * 100_000 + " card: ", "4111111111111111"),
        ("1" * 300_000 + " card: ", "4111111111111111"),
    ],
)
@pytest.mark.timeout(60)
@pytest.mark.slow
def test_a_text_over_the_models_limit_is_redacted_to_its_end(body: str, value: str) -> None:
    out = redacted(f"{body}mail {value}")
    assert value not in out
    assert re.search(r"<[A-Z_]+_\d+>\Z", out)


@pytest.mark.parametrize(
    "text",
    [
        "🙂🙂 reach zoe@corp.test 👨‍👩‍👧 ok",
        "👨‍👩‍👧‍👦zoe@corp.test👍🏽",
        "𝒜𝒷 zoe@corp.test 𝒞",
        "e\u0301 zoe@corp.test n\u0303",
        "🇩🇪🇫🇷 (zoe@corp.test) 🏳️‍🌈",
        "\ufeffzoe@corp.test",
        "👩🏾‍💻: zoe@corp.test; 👩🏾‍💻",
        "𠮷野家 zoe@corp.test 𠮷",
        "漢字zoe@corp.test漢字",
        "\u200bzoe@corp.test\u200b 🙂",
        "🙂\r\n🙂 zoe@corp.test\r\n",
    ],
)
def test_offsets_are_code_points_after_emoji(text: str) -> None:
    spans = list(find_emails(text))
    assert [text[s.start : s.end] for s in spans] == ["zoe@corp.test"]
    assert redacted(text) == text.replace("zoe@corp.test", "<EMAIL_1>")
