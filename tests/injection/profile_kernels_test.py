# SPDX-License-Identifier: BSD-3-Clause
"""plumbline profile --gpu from outside: a program that launches kernels, through the library that stands in for NVIDIA's driver and CUPTI.
Of a launch of WORK its counters are WORK times the place of the metric. From the environment, besides that of launching_program.py: CUPTI
(the folder of the real one), PLUMBLINE_MPIEXEC.
"""

import importlib
import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest
from launching_program import (ADD, FMA, HERE, MUL, STAND_IN, by_name, launching, only, plumbline, process, processes, profile,  # noqa: F401
                               rows, with_cupti, with_nvtx)

@with_cupti
def test_each_kernel_has_a_row_of_its_launches_time_flops_and_bytes(profile):
    document, ended = profile("launch=_Z4axpyPdi,100,3", "launch=plain,7")
    assert document["schema"] == "plumbline-profile/1"
    assert set(by_name(document)) == {"axpy(double*, int)", "plain"}
    row = by_name(document)["axpy(double*, int)"]
    assert (row["symbol"], row["chip"], row["status"]) == ("_Z4axpyPdi", "GH100", "ok")
    assert (row["launches"], row["counted_launches"]) == (3, 3)
    assert [row["counts"][metric] for metric in (ADD, MUL, FMA)] == [300, 600, 900]
    assert row["flops_by_precision"]["fp64"] == 300 + 600 + 2 * 900
    assert row["flops"] == sum(row["flops_by_precision"].values())
    assert row["seconds"] == pytest.approx(300e-6), "by activities"
    assert row["counted_seconds"] == pytest.approx(row["counts"]["gpu__time_duration.sum"] * 1e-9), "by the counter, in the other run"
    assert row["gflops"] == pytest.approx(row["flops"] / row["seconds"] / 1e9)
    assert row["levels"]["L2"]["bytes"] == 32 * row["counts"]["lts__t_sectors_srcunit_tex.sum"]
    assert row["levels"]["mem"]["bytes"] == row["counts"]["dram__bytes_read.sum"] + row["counts"]["dram__bytes_write.sum"]
    assert row["levels"]["L1"]["ai"] == pytest.approx(row["flops"] / row["levels"]["L1"]["bytes"])
    assert row["levels"]["system"]["bytes"] == 32 * row["counts"]["lts__t_sectors_aperture_sysmem.sum"]
    assert {"L1", "shared", "L2", "mem", "system"} == set(row["levels"])
    total = only(document, "total")
    assert (total["kernels"], total["launches"], total["processes"]) == (2, 4, 1)
    assert total["flops"] == sum(one["flops"] for one in rows(document, "kernel"))
    assert "1 pass, so that each counted launch ran once" in ended.stderr
    assert ended.stdout == "the program's own words\n"
    assert process(document)["ended"] is True and process(document, "timed")["ended"] is True


@with_cupti
def test_the_rows_become_a_result_file_whose_kernels_lie_on_a_roofline(profile, tmp_path):
    document, _ = profile("launch=_Z4axpyPdi,100,4", "launch=plain,7")
    result = tmp_path / "kernels.h5"
    roofs = HERE.parent / "imports/data/v100.toml"
    ended = plumbline("import", "profile", tmp_path / "profile.json", "--ceilings", roofs, "-o", result, gpus_here=False)
    assert ended.returncode == 0, ended.stderr
    shown = plumbline("show", result, "--json", gpus_here=False)
    assert shown.returncode == 0, shown.stderr
    rows_shown = {row["case"]: row for row in json.loads(shown.stdout)["rows"]}
    (case,) = [name for name in rows_shown if "/axpy/" in name]
    assert case.startswith("imported/axpy/") and case.endswith("/run=1/g1/cuda-sm_90") and len(rows_shown) == 2
    row, kernel = rows_shown[case], by_name(document)["axpy(double*, int)"]
    assert row["seconds"] == pytest.approx(kernel["seconds"] / 4), "the mean of a launch"
    assert row["bound"] and row["percent_of_roof"] > 0
    for level in ("L1", "L2", "mem"):
        assert row["levels"][level]["bytes"] == pytest.approx(kernel["levels"][level]["bytes"] / 4), level
    for precision in ("fp64", "fp32", "tensor.fp16", "tensor.bf16"):
        assert row["flops_by_precision"][precision] == pytest.approx(kernel["flops_by_precision"][precision] / 4), precision


