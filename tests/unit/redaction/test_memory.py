"""What a redacting process keeps of the texts it has seen: nothing that grows, and none of their words."""

from __future__ import annotations

import random

import pytest

from sentinel.errors import ConfigurationError
from sentinel.redaction import (
    CachedDetector,
    PatternDetector,
    RedactionParams,
    SpanCache,
    presidio,
    redact_texts,
)
from tests.unit.redaction.presidio_detector import PARAMS, detector


def fresh_words(rng: random.Random, count: int) -> list[str]:
    return ["".join(rng.choices("bcdfghklmnprstvwxz", k=11)) for _ in range(count)]


def test_the_model_keeps_no_word_of_a_text() -> None:
    model = detector()
    model.detect(["John Smith is here."])
    strings = model._nlp.vocab.strings
    before = len(strings)
    rng = random.Random(20261130)
    words = fresh_words(rng, 2000)
    for start in range(0, len(words), 50):
        model.detect([" ".join(words[start : start + 50])])
    assert len(strings) == before
    assert not [word for word in words if word in strings]


def test_it_finds_the_same_before_and_after_it_has_forgotten() -> None:
    text = "John Smith met Thandiwe Mokoena in Paris; mail zoe@corp.test."
    first = redact_texts([text], detector(), PARAMS)
    detector().detect([" ".join(fresh_words(random.Random(1), 500))])
    assert redact_texts([text], detector(), PARAMS) == first


def test_a_model_that_has_read_many_words_is_loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """spaCy's tables grow by every new word, also by those that it forgets."""
    monkeypatch.setattr(presidio, "_STRINGS_OF_A_MODEL", 2000)
    text, model, rng = (
        "John Smith met Thandiwe Mokoena in Paris.",
        presidio.PresidioDetector(PARAMS),
        random.Random(2),
    )
    found, loaded = model.detect([text]), model._nlp
    model.detect([" ".join(fresh_words(rng, 300))])
    assert model._nlp is loaded
    model.detect([" ".join(fresh_words(rng, 2000))])
    assert model._nlp is not loaded
    assert model.detect([text]) == found


def test_a_model_that_is_gone_by_then_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    model, rng = presidio.PresidioDetector(PARAMS), random.Random(3)
    found, loaded = model.detect(["John Smith is here."]), model._nlp
    monkeypatch.setattr(presidio, "_STRINGS_OF_A_MODEL", 400)

    def gone(name: str) -> None:
        raise ConfigurationError(f"the spaCy model {name!r} is not installed")

    monkeypatch.setattr(presidio, "_load_model", gone)
    model.detect([" ".join(fresh_words(rng, 500))])
    assert model._nlp is loaded
    assert model.detect(["John Smith is here."]) == found


def test_the_cache_holds_places_and_types_and_no_text() -> None:
    params = RedactionParams()
    cache = SpanCache(8, b"k" * 32)
    cached = CachedDetector(PatternDetector(params), cache)
    texts = [f"Mail zoe{number}@corp.test or call (212) 555-0{number:03d}." for number in range(40)]
    redact_texts(texts, cached, params)
    assert len(cache) == 8
    kept = repr(vars(cache))
    assert not [text for text in texts if text in kept]
    assert "corp" not in kept
    assert "555" not in kept
    other = SpanCache(8, b"l" * 32)
    assert cache.digest(texts[0]) != other.digest(texts[0])
