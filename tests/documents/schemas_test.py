"""The JSON Schemas: what people write and what the program prints keep to them, what is wrong does not, and readers know the same keys."""

import copy
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tomllib

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "jobs/schemas"
PLUMBLINE = os.environ["PLUMBLINE"]
SMALL = """
schema = "plumbline-campaign/1"
name = "small"
passes = ["time"]
counters = "none"
[timing]
min_seconds = 0.001
max_repetitions = 5
[[cases]]
kernel = "validation/triad"
precision = "fp64"
flavor = "*-O3-v2"
team = [{ranks = 1, threads = 1}]
params = {n = [1000, 20000]}
"""


def run(*words, codes=(0,), **options):
    done = subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True, timeout=120, **options)
    assert done.returncode in codes, (words, done.returncode, done.stdout[-1000:], done.stderr[-1000:])
    return done


@functools.cache
def validator(name):
    """The program is asked once for each schema."""
    schema = json.loads(run("schema", name).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def names():
    return [line.split()[0] for line in run("schema").stdout.splitlines()[2:]]


def keeps_to(name, document):
    errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in validator(name).iter_errors(document)]
    assert not errors, (name, errors[:5])


def test_the_files_are_what_the_program_says():
    assert sorted(path.stem for path in SCHEMAS.glob("*.json")) == sorted(names())
    for name in names():
        said = run("schema", name).stdout
        assert (SCHEMAS / f"{name}.json").read_text() == said, f"the file is old: build/bin/plumbline schema {name} > jobs/schemas/{name}.json"
    assert "no schema 'campain'" in run("schema", "campain", codes=(2,)).stderr


# -------------------------------------------------------------------------------------------------------------- what people write

def files(pattern, schema):
    found = [path for path in sorted(ROOT.glob(pattern)) if f'schema = "plumbline-{schema}/1"' in path.read_text()]
    assert found, pattern
    return found


WRITTEN = {
    "campaign": files("jobs/campaigns/**/*.toml", "campaign") + files("tests/**/*.toml", "campaign"),
    "events": files("harness/counters/events/*.toml", "events"),
    "expectations": files("jobs/expectations/*.toml", "expectations"),
    "machine": files("jobs/slurm/*.toml", "machine") + files("tests/cluster/*.toml", "machine"),
    "spec": files("tests/**/*.toml", "spec"),
}


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, paths in WRITTEN.items() for path in paths],
                         ids=[str(path.relative_to(ROOT)) for paths in WRITTEN.values() for path in paths])
def test_every_file_that_comes_along_keeps_to_its_schema(name, path):
    document = tomllib.loads(path.read_text())
    keeps_to(name, document)
    schema = validator(name)
    for place in tables_of(document):
        if place[-1:] == ["params"]:
            continue  # a kernel says which there are
        wrong = copy.deepcopy(document)
        at(wrong, place)["no_such_key"] = 1
        assert not schema.is_valid(wrong), place


def tables_of(document, place=()):
    """The place of each table in it."""
    if isinstance(document, dict):
        yield list(place)
    for key, value in document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ():
        yield from tables_of(value, (*place, key))


def at(document, place):
    for key in place:
        document = document[key]
    return document


def written(table, key, value):
    """A campaign with one key more, or another value of it."""
    head, lines = 'schema = "plumbline-campaign/1"\n', {"cases": 'kernel = "validation/triad"\n', "team": "", "range": ""}.get(table, "")
    lines = "".join(line for line in lines.splitlines(True) if not line.startswith(f"{key} "))
    case = '[[cases]]\nkernel = "validation/triad"\n'
    if table == "":
        return (head if key != "schema" else "") + f"{key} = {value}\n" + (case if key != "cases" else "")
    if table == "cases":
        return head + f"[[cases]]\n{lines}{key} = {value}\n"
    if table == "team":
        return head + case + f"team = {{{key} = {value}}}\n"
    if table == "range":
        return head + case + f"params = {{n = {{{key} = {value}}}}}\n"
    return head + case + f"[{table}]\n{key} = {value}\n"


def test_the_reader_of_campaigns_and_the_schema_know_the_same_keys_and_refuse_the_same_types(tmp_path):
    schema, tried = json.loads(run("schema", "campaign").stdout), 0
    tables = {"": schema, **schema["$defs"]}
    tables.pop("value")  # of parameters: no table
    for table, described in tables.items():
        for key in [*described["properties"], "no_such_key"]:
            campaign = tmp_path / "wrong.toml"
            campaign.write_text(written(table, key, "1979-05-27"))  # which is no key's value
            refused = run("run", campaign, "--dry-run", codes=(2,)).stderr
            assert ("unknown key" in refused) == (key == "no_such_key"), (table, key, refused)
            document = tomllib.loads(campaign.read_text())
            assert not validator("campaign").is_valid(document), (table, key)
            tried += 1
    assert tried > 40