@with_cupti
def test_a_kernel_that_is_shorter_than_a_launch_lies_in_the_overheads_box_of_the_time_based_roofline(profile, tmp_path):
    profile("launch=short,1,1200", "launch=long,100", STAND_IN_CUPTI_ALIKE="1")
    spec = (HERE.parent / "imports/data/v100.toml").read_text().replace('name = "V100"\n', 'name = "V100"\nlaunch_seconds = 5e-6\n', 1)
    (tmp_path / "roofs.toml").write_text(spec)
    ended = plumbline("import", "profile", tmp_path / "profile.json", "--ceilings", tmp_path / "roofs.toml", "-o", tmp_path / "k.h5", gpus_here=False)
    assert ended.returncode == 0, ended.stderr
    shown = plumbline("show", tmp_path / "k.h5", "--json", gpus_here=False)
    places = {row["case"].split("/")[1]: row["time_roofline"] for row in json.loads(shown.stdout)["rows"]}
    assert places["short"]["overhead_seconds"] == places["long"]["overhead_seconds"] == pytest.approx(5e-6)
    regions = {name: {level["time_region"] for level in place["levels"].values()} for name, place in places.items()}
    assert regions["short"] == {"overhead"}, "a microsecond on the GPU"
    assert "overhead" not in regions["long"]


def test_what_is_no_profile_of_kernels_is_not_imported(tmp_path):
    for text, words in (("{", "no whole document"), ('{"schema": "plumbline-show/1", "rows": []}', "schema"), ('{"schema": "plumbline-profile/1", "rows": []}', "no kernel")):
        (tmp_path / "some.json").write_text(text)
        ended = plumbline("import", "profile", tmp_path / "some.json", "-o", tmp_path / "some.h5", gpus_here=False)
        assert ended.returncode == 2 and words in ended.stderr and "some.json" in ended.stderr


@with_cupti
def test_more_launches_than_fit_into_the_counter_data_are_all_counted(profile):
    document, _ = profile("launch=many,2,1000", options=["--launches", "all"])
    row = by_name(document)["many"]
    assert (row["launches"], row["counted_launches"], row["counts"][ADD]) == (1000, 1000, 2000)


@with_cupti
def test_launches_of_several_threads_are_told_apart(profile):
    document, _ = profile("threads=4", options=["--launches", "0"])
    kernels = by_name(document)
    assert kernels["even"]["counts"][ADD] == 500 * (1 + 3) and kernels["odd"]["counts"][ADD] == 500 * (2 + 4)


@with_cupti
def test_the_first_launches_alone_are_counted_on_demand_and_all_are_told(profile):
    words = ["launch=a,10", "launch=b,1"] * 5
    document, ended = profile(*words, options=["--launches", "2"])
    kernels = by_name(document)
    assert {name: (row["launches"], row["counted_launches"], row["counts"][ADD]) for name, row in kernels.items()} == {"a": (5, 2, 20), "b": (5, 2, 2)}
    assert "of each kernel the first 2 launches" in " ".join(document["notes"]) and "2 of 5" in ended.stderr


@with_cupti
def test_the_kernels_of_graphs_are_not_counted_and_said_so(profile):
    document, _ = profile("launch=a,3", "begin_capture", "launch=a,3", "end_capture", "graph", "launch=a,3")
    assert by_name(document)["a"]["counts"][ADD] == 6
    counted = process(document)
    assert (counted["graph_launches"], counted["captured_launches"]) == (1, 1)
    notes = " ".join(document["notes"])
    assert "1 launch of whole graphs (CUDA graphs): kernels in them are not counted" in notes and "1 launch while a stream was captured" in notes


@with_cupti
def test_every_gpu_is_counted_in_its_first_context_and_the_next_one_when_that_is_gone(profile):
    document, _ = profile("launch=a,1", "gpu=1", "launch=a,10", "gpu=0", "launch=a,100", STAND_IN_CUPTI_GPUS="2")
    assert by_name(document)["a"]["counts"][ADD] == 111
    assert [gpu["gpu"] for gpu in process(document)["gpus"]] == [0, 1]
    document, _ = profile("launch=a,1", "context", "launch=a,10", "launch=b,10")
    assert by_name(document)["a"]["counts"][ADD] == 1
    assert (by_name(document)["b"]["status"], by_name(document)["b"]["flops"]) == ("unavailable", None)
    assert process(document)["other_context_launches"] == 2
    assert "2 launches in a further context of a GPU" in " ".join(document["notes"])
    document, _ = profile("launch=a,1", "destroy", "context", "launch=a,10")
    assert by_name(document)["a"]["counts"][ADD] == 11


@with_cupti
def test_a_launch_that_fails_is_none(profile):
    document, _ = profile("launch=a,0", "launch=b,0", "launch=a,5")
    assert set(by_name(document)) == {"a"} and by_name(document)["a"]["launches"] == 1


