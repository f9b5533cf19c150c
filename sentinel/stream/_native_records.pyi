from typing import Final

class Record:
    size_in_bytes: Final[int]
    offset: Final[int]
    timestamp: Final[int]
    timestamp_type: Final[int]
    key: Final[bytes | None]
    value: Final[bytes | None]
    headers: Final[list[tuple[str, bytes | None]]]
    checksum: Final[None]
    def validate_crc(self) -> bool: ...

def records(
    buffer: bytes | bytearray | memoryview,
    start: int,
    count: int,
    base_offset: int,
    base_timestamp: int,
    is_log_append_time: bool,
    /,
) -> list[Record]: ...