# -------------------------------------------------------------------------------------------------------------- what is printed

@pytest.fixture(scope="module")
def nights(tmp_path_factory):
    """A folder of three nights of a small campaign, and it."""
    folder = tmp_path_factory.mktemp("nights")
    (folder / "small.toml").write_text(SMALL)
    for number in range(3):
        run("run", folder / "small.toml", "-o", folder / f"{number}.h5")
    return folder


def printed(name, *words, codes=(0,), **options):
    return kept(name, json.loads(run(*words, "--json", codes=codes, **options).stdout))


OF_FILES = {"show-machine"}  # rows as the program that measured stored them: it may have known more


def kept(name, document):
    keeps_to(name, document)
    for wrong in ({**document, "rows": None}, {**document, "no_such_key": 1}, {key: value for key, value in document.items() if key != "notes"}):
        assert not validator(name).is_valid(wrong)
    if document["rows"] and name not in OF_FILES:
        first = copy.deepcopy(document)
        first["rows"][0]["no_such_key"] = 1
        assert not validator(name).is_valid(first)
    return document


def test_every_command_that_prints_json_has_a_schema():
    commands = re.split(r"^## plumbline ", run("manual", "--markdown").stdout, flags=re.M)[1:]
    printing = {command.split()[0] for command in commands if re.search(r"^\| `--json`", command, flags=re.M)}
    described = {line.split()[2] for line in run("schema").stdout.splitlines() if " --json" in line}
    assert printing == described and len(printing) > 10


def words_in(name, schema):
    """Yields the place and the schema of each value that is a word of a few."""
    for key, value in {**schema.get("properties", {}), **schema.get("patternProperties", {})}.items():
        if re.search(r"(status|verdict|grade|state|join|factor)\W*$", key) and "string" in value.get("type", ()):
            yield f"{name}/{key}", value
        yield from words_in(f"{name}/{key}", value)
    for inner in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from words_in(name, inner)


def test_words_of_a_few_are_listed():
    found = [one for name in names() for one in words_in(name, json.loads(run("schema", name).stdout))]
    assert len(found) > 50 and not [place for place, schema in found if not schema.get("enum")]
    schemas = dict(found)
    assert schemas["health/rows/verdict"]["enum"] == ["OK", "WRONG RESULT", "SLOWER", "FAILED", "MISSING"]
    assert "creeps up" in schemas["history/rows/state"]["enum"]
    counter = json.loads(run("schema", "score").stdout)["properties"]["counters"]["items"]["properties"]
    kinds = counter["findings"]["items"]["properties"]["kind"]["enum"]
    assert kinds[0] == "always_nothing" and kinds[-1] == "of_code" and len(set(kinds)) == len(kinds) > 40


@pytest.mark.parametrize("what", ["kernels", "counters", "campaigns", "ceilings", "counters --family nvidia-gh100", "counters --family amd-zen4"])
def test_lists(what):
    assert printed("list", "list", *what.split())["rows"]


def test_nights(nights):
    assert printed("history", "history", nights)["rows"]
    assert printed("compare", "compare", nights / "0.h5", nights / "1.h5")["rows"]
    assert printed("check", "check", nights / "2.h5", "--baseline", nights, codes=(0, 3))["rows"]
    assert printed("nodes", "nodes", nights / "0.h5")["rows"]
    assert printed("show", "show", nights / "0.h5")["rows"]
    assert printed("expect", "expect", nights / "0.h5", codes=(0, 3))["rows"]


def test_health(nights, tmp_path):
    shutil.copy(nights / "small.toml", tmp_path)
    document = printed("health", "health", tmp_path / "small.toml", "--history", nights, codes=(0, 3), cwd=tmp_path)
    assert document["rows"] and document["check"]


def test_what_can_be_measured_here():
    document = printed("doctor", "doctor")
    assert document["rows"] and document["counting"] and document["machine"]


def test_a_profile():
    done = run("profile", "--count-only", "--json", "--", "true", codes=(0, 2))
    if done.returncode == 2:
        pytest.skip("SKIP: " + done.stderr.strip())
    assert {row["kind"] for row in kept("profile", json.loads(done.stderr))["rows"]} >= {"total", "rank", "function", "process", "thread"}


