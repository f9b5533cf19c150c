"""`sentinel estimate`: what it prints, and how it refuses what it cannot use."""

from __future__ import annotations

import json
import math

import pytest
import typer
from typer.testing import CliRunner

from sentinel.cli.estimate import estimate

APP = typer.Typer()
APP.command("estimate")(estimate)

HEADER = (
    "event_id,pi,labelled,answered,verifiable_claims,unsupported_claims,critical_unsupported,slice,version"
)
ROWS = [
    f"e{i},0.25,1,1,4,{int(i % 5 == 0)},0,{'billing' if i % 2 else 'legal'},v{1 + i % 3 // 2}"
    for i in range(60)
]


def _run(tmp_path, text, *options):
    path = tmp_path / "sample.csv"
    path.write_text(text, encoding="utf-8")
    return CliRunner().invoke(APP, [str(path), *options])


def _document(tmp_path, *options, rows=ROWS, header=HEADER):
    result = _run(tmp_path, "\n".join([header, *rows]), "--json", *options)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_json_has_the_promised_keys(tmp_path):
    document = _document(tmp_path, "--domains", "slice,version", "--contrast", "version:v1,v2")
    assert (document["n_units"], document["n_labelled"], document["sum_weights"]) == (60, 60, 240.0)
    assert (document["effective_sample_size"], document["degrees_of_freedom"]) == (60.0, 59)
    assert document["totals"]["hallucinated_cases"]["estimate"] == 48.0
    assert document["case_rate"]["estimate"] == pytest.approx(0.2)
    assert document["claim_rate"]["estimate"] == pytest.approx(0.05)
    assert set(document["domains"]) == {"slice=billing", "slice=legal", "version=v1", "version=v2"}
    change = document["contrast"]["case_rate"]
    sides = [document["domains"][f"version={v}"]["case_rate"] for v in ("v1", "v2")]
    assert change["difference"] == pytest.approx(sides[1]["estimate"] - sides[0]["estimate"])
    assert change["se"] ** 2 == pytest.approx(sides[0]["se"] ** 2 + sides[1]["se"] ** 2)
    assert change["lower"] < change["difference"] < change["upper"]
    ratio = change["log_ratio"]
    assert ratio["estimate"] == pytest.approx(math.log(sides[1]["estimate"] / sides[0]["estimate"]))
    assert ratio["lower"] < ratio["estimate"] < ratio["upper"]
    assert (ratio["level"], ratio["status"]) == (0.95, change["status"])


def test_a_table_is_printed_without_json(tmp_path):
    result = _run(tmp_path, "\n".join([HEADER, *ROWS]), "--domains", "slice")
    assert result.exit_code == 0
    for shown in (
        "60 labelled of 60 drawn units",
        "20.00 %",
        "12 / 60",
        "slice=legal case_rate",
        "units: 240.0",
    ):
        assert shown in result.stdout


def test_help_has_an_example():
    result = CliRunner().invoke(APP, ["--help"])
    assert result.exit_code == 0
    assert "Example: sentinel estimate sample.csv" in " ".join(result.stdout.split())


def test_standard_input(tmp_path):
    result = CliRunner().invoke(APP, ["-", "--json"], input="\n".join([HEADER, *ROWS]))
    assert json.loads(result.stdout)["n_units"] == 60


def test_a_slice_only_the_population_knows_is_null(tmp_path):
    known = tmp_path / "population.json"
    known.write_text(json.dumps({"slice": {"billing": 120, "legal": 110, "vip": 10}}))
    document = _document(tmp_path, "--domains", "slice", "--population", str(known))
    vip = document["domains"]["slice=vip"]
    assert vip["n_units"] == 0
    assert (vip["case_rate"]["estimate"], vip["case_rate"]["status"]) == (None, "no_data")
    assert vip["totals"]["units"] == {"estimate": None, "se": None, "status": "no_data"}


def test_calibration_meets_the_population(tmp_path):
    known = tmp_path / "population.json"
    known.write_text(json.dumps({"N": 300, "slice": {"billing": 200, "legal": 100}}))
    for method in ("poststratify", "linear", "raking"):
        document = _document(
            tmp_path,
            "--calibrate",
            "slice",
            "--method",
            method,
            "--population",
            str(known),
            "--domains",
            "slice",
        )
        assert document["totals"]["units"]["estimate"] == pytest.approx(300)
        assert document["totals"]["units"]["se"] == pytest.approx(0, abs=1e-6)
        assert document["domains"]["slice=billing"]["totals"]["units"]["estimate"] == pytest.approx(200)


def test_rows_not_drawn_carry_judge_scores_and_nothing_else(tmp_path):
    header = HEADER + ",sampled,score"
    rows = [f"{row},1,{0.9 if row.split(',')[5] == '1' else 0.1}" for row in ROWS]
    rows += [f"u{i},0.25,1,1,4,4,4,billing,v1,0,0.2" for i in range(180)]
    document = _document(tmp_path, "--judge", "score", rows=rows, header=header)
    assert document["n_units"] == 60
    assert document["case_rate"]["numerator"] == 12
    judged = document["judge_assisted"]["case_rate"]
    assert judged["se"] < document["case_rate"]["se"] / 1e3
    assert judged["judge_weight"] == pytest.approx(1.25)
    plain = _document(tmp_path, "--judge", "score", "--judge-weight", "0", rows=rows, header=header)
    assert plain["judge_assisted"]["case_rate"]["estimate"] == document["case_rate"]["estimate"]


