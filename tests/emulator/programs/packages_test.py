# SPDX-License-Identifier: BSD-3-Clause
"""Programs of Debian packages, as they are: whole runs, held against what their work must count or what they state themselves."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from counted import counted, difference, flops


def needs(program, package):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed (Debian: {package})")


@needs("gzip", "gzip")
def test_gzip_computes_without_floating_point(tmp_path):
    plain = tmp_path / "plain"
    plain.write_bytes(bytes(i * i % 251 for i in range(50000)))
    _, counts = counted(tmp_path, ["gzip", "-k", plain])
    assert (tmp_path / "plain.gz").stat().st_size < 50000
    assert flops(counts) == {} and counts["fp_instructions"] == 0
    assert counts["instructions"] > 50000 and counts["bytes.reg-L1.load"] > 50000


@needs("bc", "bc")
def test_bc_computes_without_floating_point(tmp_path):
    said, counts = counted(tmp_path, ["bc", "-q"], input="3^500 / 7\n")
    assert int(said.replace("\\\n", "")) == 3**500 // 7
    assert flops(counts) == {} and counts["fp_instructions"] == 0


@needs("datamash", "datamash")
def test_datamash_adds_each_number_once_on_the_x87(tmp_path):
    numbers = "".join(f"{i}\n" for i in range(1, 1001))
    said, counts = counted(tmp_path, ["datamash", "sum", "1"], input=numbers)
    assert said == "500500\n"
    assert flops(counts) == {"x87.add": 1000}
    said, counts = counted(tmp_path, ["datamash", "mean", "1"], input=numbers)
    assert said == "500.5\n"
    assert flops(counts) == {"x87.add": 1000, "x87.div": 1}


@needs("mawk", "mawk")
def test_mawk_computes_in_fp64(tmp_path):
    """An iteration is a product, its addition, and the loop's increment."""
    runs = [counted(tmp_path, ["mawk", f"BEGIN {{ for (i = 0; i < {n}; i++) s += i * 1.5; print s }}"]) for n in (1000, 3000)]
    assert [float(said) for said, _ in runs] == [1.5 * n * (n - 1) / 2 for n in (1000, 3000)]
    assert flops(difference(runs[1][1], runs[0][1])) == {"fp64.add": 4000, "fp64.mul": 2000}


def additions_of_a_sum():
    """SQLite adds a number to a sum by one addition, since 3.43 by Kahan's and Babuska's four: the sum, what it lost (two), and the loss's sum."""
    version = subprocess.run(["sqlite3", "--version"], capture_output=True, text=True, check=True).stdout.split()[0]
    return 4 if tuple(map(int, version.split("."))) >= (3, 43) else 1


@needs("sqlite3", "sqlite3")
def test_sqlite_computes_each_row_once(tmp_path):
    """A row is the next x, its square, and the sum's additions; what starts and ends the sum comes once. That the average is right is for SQLite
    to say: its work on decimals hangs on their value since 3.43."""
    def average(rows):
        right = (rows + 1) * (2 * rows + 1)
        query = f"with recursive c(x) as (select 1.0 union all select x + 1.0 from c limit {rows}) select avg(x * x) * 6 = {right} from c"
        said, counts = counted(tmp_path, ["sqlite3", ":memory:", query])
        assert said == "1\n"
        return counts

    counts = {rows: {kind: n for kind, n in flops(average(rows)).items() if kind.startswith("fp64")} for rows in (1000, 2000)}
    kinds = {rows: [of[kind] for kind in ("fp64.add", "fp64.mul", "fp64.div")] for rows, of in counts.items()}
    assert [after - before for before, after in zip(kinds[1000], kinds[2000])] == [1000 * (1 + additions_of_a_sum()), 1000, 0]


def blas_of_numpy():
    """The file name of the OpenBLAS that numpy's compiled part is linked with; empty where it is another BLAS."""
    import numpy  # noqa: F401, loads numpy.core's or, since numpy 2, numpy._core's
    (compiled,) = [module for name, module in sys.modules.items() if name in ("numpy.core._multiarray_umath", "numpy._core._multiarray_umath")]
    linked = subprocess.run(["ldd", compiled.__file__], capture_output=True, text=True, check=True).stdout
    found = re.search(r"=> (\S*libopenblas\S*)", linked)
    return os.path.basename(os.path.realpath(found.group(1))) if found else ""


