"""How answers decline in languages other than English: their stock sentences, over one clause.

Apostrophes are straight and accents composed; any case. Every gap is bounded.
"""
# ruff: noqa: E501 - a pattern on one line is easier to read than in pieces

from __future__ import annotations

import re

from sentinel.indicators.alternatives import Alternatives

_GERMAN = (
    r"\b(?:ich|wir) (?:kann|können|konnte|konnten|darf|möchte)\b.{0,80}\b(?:nicht|keine?\w{0,2}|nichts|leider)\b.{0,60}\b(?:beantworten|finden|sagen|helfen|bestimmen|weiterhelfen|geben|machen|feststellen|ermitteln|entnehmen|dienen|liefern|bestätigen|beurteilen|antworten)\b",
    r"\b(?:kann|können|konnte|konnten|darf) (?:ich|wir)\b.{0,80}\b(?:nicht|keine?\w{0,2}|nichts)\b.{0,60}\b(?:beantworten|finden|sagen|helfen|bestimmen|weiterhelfen|geben|machen|feststellen|ermitteln|entnehmen|dienen|liefern|bestätigen|beurteilen|antworten)\b",
    r"\bweiß ich (?:leider )?nicht\b|\bich weiß (?:es |das )?(?:leider )?nicht\b|\b(?:ist|sind) mir (?:leider )?nicht bekannt\b|\b(?:liegen|liegt) (?:mir|uns)\b.{0,60}\b(?:nicht|keine?)\b|\bfehlen (?:mir|uns)\b.{0,40}\b(?:informationen|angaben|daten)\b|\bmir fehl(?:en|t)\b|\bich bin (?:leider )?nicht in der lage\b|\bdarauf habe ich keine antwort\b",
    r"\b(?:ich habe|wir haben|habe ich|haben wir|es gibt|gibt es|liegen|finde ich|ich finde|ich verfüge über|sind)\b.{0,50}\b(?:keine|nicht genügend|nicht genug|nicht ausreichend)\w{0,2} (?:\w+ ){0,2}(?:informationen?|angaben?|daten|kenntnis\w{0,3}|hinweise?|antwort)\b",
    r"\b(?:frage|das|dies)\b.{0,40}\b(?:kann|lässt sich)\b.{0,60}\bnicht (?:beantwortet|beantworten|bestimmen|bestimmt|ermitteln|ermittelt|entnehmen|sagen)\b|\b(?:kann|lässt sich)\b.{0,60}\bnicht (?:beantwortet|beantworten) ?(?:werden)?\b",
    r"\b(?:dokumente?n?|kontext|texte?n?|unterlagen|quellen?|passagen?|informationen|abschnitte?n?)\b.{0,60}\b(?:enthält|enthalten|gibt|geben|liefern|liefert|erwähnt|erwähnen|nennt|nennen|sagt|sagen|steht|geht|gehen|behandelt|behandeln)\b.{0,40}\b(?:keine?\w{0,2}|nicht|nichts)\b",
    r"\b(?:information(?:en)?|angaben?|antwort|thema|das|dies|dazu|darüber|hierzu)\b.{0,60}\b(?:ist|sind|wird|werden|steht|geht)\b.{0,60}\b(?:dokument\w*|kontext|text|unterlagen|quellen?|passagen?)\b.{0,30}\b(?:nicht|nichts)\b|\b(?:information(?:en)?|angaben?) (?:ist|sind) (?:leider |derzeit |mir )?nicht (?:verfügbar|vorhanden|enthalten|bekannt|angegeben|zugänglich)\b",
    r"\b(?:steht|stehen|sind|ist|wird|werden)\b.{0,40}\bnicht in (?:den|dem|der|diesem|diesen|meinen) (?:\w+ )?(?:dokument\w*|kontext|text\w*|unterlagen|quellen?|passagen?)\b",
    r"\bkeine (?:der|dieser) (?:\w+ )?(?:quellen|passagen|unterlagen|dokumente)\b|\bkeines der (?:\w+ )?dokumente\b|^\W*(?:leider )?keine (?:\w+ )?(?:informationen|angaben|antwort|daten)(?: dazu)?(?: (?:gefunden|vorhanden|verfügbar|verfügbar))?\W*$",
)
_FRENCH = (
    r"\bje (?:ne|n')\s?(?:le |la |vous |te )?(?:sais pas|(?:peux|pourrai) (?:malheureusement )?(?:pas|rien)|(?:suis|ai) (?:malheureusement )?(?:pas (?:en mesure|capable|sûre?|pu|trouvé|accès|assez|suffisamment|d'informations?|la réponse|cette)|rien trouvé|aucune)|(?:dispose|trouve|ai|possède|connais|comprends) (?:pas|d'aucune|aucune|rien))|\bje l'ignore\b|\bj'ignore\b",
    r"\b(?:documents?|contexte|passages?|textes?|sources?|extraits?|informations?)\b.{0,60}\b(?:ne |n')(?:\w+ )?(?:mentionn\w+|contien\w+|précis\w+|fourni\w+|donn\w+|indiqu\w+|permet\w*|répond\w*|parl\w+|abord\w+|traite\w*|inclu\w+|évoqu\w+|est|sont|figur\w+)\s(?:pas|aucune?|rien)\b",
    r"\b(?:aucune? (?:information|réponse|mention|donnée|document|passage|source)|aucun des (?:documents|passages|textes|extraits)|rien dans (?:les|le|ces))\b|\bil n'y a (?:pas|aucune?) (?:\w+ ){0,2}(?:d'informations?|informations?|mention)|\bimpossible de (?:répondre|trouver|déterminer|dire)\b|\b(?:n'est|ne sont|n'est malheureusement) (?:pas |)(?:pas )?(?:précisée?|mentionnée?|indiquée?|disponibles?|fournie?s?)s? (?:dans|par) (?:les?|ces|mes)\b|\b(?:cette|l')\s?(?:information|réponse) n'est (?:malheureusement )?pas\b",
)
_SPANISH = (
    r"\b(?:no (?:lo )?sé\b|desconozco\b|no (?:puedo|pude|podemos|podría) (?:\w+ ){0,2}(?:responder\w*|contestar\w*|encontrar|determinar|ayudar\w*|proporcionar\w*|dar\w*|confirmar|ofrecer\w*)|no (?:tengo|dispongo de|dispongo|cuento con|encuentro|encontré|he encontrado|se encontró|hay|tenemos|existe) (?:\w+ ){0,2}(?:información|datos|respuesta|detalles|contexto|mención|nada|conocimiento)|no (?:estoy seguro|conozco la respuesta|tengo acceso|es posible (?:responder|determinar|saber)|soy capaz|estoy en condiciones)|no se (?:menciona|especifica|indica|proporciona|incluye)\w*)",
    r"\b(?:documentos?|contexto|pasajes?|textos?|fuentes?|fragmentos?) (?:\w+ ){0,3}no (?:lo |la |se )?(?:menciona\w*|contien\w*|especifica\w*|proporciona\w*|inclu\w+|indica\w*|habla\w*|aborda\w*|dice\w*|trata\w*)\b|\b(?:información|respuesta|dato) (?:\w+ ){0,3}no (?:está|se encuentra|aparece|figura|consta)\b|\b(?:ninguno de los (?:documentos|pasajes|textos)|ninguna de las fuentes|ningún documento|nada en los documentos|sin información)\b|\bno (?:está|aparece|figura|consta) en (?:los|el|mis) (?:documentos?|contexto|textos?)\b",
)
_ITALIAN = (
    r"\b(?:non (?:lo )?so\b|non (?:posso|riesco a|sono in grado di|potrei) (?:\w+ ){0,2}(?:risponder\w*|trovar\w*|determinare|aiutar\w*|fornir\w*|dire|dar\w*|confermare)|non (?:ho|ci sono|trovo|dispongo di|c'è|abbiamo|ho trovato|sono state trovate) (?:\w+ ){0,2}(?:informazion\w|dati|risposta|dettagli|contesto|menzione|nulla)|non (?:conosco la risposta|è possibile (?:rispondere|determinare)|ne sono a conoscenza|sono sicuro)|non (?:viene|vengono|è|sono) (?:menzionat|specificat|indicat|riportat)\w)",
    r"\b(?:documenti|documento|contesto|testo|testi|fonti|passaggi|brani) (?:\w+ ){0,3}non (?:lo |ne )?(?:menziona\w*|contien\w*|contengono|specifica\w*|fornisc\w*|indica\w*|include\w*|includono|parla\w*|tratta\w*|dic\w+)\b|\b(?:informazion[ei]|risposta) (?:\w+ ){0,3}non (?:è|sono|si trova)\b|\bnessun(?:o dei|a delle|a) (?:documenti|passaggi|testi|fonti|informazione|risposta)\b|\bnulla nei documenti\b",
)
_PORTUGUESE = (
    r"\b(?:não sei\b|desconheço\b|não (?:posso|consigo|foi possível|é possível|pude|podemos|sou capaz de) (?:\w+ ){0,2}(?:responder|encontrar|determinar|ajudar|ajudá\S*|fornecer|dar|confirmar|dizer)|não (?:tenho|há|encontrei|disponho de|existem?|foram encontradas|localizei) (?:\w+ ){0,2}(?:informaç\w+|dados|resposta|detalhes|contexto|menção|acesso|conhecimento|nada)|não (?:é|são|foi|está) (?:mencionad|especificad|informad|indicad)\w+|não (?:tenho certeza|conheço a resposta))",
    r"\b(?:documentos?|contexto|textos?|fontes?|trechos?|passagens) (?:\w+ ){0,3}não (?:o |a )?(?:menciona\w*|cont[eéê]m|especifica\w*|fornece\w*|inclu\w+|indica\w*|aborda\w*|fala\w*|trata\w*)\b|\b(?:informação|informações|resposta) (?:\w+ ){0,3}não (?:está|estão|consta\w*|se encontra|foi|aparece)\b|\bnenhum(?:a)? (?:dos? |das? )?(?:documentos?|trechos?|fontes?|passagens|informação)\b|\bnada nos documentos\b",
)
_DUTCH = (
    r"\b(?:ik weet (?:het|dat) (?:helaas )?niet|dat weet ik (?:helaas )?niet|(?:ik kan|kan ik|wij kunnen|we kunnen|kunnen we) (?:\S+ ){0,8}?(?:niet|geen) (?:\S+ ){0,4}?(?:beantwoorden|vinden|bepalen|helpen|geven|zeggen|vaststellen|bevestigen|antwoorden)|ik ben niet in staat|ik beschik niet over|ik heb (?:\w+ ){0,4}(?:geen|onvoldoende|niet genoeg) (?:\w+ )?(?:informatie|gegevens|antwoord|kennis|toegang))\b",
    r"\b(?:documenten|context|tekst|teksten|bronnen|passages|informatie) (?:\w+ ){0,5}(?:niet|geen|niets)\b.{0,40}|\b(?:geen informatie|onvoldoende informatie|geen van de (?:documenten|bronnen|passages|teksten))\b|\b(?:staat|staan|wordt|worden) (?:\w+ ){0,3}niet (?:\w+ )?(?:in|vermeld|genoemd|beschreven)\b.{0,20}\b(?:documenten|context|tekst|bronnen|passages)\b|\bniet (?:vermeld|genoemd|beschreven|te vinden) in de (?:\w+ )?(?:documenten|context|tekst|bronnen|passages)\b",
)
_POLISH = (
    r"\bnie (?:wiem\b|znam odpowiedzi|(?:mogę|możemy|potrafię|umiem|jestem w stanie|udało mi się|jest możliwe|można) (?:\w+ ){0,4}(?:odpowiedzieć|pomóc|znaleźć|określić|ustalić|udzielić|stwierdzić|podać|potwierdzić)|(?:mam|posiadam|ma|dysponuję|znalazłem|znalazłam|znaleziono|zawiera\w*|znajduję) (?:\w+ ){0,5}(?:informacji|danych|odpowiedzi|wiedzy|dostępu|wzmianki)|jestem pew\w+)",
    r"\b(?:dokument\w*|kontekst\w*|tekst\w*|źród\w+|fragment\w*) (?:\w+ ){0,3}nie (?:\w+ )?(?:zawiera\w*|wspomina\w*|podaj\w*|określa\w*|mówi\w*|opisuj\w*|ma|odnosz\w*)\b|\b(?:informacj[aei]|odpowied\w+)\b.{0,30}\bnie (?:jest|są|ma|została|znajduje)\b|\bbrak (?:\w+ )?(?:informacji|danych|odpowiedzi)\b|\bżaden z (?:\w+ )?(?:dokumentów|fragmentów)\b",
)
_NORDIC_AND_CZECH = (
    r"\b(?:jag vet (?:tyvärr )?inte|jeg ve[dt] (?:desværre |dessverre )?ikke|jag kan (?:\w+ ){0,4}inte (?:\w+ ){0,2}(?:svara|hitta|hjälpa)|jeg kan (?:\w+ ){0,4}ikke (?:\w+ ){0,2}(?:svare|finde|finne|hjelpe|hjælpe)|ingen information|(?:dokumenten|dokumenterne|dokumentene) (?:\w+ ){0,3}(?:inte|ikke)|nevím\b|nemohu (?:\w+ ){0,3}(?:odpovědět|najít|pomoci))\b",
)
_OTHER_SCRIPTS = (
    r"(?:わか|分か|判)り(?:ません|かねます)|(?:回答|お?答え|判断|提供|対応|お手伝い|確認|特定)(?:する|をする|いたし?)?(?:ことは?が?)?(?:でき(?:ません|ない|かねます)|しかねます|いたしかねます)|答えられません|お答えすることは?が?できません|(?:記載|言及|説明|提供)(?:は|が)?(?:されて(?:い|お)(?:ません|りません)|(?:ござい|あり)ません)|(?:情報|回答|記述|資料|データ)(?:は|が|も)(?:[^。]{0,12})(?:ありません|ございません|見つかりません|含まれて(?:い|お)りません|含まれていません|不足)|見つかりません|見つけることができません|含まれて(?:いません|おりません)|存じ(?:ません|上げません)|知りません|不明です",
    r"(?:我|本人)(?:也|并|並|真的|目前|暂时|暫時)?(?:不(?:知道|清楚|太清楚|确定|確定|了解|能回答|能提供)|没有(?:[^。，]{0,8})(?:信息|资料|数据|答案)|沒有(?:[^。，]{0,8})(?:資訊|資料|答案))|^\W*(?:抱歉|对不起|對不起|很遗憾)?[，, ]?不知道|(?:无法|無法|不能|难以|難以|未能)(?:[^。，]{0,12})(?:回答|确定|確定|找到|判断|判斷|协助|協助|得知|答复|答覆|提供|确认|確認|帮助|幫助|解答)|回答不了|(?:文档|文件|文檔|资料|資料|上下文|文中|文章|段落|文本|内容|內容|信息|資訊)(?:[^。，]{0,10})(?:没有|沒有|未|并未|並未|不)(?:提供|找到|提到|提及|包含|说明|說明|涉及|涵盖|给出|記載|记载|相关|足够)|没有(?:提供|找到|提到|提及)|沒有(?:提供|找到|提到|提及)|未(?:提及|提到)|(?:信息|資訊|资料|資料)不足|不在(?:[^。，]{0,8})(?:文档|文件|文檔|资料|資料|范围|範圍)|找不到(?:[^。，]{0,8})(?:信息|资料|資訊|資料|答案|内容)|抱歉，我",
    r"\b(?:я|мы) не (?:знаю|знаем|могу|можем|нашёл|нашел|нашла|располагаю|уверен\w?)\b|\bне (?:могу|можем|удалось) (?:\w+ ){0,3}(?:ответить|найти|помочь|определить|предоставить)|\b(?:нет|недостаточно) (?:\w+ ){0,2}(?:информации|данных|сведений|ответа)|\bне (?:содерж(?:ит|ат)|упомина(?:ется|ют|ет)|указан[аоы]?\b)|\bне знаю\b|\bя не маю інформації\b|\bя не можу\b",
    r"모르겠|모릅니다|알 수 없습니다|답(?:변)?(?:을|해)? ?(?:드|할|드릴|해 드릴|하기|드리기|을 드릴) ?(?:수|릴 수)? ?(?:없|어렵)|찾을 수 없(?:습니다|었습니다|네요|어요)|찾지 못했|확인할 수 없(?:습니다|었습니다|어요)|(?:정보|내용|자료|언급|답변)(?:가|는|이|은|를)? ?(?:[^.]{0,14})(?:없습니다|없어요|부족합니다|않습니다|않아요)|(?:언급|포함|제공|명시|기재|나와)[가-힣 ]{0,8}(?:않습니다|않았습니다|있지 않)|(?:도와|도움을) ?드릴 수 없",
    r"\bbilmiyorum\b|\bbilgi\w* (?:yok\w*|bulunmamakta\w*|bulunamadı(?! (?:hata|mesaj|uyarı))|bulamadım|sahip değilim)|\b(?:yanıt|cevap) veremiyorum|\bbelgelerde\b.{0,60}\b(?:yok|bulunmuyor|belirtilmemiş)\w*|لا أعرف|لا أعلم|لا تتوفر|لا يمكنني|لا أستطيع|لا توجد معلومات|ليس لدي معلومات|मुझे नहीं पता|जानकारी (?:उपलब्ध )?नहीं",
)
_MORE_ABROAD = (
    # German, Spanish, Portuguese, Italian: the order of words in which nothing was found
    r"\b(?:finde|finden|fand|fanden) (?:ich|wir) (?:\S+ ){0,8}?(?:nichts|keine\w*)\b|\bno (?:encuentro|encontré|encontramos|he encontrado|hallo) (?:\S+ ){0,4}?en (?:los|las|el|la|mis)\b|\bnão (?:encontrei|encontro|encontramos|localizei|achei) (?:\S+ ){0,4}?n[oa]s?\b|\bnon (?:trovo|ho trovato|troviamo) (?:\S+ ){0,4}?ne(?:i|gli|lle|lla|l)\b",
    # Swedish, Norwegian, Danish
    r"\b(?:det|detta|dette|den|svaret) (?:kan|kunde|kunne|finner|finder|hittar|hittade|fant|fandt|vet|ved) (?:jag|jeg|vi) (?:\w+ ){0,2}?(?:inte|ikke)\b|\b(?:jag|jeg|vi) (?:hittar|hittade|finner|fant|finder|fandt) (?:\w+ ){0,2}?(?:inte|ikke|ingen|ingenting|inget)\b|\b(?:står|nämns|nevnes|nævnes|framgår|fremgår) (?:\w+ ){0,2}?(?:inte|ikke) (?:\w+ ){0,2}?(?:i|av) (?:\w+ ){0,2}?(?:dokument|text|tekst|kontext|kontekst|käll|kild|underlag)\w*",
    # Finnish, Hungarian
    r"\ben (?:löydä|löytänyt|tiedä|osaa (?:\w+ ){0,2}?sanoa|voi (?:\w+ ){0,2}?(?:vastata|auttaa)|pysty (?:\w+ ){0,2}?(?:vastaamaan|auttamaan))\b|\b(?:asiakirj|lähte|tekst|konteksti|dokument)\w* (?:\w+ ){0,3}?ei(?:vät)? (?:löydy|mainita|mainitse|kerro|kerrota|sisällä|ole (?:mainittu|tietoa))\b|\bei ole (?:\w+ )?tietoa\b|\b(?:dokumentum|szöveg|forrás|kontextus)\w* (?:\w+ ){0,3}?nem (?:szerepel|található|említi\w*|tartalmaz\w*|derül ki)|\bnem (?:szerepel|található|derül ki) a (?:\w+ ){0,2}?(?:dokumentum|szöveg|forrás|kontextus)\w*|\bnem (?:tudom|találom|találok|találtam|tudok (?:\w+ ){0,3}?(?:válaszolni|segíteni|találni))\b|\bnincs (?:\w+ ){0,3}?(?:információ\w*|adat\w*)",
    # Romanian
    r"\bnu (?:am găsit|găsesc|știu|ştiu|pot (?:\w+ ){0,2}?(?:răspunde|găsi|oferi|determina|confirma|ajuta)|am (?:\w+ ){0,2}?informați\w+|există (?:\w+ ){0,2}?informați\w+|este (?:menționat\w*|specificat\w*)|se (?:menționează|specifică)|dispun de)\b|\b(?:documentel\w+|contextul|surse\w+) (?:\w+ ){0,3}?nu (?:conțin\w*|menționeaz\w*|oferă|specifică|includ\w*)",
    # Vietnamese, Indonesian and Malay
    r"\b(?:tôi|chúng tôi) (?:\w+ ){0,2}?không (?:biết|rõ|tìm thấy|thể (?:\w+ ){0,3}?(?:trả lời|tìm|xác định|cung cấp))|\bkhông (?:tìm thấy|có) (?:\w+ ){0,2}?thông tin|\btài liệu (?:\w+ ){0,4}?không (?:đề cập|cung cấp|nêu|chứa)|\bkhông được (?:đề cập|nêu) trong|\b(?:saya|kami) (?:tidak|tak) (?:tahu|menemukan\w*|memiliki (?:\w+ ){0,2}?informasi|punya (?:\w+ ){0,2}?informasi|(?:dapat|bisa) (?:\w+ ){0,2}?(?:menemukan\w*|menjawab|membantu|memberikan|menentukan))\b|\b(?:tidak|tiada) (?:ada|terdapat) (?:\w+ ){0,2}?informasi\b|\b(?:dokumen|konteks|teks|sumber) (?:\w+ ){0,4}?tidak (?:menyebutkan|memuat|memberikan|menjelaskan|berisi)\b|\btidak (?:disebutkan|dinyatakan) (?:dalam|di)\b",
    # Turkish, Greek, Hindi, Hebrew, Thai
    r"\bbul(?:amıyorum|amadım|amıyoruz|amadık)\b|\b(?:cevaplayamıyorum|yanıtlayamıyorum|yardımcı olamıyorum)\b|(?:έγγραφ|κείμεν|πηγ|πλαίσι)\w+ (?:\w+ ){0,3}?δεν (?:αναφέρ|περιέχ|παρέχ)|δεν (?:γνωρίζω|ξέρω|βρήκα|βρίσκω|μπορώ να (?:\w+ )?(?:βρω|απαντήσω|βοηθήσω|πω|προσδιορίσω)|υπάρχ\w+ (?:\w+ ){0,2}?πληροφορί\w+)|(?:मुझे|हमें)[^।]{0,60}(?:नहीं|नही) (?:मिल|पता)|(?:नहीं|नही) बता सक|जानकारी (?:नहीं|नही)|(?:उत्तर|जवाब) (?:नहीं|नही) (?:है|मिल|दे)|(?:אני )?לא (?:יודע|מצאתי|מוצא|יכול(?:ה)? (?:לענות|למצוא|לעזור))|אין (?:לי )?מידע|ไม่(?:พบ|ทราบ|มี)ข้อมูล|ไม่สามารถ(?:ตอบ|หา)|ไม่ทราบ",
)
_NOT_FOUND_ABROAD = (
    # German, French, Spanish, Dutch
    r"\b(?:im|in (?:den|der|dem|diesem|diesen)) (?:\w+ )?(?:kontext|text\w*|dokument\w*|unterlagen|quellen?|passagen?) (?:wird|werden|ist|sind|steht|findet)\b.{0,60}\b(?:nichts\b|(?:nicht|keine?\w{0,2}\b.{1,30}) (?:erwähnt|genannt|angegeben|beschrieben|enthalten|behandelt|aufgeführt))",
    r"\b(?:réponses?|informations?) ne se trouv\w+ pas\b|\bno se (?:encuentra|encontró|encontraron|halla) (?:\w+ ){0,2}?(?:información|respuesta|datos?)\b|\b(?:ik|we|wij) (?:kon|konden|kan|kunnen) (?:\w+ ){0,4}?(?:niets|geen|niet) (?:\w+ ){0,3}?vinden\b",
    # Swedish, Norwegian, Danish, Czech
    r"\bkan (?:jag|jeg) (?:\w+ ){0,3}?(?:inte|ikke) (?:\w+ ){0,2}?(?:svara|hitta|hjälpa|svare|finde|finne|hjelpe|hjælpe)\b|\b(?:dokument|kontext|text|zdroj)\w* (?:\w+ ){0,4}?ne(?:obsahuj|uvád|zmiňuj)\w+|\b(?:nemám|nemáme|nenašel|nenašla|nenalezl|nenalezla) (?:\w+ ){0,4}?informac\w+|\b(?:není|nejsou) (?:\w+ ){0,2}?žádn\w+ informac\w+|\binformac\w+ (?:\w+ ){0,3}?nebyl[ay]? (?:nalezen|uveden)\w*",
    # Russian, Turkish, Arabic, Chinese
    r"\b(?:информаци[яи]|ответа?|данны[ех]|сведени[яй])(?: [^\W\d_]+){0,4}? не (?:найден|обнаружен|указан)[аоы]?\b|\bничего не (?:найдено|сказано|говорится|известно|указано)\b|\bоб этом (?:ничего )?не (?:сказано|говорится|упоминается|указано)\b",
    r"\bbelgelerde\b.{0,60}\b(?:bahsedilm\w+|geçmiyor\w*|belirtilmem\w+|yer almı\w+)|\bbu bilgi\b.{0,40}\byer almı\w+|\bbilgi bulunmuyor\b",
    r"لم (?:أجد|نجد|أعثر على|يتم العثور على|نعثر على) (?:\S+ ){0,2}?(?:أي |معلومات|إجابة)|(?:المستندات|الوثائق|السياق|النص|المصادر)(?: \S+){0,2}? (?:لا|لم) (?:تذكر|يذكر|تحتو[يى]|يحتو[يى]|تتضمن|يتضمن)",
    r"(?:未(?:能)?|没有|沒有|没)(?:找到|查到|查询到|查詢到|检索到|檢索到|搜索到|搜到)(?:任何|相关|相關|有关|有關|该|該|此)?(?:的)?(?:内容|內容|信息|資訊|资料|資料|结果|結果|答案)",
)
#: A clause that depends on something declines nothing; what follows its comma may. Taken out before.
CONDITION_ABROAD = re.compile(
    r"^\W*(?:(?:falls|wenn|sofern|si|sauf si|se|caso|indien|jeśli|jeżeli|gdy|hvis|pokud|jestliže|když|если|когда|jika|apabila|nếu|إذا|om (?:ingen|inget|inte|du|ni|man|det|den))(?!\w)"
    r"|(?:如果|若|假如|一旦|倘若)|[^，。,]{0,24}(?:时|時|的话|的話|情况下|場合は?、?)(?=[，、,]))[^,،，、]{0,160}(?:[,،，、]|$)",
    re.IGNORECASE,
)
ABROAD = Alternatives(
    (
        *_GERMAN,
        *_FRENCH,
        *_SPANISH,
        *_ITALIAN,
        *_PORTUGUESE,
        *_DUTCH,
        *_POLISH,
        *_NORDIC_AND_CZECH,
        *_OTHER_SCRIPTS,
        *_MORE_ABROAD,
        *_NOT_FOUND_ABROAD,
    )
)

