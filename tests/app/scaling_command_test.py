"""`plumbline project FILE --nodes`: applications on whole allocations, from a real run on two ranks of this machine. PLUMBLINE and PLUMBLINE_MPIEXEC
name the programs. No time is asserted, only what follows from what the same file measured.
"""

import json
import math
import os
import platform
import shutil
import subprocess

import pytest

PLUMBLINE, MPIEXEC = os.environ["PLUMBLINE"], os.environ["PLUMBLINE_MPIEXEC"]
ISA = "neon" if platform.machine() == "aarch64" else "v2"
LINK = ("--link-latency", "2e-6", "--link-gbs", "10")
CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "scaling"
passes = ["time"]
counters = "none"
oversubscribe = true
[timing]
min_seconds = 0.002
max_repetitions = 10
[[cases]]
kernel = "proxies/heat2d"
precision = ["fp64"]
flavor = ["gcc-O3-{isa}"]
team = [{{ranks = 1, threads = 1}}, {{ranks = 2, threads = 1}}]
params = {{ n = 256, steps = 4 }}
[[cases]]
kernel = "proxies/cg"
precision = ["fp64"]
flavor = ["gcc-O3-{isa}"]
team = [{{ranks = 1, threads = 1}}, {{ranks = 2, threads = 1}}]
params = {{ n = 16, planes = [8, 16], levels = 2, iterations = 2 }}
[[cases]]
kernel = "proxies/sparse_lu"
precision = ["fp64"]
flavor = ["gcc-O3-{isa}"]
team = [{{ranks = 1, threads = 1}}]
params = {{ n = 8, lines = 8, planes = 4 }}
[[cases]]
kernel = "validation/triad"
precision = ["fp64"]
flavor = ["gcc-O3-{isa}"]
team = [{{ranks = 1, threads = 1}}]
params = {{ n = 1000 }}
[ceilings]
mode = "{mode}"
rounds = 2
only = ["MPI *"]
"""


def project(*words, code=0):
    done = subprocess.run([PLUMBLINE, "project", *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def told(*words):
    document = json.loads(project(*words, "--json"))
    assert document["schema"] == "plumbline-project-scaling/1"
    return document


def one_line(*words):
    message = project(*words, code=2)
    assert len(message.splitlines()) == 1, message
    return message


def run(folder, mode):
    (folder / "scaling.toml").write_text(CAMPAIGN.format(isa=ISA, mode=mode))
    words = [MPIEXEC, "-n", "2", PLUMBLINE, "run", "scaling.toml", "-o", "scaling.h5"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=200, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "scaling.h5"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("SKIP: two ranks that exchange messages need two cores")
    return run(tmp_path_factory.mktemp("scaling"), "quick")


@pytest.fixture(scope="module")
def document(store):
    return told(store, "--nodes", "1:10000", *LINK)


def test_one_node_takes_what_was_measured_and_the_parts_are_the_whole(store, document):
    shown = subprocess.run([PLUMBLINE, "show", store, "--json"], capture_output=True, text=True, check=True)
    measured = {row["case"]: row["seconds"] for row in json.loads(shown.stdout)["rows"]}
    assert {row["case"].split("/")[1] for row in document["rows"]} == {"heat2d", "cg"}
    for row in document["rows"]:
        assert "/r2t1/" in row["case"] and row["ranks"] == 2 * row["nodes"]
        assert row["seconds_lo"] <= row["seconds"] <= row["seconds_hi"]
        assert sum(row[f"{spent}_share"] for spent in ("computing", "exchanging", "summing", "waiting")) == pytest.approx(1)
        assert all(row[f"{spent}_share"] >= 0 for spent in ("computing", "exchanging", "summing", "waiting"))
        if row["nodes"] == 1:
            assert row["efficiency"] == pytest.approx(1)
            # Where others made messages slow while they were measured, they alone may take longer than the sweep did.
            messages = (row["exchanging_share"] + row["summing_share"]) * row["seconds"]
            assert row["seconds"] == pytest.approx(measured[row["case"]], rel=1e-6) or messages >= measured[row["case"]]


def test_weak_scaling_goes_to_the_last_node_and_strong_scaling_to_the_last_cut(document):
    for summary in document["applications"]:
        nodes = [row["nodes"] for row in document["rows"] if (row["case"], row["scaling"]) == (summary["case"], summary["scaling"])]
        assert nodes[0] == 1 and nodes == sorted(nodes)
        assert nodes[-1] == (10000 if summary["scaling"] == "weak" else summary["most_nodes"])
        if "heat2d" in summary["case"] and summary["scaling"] == "strong":
            assert summary["most_nodes"] == summary["layers"] == 256 and summary["layer"] == "rows"


def test_more_nodes_are_never_better_used_by_weak_scaling(document):
    for summary in document["applications"]:
        if summary["scaling"] == "weak":
            rows = [row for row in document["rows"] if (row["case"], row["scaling"]) == (summary["case"], "weak")]
            assert rows[-1]["efficiency"] < 1 and rows[-1]["summing_share"] * rows[-1]["seconds"] > rows[0]["summing_share"] * rows[0]["seconds"]


def test_the_projection_from_one_rank_is_held_against_two(document):
    held = {(row["scaling"], row["to"].split("/")[1], row["to"]): row for row in document["held"]}
    assert {(scaling, kernel) for scaling, kernel, _ in held} == {("weak", "heat2d"), ("weak", "cg"), ("strong", "cg")}
    for row in held.values():
        assert row["from_ranks"] == 1 and row["ranks"] == 2
        assert row["projected_lo"] <= row["projected_seconds"] <= row["projected_hi"]
        assert row["error_percent"] == pytest.approx(100 * (row["projected_seconds"] / row["measured_seconds"] - 1))
        assert row["is_inside"] == (row["projected_lo"] <= row["measured_seconds"] <= row["projected_hi"])
        # Others compute on this machine, too, so that two ranks may take many times as long as one.
        assert row["remark"] or 0.05 < row["projected_seconds"] / row["measured_seconds"] < 20
    [strong] = [row for key, row in held.items() if key[0] == "strong"]
    assert "planes=16" in strong["from"] and "planes=8" in strong["to"]


def beside(one, other):
    """The rows of two documents that are of the same nodes."""
    rows = {(row["case"], row["scaling"], row["nodes"]): row for row in one["rows"]}
    pairs = [(rows[key], row) for row in other["rows"] if (key := (row["case"], row["scaling"], row["nodes"])) in rows]
    assert len(pairs) >= len(one["rows"]) / 2
    return pairs


def test_the_same_seed_tells_the_same_and_another_one_nearly(store, document):
    assert told(store, "--nodes", "1:10000", *LINK) == document
    other = told(store, "--nodes", "1:10000", *LINK, "--seed", "2")
    for one, row in beside(document, other):
        assert row["seconds"] == pytest.approx(one["seconds"], rel=0.2)


def test_a_slower_link_takes_longer_between_nodes_and_none_inside(store, document):
    slow = told(store, "--nodes", "1:10000", "--link-latency", "1e-3", "--link-gbs", "0.1")
    for one, row in beside(document, slow):
        assert row["seconds"] == one["seconds"] if row["nodes"] == 1 else row["seconds"] > one["seconds"]
    assert any(summary["half_nodes"] for summary in slow["applications"])
    for summary in slow["applications"]:  # the size where communication takes half has a row of its own
        own = {row["nodes"]: row["computing_share"] for row in slow["rows"] if (row["case"], row["scaling"]) == (summary["case"], summary["scaling"])}
        assert list(own) == sorted(own)
        assert not summary["half_nodes"] or own[summary["half_nodes"]] <= 0.5


def test_tables_for_people(store):
    text = project(store, "--nodes", "1:4", "--scaling", "weak", *LINK)
    assert "weak scaling from 2 ranks on a node" in text and "strong scaling" not in text
    # Where others compute, too, it may be that no pair is a fair test.
    fair = any(not row["remark"] for row in told(store, "--nodes", "1:4", "--scaling", "weak", *LINK)["held"])
    assert ("held against measurement: " if fair else "held against nothing: no pair") in text
    assert "sparse_lu: nobody wrote down how its ranks divide their data" in text
    assert project(store, "--nodes", "1:4", *LINK, "--markdown").startswith("| case")
    head, *lines = project(store, "--nodes", "4", "--kernel", "*heat2d*", "--scaling", "weak", *LINK, "--csv").splitlines()
    assert head.startswith("table,") and [line.split(",")[0] for line in lines] == ["scaling", "applications", "held"]


def test_where_every_repetition_was_disturbed_nothing_is_a_fair_test(store, tmp_path):
    h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
    disturbed = tmp_path / "disturbed.h5"
    shutil.copy(store, disturbed)
    with h5py.File(disturbed, "r+") as file:
        times = file["times"][:]
        times["cpu_share"] = 0.5
        file["times"][...] = times
    held = told(disturbed, "--nodes", "1:4", "--scaling", "weak", *LINK)["held"]
    assert held and all("disturbed" in row["remark"] for row in held)
    assert "held against nothing: no pair" in project(disturbed, "--nodes", "1:4", "--scaling", "weak", *LINK)


def test_what_became_known_goes_into_a_record_of_its_own_kind(store, document, tmp_path):
    path = tmp_path / "record.json"
    message = told(store, "--nodes", "1", "--record", path)["notes"]
    rows = json.loads(path.read_text())["rows"]
    fair = [row for row in document["held"] if not row["remark"]]
    assert len(rows) == len(fair) and any(f"holds {len(rows)} pairs" in note for note in message)
    for row, held in zip(rows, fair):
        assert row["kind"] == f"ranks, {held['scaling']}" and row["from"] == f"scaling {held['from']}" and row["to"] == f"scaling {held['to']}"
        assert row["log_error"]["overlap"] == pytest.approx(math.log(held["projected_seconds"] / held["measured_seconds"]), abs=1e-9)
        assert row["log_error"]["bandwidth"] is None
    again = told(store, "--nodes", "1", "--record", path)
    assert len(json.loads(path.read_text())["rows"]) == len(rows), "the same pairs once more take the place of those"
    assert all(row["learned_pairs"] == 0 for row in again["held"]), "pairs of two kernels make no interval"
    assert not again["held"] or any("the model's own" in note for note in again["notes"])


@pytest.mark.parametrize("nodes", ["5:2", "0:3", "a:b", "1:", ":4", "1:2:3", "1:99999999", "-1"])
def test_a_range_that_is_none_is_one_line(store, nodes):
    message = one_line(store, f"--nodes={nodes}", *LINK)
    assert "must be a number or FROM:TO" in message


def test_what_is_wrong_is_one_line(store, tmp_path):
    assert "--link-latency" in one_line(store, "--nodes", "1:2")
    assert "together" in one_line(store, "--nodes", "1:2", "--link-gbs", "1")
    assert "must be strong, weak or both" in one_line(store, "--nodes", "1:2", "--scaling", "up", *LINK)
    assert "for other nodes" in one_line(store, "--nodes", "1:2", "--to", store, *LINK)
    assert "timed by phases" in one_line(store, "--nodes", "1:2", "--kernel", "*triad*", *LINK)
    assert "nobody wrote down" in one_line(store, "--nodes", "1:2", "--kernel", "*sparse_lu*", *LINK)
    for words in (("--method", "all"), ("--rest", "constant")):
        assert words[0] in one_line(store, "--nodes", "1:2", *words, *LINK)
    for seed in ("-1", "1.5", "many"):
        assert "a whole number" in one_line(store, "--nodes", "1:2", f"--seed={seed}", *LINK)
    spec = tmp_path / "spec.toml"
    spec.write_text("")
    assert "result file" in one_line(spec, "--nodes", "1:2")
    assert project(store, "--nodes", "1", "--kernel", "*heat2d*"), "one node needs no link"


def test_a_file_without_ceilings_of_messages_is_one_line(tmp_path):
    assert "no ceilings of messages" in one_line(run(tmp_path, "none"), "--nodes", "1:2", *LINK)


def test_the_document_keeps_to_its_schema(document):
    jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")
    schema = json.loads(subprocess.run([PLUMBLINE, "schema", "project-scaling"], capture_output=True, check=True).stdout)
    jsonschema.Draft202012Validator(schema).validate(document)
