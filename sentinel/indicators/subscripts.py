"""Brackets with numbers that are no citation: an index into code, an interval, a list of values, a pattern.

`items[2]` and `work[2]` are built alike. What tells them apart stands around them: a name that only code
has, what is done with it (`= 5`, `.name`, the same name with another number), a word before it.
"""
# ruff: noqa: E501 - a table on one line is easier to read

from __future__ import annotations

import re

#: So many characters before a bracket are looked at.
_BEFORE = 48
_WORD = re.compile(r"(?<!\w)[^\W\d][\w$.]*$")
#: After one of these a word is one of the sentence.
_DETERMINED = re.compile(
    r"\b(?:the|an?|this|that|these|those|our|its|their|all|some|many|most|such) $", re.IGNORECASE
)
#: Names that hardly any sentence ends with.
_NAMES = frozenset(
    ["arr", "argv", "args", "kwargs", "nums", "lst", "vec", "mat", "buf", "ptr", "str", "df", "tmp", "idx", "foo", "bar", "baz", "dp", "dict", "obj", "elem", "memo", "params", "stdin", "xs", "ys", "cols", "vals", "coords", "arguments", "tuple", "ndarray"]
)  # fmt: skip
#: Names that both code and sentences have.
_CONTAINERS = frozenset(
    ["array", "list", "items", "item", "data", "values", "value", "keys", "matrix", "vector", "row", "rows", "count", "counts", "column", "results", "result", "elements", "element", "numbers", "words", "names", "tokens", "lines", "line", "string", "strings", "records", "users", "queue", "stack", "table", "map", "dictionary", "heap", "nodes", "node", "children", "parts", "fields", "objects", "entries", "points", "letters", "characters", "grid", "board", "colors", "options", "fruits", "students", "scores", "cells", "input", "output", "text", "message"]
)  # fmt: skip
#: Last parts of names with a dot that are no attribute: a site, a file, a library.
_AFTER_DOT = frozenset(
    ["com", "org", "net", "io", "gov", "edu", "de", "uk", "eu", "co", "info", "js", "ts", "py", "md", "txt", "pdf", "html", "php", "exe", "dev", "ai", "app", "csv", "json", "xml", "yaml", "g", "e", "m"]
)  # fmt: skip
_DONE_WITH_IT = re.compile(
    r"\s?(?:[=!<>]=|[-+*/%]=|[=<>+/%](?=\s?[\w\"'(\[-])|\+\+|--|[-*](?=\s?\w+\[))|\.[a-z_]\w*|\(|\[(?!\d{1,3}\](?!\[))"
    r"|;[ \t]*(?:\n|$)"
    r"|\s(?:is|holds|contains|returns|equals|gives|refers|becomes|points) (?:the|a|an|now|to|\d|not|equal|less|greater|true|false|[\"'])",
)
_ACCESSED = re.compile(
    r"(?:\bvalue (?:of|at)|\bvalues? in|\bvariable|\bexpression|\b(?:access|print|set|assign|swap|increment|decrement|compare|index|modify|read|update|replace)(?:es|s|ing|ed)?"
    r"|\b(?:int|char|float|double|let|var|const|if|while|return|returns|element)|[=<>+*/%]) $",
    re.IGNORECASE,
)
#: Before one letter of a unit or of a shortened word: `50 km/h[1]`, `3 m[2]`, `it's[1]`.
_MEASURED = re.compile(r"(?:['’/-]|\d ?)$")
_CALLED = re.compile(r"[a-z_]\w*\((?!e?s\))[\w, ]{0,20}\)$")
_KEYED = re.compile(r"\w\[(?:'[^'\n]{1,30}'|\"[^\"\n]{1,30}\")\]$")
_OF_VALUES = re.compile(
    r"(?:\b(?:intervals?|ranges?|vectors?|lists?|arrays?|tuples?|tensors?|sets?|shapes?|coordinates?|points?|matrix|matrices|domain|between|maps|is|are|gives|returns?|equals|becomes|outputs?|prints?|yields|(?:lists?|arrays?|vectors?|tuples?) (?:such as|like)|(?:interval|range)s? (?:of|from|is|was)|(?:let|for|with|all|any|some|each|every|that|if|where) [a-z] in|[a-z] (?:be|is|lies) in)|∈|[%(] ?-?(?:CI|IQR):?|\w\(|[=:,] ?\[|\[)[ \t\[]{0,3}$",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"\b(?:scales?|ranges?|scores?|ratings?|rated)(?: (?:of|from|is|are|in))? $", re.IGNORECASE
)
_PATTERN = re.compile(
    r"(?:\b(?:regex\w*|regexp|regular expressions?|patterns?|character class(?:es)?|grep|sed)\b.{0,40}|[\^\\])$",
    re.IGNORECASE | re.DOTALL,
)
_QUANTIFIED = re.compile(r"\{\d|[+*](?:[\s\\$)/`\"'\[]|$)|[$\\]")
_KEY = re.compile(
    r"\b(?:press|dial|hit|push|type|key|keys|index|indices|subscript)(?: (?:the|key|number|either|on))? $",
    re.IGNORECASE,
)
#: Folded words without one of which a text of ASCII letters names no key or index before a bracket.
KEY_WORDS = frozenset(b"press dial hit push type key keys index indices subscript".split())
_OTHER_KEY = re.compile(r"(?:\band|\bor|\bthen|,) $", re.IGNORECASE)
_NUMBERS = re.compile(r"\d{1,4}")
_LIST = re.compile(r"\d{1,4}(?:\s?,\s?\d{1,4})+")
_SPAN = re.compile(r"\d{1,3}\s?(?:[-–]|\.\.\.?|:)\s?\d{0,3}")
#: So many names are looked up in the whole text.
_MOST_NAMES = 32
#: So far after one bracket that was no citation another one of its kind may stand.
_NEAR = 60


