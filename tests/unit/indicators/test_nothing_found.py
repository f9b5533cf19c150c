"""What was looked for and not found declines; conditions, findings and things called alike do not."""
# ruff: noqa: E501 - sentences stay whole

from __future__ import annotations

import pytest

from tests.unit.indicators.build import indicate

DOCUMENTS = ("Bring a receipt.", "Opening hours are nine to five.")


@pytest.mark.parametrize(
    "answer",
    [
        "This is beyond what I can answer.",
        "No results found for your query.",
        "The answer cannot be found in the context.",
        "The owner of the service is not recorded in the documents.",
        "The approver is not evidenced in the sources.",
        "I searched the documents but found no mention of parking.",
        "I looked through the sources and couldn't find the fee.",
        "The search returned no results.",
        "I'd need more details before I can answer.",
        "Sorry — I only have information about billing.",
        "Details about the fee are missing from the documents.",
        "The fee is not specified.",
        "I don't see anything about parking in the handbook.",
        "I haven't found anything on that.",
        "I've found nothing on that.",
        "I can't seem to find that.",
        "I'm having trouble finding that information.",
        "Your search did not return any results.",
        "The query returned nothing.",
        "The information cannot be found in the provided sources.",
        "The name of the approver cannot be found in the documents.",
        "The fee could not be found in the sources.",
        "The date is not recorded in the sources.",
        "The responsible person is not named in the documents.",
        "The documents do not record an owner.",
        "The owner is not identified in the material provided.",
        "The amount is not evidenced in the sources.",
        "The fee is missing from the provided context.",
        "Information about parking is missing from the handbook.",
        "To answer that, I need the order number.",
        "I only have access to billing documents.",
        "I only know about billing, sorry.",
        "My documents only cover billing.",
        "I don't find anything about that in the manual.",
        "I didn't find any reference to that.",
        "I have found no information on this.",
        "I've not been able to find an answer.",
        "I haven't been able to find that in the docs.",
        "I am having difficulty finding an answer to that.",
        "I can't seem to locate the answer.",
        "It doesn't say.",
        "The year of founding is unknown from the context.",
        "This assistant cannot answer questions about salaries.",
    ],
)
def test_nothing_found_declines(answer: str) -> None:
    got = indicate(answer, DOCUMENTS)
    assert got.abstention.kind == "full"
    assert not got.citations.missing


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know of a faster way than the lift [1].",
        "Chatbots refuse when the documents do not contain the answer, and that is called abstention [1].",
        "You can ask for a refund if the documents do not contain a price [1].",
        "No evidence was found that the drug causes harm in the trial of 300 people [1].",
        "The bank refuses if the documents do not state the income [1].",
        "You get a warning when the context does not contain the key [1].",
        "No evidence was found that tea prevents colds [1].",
        "I don't know of a better tool for the job than a plane [1].",
        "Beyond the scope of the warranty are scratches and dents [1].",
        "The context menu does not contain the entry Copy in version 2 [1].",
        "There is no information desk at the station; ask at the kiosk [1].",
        "No results are deleted when the index is rebuilt [1].",
        "The search returns no results when the index is empty [1].",
        "No results found means the index is empty; rebuild it [1].",
        "The tests found no mention of errors in the log [1].",
        "The lost ring could not be found in the lake [1].",
        "Signs of life could not be found on Mars [1].",
        "The birth was not recorded in the parish register until May [1].",
        "The song was never recorded in the studio [1].",
        "Not mentioned in the will, he sued his brothers [1].",
        "Two screws are missing from the box; order spares [1].",
        "The file is missing from the folder, so copy it [1].",
        "The court could not determine the owner [1].",
        "We only have stores in Berlin [1].",
        "I only need the order number to start the refund: send it by mail [1].",
        "You need more information to file the claim: the number and the date [1].",
        "Buyers need more details before they can decide, so add photos [1].",
        "If the port is not specified, 80 is used [1].",
        "When the fee is not specified, the standard fee of five euros applies [1].",
        "Unless the documents do not contain a signature, they are valid [1].",
        "The clerk asks again when the form does not mention the address [1].",
        "The importer fails whenever no data is available [1].",
        "Use the fallback where no information is available [1].",
        "There is no evidence that the drug works [1].",
        "There is no evidence of life on Mars [1].",
        "Researchers have found no evidence of water there [1].",
        "Data that is not available is shown as a dash [1].",
        "It goes beyond what the law requires: refunds take thirty days [1].",
        "The question of who shot first is unclear only to those who missed the film [1].",
        "The service is unavailable on Sundays [1].",
        "The shop is temporarily closed until May [1].",
        'It does not say "stop" on the sign; it says "yield" [1].',
        "The sign doesn't say that parking is forbidden [1].",
        "The author does not mention his sister in the novel, which critics found odd [1].",
        "The treaty makes no reference to fishing, so the old rule holds [1].",
        "The law does not specify a fee; courts set it case by case [1].",
        "The document cannot be opened in the viewer; use the editor [1].",
        "The article does not fit in the box, so send it in a tube [1].",
        "Sources of income not mentioned in the form are added on page 2 [1].",
    ],
)
def test_the_same_words_of_something_else_answer(answer: str) -> None:
    assert indicate(answer, DOCUMENTS).abstention.kind == "none"


