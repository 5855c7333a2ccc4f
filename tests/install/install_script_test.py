"""jobs/install.sh, with stand-ins for whatever it asks on PATH, and nothing else there: what it says and does, without installing anything."""

import pathlib
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "install.sh"


class Machine:
    """A pretended machine: some packages are missing, some cannot be had, some are there in another way, and the user is root or not."""

    PROGRAMS = "bash cat dirname env grep mkdir mktemp paste rm sed sh sleep sort tail true cp".split()

    def __init__(self, folder):
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.calls = folder / "apt-get.calls"
        self.missing = folder / "missing"
        self.missing.write_text("")
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.write_text("")
        for name in self.PROGRAMS:
            (self.bin / name).symlink_to(shutil.which(name))
        self.refused = folder / "refused"
        self.refused.write_text("")
        # dpkg-query -W -f FORMAT NAME...: installed is what is not in the list.
        self.stand_in("dpkg-query", f'shift 3; for name in "$@"; do grep -qx "$name" {self.missing} || echo "installed $name"; done')
        # apt-get ... install NAME...: refuses all when one is refused, as apt-get does.
        self.stand_in(
            "apt-get",
            f'echo "$@" >>{self.calls}\n'
            'case "$*" in *" update") exit 0 ;; esac\n'
            f'for word in "$@"; do if grep -qx -- "$word" {self.refused}; then echo "E: Unable to locate package $word"; exit 100; fi; done\n'
            f'for word in "$@"; do grep -vx -- "$word" {self.missing} >{folder}/rest; cp {folder}/rest {self.missing}; done; exit 0',
        )
        self.stand_in("apt-cache", f'grep -qx -- "$2" {self.refused} || echo "$2"')
        self.stand_in("cmake", f'case $1 in --version) echo "cmake version 3.25.1" ;; *) sed "s/^/-- found /" {self.elsewhere} ;; esac')
        self.stand_in("python", f'for word in $(echo "$2" | sed "s/import sys,*//; s/;.*//"); do grep -qx "$word" {self.elsewhere} || exit 1; done')
        self.stand_in("c++", "echo 12")
        for name in ("ninja", "pkg-config", "mpiexec"):
            self.stand_in(name, "exit 0")
        self.user(0)

    def stand_in(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def user(self, uid, sudo=False):
        self.stand_in("id", f"echo {uid}")
        self.stand_in("sudo", 'shift; exec "$@"' if sudo else "exit 1")

    def lacks(self, *names):
        self.missing.write_text("".join(f"{name}\n" for name in names))

    def has_elsewhere(self, *names):
        """Names are those of CMake and Python."""
        self.elsewhere.write_text("".join(f"{name}\n" for name in names))

    def is_no_debian(self):
        for name in ("dpkg-query", "apt-get", "apt-cache"):
            (self.bin / name).unlink()

    def refuses(self, *names):
        self.refused.write_text("".join(f"{name}\n" for name in names))

    def install(self, *arguments):
        environment = {"PATH": str(self.bin), "PLUMBLINE_PYTHON": str(self.bin / "python")}
        return subprocess.run(["bash", SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=60)

    def apt_calls(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_nothing_missing_calls_no_apt_get(machine):
    result = machine.install("--tests")
    assert result.returncode == 0, result.stderr
    assert machine.apt_calls() == []


@pytest.mark.parametrize("option, wanted", [("--figures", "python3-pandas"), ("--no-figures", "libhdf5-dev")])
def test_figures_alone_or_all_but_them(machine, option, wanted):
    machine.lacks("python3-pandas", "libhdf5-dev", "libgtest-dev")
    machine.install(option)
    asked = " ".join(machine.apt_calls())
    assert [name for name in ("python3-pandas", "libhdf5-dev", "libgtest-dev") if name in asked] == [wanted]


def test_without_root_the_missing_are_named_with_the_command(machine):
    machine.user(1000)
    machine.lacks("libhdf5-dev", "libmpich-dev", "clang")
    result = machine.install()
    assert result.returncode == 2
    assert "install: missing: libmpich-dev libhdf5-dev\n" in result.stderr
    assert "apt-get install --no-install-recommends libhdf5-dev libmpich-dev clang\n" in result.stderr
    assert "spack install hdf5~mpi mpich && spack load hdf5~mpi mpich\n" in result.stderr
    assert machine.apt_calls() == []


def test_without_root_a_missing_optional_package_is_only_a_warning(machine):
    machine.user(1000)
    machine.lacks("clang")
    result = machine.install()
    assert result.returncode == 0
    assert "warning: optional packages that are missing: clang" in result.stderr


ALL_LIBRARIES = "MPI HDF5 hwloc benchmark CLI11 tomlplusplus nlohmann_json fmt".split()
ALL_MODULES = "numpy h5py pandas matplotlib".split()


def test_without_root_what_is_there_in_another_way_is_not_missing(machine):
    machine.user(1000)
    machine.lacks("libhdf5-dev", "cmake", "build-essential", "mpich", "hdf5-tools", "python3-h5py")
    machine.has_elsewhere("HDF5", "h5py")
    result = machine.install()
    assert (result.returncode, "everything required for build run figures is installed" in result.stdout) == (0, True), result.stderr
    assert "without" not in result.stderr


def test_where_there_is_no_debian_a_machine_with_everything_goes_on(machine):
    machine.is_no_debian()
    machine.has_elsewhere("valgrind", "papi", "openblas", *ALL_LIBRARIES, *ALL_MODULES)
    result = machine.install()
    assert result.returncode == 0, result.stderr
    assert "missing" not in result.stderr and "without" not in result.stderr


def test_where_there_is_no_debian_what_works_without_is_said_and_what_does_not_is_named_with_spacks_names(machine):
    machine.is_no_debian()
    machine.has_elsewhere(*ALL_LIBRARIES, *ALL_MODULES)
    result = machine.install()
    assert result.returncode == 0
    assert "without valgrind: no emulated counters" in result.stderr and "(Spack: valgrind~mpi~boost)" in result.stderr
    assert "bash jobs/valgrind.sh builds them" in result.stderr
    machine.has_elsewhere(*ALL_LIBRARIES[2:], *ALL_MODULES)
    result = machine.install()
    assert result.returncode == 2
    assert "install: missing: libmpich-dev libhdf5-dev\n" in result.stderr
    assert "spack install hdf5~mpi mpich" in result.stderr
    assert "apt-get install" not in result.stderr


def test_a_compiler_that_is_too_old_is_told_by_its_version(machine):
    machine.is_no_debian()
    machine.has_elsewhere(*ALL_LIBRARIES, *ALL_MODULES)
    machine.stand_in("c++", "echo 8")
    result = machine.install()
    assert result.returncode == 2
    assert "c++ is version 8: C++20 takes g++ 11 or newer" in result.stderr


def test_of_two_names_the_one_that_this_debian_has_is_installed(machine):
    machine.lacks("g++-11", "g++-14")
    machine.refuses("g++-11")
    result = machine.install()
    assert result.returncode == 0, result.stderr
    assert [call.rsplit(" ", 1)[1] for call in machine.apt_calls() if " install " in call] == ["g++-14"]


def test_without_root_sudo_installs_what_is_missing_and_no_more(machine):
    machine.user(1000, sudo=True)
    machine.lacks("libhdf5-dev")
    result = machine.install()
    assert result.returncode == 0, result.stderr
    installs = [call for call in machine.apt_calls() if " install " in call]
    assert len(installs) == 1 and installs[0].endswith("--no-install-recommends libhdf5-dev")


def test_an_optional_package_that_cannot_be_had_keeps_no_other_away(machine):
    machine.lacks("libhdf5-dev", "clang", "ccache")
    machine.refuses("clang")
    result = machine.install()
    assert result.returncode == 0, result.stderr
    assert "optional package clang could not be installed: E: Unable to locate package clang" in result.stderr
    assert machine.missing.read_text() == "clang\n"


def test_a_required_package_that_cannot_be_had_is_an_error(machine):
    machine.lacks("libhdf5-dev")
    machine.refuses("libhdf5-dev")
    result = machine.install()
    assert result.returncode == 1
    assert "Unable to locate package libhdf5-dev" in result.stderr


def test_test_packages_are_wanted_only_with_the_option(machine):
    machine.lacks("libgtest-dev")
    assert machine.install("--check").returncode == 0
    assert machine.install("--check", "--tests").returncode == 2


def test_a_second_mpi_comes_only_as_an_optional_package_of_the_tests(machine):
    lists = dict(line.split(": ", 1) for line in machine.install("--list").stdout.splitlines())
    words = {purpose: set(names.split()) for purpose, names in lists.items()}
    assert {"libhdf5-dev", "libmpich-dev"} <= words["build"]
    second = {"python3-h5py-mpi", "python3-mpi4py", "libhdf5-openmpi-dev", "libhdf5-mpi-dev", "openmpi-bin", "libopenmpi-dev"}
    assert {purpose: names & second for purpose, names in words.items() if names & second} == {
        "tests, optional": {"openmpi-bin", "libopenmpi-dev"}}


def test_an_unknown_option_is_an_error(machine):
    result = machine.install("--everything")
    assert result.returncode == 2
    assert "unknown option '--everything'" in result.stderr