class Subscripts:
    """Judges the brackets of one text, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = -_NEAR - 1
        self._kind = ""
        self._named: dict[str, str] = {}

    def holds(self, start: int, end: int, content: str) -> bool:
        """Return whether the bracket at [`start`, `end`) is an index, a value or a pattern."""
        kind = self._judged(start, end, content)
        if kind:
            self._end, self._kind = end, kind
        return bool(kind)

    def _judged(self, start: int, end: int, content: str) -> str:
        text = self._text
        before = text[start - 1] if start else ""
        near = start - self._end <= _NEAR and "\n" not in text[self._end : start]
        if _NUMBERS.fullmatch(content):
            if before.isspace() or not before:
                if before and self._is_key(start, near):
                    return "key"
                return ""
            if before == "]" and self._end == start and self._kind == "index":
                return "index"
            return "index" if self._is_index(start, end, before) else ""
        context = text[max(0, start - _BEFORE) : start]
        if _LIST.fullmatch(content):
            return "values" if _OF_VALUES.search(context) or (near and self._kind == "values") else ""
        if _SPAN.fullmatch(content):
            if _PATTERN.search(context) or _QUANTIFIED.match(text, end) or (near and self._kind == "pattern"):
                return "pattern"
            if _SCALE.search(context):
                return "values"
            return "index" if before.isalnum() and self._is_index(start, end, before) else ""
        return ""

    def _is_key(self, start: int, near: bool) -> bool:
        context = self._text[max(0, start - 20) : start]
        return _KEY.search(context) is not None or (
            near and self._kind == "key" and _OTHER_KEY.search(context) is not None
        )

    def _is_index(self, start: int, end: int, before: str) -> bool:
        context = self._text[max(0, start - _BEFORE) : start]
        if before == ")":
            return _CALLED.search(context) is not None
        if before in "]'\"":
            return _KEYED.search(context) is not None
        word = _WORD.search(context)
        if word is None or not (before.isalnum() or before == "_"):
            return False
        name = word[0]
        if name[0] == "_" and name[-1] == "_":  # emphasis: `_slow_[1]`, `_[2]_`
            return False
        head, _, last = name.rpartition(".")
        if "_" in name or context[: word.start()].endswith("$") or name in _NAMES:
            return True
        if len(name) == 1 and name.isascii() and name.islower():
            return _MEASURED.search(context[: word.start()]) is None
        if head and head[-1].isalnum() and last.islower() and last not in _AFTER_DOT and len(last) > 1:
            return True
        return self._is_named(name, word.start(), context, end)

    def _is_named(self, name: str, place: int, context: str, end: int) -> bool:
        """Return whether a name that a sentence may have as well is used as one of code."""
        camel = name[:1].islower() and not name.islower()
        if name not in _CONTAINERS and not camel:
            return False
        if name not in self._named:
            if len(self._named) >= _MOST_NAMES:
                return False
            glued = rf"\b{re.escape(name)}\["
            if re.search(rf"{glued}0\]", self._text):
                self._named[name] = "code"
            elif re.search(rf"{glued}\d{{1,3}}\].{{0,14}}{glued}\d", self._text):
                self._named[name] = "often"
            else:
                self._named[name] = ""
        if self._named[name] == "code":
            return True
        found = _ACCESSED.search(context[:place]) is not None or (
            _DETERMINED.search(context[:place]) is None
            and (self._named[name] == "often" or _DONE_WITH_IT.match(self._text, end) is not None)
        )
        if found:
            self._named[name] = "code"
        return found