@pytest.mark.parametrize(
    "answer",
    [
        "While the context does not state the price, it says that delivery is free above fifty euros and takes three days [1].",
        "The search returned no results for the X200, but the X100 manual says to hold the power button for ten seconds and then release it [1].",
        "The fee is not recorded in the documents. Similar permits, however, cost between ten and twenty euros and last a year [1].",
        "Although the price is not stated, the leaflet says that delivery is free above fifty euros [1].",
    ],
)
def test_nothing_found_and_then_an_answer_is_partial(answer: str) -> None:
    assert indicate(answer, DOCUMENTS).abstention.kind == "partial"


@pytest.mark.parametrize(
    "answer",
    [
        "No se encuentra esa información en los documentos.",
        "Ik kon daar niets over vinden.",
        "未找到相关内容。",
        "Информация не найдена.",
        "В предоставленном контексте об этом ничего не сказано.",
        "لم أجد معلومات عن ذلك.",
        "المستندات لا تذكر ذلك.",
        "Tyvärr kan jag inte svara på den frågan.",
        "Dokumenty tuto informaci neobsahují.",
        "K tomu nemám žádné informace.",
        "Im Kontext wird die Garantie nicht erwähnt.",
        "La réponse ne se trouve pas dans les documents.",
        "没有查到相关资料。",
        "Ничего не найдено.",
        "В документах об этом не говорится.",
        "Belgelerde bundan bahsedilmiyor.",
        "Bu bilgi belgelerde yer almıyor.",
        "لم يتم العثور على معلومات.",
        "V dokumentech o tom není žádná informace.",
        "Nenašel jsem žádné informace.",
        "Informace nebyla nalezena.",
    ],
)
def test_nothing_found_abroad_declines(answer: str) -> None:
    assert indicate(answer, DOCUMENTS).abstention.kind == "full"


@pytest.mark.parametrize(
    "answer",
    [
        "In den Dokumenten finden Sie den Beleg nicht auf Seite 1, sondern auf Seite 2 [1].",
        "Falls keine Informationen vorliegen, gilt der Standardwert [1].",
        "Le mot n'est pas mentionné dans la loi, mais le juge l'admet [1].",
        "Si no se encuentra el recibo, basta un extracto [1].",
        "Se nessuna informazione viene trovata, il campo resta vuoto [1].",
        "如果没有找到相关信息，请联系客服[1]。",
        "未找到文件时，系统返回404[1]。",
        "情報がない場合は空欄にしてください[1]。",
        "Если информация не найдена, поле остаётся пустым [1].",
        "Bilgi bulunamadı hatası için önbelleği silin [1].",
        "Om ingen information finns lämnas fältet tomt [1].",
        "Pokud informace nebyla nalezena, pole zůstane prázdné [1].",
        "إذا لم يتم العثور على معلومات، يبقى الحقل فارغا [1].",
        "Bestellungen können nicht gefunden werden, wenn die Nummer falsch ist [1].",
    ],
)
def test_a_condition_abroad_declines_nothing(answer: str) -> None:
    assert indicate(answer, DOCUMENTS).abstention.kind == "none"
