"""plumbline run with cases for GPUs: through a module whose GPUs are stand-ins on the host, and without any GPU.

From the environment: PLUMBLINE, PLUMBLINE_MPIEXEC (empty: no MPI), STAND_IN_CUDA (the folder of the stand-in module), STAND_IN_NVML.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from stored_tables import table

MPIEXEC = os.environ["PLUMBLINE_MPIEXEC"]
HEAD = 'schema = "plumbline-campaign/1"\nname = "gpus"\npasses = ["time"]\n[timing]\nmin_seconds = 0.0005\nmax_repetitions = 6\n'
SERIES = '[[cases]]\nkernel = "validation/series"\nprecision = "fp64"\n'
ON_GPU = SERIES + 'team = [{gpus = 1}]\nparams = {m = 64, n = [3, 7]}\n'
ON_CPU = SERIES + 'flavor = ["gcc-O3-v2", "gcc-O3-neon"]\nparams = {m = 64, n = 3}\n'
LONGEST = 120


def plumbline(*words, ranks=0, each_sees=None, stand_in=True, **environment):
    """`each_sees`: CUDA_VISIBLE_DEVICES of each rank, as a launcher sets it that gives each of them a GPU."""
    surroundings = {**os.environ, **({"PLUMBLINE_CUDA_MODULE_PATH": os.environ["STAND_IN_CUDA"]} if stand_in else {}), **environment}
    if "CUDA_VISIBLE_DEVICES" not in environment:
        surroundings.pop("CUDA_VISIBLE_DEVICES", None)
    program = [os.environ["PLUMBLINE"], *map(str, words)]
    launch = [MPIEXEC, "-n", str(ranks), *program] if ranks else program
    if each_sees is not None:
        launch = [MPIEXEC]
        for rank, seen in enumerate(each_sees):
            launch += [*([":"] if rank else []), "-n", "1", "/usr/bin/env", f"CUDA_VISIBLE_DEVICES={seen}", *program]
    return subprocess.run(launch, capture_output=True, text=True, timeout=LONGEST, env=surroundings)


def document(*words, **options):
    ended = plumbline(*words, "--json", **options)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture
def run(tmp_path):
    """Runs a campaign of that text; gives what ended and where its result is."""

    def of_text(cases, *words, **options):
        campaign = tmp_path / "gpus.toml"
        campaign.write_text(HEAD + cases)
        return plumbline("run", campaign, "-o", tmp_path / "gpus.h5", *words, **options), tmp_path / "gpus.h5"

    return of_text


def outcomes(store, status):
    return [row for row in table(store, "outcomes") if row["status"] == status]


@pytest.mark.parametrize("ranks", [0, 1, 2])
def test_a_case_on_a_gpu_is_measured_by_one_rank_whatever_the_launch(run, ranks):
    if ranks and not MPIEXEC:
        pytest.skip("this plumbline was built without MPI")
    ended, store = run(ON_GPU, ranks=ranks)
    assert ended.returncode == 0, ended.stderr
    measured = outcomes(store, "ok")
    assert len(measured) == 2
    assert {row["gpus"] for row in table(store, "cases")} == {1}
    for row in measured:
        assert "/g1/cuda13-sm_" in row["case"]
        placement = json.loads(row["placement"])
        assert len(placement["ranks"]) == 1 and len(placement["ranks"][0]["cpus"]) == 1
        assert placement["ranks"][0]["wrong_result"] is False and placement["ranks"][0]["error"] <= placement["ranks"][0]["tolerance"]
        assert placement["ranks"][0]["gpu"]["name"] == "stand-in GPU 0 (the host)"
        assert placement["ranks"][0]["gpu"]["pci"] == "0000:17:00.0"
        times = [one for one in table(store, "times") if one["case"] == row["case"]]
        assert 5 <= len(times) <= 6 and {one["rank"] for one in times} == {-1}
        assert all(one["seconds"] > 0 and one["clock_hz"] == 1e8 for one in times), "the clock is the GPU's"


def test_theoretical_occupancy_is_kept_with_the_times_and_shown(run):
    """The stand-in's multiprocessor has room for 1024 threads in 16 blocks, and for 64 KiB of shared memory."""
    shapes = "threads = [96, 1024], shared_bytes = [0, 40000], launches = 10"
    ended, store = run(f'[[cases]]\nkernel = "ert/launch_shape"\nprecision = "fp64"\nteam = [{{gpus = 1}}]\nparams = {{{shapes}}}\n')
    assert ended.returncode == 0, ended.stderr
    expected = {(96, 0): 10 * 3 / 32, (96, 40000): 3 / 32, (1024, 0): 1, (1024, 40000): 1}
    shown = {row["case"]: row["theoretical_occupancy"] for row in document("show", store)["rows"]}
    measured = outcomes(store, "ok")
    assert len(measured) == len(shown) == len(expected)
    for row in measured:
        part = next(part for (threads, shared), part in expected.items() if f"/threads={threads}/" in row["case"] and f"/shared_bytes={shared}/" in row["case"])
        assert json.loads(row["placement"])["ranks"][0]["gpu"]["theoretical_occupancy"] == {"least": part, "most": part}
        assert shown[row["case"]] == {"least": part, "most": part, "status": "ok", "reason": None}
    text = plumbline("show", store).stdout
    assert "leave room for 9 % of the warps" in " ".join(text.split()) and "100 % of the warps" not in text


