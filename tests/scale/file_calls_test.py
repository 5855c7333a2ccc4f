"""A rank that leads no node asks little of file systems, by strace: of thousands of such ranks, each looks up its libraries, the campaign and the
event tables, and little else. How long that takes is not held here; overhead.py counts what many ranks make."""

import os
import re
import shutil
import subprocess

import overhead
import pytest

PLUMBLINE, MPIEXEC = os.environ["PLUMBLINE"], os.environ["MPIEXEC"]
# These are each node's own, and never a file server's.
OF_THE_KERNEL = ("/proc/", "/sys/", "/dev/", "/run/")


class Rank:
    """The calls of one process that name a file: (call, file, whether it was there)."""

    def __init__(self, lines):
        found = (re.match(r'(\w+)\((?:[\w-]+, )?"([^"]+)".* = (-?\d+)', line) for line in lines)
        self.calls = [(call[1], call[2], int(call[3]) >= 0) for call in found if call]

    def files(self, ending, there=True):
        return [file for _, file, was_there in self.calls if re.search(ending + r"$", file) and (was_there or not there)]

    def leads(self):
        return any(file.endswith("calls.journal") for file in self.files("", there=False))


@pytest.fixture(scope="module")
def follower(tmp_path_factory):
    if not shutil.which("strace"):
        pytest.skip("SKIP: strace is not installed")
    folder = tmp_path_factory.mktemp("file_calls")
    (folder / "campaign.toml").write_text(overhead.CAMPAIGN)
    trace = ["strace", "-f", "--seccomp-bpf", "-ff", "-qq", "-e", "trace=%file", "-e", "signal=none", "-o", folder / "trace"]
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}  # of which each element costs calls a library
    done = subprocess.run([MPIEXEC, "-n", "2", *trace, PLUMBLINE, "run", folder / "campaign.toml", "-o", folder / "calls.h5"],
                          capture_output=True, text=True, env=environment, timeout=200)
    if "PTRACE" in done.stderr and done.returncode != 0:
        pytest.skip(f"SKIP: nothing may be traced here: {done.stderr.strip().splitlines()[0]}")
    assert done.returncode == 0, done.stdout + done.stderr
    ranks = [Rank(file.read_text(errors="replace").splitlines()) for file in folder.glob("trace.*")]
    ranks = [rank for rank in ranks if rank.files(re.escape("campaign.toml"))]
    assert len(ranks) == 2, "each rank reads the campaign"
    followers = [rank for rank in ranks if not rank.leads()]
    assert len(followers) == 1, "one rank leads the node, and writes its journal"
    return followers[0]


def test_no_library_is_looked_for_in_the_current_folder(follower):
    assert [file for file in follower.files(r"\.so[.\d]*", there=False) if not file.startswith("/")] == []


def test_what_only_a_node_s_leader_records_is_not_read_by_the_others(follower):
    assert follower.files("/vulnerabilities/.*") == [] and follower.files("/cmdline") == []
    tables = follower.files(r"/events/[^/]*\.toml")
    assert tables and len(tables) == len(set(tables)), "each event table is read once"


def test_a_rank_looks_up_little_beside_its_libraries(follower):
    libraries = len(set(follower.files(r"\.so[.\d]*")))
    elsewhere = [file for _, file, _ in follower.calls if not file.startswith(OF_THE_KERNEL)]
    # Two calls a library are the loader's and hwloc's or MPI's search for its own; the rest were 130 with MPICH 4.0. Links of every library's
    # folders, each part of its path, were 370 more.
    assert len(elsewhere) <= 2 * libraries + 200, f"{len(elsewhere)} calls, {libraries} libraries"
