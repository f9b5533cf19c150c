"""The words and phrases by which names are known for names."""

from __future__ import annotations

import re

NAME = r"[^\W\d_]+(?:['’`-][^\W\d_]{2,})*"
PARTICLES = frozenset(
    {
        "van", "von", "der", "den", "de", "da", "do", "dos", "das", "di", "del", "della", "la",
        "le", "los", "las", "bin", "ibn", "al", "el", "ter", "ten", "af", "av", "zu", "y", "e",
    }
)  # fmt: skip
#: A particle that is glued to its name: "al-Rashid", "d'Angelo".
PARTICLE_AND_NAME = re.compile(
    r"(?:al|el|ar|as|az|ad|an|at|ash|abd|abu|bin|ben|ibn|d|dell|l)[-'’](?=[A-ZÀ-Þ])[^\W\d_]{2,}\Z"
)
TITLE = (
    r"(?:mrs?|ms|miss|mx|dr|prof|professor|sir|madam|mme|mlle|herr|frau|señora?|signora?|rev|reverend|sgt"
    r"|sergeant|capt|captain|lt|lieutenant|col|colonel|gen|general|sen|senator|rep|congress(?:wo)?man"
    r"|gov|judge"
    r"|justice|nurse|officer|detective|inspector|attorney|counsel|counsell?or|doctor|father|sister|brother"
    r"|uncle|aunt|lord|lady|dame|pfarrer|monsieur|madame|maître|don|doña|pani?)"
)
TITLE_WORDS = frozenset(re.findall(r"[^\W\d_]+", TITLE)) | frozenset(
    {
        "congressman",
        "congresswoman",
        "plaintiff",
        "defendant",
        "witness",
        "patient",
        "señora",
        "signora",
        "mr",
        "rep",
    }
)
#: Forms of address: any capitalised word after them is a name, of which they are a part.
SHORT_TITLES = frozenset(
    {
        "mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "madam", "mme", "mlle", "herr",
        "frau", "señor", "señora", "signor", "signora", "rev", "sgt", "capt", "lt", "col",
    }
)  # fmt: skip
# Longer ones are words of prose as well: they count only with a capital and stay.
TITLES = re.compile(
    rf"(?<![\w.])(?:(?i:mrs?|ms|miss|mx|dr|prof|professor|sir|madam|mme|mlle|herr|frau|señora?|signora?"
    rf"|rev|sgt|capt|lt|col)"
    rf"|(?=[A-ZÀ-Þ])(?i:{TITLE}))\b\.?[ \t]+"
)
_ROLE = (
    r"(?:attn|attention|patient|customer|client|recipient|employee|sender|cardholder|passenger|tenant"
    r"|landlord"
    r"|claimant|applicant|insured|beneficiary|next of kin|emergency contact|account holder|contact|caller"
    r"|guardian|author|from|to|cc|bcc|reply-to|full[ _]?name|first[ _]?name|last[ _]?name|user[ _]?name"
    r"|name|signed)"
)
_KIN = (
    r"(?:wife|husband|son|daughter|brother|sister|friend|colleague|boss|mother|father|uncle|aunt|cousin"
    r"|nephew|niece|partner|spouse|fianc[ée]e?|neighbou?r|doctor|lawyer|grand(?:mother|father|son"
    r"|daughter)|child)"
)
# After these a capitalised word is a person, whatever the model holds it for …
STRONG_CUE = re.compile(
    r"(?:\b(?:my|his|her|their|your|full|first|last|maiden|middle|sur)[ -]?name(?:'s|’s| is| was)"
    r"|\bnamed (?:him|her|them|me)|\bcall(?:s|ed)? (?:me|him|her)|\bpartner['’]?s name"
    r"|\baccount holder|\bmarried to"
    r"|\b(?:mailing|speaking|spoke|talked|talking|married) (?:to|with)|\bstarring|\bdirected by"
    r"|\bfounders?:|\bmembers:|\battendees:"
    rf"|\b(?:his|her|my|our|their|the (?:patient|client|tenant|customer|insured)['’]s|[A-Z]\w+['’]s) {_KIN},?"
    rf"|\b(?:landlord|tenant|plaintiff|defendant|claimant|beneficiary|cardholder|next of kin"
    rf"|payee) (?:is|was)"
    r"|\b(?:the|our|a) (?:witness|defendant|plaintiff|claimant|patient|tenant|landlord|decedent),)\s+\Z",
    re.IGNORECASE,
)
# … after these, unless it is an ordinary word or a namesake of a person …
ROLE_CUE = re.compile(
    rf"(?:\b{_ROLE}[\"']?[ \t]*[:=][ \t]*[\"']?|\b(?:(?:best|kind|warm|many) )?(?:regards|wishes|thanks)"
    r"[,.!]?[ \t]*\n\s*|\b(?:cheers|sincerely|cordially|faithfully|truly|yours|love)[,.!]?[ \t]*\n\s*)\Z",
    re.IGNORECASE,
)
# … after these only if it is nothing else.
WEAK_CUE = re.compile(
    r"(?:\b(?<!\w )name ?:|\bi am|\bi['’]m|\bthis is|\bnamed|\bdear|\bhi|\bhello|\bhey"
    r"|\bgood (?:morning|afternoon)"
    r"|\bregards,?|\bsincerely,?|\bthanks,|\bthank you,|\bcheers,"
    r"|\b(?:written|signed|told|opened|approved|prescribed|seen|assigned|reviewed|handled|confirmed|reported"
    r"|sent|composed|founded|invented|represented|authored|edited|created|examined|treated|diagnosed"
    r"|taken) by"
    r"|\b(?:plaintiff|defendant|claimant|appellant|respondent|witness|patient|client|tenant|counsel|attorney"
    r"|colleague|estate of)|\bsigned,?|\bmarried|\bcan you (?:tell|ask|remind)|\bplease (?:tell|ask"
    r"|remind|cc)"
    r"|\b(?:forward|forwarded|send|sent|escalated|assigned|referred) (?:this |it |that )?to|\bneither|\bonly"
    r"|\bsaid|\bsays|\basked|\bshouted at|\btribute to|\bcontact ?:|\bfollow up with|\bmet with)\s+\Z",
    re.IGNORECASE,
)
POSSESSED = re.compile(
    r"\\?['’]s (?:daughter|son|wife|husband|mother|father|sister|brother|birthday|maiden|home address"
    r"|address|boss|friend|salary|passport)\b",
)
SPEAKS = re.compile(
    r" (?:said|says|shouted|asked|told|replied|wrote|answered|explained|whispered|had given|was born"
    r"|lives in|lives at|lived in|grew up|testified"
    r"|works at|works for|worked at|worked for|called me|emailed|phoned|sent me)\b|: ?\\?[\"“«]"
)
# Firms and programs do these as well.
ACTS = re.compile(
    r" (?:thinks|believes|here|signed|had signed|restarted|promised|agreed|called|noted that|confirmed"
    r"|argued)\b"
)
# Whoever is addressed is a person, or "team", "support" and the like.
ADDRESS_BEFORE = re.compile(
    r"\b(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you),? \Z", re.IGNORECASE
)
ADDRESS_AFTER = re.compile(r", (?:can|could|would|will) you\b|,? please\b")
# A line or a sentence that begins with a name and a colon: a turn of a conversation.
TURN_BEFORE = re.compile(r"(?:\A|[\n>*|]|[.?!:] )[ \t]*\Z")
TURN_AFTER = re.compile(r" ?:\s+\S")
# A name right before an address in angle brackets or parentheses is its owner's.
OWNS_ADDRESS = re.compile(r"[\"']? ?[<(\[][^\s@<>()]{1,64}@")
# An order ("Jack up the car") rather than a name that is a word as well.
DOES = re.compile(r" (?:up|off|down|the|an?|your|my|all|it|this|that)\b")
# Things that carry their discoverer's name.
EPONYM = re.compile(
    r"(?:['’]s?)? (?:disease|syndrome|lymphoma|palsy|sarcoma|law|theorem|effect|principle|equation|test|scale"
    r"|constant|number|method|algorithm|distribution|paradox|razor|curve|index|indices|series|process|award|medal|prize|antivirus|yeast)\b"
)
# What stands behind a product and never behind a person.
OF_THINGS = re.compile(
    r"(?:®|™| (?:documentation|docs|cluster|rollout|portal|server|service|services|api|app|sdk|plugin"
    r"|container"
    r"|image|database|dashboard|integration|account|subscription|license|licence|dose|tablets?|capsules?"
    r"|pods?|nodes?|users|version|v?[0-9]|command|query|library|module|framework|browser|website|platform"
    r"|software|update|model|engine|device|terminal|script|file|package|client|tool|mg\b)\b)",
    re.IGNORECASE,
)
# Places stand after these, people hardly ever.
IN_PLACE = re.compile(
    r"(?:\b(?:in|near|throughout|across|around|outside|within|downtown|toward|towards|via|north of|south of"
    r"|east of|west of|city of|state of|town of|capital of|university of|visit|visiting|reached|Road,|Street,"
    r"|Avenue,|Ave\.?,|St\.?,|Rd\.?,|Lane,|Drive,|Square,)) \Z"
)
IN_TOKEN_BEFORE = re.compile(r"[0-9A-Za-z][._/@=-]\Z|[_/@=#]\Z")
IN_TOKEN_AFTER = re.compile(r"[._/@=:-][0-9A-Za-z]|[_/@=(0-9]")
# Capitals within a word, but for the prefixes of surnames.
CAMEL = re.compile(r"^(?!Mc|Mac|De|Di|Da|La|Le|Fitz|Van|Von|O['’])[^\W\d_]*[a-zß-ÿ][A-Z]")
ARTICLE = re.compile(r"\b(?:the|an?) \Z", re.IGNORECASE)
LABELS = frozenset(
    {
        "address", "phone", "email", "name", "tel", "fax", "date", "producer", "answer", "question",
        "contact", "dear", "hi", "hello", "who", "what", "the", "a", "an", "client", "customer",
        "director", "president", "manager", "user", "bot", "please", "and", "agent", "assistant", "system",
        "yes", "no", "correct", "cheers", "thanks", "regards", "subject", "re", "cc", "bcc", "from", "to",
        "patient", "plaintiff", "defendant", "claimant", "witness", "tenant", "team", "sir", "madam",
        "kontonummer", "rufnummer", "verwendungszweck", "grüßen", "grüße", "gruß", "kunde", "kundin", "miete",
        "empfänger", "absender", "betreff", "rechnung", "nombre", "apellido", "teléfono", "correo", "cliente",
        "asunto", "saludos", "nom", "prénom", "téléphone", "objet", "cordialement", "destinataire", "oggetto",
        "saluti", "telefono", "klient", "клиент", "клиента", "получатель", "отправитель", "заказ", "имя",
        "everyone", "all", "folks", "support", "city", "there", "sincerely", "best", "kind", "warm", "facts",
        "senior", "analyst", "engineer", "consultant", "coordinator", "specialist", "developer", "accountant",
        "administrator", "executive", "representative", "technician", "supervisor", "chief", "vice", "sales",
        "marketing", "liebe", "lieber", "cher", "chère", "estimado", "estimada", "querido", "querida",
        "guten", "kundennummer", "konto", "telefon", "reply", "march", "flight", "passenger", "pt",
        "ihre", "ihr", "sie", "wir", "unsere", "bitte", "votre",
        "vous", "nous", "usted", "participants", "attendees", "reservation", "table", "surname",
        "art", "none", "unknown", "n", "note", "sure", "ok", "okay", "hey", "neither", "only",
    }
)  # fmt: skip
OF_PLACES = frozenset(
    {
        "street", "st", "road", "rd", "avenue", "ave", "lane", "drive", "square", "park", "place",
        "court", "bridge", "river", "lake", "mountain", "hill", "hills", "island", "islands", "bay",
        "beach", "city", "county", "town", "village", "state", "university", "college", "school",
        "hospital", "clinic", "church", "cathedral", "airport", "station", "hotel", "inn", "museum",
        "theatre", "theater", "library", "hall", "house", "center", "centre", "stadium", "garden",
        "gardens", "inc", "ltd", "llc", "corp", "co", "company", "group", "bank", "bros",
        "brothers", "homes", "developments", "solution", "score", "notebook", "query", "history",
        "editore", "report", "support", "industries", "foundation", "institute", "award", "awards",
        "prize", "act", "law", "rule", "rules", "amendment", "day", "disease", "syndrome",
        "theorem", "effect", "test", "scale", "index", "club", "team", "band", "orchestra", "trust",
        "fund", "plan", "code", "times", "post", "news", "journal", "magazine", "press", "records",
        "motors", "airlines", "secret",
    }
)  # fmt: skip
#: What models call a person, by the two schemes of labels that spaCy's models have.
PEOPLE = frozenset({"PERSON", "PER"})
NOT_PEOPLE = frozenset(
    {
        "GPE", "ORG", "NORP", "LOC", "FAC", "LANGUAGE", "DATE", "TIME", "PRODUCT", "EVENT",
    }
)  # fmt: skip
