"""The parts of jobs/bundle.sh that take seconds: its words, the check of what a program wants of a machine, the wheel. The whole of it, in bare
Debians: bundle_in_chroot.sh (label full)."""

import ctypes
import math
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ROOT / "jobs/bundle"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **options)


@pytest.mark.parametrize("words, said", [(["--fast"], "unknown argument '--fast'"), (["-o"], "-o needs a folder"), (["--parallel", "0"], "--parallel needs")])
def test_wrong_use_is_one_line(words, said):
    done = run("bash", ROOT / "jobs/bundle.sh", *words)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_what_building_takes_and_is_not_here_is_named(tmp_path):
    for tool in ("bash", "dirname", "nproc", "cmake", "git", "python3"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    done = run(tmp_path / "bash", ROOT / "jobs/bundle.sh", env={"PATH": str(tmp_path)})
    assert done.returncode == 2
    assert "not here: gcc-12 g++-12 ninja apt-get dpkg-deb dpkg-source xz objdump" in done.stderr


def program(tmp_path, text, *flags):
    source = tmp_path / "a.c"
    source.write_text(text)
    folder = tmp_path / "folder"
    folder.mkdir()
    done = run("cc", source, "-o", folder / "program", *flags)
    assert done.returncode == 0, done.stderr
    return folder


# The version that is wanted stands in the assembler's words, so that this is the same on every Debian.
OLD_SYMBOL = 'double pow(double, double);\n__asm__(".symver pow, pow@GLIBC_2.29");\nint f(double x) { return (int)pow(x, x); }\n'


@pytest.mark.parametrize("oldest, code", [("2.28", 1), ("2.29", 0), ("2.31", 0)])
def test_a_symbol_that_came_later_is_found(tmp_path, oldest, code):
    done = run("bash", PARTS / "needs.sh", program(tmp_path, OLD_SYMBOL, "-shared", "-fPIC", "-lm"), oldest)
    assert done.returncode == code, done.stdout + done.stderr
    if code:
        assert "program wants GLIBC_2.29 of the C library, and GLIBC_2.28 is the oldest" in done.stderr and "pow" in done.stderr
    else:
        assert done.stdout.split() == ["GLIBC_2.29", "program"]


CALLS_NEW_MATHEMATICS = "#include <math.h>\ndouble f(double x) { return exp(x) + exp2(x) + log(x) + log2(x) + pow(x, x); }\n"
WAITS_BY_A_STEADY_CLOCK = """#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
bool f(std::condition_variable& event, std::timed_mutex& one, std::shared_timed_mutex& other) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  const std::chrono::steady_clock::duration second = std::chrono::seconds(1);
  return event.wait_for(lock, second) == std::cv_status::timeout && one.try_lock_for(second) && other.try_lock_for(second);
}
"""


def words_of_toolchain(variable):
    (words,) = re.findall(rf'^set\({variable} "([^"]*)"\)', (PARTS / "toolchain.cmake").read_text(), re.M)
    return words.replace("${CMAKE_CURRENT_LIST_DIR}", str(PARTS)).split()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="SKIP: a bundle is made for x86-64 alone")
def test_what_newer_c_libraries_have_is_called_as_older_ones_have_it(tmp_path):
    folder = program(tmp_path, CALLS_NEW_MATHEMATICS, PARTS / "old_glibc.c", "-O2", "-shared", "-fPIC", *words_of_toolchain("as_before_glibc_2_29"), "-lm")
    (tmp_path / "b.cpp").write_text(WAITS_BY_A_STEADY_CLOCK)
    done = run("c++", "-std=c++20", "-O2", "-shared", "-fPIC", *words_of_toolchain("CMAKE_CXX_FLAGS_INIT"), tmp_path / "b.cpp", "-o", folder / "waits", "-nostdlib")
    assert done.returncode == 0, done.stderr
    done = run("objdump", "-T", folder / "program", folder / "waits")
    assert not re.search(r"clockwait|clocklock|GLIBC_2.29", done.stdout) and "pthread_cond_timedwait" in done.stdout, done.stdout
    called = ctypes.CDLL(folder / "program").f
    called.restype, called.argtypes = ctypes.c_double, [ctypes.c_double]
    assert called(3.0) == pytest.approx(math.exp(3) + 2**3 + math.log(3) + math.log2(3) + 3**3, rel=1e-14)


