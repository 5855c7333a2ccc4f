"""plumbline run that counts on GPUs: through the stand-ins for the module, for NVIDIA's driver and for CUPTI. Their counters count the
elements that a sweep works on, times the place of the metric in its group. From the environment: PLUMBLINE, STAND_IN_CUDA, STAND_IN_CUPTI.
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
from stored_tables import table

CAMPAIGN = """schema = "plumbline-campaign/1"
name = "gpus"
passes = ["time", "count"]
counters = "cupti"
[timing]
min_seconds = 0.0005
max_repetitions = 6
[[cases]]
kernel = "validation/series"
precision = "fp64"
flavor = ["gcc-O3-v2", "gcc-O3-neon", "cuda*"]
team = [{gpus = 1}]
params = {m = 64, n = 3}
"""
ADD, MUL, FMA = (f"sm__sass_thread_inst_executed_op_d{kind}_pred_on.sum" for kind in ("add", "mul", "fma"))


def plumbline(*words, counters_here=True, **environment):
    surroundings = {**os.environ, "PLUMBLINE_CUDA_MODULE_PATH": os.environ["STAND_IN_CUDA"], **environment}
    if counters_here:
        surroundings |= {"PLUMBLINE_CUPTI_PATH": os.environ["STAND_IN_CUPTI"], "LD_LIBRARY_PATH": os.environ["STAND_IN_CUPTI"]}
    return subprocess.run([os.environ["PLUMBLINE"], *map(str, words)], capture_output=True, text=True, timeout=300, env=surroundings)


@pytest.fixture
def run(tmp_path):
    def of_text(text, *words, **more):
        (tmp_path / "gpus.toml").write_text(text)
        return plumbline("run", tmp_path / "gpus.toml", "-o", tmp_path / "gpus.h5", *words, **more), tmp_path / "gpus.h5"

    return of_text


def counted(store):
    return [row for row in table(store, "outcomes") if row["pass"] == "count" and row["status"] != "skipped"]


def test_a_case_on_a_gpu_is_counted_by_the_metrics_of_its_chips_table(run):
    ended, store = run(CAMPAIGN)
    assert ended.returncode == 0, ended.stderr
    (outcome,) = counted(store)
    assert (outcome["status"], outcome["reason"]) == ("ok", "")
    rows = [row for row in table(store, "counts") if row["case"] == outcome["case"]]
    assert {row["backend"] for row in rows} == {"cupti"} and {row["status"] for row in rows} == {"ok"}
    by_event = {row["event"]: row for row in rows}
    assert len(by_event) > 60
    for place, event in enumerate((ADD, MUL, FMA), 1):
        assert by_event[event]["net"] == place * 64 * 64, "one sweep: neither the warm one nor the empty region"
    assert by_event["launches"]["net"] == 1
    assert len([row for row in rows if row["event"] == ADD]) == 1, "instrumented counts repeat exactly"
    assert len([row for row in rows if row["event"] == "dram__bytes_read.sum"]) == 3
    assert len({row["group"] for row in rows}) == 4, "instrumented, hardware, the link, launches: a pass each"
    assert all(key.startswith("cupti/") for key in json.loads(outcome["placement"])["counted_with"])


def test_an_application_is_counted_phase_by_phase_and_the_whole_is_their_sum(run):
    cases = CAMPAIGN.split("[[cases]]")[0] + '[[cases]]\nkernel = "proxies/heat2d"\nprecision = "fp64"\nteam = [{gpus = 1}]\nparams = {n = 48, steps = 3}\n'
    ended, store = run(cases)
    assert ended.returncode == 0, ended.stderr
    (outcome,) = counted(store)
    assert (outcome["status"], outcome["reason"]) == ("ok", ""), "a rate that no sum has is nobody's wish"
    net = {}
    for row in table(store, "counts"):
        net.setdefault(row["event"], {})[row["phase"]] = row["net"]
    rows = {"update": 3 * 48, "energy": 48, "total": 1}  # of which each sweep of the stand-in is a unit of work
    for place, event in enumerate((ADD, MUL, FMA), 1):
        assert net[event] == {"": place * sum(rows.values()), **{phase: place * work for phase, work in rows.items()}}
    assert net["launches"] == {"": 5, "update": 3, "energy": 1, "total": 1}, "halos are copies"
    shares = [row for row in table(store, "counts") if row["event"] == "sm__warps_active.avg.pct_of_peak_sustained_active"]
    assert {row["phase"] for row in shares if row["net"] is not None} == {"energy", "total"}, "of one entry each"


def test_of_an_application_that_the_host_shares_the_gpus_phases_are_counted_and_no_whole(run):
    cases = CAMPAIGN.split("[[cases]]")[0] + ('[[cases]]\nkernel = "proxies/multigrid_hybrid"\nprecision = "fp64"\nteam = [{gpus = 1}]\n'
                                              'params = {boxes = 1, n = 8, levels = 2, bottom = 1, host_from = 2}\n')
    ended, store = run(cases)
    assert ended.returncode == 0, ended.stderr
    (outcome,) = counted(store)
    assert outcome["status"] == "ok", outcome
    adds = {row["phase"]: row for row in table(store, "counts") if row["event"] == ADD}
    assert adds["red@1"]["status"] == "ok" and adds["red@1"]["net"] > 0
    assert not {"red@2", "halo@2", "download@2", "upload@2"} & set(adds), "no GPU does those"
    assert adds[""]["status"] == "skipped" and adds[""]["net"] is None


NOISY = "dram__bytes_read.sum"


def test_all_cases_are_counted_once_at_first_and_again_when_more_is_asked_for(run):
    """A run that is interrupted after the first has one repetition of everything; nothing is timed twice, and nothing counted that had its repetitions."""
    cases = CAMPAIGN.replace("n = 3", "n = [3, 7]")

    def repetitions(store):
        found = {}
        for row in table(store, "counts"):
            if row["event"] in (NOISY, ADD):
                found.setdefault((row["case"], row["event"]), []).append(row["repetition"])
        return {event: [sorted(times) for (_, one), times in sorted(found.items()) if one == event] for event in (NOISY, ADD)}

    ended, store = run(cases, "--count-repetitions", "1")
    assert ended.returncode == 0, ended.stderr
    assert repetitions(store) == {NOISY: [[0], [0]], ADD: [[0], [0]]}
    times, sessions = table(store, "times"), {row["session"] for row in table(store, "counts")}
    ended, _ = run(cases, "--resume")
    assert ended.returncode == 0, ended.stderr
    assert repetitions(store) == {NOISY: [[0, 1, 2], [0, 1, 2]], ADD: [[0], [0]]}, "the campaign's, in the first one's place"
    assert table(store, "times") == times
    assert not sessions & {row["session"] for row in table(store, "counts")}
    placements = [json.loads(row["placement"]) for row in counted(store)]
    assert all(set(placement["count_repetitions"].values()) == {3} for placement in placements)
    counts = table(store, "counts")
    ended, _ = run(cases, "--resume", "--count-repetitions", "2")
    assert ended.returncode == 0 and table(store, "counts") == counts, "three are more than two"


def test_the_campaign_says_how_often_cases_are_counted(run):
    ended, store = run(CAMPAIGN + "[counting]\nrepetitions = 2\n")
    assert ended.returncode == 0, ended.stderr
    assert {row["repetition"] for row in table(store, "counts") if row["event"] == NOISY} == {0, 1}
    for wrong, words in (("repetitions = 0", "'repetitions'"), ("repetition = 1", "'repetitions'"), ('repetitions = "once"', "'repetitions'")):
        ended, _ = run(CAMPAIGN + f"[counting]\n{wrong}\n", "--overwrite")
        assert ended.returncode == 2 and ended.stderr.count("\n") == 1 and words in ended.stderr, ended.stderr
    ended, _ = run(CAMPAIGN, "--overwrite", "--count-repetitions", "0")
    assert ended.returncode == 2 and "--count-repetitions" in ended.stderr, ended.stderr


def test_counts_of_one_repetition_say_that_they_have_no_spread_wherever_they_are_judged(run, tmp_path):
    cases = CAMPAIGN.replace("n = 3", "n = [3, 5, 7]")
    ended, store = run(cases, "--count-repetitions", "1")
    assert ended.returncode == 0, ended.stderr
    counter = "cupti l1.bytes"
    scored = json.loads(plumbline("score", store, "--json").stdout)
    (one,) = [one for one in scored["counters"] if one["counter"] == counter and one["convention"] == "flow"]
    repeats = one["repeatability"]
    assert (one["n"], repeats["cases"], repeats["most_repetitions"], repeats["median_scatter"], repeats["status"]) == (3, 0, 1, None, "unavailable")
    assert repeats["reason"] == "no case with three repetitions or more"
    assert not any("scatter" in row for row in scored["rows"] if row["counter"] == counter)
    (line,) = [line for line in plumbline("score", store).stdout.splitlines() if line.startswith(counter + " ")]
    assert "once" in line.split() and "0 %" not in line, line
    told = plumbline("score", store, "--counter", counter).stdout
    assert "each case counted once: nothing shows how far its counts repeat" in told and "scatter by" not in told, told
    assert "in the same 3 repetitions" in plumbline("score", store).stdout, "of three cases"
    shown = json.loads(plumbline("show", store, "--json").stdout)["rows"]
    assert len(shown) == 3 and all(row["seconds"] > 0 for row in shown)
    compared = plumbline("compare", store, store, "--json")
    assert compared.returncode == 0 and {row["verdict"] for row in json.loads(compared.stdout)["rows"]} <= {"SAME", "AMBIGUOUS"}, compared.stderr
    projected = plumbline("project", store, "--to", store)
    assert projected.returncode == 2 and projected.stderr.count("\n") == 1 and "has no ceilings" in projected.stderr, "counts are not what is missing"
    ended, _ = run(cases, "--resume")
    assert ended.returncode == 0, ended.stderr
    (one,) = [one for one in json.loads(plumbline("score", store, "--json").stdout)["counters"] if one["counter"] == counter and one["convention"] == "flow"]
    assert (one["repeatability"]["cases"], one["repeatability"]["most_repetitions"]) == (3, 3) and one["repeatability"]["median_scatter"] is not None


def test_the_machine_names_the_chip_and_the_score_takes_its_table(run):
    _, store = run(CAMPAIGN)
    assert json.loads(table(store, "machine")[0]["json"])["gpu_chip"] == "GH100"
    scored = plumbline("score", store, "--json")
    assert scored.returncode == 0, scored.stderr
    assert "cupti flops.fp64" in {row["counter"] for row in json.loads(scored.stdout)["counters"]}


def test_time_clock_and_occupancy_are_counted_and_go_through_score_and_show(run):
    _, store = run(CAMPAIGN, STAND_IN_CUPTI_CLOCK_HZ="7e8")
    by_event = {row["event"]: row for row in table(store, "counts")}
    assert by_event["gpu__time_duration.sum"]["net"] == 64 * 64, "a nanosecond an element"
    rate, share = by_event["sm__cycles_elapsed.avg.per_second"], by_event["sm__warps_active.avg.pct_of_peak_sustained_active"]
    assert (rate["net"], rate["raw"]) == (7e8, 700000000), "a rate has no empty region to subtract"
    assert (share["net"], share["raw"], share["status"]) == (62.5, 63, "ok")
    scored = json.loads(plumbline("score", store, "--json").stdout)
    times = {row["counter"]: row["measured"] for row in scored["rows"] if row["quantity"] == "seconds"}
    assert times == {"cupti time": pytest.approx(4.096e-6), "cupti cycles.average / clock": pytest.approx(4.096e-6, rel=1e-3),
                     "cupti cycles / clock": pytest.approx(4.096e-6, rel=1e-2)}
    (agreement,) = [row for row in scored["time_agreements"] if row["must_agree"]]
    assert agreement["agrees"] and agreement["repetitions"] == 3
    (row,) = [row for row in json.loads(plumbline("show", store, "--json").stdout)["rows"] if "counter_conditions" in row]
    at = row["counter_conditions"]
    assert (at["clock_hz"], at["timed_clock_hz"], at["is_of_another_clock"], at["occupancy"]) == (7e8, 1e8, True, 0.625)


@pytest.mark.parametrize("result, status, words", [(35, "permission", "NVreg_RestrictProfilingToAdminUsers=0"), (43, "unavailable", "MIG")])
def test_refused_counters_have_their_reason_and_the_case_is_timed_all_the_same(run, result, status, words):
    ended, store = run(CAMPAIGN, STAND_IN_CUPTI_ENABLE=str(result))
    assert ended.returncode == 0, ended.stderr
    (outcome,) = counted(store)
    refused = [row for row in table(store, "counts") if row["event"] == ADD]
    assert {row["status"] for row in refused} == {status} and words in outcome["reason"]
    assert all(row["raw"] == 0 and row["net"] is None for row in refused), "absent is not zero"
    assert table(store, "times")


@pytest.mark.parametrize("driver, words", [
    ({"STAND_IN_CUPTI_DROPS_EMPTY_RANGES": "1"}, "CUPTI counted 0 ranges"),
    ({"STAND_IN_CUPTI_EMPTY_RANGE": "1"}, "CUPTI error 1 of cuptiRangeProfilerPopRange"),
])
def test_a_driver_that_gives_no_empty_range_is_noted_and_the_kernel_is_counted(run, driver, words):
    ended, store = run(CAMPAIGN, **driver)
    assert ended.returncode == 0, ended.stderr
    (outcome,) = counted(store)
    assert outcome["status"] == "ok"
    assert "nothing is subtracted, for the empty region has no count" in outcome["reason"] and words in outcome["reason"]
    by_event = {row["event"]: row for row in table(store, "counts")}
    assert [by_event[event]["net"] for event in (ADD, MUL, FMA)] == [place * 64 * 64 for place in (1, 2, 3)]
    (note,) = [one for one in json.loads(plumbline("score", store, "--json").stdout)["notes"] if "nothing is subtracted" in one]
    assert words in note and note.endswith("(1 case)")


def test_the_profiler_is_enabled_once_where_nothing_is_timed_in_between(run, tmp_path):
    two = CAMPAIGN.replace("n = 3", "n = [3, 4, 5]")
    calls = tmp_path / "calls"
    ended, store = run(two.replace('"time", "count"', '"count"'), STAND_IN_CUPTI_CALLS=calls)
    assert ended.returncode == 0 and len(counted(store)) == 3, ended.stderr
    assert calls.read_text().split().count("enable") == 1, "for all groups of all cases"
    calls.unlink()
    ended, _ = run(two, "--overwrite", STAND_IN_CUPTI_CALLS=calls)
    assert ended.returncode == 0, ended.stderr
    assert calls.read_text().split().count("enable") == 3, "once a case: nothing is timed beside it"


def test_a_driver_that_hangs_costs_a_case_its_deadline_and_not_its_times(run):
    hurried = CAMPAIGN + "[deadline]\nfactor = 1.0\nfloor_seconds = 5\n"
    ended, _ = run(hurried, STAND_IN_CUPTI_HANGS="1")
    assert ended.returncode == 75, ended.stderr
    again, store = run(hurried, "--resume")
    assert again.returncode == 0, again.stderr
    (outcome,) = counted(store)
    assert outcome["status"] == "ok" and len({row["session"] for row in table(store, "times")}) == 1, "timed once, by the first run"
    assert {row["session"] for row in table(store, "times")} != {row["session"] for row in table(store, "counts")}


def test_times_and_counts_of_a_case_may_come_from_two_processes(run, tmp_path):
    two, calls = CAMPAIGN.replace("n = 3", "n = [3, 4, 5]").replace('"cupti"', '"auto"'), tmp_path / "calls"
    timed, store = run(two, "--counters", "none", STAND_IN_CUPTI_CALLS=calls)
    assert timed.returncode == 0 and not calls.exists(), timed.stderr
    times = table(store, "times")
    ended, _ = run(two, "--resume", "--counters", "auto", STAND_IN_CUPTI_CALLS=calls)
    assert ended.returncode == 0 and table(store, "times") == times, ended.stderr
    assert calls.read_text().split().count("enable") == 2, "one to try, one for all groups of all cases"
    rows = json.loads(plumbline("show", store, "--json").stdout)["rows"]
    on_gpu = [row for row in rows if "/g1/" in row["case"]]
    assert len(on_gpu) == 3 and all(row["seconds"] > 0 and row["flops"] for row in on_gpu)
    assert {row["status"] for row in counted(store)} == {"ok"}


def test_cases_on_the_cpu_beside_it_say_that_nothing_there_counts_them(run):
    ended, store = run(CAMPAIGN.replace("[{gpus = 1}]", "[{gpus = 1}, {ranks = 1}]"))
    assert ended.returncode == 0, ended.stderr
    by_gpu, *by_cpu = sorted(counted(store), key=lambda row: "/r1t1/" in row["case"])
    assert by_gpu["status"] == "ok" and by_cpu
    assert {(row["status"], row["reason"]) for row in by_cpu} == {("unavailable", "counters of GPUs see nothing of a CPU's work")}
    assert not [row for row in table(store, "counts") if "/r1t1/" in row["case"]]


def test_what_is_counted_is_not_counted_again(run):
    _, store = run(CAMPAIGN)
    before = table(store, "counts")
    again, _ = run(CAMPAIGN, "--resume")
    assert again.returncode == 0, again.stderr
    assert str(table(store, "counts")) == str(before)


def test_auto_counts_on_gpus_only_what_runs_there_and_says_what_is_missing(run):
    ended, store = run(CAMPAIGN.replace('"cupti"', '"auto"'), counters_here=False, LD_LIBRARY_PATH="/nowhere")
    assert ended.returncode == 0, ended.stderr
    (skipped,) = {row["reason"] for row in table(store, "outcomes") if row["pass"] == "count" and "/g1/" in row["case"] and "cupti" in row["reason"]}
    assert skipped.startswith("cupti: unavailable: no NVIDIA driver here")


@pytest.mark.parametrize("counters", ["auto", "cupti", "none"])
@pytest.mark.parametrize("passes", ['"time"', '"time", "count"'])
def test_cupti_is_left_alone_where_nothing_is_to_be_counted(run, tmp_path, counters, passes):
    calls = tmp_path / "calls"
    text = CAMPAIGN.replace('"time", "count"', passes).replace('"cupti"', f'"{counters}"')
    ended, store = run(text, STAND_IN_CUPTI_CALLS=calls)
    assert ended.returncode == 0 and table(store, "times"), ended.stderr
    assert calls.exists() == ("count" in passes and counters != "none")


def test_cupti_is_left_alone_beside_another_profiler_and_the_case_is_timed(run, tmp_path):
    calls = tmp_path / "calls"
    ended, store = run(CAMPAIGN.replace('"cupti"', '"auto"'), STAND_IN_CUPTI_CALLS=calls, CUDA_INJECTION64_PATH="/nowhere/libother.so")
    assert ended.returncode == 0 and table(store, "times"), ended.stderr
    assert not calls.exists()
    assert "another profiler is in this process (CUDA_INJECTION64_PATH=/nowhere/libother.so" in ended.stderr + ended.stdout


def test_counters_that_are_named_and_cannot_be_had_are_2(run):
    ended, _ = run(CAMPAIGN, counters_here=False, LD_LIBRARY_PATH="/nowhere")
    assert ended.returncode == 2 and "'cupti' cannot be had: no NVIDIA driver here" in ended.stderr
    ended, _ = run(CAMPAIGN.replace('"cupti"', '"cupti:dram__unknown.sum"'))
    assert ended.returncode == 2 and "no metric 'dram__unknown.sum' of GH100" in ended.stderr


@pytest.mark.parametrize("result, status", [(0, "ok"), (35, "permission"), (26, "stolen")])
def test_doctor_tries_the_counters_and_says_what_stands_in_the_way(result, status):
    rows = json.loads(plumbline("doctor", "--json", STAND_IN_CUPTI_ENABLE=str(result)).stdout)["rows"]
    (row,) = [one for one in rows if one["what"] == "counters by cupti"]
    assert row["status"] == status and "GH100" in (row["found"] or row["reason"])


def rows_of_doctor(**environment):
    return {row["what"]: row for row in json.loads(plumbline("doctor", "--json", **environment).stdout)["rows"]}


def test_a_driver_for_cuda_12_takes_the_module_and_the_cupti_of_12(run, tmp_path):
    shutil.copy(pathlib.Path(os.environ["STAND_IN_CUDA"]) / "libplumbline_cuda.so", tmp_path / "libplumbline_cuda12.so")
    driver = {"STAND_IN_DRIVER_CUDA": "12040", "PLUMBLINE_CUDA_MODULE_PATH": str(tmp_path)}
    rows = rows_of_doctor(**driver)
    assert "libplumbline_cuda12.so is taken, for the driver is for CUDA 12.4" in str(rows["kernels for GPUs"])
    assert rows["counters by cupti"]["status"] == "ok"
    ended, store = run(CAMPAIGN, **driver)
    assert ended.returncode == 0, ended.stderr
    (outcome,) = counted(store)
    assert outcome["status"] == "ok", outcome
    assert {row["status"] for row in table(store, "counts")} == {"ok"}


@pytest.mark.parametrize("cuda, words", [("12020", "libplumbline_cuda12.so runs on it"), ("11080", "a driver of version 525 or later is needed")])
def test_a_driver_that_runs_no_module_here_is_one_line_and_the_rest_goes_on(run, cuda, words):
    assert words in rows_of_doctor(STAND_IN_DRIVER_CUDA=cuda)["kernels for GPUs"]["reason"]
    ended, store = run(CAMPAIGN.replace('counters = "cupti"', 'counters = "none"'), STAND_IN_DRIVER_CUDA=cuda)
    assert ended.returncode == 0 and words in ended.stdout + ended.stderr


def test_the_counters_of_the_gpu_are_listed_beside_those_of_the_cpu():
    rows = json.loads(plumbline("list", "counters", "--json").stdout)["rows"]
    mine = {row["name"] for row in rows if row["backend"] == "cupti"}
    assert {"flops.fp64", "mem.bytes", ADD, "launches"} <= mine
