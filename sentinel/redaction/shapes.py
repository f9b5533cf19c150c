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
    r"(?:ah?|ae|beom|bin|bo|bok|bong|bum|byung|byeong|chae|chan|chang|cheol|chul|da|dae|do|dong|eun|eui|ga|geun|gi|gu"
    r"|gun|gyu|ha|hae|han|hee|heon|ho|hong|hoon|hun|hwa|hwan|hye|hyeok|hyeon|hyo|hyuk|hyun|il|in|ja|jae|je"
    r"|jeong|ji|jin|jong|joo|joon|ju|jun|jung|kang|keun|ki|kook|kwang|kyu|kyung|mi|min|moon|mun|myung|na|nam"
    r"|ra|rae|ran|rim|rin|ryeol|ryul|sang|se|seo|seok|seon|seong|seul|seung|shik|shin|si|sik|so|sol|soo|sook"
    r"|su|suk|sun|sung|tae|taek|uk|un|wan|won|woo|wook|woong|yang|ye|yeo|yeol|yeon|yeong|yong|yoo|yoon|young|yu"
    r"|yul|yun)"
)
_KOREAN_GIVEN = re.compile(rf"{_KOREAN}-{_KOREAN}\Z")
_INITIAL = r"(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])"
_FINAL = (
    r"(?:iang|iong|uang|ang|eng|ing|ong|ian|iao|uan|uai|ai|an|ao|ei|en|ia|ie|in|iu|ou|ua|ue|ui|un|uo|a|e|i"
    r"|o|u)"
)
_PINYIN_GIVEN = re.compile(rf"(?:{_INITIAL}{_FINAL}){{1,2}}\Z")
#: Romanised surnames of China and Korea, most of them words or names elsewhere as well.
_CHINESE = frozenset(
    """
    bai cai cao chen cheng cui dai deng ding dong du duan fan fang feng fu gao gong gu guo han hao he hong
    hou hu huang jia jiang jin kong lai lei li liang liao lin liu long lu luo lv ma mao meng mo ouyang pan
    peng qian qiao qin qiu ren shao shen shi song su sun tan tang tao tian wan wang wei wen wu xia xiao xie
    xiong xu xue yan yang yao ye yi yin yu yuan zeng zhang zhao zheng zhong zhou zhu zou
    """.split()  # noqa: SIM905
)
_KOREAN_FAMILIES = frozenset(
    """
    ahn bae baek ban bang byun cha chae cheon cho choi chung do eom gang gil gong goo gu gwak ha ham han heo
    hong hwang hyun im jang jeon jeong ji jin jo joo ju jung kang kil kim ko kong koo ku kwak kwon lee lim
    ma min moon myung na nam noh oh ok pak park pyo rhee roh ryu seo seok shim shin son song suh sung tak
    um won woo yang yeo yeom yi yim yoo yoon you yu yun
    """.split()  # noqa: SIM905
)


def is_east_asian(first: str, second: str) -> bool:
    """Return whether two folded words are a Chinese or Korean surname and given name, in either order."""
    for family, given in ((first, second), (second, first)):
        if family in _KOREAN_FAMILIES and is_korean_given(given):
            return True
        if family in _CHINESE and len(given) > 4 and _PINYIN_GIVEN.match(given) is not None:
            return True
    return False


def ends_like_surname(plain: str) -> bool:
    """Return whether a folded word ends as surnames of some language do and English words do not."""
    return len(plain) > 5 and plain not in _NO_FAMILY and _FAMILY_ENDING.match(plain) is not None


def is_korean_given(plain: str) -> bool:
    """Return whether a folded word is two Korean syllables with a hyphen ("seo-yeon")."""
    return "-" in plain and _KOREAN_GIVEN.match(plain) is not None
