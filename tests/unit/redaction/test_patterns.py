"""The recognisers that need no model, in the surroundings values have in real traffic."""

from __future__ import annotations

import random
import uuid

import pytest

from sentinel.redaction import DEFAULT_ENTITIES, RedactionParams, pseudonym, redact_value
from sentinel.redaction.chunks import chunks
from sentinel.redaction.patterns import find_patterns
from sentinel.redaction.surrogates import short_name

PARAMS = RedactionParams()


def found(text: str) -> list[tuple[str, str]]:
    return [(s.entity, text[s.start : s.end]) for s in find_patterns(text, PARAMS)]


@pytest.mark.parametrize(
    "text",
    [
        "<a@b.test>", '"a@b.test"', "(a@b.test)", "[a@b.test](mailto:x)", "a@b.test,", "a@b.test.",
        "a@b.test;c", "mailto:a@b.test",
        '{"e":"a@b.test"}', '{\\"e\\":\\"a@b.test\\"}', "https://x.test/?m=a@b.test&y=1", "x=a@b.test",
        "**a@b.test**", "`a@b.test`",
        "|a@b.test|", "'a@b.test'", "¿a@b.test?", "a@b.test's", "a@b.test\\nnext", "—a@b.test—",
        "user:a@b.test/path",
    ],
)  # fmt: skip
def test_emails_in_odd_surroundings(text: str) -> None:
    assert found(text) == [("EMAIL_ADDRESS", "a@b.test")]


@pytest.mark.parametrize(
    "value",
    [
        "first.last+tag@sub.domain.co.uk", "o'brien@corp.test", "x_y-z@corp.test", "josé@corp.test",
        "zoe@münchen.test", "1@2.test",
        "a%40b.test", '"john doe"@corp.test', "a@[192.168.0.1]", "user@localhost",
        "zoe [at] corp [dot] test", "zoe(at)corp.test",
        "A.B@CORP.TEST", "a@xn--bcher-kva.test",
    ],
)  # fmt: skip
def test_emails_of_many_kinds(value: str) -> None:
    assert found(f"mail {value} now") == [("EMAIL_ADDRESS", value)]


