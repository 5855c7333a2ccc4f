"""The ceilings of every GPU of a node, by the ranks that see them: on stand-in GPUs, which measure the host and so say nothing of rates.

From the environment: PLUMBLINE, PLUMBLINE_MPIEXEC (empty: no MPI), STAND_IN_CUDA (the folder of the stand-in module), STAND_IN_NVML.
"""

import collections
import json
import os
import shutil

import pytest
from gpu_ceilings_run_test import of_gpus, run  # noqa: F401 (a fixture)
from run_on_gpus_test import MPIEXEC, ON_GPU, absent_library, document, plumbline, table

WANTED = '[ceilings]\ngpus = true\nrounds = 1\nonly = ["GPU FP64 FMA", "GPU launch, stream"]\n'
NAMES = ["FP64 FMA", "launch, stream"]
UUIDS = [f"{digit * 8}-0000-0000-0000-00000000000{digit}" for digit in "1234"]


def and_whole(some, others):
    """Sets of values of one parameter list; the others are for --full."""
    return [*some, *(pytest.param(*one, marks=pytest.mark.whole) for one in others)]


by_ranks = pytest.mark.skipif(not MPIEXEC, reason="this plumbline was built without MPI")


def samples(store, device):
    return sorted((row["name"], row["session"], row["value"]) for row in of_gpus(store) if row["status"] == "ok" and row["name"].split()[0] == device)


def measured(store):
    """The name of the GPU that a device's samples are of, by device."""
    gpus = collections.defaultdict(set)
    for row in of_gpus(store):
        assert row["status"] == "ok" and row["value"] > 0, row
        gpus[row["name"].split()[0]].add(row["method"].rsplit(", ", 1)[1])
    return {device: " and ".join(sorted(names)) for device, names in gpus.items()}


def drivers(store):
    """The word of the outcome of a device's round on who measured it on what, by device."""
    ranks = [json.loads(row["placement"])["ranks"] for row in table(store, "outcomes") if row["case"].startswith("ceilings/gpu")]
    assert all(len(rank) == 1 for rank in ranks)
    return {rank[0]["gpu"]["device"]: rank[0] for rank in ranks}


def expect_all(store, count):
    assert measured(store) == {f"GPU{number or ''}": f"stand-in GPU {number} (the host)" for number in range(count)}
    names = sorted(row["name"] for row in of_gpus(store))
    assert names == sorted(f"GPU{number or ''} {name}" for number in range(count) for name in NAMES), "each once"


@by_ranks
@pytest.mark.parametrize("ranks, count, loads", and_whole([(1, 2, [2]), (2, 3, [1, 2]), (3, 2, [1, 1])], [(2, 2, [1, 1]), (3, 4, [1, 1, 2])]))
def test_every_gpu_is_measured_by_one_rank_and_the_ranks_share_them_evenly(run, ranks, count, loads):
    ended, store = run(WANTED, ranks=ranks, PLUMBLINE_STAND_IN_GPUS=str(count))
    assert ended.returncode == 0, ended.stderr
    expect_all(store, count)
    by_rank = collections.Counter(driver["rank"] for driver in drivers(store).values())
    assert sorted(by_rank.values()) == loads
    assert f"ceilings of {count} GPUs (quick), round 1 of 1: {2 * count} kernels and working sets" in ended.stderr


HEAT_ON_BOTH = '[[cases]]\nkernel = "proxies/heat2d"\nprecision = "fp64"\nteam = [{gpus = 2}]\nparams = {n = 48, steps = 3}\n'


@by_ranks
@pytest.mark.parametrize("each_sees, devices", [(None, ["GPU", "GPU1"]), (["1", "0"], ["GPU1", "GPU"]), (["0,1", "0"], ["GPU1", "GPU"])])
def test_ranks_with_a_gpu_each_work_on_one_case(run, each_sees, devices):
    """Each has its half of the plate, and the sums of both are one plate's: the check would find a halo that did not come."""
    ranks = None if each_sees else 2
    ended, store = run(HEAT_ON_BOTH, ranks=ranks or 0, each_sees=each_sees, PLUMBLINE_STAND_IN_GPUS="2")
    assert ended.returncode == 0, ended.stderr
    (outcome,) = (row for row in table(store, "outcomes") if "/g2/" in row["case"] and row["pass"] == "time")
    assert outcome["status"] == "ok", outcome["reason"]
    drivers = json.loads(outcome["placement"])["ranks"]
    assert [rank["gpu"]["device"] for rank in drivers] == devices
    assert len({cpu for rank in drivers for cpu in rank["cpus"]}) == 2, "a CPU of its own for each"
    assert all(rank["error"] <= rank["tolerance"] for rank in drivers)
    times = table(store, "times")
    assert {row["phase"] for row in times} == {"", "halo", "update", "energy", "total", "sum"}
    assert {row["rank"] for row in times} == {-1, 0, 1}
    for repetition in {row["repetition"] for row in times}:
        of_whole = {row["rank"]: row["seconds"] for row in times if row["repetition"] == repetition and row["phase"] == ""}
        assert of_whole[-1] == max(of_whole[0], of_whole[1]), "the team is as fast as its slowest rank"


