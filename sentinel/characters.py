"""What is done to characters that not every store and every reader can hold: one rule for every door."""

from __future__ import annotations


def clean_text(text: str) -> str:
    """Return `text` with U+FFFD for lone surrogates and without NUL.

    The same for an answer event, a label file and a column, so that equal texts stay equal. Cleaned text
    stays as it is.
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            # Before NUL goes: two surrogates that it kept apart are no pair.
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", "") if "\x00" in text else text
