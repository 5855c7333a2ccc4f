"""An application in a run: its phases are timed, modelled and counted beside the whole, by ranks and threads, and judged as cases are."""
import json
import os
import platform
import subprocess

import h5py
import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
MPIEXEC = os.environ.get("PLUMBLINE_MPIEXEC")
PHASES = {"proxies/heat2d": ["halo", "update", "energy", "total", "sum"], "proxies/gsrb": ["halo", "ghosts", "red", "black"],
          "proxies/multigrid": ["halo@1", "ghosts@1", "red@1", "black@1", "residual@1", "restrict@1", "interpolate@1",
                                "halo@2", "ghosts@2", "red@2", "black@2"],
          "proxies/conv2d": ["filters", "columns", "products"],
          "proxies/cg": ["halo@1", "smooth@1", "product@1", "restrict@1", "prolong@1", "halo@2", "smooth@2",
                         "dot", "norm", "total", "sum", "ratio", "scale", "update"],
          "proxies/lstm": ["turned_weights", "gates", "recurrent", "input", "turned_inputs", "packed_gates", "weights", "bias", "sum"]}
CAMPAIGN = """
schema = "plumbline-campaign/1"
name = "applications"
passes = ["time", "count"]
counters = "auto"
oversubscribe = true
[timing]
min_seconds = 0.001
max_repetitions = 5
[[cases]]
kernel = "proxies/heat2d"
precision = ["fp64"]
flavor = ["gcc-O3-ISA"]
team = [TEAMS]
params = { n = 96, steps = [4, 5] }
[[cases]]
kernel = "proxies/gsrb"
precision = ["fp64"]
flavor = ["gcc-O3-ISA"]
team = [TEAMS]
params = { variant = ["fp", "branch", "stride2"], boxes = 2, n = 5 }
[[cases]]
kernel = "proxies/multigrid"
precision = ["fp64"]
flavor = ["gcc-O3-ISA"]
team = [TEAMS]
params = { cycle = "f", boxes = 1, n = 8, levels = 2, cycles = 2 }
[[cases]]
kernel = "proxies/cg"
precision = ["fp64"]
flavor = ["gcc-O3-ISA"]
team = [TEAMS]
params = { n = 8, levels = 2, iterations = 1 }
[[cases]]
kernel = "proxies/conv2d"
precision = ["fp64"]
flavor = ["gcc-O3-ISA"]
team = [TEAMS]
params = { variant = "im2col", images = 2, width = 9, channels = 3, filters = 5, kernel = 3, stride = 2 }
[[cases]]
kernel = "proxies/lstm"
precision = ["fp64"]
flavor = ["gcc-O3-ISA"]
team = [TEAMS]
params = { direction = "backward", batch = 5, sequence = 3, features = 4, hidden = 6 }
[ceilings]
mode = "none"
"""
ISA = "neon" if platform.machine() == "aarch64" else "v2"


def rows_of(path, table):
    with h5py.File(path) as file:
        data = file[table][()]
    text = [name for name in data.dtype.names if data.dtype[name].kind == "S"]
    return [{name: (row[name].decode() if name in text else row[name].item()) for name in data.dtype.names} for row in data]


def phases_of(case):
    return PHASES["/".join(case.split("/")[:2])]


def run(folder, ranks, teams):
    (folder / "applications.toml").write_text(CAMPAIGN.replace("ISA", ISA).replace("TEAMS", ", ".join(teams)))
    words = [PLUMBLINE, "run", "applications.toml", "-o", "applications.h5"]
    if ranks > 1:
        words = [MPIEXEC, "-n", str(ranks), *words]
    # Threads of several ranks share cores here, and each that waits busily keeps the others from what it waits for.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "applications.h5"


TEAMS = ["r1t1", "r2t2", *(pytest.param(team, marks=pytest.mark.whole) for team in ("r1t4", "r4t1"))]


@pytest.fixture(scope="module", params=TEAMS)
def path(request, tmp_path_factory):
    ranks, threads = int(request.param[1]), int(request.param[3])
    if ranks > 1 and not MPIEXEC:
        pytest.skip("this program is built without MPI")
    return run(tmp_path_factory.mktemp(request.param), ranks, [f"{{ranks = {ranks}, threads = {threads}}}"])


def plumbline(*words):
    done = subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_phase_is_timed_beside_the_whole(path):
    times = [row for row in rows_of(path, "times") if row["rank"] == -1]
    for case in {row["case"] for row in times}:
        assert "#" not in case
        of_case = [row for row in times if row["case"] == case]
        repetitions = {row["repetition"] for row in of_case}
        for repetition in repetitions:
            seconds = {row["phase"]: row["seconds"] for row in of_case if row["repetition"] == repetition}
            assert list(seconds) == ["", *phases_of(case)]
            assert all(second > 0 for second in seconds.values())
            # Each phase is the rank's that took longest: of one rank they add up to the whole, but for its own ends.
            if "/r1" in case:
                assert sum(seconds[phase] for phase in phases_of(case)) <= 1.001 * seconds[""]