#: Folded words without one of which no clause in Latin letters declines in these languages.
TRIGGERS_ABROAD = frozenset(
    word.encode()
    for word in [
        "nicht",
        "nichts",
        "keine",
        "keinen",
        "kein",
        "keiner",
        "keines",
        "fehlen",
        "fehlt",
        "leider",
        "ne",
        "n",
        "pas",
        "aucun",
        "aucune",
        "rien",
        "impossible",
        "ignore",
        "no",
        "desconozco",
        "ninguno",
        "ninguna",
        "ningún",
        "nada",
        "sin",
        "non",
        "nessun",
        "nessuno",
        "nessuna",
        "nulla",
        "não",
        "desconheço",
        "nenhum",
        "nenhuma",
        "niet",
        "niets",
        "geen",
        "onvoldoende",
        "nie",
        "brak",
        "żaden",
        "inte",
        "ikke",
        "ingen",
        "nevím",
        "není",
        "nejsou",
        "nemám",
        "nemáme",
        "nenašel",
        "nenašla",
        "nenalezl",
        "nenalezla",
        "neobsahuje",
        "neobsahují",
        "neuvádí",
        "neuvádějí",
        "nezmiňuje",
        "nezmiňují",
        "nebyla",
        "nebyly",
        "nemohu",
        "bilmiyorum",
        "yok",
        "bilgi",
        "bilgiye",
        "veremiyorum",
        "yanıt",
        "cevap",
        "belgelerde",
        "bulamıyorum",
        "bulamadım",
        "bulamıyoruz",
        "bulamadık",
        "cevaplayamıyorum",
        "yanıtlayamıyorum",
        "olamıyorum",
        "ei",
        "en",
        "nem",
        "nincs",
        "nu",
        "không",
        "tidak",
        "tak",
        "tiada",
    ]
)
OTHER_SCRIPT = re.compile("[\u0370-\u1fff\u3040-\uffff]")

