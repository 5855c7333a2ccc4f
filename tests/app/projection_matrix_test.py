"""Cases that really were timed on unlike kinds of node, kept by CPU model under tests/golden/projecting, are projected onto each other by today's
program. PLUMBLINE names it.

A file is what `mpiexec -n 2 plumbline run quick -o FILE` leaves (or `projection`, a campaign with more pairs) on a machine that does nothing else. A CPU that is met for the first time gets
one: the name of its microarchitecture, and "_vm" where a hypervisor was in between.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"
KEPT = sorted((GOLDEN / "projecting").glob("*.h5"))
METHODS = ["bandwidth", "roofline", "efficiency", "overlap", "ensemble"]


def plumbline(*arguments, code=0):
    done = subprocess.run([os.environ["PLUMBLINE"], "project", *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def one_line(*arguments):
    message = plumbline(*arguments, code=2)
    assert len(message.splitlines()) == 1, message
    return message


@pytest.fixture(scope="module")
def matrix():
    return json.loads(plumbline(*KEPT, "--matrix", "--json"))


def test_every_pair_is_told_by_every_method_and_held_against_what_was_measured(matrix):
    assert len(matrix["rows"]) == len(METHODS) * sum(cell["pairs"] for cell in matrix["matrix"])
    for row in matrix["rows"]:
        assert row["error_percent"] == pytest.approx(100 * (row["projected_seconds"] / row["measured_seconds"] - 1))
        assert row["is_inside"] == (row["projected_lo"] <= row["measured_seconds"] <= row["projected_hi"])
        assert row["flips"] == (row["bound"] != row["target_bound"])
        assert row["from"] != row["to"]


def test_a_hundred_pairs_that_were_left_out_are_told_better_than_by_bandwidth_with_intervals_that_hold(matrix):
    methods = {row["method"]: row for row in matrix["methods"]}
    ensemble = methods.pop("ensemble")
    assert ensemble["pairs"] >= 100
    assert ensemble["median_error_percent"] < methods["bandwidth"]["median_error_percent"]
    assert ensemble["interval_score"] < methods["bandwidth"]["interval_score"]
    assert 0.75 <= ensemble["coverage"] <= 0.97


def test_fewer_than_three_cpu_models_are_said(matrix):
    if len(KEPT) < 3:
        assert any("CPU model" in note and "needs 3" in note for note in matrix["notes"])
        assert "3 CPU models" in one_line(*KEPT, "--matrix", "--leave", "machine")


def test_a_matrix_beyond_its_time_is_one_line():
    assert "was not told within" in one_line(*KEPT, "--matrix", "--limit", "0.000001")


def test_options_of_the_other_form_are_one_line():
    assert "--leave requires --matrix" in one_line(KEPT[0], "--to", KEPT[0], "--leave", "machine")
    assert "--method excludes --matrix" in one_line(KEPT[0], "--matrix", "--method", "roofline")


def test_a_file_that_takes_no_part_is_said():
    told = json.loads(plumbline(KEPT[0], GOLDEN / "cpus/zen5_vm.h5", "--matrix", "--json"))
    assert any("cpus/zen5_vm.h5 takes no part" in note for note in told["notes"])


def test_the_table_of_several_methods_says_whose_it_is_and_a_node_onto_itself_has_no_interval():
    one = ["--kernel", "validation/dgemm", "--to", KEPT[0]]
    assert "the table is by bandwidth" not in plumbline(KEPT[0], *one)
    told = plumbline(KEPT[0], *one, "--method", "all")
    assert "the table is by bandwidth" in told and "no interval: both sides are the same node" in told and "90 % interval" not in told


def test_a_ceiling_that_is_there_twice_is_one_line(tmp_path):
    ceiling = '[[ceilings]]\nname = "mem"\nvalue = {}\nunit = "GB/s"\nmethod = "datasheet"\n'
    spec = tmp_path / "twice.toml"
    spec.write_text('schema = "plumbline-spec/1"\nname = "new"\n' + ceiling.format(120) + ceiling.format(99))
    message = one_line(KEPT[0], "--to", spec)
    assert "twice.toml:" in message and "there is a ceiling 'mem' of scope node already" in message


def test_one_kind_of_node_alone_is_one_line(tmp_path):
    assert "two kinds" in one_line(GOLDEN / "cpus/zen4_vm.h5", "--matrix")


def test_what_became_known_extends_the_record_and_is_not_there_twice(tmp_path):
    record = tmp_path / "record.json"
    plumbline(KEPT[0], "--matrix", "--record", record)
    first = json.loads(record.read_text())
    assert first["schema"] == "plumbline-record/2" and first["overlaps"] and first["rows"]
    plumbline(KEPT[0], "--matrix", "--record", record)
    assert len(json.loads(record.read_text())["rows"]) == len(first["rows"])


def spec(path, name, more, ceilings):
    path.write_text(f'schema = "plumbline-spec/1"\nname = "{name}"\n{more}\n' + "".join(
        f'[[ceilings]]\nname = "{level}"\nvalue = {value}\nunit = "{unit}"\nscope = "core"\nmethod = "data sheet"\n{of_cache}\n'
        for level, value, unit, of_cache in ceilings))
    return path


HERE = [("L2", 100, "GB/s", "size_bytes = 1e6"), ("L3", 80, "GB/s", "size_bytes = 32e6"), ("mem", 20, "GB/s", ""), ("compute fp64", 50, "GFLOP/s", "")]


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "app.toml"
    path.write_text('schema = "plumbline-app/1"\nname = "p"\n[[groups]]\nname = "sweep"\nseconds = 0.04\nkind = "threaded"\nbound = "L3"\nflops = 1e8\n'
                    'bytes = {L2 = 2.4e9, L3 = 2.4e9, mem = 0}\nworking_set_bytes = 24e6\n')
    return path


def node_scope(path):
    path.write_text(path.read_text().replace('"core"', '"node"'))
    return path


def test_a_working_set_that_leaves_its_cache_on_a_data_sheets_node_is_placed_anew(tmp_path, program):
    here = node_scope(spec(tmp_path / "here.toml", "here", "", HERE))
    small = [(level, value, unit, "size_bytes = 4e6" if level == "L3" else of) for level, value, unit, of in HERE]
    there = node_scope(spec(tmp_path / "there.toml", "there", "measured_seconds = 0.12", small))
    rows = {row["method"]: row for row in json.loads(plumbline(here, "--app", program, "--to", there, "--method", "all", "--json"))["rows"]}
    assert list(rows) == METHODS
    assert rows["bandwidth"]["projected_seconds"] == pytest.approx(0.04)
    assert rows["roofline"]["projected_seconds"] == pytest.approx(2.4 / 20)
    assert rows["roofline"]["flips"] == ["sweep: L3 to mem"]
    for row in rows.values():
        assert row["interval_status"] == "ok" and row["projected_lo"] < row["projected_seconds"] < row["projected_hi"]
        assert row["learned_from"] == "between CPU models" and row["learned_pairs"] >= 100
    (alone,) = json.loads(plumbline(here, "--app", program, "--to", there, "--record", tmp_path / "new.json", "--json"))["rows"]
    assert alone["interval_status"] == "unavailable" and "an interval needs" in alone["interval_reason"]


def test_a_precision_that_the_target_lacks_leaves_other_methods_untold_and_says_why(tmp_path, program):
    here = node_scope(spec(tmp_path / "here.toml", "here", "", HERE))
    there = node_scope(spec(tmp_path / "there.toml", "there", "", HERE[:3]))
    rows = {row["method"]: row for row in json.loads(plumbline(here, "--app", program, "--to", there, "--method", "all", "--json"))["rows"]}
    assert rows["bandwidth"]["projected_seconds"] == pytest.approx(0.04)
    assert rows["roofline"]["status"] == "unavailable" and "fp64" in rows["roofline"]["reason"]


@pytest.mark.parametrize("wrong", [("mem", 20, "GFLOP/s", ""), ("compute fp64", 20, "GB/s", ""), ("mem", 20, "GiB/s", "")])
def test_a_wrong_unit_is_one_line(tmp_path, wrong):
    assert "unit" in one_line(spec(tmp_path / "wrong.toml", "wrong", "", [wrong]), "--to", spec(tmp_path / "right.toml", "right", "", HERE))


@pytest.mark.parametrize(("words", "told"), [(["--method", "best"], "--method"), (["--leave", "node", "--matrix"], "--leave"), ([], "needs --to")])
def test_a_wrong_word_is_one_line(tmp_path, words, told):
    assert told in one_line(spec(tmp_path / "right.toml", "right", "", HERE), *words)


@pytest.mark.parametrize(("ceiling", "told"), [
    (("mem", 7.2e11, "GB/s", ""), "was it meant in bytes/s?"), (("compute fp64", 9e12, "GFLOP/s", ""), "was it meant in FLOP/s?"),
    (("L3", 100, "GB/s", "size_bytes = 32"), "less than any cache holds")])
def test_a_ceiling_that_no_node_has_is_one_line(tmp_path, ceiling, told):
    assert told in one_line(spec(tmp_path / "absurd.toml", "absurd", "", [ceiling]), "--to", spec(tmp_path / "right.toml", "right", "", HERE))


@pytest.mark.parametrize(("group", "told"), [
    ('bound = "compute fp32"\nflops = 1e9\nprecision = "fp64"\n', "'precision' of the FLOPs is fp64"), ('bound = "compute int8"\nflops = 1e9\n', "'bound' is 'compute int8'")])
def test_a_bound_of_other_flops_is_one_line(tmp_path, group, told):
    app = tmp_path / "app.toml"
    app.write_text(f'schema = "plumbline-app/1"\n[[groups]]\nname = "g"\nseconds = 1\n{group}')
    here = spec(tmp_path / "here.toml", "here", "", HERE)
    assert told in one_line(here, "--app", app, "--to", here)


def test_words_of_the_whole_that_contradict_each_other_are_one_line(tmp_path, program):
    here = node_scope(spec(tmp_path / "here.toml", "here", "", HERE))
    assert "'launch_seconds' is 3" in one_line(spec(tmp_path / "slow.toml", "slow", "launch_seconds = 3", HERE), "--app", program, "--to", here)
    assert "--kernel is of measured cases" in one_line(here, "--app", program, "--to", here, "--kernel", "x*")
    program.write_text(program.read_text().replace('name = "p"', 'name = "p"\nrest_seconds = 0.01\ncovered_fraction = 0.1'))
    assert "'covered_fraction' is 0.1" in one_line(here, "--app", program, "--to", here)


def test_amounts_that_do_not_go_with_the_time_and_what_a_side_leaves_unsaid_are_noted(tmp_path, program):
    here = node_scope(spec(tmp_path / "here.toml", "here", "cores = 8", HERE))
    there = node_scope(spec(tmp_path / "there.toml", "there", "", HERE))
    program.write_text(program.read_text().replace("mem = 0", "mem = 2.4e12") + "launches = 10\n")
    document = json.loads(plumbline(here, "--app", program, "--to", there, "--method", "all", "--json"))
    notes = " ".join(document["notes"])
    for told in ("'sweep' is bound by L3, as it says, but its bytes across mem alone take", "there does not say how many cores", "does not say how long a launch takes"):
        assert told in notes
    for row in document["rows"]:
        assert sum(group["projected_seconds"] for group in row["groups"]) == pytest.approx(row["projected_seconds"])
    assert not [note for note in json.loads(plumbline(here, "--app", program, "--to", there, "--json"))["notes"] if "sweep" in note]


def test_what_was_measured_once_is_no_pair_with_its_own_copy(tmp_path):
    copy = tmp_path / "copy.h5"
    shutil.copy(KEPT[0], copy)
    assert "hold the same measurements" in one_line(KEPT[0], copy, "--matrix")


def test_a_matrix_without_intervals_holds_none(tmp_path):
    told = json.loads(plumbline(KEPT[0], "--matrix", "--kernel", "validation/triad*", "--json"))
    assert all(cell["inside"] is None for cell in told["matrix"]) and any("there are no intervals" in note for note in told["notes"])


def test_nodes_of_one_name_are_told_apart_by_their_files(tmp_path):
    told = json.loads(plumbline(KEPT[0], "--kernel", "validation/dgemm", "--to", GOLDEN / "cpus/zen4_vm.h5", GOLDEN / "cpus/zen5_vm.h5", "--json"))
    assert sorted(row["to"] for row in told["rows"]) == ["vm (zen4_vm.h5)", "vm (zen5_vm.h5)"]


def test_a_record_of_impossible_errors_is_one_line(tmp_path):
    record = json.loads((ROOT / "jobs/records/projection.json").read_text())
    record["rows"][0]["log_error"]["ensemble"] = 500
    (tmp_path / "bad.json").write_text(json.dumps(record))
    assert "is a natural logarithm" in one_line(KEPT[0], "--matrix", "--record", tmp_path / "bad.json")


def test_what_this_was_last_made_of_is_kept():
    kept = json.loads((GOLDEN / "projection_pairs.json").read_text())
    assert len(kept["pairs"]) >= 100
    for made in (kept, *(json.loads((GOLDEN / f"projection_pairs_{cpu}.json").read_text()) for cpu in ("emerald_rapids", "zen3"))):
        methods = {row["method"]: row for row in made["methods"]}
        assert set(methods) == set(METHODS) and methods["ensemble"]["pairs"] >= 100
        assert methods["ensemble"]["median_error_percent"] < methods["bandwidth"]["median_error_percent"]
    program = json.loads((GOLDEN / "projected_program.json").read_text())
    for direction in program["directions"]:
        for row in direction["rows"]:
            assert row["measured_seconds"] > 0 and row["projected_seconds"] > 0


def rows_of(case, repetitions):
    """Team rows of /times with what is asked of them: seconds and the share of its CPUs, and a rank's own row beside each."""
    numpy = pytest.importorskip("numpy")
    kinds = [("case", "S8"), ("rank", "i8"), ("phase", "S8"), ("repetition", "i8"), ("seconds", "f8"), ("cpu_share", "f8")]
    return numpy.array([(case, rank, b"", number, seconds, share) for number, (seconds, share) in enumerate(repetitions) for rank in (-1, 0)], dtype=kinds)


