"""jobs/install.sh, with stand-ins for dpkg-query, apt-get, sudo and id on PATH: what it says and does, without installing anything."""

import os
import pathlib
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "install.sh"


class Machine:
    """A pretended machine: some packages are missing, some cannot be had, and the user is root or not."""

    def __init__(self, folder):
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.calls = folder / "apt-get.calls"
        self.missing = folder / "missing"
        self.missing.write_text("")
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

    def refuses(self, *names):
        self.refused.write_text("".join(f"{name}\n" for name in names))

    def install(self, *arguments):
        environment = dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}")
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


def test_without_root_the_missing_are_named_with_the_command(machine):
    machine.user(1000)
    machine.lacks("libhdf5-dev", "mpich", "clang")
    result = machine.install()
    assert result.returncode == 2
    assert "install: missing: libhdf5-dev mpich\n" in result.stderr
    assert "apt-get install --no-install-recommends libhdf5-dev mpich clang\n" in result.stderr
    assert machine.apt_calls() == []


def test_without_root_a_missing_optional_package_is_only_a_warning(machine):
    machine.user(1000)
    machine.lacks("clang")
    result = machine.install()
    assert result.returncode == 0
    assert "warning: optional packages that are missing: clang" in result.stderr


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


def test_the_list_holds_no_package_that_brings_a_second_mpi(machine):
    words = machine.install("--list").stdout.split()
    assert "libhdf5-dev" in words and "libmpich-dev" in words
    assert not {"python3-h5py-mpi", "python3-mpi4py", "libhdf5-openmpi-dev", "libhdf5-mpi-dev", "openmpi-bin"} & set(words)


def test_an_unknown_option_is_an_error(machine):
    result = machine.install("--everything")
    assert result.returncode == 2
    assert "unknown option '--everything'" in result.stderr