@with_cupti
def test_programs_that_it_starts_are_counted_and_those_that_share_a_kernel_are_summed(profile, launching):
    document, _ = profile("launch=after,1", "exec", code=1)
    assert by_name(document)["after"]["counts"][ADD] == 5, "what the first program had not yet read is missing"
    assert sorted(row["ended"] for row in processes(document)) == [False, True]
    shell = plumbline("profile", "--gpu", "--json", "--", "sh", "-c", f"{launching} launch=a,1; {launching} launch=a,2")
    document = json.loads(shell.stderr)
    assert by_name(document)["a"]["counts"][ADD] == 3 and by_name(document)["a"]["processes"] == 2


@with_cupti
def test_a_forks_child_leaves_its_parents_report_alone(profile):
    document, _ = profile("launch=a,1", "fork", "launch=a,2")
    assert by_name(document)["a"]["counts"][ADD] == 3 and len(processes(document)) == 1


@with_cupti
@pytest.mark.parametrize("word, code", [("_exit=0", 1), ("_exit=7", 7), (f"signal={int(signal.SIGKILL)}", 137)])
def test_a_program_that_ends_at_once_keeps_what_was_read_and_says_what_is_missing(profile, word, code):
    document, ended = profile("launch=a,1,100", word, code=code, options=["--launches", "all"])
    assert by_name(document)["a"]["counts"][ADD] == 64
    assert "what it launched after its last batch of 64 is missing" in " ".join(document["notes"])
    assert code == 1 or f"exit {code}" in ended.stderr


@with_cupti
def test_the_programs_exit_code_is_kept(profile):
    document, ended = profile("launch=a,4", "exit=5", code=5)
    assert by_name(document)["a"]["counts"][ADD] == 4 and "the program ended with exit 5" in ended.stderr


@with_cupti
@pytest.mark.parametrize("result, status, words", [(35, "permission", "NVreg_RestrictProfilingToAdminUsers=0"), (43, "unavailable", "MIG")])
def test_refused_counters_have_their_reason_and_the_program_runs_all_the_same(profile, result, status, words):
    document, ended = profile("launch=a,4", code=2, STAND_IN_CUPTI_ENABLE=str(result))
    assert ended.stdout == "the program's own words\n"
    (gpu,) = process(document)["gpus"]
    assert gpu["status"] == status and words in gpu["reason"]
    row = by_name(document)["a"]
    assert (row["launches"], row["counted_launches"], row["flops"]) == (1, 0, None), "absent is not zero"
    assert row["seconds"] == pytest.approx(4e-6), "times need no right to profile"
    assert ended.stderr.startswith("plumbline: launching: it ran, but its kernels were not counted: ") and words in ended.stderr


@with_cupti
def test_another_subscriber_of_cupti_is_told_and_not_taken_for_a_program_without_kernels(profile):
    document, ended = profile("launch=a,4", code=2, STAND_IN_CUPTI_SUBSCRIBE="39")
    assert process(document)["status"] == "stolen" and "CUPTI error 39" in ended.stderr
    assert "no kernel was launched" not in " ".join(document["notes"])


@with_cupti
def test_nvidias_own_library_that_finds_no_driver_of_its_own_leaves_the_program_alone(launching, tmp_path):
    """The real libcupti in the program, with a driver that only stands in for one: it refuses, and that is told."""
    shutil.copy(pathlib.Path(STAND_IN) / "libcuda.so.1", tmp_path / "libcuda.so.1")
    ended = plumbline("profile", "--gpu", "--json", "--", launching, "launch=a,1", gpus_here=False,
                      PLUMBLINE_CUPTI_PATH=os.environ["CUPTI"], LD_LIBRARY_PATH=str(tmp_path))
    assert ended.returncode == 2, ended.stderr
    if "profile --gpu counts by CUPTI" in ended.stderr:
        pytest.skip(ended.stderr.strip())
    assert ended.stdout == "the program's own words\n"
    assert "of cuptiSubscribe" in ended.stderr and "it ran, but its kernels were not counted" in ended.stderr


@with_cupti
def test_the_ranks_of_a_launch_are_one_table_and_what_they_share_is_told_once(launching, tmp_path):
    if not os.environ.get("PLUMBLINE_MPIEXEC"):
        pytest.skip("MPI is not compiled in")
    surroundings = {**os.environ, "PLUMBLINE_CUPTI_PATH": STAND_IN, "LD_LIBRARY_PATH": STAND_IN}
    words = [os.environ["PLUMBLINE_MPIEXEC"], "-n", "2", os.environ["PLUMBLINE"], "profile", "--gpu", "-o", tmp_path / "two.json", "--", launching]
    ended = subprocess.run([*words, "launch=a,3", "graph"], capture_output=True, text=True, timeout=60, env=surroundings)
    assert ended.returncode == 0, ended.stderr
    document = json.loads((tmp_path / "two.json").read_text())
    row = by_name(document)["a"]
    assert (row["launches"], row["processes"], row["counts"][ADD]) == (2, 2, 6) and only(document, "total")["ranks"] == 2
    (told,) = [note for note in document["notes"] if "CUDA graphs" in note]
    assert told.startswith("2 processes (first: rank 0, process ")