def test_an_application_on_a_gpu_is_timed_phase_by_phase(run):
    ended, store = run('[[cases]]\nkernel = "proxies/heat2d"\nprecision = "fp64"\nteam = [{gpus = 1}]\nparams = {n = 48, steps = 3}\n')
    assert ended.returncode == 0, ended.stderr
    (case,) = (row["case"] for row in outcomes(store, "ok"))
    times = table(store, "times")
    assert {row["phase"] for row in times} == {"", "halo", "update", "energy", "total", "sum"}
    for repetition in {row["repetition"] for row in times}:
        seconds = {row["phase"]: row["seconds"] for row in times if row["repetition"] == repetition}
        assert all(seconds[phase] > 0 for phase in ("", "update", "energy", "total"))
    model = {(row["phase"], row["quantity"]): row["lo"] for row in table(store, "model") if row["case"] == case}
    assert model["update", "flops.fp64.fma"] == 3 * 2 * 48 * 48 and model["energy", "flops.fp64.fma"] == 48 * 48
    launches = {phase: lo for (phase, quantity), lo in model.items() if quantity == "launches"}
    assert (launches["update"], launches["energy"], launches["sum"]) == (3, 1, 0), "as often as its schedule has them; ranks sum without one"
    assert launches.pop("") == sum(launches.values())
    placed = {row.get("phase", ""): row for row in document("show", store)["rows"]}
    assert all(placed[phase]["gflops"] > 0 for phase in ("", "update", "energy", "total"))
    assert not placed["halo"]["gflops"]


def test_multigrid_on_a_gpu_is_right_and_each_level_has_its_phases(run):
    """The paper's F-cycle, small: two boxes a side, whose levels are rows of their own."""
    ended, store = run('[[cases]]\nkernel = "proxies/multigrid"\nprecision = ["fp64", "fp32"]\nteam = [{gpus = 1}]\n'
                       'params = {cycle = "f", boxes = 2, n = 8, levels = 3, bottom = 2}\n')
    assert ended.returncode == 0, ended.stderr
    assert len(outcomes(store, "ok")) == 2
    of_levels = {f"{part}@{level}" for level in (1, 2, 3) for part in ("halo", "ghosts", "red", "black")}
    between = {f"{part}@{level}" for level in (1, 2) for part in ("residual", "restrict", "interpolate")}
    assert {row["phase"] for row in table(store, "times")} == {"", *of_levels, *between}
    model = {(row["phase"], row["quantity"]): row["lo"] for row in table(store, "model") if "/fp64/" in row["case"]}
    assert model["red@1", "flops.fp64"] == 2 * 2 * 113 * 8 * 8**3 // 2  # before and after the coarser level, twice each
    assert model["interpolate@1", "flops.fp64"] == 2 * 84 * 8 * 4**3 and model["restrict@2", "flops.fp64.mul"] == 3 * 8 * 2**3


HYBRID = ('[[cases]]\nkernel = "proxies/multigrid_hybrid"\nprecision = ["fp64", "fp32"]\nteam = [{{gpus = {gpus}}}]\n'
          'params = {{cycle = "f", boxes = 2, n = 16, levels = 4, bottom = 2, host_from = {host_from}}}\n')


SMALL_HYBRID = HYBRID.format(gpus=1, host_from=3).replace('["fp64", "fp32"]', '"fp64"')


