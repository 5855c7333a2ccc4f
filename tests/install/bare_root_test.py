"""A system that holds the program and the libraries that it is linked with, and nothing else: no shell, no Python, no Valgrind, no MPI to launch,
no names of users. What is missing is said; what is left measures. (The bundle in whole Debians: bundle_in_chroot.sh, label full.)"""

import os
import shutil
import subprocess

import pytest

CAMPAIGN = """schema = "plumbline-campaign/1"
counters = "auto"
[timing]
min_seconds = 0.001
max_repetitions = 3
[[cases]]
kernel = "validation/triad"
precision = "fp64"
flavor = "gcc-O3-v2"
params = { n = [1000] }
"""
EMULATOR = bool(os.environ.get("PLUMBLINE_EMULATOR"))
NO_EMULATOR = "no valgrind on PATH" if EMULATOR else "not compiled in"
MOUNTS = 'mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" && exec chroot --userspec=65534:65534 "$0" "$@"'


class BareRoot:
    def __init__(self, folder, prefix):
        self.root = folder
        for name in ("proc", "sys", "dev", "tmp"):
            (folder / name).mkdir()
        (folder / "tmp").chmod(0o1777)
        for part in ("bin/plumbline", "share/plumbline"):
            self.copy(prefix / part, folder / "plumbline" / part)
        linked = subprocess.run(["ldd", prefix / "bin/plumbline"], capture_output=True, text=True, check=True, timeout=60).stdout
        for word in linked.split():
            if word.startswith("/"):
                self.copy(word, folder / word[1:])
        (folder / "tmp/small.toml").write_text(CAMPAIGN)

    @staticmethod
    def copy(source, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if os.path.isdir(source) else shutil.copy(source, target)

    def start(self, *words):
        return subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", MOUNTS, self.root, "/plumbline/bin/plumbline", *words],
                              capture_output=True, text=True, timeout=120, env={"PATH": os.environ["PATH"], "TMPDIR": "/tmp"})

    def run(self, *words, code=0):
        done = self.start(*words)
        assert done.returncode == code, f"{words} ended with {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def bare(installation, tmp_path_factory):
    root = BareRoot(tmp_path_factory.mktemp("bare"), installation.prefix)
    for parent in (root.root, *root.root.parents):  # pytest's folders are their owner's alone
        if parent.name.startswith(("pytest", "bare")):
            parent.chmod(parent.stat().st_mode | 0o055)
    tried = root.start("--version")
    if tried.returncode != 0 and tried.stderr.startswith(("unshare:", "mount:", "chroot:")):
        pytest.skip(f"SKIP: no root of one's own can be made here: {tried.stderr.strip()}")
    return root


def test_it_measures_and_shows(bare):
    told = bare.run("run", "/tmp/small.toml", "-o", "/tmp/small.h5")
    assert NO_EMULATOR in told, told
    shown = bare.run("show", "/tmp/small.h5")
    assert "fp64 n=1000 r1t1 gcc" in shown and f"nothing was counted: emulated: unavailable: {NO_EMULATOR}" in " ".join(shown.split()), shown


def test_what_is_missing_is_said(bare):
    assert NO_EMULATOR in bare.run("doctor")
    assert "quick" in bare.run("list", "campaigns")
    assert "name a Python 3 with --python or PLUMBLINE_PYTHON" in bare.run("report", "/tmp/small.h5", "-o", "/tmp/figures", code=2)