def test_the_model_of_the_whole_is_the_sum_of_its_phases(path):
    model = rows_of(path, "model")
    for case in {row["case"] for row in model}:
        of_case = {(row["phase"], row["quantity"]): row["lo"] for row in model if row["case"] == case}
        if "heat2d" in case:
            steps = 4 if "steps=4" in case else 5
            assert of_case["update", "flops.fp64"] == steps * 7 * 96 * 96
            assert of_case["halo", "exchange.bytes"] == steps * 2 * 96 * 8
        elif "gsrb" in case:
            cells = 8 * 5**3
            assert of_case["red", "flops.fp64"] + of_case["black", "flops.fp64"] == (228 if "variant=fp" in case else 113) * cells
            assert of_case["halo", "exchange.bytes"] == 2 * (2 * 4) * (2 * 9 * 9 * 8)
        elif "conv2d" in case:
            assert of_case["products", "flops.fp64"] == 2 * 2 * 4**2 * 5 * 3**2 * 3  # of 2 images to 4 x 4 outputs
        elif "proxies/cg" in case:
            assert of_case["product@1", "flops.fp64"] == 3 * 53 * 8**3  # of the solution, and twice of the direction
            assert of_case["halo@1", "exchange.bytes"] == (2 * 3 + 3 * 2) * 8**2 * 8  # three for each smooth, two for each product
        elif "lstm" in case:
            assert of_case["recurrent", "flops.fp64"] == 3 * 2 * 5 * (4 * 6) * 6
            assert of_case["weights", "flops.fp64"] == 2 * 3 * 5 * (4 * 6) * (4 + 6)
            assert of_case["sum", "exchange.bytes"] == 8 * (4 + 6 + 1) * (4 * 6)
        else:
            assert of_case["residual@1", "flops.fp64"] == 2 * 111 * 8**3
            assert of_case["interpolate@1", "flops.fp64"] == 3 * 84 * 4**3  # once to begin with, and once in each cycle
            assert of_case["red@2", "flops.fp64"] == 3 * 16 * 113 * 4**3 // 2
        assert of_case[phases_of(case)[0], "flops.fp64"] == 0
        for quantity in ("flops.fp64", "flops.fp64.add", "bytes.reg-L1.load", "exchange.messages"):
            assert of_case["", quantity] == sum(of_case.get((phase, quantity), 0) for phase in phases_of(case)), quantity


def emulated_flops(path):
    counts = [row for row in rows_of(path, "counts") if row["backend"] == "emulated" and row["thread"] == -1 and row["event"].startswith("flops.fp64.")]
    if not counts:
        pytest.skip("the emulator counts nothing here: " + "; ".join({row["reason"] for row in rows_of(path, "outcomes") if row["pass"] == "count"}))
    return counts


def test_every_phase_counts_as_many_flops_as_its_model_says(path):
    counts = emulated_flops(path)
    weights = {"flops.fp64.fma": 2}
    expected = {(row["case"], row["phase"]): row["lo"] for row in rows_of(path, "model") if row["quantity"] == "flops.fp64"}
    counted = {}
    for row in counts:
        assert row["status"] == "ok"
        key = row["case"], row["phase"], row["rank"]
        counted[key] = counted.get(key, 0) + weights.get(row["event"], 1) * row["net"]
    assert {(case, phase) for case, phase, _ in counted} == set(expected)
    for (case, phase, rank), flops in counted.items():
        assert flops == expected[case, phase], (case, phase, rank)


def test_the_cycles_of_a_core_are_counted_where_its_pipes_are_known_and_the_file_names_it(path):
    emulated_flops(path)
    with h5py.File(path) as file:
        core = json.loads(file.attrs["provenance"]).get("simulated_core")
    counts = {}
    for row in rows_of(path, "counts"):
        if row["backend"] == "emulated" and row["thread"] == -1 and row["event"] in ("core_cycles", "instructions"):
            # A phase of a few instructions may end before the empty region's last ones do.
            known = ("ok", "negative") if row["event"] == "core_cycles" else ("ok",)
            assert row["status"] in (("skipped",) if core is None and row["event"] == "core_cycles" else known)
            counts.setdefault((row["case"], row["phase"], row["rank"]), {})[row["event"]] = row["net"]
    assert counts
    for key, one in counts.items():
        if core is not None:  # a comparison and its branch are taken up as one
            assert one["core_cycles"] >= 0.5 * one["instructions"] / core["width"] - 20, key


def test_phases_are_judged_as_cases_are(path):
    shown = json.loads(plumbline("show", path, "--json"))["rows"]
    phases = {row.get("phase", "") for row in shown}
    assert {"", "update", "energy", "red", "black", "red@2"} <= phases
    update = next(row for row in shown if row.get("phase") == "update")
    assert update["case"].endswith("#update") and update["gflops"] > 0 and update["label"].endswith(" update")
    assert "update" in plumbline("show", path)
    assert "#update" in plumbline("compare", path, path, "--csv")


def test_phases_are_scored_as_cases_are(path):
    emulated_flops(path)
    graded = json.loads(plumbline("score", path, "--json"))
    assert any(row["case"].endswith("#update") for row in graded["rows"])
    bad = [counter for counter in graded["counters"] if counter["counter"].startswith("emulated.flops.fp64") and counter["grade"] == "D"]
    assert not bad


def test_the_derived_table_names_case_and_phase(path):
    derived = rows_of(path, "intensity")
    assert all("#" not in row["case"] for row in derived)
    assert "update" in {row["phase"] for row in derived}


def test_a_result_of_ranks_is_right_only_if_halos_came(path):
    """The checks know the values over the rows and boxes of all ranks."""
    for row in rows_of(path, "outcomes"):
        if row["pass"] == "time":
            placement = json.loads(row["placement"])
            assert row["status"] == "ok"
            assert all(rank["error"] <= rank["tolerance"] for rank in placement["ranks"])