def numpy_counts(folder, work):
    program = "import numpy\na = numpy.arange(9216.0).reshape(96, 96) / 9216\nb = a + 1\nx = numpy.linspace(1, 2, 10007)\ny = x.astype(numpy.float32)\n"
    return counted(folder, [sys.executable, "-c", program + work])[1]


@pytest.fixture(scope="module")
def numpy_start(tmp_path_factory):
    pytest.importorskip("numpy", reason="numpy is not installed (Debian: python3-numpy)")
    return numpy_counts(tmp_path_factory.mktemp("numpy"), "")


def test_numpy_multiplies_matrices_in_openblas(tmp_path, numpy_start):
    """n = 96: the products (the first of each 4 x 4 block's unfused), alpha times and onto C, and two of the BLAS interface."""
    if "0.3.21" not in blas_of_numpy():
        pytest.skip("numpy is not linked with OpenBLAS 0.3.21, whose kernels are known (Debian 12: libopenblas0-pthread)")
    n = 96
    product = difference(numpy_counts(tmp_path, "a @ b"), numpy_start)
    assert flops(product) == {"fp64.add": n * n, "fp64.mul": 2 * n * n + 2, "fp64.fma": n**3 - n * n}
    assert product["fp_256"] == (n**3 + 2 * n * n) // 4


def test_numpy_computes_element_by_element(tmp_path, numpy_start):
    """Each element once, in its precision. They fill whole vectors: numpy 1 does what is left over one by one, numpy 2 in a vector more."""
    work = difference(numpy_counts(tmp_path, "x = x[:9984]; y = y[:9984]; x + x; y * y; x / y[0]; y - y; x.cumsum()"), numpy_start)
    assert flops(work) == {"fp64.add": 9984 + 9983, "fp64.div": 9984, "fp32.mul": 9984, "fp32.add": 9984}


def likwid_bench(folder, test, iterations, *options):
    said, counts = counted(folder, ["likwid-bench", "-t", test, "-i", iterations, "-w", "S0:1MB:1"], *options)
    stated = {what: int(number) for what, number in re.findall(r"^(Number of Flops|Data volume|Load bytes|Store bytes)[^:\n]*:\s+(\d+)", said, re.MULTILINE)}
    elements = int(re.search(r"Vector length (\d+) Offset", said).group(1))
    return counts, {"flops": stated["Number of Flops"], "load": elements * iterations * stated["Load bytes"],
                    "store": elements * iterations * stated["Store bytes"]}


@needs("likwid-bench", "likwid")
@pytest.mark.parametrize("test, event, flops_of_one, stores", [("triad_avx_fma", "flops.fp64.fma", 2, "store"), ("stream_avx", "fp_256", 4, "store"),
                                                               ("ddot_sp_sse", "fp_128", 4, "store"), ("peakflops_sp_avx_fma", "flops.fp32.fma", 2, "store"),
                                                               ("copy_mem_avx", "fp_256", 4, "nt_store")])
def test_likwid_bench_executes_what_it_states(tmp_path, test, event, flops_of_one, stores):
    """FLOPs, by an event that its clock and its printing leave alone, and non-temporal bytes are exact; a call of the kernel adds some 13 loads
    and 7 stores, and its start-up waits for the clock."""
    short, long = 3, 23 if test.startswith("peak") else 63
    (less, few), (more, many) = likwid_bench(tmp_path, test, short), likwid_bench(tmp_path, test, long)
    found, stated = difference(more, less), {what: many[what] - few[what] for what in many}
    assert flops_of_one * found[event] == stated["flops"]
    assert found["bytes.reg-L1.load"] == pytest.approx(stated["load"], rel=2e-3)
    if stores == "nt_store":
        assert found["bytes.reg-L1.nt_store"] == stated["store"]
    elif stated["store"]:
        assert found["bytes.reg-L1.store"] == pytest.approx(stated["store"], rel=2e-3)
