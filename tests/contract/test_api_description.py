"""The API against its description: no request, however odd, meets a fault or an undescribed answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from sentinel.review.identity.permission import Role
from sentinel.store import reports
from sentinel.store.database import Database
from tests.contract.store_samples import DAY, NOON, NOW
from tests.contract.workbench import Workbench, fill, with_access

UNLIMITED = with_access(
    sign_ins_per_minute=10**6, submits_per_minute=10**6, submits_per_minute_of_address=10**6
)
CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workbench, str]]:
    """A workbench of its own with answers, labels, a report; one for all examples."""
    with Database(f"sqlite:///{tmp_path_factory.mktemp('api')}/store.db") as database:
        database.upgrade()
        event_ids = fill(database)
        with database.begin() as conn:
            reports.save_report(conn, reports.Period(NOON, NOON + DAY), {"rates": {}}, NOW, 0)
        bench = Workbench(database, UNLIMITED)
        token = bench.add("person-admin", str(Role.ADMIN))
        claim = {"text": "Parcel 0 takes two days", "label": "supported"}
        label = {"event_id": event_ids[0], "answered": True, "abstention": "none", "claims": [claim]}
        assert bench.program(token).post("/api/v1/labels", json=label).status_code == 201
        yield bench, token


@pytest.fixture(scope="module")
def api(served: tuple[Workbench, str]) -> Any:
    bench, _ = served
    document = TestClient(bench.app, "http://127.0.0.1:8080").get("/api/v1/openapi.json").json()
    loaded = schemathesis.openapi.from_dict(document)
    loaded.app = bench.app
    return loaded


BOUNDED = settings(
    max_examples=12,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("mode", GenerationMode)
def test_no_request_meets_a_fault_of_ours(
    api: Any, served: tuple[Workbench, str], mode: GenerationMode
) -> None:
    """`positive` requests follow the description, `negative` ones break it."""
    bench, _ = served
    headers: dict[str, str] = {}
    answered: Counter[int] = Counter()

    def check(case: schemathesis.Case) -> None:
        answer = case.call(base_url="http://127.0.0.1:8080", headers=headers, app=bench.app)
        answered[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    for found in api.get_all_operations():
        operation = found.ok()
        # Some requests end the access of whoever sends them.
        headers["Authorization"] = f"Bearer {bench.add('person-admin', str(Role.ADMIN))}"
        try:
            BOUNDED(given(operation.as_strategy(generation_mode=mode))(check))()
        except Unsatisfiable:
            assert mode is GenerationMode.NEGATIVE, "what takes nothing cannot be asked wrongly"
    assert answered.total() > 60
    assert answered[200] if mode is GenerationMode.POSITIVE else answered[422]


def test_the_description_is_complete(api: Any) -> None:
    document = api.raw_schema
    assert document["openapi"].startswith("3.")
    assert document["security"] == [{"token": []}]
    for path, operations in document["paths"].items():
        assert path.startswith("/api/v1/")
        for operation in operations.values():
            assert operation.get("description"), path
            assert {"200", "201", "204"} & set(operation["responses"])
            for status in ("401", "403", "422", "429", "503"):
                content = operation["responses"][status]["content"]
                assert list(content) == ["application/problem+json"], (path, status)
    assert "Problem" in document["components"]["schemas"]


def test_every_body_has_an_example_that_is_taken(api: Any) -> None:
    document = api.raw_schema
    schemas, bodies = document["components"]["schemas"], 0
    assert schemas["Problem"]["examples"]
    for path, operations in document["paths"].items():
        for operation in operations.values():
            content = operation.get("requestBody", {}).get("content", {})
            name = content.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
            if name:
                bodies += 1
                assert schemas[name].get("examples"), (path, name)
                whole = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
                for example in schemas[name]["examples"]:
                    Draft202012Validator(whole).validate(example)
    assert bodies > 12
