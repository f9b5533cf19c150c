"""Phone numbers of many regions: by their written form, by a telling word, or by the numbering plan.

Presidio's matcher runs libphonenumber's scanner once per region over every text. Here one linear
pattern proposes candidates, and the numbering plan is asked only about those that their form and
surroundings leave open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import phonenumbers

from sentinel.redaction.spans import Span

_SPACE = r"[ \t\u00a0\u2007\u2009\u202f]"
_DASH = r"[-\u2010-\u2015\u2212]"
_SEPARATOR = rf"(?:{_SPACE}{{1,2}}|{_SPACE}?(?:{_DASH}|[./]){_SPACE}?)"
_EXTENSION = rf"(?:{_SPACE}*[,;]?{_SPACE}*(?:ext(?:ension|n)?|extn|x|#)\.?:?{_SPACE}*[0-9]{{1,6}}(?![0-9]))"
_CANDIDATE = re.compile(
    rf"(?<![0-9])(?:\+{_SPACE}?|(?<![0-9A-Za-z])00)?"
    rf"(?:\({_SPACE}?\+?[0-9]{{1,5}}{_SPACE}?\){_SEPARATOR}?|[0-9]+(?:{_SEPARATOR}|(?=\()))"
    rf"{{0,11}}"
    rf"[0-9]+(?![0-9]){_EXTENSION}?",
    re.IGNORECASE,
)
#: Six digits and the characters a number may hold between them: what every candidate contains.
_PREFILTER = re.compile(r"[0-9](?:[^0-9A-Za-z]{0,6}[0-9]){5}")
_DIGIT = re.compile(r"[0-9]")
_TELLING = re.compile(
    r"(?:\b(?:tele)?phones?|\btel\b|\bcell(?:ular|phone)?\b|\bmobiles?\b|\bcall(?:s|ed|ing)?\b"
    r"|\bdial(?:l?ed|l?ing)?\b|\bfax\b"
    r"|\bring\b|\bwhats ?app\b|\bsms\b|\btext(?:ed|ing)?\b|\breach(?:ed|able)?\b|\bcontact\b|\bhotline\b"
    r"|\bhelpline\b|\blandline\b|\bextension\b"
    r"|\banswering (?:at|on)\b|\bvoicemail\b|\bhandy\b|\btelefon\w*|\bt[ée]l[ée]phone\b|\bmsisdn\b"
    r"|\b(?:(?:get|catch|try) (?:hold of |through to )?(?:me|him|her|us|them) (?:on|at)|appel(?:er|ez)"
    r"|portable|llam(?:ar|e|a)|cellulare|chiam(?:are|i)|ligue|bel|cep|anrufen(?: unter)?"
    r"|erreichbar(?: unter)?)(?: (?:le|al?|para|het))?\W{1,3}(?=[+(0-9]|\Z)"
    r"|\b(?:my|his|her|their|our) (?:new |old |direct |private )?number(?: is| was|:)|\bkontakt\b"
    r"|\btel[ée]fonos?\b|\b(?:ruf|handy|mobil|fax)nummer\b|\bdurchwahl\b|\bm[óo]vil\b|\bcelular\b"
    r"|\bnumer telefonu\b"
    r"|\bkom[óo]rk\w+|\bpuhelin\w*"
    r"|\bтел(?:ефон\w*)?\b|\bзвон\w+|電話|电话|手机|携帯|전화|휴대폰|هاتف|جوال|טלפון|नंबर|फ़?ोन"
    r"|\bring me\b|\bph\b|\bmob\b|\bt[ée]l\b|☎|📞|📱|☏)",
    re.IGNORECASE,
)
_JUST_TOLD = re.compile(
    r"\b(?:call(?:ing)?|phone|tel|dial|fax|mobile|ring|(?:my|his|her|their|our) (?:new )?number)"
    r"\b[^0-9A-Za-z]{1,3}(?:at |on |is )?\Z",
    re.IGNORECASE,
)
_OF_KIND = re.compile(r"[ -]?\(?(?:office|mobile|cell|fax|home|work|landline)\b", re.IGNORECASE)
_WEAK_TELLING = re.compile(
    r"\b(?:numbers?|nr|no|line|desk|office|home|work|at|on|or|and|is)\W{0,4}\Z", re.IGNORECASE
)
_OTHER_NUMBER = re.compile(
    r"\b(?:orders?|accounts?|acct|invoices?|tracking|tickets?|cases?|references?|ref|isbn(?:-1[03])?|issn"
    r"|part|serial|model|policy"
    r"|contract|claims?|customer id|user id|ids?|sku|zip|postal|postcode|doi|pmid|vat|version|section"
    r"|routing|patent|licen[cs]e|passport"
    r"|cas|ean|upc|flight|card|batch|lot|po|docket|bill|receipt|transaction|population|total|sum|amount"
    r"|article|page|pages|pp|quot(?:e|ing)|sn|vin|nct|arxiv"
    r"|chapter|clause|years?|latitude|longitude|coordinates?|isni|orcid|hs code)"
    r"(?: (?:no|nr|number|code|id)s?)?\W{0,4}\Z",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b(?:since|from|between)\W{0,4}\Z", re.IGNORECASE)
_DATE = re.compile(
    r"(?:(?:1[6-9]|2[01])[0-9]{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12][0-9]|3[01])"
    r"|(?:0?[1-9]|[12][0-9]|3[01])[-./ ](?:0?[1-9]|[12][0-9]|3[01])[-./ ](?:1[6-9]"
    r"|2[01])?[0-9]{2})(?:[ T-].*)?\Z"
)
_THOUSANDS = re.compile(
    r"[0-9]{1,3}(?:[ \u00a0\u202f.]000)+\Z|[0-9]{1,3}(?:([ \u00a0\u202f.])[0-9]{3}){1,4}\Z"
)
_SINGLE_DIGITS = re.compile(r"(?:[0-9]\D{1,3}){6,}[0-9]\Z")
_YEARS = re.compile(r"(?:1[6-9]|2[01])[0-9]{2}(?:\D{1,3}(?:1[6-9]|2[01])[0-9]{2})+\Z")
_NORTH_AMERICA = re.compile(
    rf"(?:\+?1|001)?[-. ]?(?:\([0-9]{{3}}\)[-. ]?|[0-9]{{3}}(?P<s>{_DASH}|[. ]))[0-9]{{3}}(?:(?P=s)"
    rf"|[-. ])?[0-9]{{4}}\Z"
)
_STRONG = re.compile(
    rf"(?<![0-9A-Za-z])(?<![0-9][-./])(?:(?:\+?1|001)[-. ]?)?(?:\([0-9]{{3}}\)[-. ]?"
    rf"|[0-9]{{3}}(?P<s>{_DASH}|\.))[0-9]{{3}}[-. ]?[0-9]{{4}}"
    rf"(?![0-9])(?!{_DASH}[0-9])(?:{_EXTENSION})?",
    re.IGNORECASE,
)
# Addresses that call or write to a number.
_LINK = re.compile(
    r"(?:\bwa\.me/|\bwhatsapp\.com/send/?\?phone=|\b(?:tel|sms|callto|facetime|whatsapp|sip|phone):(?://)?)"
    r"(?P<number>(?:\+|00)?[0-9](?:[-. ]?[0-9]){6,14})(?![0-9])",
    re.IGNORECASE,
)
# A national number whose area code is parted by a point: a decimal has no zero before its first digit.
_DOTTED_ONCE = re.compile(r"0[1-9][0-9]{1,4}\.[0-9]{4,8}\Z")
# A cell of a table parted by commas without blanks: no number has separators of two kinds like that.
_CELL_AFTER = re.compile(r",(?![0-9]{3}(?![0-9]))|[ \t]*(?:\n|\Z)")
_GROUPS = re.compile(r"\+[0-9]{8,15}\Z|(?=(?:\D*[0-9]){8})[+(]?[0-9]+(?:[-() ./]{1,2}[0-9]+){1,6}\Z")
# Three groups behind a trunk prefix ("010-5555-0199"), which is no other number's form.
_TRUNK_DASHED = re.compile(rf"0[1-9][0-9]?[0-9]?{_DASH}[0-9]{{3,4}}{_DASH}[0-9]{{4}}\Z")
_ID_BEFORE = re.compile(r"\bids?\W{0,2}\Z", re.IGNORECASE)
_GROUPED_MOBILE = re.compile(r"0[0-9]{2,4}[-. ][0-9]{3,8}(?:[-. ][0-9]{2,4})?\Z")
_LONGEST_RUN = 80
_AREA_CODE = re.compile(rf"\(\+?[0-9]{{1,5}}\){_SPACE}?[0-9]")
_VERSION_OR_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)+\Z")


def find_phones(text: str, regions: Sequence[str]) -> Iterator[Span]:
    """Yield the spans of phone numbers in `text`; texts without six digits near each other cost nothing."""
    if _PREFILTER.search(text) is None:
        return
    yield from find_phones_unfiltered(text, regions)


def find_phones_unfiltered(text: str, regions: Sequence[str]) -> Iterator[Span]:
    """Yield what `find_phones` does, without its pre-filter."""
    for link in _LINK.finditer(text):
        yield Span(link.start("number"), link.end("number"), "PHONE_NUMBER")
    position = 0
    for strong in _STRONG.finditer(text):
        yield from _candidates(text, position, strong.start(), tuple(regions))
        if not _is_something_else(
            text, strong.start(), _body(strong.group()), text[max(0, strong.start() - 48) : strong.start()]
        ):
            yield Span(strong.start(), strong.end(), "PHONE_NUMBER")
        position = strong.end()
    yield from _candidates(text, position, len(text), tuple(regions))


def _candidates(text: str, low: int, high: int, regions: tuple[str, ...]) -> Iterator[Span]:
    for match in _CANDIDATE.finditer(text, low, high):
        if len(match.group()) > _LONGEST_RUN:  # a table of numbers
            continue
        start = _phone_start(text, match.start(), match.group(), regions)
        if start is not None:
            yield Span(start, match.end(), "PHONE_NUMBER")


def _phone_start(text: str, start: int, value: str, regions: tuple[str, ...]) -> int | None:
    """Return where the phone number begins in the candidate: another number may stand right before it."""
    if len(_DIGIT.findall(value)) > 15 and _TELLING.search(text, max(0, start - 48), start):
        return start
    for leading in re.finditer(r"\A|(?<=[0-9])[ \u00a0](?=[0-9(+])", value):
        rest = value[leading.end() :]
        digits = len(_DIGIT.findall(_body(rest)))
        if leading.end() and rest[0] not in "0+(":
            continue
        if 6 <= digits <= 15 and _is_phone(text, start + leading.end(), rest, digits, regions):
            return start + leading.end()
    return None


def _body(value: str) -> str:
    """Return the number without its extension."""
    return re.split(r"[,;#a-zA-Z]", value, maxsplit=1)[0].rstrip()


def _is_phone(text: str, start: int, value: str, digits: int, regions: tuple[str, ...]) -> bool:
    body = _body(value)
    before = text[max(0, start - 48) : start]
    after = text[start + len(value) : start + len(value) + 24]
    if _is_something_else(text, start, body, before):
        # Glued to letters a number must be one of the plan.
        return before[-1:].isalpha() and body.startswith("+") and _valid(body, regions)
    if body.startswith("+") and digits >= 8:
        return True
    if (_DOTTED_ONCE.match(body) or (_ID_BEFORE.search(before) and _GROUPED_MOBILE.match(body))) and _valid(
        body, regions
    ):
        return True
    told = _TELLING.search(before) is not None or _TELLING.search(after) is not None
    if _OTHER_NUMBER.search(before) or (after[:1].isalpha() and not told):
        return False
    if not told and _RANGE.search(before):
        return False
    if _NORTH_AMERICA.match(body) or _AREA_CODE.search(body) or value != body:
        return True
    if _TRUNK_DASHED.match(body):
        return True
    if digits == 6:
        return not body.isdigit() and _JUST_TOLD.search(before) is not None
    if told or _OF_KIND.match(after):
        return True
    if body.isdigit():
        return _WEAK_TELLING.search(before) is not None and digits >= 9 and _valid(body, regions)
    if _THOUSANDS.match(body):
        return False
    return (digits >= 9 or _WEAK_TELLING.search(before) is not None) and _valid(body, regions)


def _is_something_else(text: str, start: int, body: str, before: str) -> bool:
    """Return whether the digits are a date, years, a decimal, or part of a longer token."""
    told = _JUST_TOLD.search(before) is not None and len(_DIGIT.findall(body)) > 8
    if (_DATE.match(body) and not told) or _YEARS.match(body) or _SINGLE_DIGITS.match(body):
        return True
    if (
        _VERSION_OR_DECIMAL.match(body)
        and body.count(".") != 2
        and not (_grouped_by_dots(body) or _DOTTED_ONCE.match(body))
    ):
        return True
    previous = text[start - 1 : start]
    if previous == "," and _CELL_AFTER.match(text, start + len(body)) and _GROUPS.match(body):
        return False
    if previous.isalpha() and previous.isascii():
        return True
    if before.endswith(("$", "€", "£", "¥", "#", "§")):
        return True
    return (
        previous in {"-", "_", "/", ".", ",", "="}
        and text[start - 2 : start - 1].isalnum()
        and previous != "="
    )


def _grouped_by_dots(body: str) -> bool:
    return body.count(".") >= 3 and all(len(group) >= 2 for group in body.split("."))


def _valid(body: str, regions: tuple[str, ...]) -> bool:
    return any(_parse(body, region) is not None for region in regions)


def _parse(body: str, region: str) -> phonenumbers.PhoneNumber | None:
    try:
        number = phonenumbers.parse(body, region)
    except phonenumbers.NumberParseException:
        return None
    return number if phonenumbers.is_valid_number(number) else None


def canonical_phone(value: str, regions: Sequence[str]) -> str:
    """Return one spelling for all notations of a phone number: E.164 where the plan knows it, else digits."""
    body = _body(value)
    if body.startswith("00"):
        body = "+" + body[2:]
    for region in regions:
        number = _parse(body, region)
        if number is not None:
            return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164).lstrip("+")
    return "".join(_DIGIT.findall(body))