@by_ranks
@pytest.mark.parametrize("sweep", and_whole([3], [(1,), (40,)]))
def test_ranks_fail_together_where_one_gpu_breaks(run, sweep):
    """Wherever in a sweep it breaks, the other rank goes on exchanging until both meet: nobody waits for a message that does not come."""
    broken = {"PLUMBLINE_STAND_IN_BREAKS": "GPU-" + UUIDS[1], "PLUMBLINE_STAND_IN_BREAKS_AT_SWEEP": str(sweep)}
    ended, store = run(HEAT_ON_BOTH, ranks=2, PLUMBLINE_STAND_IN_GPUS="2", **broken)
    assert ended.returncode == 1, ended.stderr
    (outcome,) = (row for row in table(store, "outcomes") if "/g2/" in row["case"] and row["pass"] == "time")
    assert outcome["status"] == "failed" and "illegal memory access" in outcome["reason"], "the rank whose GPU it was tells"
    assert not table(store, "times")


@by_ranks
def test_all_means_as_many_gpus_as_ranks_can_have_one_each(run):
    case = HEAT_ON_BOTH.replace("gpus = 2", 'gpus = "all"')
    ended, store = run(case, ranks=2, PLUMBLINE_STAND_IN_GPUS="3")
    assert ended.returncode == 0, ended.stderr
    assert {row["gpus"] for row in table(store, "cases")} == {2}


@by_ranks
@pytest.mark.parametrize("ranks, gpus, words", [(2, 1, "here 1 of 2 can have one of the 1"), (1, 2, "team g2 needs 2 ranks on a node")])
def test_a_team_that_would_leave_a_rank_without_a_gpu_is_skipped_with_the_reason(run, ranks, gpus, words):
    ended, store = run(HEAT_ON_BOTH, ranks=ranks, PLUMBLINE_STAND_IN_GPUS=str(gpus))
    (outcome,) = (row for row in table(store, "outcomes") if "/g2/" in row["case"])
    assert outcome["status"] == "skipped" and words in outcome["reason"], outcome["reason"]


def test_without_mpi_one_process_measures_them_all(run):
    ended, store = run(WANTED, PLUMBLINE_STAND_IN_GPUS="2")
    assert ended.returncode == 0, ended.stderr
    expect_all(store, 2)


@by_ranks
@pytest.mark.parametrize("each_sees", and_whole([["1", "0"], ["0", "0,1"]], [(["0", "1"],), (["1", "1", "0"],)]))
def test_each_gpu_is_measured_by_a_rank_that_sees_it(run, each_sees):
    ended, store = run(WANTED, each_sees=each_sees, PLUMBLINE_STAND_IN_GPUS="2")
    assert ended.returncode == 0, ended.stderr
    expect_all(store, 2)
    for device, driver in drivers(store).items():
        assert (device[3:] or "0") in each_sees[driver["rank"]], "in the order of their addresses, whoever sees them"
        assert driver["gpu"]["pci"] == {"GPU": "0000:17:00.0", "GPU1": "0001:65:00.0"}[device]
        assert driver["gpu"]["uuid"] == "GPU-" + UUIDS[int(device[3:] or 0)]


