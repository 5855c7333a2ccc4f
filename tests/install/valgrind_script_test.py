"""jobs/valgrind.sh before it builds: where it takes the source from, what it refuses, and what it says is missing."""

import pathlib
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "jobs" / "valgrind.sh"
PROGRAMS = "awk bash bzip2 cat cp dirname env grep ls mkdir mktemp nproc perl rm sed sha256sum sort strip tail tar uname".split()


class Machine:
    """A pretended machine, on which nothing can be downloaded and no compiler compiles."""

    def __init__(self, folder):
        self.folder, self.bin = folder, folder / "bin"
        self.bin.mkdir()
        self.prefix = folder / "prefix"
        for name in PROGRAMS:
            (self.bin / name).symlink_to(shutil.which(name))
        for name in ("gcc", "make"):
            self.stand_in(name, "exit 1")
        # apt-get indextargets: two repositories of Debian's main archive and two others.
        self.stand_in("apt-get", "printf '%s\\n' http://mirror.example/debian/ http://mirror.example/debian-security/ http://packages.example/apt http://mirror.example/debian/")
        self.stand_in("curl", f'echo "$@" >>{folder}/curl.calls; echo "curl: (6) no such host" >&2; exit 6')

    def stand_in(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def run(self, *words, **environment):
        return subprocess.run(["bash", SCRIPT, *words], env={"PATH": str(self.bin), "TMPDIR": str(self.folder)} | environment,
                              capture_output=True, text=True, timeout=60)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_a_file_with_another_checksum_is_not_built(machine):
    (machine.folder / "other.tar.bz2").write_text("not Valgrind")
    for done in (machine.run("--url", machine.folder / "other.tar.bz2", machine.prefix),
                 machine.run(machine.prefix, PLUMBLINE_VALGRIND_URL=str(machine.folder / "other.tar.bz2"))):
        assert done.returncode == 1
        assert "is another file: its SHA-256 is not 71aee202" in done.stdout and "--url names another place" in done.stderr
        assert "configuring" not in done.stdout
    assert not list(machine.folder.glob("plumbline-valgrind.*")), "what it worked in is left"


def test_the_mirrors_of_apts_configuration_come_before_debians_own(machine):
    done = machine.run(machine.prefix)
    end = "/pool/main/v/valgrind/valgrind_3.24.0.orig.tar.bz2"
    downloads = [line.split()[-1] for line in (machine.folder / "curl.calls").read_text().splitlines()]
    assert downloads == ["http://mirror.example/debian" + end, "http://deb.debian.org/debian" + end], done.stdout + done.stderr
    assert done.returncode == 1 and done.stdout.count("not there: curl: (6) no such host") == 2 and "could not be had" in done.stderr


def test_what_is_missing_is_named(machine):
    (machine.bin / "perl").unlink()
    (machine.bin / "make").unlink()
    done = machine.run(machine.prefix)
    assert (done.returncode, done.stderr) == (2, "valgrind: building takes what is not here: make perl\n")


@pytest.mark.parametrize("words, told", [(["--fast"], "unknown option '--fast'"), (["--url"], "--url needs a URL or a file"),
                                         (["/tmp/a b"], "no folder with a blank or colon"), (["/proc/nowhere"], "/proc/nowhere cannot be written")])
def test_wrong_use_is_one_line(machine, words, told):
    done = machine.run(*words)
    assert done.returncode == 2 and told in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_a_failed_step_shows_its_last_lines(machine, tmp_path):
    """The right file by its checksum alone: sha256sum says yes, and the archive holds a configure that fails."""
    source = tmp_path / "valgrind-3.24.0"
    source.mkdir()
    (source / "configure").write_text("#!/bin/sh\necho no compiler works\nexit 3\n")
    (source / "configure").chmod(0o755)
    subprocess.run(["tar", "-c", "-j", "-f", tmp_path / "v.tar.bz2", "-C", tmp_path, source.name], check=True)
    (machine.bin / "sha256sum").unlink()
    machine.stand_in("sha256sum", "cat >/dev/null")
    done = machine.run("--url", tmp_path / "v.tar.bz2", machine.prefix)
    assert done.returncode == 1
    assert done.stderr.startswith("no compiler works\nvalgrind: configuring failed; its last lines are printed; the command was: ./configure")