def test_a_library_beside_the_c_library_is_found(tmp_path):
    folder = program(tmp_path, "int f(void) { return 0; }\n", "-shared", "-fPIC", "-Wl,-soname,libother.so.1")
    (folder / "program").rename(tmp_path / "libother.so")
    (tmp_path / "b.c").write_text("int f(void); int g(void) { return f(); }\n")
    assert run("cc", "-shared", "-fPIC", tmp_path / "b.c", tmp_path / "libother.so", "-o", folder / "program").returncode == 0
    done = run("bash", PARTS / "needs.sh", folder, "2.99")
    assert done.returncode == 1 and "program wants libother.so.1 of the machine" in done.stderr


def test_folders_of_the_machine_that_made_it_are_found(tmp_path):
    folder = program(tmp_path, "int f(void) { return 0; }\n", "-shared", "-fPIC", "-Wl,-rpath,/home/someone/lib")
    done = run("bash", PARTS / "needs.sh", folder, "2.99")
    assert done.returncode == 1 and "/home/someone/lib" in done.stdout and "program looks for libraries in the folders above" in done.stderr


def test_a_folder_without_programs_proves_nothing(tmp_path):
    (tmp_path / "text").write_text("text")
    done = run("bash", PARTS / "needs.sh", tmp_path, "2.28")
    assert done.returncode == 1 and "no program under" in done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    bundle = folder / "plumbline-9.8.7-linux-x86_64"
    for name, text, mode in (("bin/plumbline", "#!/bin/sh\necho measured\n", 0o755), ("share/plumbline/jobs/campaigns/quick.toml", "seed = 1\n", 0o644),
                             ("LICENSE", "BSD\n", 0o644), ("README.md", "read\n", 0o644)):
        (bundle / name).parent.mkdir(parents=True, exist_ok=True)
        (bundle / name).write_text(text)
        (bundle / name).chmod(mode)
    done = run(sys.executable, "-B", PARTS / "wheel.py", bundle, "9.8.7", "2_28", ROOT / "analysis/plumbline_analysis", folder)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip())


def test_the_wheel_names_what_it_runs_on_and_records_every_file(wheel):
    assert wheel.name == "plumbline-9.8.7-py3-none-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(wheel) as archive:
        recorded = [line.split(",")[0] for line in archive.read("plumbline-9.8.7.dist-info/RECORD").decode().splitlines()]
        assert recorded == archive.namelist()
        assert "plumbline_analysis/__main__.py" in recorded and not [name for name in recorded if "__pycache__" in name or name.endswith("/README.md")]


def test_pip_lays_the_program_on_path_and_the_package_beside_it(wheel, tmp_path):
    made = run(sys.executable, "-m", "venv", tmp_path / "venv")
    if made.returncode != 0:
        pytest.skip(f"no virtual environment can be made: {made.stdout.strip().splitlines()[:1]}")
    done = run(tmp_path / "venv/bin/pip", "install", "--no-deps", "--no-index", "--no-compile", wheel)
    assert done.returncode == 0, done.stderr
    assert run(tmp_path / "venv/bin/plumbline").stdout == "measured\n"
    assert (tmp_path / "venv/share/plumbline/jobs/campaigns/quick.toml").exists()
    found = run(tmp_path / "venv/bin/python3", "-c", "import importlib.util as i; print(i.find_spec('plumbline_analysis').origin)")
    assert str(tmp_path) in found.stdout
