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
TITLE = (
    r"(?:mrs?|ms|miss|mx|dr|prof|professor|sir|madam|mme|mlle|herr|frau|señora?|signora?|rev|sgt|capt|lt|col)"
)
TITLE_WORDS = frozenset(re.findall(r"[a-z]+", TITLE))
TITLES = re.compile(rf"(?<![\w.]){TITLE}\b\.?[ \t]+", re.IGNORECASE)
# After these a capitalised word is a person, whatever the model holds it for …
STRONG_CUE = re.compile(
    r"(?:\b(?:my|his|her|their|your|full|first|last|maiden|middle|sur)[ -]?name(?:'s|’s| is| was)"
    r"|\bnamed (?:him|her|them|me)|\bcall(?:s|ed)? (?:me|him|her)|\bmy name(?:'s|’s)|\bpartner['’]?s name"
    r"|\baccount holder|\bmarried to"
    r"|\b(?:mailing|speaking|spoke|talked|talking|married) (?:to|with)|\bstarring|\bdirected by"
    r"|\bfounders?:|\bmembers:|\battendees:"
    r"|\b(?:his|her|my|our|their) (?:wife|husband|son|daughter|brother|sister|friend|colleague|boss"
    r"|mother|father|uncle|aunt|cousin)"
    r"|\b(?:attn|attention|patient|customer|client|recipient|employee|sender|cardholder|passenger) ?:)\s+\Z",
    re.IGNORECASE,
)
# … after these only if it is nothing else.
WEAK_CUE = re.compile(
    r"(?:\b(?<!\w )name ?:|\bi am|\bi['’]m|\bnamed|\bdear|\bhi|\bhello|\bregards,?|\bsincerely,?"
    r"|\bwritten by|\bsigned,?|\bmarried"
    r"|\bsaid|\bsays|\basked|\bshouted at|\btribute to|\bcontact ?:|\bfollow up with|\bmet with)\s+\Z",
    re.IGNORECASE,
)
POSSESSED = re.compile(
    r"\\?['’]s (?:daughter|son|wife|husband|mother|father|sister|brother|birthday|maiden|home address"
    r"|address|boss|friend|salary|passport)\b",
)
SPEAKS = re.compile(
    r" (?:said|says|shouted|asked|told|replied|wrote|answered|explained|whispered|had given|was born"
    r"|lives in|lives at|lived in|grew up"
    r"|works at|works for|worked at|worked for|called me|emailed|phoned|sent me)\b|: ?\\?[\"“«]",
)
IN_TOKEN_BEFORE = re.compile(r"[0-9A-Za-z][._/@=-]\Z|[_/@=#]\Z")
IN_TOKEN_AFTER = re.compile(r"[._/@=:-][0-9A-Za-z]|[_/@=(0-9]")
ARTICLE = re.compile(r"\b(?:the|an?) \Z", re.IGNORECASE)
LABELS = frozenset(
    {
        "address", "phone", "email", "name", "tel", "fax", "date", "producer", "answer", "question",
        "contact", "dear", "hi", "hello", "who", "what", "the", "a", "an", "client", "customer",
        "director", "president", "manager", "user", "bot", "please", "and",
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
NOT_PEOPLE = frozenset(
    {
        "GPE", "ORG", "NORP", "LOC", "FAC", "LANGUAGE", "DATE", "TIME", "PRODUCT", "EVENT",
    }
)  # fmt: skip