def test_a_case_keeps_its_fastest_repetitions_of_all_rounds_with_the_rows_of_their_ranks():
    pytest.importorskip("h5py")
    sys.path.insert(0, str(ROOT / "tests/app"))
    import projection_pairs
    slow = rows_of(b"one", [(2.0, 1.0), (1.9, 1.0), (0.5, 0.6)])  # the last one was without its CPU for a while, which it does not count
    fast = rows_of(b"one", [(1.0, 1.0), (1.1, 0.98), (3.0, 1.0)])
    kept = projection_pairs.fastest_repetitions([slow, fast, rows_of(b"two", [(7.0, 0.5)])])
    assert projection_pairs.KEPT == 3
    assert [(row["rank"], row["repetition"], row["seconds"]) for row in kept if row["case"] == b"one"] == [
        (-1, 0, 1.0), (0, 0, 1.0), (-1, 1, 1.1), (0, 1, 1.1), (-1, 2, 1.9), (0, 2, 1.9)]
    assert [row["seconds"] for row in kept if row["case"] == b"two"] == [7.0, 7.0]


def test_a_point_of_a_ceiling_keeps_its_best_samples_of_all_rounds():
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("h5py")
    sys.path.insert(0, str(ROOT / "tests/app"))
    import projection_pairs
    words = [(name, "S8") for name in projection_pairs.POINT if name not in ("working_set_bytes", "ranks", "threads")]
    kinds = words + [("working_set_bytes", "i8"), ("ranks", "i8"), ("threads", "i8"), ("round", "i8"), ("value", "f8")]
    rates, waits = numpy.zeros(5, dtype=kinds), numpy.zeros(2, dtype=kinds)
    rates["name"], rates["unit"], rates["value"], rates["working_set_bytes"] = b"L1 load", b"GB/s", [10, 40, 30, 20, numpy.nan], [8, 8, 8, 8, 16]
    waits["name"], waits["unit"], waits["value"] = b"L1 chase", b"seconds", [2e-9, 1e-9]
    kept = projection_pairs.best_samples([rates[:2], numpy.concatenate([rates[2:], waits])])
    assert [(row["round"], row["value"]) for row in kept if row["working_set_bytes"] == 8] == [(0, 40), (1, 30), (2, 20)]
    assert [row["value"] for row in kept if row["name"] == b"L1 chase"] == [1e-9, 2e-9]
    assert len(kept) == 6, "a point whose every sample is missing stays, missing"
