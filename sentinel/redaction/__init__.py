"""Personal data out, reasoning kept: pure, the detection model is passed in."""

from sentinel.redaction.answer import redact_answer, redact_answers, redactor_name
from sentinel.redaction.detector import CachedDetector, Detector, PatternDetector, SpanCache, needs_model
from sentinel.redaction.event_ids import personal_data_in_id
from sentinel.redaction.params import DEFAULT_ENTITIES, Recognizer, RedactionParams
from sentinel.redaction.spans import Span
from sentinel.redaction.values import pseudonym, redact_text, redact_texts, redact_value

__all__ = [
    "DEFAULT_ENTITIES",
    "CachedDetector",
    "Detector",
    "PatternDetector",
    "Recognizer",
    "RedactionParams",
    "Span",
    "SpanCache",
    "needs_model",
    "personal_data_in_id",
    "pseudonym",
    "redact_answer",
    "redact_answers",
    "redact_text",
    "redact_texts",
    "redact_value",
    "redactor_name",
]
