"""One round of everything that a full campaign measures here: what is stored of every sample, and what is read from it."""

import json
import os
import re
import subprocess
import sys

import h5py
import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "everything"
passes = ["time"]
counters = "none"
[ceilings]
mode = "full"
rounds = 1
"""


# Runs a command and tells the megabytes that it had in memory at most.
MOST_MEMORY = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3)"


def plumbline(folder, *arguments, before=()):
    return subprocess.run([*before, PLUMBLINE, *arguments], cwd=folder, capture_output=True, text=True, timeout=400)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("everything")
    (folder / "everything.toml").write_text(CAMPAIGN)
    done = plumbline(folder, "run", "everything.toml", "-o", "everything.h5")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def samples(folder):
    with h5py.File(folder / "everything.h5") as file:
        table = file["ceilings"][:]
        return [{name: value.decode() if isinstance(value, bytes) else value for name, value in zip(table.dtype.names, row)} for row in table]


@pytest.fixture(scope="module")
def judged(folder):
    done = plumbline(folder, "ceilings", "everything.h5", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_sample_succeeded_and_tells_what_disturbed_it(samples):
    assert len(samples) > 300
    for row in samples:
        if row["status"] == "skipped":  # another shape of a loop that is at its limit
            assert row["level"] == "choice" and row["unit"] == "GFLOP/s", row
            assert re.search(r"^not tried, for the plan's own loop reached (0\.99|1\.0[012])\d* of its limit$", row["reason"]), row
            assert not row["value"] > 0, row
            continue
        assert row["status"] == "ok" and row["value"] > 0, row
        assert row["clock_hz"] > 1e8 and row["sentinel"] > 0 and 0 < row["cpu_share"] <= 1 and row["involuntary_switches"] >= 0, row


def test_every_kind_is_there(samples):
    assert {row["level"] for row in samples} == {"compute", "sweep", "vector", "numa", "choice"}
    patterns = {row["pattern"] for row in samples if row["level"] == "sweep"}
    assert patterns == {"load", "store", "copy", "update", "triad", "loads2store1", "store_nt", "chase"}
    assert {"fma", "add", "mul", "mul+add", "fma+add", "scalar fma", "scalar add"} <= {row["pattern"] for row in samples if row["level"] == "compute"}


def plain_name(row):
    return row["name"].removesuffix(f", {row['form']}") if row["form"] else row["name"]


def test_every_bandwidth_pattern_was_contested_by_every_team_that_measures_it(samples):
    def of_level(level):
        return {(plain_name(row), row["ranks"], row["threads"]) for row in samples if row["level"] == level and row["unit"] == "GB/s"}

    assert of_level("choice") == of_level("sweep") != set()
    for row in samples:
        assert row["level"] != "choice" or row["form"], row


def test_every_kind_of_arithmetic_was_contested_between_shapes_of_its_loop(samples):
    contested = {}
    for row in samples:
        if row["level"] == "choice" and row["unit"] == "GFLOP/s":
            contested.setdefault((plain_name(row), row["threads"]), set()).add(row["form"].split()[0])
    kinds = {(row["name"], row["threads"]) for row in samples
             if row["level"] == "compute" and not row["form"] and not row["name"].endswith(")") and row["pattern"] not in ("dot", "amx")}
    assert kinds and kinds <= set(contested)
    for kind in kinds:
        assert "deep" in contested[kind], kind
        assert ("brief" in contested[kind]) == ("mul+add" in kind[0]), kind


def test_a_ceiling_names_its_loop_and_those_that_it_was_chosen_among(judged):
    found = [row for row in judged["rows"] if row["level"] in ("L1", "mem") and row["unit"] == "GB/s" and row["status"] == "ok"]
    assert found
    for row in found:
        assert row["form"] and row["runners_up"], row
        forms = [row["form"], *(one["form"] for one in row["runners_up"])]
        assert len(set(forms)) == len(forms)
        rates = [one["value"] for one in row["runners_up"]]
        assert rates == sorted(rates, reverse=True) and rates[-1] > 0 and {one["unit"] for one in row["runners_up"]} == {"GB/s"}


def test_the_smallest_team_is_a_core_and_the_largest_the_node(samples):
    teams = {row["ranks"] * row["threads"]: row["scope"] for row in samples if row["level"] == "compute"}
    assert teams[max(teams)] == ("node" if max(teams) > 1 else "core")
    assert teams[1] == "core"


def test_a_chase_is_a_latency(samples):
    chase = sorted((row["working_set_bytes"], row["value"]) for row in samples if row["pattern"] == "chase" and row["level"] == "sweep")
    seconds = sorted(value for _, value in chase)
    assert seconds[0] > 1e-10 and seconds[len(seconds) // 2] < 1e-5  # of one attempt, a pause may be the longest part
    smallest, largest = chase[0], chase[-1]
    assert largest[0] > 1000 * smallest[0] and largest[1] > 3 * smallest[1]


def test_memory_of_every_domain_is_measured_from_every_domain(samples, folder):
    with h5py.File(folder / "everything.h5") as file:
        domains = json.loads(file["machine"][0]["json"])["numa_nodes"]
    for what in ("load", "chase"):
        pairs = {row["pattern"] for row in samples if row["level"] == "numa" and row["pattern"].startswith(what)}
        assert pairs == {f"{what} {near}<-{far}" for near in range(domains) for far in range(domains)}


def test_levels_come_from_the_sweeps_and_limits_from_the_core(judged):
    rows = judged["rows"]
    assert {row["level"] for row in rows} >= {"compute", "numa"}
    for row in rows:
        if row["level"] == "compute":
            assert row["clock_hz"] > 1e8
            assert (row["fraction_of_limit"] is None) == (row["limit_gflops"] is None) == (not row["limit_source"])
    assert any("samples were disturbed" in note for note in judged["notes"])


def chosen(folder, only, *options):
    """The names that are stored after a run of these ceilings only, of the plan's own loops, by round and session."""
    (folder / "chosen.toml").write_text(CAMPAIGN.replace('"full"', '"quick"') + f"only = {json.dumps(only)}\n")
    done = plumbline(folder, "run", "chosen.toml", "-o", "chosen.h5", *options)
    assert done.returncode == 0, done.stderr
    with h5py.File(folder / "chosen.h5") as file:
        return sorted((int(row["round"]), row["session"].decode(), row["name"].decode(), float(row["value"])) for row in file["ceilings"][:]
                      if not row["form"])


