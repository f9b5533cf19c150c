from sentinel.records import Passage

def read_passages(
    retrieved: tuple[Passage, ...], /
) -> tuple[tuple[str, ...], bool, float | None, float | None, bool]: ...
