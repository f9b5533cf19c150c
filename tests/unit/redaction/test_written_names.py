"""Names by the way they are written: initials, turned round, in tables, in lower case, in other scripts."""

from __future__ import annotations

import pytest

from sentinel.redaction import redact_text
from tests.unit.redaction.presidio_detector import PARAMS, detector


def redacted(text: str) -> str:
    return redact_text(text, detector(), PARAMS)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Reviewed by K. Briand on 3 May.", "K. Briand"),
        ("The memo of J. R. Moura is lost.", "J. R. Moura"),
        ("Approved: J.R. Haverkamp", "J.R. Haverkamp"),
        ("Signed T. van der Velde at noon.", "T. van der Velde"),
        ("The Steckel family moved out.", "Steckel"),
        ("the Borgström children are at school", "Borgström"),
        ("Patient: Kovačević, Milena", "Kovačević, Milena"),
        ("Filed under Rossi, Chiara.", "Rossi, Chiara"),
        ("1. Müller, Jürgen (room 12)", "Müller, Jürgen"),
        ("hi its zuzana novakova here", "zuzana novakova"),
        ("please forward this to chiara rossi", "chiara rossi"),
        ("NATHALIE DUBOIS HAS SIGNED THE LEASE.", "NATHALIE DUBOIS"),
        ("The parcel for Иван Петров is late.", "Иван Петров"),
        ("お客様の田中太郎様からお電話がありました。", "田中太郎"),
        ("担当は佐藤花子です。", "佐藤花子"),
        ("收件人：王小明", "王小明"),
        ("客户李伟要求退款。", "李伟"),
        ("담당자는 김민준 씨입니다.", "김민준"),
        ("The caller gave the name 山田花子.", "山田花子"),
        ("The parcel for محمد علي is late.", "محمد علي"),
        ("Name: דוד כהן", "דוד כהן"),
    ],
)
def test_a_name_is_known_by_its_form(text: str, name: str) -> None:
    found = redacted(text)
    assert name not in found
    assert "<PERSON_1>" in found


@pytest.mark.parametrize(
    "text",
    [
        "Section B. Limits apply from May.",
        "Options: A. Refund B. Exchange C. Voucher",
        "Take vitamin C. Drink water.",
        "The U.S. Army and the E.U. Commission disagree.",
        "The Windows family and the iPhone family",
        "Ship from Hamburg, Germany to Austin, Texas.",
        "Large, Medium and Small; New, Improved",
        "docker compose up; kubectl apply; pip install numpy",
        "我是高中生。",
        "客户满意度高于去年。",
        "東京都は日本の首都です。",
        "担当者は明日ご連絡します。",
        "고객 서비스는 월요일부터입니다.",
        "담당자는 내일 연락드립니다.",
        "The word كتاب means book; مرحبا بكم is a greeting.",
        "המשלוח יגיע מחר בבוקר",
        "Der Vertrag ist gekündigt. Mit freundlichen Grüßen",
        "IBAN, VISA and SEPA are abbreviations.",
        "Клиент просит вернуть деньги.",
    ],
)
def test_what_only_looks_like_a_name_stays(text: str) -> None:
    assert redacted(text) == text


TABLES = [
    (
        "| id | name | phone |\n|---|---|---|\n| 1 | Sihle Maluleka | 519 028 730 |",
        ("Sihle Maluleka", "519 028 730"),
    ),
    ("Guest\tRoom\nGugu Mbhulangwe\t12\nEmbuh Wahyuni\t14", ("Gugu Mbhulangwe", "Embuh Wahyuni")),
    ("id;mobile\n1;0849095795\n2;70051960", ("0849095795", "70051960")),
    ("customer,total\nWaluyo Usada,12.00", ("Waluyo Usada",)),
    ("First name,Last name\nAwero,Ajayi", ("Awero", "Ajayi")),
    ("| **Patient** | Dose |\n| :-- | --: |\n| Sante Golgi | 20 mg |", ("Sante Golgi",)),
    ('"name","email"\n"Nela Neska","n@corp.test"', ("Nela Neska", "n@corp.test")),
    ("Tel;Ort\n0221-11 59 98;Köln", ("0221-11 59 98",)),
    ("employee_name | hours\nIge Oyaifo | 8", ("Ige Oyaifo",)),
    ("Kunde;Betrag\nWilfriede Vogt;20", ("Wilfriede Vogt",)),
]


@pytest.mark.parametrize(("table", "values"), TABLES)
def test_the_heading_of_a_column_says_what_is_in_it(table: str, values: tuple[str, ...]) -> None:
    found = redacted(table)
    assert not [value for value in values if value in found]
    assert found.split("\n")[0] == table.split("\n")[0]


@pytest.mark.parametrize(
    "table",
    [
        "| Name | Type |\n|---|---|\n| timeout | integer |\n| retries | integer |",
        "product,price,stock\nBlue Lamp,12.00,4",
        "| phone | weight |\n|---|---|\n| n/a | 120345 |",
        "Room\tArrival\n12\t2025-03-04",
        "name: the name of the field, phone: its number",
        "Customer,Plan\nthe first one,Gold",
    ],
)
def test_other_tables_stay(table: str) -> None:
    assert redacted(table) == table


@pytest.mark.parametrize(
    "text",
    [
        "Rufnummer: 0493-2191", "mi teléfono: 612 345 678", "Numéro de téléphone : 01 44 55 66 77",
        "You can get me on 509 007 871 after six.", "Handynummer 3839134979", "Durchwahl 04791454",
        "тел. 8 912 345-67-89", "电话 13751821194", "携帯 090-1234-5678", "celular 11 91234-5678",
        "numer telefonu 601 234 567",
    ],
)  # fmt: skip
def test_telling_words_of_other_languages_tell(text: str) -> None:
    assert "<PHONE_1>" in redacted(text)


@pytest.mark.parametrize("text", ["get me on the list for 20250304", "portable charger 20000 mAh 12345678"])
def test_the_same_words_elsewhere_do_not(text: str) -> None:
    assert redacted(text) == text