def test_resume_measures_what_a_changed_table_asks_for_and_nothing_twice(tmp_path):
    first = chosen(tmp_path, ["FP64 scalar add"])
    both = chosen(tmp_path, ["FP64 scalar add", "FP32 scalar add"], "--resume")
    assert {name for _, _, name, _ in first} == {"FP64 scalar add"}
    assert {name for _, _, name, _ in both} == {"FP64 scalar add", "FP32 scalar add"}
    assert chosen(tmp_path, ["FP64 scalar add", "FP32 scalar add"], "--resume") == both


def forms_of(folder, level):
    with h5py.File(folder / "chosen.h5") as file:
        return sorted((row["session"].decode(), row["name"].decode(), float(row["working_set_bytes"]), float(row["value"]))
                      for row in file["ceilings"][:] if row["level"] == level.encode())


def test_resume_keeps_what_was_chosen(tmp_path):
    chosen(tmp_path, ["store_nt"])
    sessions = {session for session, *_ in forms_of(tmp_path, "choice")}
    assert len(sessions) == 1
    with h5py.File(tmp_path / "chosen.h5", "r+") as file:  # the same contests, won by another loop
        rows, attributes = file["ceilings"][:], dict(file["ceilings"].attrs)
        for row in rows[rows["level"] == b"choice"]:
            assert row["form"]
        won = [row["form"].startswith(b"deep") for row in rows]
        rows["value"] = [row["value"] if row["level"] != b"choice" else 1000 if deep else 1 for row, deep in zip(rows, won)]
        del file["ceilings"]
        file.create_dataset("ceilings", data=rows).attrs.update(attributes)
    chosen(tmp_path, ["store_nt"], "--resume")
    assert {session for session, *_ in forms_of(tmp_path, "choice")} == sessions
    assert {value for *_, value in forms_of(tmp_path, "choice")} == {1000, 1}
    assert any(name.startswith("store_nt, deep") for _, name, *_ in forms_of(tmp_path, "sweep"))


def test_resume_keeps_what_was_chosen_of_arithmetic(tmp_path):
    chosen(tmp_path, ["FP64 scalar add"])
    sessions = {session for session, *_ in forms_of(tmp_path, "choice")}
    assert len(sessions) == 1
    with h5py.File(tmp_path / "chosen.h5", "r+") as file:  # the same contest, won by another shape of the loop
        rows, attributes = file["ceilings"][:], dict(file["ceilings"].attrs)
        contest = rows["level"] == b"choice"
        deep = [form.startswith(b"deep") for form in rows["form"]]
        rows["status"][contest] = b"ok"
        rows["value"] = [value if not of_contest else 1000 if won else 1 for value, of_contest, won in zip(rows["value"], contest, deep)]
        del file["ceilings"]
        file.create_dataset("ceilings", data=rows).attrs.update(attributes)
    chosen(tmp_path, ["FP64 scalar add"], "--resume")
    assert {session for session, *_ in forms_of(tmp_path, "choice")} == sessions
    assert any(name.startswith("FP64 scalar add, deep") for _, name, *_ in forms_of(tmp_path, "compute"))
    judged = json.loads(plumbline(tmp_path, "ceilings", "chosen.h5", "--json").stdout)["rows"]
    assert any(one["form"].startswith("deep") for row in judged for one in [row, *row["runners_up"]])


