"""The ceilings of GPUs in plumbline run: on a stand-in GPU, which measures the host and so says nothing of rates, and without any GPU.

From the environment: PLUMBLINE, PLUMBLINE_MPIEXEC (empty: no MPI), STAND_IN_CUDA (the folder of the stand-in module), STAND_IN_NVML.
"""

import os
import shutil

import pytest
from run_on_gpus_test import HEAD, MPIEXEC, ON_GPU, absent_library, document, has_driver, plumbline, table

SMALL = {"PLUMBLINE_STAND_IN_BYTES": str(64 << 20)}  # of which the largest working set is a quarter
WANTED = '[ceilings]\ngpus = true\nrounds = 2\nonly = ["GPU FP64 FMA", "GPU launch, stream", "GPU chase"]\n'


@pytest.fixture
def run(tmp_path):
    def of_text(text, *words, **options):
        campaign = tmp_path / "gpus.toml"
        campaign.write_text(HEAD + text)
        return plumbline("run", campaign, "-o", tmp_path / "gpus.h5", *words, **{**SMALL, **options}), tmp_path / "gpus.h5"

    return of_text


def of_gpus(store):
    return [row for row in table(store, "ceilings") if row["scope"] == "GPU"]


@pytest.mark.parametrize("ranks", [0, 2])
def test_each_round_gives_each_point_a_sample_by_one_rank(run, ranks):
    if ranks and not MPIEXEC:
        pytest.skip("this plumbline was built without MPI")
    ended, store = run(WANTED, ranks=ranks)
    assert ended.returncode == 0, ended.stderr
    rows = of_gpus(store)
    assert {row["name"] for row in rows} == {"GPU FP64 FMA", "GPU launch, stream", "GPU chase", "GPU load", "GPU load own"}
    points = [(row["name"], row["working_set_bytes"] if row["level"] == "sweep" else 0, row["round"]) for row in rows]
    assert len(points) == len(set(points)) and {row["round"] for row in rows} == {0, 1}
    for row in rows:
        assert row["status"] == "ok" and row["value"] > 0 and row["clock_hz"] == 1e8, row
        assert row["method"].endswith("1 multiprocessors of 9.0, stand-in GPU 0 (the host)")
        assert (row["ranks"], row["threads"]) == (1, 1)


def test_judged_they_are_the_gpus_alone(run):
    ended, store = run(WANTED.replace('"GPU chase"', '"FP64 vector FMA"'))
    assert ended.returncode == 0, ended.stderr
    judged = {row["name"]: row for row in document("ceilings", store)["rows"]}
    assert judged["GPU FP64 FMA"]["scope"] == "GPU" and judged["FP64 vector FMA"]["scope"] != "GPU"
    assert "GPU, stand-in GPU 0 (the host)" in plumbline("ceilings", store).stdout
    best = max(row["value"] for row in of_gpus(store) if row["name"] == "GPU FP64 FMA")
    assert judged["GPU FP64 FMA"]["value"] == pytest.approx(best)


def test_cases_on_gpus_bring_them_and_are_held_against_them(run):
    ended, store = run(ON_GPU + '[ceilings]\nrounds = 1\nonly = ["GPU FP64 FMA"]\n')
    assert ended.returncode == 0, ended.stderr
    assert [row["name"] for row in of_gpus(store)] == ["GPU FP64 FMA"]
    roof = of_gpus(store)[0]["value"]
    measured = [row for row in document("show", store)["rows"] if row["seconds"] is not None]
    assert len(measured) == 2
    for row in measured:
        assert row["bound_ceiling"] == "GPU FP64 FMA" and row["percent_of_roof"] == pytest.approx(100 * row["gflops"] / roof)