#: Whole answers that decline in a few letters.
SHORT_ABROAD = (
    r"keine ahnung|(?:das )?weiß ich (?:leider )?nicht|ich weiß (?:es |das )?(?:leider )?nicht|nicht bekannt|unbekannt|keine angabe|k\. ?a|nicht (?:angegeben|verfügbar|enthalten)"
    r"|(?:désolée?, )?je (?:ne )?sais pas|aucune idée|inconnu|non (?:précisé|disponible|spécifié)|(?:lo siento, )?no (?:lo )?sé|ni idea|desconocido|no disponible|no especificado|no se sabe"
    r"|non (?:lo )?so|non (?:disponibile|specificato)|sconosciuto|não sei|não disponível|não informado|desconhecido|(?:dat )?(?:ik )?weet (?:ik )?(?:het )?niet|geen idee|onbekend|niet beschikbaar"
    r"|nie wiem|brak (?:danych|informacji|odpowiedzi)|nieznane|vet inte|ved ikke|不明|不知道|未知|无|無|没有|暂无(?:信息|资料)?|わからない|分からない|該当なし|なし|情報なし|모름|몰라요|없음|정보 없음|не знаю|неизвестно|нет данных|bilmiyorum"
)
#: Apologies, pointers elsewhere and questions back in these languages.
FILLERS_ABROAD = (
    r"^\W*(?:es tut mir (?:sehr )?leid|tut mir (?:sehr )?leid|entschuldigung|leider|bedaure|(?:je suis )?(?:vraiment )?désolée?|lo siento(?: mucho)?|lamento|perdón|disculpa|disculpe|mi dispiace|mi scuso|spiacente"
    r"|desculpe|lamento|sinto muito|het spijt me|sorry|helaas|przykro mi|przepraszam|niestety|tyvärr|beklager|к сожалению|извините|простите|抱歉|很抱歉|对不起|對不起|非常抱歉|죄송합니다|죄송하지만|申し訳(?:ありません|ございません)|すみません|恐れ入ります)[^a-z]{0,8}$",
    r"^\W*(?:bitte|veuillez|n'hésitez pas|merci de|por favor|per favore|si prega|por gentileza|gelieve|neem|proszę|skontaktuj|vänligen|wenden sie sich|kontaktieren sie|contactez|contacte|contacta|póngase|consulte|contatta|contatti|rivolgersi|entre em contato|пожалуйста|обратитесь)\b",
    r"(?:お問い?合わせ|ご確認|ご連絡|ご参照|ご覧|お知らせ|教えて|ご提供)(?:して)?(?:ください|下さい)|^\W*(?:请|請|您可以|建议您|建議您)|(?:문의|확인|연락|알려|제공)[가-힣 ]{0,8}(?:주세요|주시기|바랍니다|주십시오)",
)
CONTRAST_ABROAD = r"|aber|jedoch|allerdings|cependant|toutefois|mais|sin embargo|pero|tuttavia|però|no entanto|porém|mas|echter|maar|jednak|ale|しかし|ただし|但是|但|不过|然而|하지만|그러나|однако|но"