@by_ranks
@pytest.mark.parametrize("seen", [["0", "1"], ["MIG-" + UUIDS[1], "MIG-" + UUIDS[0]]])
def test_parts_of_a_gpu_are_told_apart_at_one_address(run, tmp_path, seen):
    (tmp_path / "libnvidia-ml.so.1").write_text("no library")  # ahead of a driver's own, which knows no stand-ins
    ended, store = run(WANTED, each_sees=seen, PLUMBLINE_STAND_IN_GPUS="2", PLUMBLINE_STAND_IN_PARTS="1", LD_LIBRARY_PATH=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    expect_all(store, 2)
    found = drivers(store)
    assert {driver["gpu"]["pci"] for driver in found.values()} == {"0000:17:00.0"}
    assert [found[device]["gpu"]["uuid"] for device in ("GPU", "GPU1")] == ["MIG-" + UUIDS[0], "MIG-" + UUIDS[1]]
    assert "libnvidia-ml.so.1" in found["GPU"]["gpu"]["part_of_reason"]


@by_ranks
def test_without_uuids_ranks_agree_by_addresses(run):
    ended, store = run(WANTED, each_sees=["0,1", "1"], PLUMBLINE_STAND_IN_GPUS="2", PLUMBLINE_STAND_IN_NAMELESS="1")
    assert ended.returncode == 0, ended.stderr
    expect_all(store, 2)


@by_ranks
def test_how_each_gpu_fared_is_kept_with_its_round(run, tmp_path):
    shutil.copy(os.environ["STAND_IN_NVML"], tmp_path / "libnvidia-ml.so.1")
    ended, store = run(WANTED, ranks=2, PLUMBLINE_STAND_IN_GPUS="2", LD_LIBRARY_PATH=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    conditions = {device: driver["gpu"]["conditions"] for device, driver in drivers(store).items()}
    assert conditions["GPU"]["before"]["temperature_celsius"] == {"value": 33}
    assert conditions["GPU1"]["after"]["temperature_celsius"] == {"value": 41}
    assert conditions["GPU1"]["during"]["temperature_celsius"]["readings"] >= 1


@by_ranks
def test_links_are_measured_by_one_gpu_after_the_other(run, tmp_path):
    log = tmp_path / "transfers"
    ended, store = run(
        WANTED.replace("GPU launch, stream", "GPU * host, *"),
        ranks=2,
        PLUMBLINE_STAND_IN_GPUS="2",
        PLUMBLINE_STAND_IN_TRANSFERS=str(log),
        PLUMBLINE_STAND_IN_BYTES=str(1 << 30),  # a transfer is of 256 MiB
    )
    assert ended.returncode == 0, ended.stderr
    assert {row["name"].split()[0] for row in of_gpus(store) if row["level"] == "host-dev"} == {"GPU", "GPU1"}
    spans = collections.defaultdict(list)
    for process, begin, end in (map(int, line.split()) for line in log.read_text().splitlines()):
        spans[process] += [begin, end]
    (first, second) = sorted((min(times), max(times)) for times in spans.values())
    assert first[1] < second[0]


def test_links_to_a_peer_are_measured_both_ways_by_copy_engine_and_kernel_where_there_is_one(run):
    peers = '[ceilings]\nmode = "full"\ngpus = true\nrounds = 1\nonly = ["GPU * peer, *"]\n'
    ended, store = run(peers, PLUMBLINE_STAND_IN_GPUS="2", PLUMBLINE_STAND_IN_BYTES=str(1 << 30))
    assert ended.returncode == 0, ended.stderr
    ways = [f"{way} peer, {by}" for way in ("from", "to") for by in ("copy engine", "kernel")]
    assert sorted(row["name"] for row in of_gpus(store)) == sorted(f"{gpu} {way}" for gpu in ("GPU", "GPU1") for way in ways)
    assert all(row["status"] == "ok" and row["value"] > 0 for row in of_gpus(store))
    alone, store = run(peers, "--overwrite", PLUMBLINE_STAND_IN_GPUS="1")
    assert alone.returncode == 0, alone.stderr
    assert not of_gpus(store) and "no other GPU is visible whose memory this one reaches" in alone.stderr


@by_ranks
def test_a_gpu_that_breaks_leaves_the_others_alone_and_is_measured_when_the_run_is_resumed(run):
    twice = WANTED.replace("rounds = 1", "rounds = 2")
    broken = {"PLUMBLINE_STAND_IN_BREAKS": "GPU-" + UUIDS[1], "PLUMBLINE_STAND_IN_BREAKS_AT_SWEEP": "1"}
    ended, store = run(twice, ranks=2, PLUMBLINE_STAND_IN_GPUS="2", **broken)
    assert ended.returncode == 1 and "GPU1 FP64 FMA" in ended.stderr and "illegal memory access" in ended.stderr
    first = samples(store, "GPU")
    assert len(first) == 4 and not samples(store, "GPU1")
    assert sorted(row["status"] for row in of_gpus(store) if row["name"].startswith("GPU1 ")) == ["failed", "skipped"]
    mended, _ = run(twice, "--resume", ranks=2, PLUMBLINE_STAND_IN_GPUS="2")
    assert mended.returncode == 0, mended.stderr
    assert "ceilings of the GPU (quick), round 1 of 2: 2 kernels" in mended.stderr, "of GPU1 alone"
    assert "ceilings of the GPU (quick), round 2 of 2: 2 kernels" in mended.stderr, "the round after the loss was none"
    second = samples(store, "GPU1")
    assert len(second) == 4 and samples(store, "GPU") == first
    again, _ = run(twice, "--resume", ranks=3, PLUMBLINE_STAND_IN_GPUS="2")
    assert again.returncode == 0 and (samples(store, "GPU"), samples(store, "GPU1")) == (first, second)


@by_ranks
def test_a_case_is_held_against_the_gpu_that_it_ran_on(run):
    ended, store = run(ON_GPU + '[ceilings]\nrounds = 1\nonly = ["GPU FP64 FMA"]\n', each_sees=["1", "0"], PLUMBLINE_STAND_IN_GPUS="2")
    assert ended.returncode == 0, ended.stderr
    assert "has 2 GPUs: cases of one GPU are measured on GPU1, which its first rank sees, at 0001:65:00.0; ceilings on each of them" in ended.stderr
    roofs = {row["name"]: row["value"] for row in of_gpus(store)}
    rows = [row for row in document("show", store)["rows"] if row["seconds"] is not None]
    assert len(rows) == 2
    for row in rows:
        assert row["gpu"] == "GPU1" and row["bound_ceiling"] == "GPU1 FP64 FMA"
        assert row["percent_of_roof"] == pytest.approx(100 * row["gflops"] / roofs["GPU1 FP64 FMA"])


def test_judged_each_gpu_is_its_own(run):
    ended, store = run(WANTED.replace("GPU launch, stream", "GPU load"), PLUMBLINE_STAND_IN_GPUS="2")
    assert ended.returncode == 0, ended.stderr
    rows = {row["name"]: row for row in document("ceilings", store)["rows"]}
    for device, number in (("GPU", 0), ("GPU1", 1)):
        samples = [row["value"] for row in of_gpus(store) if row["name"] == f"{device} FP64 FMA"]
        assert rows[f"{device} FP64 FMA"]["value"] == pytest.approx(max(samples)) and rows[f"{device} FP64 FMA"]["n"] == 1
        assert rows[f"{device} FP64 FMA"]["gpu"] == {"device": device, "pci": ["0000:17:00.0", "0001:65:00.0"][number], "uuid": "GPU-" + UUIDS[number]}
        assert f"{device} mem load" in rows
    text = plumbline("ceilings", store).stdout
    assert f"GPU1, stand-in GPU 1 (the host), at 0001:65:00.0, GPU-{UUIDS[1]}" in text
    compared = {row["what"] for row in document("compare", store, store)["rows"]}
    assert {"ceiling/GPU FP64 FMA/fp64/r1t1", "ceiling/GPU1 FP64 FMA/fp64/r1t1"} <= compared


def test_a_name_with_its_device_is_of_that_gpu_alone(run):
    ended, store = run(WANTED.replace("GPU FP64", "GPU1 FP64"), PLUMBLINE_STAND_IN_GPUS="2")
    assert ended.returncode == 0, ended.stderr
    assert sorted(row["name"] for row in of_gpus(store)) == ["GPU launch, stream", "GPU1 FP64 FMA", "GPU1 launch, stream"]


def test_a_device_that_is_not_there_is_noted(run):
    ended, store = run(WANTED.replace("GPU FP64", "GPU3 FP64"), PLUMBLINE_STAND_IN_GPUS="2")
    assert ended.returncode == 0, ended.stderr
    assert "'GPU3 FP64 FMA': nothing is measured for it: there is no such GPU here" in ended.stderr
    assert len(of_gpus(store)) == 2


def test_what_no_gpu_can_be_asked_is_told_once(run, tmp_path):
    absent_library()  # which skips where the module was built without
    for name in ("libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"):
        (tmp_path / name).write_bytes(b"no library")
    ended, _ = run(
        WANTED.replace("GPU launch, stream", "GPU tensor BF16 cuBLAS"), ranks=2 if MPIEXEC else 0, PLUMBLINE_STAND_IN_GPUS="2", LD_LIBRARY_PATH=str(tmp_path)
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("nothing is measured for GPU tensor BF16 cuBLAS: cuBLAS cannot be opened: ") == 1
    assert "(on " not in ended.stderr, "all say it"
