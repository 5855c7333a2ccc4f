"""What is read from likwid-bench 5.2's output, of which the samples are real, and which of its tests are taken."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "jobs" / "peers"))
import likwid  # noqa: E402


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


def test_the_widest_instructions_of_the_cpu_are_taken():
    assert bench({"sse2", "avx", "fma", "avx2", "avx512f"}).test_for("fp64 fma") == "peakflops_avx512_fma"
    assert bench({"sse2", "avx", "fma", "avx2"}).test_for("fp32 fma") == "peakflops_sp_avx_fma"
    assert bench({"sse2", "avx"}).test_for("load") == "load_avx"
    assert bench({"sse2"}).test_for("NT store") == "store_mem_sse"


def test_a_cpu_without_the_instructions_has_no_test():
    assert bench({"sse2", "avx"}).test_for("fp64 fma") is None
    assert bench({"asimd"}).test_for("load") is None


def test_a_test_that_is_not_built_in_gives_way_to_a_narrower_one():
    assert bench({"sse2", "avx", "avx512f"}, ["load_avx"]).test_for("load") == "load_avx"


def test_every_test_named_exists():
    listed = set(likwid.tests_listed(sample("likwid_tests.txt")))
    assert {name for choices in likwid.TESTS.values() for _, name in choices} <= listed


def test_iterations_grow_to_the_wanted_time():
    assert likwid.longer(1000, 0.01, wanted=0.2) == 20000
    assert likwid.longer(10, 5.0, wanted=0.2) == 2
    assert likwid.longer(10, 0.0, wanted=0.2) > 10