@pytest.mark.parametrize("gpus", [1, 2])
def test_multigrid_whose_coarse_levels_are_the_hosts_is_right_and_copies_between_both(run, gpus):
    if gpus > 1 and not MPIEXEC:
        pytest.skip("this plumbline was built without MPI")
    ended, store = run(HYBRID.format(gpus=gpus, host_from=3), ranks=gpus if gpus > 1 else 0, PLUMBLINE_STAND_IN_GPUS=str(gpus))
    assert ended.returncode == 0, ended.stderr
    measured = outcomes(store, "ok")
    assert len(measured) == 2, ended.stderr
    for row in measured:
        gpu = json.loads(row["placement"])["ranks"][0]["gpu"]
        assert "-O" in gpu["host_flavor"] and "cuda" not in gpu["host_flavor"], "a CPU's flavor"
        if gpus > 1:
            assert gpu["messages"]["from_device"] is False and gpu["messages"]["reason"], "no MPI here takes a device's addresses"
    times = table(store, "times")
    assert {"red@2", "red@3", "halo@3", "red@4", "download@3", "upload@3"} <= {row["phase"] for row in times}
    model = {(row["phase"], row["quantity"]): row["lo"] for row in table(store, "model") if "/fp64/" in row["case"]}
    side = 8 * 8**3 * 8  # the host's finest level: eight boxes of 4^3 within ghost cells
    entries = 2  # where the F-cycle begins, and in the cycle below it that passes there
    assert model["download@3", "bytes.host-dev.write_back"] % side == 0 and model["upload@3", "bytes.host-dev"] >= entries * side
    assert model["download@3", "launches"] == model["red@3", "launches"] == 0 < model["red@2", "launches"]
    assert ("red@2", "bytes.reg-shared") in model and ("red@3", "bytes.reg-shared") not in model, "a CPU's caches"
    assert ("red@2", "bytes.L2-mem") in model and ("", "bytes.L2-mem") not in model, "two hierarchies do not add up"
    assert model["", "flops.fp64"] == sum(lo for (phase, quantity), lo in model.items() if phase and quantity == "flops.fp64")
    whole = next(row for row in document("show", store)["rows"] if row["case"].startswith("proxies/multigrid_hybrid/fp64") and not row.get("phase"))
    assert whole["gflops"] > 0


