"""The output of likwid-bench 5.2, of which the samples are real, is read, and the best of all its tests of a kind is taken."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "jobs" / "peers"))
import likwid  # noqa: E402
from programs import ProgramFailed  # noqa: E402


def sample(name):
    return (HERE / "samples" / name).read_text()


def test_the_rate_is_the_data_volume_over_the_time():
    read = likwid.parse(sample("likwid_load_avx512.txt"))
    assert read["GB/s"] == pytest.approx(2856960000 / 1.592608e-02 * 1e-9, rel=1e-5)
    assert read["seconds"] == 1.592608e-02
    assert read["GFLOP/s"] == 0


def test_arithmetic_is_read_in_gflops():
    text = sample("likwid_peakflops_avx512_fma.txt")
    flops = float(text.split("Number of Flops:")[1].split()[0])
    read = likwid.parse(text)
    assert read["GFLOP/s"] == pytest.approx(flops / read["seconds"] * 1e-9, rel=1e-4)


@pytest.mark.parametrize("label", ["Time", "MFlops/s", "MByte/s"])
def test_output_without_a_number_gives_none(label):
    text = "\n".join(line for line in sample("likwid_load_avx512.txt").splitlines() if not line.startswith(label))
    assert likwid.parse(text) is None


def test_names_stand_before_their_descriptions():
    listed = likwid.tests_listed(sample("likwid_tests.txt"))
    assert {"load_avx512", "peakflops_avx512_fma", "peakflops_sp_avx_fma", "store_mem_sse"} <= set(listed)
    assert "" not in listed and not any(" " in name for name in listed)


def bench(flags, tests=None):
    made = likwid.Likwid(frozenset(), 1)
    made.program = "likwid-bench"
    made.flags = frozenset(flags)
    made.tests = set(likwid.tests_listed(sample("likwid_tests.txt")) if tests is None else tests)
    return made


ALL = {"sse2", "avx", "fma", "avx2", "avx512f"}


def test_all_tests_of_a_kind_that_the_cpu_runs_are_taken():
    assert bench(ALL).tests_for("load") == ["load", "load_avx", "load_avx512", "load_mem", "load_sse"]
    assert bench(ALL - {"avx512f"}).tests_for("load") == ["load", "load_avx", "load_mem", "load_sse"]
    assert bench({"sse2"}).tests_for("NT store") == ["store_mem", "store_mem_sse"]
    assert {"copy_mem_avx512", "copy_sse", "copy"} <= set(bench(ALL).tests_for("copy"))
    assert not any("mem" in test for test in bench(ALL).tests_for("copy in caches"))
    assert {"stream_mem_avx_fma", "stream_avx512_fma", "stream"} <= set(bench(ALL).tests_for("triad"))
    assert not any("_sp" in test for kind in likwid.TESTS if "fp32" not in kind for test in bench(ALL).tests_for(kind))


def test_a_cpu_without_the_instructions_has_no_test():
    assert bench({"sse2", "avx"}).tests_for("fp64 fma") == []
    assert bench({"asimd"}).tests_for("load") == []
    assert bench(ALL).tests_for("") == []


def test_a_test_that_is_not_built_in_is_not_taken():
    assert bench(ALL, ["load_avx", "store"]).tests_for("load") == ["load_avx"]


def test_every_kind_has_tests():
    for kind in likwid.TESTS:
        assert bench(ALL).tests_for(kind), kind


class Bench:
    """likwid-bench of which each test has one rate at each size."""

    def __init__(self, rates):
        self.rates, self.runs = rates, []

    def run(self, test, size, threads, iterations):
        self.runs.append((test, size))
        if (test, size) not in self.rates:
            raise ProgramFailed(f"likwid-bench -t {test}: ended by signal 11")
        return {"GB/s": self.rates[test, size], "seconds": 0.01}

    def command(self, *words):
        return ["likwid-bench", *words]


def test_the_best_test_at_its_best_size_stands_for_the_kind():
    bench_ = Bench({("a", 1): 10, ("a", 2): 50, ("b", 1): 30, ("b", 2): 40, ("c", 1): 20, ("c", 2): 100})
    peer = likwid.LikwidPeer(bench_, ["a", "b", "c"], "GB/s", [1, 2], 1)
    peer.calibrate()
    assert (peer.test, peer.size) == ("c", 2)  # of the best two at the first size
    assert ("a", 2) not in bench_.runs and peer.tried == {"a": 10, "b": 40, "c": 100}


def test_a_test_that_crashes_is_left_out_and_the_others_stand():
    bench_ = Bench({("a", 1): 10, ("c", 1): 20, ("c", 2): 15})  # as stream_mem of likwid 5.2.2 with two threads
    peer = likwid.LikwidPeer(bench_, ["a", "b", "c"], "GB/s", [1, 2], 1)
    peer.calibrate()
    assert (peer.test, peer.size) == ("c", 1) and peer.tried == {"a": 10, "b": None, "c": 20}
    with pytest.raises(ProgramFailed, match="signal 11"):
        likwid.LikwidPeer(Bench({}), ["a", "b"], "GB/s", [1], 1).calibrate()


def test_iterations_grow_to_the_wanted_time():
    assert likwid.longer(1000, 0.01, wanted=0.2) == 20000
    assert likwid.longer(10, 5.0, wanted=0.2) == 2
    assert likwid.longer(10, 0.0, wanted=0.2) > 10