@pytest.mark.parametrize(
    "text", ["@handle", "meet @ 5", "a @ b", "x@y", "50% @home", "@@", "user@", "@corp.test"]
)
def test_signs_that_are_no_emails(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "value",
    [
        "4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "4111.1111.1111.1111",
        "4111\u00a01111\u00a01111\u00a01111",
        "3782 822463 10005", "378282246310005", "30569309025904", "3530111333300000", "6011111111111117",
        "5555555555554444",
        "2223003122003222", "4222222222222", "4111 – 1111 – 1111 – 1111", "41111111 11111111",
        "6759649826438453",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["pay {} now", "card{}exp", "12 {} 34", '{{"n":"{}"}}', "no.{}/x", "({})"])
def test_cards_spaced_dashed_and_glued(value: str, around: str) -> None:
    text = around.format(value)
    assert [v for _, v in found(text)] == [value], text


@pytest.mark.parametrize(
    "text",
    ["4111111111111112", "1234567890123456", "0000000000000000", "100000000000000000", "9999 9999 9999 9999"],
)
def test_numbers_that_are_no_cards(text: str) -> None:
    assert found(f"order {text} shipped") == []


def test_a_mistyped_card_beside_a_telling_word_is_one() -> None:
    assert found("my visa is 4111 1111 1111 1112") == [("CREDIT_CARD", "4111 1111 1111 1112")]


@pytest.mark.parametrize(
    "value",
    [
        "DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "GB82 WEST 1234 5698 7654 32",
        "gb82west12345698765432",
        "FR1420041010050500013M02606", "NL91 ABNA 0417 1643 00", "NO93-8601-1117-947",
        "CH93 0076 2011 6238 5295 7",
        "MT84 MALT 0110 0001 2345 MTLC AST0 01S", "BE68 5390 0754 7034",
        "ES91\u00a02100\u00a00418\u00a04502\u00a00005\u00a01332",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["to {} now", "IBAN{}.", '"{}"', "iban:{},", "({})"])
def test_ibans(value: str, around: str) -> None:
    assert found(around.format(value)) == [("IBAN_CODE", value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ssn 123-45-6789", "123-45-6789"),
        ("123‑45‑6789", "123‑45‑6789"),
        ("social security number: 123456789", "123456789"),
        ("SSN=123 45 6789;", "123 45 6789"),
        ("x123-45-6789y", "123-45-6789"),
        ("078-05-1120.", "078-05-1120"),
        ("912-75-1234 is an ITIN", "912-75-1234"),
        ("123456789 is my SSN", "123456789"),
    ],
)
def test_social_security_numbers(text: str, value: str) -> None:
    assert found(text) == [("US_SSN", value)]


@pytest.mark.parametrize(
    "value",
    [
        "192.168.0.1",
        "8.8.8.8",
        "255.255.255.255",
        "2001:db8::1",
        "fe80::1ff:fe23:4567:890a",
        "d80:e4b5:79da:6cf6:71f3:51f7:9161:c319",
        "::ffff:10.1.2.3",
    ],
)
@pytest.mark.parametrize("around", ["from {} at", "({})", "ip={},", '"{}"', "{}."])
def test_ip_addresses(value: str, around: str) -> None:
    assert found(around.format(value)) == [("IP_ADDRESS", value)]


@pytest.mark.parametrize(
    "value",
    [
        "(212) 555-1234", "212-555-1234", "212.555.1234", "+1 212 555 1234", "+44 20 7946 0958",
        "+49 (0)30 901820", "+33 1 23 45 67 89",
        "001-748-088-2851x818", "(978)645-9740x11144", "+91 98765 43210", "+81-3-1234-5678",
        "(02) 9374 4000", "1-800-275-8777",
        "+55 (11) 91234-5678", "212-555-1234 ext. 55", "0049 30 901820",
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["at {} today", "({})", '"{}"', "x: {}, y", "<{}>"])
def test_phones_by_their_form(value: str, around: str) -> None:
    if around == "({})" and value.endswith("55"):
        pytest.skip("an extension in brackets reads the same")
    assert [kind for kind, _ in found(around.format(value))] == ["PHONE_NUMBER"]
    assert not any(c.isdigit() for c in redact_value(around.format(value)))


@pytest.mark.parametrize(
    "value", ["785 8949", "50-98-28-96", "9885 1152", "06-24312407", "089 72 63 41", "2813882583", "33 93 31"]
)
@pytest.mark.parametrize("around", ["call {} now", "Phone: {}", "my mobile: {}.", "tel. {}"])
def test_local_phones_beside_a_telling_word(value: str, around: str) -> None:
    assert found(around.format(value)) == [("PHONE_NUMBER", value)]


@pytest.mark.parametrize(
    "value",
    [
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    ],
)
def test_wallets(value: str) -> None:
    assert found(f"send to {value}.") == [("CRYPTO", value)]


def test_values_get_short_placeholders_and_keyed_ones_stay_apart() -> None:
    assert redact_value("blue") == "blue"
    assert redact_value("tenant of a@b.test") == "tenant of <EMAIL>"
    key = b"k" * 16
    one, other = redact_value("a@b.test", key), redact_value("c@b.test", key)
    assert one != other
    assert one == redact_value("A@b.test", key)
    assert "a@b" not in one


@pytest.mark.parametrize(
    ("value", "entity"),
    [
        ("a@b.test", "EMAIL_ADDRESS"),
        ("tenant of a@b.test", "EMAIL_ADDRESS"),
        ("4111 1111 1111 1111", "CREDIT_CARD"),
        ("DE89370400440532013000", "IBAN_CODE"),
        ("+1 202 555 0143", "PHONE_NUMBER"),
        ("202-555-0143", "PHONE_NUMBER"),
        ("Mary Johnson", "PERSON"),
        ("desk of Mary Johnson", "PERSON"),
        ("2001:db8::8a2e:370:7334", "IP_ADDRESS"),
        ("0x52908400098527886E0F7030069857D2E4169EE7", "CRYPTO"),
    ],
)
def test_a_value_is_redacted_of_the_types_that_are_configured(value: str, entity: str) -> None:
    others = tuple(one for one in DEFAULT_ENTITIES if one != entity)
    assert redact_value(value, params=RedactionParams(entities=(entity,))) != value
    assert redact_value(value) == redact_value(value, params=RedactionParams())
    kept = redact_value(value, params=RedactionParams(entities=others))
    assert f"<{short_name(entity)}>" not in kept


def test_identifiers_versions_and_times_are_no_values() -> None:
    values = [str(uuid.UUID(int=random.Random(seed).getrandbits(128))) for seed in range(2000)]
    values += [uuid.UUID(value).hex for value in values]
    values += [
        "gpt-4-0613",
        "claude-3-5-sonnet-20241022",
        "2026-11-18T10:00:00+00:00",
        "1700000000123",
        "v1.2.3",
        "12345678901",
    ]
    assert [value for value in values if redact_value(value) != value] == []


def test_pseudonyms_are_keyed_and_have_a_purpose() -> None:
    one = pseudonym("user-1", b"key", "user")
    assert one == pseudonym("user-1", b"key", "user")
    assert (
        len(
            {
                one,
                pseudonym("user-1", b"other", "user"),
                pseudonym("user-1", b"key", "session"),
                pseudonym("user-2", b"key", "user"),
            }
        )
        == 4
    )
    with pytest.raises(ValueError, match="key"):
        pseudonym("user-1", b"", "user")


@pytest.mark.parametrize("text", ["", "a b", "word " * 50, "x" * 95, "a" * 30 + " " + "b" * 60])
def test_chunks_cover_the_text_and_keep_their_bound(text: str) -> None:
    pieces = list(chunks(text, 20, 5))
    assert all(text[offset : offset + len(piece)] == piece and len(piece) <= 20 for offset, piece in pieces)
    covered = {i for offset, piece in pieces for i in range(offset, offset + len(piece))}
    assert covered == set(range(len(text)))


@pytest.mark.parametrize(
    "value",
    [
        "MT84MALT011000012345MTLCAST001S",
        "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
        "RO02JCSLC97F454JDEBM8K1B",
        "ro02 jcsl c97f 454j debm 8k1b",
        "RO02-JCSL-C97F-454J-DEBM-8K1B",
    ],
)
def test_ibans_with_more_letters_than_digits(value: str) -> None:
    assert found(f"Pay to {value} today.") == [("IBAN_CODE", value)]


@pytest.mark.parametrize("number", ["+44 20 7529 8440", "709.702.7152", "01 42 20 60 42", "+81 3-5841-3000"])
def test_numbers_in_cells_parted_by_commas(number: str) -> None:
    assert found(f"4410,Anneke,{number},12.50") == [("PHONE_NUMBER", number)]


@pytest.mark.parametrize("text", ["1,234,567,890", "x,12.50,13.75,14.25", "a,2024-01-05,b", "7,3.141592,8"])
def test_amounts_and_dates_in_cells_stay(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("number", ["010-2234-5888", "090-1234-5678", "02-312-3456"])
def test_groups_behind_a_trunk_prefix_need_no_telling_word(number: str) -> None:
    assert found(f"{number} is on the form") == [("PHONE_NUMBER", number)]