@with_cupti
def test_a_program_without_kernels_or_without_cuda_says_so(profile):
    document, _ = profile("gpu=0")
    assert not rows(document, "kernel") and "no kernel was launched by itself" in " ".join(document["notes"])
    document, _ = profile()
    assert not rows(document, "process") and "no process called CUDA's driver" in " ".join(document["notes"])


@with_cupti
def test_another_injected_library_is_not_pushed_aside(launching):
    ended = plumbline("profile", "--gpu", "--", launching, CUDA_INJECTION64_PATH="/opt/tool.so")
    assert ended.returncode == 2 and "CUDA_INJECTION64_PATH is set (/opt/tool.so)" in ended.stderr


def test_without_a_driver_it_is_one_line_that_says_what_to_try(launching):
    if pathlib.Path("/proc/driver/nvidia").exists():
        pytest.skip("this machine has NVIDIA's driver")
    ended = plumbline("profile", "--gpu", "--", launching, "exit=3", gpus_here=False)
    assert ended.returncode == 2 and len(ended.stderr.splitlines()) == 1
    if STAND_IN is not None:
        assert "no NVIDIA driver here" in ended.stderr and "--count-only" in ended.stderr


@with_cupti
def test_counted_alone_the_program_runs_once_and_its_times_are_those_of_the_counted_launches_scaled(profile):
    document, ended = profile("launch=a,3,10", options=["--count-only", "--launches", "2"])
    row, total = by_name(document)["a"], only(document, "total")
    assert not processes(document, "timed") and (total["time_by"], total["wall_seconds"]) == ("counters", None)
    assert (row["launches"], row["counted_launches"], row["scale"]) == (10, 2, 5)
    assert row["seconds"] == pytest.approx(5 * row["counted_seconds"]) and row["flops"] > 0
    assert ended.stderr.startswith("\nCounted on GPUs: ") and "time is that of the profiled launches" in " ".join(document["notes"])


def test_a_launcher_whose_command_line_nobody_knows_is_refused_with_the_way_it_goes():
    ended = plumbline("profile", "--gpu", "--", "/usr/bin/aprun", "-n", "2", "x", gpus_here=False)
    assert ended.returncode == 2 and "aprun -n 4 plumbline profile --gpu -- program args" in ended.stderr


def test_ranks_without_a_driver_are_shown_no_table(launching):
    if pathlib.Path("/proc/driver/nvidia").exists():
        pytest.skip("this machine has NVIDIA's driver")
    if not os.environ.get("PLUMBLINE_MPIEXEC"):
        pytest.skip("MPI is not compiled in")
    ended = plumbline("profile", "--gpu", "--", os.environ["PLUMBLINE_MPIEXEC"], "-n", "2", launching, gpus_here=False)
    assert ended.returncode == 2 and not ended.stdout
    assert "nothing was profiled" in ended.stderr.splitlines()[-1]


@with_nvtx
def test_the_ranges_of_a_program_by_others_are_held_against_arithmetic(launching, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.syspath_prepend(HERE.parents[1] / "jobs/gpu")
    agreement = importlib.import_module("torch_agreement")
    for name in ("PLUMBLINE_CUPTI_PATH", "LD_LIBRARY_PATH"):
        monkeypatch.setenv(name, STAND_IN)
    program = tmp_path / "program.py"
    words = [str(launching), *(word for name in ("product", "convolution") for word in (f"push={name}", f"launch={name},10,5", "pop"))]
    program.write_text(f"import os\nprint('{{\"product\": 1}}', flush=True)\nos.execv({words[0]!r}, {words!r})\n")
    monkeypatch.setattr(agreement, "PROGRAM", program)
    document, known = agreement.profiled(os.environ["PLUMBLINE"], tmp_path / "no.h5", tmp_path)
    counted = {row["name"]: row["flops"] for row in rows(document, "region")}["product"]
    assert known == {"product": 1} and counted > 0
    for flops, agrees in ((counted, True), (counted * 1.0005, True), (counted * 1.002, False), (None, None)):
        (line,) = agreement.compare(document, {"product": flops})
        assert (line["agrees"], line["launches"]) == (agrees, 5)
    (line,) = agreement.compare(document, {"another": 1})
    assert line["agrees"] is False and line["reason"] == "no such range was met"
