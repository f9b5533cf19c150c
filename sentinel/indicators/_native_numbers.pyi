from typing import Any

def plain_numbers(
    text: str,
    has_minus_words: bool,
    telling: frozenset[bytes],
    money: frozenset[bytes],
    evidence: list[frozenset[Any]],
    /,
) -> tuple[list[int], list[int], list[int]]: ...
