"""Declines in many languages, and sentences with the same words that do not decline."""
# ruff: noqa: E501 - sentences stay whole

from __future__ import annotations

import pytest

from tests.unit.indicators.build import indicate

DOCUMENTS = ("Bring a receipt.", "Opening hours are nine to five.")


@pytest.mark.parametrize(
    "answer",
    [
        "Dazu finde ich in den bereitgestellten Dokumenten leider nichts.",
        "In den Unterlagen finde ich keine Angaben dazu.",
        "Je ne trouve pas cette information dans les documents fournis.",
        "No encuentro eso en los documentos proporcionados.",
        "Non ho trovato nulla di simile nei documenti.",
        "Não encontrei isso nos documentos fornecidos.",
        "Dat kan ik niet vinden in de verstrekte documenten.",
        "Nie mogę tego znaleźć w dostarczonych dokumentach.",
        "Det kan jag inte hitta i dokumenten.",
        "Det finner jeg ikke i dokumentene.",
        "Jeg finder ikke noget om det i dokumenterne.",
        "To v poskytnutých dokumentech nemohu najít.",
        "En löydä sitä annetuista asiakirjoista.",
        "Asiakirjoissa ei mainita tätä.",
        "Ezt nem találom a megadott dokumentumokban.",
        "A dokumentumokban nem szerepel erre vonatkozó adat.",
        "Nu găsesc această informație în documentele furnizate.",
        "Tôi không tìm thấy thông tin đó trong tài liệu được cung cấp.",
        "Saya tidak dapat menemukannya dalam dokumen yang diberikan.",
        "Bunu verilen belgelerde bulamıyorum.",
        "Δεν μπορώ να το βρω στα έγγραφα που δόθηκαν.",
        "Я не могу найти это в предоставленных документах.",
        "提供された文書にはその情報が見つかりません。",
        "在提供的文档中找不到该信息。",
        "제공된 문서에서 해당 정보를 찾을 수 없습니다.",
        "لا أستطيع العثور على ذلك في المستندات المقدمة.",
        "मुझे दिए गए दस्तावेज़ों में यह नहीं मिला।",
        "לא מצאתי את זה במסמכים.",
        "ไม่พบข้อมูลในเอกสารที่ให้มา",
        "Don't know, sorry!",
        "Not sure at the moment.",
    ],
)
def test_a_decline_is_a_decline_in_any_of_these_languages(answer: str) -> None:
    got = indicate(answer, DOCUMENTS)
    assert got.abstention.kind == "full"
    assert not got.citations.missing


@pytest.mark.parametrize(
    "answer",
    [
        "Am Sonntag haben wir keine Lieferung [1].",
        "Das finde ich nicht im Preis inbegriffen, aber im Paket [1].",
        "El paquete no llega el domingo; está en los almacenes [1].",
        "Não entregamos aos domingos; a loja abre às nove [2].",
        "Butiken står inte öppen på söndagar [2].",
        "Tuotetta ei löydy varastosta ennen perjantaita [1].",
        "A termék nem található a polcon, csak a raktárban [1].",
        "Produsul nu conține gluten și costă zece lei [1].",
        "Bạn không biết mật khẩu thì bấm vào đây [1].",
        "Produk ini tidak mengandung gula dan berharga sepuluh [1].",
        "Ürün pazar günleri teslim edilmez [1].",
        "Το προϊόν δεν περιέχει γλουτένη [1].",
        "बिना रसीद के पैसे वापस नहीं मिलते [1]।",
        "Магазин не работает в воскресенье [2].",
        "日曜日は営業していません[2]。",
        "周日不营业，周一九点开门[2]。",
        "일요일에는 영업하지 않습니다[2].",
        "De winkel is op zondag niet open [2].",
        "Sklep nie jest czynny w niedzielę [2].",
        "Es tut mir leid, das zu hören. Ihr Paket kommt am Freitag [2].",
        "Lamento las molestias. Su paquete llega el viernes [2].",
        "申し訳ございません。お荷物は金曜日に届きます[2]。",
    ],
)
def test_a_fact_in_the_negative_is_an_answer(answer: str) -> None:
    assert indicate(answer, DOCUMENTS).abstention.kind == "none"


@pytest.mark.parametrize(
    "answer",
    [
        "Der Kontext erwähnt nicht, wie man die Haube öffnet. Die meisten Autos haben jedoch einen Hebel unter dem "
        "Armaturenbrett: ziehen Sie daran, gehen Sie nach vorn und heben Sie die Haube an.",
        "El contexto no menciona cómo abrir el capó. Sin embargo, la mayoría de los coches tienen una palanca bajo "
        "el tablero: tire de ella y levante el capó hasta que encaje.",
        "Dokumentumok nem említik a motorháztetőt. A legtöbb autóban azonban a műszerfal alatt van egy kar: húzza "
        "meg, menjen előre, és emelje fel a tetőt, amíg a rúd be nem akad.",
        "Saya tidak menemukan hal itu dalam dokumen. Namun, kebanyakan mobil memiliki tuas di bawah dasbor: tarik "
        "tuas itu, berjalan ke depan, lalu angkat kap sampai penyangga terkunci.",
        "コンテキストにはボンネットの開け方は記載されていません。しかし、ほとんどの車にはダッシュボードの下にレバーがあり、"
        "それを引いてから前に回り、ボンネットを持ち上げます。",
    ],
)
def test_who_declines_and_then_answers_abstains_in_part(answer: str) -> None:
    assert indicate(answer, DOCUMENTS).abstention.kind == "partial"
