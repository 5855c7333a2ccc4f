"""plumbline import: files of Nsight Compute and nvprof become results, and published V100 points lie under the paper's roofs."""
import json
import math
import os
import re
import pathlib
import subprocess

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
DATA = pathlib.Path(__file__).parent / "data"
PUBLISHED = json.loads((DATA / "gpp_v100.json").read_text())
ROOFS = DATA / "v100.toml"
LEVELS = ("L1", "L2", "mem")


def plumbline(*words):
    return subprocess.run([PLUMBLINE, *map(str, words)], capture_output=True, text=True)


def imported(tmp_path, tool, *words):
    path = tmp_path / "out.h5"
    done = plumbline("import", tool, *words, "-o", path)
    assert done.returncode == 0, done.stderr
    return path, done


def shown(path):
    done = plumbline("show", path, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def written(tmp_path, text):
    path = tmp_path / "in.csv"
    path.write_text(text)
    return path


def raw(metrics, row, cc="7.0"):
    """ncu's raw page with one launch; `metrics`: name -> (unit, value)."""
    head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
    lead = [row, "1", "p", "h", "k<int, (bool)1>(int, float *)", "1", "7", "(32, 1, 1)", "(1, 1, 1)", "0", cc]
    lines = [head + list(metrics), [""] * len(head) + [unit for unit, _ in metrics.values()], lead + [value for _, value in metrics.values()]]
    return "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines) + "\n"


def holds(row, index, within):
    assert row["gflops"] == pytest.approx(PUBLISHED["gflops"][index], rel=within)
    for level in LEVELS:
        assert row["levels"][level]["ai"] == pytest.approx(PUBLISHED["ai"][level][index], rel=within)


def lies_below_the_roofs(row, index):
    """The paper's own numbers say so: its points lie under its roofs, and so is what we call the bound."""
    bandwidths = PUBLISHED["ceilings_gbs"]
    peak = PUBLISHED["ceilings_gflops"]["FMA"] * row["fma_mix"]["fp64"]["ceiling"]  # of its own mix of FMAs: equation 7
    roofs = {level: bandwidths[level] * PUBLISHED["ai"][level][index] for level in LEVELS} | {"compute": peak}
    bound = min(roofs, key=roofs.get)
    assert row["bound"] == bound
    assert row["percent_of_roof"] == pytest.approx(100 * PUBLISHED["gflops"][index] / roofs[bound], rel=1e-3)  # the stated "no FMA" is 0.04 % more than half
    assert row["gflops"] < min(roofs.values()) and row["percent_of_roof"] < 100


def test_the_published_points_of_gpp_come_out_of_the_raw_page(tmp_path):
    path, _ = imported(tmp_path, "ncu", DATA / "gpp_ncu_raw.csv", "--ceilings", ROOFS)
    rows = shown(path)["rows"]
    assert [row["case"] for row in rows] == [f"imported/NumBandNgpown_kernel/fp64/launch={n}/g1/cuda-sm_70" for n in range(6)]
    for index, row in enumerate(rows):
        holds(row, index, 1e-6)
        lies_below_the_roofs(row, index)
        assert row["join"] == "same" and row["bytes_source"] == "ncu" and row["node"] == "127.0.0.1 gpu0"
        assert row["levels"]["mem"]["metrics"] == "dram__bytes_read.sum + dram__bytes_write.sum"
    # The text of the paper: HBM-bound at nw = 1, about 66 % of the FMA peak at nw = 6.
    assert rows[0]["bound"] == "mem"
    assert rows[5]["bound"] == "compute"
    assert rows[5]["gflops"] / PUBLISHED["ceilings_gflops"]["FMA"] == pytest.approx(PUBLISHED["text"]["of_fma_peak_at_nw_6"], abs=0.01)
    assert rows[5]["percent_of_roof"] == pytest.approx(rows[5]["percent_of_partial_fma"], rel=0.005)


def holds_the_paper_on_fmas(row):
    """60 % FMAs reach at most 80 % of the FMA peak; 66 % of the peak are 83 % of that."""
    mix = row["fma_mix"]["fp64"]
    assert mix["fraction"] == pytest.approx(PUBLISHED["text"]["fma_fraction_at_nw_6"], abs=0.005) and mix["ceiling"] == (1 + mix["fraction"]) / 2
    assert row["partial_fma_gflops"] == pytest.approx(0.80 * PUBLISHED["ceilings_gflops"]["FMA"], rel=0.005)
    assert row["percent_of_partial_fma"] == pytest.approx(100 * PUBLISHED["text"]["of_fma_peak_at_nw_6"] / 0.80, rel=0.01)


def test_the_published_kernel_lies_below_what_its_mix_of_fmas_leaves_of_the_peak(tmp_path):
    path, _ = imported(tmp_path, "ncu", DATA / "gpp_ncu_raw.csv", "--ceilings", ROOFS)
    holds_the_paper_on_fmas(shown(path)["rows"][5])
    text = plumbline("show", path).stdout
    assert re.search(r"FMA fraction 0\.60 \(ncu\): this mix can reach \d+ GFLOP/s, 80 % of the FMA peak; the case reaches 66 % of that peak", " ".join(text.split()))
    assert text.count("FMA fraction") < 6, "where bandwidth is the lower roof, nothing is said"
    by_nvprof, _ = imported(tmp_path, "nvprof", DATA / "gpp_nvprof_metrics.csv", DATA / "gpp_nvprof_summary.csv", "--ceilings", ROOFS, "--overwrite")
    holds_the_paper_on_fmas(shown(by_nvprof)["rows"][0])


def test_flops_without_their_kinds_have_no_mix(tmp_path):
    csv = written(tmp_path, raw({"gpu__time_duration.sum": ("usecond", "10.00"),
                                 "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum": ("inst", "100")}, "3"))
    path, _ = imported(tmp_path, "ncu", csv, "--ceilings", ROOFS)
    (row,) = shown(path)["rows"]
    assert row["fma_mix"] == {} and row["percent_of_partial_fma"] is None and row["partial_fma_reason"]


def test_the_long_form_says_the_same_in_other_units(tmp_path):
    path, _ = imported(tmp_path, "ncu", DATA / "gpp_ncu_long.csv", "--ceilings", ROOFS)
    document = shown(path)
    for row, index in zip(document["rows"], (0, 5)):
        holds(row, index, 1e-6)
        # lts__t_bytes also counts what others than L1 ask of L2: told, and not taken.
        assert [one["other"] for one in row["disagreements"]] == ["lts__t_bytes.sum"]
        assert row["disagreements"][0]["ratio"] == pytest.approx(1.25)
        assert row["flops_by_precision"] == {"fp64": row["flops"], "tensor.fp16": 0}
    assert any("two metrics disagree in 2 of 2 cases" in note for note in document["notes"])
    assert any("not collected, and not in them" in note and "bf16" in note for note in document["notes"])


def test_nvprofs_metrics_and_times_come_from_runs_of_their_own(tmp_path):
    path, _ = imported(tmp_path, "nvprof", DATA / "gpp_nvprof_metrics.csv", DATA / "gpp_nvprof_summary.csv", "--ceilings", ROOFS)
    (row,) = shown(path)["rows"]
    assert row["case"] == "imported/NumBandNgpown_kernel/fp64/run=1/g1/cuda" and row["node"] == "Tesla V100-SXM2-16GB (0)"
    holds(row, 5, 1e-6)
    lies_below_the_roofs(row, 5)
    assert row["disagreements"] == [] and row["levels"]["shared"]["bytes"] is None and "not collected" in row["levels"]["shared"]["reason"]


def test_without_times_there_are_intensities_and_no_rate(tmp_path):
    path, _ = imported(tmp_path, "nvprof", DATA / "gpp_nvprof_metrics.csv")
    (row,) = shown(path)["rows"]
    assert row["gflops"] is None and row["status"] == "unavailable" and "one more FILE" in row["reason"]
    assert row["levels"]["mem"]["ai"] == pytest.approx(PUBLISHED["ai"]["mem"][5], rel=1e-6)


def test_a_metric_that_is_not_there_is_absent_and_never_zero(tmp_path):
    csv = written(tmp_path, raw({"gpu__time_duration.sum": ("usecond", "10.00"), "dram__bytes.sum": ("Kbyte", "2,000.00"),
                                 "l1tex__t_bytes.sum": ("byte", "n/a")}, "3"))
    path, _ = imported(tmp_path, "ncu", csv, "--ceilings", ROOFS)
    (row,) = shown(path)["rows"]
    assert row["case"] == "imported/k_int_bool_1/-/launch=3/g1/cuda-sm_70"
    assert row["flops"] is None and row["gflops"] is None and row["status"] == "unavailable" and "no FLOPs were collected" in row["reason"]
    assert row["levels"]["mem"]["bytes"] == 2e6 and row["levels"]["mem"]["ai"] is None
    assert row["levels"]["L1"]["bytes"] is None and "reported 'unavailable'" in row["levels"]["L1"]["reason"]
    assert row["levels"]["L2"]["bytes"] is None and "lts__t_sectors_srcunit_tex.sum" in row["levels"]["L2"]["reason"]
    # 2 MB in 10 us under 828.758 GB/s: the bandwidth is known all the same.
    assert row["bound"] == "mem" and row["percent_of_roof"] == pytest.approx(100 * 200 / 828.758)


def test_rates_of_the_roofline_section_times_the_time(tmp_path):
    ops = "smsp__sass_thread_inst_executed_op_d{}_pred_on.sum.per_cycle_elapsed"
    csv = written(tmp_path, raw({"gpu__time_duration.sum": ("us", "100"), "smsp__cycles_elapsed.avg.per_second": ("Ghz", "1.25"),
                                 ops.format("add"): ("inst/cycle", "8"), ops.format("mul"): ("inst/cycle", "0"), ops.format("fma"): ("inst/cycle", "96"),
                                 "dram__bytes.sum.per_second": ("Gbyte/second", "500")}, "0", cc="8.0"))
    path, _ = imported(tmp_path, "ncu", csv)
    document = shown(path)
    (row,) = document["rows"]
    assert row["gflops"] == pytest.approx(250) and row["levels"]["mem"]["bytes"] == pytest.approx(5e7) and row["flavor"] == "cuda-sm_80"
    assert row["bound"] is None and row["bound_reason"] and any("--ceilings" in note for note in document["notes"])
    assert any("less exact" in note for note in document["notes"])


def test_weights_of_one_chip_are_not_those_of_another(tmp_path):
    metrics = {"gpu__time_duration.sum": ("us", "1"), "sm__inst_executed_pipe_tensor.sum": ("inst", "1,000")}
    for cc, flops, precision in (("7.0", 512000, "tensor.fp16"), ("8.0", None, "-")):
        csv = written(tmp_path, raw(metrics, "0", cc))
        path, _ = imported(tmp_path, "ncu", csv, "--overwrite")
        (row,) = shown(path)["rows"]
        assert row["flops"] == flops and row["precision"] == precision


def test_two_metrics_of_the_time_that_disagree_are_told(tmp_path):
    csv = written(tmp_path, raw({"gpu__time_duration.sum": ("us", "100"), "sm__cycles_elapsed.avg": ("cycle", "150,000"),
                                 "sm__cycles_elapsed.avg.per_second": ("cycle/nsecond", "1.00")}, "0"))
    path, done = imported(tmp_path, "ncu", csv)
    assert "1.50 times" in done.stderr and any("1.50 times" in note for note in shown(path)["notes"])
    assert any("--clock-control" in note for note in shown(path)["notes"])


def test_the_result_says_which_file_it_is_from(tmp_path):
    path, _ = imported(tmp_path, "ncu", DATA / "gpp_ncu_raw.csv", "--ceilings", ROOFS)
    h5py = pytest.importorskip("h5py", reason="SKIP: python3-h5py is not installed")
    with h5py.File(path) as file:
        origin = json.loads(file.attrs["provenance"])["imported"]
        events = {row["event"].decode() for row in file["counts"][:]}
    assert origin["tool"] == "ncu" and origin["files"][0]["file"] == "gpp_ncu_raw.csv" and len(origin["files"][0]["fnv1a"]) == 16
    assert "dram__bytes_read.sum" in events and "launch__occupancy_limit_registers" not in events


def test_text_ceilings_and_score_of_an_imported_file(tmp_path):
    path, _ = imported(tmp_path, "ncu", DATA / "gpp_ncu_raw.csv", "--ceilings", ROOFS)
    text = plumbline("show", path).stdout
    assert "system" not in text.splitlines()[0], "nothing told of the host's memory"
    assert "shared" in text.splitlines()[0] and "L3" not in text.splitlines()[0] and "66 %" in text and "ncu" in text
    ceilings = json.loads(plumbline("ceilings", path, "--json").stdout)["rows"]
    assert {row["name"]: row["value"] for row in ceilings} == {"FP64 FMA": 7068.86, "FP64 no FMA": 3535.79, "L1": 14336.0, "L2": 2996.77, "mem": 828.758}
    assert all("Yang et al. 2019" in row["method"] for row in ceilings)
    assert plumbline("score", path).returncode == 0


def test_the_report_draws_the_points(tmp_path):
    for module in ("h5py", "pandas", "matplotlib"):
        pytest.importorskip(module, reason=f"SKIP: python3-{module} is not installed")
    path, _ = imported(tmp_path, "ncu", DATA / "gpp_ncu_raw.csv", "--ceilings", ROOFS)
    done = plumbline("report", path, "-o", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    assert [figure.name for figure in (tmp_path / "figures").glob("roofline-*.png")] == ["roofline-127.0.0.1_gpu0-fp64-one_GPU.png"]


def refused(code, word, *words):
    done = plumbline("import", *words)
    assert done.returncode == code and done.stderr.count("\n") == 1 and word in done.stderr, done.stderr


def test_bad_input_is_one_line_with_its_place_and_exit_2(tmp_path):
    whole = (DATA / "gpp_ncu_raw.csv").read_text()
    cut = written(tmp_path, whole[:-40])
    refused(2, f"in.csv:{whole.count(chr(10))}: a quote is not closed", "ncu", cut)
    refused(2, "this is no CSV of Nsight Compute", "ncu", DATA / "gpp_nvprof_summary.csv")
    refused(2, "this is no CSV of nvprof", "nvprof", DATA / "gpp_ncu_raw.csv")
    refused(2, "missing.csv", "ncu", tmp_path / "missing.csv")
    refused(2, str(tmp_path), "ncu", tmp_path, "-o", tmp_path / "out.h5")
    spec = tmp_path / "roofs.toml"
    spec.write_text(ROOFS.read_text().replace('"mem"', '"HBM"'))
    refused(2, "'HBM' (GB/s) is no ceiling of a GPU", "ncu", DATA / "gpp_ncu_raw.csv", "--ceilings", spec, "-o", tmp_path / "out.h5")
    assert not list(tmp_path.glob("*.h5*"))


def test_an_earlier_result_is_kept_and_the_input_too(tmp_path):
    path, _ = imported(tmp_path, "ncu", DATA / "gpp_ncu_raw.csv")
    before = path.read_bytes()
    refused(2, "--overwrite", "ncu", DATA / "gpp_ncu_raw.csv", "-o", path)
    assert path.read_bytes() == before
    csv = written(tmp_path, (DATA / "gpp_ncu_raw.csv").read_text())
    refused(2, "is the file to import", "ncu", csv, "-o", csv, "--overwrite")
    assert math.isfinite(shown(path)["rows"][0]["gflops"])


HALVES = {f"sm__sass_thread_inst_executed_op_{op}_pred_on.sum": ("inst", str(count)) for op, count in (("hfma", 1000), ("hadd", 500), ("hmul", 250))}


@pytest.mark.parametrize("convention, flops", [("plumbline", 5500), ("paper", 2750), ("ncu", 5500)])
def test_a_file_imported_by_a_convention_is_shown_by_it(tmp_path, convention, flops):
    csv = written(tmp_path, raw(HALVES | {"gpu__time_duration.sum": ("usecond", "10"), "sm__cycles_elapsed.avg": ("cycle", "30"),
                                          "sm__cycles_elapsed.avg.per_second": ("cycle/usecond", "1.5")}, 0))
    path, done = imported(tmp_path, "ncu", csv, "--convention", convention)
    document = shown(path)
    (row,) = document["rows"]
    assert row["flops"] == flops and row.get("convention") == (None if convention == "plumbline" else convention)
    assert row["seconds"] == pytest.approx(2e-5 if convention == "paper" else 1e-5), "Yang et al. 2020 take cycles over their rate"
    assert any(f"by convention '{convention}', not by ours" in note for note in document["notes"]) == (convention != "plumbline")
    (again,) = json.loads(plumbline("show", path, "--convention", "paper", "--json").stdout)["rows"]
    assert again["flops"] == 2750, "the file keeps the metrics, not one convention's numbers"


def nvprof(device, metrics):
    lines = ["==1== Metric result:", '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"']
    lines += [f'"{device} (0)","k(int)",1,"{name}","d",{value},{value},{value}' for name, value in metrics.items()]
    times = ["==2== Profiling result:", '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"', ",%,ms,,ms,ms,ms,",
             '"GPU activities",100.0,2.0,1,2.0,2.0,2.0,"k(int)"']
    return "\n".join(lines) + "\n", "\n".join(times) + "\n"


TABLE_I = {f"{name}_transactions": 1 for name in ("gld", "gst", "atomic", "local_load", "local_store", "shared_load", "shared_store",
                                                  "l2_read", "l2_write", "dram_read", "dram_write", "system_read", "system_write")}


def test_table_i_counts_shared_memory_into_l1_and_estimates_tensor_cores_of_a_v100(tmp_path):
    for device, tensor in (("Tesla V100-SXM2-16GB", 0.5 * 125e12 * 2e-3), ("Tesla P100", None)):
        metrics, times = nvprof(device, {"flop_count_hp": 3, "tensor_precision_fu_utilization": '"Mid (5)"', **TABLE_I})
        (tmp_path / "m.csv").write_text(metrics)
        (tmp_path / "t.csv").write_text(times)
        path, _ = imported(tmp_path, "nvprof", tmp_path / "m.csv", tmp_path / "t.csv", "--overwrite")
        (ours,) = shown(path)["rows"]
        (row,) = json.loads(plumbline("show", path, "--convention", "paper", "--json").stdout)["rows"]
        assert (ours["levels"]["L1"]["bytes"], ours["levels"]["shared"]["bytes"]) == (5 * 32, 2 * 128)
        assert row["levels"]["L1"]["bytes"] == 7 * 32 and row["levels"]["shared"]["bytes"] is None
        assert "convention 'paper' has no formula for bytes.reg-shared by nvprof" in row["levels"]["shared"]["reason"]
        assert row["levels"]["mem"]["bytes"] == row["levels"]["L2"]["bytes"] == row["levels"]["system"]["bytes"] == 2 * 32
        assert ours["levels"]["system"]["bytes"] == 2 * 32 and "AI system" in plumbline("show", path).stdout
        assert row["flops_by_precision"].get("tensor.fp16") == (pytest.approx(tensor) if tensor else None)
        assert ours["flops"] == 3 and row["flops"] == pytest.approx(3 + (tensor or 0))
        assert any("no formula for flops.tensor.fp16" in note for note in row["notes"]) == (tensor is None)


def test_a_convention_that_does_not_know_a_profiler_is_one_clear_line(tmp_path):
    metrics, _ = nvprof("Tesla V100", TABLE_I)
    done = plumbline("import", "nvprof", written(tmp_path, metrics), "--convention", "ncu", "-o", tmp_path / "o.h5")
    assert done.returncode == 2 and not (tmp_path / "o.h5").exists()
    (line,) = done.stderr.strip().splitlines()
    assert "--convention ncu is not defined for counts of nvprof; it is for those of ncu, profile, cupti" in line