def test_missing_labels_have_worst_cases(tmp_path):
    rows = [row.replace(",1,1,4,0,0,", ",0,1,,,,", 1) if i % 7 == 1 else row for i, row in enumerate(ROWS)]
    document = _document(tmp_path, "--nonresponse", "slice", rows=rows)
    case = document["case_rate"]
    assert document["n_labelled"] < document["n_units"] == 60
    assert case["worst_case_lower"] < case["estimate"] < case["worst_case_upper"]
    assert document["weighted_response_rate"] == pytest.approx(document["n_labelled"] / 60)


def _with(column, value):
    cells = ROWS[1].split(",")
    cells[HEADER.split(",").index(column)] = value
    return "\n".join([HEADER, ROWS[0], ",".join(cells)])


BAD_TABLES = {
    "empty file": ("", "empty"),
    "header only": (HEADER, "no rows"),
    "no pi": ("\n".join([HEADER.replace("pi", "p"), *ROWS]), "missing column pi"),
    "several missing": ("a,b\n1,2", "missing columns pi, labelled"),
    "column twice": ("\n".join([HEADER.replace("slice", "pi"), *ROWS]), "more than once"),
    "short row": ("\n".join([HEADER, ROWS[0], "e9,0.2,1"]), "line 3 has 3 cells"),
    "pi zero": (_with("pi", "0"), "line 3: pi"),
    "pi negative": (_with("pi", "-0.1"), "line 3: pi"),
    "pi over one": (_with("pi", "1.0001"), "line 3: pi"),
    "pi a percentage": (_with("pi", "25%"), "line 3: pi"),
    "pi nan": (_with("pi", "NaN"), "line 3: pi"),
    "pi infinite": (_with("pi", "inf"), "line 3: pi"),
    "pi empty": (_with("pi", ""), "line 3: pi"),
    "pi with underscore": (_with("pi", "0.2_5"), "line 3: pi"),
    "pi vanishing": (_with("pi", "1e-320"), "line 3: pi"),
    "labelled not a flag": (_with("labelled", "yes"), "line 3: labelled"),
    "answered unknown": (_with("answered", ""), "line 3: answered"),
    "claims a word": (_with("verifiable_claims", "four"), "line 3: verifiable_claims"),
    "claims missing": (_with("unsupported_claims", ""), "line 3: unsupported_claims"),
    "claims half": (_with("verifiable_claims", "4.5"), "line 3: verifiable_claims"),
    "claims negative": (_with("verifiable_claims", "-4"), "line 3: verifiable_claims"),
    "claims absurd": (_with("verifiable_claims", "1e300"), "line 3: verifiable_claims"),
    "more unsupported than verifiable": (_with("unsupported_claims", "9"), "line 3: more unsupported_claims"),
    "more critical than unsupported": (_with("critical_unsupported", "9"), "line 3: more critical"),
    "an answer twice": (_with("event_id", "e0"), "line 3 repeats the event_id of line 2"),
    "not a table": ("\x00\x01\x02", "missing columns"),
    "open quote": (HEADER + '\n"e1,0.2', "CSV"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_bad_table_is_one_clear_line(tmp_path, name):
    text, said = BAD_TABLES[name]
    _assert_refused(_run(tmp_path, text, "--json"), said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--domains", "tenant"], "no column tenant"),
        (["--domains", "slice,,version"], "--domains"),
        (["--cluster", "conversation"], "no column conversation"),
        (["--ci", "bootstrap"], "--ci"),
        (["--variance", "jackknife"], "--variance"),
        (["--method", "magic"], "--method"),
        (["--level", "95"], "level"),
        (["--level", "nan"], "level"),
        (["--contrast", "version"], "--contrast"),
        (["--contrast", "version:v1,v9"], "no value 'v9'"),
        (["--contrast", "tenant:a,b"], "no column tenant"),
        (["--calibrate", "slice"], "--population"),
        (["--nonresponse", "band"], "no column band"),
        (["--judge", "slice"], "slice must be a finite number"),
        (["--judge", "pi"], "--judge needs"),
        (["--judge", "pi", "--judge-weight", "heavy"], "--judge-weight"),
        (["--population", "absent.json"], "cannot be read"),
    ],
)
def test_bad_options_are_one_clear_line(tmp_path, options, said):
    _assert_refused(_run(tmp_path, "\n".join([HEADER, *ROWS]), *options), said)


@pytest.mark.parametrize("content", ["", "[]", "{", '{"N": "many"}', '{"N": 9, "slice": {"billing": 3}}'])
def test_a_bad_population_is_one_clear_line(tmp_path, content):
    known = tmp_path / "population.json"
    known.write_text(content)
    options = ["--calibrate", "slice", "--population", str(known)]
    _assert_refused(_run(tmp_path, "\n".join([HEADER, *ROWS]), *options), "population")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", None], ids=["not UTF-8", "absent"])
def test_an_unreadable_file_is_one_clear_line(tmp_path, content):
    path = tmp_path / "sample.csv"
    if content is not None:
        path.write_bytes(content)
    _assert_refused(CliRunner().invoke(APP, [str(path)]), "sample.csv")


def _assert_refused(result, said):
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1
    assert said in lines[0]
    assert isinstance(result.exception, SystemExit)