def test_what_lasts_a_second_is_kept_with_the_clock_and_the_power_that_the_driver_tells(run, tmp_path):
    shutil.copy(os.environ["STAND_IN_NVML"], tmp_path / "libnvidia-ml.so.1")
    ended, store = run('[ceilings]\ngpus = true\nrounds = 1\nmode = "full"\nonly = ["GPU FP64 FMA", "GPU FP64 FMA, sustained"]\n',
                       LD_LIBRARY_PATH=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    burst, lasting = sorted(of_gpus(store), key=lambda row: row["name"])
    assert (burst["level"], lasting["level"]) == ("compute", "sustained") and lasting["name"] == "GPU FP64 FMA, sustained"
    assert lasting["sample_seconds"] >= 0.8, "slower or faster than the sweeps before it"
    assert lasting["power_watts"] == pytest.approx(123.456) and lasting["clock_hz"] == 3.45e8, "the burst's clock is the kernel's own, 100 MHz"
    assert burst["clock_hz"] == 1e8 and burst["power_watts"] is None and burst["sample_seconds"] is None
    judged = {row["name"]: row for row in document("ceilings", store)["rows"] if row["scope"] == "GPU"}
    assert [judged[row["name"]]["sample"] for row in (burst, lasting)] == ["burst", "sustained"]
    assert judged["GPU FP64 FMA, sustained"]["power_watts"] == pytest.approx(123.456)
    assert judged["GPU FP64 FMA"]["power_watts"] is None and "sustained" in judged["GPU FP64 FMA"]["power_reason"]
    text = plumbline("ceilings", store).stdout
    assert "123 W" in text and "burst" in text and "some milliseconds" in text


def test_products_by_a_library_are_measured_by_size_and_judged_as_one_ceiling(run):
    ended, store = run('[ceilings]\ngpus = true\nrounds = 1\nmode = "full"\nonly = ["GPU tensor FP8 cuBLAS"]\n')
    assert ended.returncode == 0, ended.stderr
    rows = of_gpus(store)
    if not rows:
        pytest.skip(ended.stderr.strip())
    assert {(row["name"], row["level"], row["pattern"]) for row in rows} == {("GPU tensor FP8 cuBLAS", "gemm", "n=1024")}, "all else is too long here"
    assert all(row["method"].startswith("lib-cublas, 1 multiprocessors of 9.0") for row in rows)
    assert all(row["value"] > 0 and row["working_set_bytes"] == 6 * 1024 * 1024 for row in rows)
    [judged] = [row for row in document("ceilings", store)["rows"] if row["scope"] == "GPU"]
    assert (judged["name"], judged["level"], judged["precision"]) == ("GPU tensor FP8 cuBLAS", "compute", "tensor.fp8")
    assert judged["limit"] == pytest.approx(819.2) and judged["n"] == 1
    assert plumbline("compare", store, store).returncode == 0


def test_without_the_library_a_note_says_which_ceilings_there_are_not(run, tmp_path):
    for name in ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"):
        (tmp_path / name).write_bytes(b"no library")
    absent_library()  # which skips where the module was built without
    ended, store = run('[ceilings]\ngpus = true\nrounds = 1\nonly = ["GPU tensor BF16 cuBLAS", "GPU FP64 FMA"]\n', LD_LIBRARY_PATH=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert "nothing is measured for GPU tensor BF16 cuBLAS: cuBLAS cannot be opened: " in ended.stderr, ended.stderr
    assert {row["name"] for row in of_gpus(store)} == {"GPU FP64 FMA"}


@pytest.mark.parametrize("text", [ON_GPU + "[ceilings]\ngpus = false\nrounds = 1\n", "[ceilings]\nrounds = 1\n"])
def test_who_does_not_want_them_has_none(run, text):
    ended, store = run(text + 'only = ["FP64 scalar add"]\n')
    assert ended.returncode == 0, ended.stderr
    assert table(store, "ceilings") and not of_gpus(store)


def test_a_round_is_measured_once_and_again_where_it_failed(run):
    wrong, store = run(WANTED, PLUMBLINE_STAND_IN_WRONG_RESULTS="1")
    assert wrong.returncode == 4 and "wrong result" in wrong.stderr
    assert {row["status"] for row in of_gpus(store) if row["name"] == "GPU FP64 FMA"} == {"failed"}
    mended, _ = run(WANTED, "--resume")
    assert mended.returncode == 4 and "found what stays in the file" in mended.stderr, "a wrong result is not forgotten"
    samples = [(row["session"], row["round"], row["value"]) for row in of_gpus(store) if row["status"] == "ok"]
    assert {round for _, round, _ in samples} == {0, 1}
    again, _ = run(WANTED, "--resume")
    assert again.returncode == 4, again.stderr
    assert [(row["session"], row["round"], row["value"]) for row in of_gpus(store) if row["status"] == "ok"] == samples


def test_after_a_fault_that_the_gpu_does_not_survive_the_rest_is_skipped(run):
    ended, store = run(WANTED, PLUMBLINE_STAND_IN_BREAKS_AT_SWEEP="1")
    assert ended.returncode == 1 and "illegal memory access" in ended.stderr
    rows = of_gpus(store)
    failed = [row for row in rows if row["status"] == "failed"]
    assert len(failed) == 1 and "illegal memory access" in failed[0]["reason"]
    left = [row for row in rows if row is not failed[0]]
    assert left and all(row["status"] == "skipped" and f"since the ceiling {failed[0]['name']} failed" in row["reason"] for row in left)


def test_a_ceiling_that_hangs_costs_its_deadline_twice_and_what_was_measured_before_it_is_kept(run):
    wanted = WANTED.replace('"GPU chase"', '"GPU shared load"') + "[deadline]\nfloor_seconds = 4\n"
    hangs = {"PLUMBLINE_STAND_IN_HANGS_IN": "ert/shared"}
    for attempt in ("tries it once more", "leaves it out"):
        ended, store = run(wanted, "--resume", **hangs)
        assert ended.returncode == 75 and f"GPU shared load/-/shared/r1t1 took longer than" in ended.stderr and attempt in ended.stderr, ended.stderr
        recovered = plumbline("recover", store.with_suffix(".journal"))
        assert recovered.returncode == 0, recovered.stderr
        rows = of_gpus(store)
        [hung] = [row for row in rows if row["status"] == "failed" and row["session"] == rows[-1]["session"]]
        assert hung["name"] == "GPU shared load" and "took longer than" in hung["reason"]
        assert any(row["status"] == "ok" for row in rows), "what came before it in the round"
    ended, _ = run(wanted, "--resume", **hangs)
    assert ended.returncode == 1 and "GPU shared load" in ended.stderr and "not tried again after 2 deadlines" in ended.stderr, ended.stderr
    measured = {(row["name"], row["round"]) for row in of_gpus(store) if row["status"] == "ok"}
    assert measured == {(name, round) for name in ("GPU FP64 FMA", "GPU launch, stream") for round in (0, 1)}
    samples = table(store, "ceilings")
    ended, _ = run(wanted, "--resume", **hangs)
    assert ended.returncode == 1 and table(store, "ceilings") == samples, "the rounds are whole but for what is given up"


def test_a_dry_run_counts_them(run):
    ended, store = run(WANTED, "--dry-run")
    assert ended.returncode == 0 and "0 ceiling points and " in ended.stdout and "of the GPU x 2 rounds" in ended.stdout
    assert not store.exists()


@pytest.mark.parametrize(
    "only, words",
    [
        ('["GPU FP64 add"]', ["'GPU FP64 add', which is measured only with mode = \"full\""]),
        ('["GPU FP64 FMB"]', ["no ceiling has such a name; did you mean 'GPU FP64 FMA'?"]),
    ],
)
def test_a_wrong_name_is_one_clear_line(run, only, words):
    ended, _ = run(f"[ceilings]\ngpus = true\nonly = {only}\n")
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1
    for word in words:
        assert word in ended.stderr, ended.stderr


def test_a_name_without_the_wish_says_how_to_wish(run):
    ended, _ = run('[ceilings]\nrounds = 1\nonly = ["GPU FP64 FMA", "FP64 scalar add"]\n')
    assert ended.returncode == 0 and "needs gpus = true" in ended.stderr


def test_the_list_names_them_with_what_they_need():
    rows = [row for row in document("list", "ceilings")["rows"] if row["ceiling"].startswith("GPU ")]
    assert {row["needs"] for row in rows} == {"a GPU"}
    assert {row["ceiling"]: row["mode"] for row in rows}["GPU FP64 add"] == "full"
    assert len({(row["ceiling"], row["pattern"]) for row in rows}) == len(rows)


@pytest.mark.skipif(has_driver(), reason="this machine has an NVIDIA driver")
def test_without_a_driver_the_campaign_succeeds_and_says_why_there_are_none(run):
    for only in ('["GPU *"]', '["FP64 scalar add", "GPU FP64 FMA"]'):
        ended, store = run(f"[ceilings]\ngpus = true\nrounds = 1\nonly = {only}\n", "--overwrite", stand_in=False)
        assert ended.returncode == 0, ended.stderr
        assert "no NVIDIA driver" in ended.stderr and not of_gpus(store)


def test_without_a_module_too(run, tmp_path):
    (tmp_path / "empty").mkdir()
    ended, store = run(WANTED, stand_in=False, PLUMBLINE_CUDA_MODULE_PATH=str(tmp_path / "empty"))
    assert ended.returncode == 0, ended.stderr
    assert "no module for GPUs" in ended.stderr and not of_gpus(store)
