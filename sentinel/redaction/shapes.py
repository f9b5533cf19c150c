"""Names known by how they are built: family endings of many languages, and given names of two parts.

No list holds every surname, but whole peoples build theirs alike (*-enko*, *-opoulos*, *-sson*). The
endings are those that no English word has; a word that has one still needs a second sign to be a person.
"""

from __future__ import annotations

import re

_FAMILY_ENDING = re.compile(
    r"[a-z]{2,}(?:[^aeiou][oe]va?|[oe]vi[ct]|[oe]vich|[eo]vsk(?:[iy]|a|aya)|[eo]wsk[ia]|[eo]wicz|czyk|enko"
    r"|chuk|opoulo[su]|opoulou|akis|idis|shvili|adze|idze|sson|sdottir|escu|eanu|oglu|zadeh|murthy|swamy"
    r"|nathan|raman|ullah|yeva?|inen|quist|qvist|gaard)\Z"
)
# Words and places that end like that all the same.
_NO_FAMILY = frozenset(
    {"moldova", "kishinev", "ericsson", "kharkov", "rostov", "saratov", "tambov", "casanova", "kalashnikov"}
)
_KOREAN = (
    r"(?:ah?|ae|beom|bin|bo|bum|byung|byeong|chae|chan|chang|cheol|chul|da|dae|do|dong|eun|eui|ga|geun|gi|gu"
    r"|gun|gyu|ha|hae|han|hee|heon|ho|hong|hoon|hun|hwa|hwan|hye|hyeok|hyeon|hyo|hyuk|hyun|il|in|ja|jae|je"
    r"|jeong|ji|jin|jong|joo|joon|ju|jun|jung|kang|keun|ki|kook|kwang|kyu|kyung|mi|min|moon|mun|myung|na|nam"
    r"|ra|rae|ran|rim|rin|ryeol|ryul|sang|se|seo|seok|seon|seong|seul|seung|shik|shin|si|sik|so|sol|soo|sook"
    r"|su|suk|sun|sung|tae|taek|uk|un|wan|won|woo|wook|woong|ye|yeo|yeol|yeon|yeong|yong|yoo|yoon|young|yu"
    r"|yul|yun)"
)
_KOREAN_GIVEN = re.compile(rf"{_KOREAN}-{_KOREAN}\Z")


def ends_like_surname(plain: str) -> bool:
    """Return whether a folded word ends as surnames of some language do and English words do not."""
    return len(plain) > 5 and plain not in _NO_FAMILY and _FAMILY_ENDING.match(plain) is not None


def is_korean_given(plain: str) -> bool:
    """Return whether a folded word is two Korean syllables with a hyphen ("seo-yeon")."""
    return "-" in plain and _KOREAN_GIVEN.match(plain) is not None