def test_the_profile_of_a_result_file(tmp_path):
    profile = tmp_path / "true.h5"
    done = run("profile", "--roofs=no", "--caches=no", "-o", profile, "--", "true", codes=(0, 2))
    if done.returncode == 2:
        pytest.skip("SKIP: " + done.stderr.strip())
    assert {row["kind"] for row in printed("show", "show", profile)["profile"]["rows"]} >= {"total", "function", "process", "thread"}
    assert printed("compare-profile", "compare", profile, profile)["rows"]


def test_counters_and_groups_of_cases():
    document = printed("score", "score", ROOT / "tests/golden/schema1_2026-11.h5", "--by", "kernel,level", codes=(0, 4))
    assert document["rows"] and document["counters"] and document["groups"]


GOLDEN = sorted((ROOT / "tests/golden").rglob("*.h5"))


@pytest.mark.parametrize("file", GOLDEN, ids=[path.name for path in GOLDEN])
def test_files_that_are_kept(file):
    printed("nodes", "nodes", file, codes=(0, 3, 4))  # whatever was found
    assert printed("ceilings", "ceilings", file)["rows"] or file.name.startswith("profile_"), "the profile was taken without roofs"
    printed("show", "show", file, "--by", "accesses x 16 B")
    assert printed("show-machine", "show", file, "--machine")["provenance"]
    printed("compare", "compare", file, GOLDEN[0], codes=(0, 3, 4))
    printed("score", "score", file, codes=(0, 4))


def test_what_is_imported(tmp_path):
    data = ROOT / "tests/imports/data"
    run("import", "ncu", data / "gpp_ncu_raw.csv", "--ceilings", data / "v100.toml", "-o", tmp_path / "gpp.h5")
    [case, *_] = printed("show", "show", tmp_path / "gpp.h5")["rows"]
    assert case["flops_by_precision"]
    assert printed("ceilings", "ceilings", tmp_path / "gpp.h5")["rows"]


SPEC = 'schema = "plumbline-spec/1"\nname = "{name}"\n[[ceilings]]\nname = "mem"\nvalue = {value}\nunit = "GB/s"\nmethod = "STREAM"\n'
APP = 'schema = "plumbline-app/1"\nrest_seconds = 1.5\n[[groups]]\nname = "sweep"\nseconds = 10.0\nkind = "threaded"\nbound = "mem"\n'


def test_projections(tmp_path):
    for name, text in (("here", SPEC.format(name="here", value=50)), ("there", SPEC.format(name="there", value=75.5)), ("app", APP)):
        (tmp_path / f"{name}.toml").write_text(text)
        keeps_to("app" if name == "app" else "spec", tomllib.loads(text))
        for wrong in (text.replace("name", "nmae"), text.replace("mem", "[]", 1).replace('"[]"', "7")):
            assert not validator("app" if name == "app" else "spec").is_valid(tomllib.loads(wrong))
    there = printed("project", "project", tmp_path / "here.toml", "--to", tmp_path / "there.toml", "--app", tmp_path / "app.toml")
    assert there["rows"][0]["groups"]


def test_a_chosen_set(tmp_path):
    text = (
        'schema = "plumbline-counters/1"\nmachine = "a CPU"\nscored = "a.h5"\n[[counter]]\nname = "fma"\nbackend = "emulated"\nsees = ["flops.fp64"]\n'
        'terms = [{event = "fp64_fma", weight = 2.0, kind = "fma"}]\ngrade = "A"\nfactor = 1.0\nratio_least = 1.0\nratio_most = 1.0\ncases = 12\n'
        'evidence = "A"\n[[group]]\nbackend = "emulated"\nevents = ["fp64_fma"]\n'
    )
    keeps_to("counter-set", tomllib.loads(text))
    for wrong in (text.replace("cases", "casse"), text.replace('"A"', '"Z"', 1), text.replace("12", '"12"'), text.replace("weight", "wieght")):
        assert not validator("counter-set").is_valid(tomllib.loads(wrong))


def test_markdown_has_a_line_a_row(nights):
    kept = ROOT / "tests/golden/projecting/zen4_vm.h5"  # of what is measured now all may be disturbed, and not be compared
    for words in (["compare", kept, kept], ["history", nights], ["nodes", nights / "0.h5"], ["list", "kernels"]):
        lines = run(*words, "--markdown").stdout.splitlines()
        rows = json.loads(run(*words, "--json").stdout)["rows"]
        if words[0] == "compare":  # what cannot be compared has no place in its table
            rows = [row for row in rows if row["status"] == "ok"]
        table = lines[: 2 + len(rows)]
        assert all(line.startswith("| ") for line in table), lines
        assert len({line.replace("\\|", "").count("|") for line in table}) == 1
