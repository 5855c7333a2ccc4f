"""plumbline import: what likwid-perfctr, Intel Advisor and perf stat say of a CPU becomes a result whose every number is reckoned here by hand."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
DATA = pathlib.Path(__file__).parent / "data"
ROOFS = DATA / "likwid_cpu.toml"


def plumbline(*words):
    return subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True, check=False)


def imported(tmp_path, tool, *words):
    """The rows by their case, and what else is said."""
    path = tmp_path / f"{tool}.h5"
    done = plumbline("import", tool, *words, "-o", path, "--overwrite")
    assert done.returncode == 0, done.stderr
    shown = plumbline("show", path, "--json")
    assert shown.returncode == 0, shown.stderr
    return {row["case"]: row for row in json.loads(shown.stdout)["rows"]}, done.stderr


def refused(tmp_path, tool, text, *words):
    path = tmp_path / "in.csv"
    path.write_text(text)
    done = plumbline("import", tool, path, "-o", tmp_path / "none.h5", *words)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "none.h5").exists()
    return done.stderr


def test_a_region_of_likwid_has_the_flops_of_each_thread_over_its_own_time(tmp_path):
    rows, said = imported(tmp_path, "likwid", DATA / "likwid_flops_dp.csv", "--ceilings", ROOFS)
    row = rows["imported/triad/fp64/group=FLOPS_DP/r1t2/native"]
    assert row["flops"] == pytest.approx(1200e6 * 0.5 + 1500e6 * 0.4)
    assert row["seconds"] == 0.5 and row["gflops"] == pytest.approx(2.4)
    assert row["node"] == "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz"
    assert row["levels"]["mem"]["bytes"] is None and "Memory data volume" in row["levels"]["mem"]["reason"]
    assert "none has a grade" in said and "a mask leaves out" in "".join(row["notes"] + [said])
    once = rows["imported/set_up_once/fp64/group=FLOPS_DP/r1t1/native"]
    assert once["flops"] == pytest.approx(800e6 * 0.01), "a thread that was not there has no part in it"


@pytest.mark.parametrize("none", ["-", "nan"])
def test_a_thread_of_likwid_that_ran_and_has_no_number_leaves_no_sum(tmp_path, none):
    path = tmp_path / "in.csv"
    path.write_text((DATA / "likwid_flops_dp.csv").read_text().replace("DP [MFLOP/s],1200,1500", f"DP [MFLOP/s],1200,{none}", 1))
    assert imported(tmp_path, "likwid", path)[0]["imported/triad/-/group=FLOPS_DP/r1t2/native"]["flops"] is None
    path.write_text(path.read_text().replace("0.500000,0.400000", "0.500000,0"))
    assert imported(tmp_path, "likwid", path)[0]["imported/triad/fp64/group=FLOPS_DP/r1t1/native"]["flops"] == 1200e6 * 0.5


def test_groups_of_several_runs_are_one_case_and_it_says_so(tmp_path):
    rows, said = imported(tmp_path, "likwid", DATA / "likwid_flops_dp.csv", DATA / "likwid_mem.csv", "--ceilings", ROOFS)
    row = rows["imported/triad/fp64/group=FLOPS_DP+MEM/r1t2/native"]
    assert row["levels"]["mem"]["bytes"] == 14.4e9 and row["levels"]["mem"]["ai"] == pytest.approx(1.2 / 14.4)
    assert row["bound"] == "mem"
    assert row["percent_of_roof"] == pytest.approx(100 * 14.4e9 / 30e9 / row["seconds"])
    assert "several runs, a group each" in said
    twice = tmp_path / "twice.csv"
    twice.write_text((DATA / "likwid_mem.csv").read_text().replace("0.510000", "2.510000"))
    assert "hardly did both do the same" in imported(tmp_path, "likwid", DATA / "likwid_flops_dp.csv", twice)[1]


def test_a_group_that_comes_again_is_refused_with_both_places(tmp_path):
    text = (DATA / "likwid_flops_dp.csv").read_text()
    said = refused(tmp_path, "likwid", text, DATA / "likwid_mem.csv", DATA / "likwid_flops_dp.csv")
    assert "likwid_flops_dp.csv:19: group FLOPS_DP of 'triad' was at " in said and "in.csv:19 already" in said and "leave one" in said
    assert f"in.csv:{19 + text.count(chr(10))}: group FLOPS_DP" in refused(tmp_path, "likwid", text + text)
    both = tmp_path / "both.csv"
    both.write_text(text + (DATA / "likwid_mem.csv").read_text().replace("Group 1", "Group 2"))
    assert "both.csv:19: group FLOPS_DP" in refused(tmp_path, "likwid", both.read_text(), both)


def test_groups_that_one_run_took_in_turns_are_not_joined(tmp_path):
    both = tmp_path / "both.csv"
    both.write_text((DATA / "likwid_flops_dp.csv").read_text() + (DATA / "likwid_mem.csv").read_text().replace("Group 1", "Group 2"))
    rows, _ = imported(tmp_path, "likwid", both)
    assert {"imported/triad/fp64/group=FLOPS_DP/r1t2/native", "imported/triad/-/group=MEM/r1t2/native"} <= set(rows)


def test_loops_of_advisor_lie_under_roofs_by_their_own_flops_and_simulated_bytes(tmp_path):
    rows, said = imported(tmp_path, "advisor", DATA / "advisor_survey.csv", "--ceilings", ROOFS)
    assert len(rows) == 3, "the whole of the versions has no FLOPs, main neither"
    (triad,) = [row for case, row in rows.items() if "triad" in case]
    assert triad["flops"] == 1.2e9 and triad["seconds"] == 0.5 and triad["case"].endswith("/fp64/loop=4/r1t1/native")
    assert {level: triad["levels"][level]["bytes"] for level in ("L1", "L2", "L3", "mem")} == dict.fromkeys(("L1", "L2", "L3", "mem"), 14.4e9)
    assert triad["bound"] == "mem"
    mix = rows[[case for case in rows if "/loop=7/" in case][0]]
    assert mix["precision"] == "fp32" and mix["flops"] == 2e9 and mix["levels"]["L1"]["bytes"] == 8e8
    assert mix["levels"]["L2"]["bytes"] is None, "less than something is no number"
    assert "simulated caches" in "".join(triad["notes"] + [said])


@pytest.mark.parametrize("file", ["perf_stat.csv", "perf_stat.json"])
def test_a_run_of_perf_has_what_was_collected_and_says_what_was_scaled(tmp_path, file):
    rows, said = imported(tmp_path, "perf", DATA / file, "--ceilings", ROOFS, "--threads", 2)
    (row,) = rows.values()
    assert row["case"] == "imported/program/fp64/run=1/r1t2/native" and row["seconds"] == pytest.approx(1.002)
    assert row["flops"] == 1e6 + 4 * 250e6
    assert row["levels"]["mem"]["bytes"] == 12 * 2**30
    assert "for 50 % of the time" in said and "512 bits were not collected" in "".join(row["notes"] + [said])
    assert row["bound"] == "mem"


def test_channels_of_memory_that_perf_tells_on_a_line_each_are_added(tmp_path):
    path, text = tmp_path / "in.csv", (DATA / "perf_stat.csv").read_text()
    path.write_text(text + "100.00,MiB,uncore_imc/cas_count_write/,1000000000,100.00,,\n1000000,,fp_arith_inst_retired.scalar_double:u,1,100.00,,\n")
    rows, said = imported(tmp_path, "perf", path)
    (row,) = rows.values()
    assert row["levels"]["mem"]["bytes"] == 12 * 2**30 + 100 * 2**20 and row["flops"] == 1e6 + 4 * 250e6
    said += "".join(row["notes"])
    assert "uncore_imc/cas_count_write/ is the sum of 2 lines" in said and "scalar_double comes again" in said and "cas_count_read" not in said
    path.write_text(text + "100,,uncore_imc/cas_count_write/,1000000000,100.00,,\n")
    assert next(iter(imported(tmp_path, "perf", path)[0].values()))["levels"]["mem"]["bytes"] == 12 * 2**30, "of another unit"
    path.write_text(text + "<not counted>,MiB,uncore_imc/cas_count_write/,0,100.00,,\n")
    assert next(iter(imported(tmp_path, "perf", path)[0].values()))["levels"]["mem"]["bytes"] != 12 * 2**30


def test_what_perf_writes_here_is_read(tmp_path):
    if shutil.which("perf") is None:
        pytest.skip("SKIP: perf (Debian's linux-perf) is not installed")
    for words in (("-x,",), ("-x;",), ("-j",), ("-r", "2", "-x\t")):
        out = tmp_path / "out"
        done = subprocess.run(["perf", "stat", *words, "-e", "task-clock,duration_time", "-o", out, "true"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip("SKIP: perf stat: " + done.stderr.strip().splitlines()[-1])
        (row,) = imported(tmp_path, "perf", out)[0].values()
        assert 0 < row["seconds"] < 60 and row["flops"] is None and "no counts" in row["reason"], words
    done = subprocess.run(["perf", "stat", "-x,", "-I", "10", "-e", "task-clock", "sleep", "0.1"], capture_output=True, text=True, check=False)
    assert "intervals" in refused(tmp_path, "perf", done.stderr)


def test_roofs_may_be_those_of_a_result_file(tmp_path):
    spec, _ = imported(tmp_path, "likwid", DATA / "likwid_mem.csv", "--ceilings", ROOFS)
    rows, _ = imported(tmp_path, "advisor", DATA / "advisor_survey.csv", "--ceilings", tmp_path / "likwid.h5", "--threads", 2)
    assert spec and [row["bound"] for case, row in rows.items() if "triad" in case] == ["mem"]


def test_what_is_no_report_is_one_line_with_its_place(tmp_path):
    whole = (DATA / "likwid_flops_dp.csv").read_text()
    cut = whole[:whole.index("AVX DP")]
    assert f"in.csv:{cut.count(chr(10)) + 1}: group FLOPS_DP has 4 metrics of 6" in refused(tmp_path, "likwid", cut + "TABLE,x\n")
    assert "in.csv:1: TABLE is not followed by a group" in refused(tmp_path, "likwid", "TABLE,x\n")
    assert "cut short" in refused(tmp_path, "likwid", cut)
    assert "'fast' is no amount" in refused(tmp_path, "likwid", whole.replace("1200,1500", "fast,1500"))
    assert "in.csv:25: the table has 'DP [MFLOP/s]' twice" in refused(tmp_path, "likwid", whole.replace("AVX DP", "DP"))
    assert "no CSV of likwid-perfctr" in refused(tmp_path, "likwid", "a,b\n")
    survey = (DATA / "advisor_survey.csv").read_text()
    assert "in.csv:5: 14 cells where the header has 15" in refused(tmp_path, "advisor", survey.replace("triad.c:12,program", "triad.c:12"))
    assert "no CSV of Advisor's survey" in refused(tmp_path, "advisor", whole)
    assert "is no amount" in refused(tmp_path, "advisor", survey.replace("0.500s", "long"))
    assert "no loop has FLOPs" in refused(tmp_path, "advisor", "\n".join(survey.splitlines()[:4]))
    assert "nothing that perf stat wrote" in refused(tmp_path, "perf", "# started\n")
    for_people = "# started on Fri Nov 27 12:00:00 2026\n\n\n Performance counter stats for 'true':\n\n   0.63 msec task-clock  #  0.368 CPUs utilized\n"
    assert "in.csv:4: this is perf stat's text form; run it with -x, or -j" in refused(tmp_path, "perf", for_people)
    assert "cut short" in refused(tmp_path, "perf", '{"counter-value" : "1')
    assert "the unit 'parsecs'" in refused(tmp_path, "perf", "1,parsecs,task-clock,1,100.00,,\n")
    spec = tmp_path / "roofs.toml"
    spec.write_text(ROOFS.read_text().replace('"mem"', '"HBM"'))
    assert "is no ceiling of a CPU" in refused(tmp_path, "perf", (DATA / "perf_stat.csv").read_text(), "--ceilings", spec)