def test_where_no_limit_is_known_every_shape_is_tried(tmp_path):
    (tmp_path / "unknown.toml").write_text(CAMPAIGN.replace('"full"', '"quick"') + 'only = ["FP64 vector mul+add"]\n')
    done = plumbline(tmp_path, "run", "unknown.toml", "-o", "unknown.h5", before=["env", "PLUMBLINE_CPU_AS=GenuineIntel 6 255 v2 v3"])
    if "PLUMBLINE_CPU_AS" in done.stderr:
        pytest.skip("SKIP: another architecture, or a CPU without AVX2")
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "unknown.h5") as file:
        rows = [(row["form"].decode(), row["status"].decode()) for row in file["ceilings"][:] if row["level"] == b"choice"]
    assert {form for form, _ in rows} == {"v3", "deep v3", "brief v3"} and {status for _, status in rows} == {"ok"}


def test_resume_measures_again_a_round_that_failed(tmp_path):
    first = chosen(tmp_path, ["FP64 scalar add"])
    with h5py.File(tmp_path / "chosen.h5", "r+") as file:
        rows, attributes = file["ceilings"][:], dict(file["ceilings"].attrs)
        rows = rows.astype([(name, "S80" if name in ("status", "method") else rows.dtype[name]) for name in rows.dtype.names])
        rows["status"], rows["value"], rows["method"] = b"failed", float("nan"), b"gcc12-O3-v3: no memory is left"
        del file["ceilings"]
        file.create_dataset("ceilings", data=rows).attrs.update(attributes)
    again = chosen(tmp_path, ["FP64 scalar add"], "--resume")
    assert len(again) == len(first) and {session for _, session, _, _ in again}.isdisjoint(session for _, session, _, _ in first)
    assert all(value > 0 for _, _, _, value in again)


def refused(folder, only, mode="quick"):
    text = CAMPAIGN.replace('"full"', f'"{mode}"') + f"only = {json.dumps(only)}\n"
    (folder / "wrong.toml").write_text(text)
    done = plumbline(folder, "run", "wrong.toml", "-o", "wrong.h5")
    assert done.returncode == 2 and not (folder / "wrong.h5").exists(), (done.returncode, done.stderr)
    (line,) = done.stderr.splitlines()
    return line, text.splitlines()[-1]


def test_a_name_that_no_ceiling_has_is_quoted_at_its_place_with_the_nearest(folder):
    line, written = refused(folder, ["FP64 *", "laod"])
    assert f"wrong.toml:9:{written.index('laod')}: 'only' has 'laod'" in line and "did you mean 'load'?" in line and "plumbline list ceilings" in line


def test_a_name_of_full_mode_says_so(folder):
    line, _ = refused(folder, ["load", "copy"])
    assert "'only' has 'copy'" in line and 'mode = "full"' in line


def test_messages_need_another_rank(folder):
    line, _ = refused(folder, ["MPI latency inside a node"])
    assert "'MPI latency inside a node', which needs two ranks on a node" in line


def test_messages_beside_what_one_rank_can_measure_are_noted(folder):
    (folder / "both.toml").write_text(CAMPAIGN + 'only = ["MPI *", "FP64 scalar add"]\n')
    done = plumbline(folder, "run", "both.toml", "--dry-run")
    assert done.returncode == 0 and "'MPI *', which needs two ranks on a node" in done.stdout, done.stderr


def test_the_list_says_which_mode_measures_what(folder):
    rows = {row["ceiling"]: row for row in json.loads(plumbline(folder, "list", "ceilings", "--json").stdout)["rows"]}
    assert (rows["load"]["mode"], rows["copy"]["mode"]) == ("quick, full", "full")
    assert rows["load"]["needs"] == ""
    assert all(row["needs"] for name, row in rows.items() if name.startswith("MPI"))


def test_a_dry_run_tells_the_memory_that_the_ceilings_take(tmp_path):
    (tmp_path / "load.toml").write_text(CAMPAIGN.replace('"full"', '"quick"') + 'only = ["load"]\n')
    planned = plumbline(tmp_path, "run", "load.toml", "--dry-run")
    megabytes = float(re.search(r"at most ([0-9.]+) MB a node", planned.stdout)[1])
    measured = plumbline(tmp_path, "run", "load.toml", "-o", "load.h5", before=[sys.executable, "-c", MOST_MEMORY])
    taken = float(measured.stdout.splitlines()[-1])
    assert 128 <= megabytes and 0.5 * taken < megabytes, (megabytes, taken)
    if "planned for a last cache of" not in measured.stderr:  # that a core finds less than the topology tells is only seen by measuring
        assert megabytes < 2 * taken, (megabytes, taken)