def test_the_hosts_levels_are_done_by_as_many_threads_as_the_team_has(run):
    """One id stays, another has the threads; both results are right, by the same work."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU: two threads have none each")
    cases = SMALL_HYBRID.replace("{gpus = 1}", "{gpus = 1}, {gpus = 1, threads = 2}")
    ended, store = run(cases)
    assert ended.returncode == 0, ended.stderr
    measured = {row["case"]: json.loads(row["placement"])["ranks"][0] for row in outcomes(store, "ok") if row["case"].startswith("proxies/")}
    assert sorted(case.split("/")[-2] for case in measured) == ["g1", "g1t2"]
    for case, placement in measured.items():
        threads = 2 if "/g1t2/" in case else 1
        assert placement["gpu"]["host_threads"] == len(placement["cpus"]) == len(set(placement["cpus"])) == threads
    model = {team: {(row["phase"], row["quantity"]): row["lo"] for row in table(store, "model") if f"/{team}/" in row["case"]}
             for team in ("g1", "g1t2")}
    for phase, quantity in model["g1"]:
        if quantity.startswith("flops.") or "reg-L1" in quantity or "host-dev" in quantity or phase.endswith(("@1", "@2")):
            assert model["g1"][phase, quantity] == model["g1t2"][phase, quantity], (phase, quantity)
    assert model["g1"]["red@3", "host_entries"] > 0 and ("red@2", "host_entries") not in model["g1"]
    rows = {(row["case"], row.get("phase", "")): row for row in document("show", store)["rows"]}
    for (case, phase), row in rows.items():
        on_host = phase.endswith(("@3", "@4")) and not phase.startswith(("upload", "download"))
        assert row["gpus"] == (0 if on_host else 1), (phase, row["gpus"])
        assert row["threads"] == (2 if "/g1t2/" in case else 1)


def test_more_threads_for_the_host_than_cpus_are_told_in_a_line_and_the_rest_is_measured(run):
    many = len(os.sched_getaffinity(0)) + 1
    ended, store = run(SMALL_HYBRID.replace("{gpus = 1}", f"{{gpus = 1}}, {{gpus = 1, threads = {many}}}"))
    assert ended.returncode == 0, ended.stderr
    told = [line for line in ended.stderr.splitlines() if f"skipped: team g1t{many} needs {many} CPUs" in line]
    assert len(told) == 1 and told[0].endswith("; use fewer threads"), ended.stderr
    assert len(outcomes(store, "ok")) == 1


def test_multigrid_of_which_no_level_is_left_to_the_host_is_refused(run):
    ended, _ = run(HYBRID.format(gpus=1, host_from=5))
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1, ended.stderr
    assert "host_from = 5 is beyond the coarsest level (levels = 4): take host_from = 4 or less" in ended.stderr


def test_sweeps_from_a_cold_l2_are_timed_and_modelled_so(run):
    triad = '[[cases]]\nkernel = "validation/triad"\nprecision = "fp64"\nteam = [{gpus = 1}]\nparams = {n = 10000}\n'

    def bytes_from_memory(cold):
        ended, store = run(f"cold_l2 = {cold}\n" + triad, "--overwrite")
        assert ended.returncode == 0, ended.stderr
        assert {json.loads(row["placement"])["ranks"][0]["gpu"]["cold_l2"] for row in outcomes(store, "ok")} == {cold == "true"}
        return [(row["lo"], row["hi"]) for row in table(store, "model") if row["quantity"] == "bytes.L2-mem.demand_read"]

    assert [lo for lo, _ in bytes_from_memory("false")] == [0], "240 kB stay in L2"
    [(least, _)] = bytes_from_memory("true")
    assert least == 2 * 80000 - 48 * 32, "two arrays are read"


def test_conjugate_gradients_on_a_gpu_are_right_and_grids_that_it_has_not_are_refused(run):
    asked = '[[cases]]\nkernel = "proxies/cg"\nprecision = ["fp64", "fp32"]\nteam = [{{gpus = 1}}]\nparams = {{n = {}, levels = 2, iterations = 2}}\n'
    ended, store = run(asked.format(8))
    assert ended.returncode == 0, ended.stderr
    assert len(outcomes(store, "ok")) == 2
    assert {"smooth@1", "smooth@2", "product@1", "halo@2", "total", "ratio"} <= {row["phase"] for row in table(store, "times")}
    ended, _ = run(asked.format(10), "--overwrite")
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1, ended.stderr
    assert "n = 10 is no multiple of 4, as 2 levels of eight colors need: take n = 8 or 12, or fewer levels" in ended.stderr
    ended, _ = run(asked.format(8), "--overwrite", PLUMBLINE_STAND_IN_BYTES="100000")
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1 and "is beyond memory: its arrays need" in ended.stderr, ended.stderr


@pytest.mark.parametrize("nameless", ["0", "1"])
def test_the_gpu_is_named_by_its_uuid_and_its_conditions_are_kept(run, tmp_path, nameless):
    """CUDA names the GPU, or the management library where CUDA has no UUID."""
    shutil.copy(os.environ["STAND_IN_NVML"], tmp_path / "libnvidia-ml.so.1")
    ended, store = run(ON_GPU, LD_LIBRARY_PATH=str(tmp_path), PLUMBLINE_STAND_IN_NAMELESS=nameless)
    assert ended.returncode == 0, ended.stderr
    for row in outcomes(store, "ok"):
        gpu = json.loads(row["placement"])["ranks"][0]["gpu"]
        assert gpu["uuid"] == "GPU-11111111-0000-0000-0000-000000000001" and gpu["device"] == "GPU"
        for when in ("before", "after"):
            assert gpu["conditions"][when]["power_watts"] == {"value": 123.456}
            assert gpu["conditions"][when]["clock_event_reasons"] == {"value": "idle"}


def test_without_the_drivers_library_the_conditions_are_absent_with_the_reason(run, tmp_path):
    (tmp_path / "libnvidia-ml.so.1").write_text("no library")  # ahead of a driver's own, which knows no stand-ins
    _, store = run(ON_GPU, PLUMBLINE_STAND_IN_NAMELESS="1", LD_LIBRARY_PATH=str(tmp_path))
    gpu = json.loads(outcomes(store, "ok")[0]["placement"])["ranks"][0]["gpu"]
    assert gpu["uuid"] is None and "libnvidia-ml.so.1" in gpu["uuid_reason"]
    assert gpu["conditions"]["before"]["power_watts"]["value"] is None
    assert gpu["conditions"]["during"] == {}


def test_a_glob_means_the_flavor_that_the_gpu_runs_and_one_that_is_named_says_why_it_does_not(run):
    _, store = run(ON_GPU)
    rows = document("list", "kernels")["rows"]
    flavors = next(row["flavors"] for row in rows if row["kernel"] == "validation/series" and row["space"] == "GPU")
    assert not outcomes(store, "skipped")
    (measured,) = {row["flavor"] for row in table(store, "cases")}
    (other, *_) = [flavor for flavor in flavors if flavor != measured]
    _, store = run(ON_GPU + f'flavor = ["cuda*", "{other}"]\n', "--overwrite")
    assert len(outcomes(store, "ok")) == 2
    assert {row["reason"] for row in outcomes(store, "skipped")} == {f"needs a GPU that runs {other}; here: stand-in GPU 0 (the host) ({measured})"}


def test_one_table_of_cases_may_have_teams_of_both_kinds(run):
    ended, store = run(SERIES + 'team = [{gpus = 1}, {ranks = 1}]\nflavor = ["gcc*", "cuda*"]\nparams = {m = 64, n = 3}\n')
    assert ended.returncode == 0, ended.stderr
    assert "matches" not in ended.stderr, "each glob has a kernel to match"
    cases = {row["id"]: row for row in table(store, "cases")}
    measured = [cases[row["case"]] for row in outcomes(store, "ok")]
    assert {row["gpus"] for row in measured} == {0, 1}
    assert len({row["work"] for row in measured}) == 1, "the same work in both spaces"


def test_a_further_gpu_is_told_to_be_idle(run):
    ended, _ = run(ON_GPU, PLUMBLINE_STAND_IN_GPUS="2")
    assert "has 2 GPUs: cases of one GPU are measured on the first one, at 0000:17:00.0" in ended.stderr


def test_a_part_of_a_gpu_is_named_by_its_own_uuid_beside_the_gpus(run, tmp_path):
    shutil.copy(os.environ["STAND_IN_NVML"], tmp_path / "libnvidia-ml.so.1")
    ended, store = run(ON_GPU, LD_LIBRARY_PATH=str(tmp_path), PLUMBLINE_STAND_IN_PARTS="1")
    assert ended.returncode == 0, ended.stderr
    gpu = json.loads(outcomes(store, "ok")[0]["placement"])["ranks"][0]["gpu"]
    assert (gpu["uuid"], gpu["part_of"]) == ("MIG-11111111-0000-0000-0000-000000000001", "GPU-11111111-0000-0000-0000-000000000001")


def test_what_is_finished_is_not_measured_again(run):
    first, store = run(ON_GPU)
    before = table(store, "times")
    again, _ = run(ON_GPU, "--resume")
    assert (first.returncode, again.returncode) == (0, 0), again.stderr
    assert table(store, "times") == before
    more, _ = run(ON_GPU.replace("[3, 7]", "[3, 7, 9]"), "--resume", "--accept-changed-campaign")
    assert more.returncode == 0, more.stderr
    after = table(store, "times")
    assert [row for row in after if "/n=9/" not in row["case"]] == before and len(after) > len(before)


@pytest.mark.parametrize("cases", [ON_GPU, '[ceilings]\nmode = "quick"\ngpus = true\nrounds = 1\nonly = ["GPU FP64 FMA"]\n'])
def test_a_run_is_not_resumed_on_another_gpu_under_the_same_host_name(run, cases):
    first, store = run(cases)
    assert first.returncode == 0, first.stderr
    before = store.read_bytes()
    other, _ = run(cases, "--resume", PLUMBLINE_STAND_IN_UUIDS_FROM="5")
    assert other.returncode == 2 and "another GPU than the one that was measured under this name" in other.stderr, other.stderr
    assert "GPU-55555555" in other.stderr and "GPU-11111111" in other.stderr and "-o" in other.stderr
    assert store.read_bytes() == before
    again, _ = run(cases, "--resume")
    assert again.returncode == 0, again.stderr


def test_a_gpu_that_a_case_broke_is_left_alone_and_the_case_is_named(run):
    ended, store = run(ON_GPU, PLUMBLINE_STAND_IN_BREAKS_AT_SWEEP="1")
    failed = outcomes(store, "failed")
    assert len(failed) == 1, "the case that broke it, and no other"
    assert "illegal memory access" in failed[0]["reason"]
    left = [row for row in outcomes(store, "skipped") if "does no more work in this run" in row["reason"]]
    assert len(left) == 1 and left[0]["case"] != failed[0]["case"]
    assert f"since case {failed[0]['case']} failed on it" in left[0]["reason"]


def test_a_wrong_result_is_4(run):
    ended, store = run(ON_GPU, PLUMBLINE_STAND_IN_WRONG_RESULTS="1")
    assert ended.returncode == 4
    assert "wrong result" in ended.stderr and "computed 3 times more here: wrong 3 times" in ended.stderr
    assert len(outcomes(store, "failed")) == 2 and table(store, "times") == []


def test_memory_that_others_took_is_a_failed_case_with_both_numbers(run):
    ended, store = run(ON_GPU, PLUMBLINE_STAND_IN_BYTES="1000000", PLUMBLINE_STAND_IN_BYTES_TAKEN="990000")
    assert ended.returncode == 1
    reason = outcomes(store, "failed")[0]["reason"]
    assert "too little memory of the GPU: the arrays take 6.55e-05 GB, 1e-05 GB are free" in reason


def test_what_no_gpu_of_the_run_can_hold_is_refused_before_anything_runs(run):
    ended, store = run(ON_GPU, PLUMBLINE_STAND_IN_BYTES="1000")
    assert ended.returncode == 2
    assert "is beyond memory: its arrays need 65536 bytes" in ended.stderr and "on a GPU, available are 1000 bytes" in ended.stderr
    assert not store.exists()


def test_what_no_gpu_of_the_run_can_hold_is_skipped_where_the_campaign_says_so_and_the_rest_is_measured(run, tmp_path):
    text = HEAD.replace("[timing]", 'beyond_memory = "skip"\n[timing]') + ON_GPU.replace("m = 64", "m = [8, 64]")
    (tmp_path / "skips.toml").write_text(text)
    ended = plumbline("run", tmp_path / "skips.toml", "-o", tmp_path / "skips.h5", PLUMBLINE_STAND_IN_BYTES="5000")
    assert ended.returncode == 0, ended.stderr
    skipped = outcomes(tmp_path / "skips.h5", "skipped")
    assert {row["case"].split("/m=")[1].split("/")[0] for row in skipped} == {"64"}
    assert all("is beyond memory: its arrays need 65536 bytes" in row["reason"] for row in skipped)
    assert {row["case"].split("/m=")[1].split("/")[0] for row in outcomes(tmp_path / "skips.h5", "ok")} == {"8"}


def test_a_gpu_that_another_process_holds_is_one_line_and_cases_on_the_cpu_are_measured(run):
    ended, store = run(ON_GPU + ON_CPU, PLUMBLINE_STAND_IN_HELD="1")
    assert ended.returncode == 1 and len(ended.stderr.strip().splitlines()[-1:]) == 1
    failed = outcomes(store, "failed")
    assert len(failed) == 2 and all("the GPU at 0000:17:00.0 cannot be used: cudaSetDevice failed" in row["reason"] for row in failed)
    assert all("another process holds this GPU alone (exclusive mode)" in row["reason"] and "nvidia-smi -c DEFAULT" in row["reason"] for row in failed)
    assert all("/r1t1/" in row["case"] for row in outcomes(store, "ok")) and outcomes(store, "ok")
    again, _ = run(ON_GPU + ON_CPU, "--resume")
    assert again.returncode == 0 and len([row for row in outcomes(store, "ok") if "/g1/" in row["case"]]) == 2, again.stderr


def test_show_has_its_rate_and_no_roof_of_a_cpu(run):
    ended, store = run(ON_GPU + '[ceilings]\nonly = ["FP64 scalar add"]\nrounds = 1\n')
    assert ended.returncode == 0, ended.stderr
    rows = {row["case"]: row for row in document("show", store)["rows"]}
    measured = {name: row for name, row in rows.items() if row["seconds"] is not None}
    assert len(measured) == 2
    for name, row in measured.items():
        assert "/g1/" in name and row["gpus"] == 1
        flops = 64 * 64 * row_order(name) * 2
        assert row["flops"] == flops
        assert row["gflops"] == pytest.approx(flops / row["seconds"] * 1e-9)
        assert row["bound"] is None and row["bound_reason"] == "no ceiling of a GPU in this file"
        assert set(row["levels"]) >= {"L1", "L2", "mem"} and "L3" not in row["levels"]
        assert row["levels"]["L1"]["bytes"] == 2 * 64 * 64 * 8 and row["join"] == "model"
    for command in (["score", store], ["ceilings", store], ["compare", store, store]):
        assert plumbline(*command).returncode == 0, command


def row_order(name):
    return int(next(word for word in name.split("/") if word.startswith("n="))[2:])


def test_a_dry_run_names_the_cases_and_measures_nothing(run):
    ended, store = run(ON_GPU, "--dry-run")
    assert ended.returncode == 0 and "/g1/cuda13-sm_" in ended.stdout and "2 cases" in ended.stdout
    assert not store.exists()


GEMM = '[[cases]]\nkernel = "ert/gemm"\nteam = [{gpus = 1}]\nparams = {n = 48}\n'


def absent_library(**options):
    rows = [row for row in document("list", "kernels", **options)["rows"] if row["kernel"] == "ert/gemm"]
    if not rows:
        pytest.skip("ert/gemm is not in the module: no cublasLt.h where it was built")
    return rows[0]["absent_flavors"]


def test_products_by_a_library_run_on_whatever_gpu_there_is(run):
    if absent := absent_library():
        pytest.skip(absent[0]["reason"])
    ended, store = run(GEMM)
    assert ended.returncode == 0, ended.stderr
    types = ["fp16", "bf16", "tf32", "fp64", "fp8", "int8", "fp32"]
    assert sorted(row["case"] for row in outcomes(store, "ok")) == sorted(f"ert/gemm/{one}/n=48/g1/lib-cublas" for one in types)
    assert {row["work"] for row in table(store, "cases")} == {f"ert/gemm/{one}/n=48" for one in types}


def test_without_the_library_there_are_no_products_and_its_words_say_why(run, tmp_path):
    for name in ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"):
        (tmp_path / name).write_bytes(b"no library")
    nowhere = {"LD_LIBRARY_PATH": str(tmp_path)}
    [absent] = absent_library(**nowhere)
    assert absent["flavor"] == "lib-cublas"
    assert absent["reason"].startswith("cuBLAS cannot be opened: ") and "libcublasLt.so.13: file too short" in absent["reason"]
    assert absent["reason"].endswith("install it (of the CUDA toolkit, or PyPI: nvidia-cublas) and put its folder on LD_LIBRARY_PATH")
    ended, store = run(GEMM + ON_CPU, **nowhere)
    assert ended.returncode == 0, ended.stderr
    assert "skipped: ert/gemm as lib-cublas: cuBLAS cannot be opened" in ended.stderr
    assert all("ert/gemm" not in row["id"] for row in table(store, "cases"))


CONVOLUTION = """[[cases]]
kernel = "proxies/conv2d"
flavor = "lib-*"
team = [{gpus = 1}]
params = {variant = ["im2col", "implicit"], images = 2, width = 9, channels = 8, filters = 8}
"""


def absent_in_convolution(library="lib-cublas", **options):
    row = next(row for row in document("list", "kernels", **options)["rows"] if row["kernel"] == "proxies/conv2d" and row["space"] == "GPU")
    return [one for one in row["absent_flavors"] if one["flavor"] == library]


def test_a_convolutions_products_by_a_library_are_measured_where_there_are_columns(run):
    if absent := absent_in_convolution():
        pytest.skip(absent[0]["reason"])
    ended, store = run(CONVOLUTION)
    assert ended.returncode == 0, ended.stderr
    sizes = "direction=forward/variant=im2col/images=2/width=9/channels=8/filters=8/kernel=3/stride=2"
    wanted = {f"proxies/conv2d/{one}/{sizes}/g1/lib-cublas" for one in ("fp32", "fp16", "bf16")}
    if not absent_in_convolution("lib-cudnn"):
        wanted |= {f"proxies/conv2d/{one}/{sizes.replace('im2col', 'implicit')}/g1/lib-cudnn" for one in ("fp32", "fp16", "bf16")}
    assert {row["case"] for row in outcomes(store, "ok")} == wanted
    assert "lib-cublas is a flavor of variant=im2col" in ended.stderr


def test_without_the_library_a_convolution_says_so_in_a_line(run, tmp_path):
    for name in ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"):
        (tmp_path / name).write_bytes(b"no library")
    nowhere = {"LD_LIBRARY_PATH": str(tmp_path)}
    [absent] = absent_in_convolution(**nowhere)
    if "not built in" in absent["reason"]:
        pytest.skip(absent["reason"])
    assert absent["reason"].endswith("install it (of the CUDA toolkit, or PyPI: nvidia-cublas) and put its folder on LD_LIBRARY_PATH")
    ended, _ = run(CONVOLUTION.replace('"lib-*"', '"*"') + ON_CPU, **nowhere)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("skipped: proxies/conv2d as lib-cublas: cuBLAS cannot be opened: ") == 1, ended.stderr


def test_without_cudnn_its_flavor_is_absent_with_a_line_that_says_what_to_install(run, tmp_path):
    for name in ("libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"):
        (tmp_path / name).write_bytes(b"no library")
    nowhere = {"LD_LIBRARY_PATH": str(tmp_path)}
    [absent] = absent_in_convolution("lib-cudnn", **nowhere)
    assert absent["reason"].startswith("cuDNN cannot be opened: ") and "libcudnn.so.9: file too short" in absent["reason"]
    assert absent["reason"].endswith("install it (PyPI: nvidia-cudnn-cu13, or -cu12) and put its folder on LD_LIBRARY_PATH")
    ended, _ = run(CONVOLUTION.replace('"lib-*"', '"*"') + ON_CPU, **nowhere)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("skipped: proxies/conv2d as lib-cudnn: cuDNN cannot be opened: ") == 1, ended.stderr


def test_products_of_sizes_that_no_tensor_core_loads_are_refused(run):
    if absent := absent_library():
        pytest.skip(absent[0]["reason"])
    ended, _ = run(GEMM.replace("48", "50"))
    assert ended.returncode == 2 and "n must be a multiple of 16" in ended.stderr, ended.stderr


def test_what_is_there_is_told(tmp_path):
    version = plumbline("--version").stdout
    assert "stand-ins on the host for CUDA 13" in version
    row = next(row for row in document("doctor")["rows"] if row["what"] == "kernels for GPUs")
    assert row["status"] == "ok" and "stand-in GPU 0 (the host) at 0000:17:00.0" in row["found"]
    spaces = {(row["kernel"], row["space"]) for row in document("list", "kernels")["rows"]}
    assert {("validation/series", "CPU"), ("validation/series", "GPU")} <= spaces


@pytest.mark.parametrize(
    "cases, words",
    [
        (SERIES + "team = [{gpus = 0}]\n", ["'gpus'", "at least 1"]),
        (SERIES + "team = [{gpus = 1, threads = 4}]\n", ["validation/series leaves nothing to the host", "write {gpus=1}"]),
        ('[[cases]]\nkernel = "proxies/sparse_lu"\nteam = [{gpus = 1}]\n', ["proxies/sparse_lu has no version for GPUs", "validation/series"]),
        (ON_GPU + 'flavor = "cuda13-sm_9"\n', ["no flavor 'cuda13-sm_9'", "cuda13-sm_"]),
    ],
)
def test_what_cannot_be_asked_for_is_one_clear_line(run, cases, words):
    ended, _ = run(cases)
    assert ended.returncode == 2
    for word in words:
        assert word in ended.stderr, ended.stderr
    assert ended.stderr.count("\n") == 1


# ------------------------------------------------------------------------------------------------------------ without a GPU


def has_driver():
    return pathlib.Path("/proc/driver/nvidia/version").exists()


@pytest.mark.skipif(has_driver(), reason="this machine has an NVIDIA driver")
def test_without_a_driver_cases_for_gpus_are_skipped_with_the_reason_and_the_others_measured(run):
    ended, store = run(ON_GPU + ON_CPU, stand_in=False)
    assert ended.returncode == 0, ended.stderr
    assert "no NVIDIA driver" in ended.stderr
    skipped = outcomes(store, "skipped")
    assert len(skipped) >= 2 and all("/g1/" in row["case"] and "here: no NVIDIA driver" in row["reason"] for row in skipped)
    assert outcomes(store, "ok") and all("/r1t1/" in row["case"] for row in outcomes(store, "ok"))


@pytest.mark.skipif(has_driver(), reason="this machine has an NVIDIA driver")
def test_without_a_driver_a_campaign_for_gpus_alone_succeeds_and_says_why_it_measured_nothing(run):
    ended, store = run(ON_GPU, stand_in=False)
    assert ended.returncode == 0, ended.stderr
    assert "no NVIDIA driver" in ended.stderr and not outcomes(store, "ok")


def test_without_a_module_too(run, tmp_path):
    (tmp_path / "empty").mkdir()
    ended, store = run(ON_GPU + 'flavor = "cuda13-sm_90a"\n' + ON_CPU, stand_in=False, PLUMBLINE_CUDA_MODULE_PATH=str(tmp_path / "empty"))
    assert ended.returncode == 0, ended.stderr
    assert "note: skipped: validation/series on GPUs: no module for GPUs" in ended.stderr
    assert len(outcomes(store, "ok")) >= 1
    alone, _ = run(ON_GPU, "--overwrite", stand_in=False, PLUMBLINE_CUDA_MODULE_PATH=str(tmp_path / "empty"))
    assert alone.returncode == 0, alone.stderr
