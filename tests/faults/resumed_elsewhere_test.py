"""A run is resumed on other nodes, with a changed campaign, and with another build of the program (jobs/slurm/README.md states the rule)."""

import os
import shutil
import stat
import subprocess

import pytest

from conftest import CAMPAIGNS, Run, Store


def run(plumbline, path, store, *options):
    return plumbline("run", path, "-o", store, *options, ranks=2, seconds=120)


@pytest.fixture
def begun(plumbline, tmp_path):
    """A finished run of small.toml."""
    path = tmp_path / "x.h5"
    ended = run(plumbline, CAMPAIGNS / "small.toml", path)
    assert ended.code == 0, ended.err
    return path


def sessions_by_order(store):
    return {(o["case"].split("/")[4], o["session"]) for o in store.outcomes}


def test_of_a_changed_campaign_only_what_is_new_is_measured_and_what_vanished_is_kept(plumbline, campaign, begun):
    before = Store(begun)
    changed = campaign("small", ("n = [2, 9]", "n = [9, 11]"), ("budget_seconds = 30", "budget_seconds = 40"))
    ended = run(plumbline, changed.path, begun, "--resume")
    assert ended.code == 0, ended.err
    after = Store(begun)
    old = {session for _, session in sessions_by_order(before)}
    assert {(n, session in old) for n, session in sessions_by_order(after)} == {("n=2", True), ("n=9", True), ("n=11", False)}
    vanished = [c["id"] for c in after.cases if "/n=2/" in c["id"]]
    assert sorted(after.provenance["not_in_campaign"]) == sorted(vanished) and vanished
    assert f"{len(vanished)} x kept, but no longer in the campaign" in ended.err
    assert len(after.provenance["sessions"]) == 2


def test_a_campaign_that_measures_otherwise_is_refused_unless_accepted(plumbline, campaign, begun, refused):
    before = Store(begun).finished()
    changed = campaign("small", ("min_seconds = 0.002", "min_seconds = 0.004"), ("n = [2, 9]", "n = [2, 9, 12]"))
    refused(run(plumbline, changed.path, begun, "--resume"), 2, "min_seconds was 0.002 and is 0.004", "--accept-changed-campaign")
    assert Store(begun).finished() == before
    ended = run(plumbline, changed.path, begun, "--resume", "--accept-changed-campaign")
    assert ended.code == 0 and "measured otherwise" in ended.err, ended.err
    assert before.items() <= Store(begun).finished().items()


def another_build(plumbline, folder):
    """The program with another build id."""
    data = open(plumbline.program, "rb").read()
    notes = subprocess.run(["readelf", "-n", plumbline.program], capture_output=True, text=True).stdout
    ids = [line.split()[-1] for line in notes.splitlines() if "Build ID" in line]
    if not ids:
        pytest.skip("readelf finds no build id")
    build_id = bytes.fromhex(ids[0])
    assert data.count(build_id) == 1
    path = folder / "plumbline"
    path.write_bytes(data.replace(build_id, bytes(255 - byte for byte in build_id)))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_another_build_is_refused_unless_accepted(plumbline, campaign, begun, refused, tmp_path):
    other = another_build(plumbline, tmp_path)
    longer = campaign("small", ("n = [2, 9]", "n = [2, 9, 12]"))
    before = Store(begun).finished()

    def resume(*options):
        return plumbline.start_program(other, "run", longer.path, "-o", begun, "--resume", *options, ranks=2).finish(120)

    refused(resume(), 2, "another build of plumbline", "--accept-changed-program")
    assert Store(begun).finished() == before
    ended = resume("--accept-changed-program")
    assert ended.code == 0 and "measured by another build" in ended.err, ended.err
    after = Store(begun)
    assert before.items() <= after.finished().items()
    assert len({session["program"] for session in after.provenance["sessions"]}) == 2


@pytest.mark.parametrize("placement", ["every_node", "distribute"])
def test_on_another_node_all_is_measured_there_and_what_was_distributed_is_not_measured_again(plumbline, campaign, tmp_path, placement):
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("needs root to take another host name")
    if not os.path.exists("/etc/hosts"):
        pytest.skip("there is no /etc/hosts to know another host name by")
    path, written = tmp_path / "x.h5", campaign("small", ('placement = "every_node"', f'placement = "{placement}"'))
    assert run(plumbline, written.path, path).code == 0
    before = Store(path).finished()
    command = [plumbline.mpiexec, "-n", "2", plumbline.program, "run", written.path, "-o", path, "--resume"]
    script = 'hostname another && exec "$@"'
    with open("/etc/hosts") as hosts:
        known = hosts.read()
    (tmp_path / "hosts").write_text(known + "\n127.0.0.1 another\n")
    script = f'mount --bind {tmp_path}/hosts /etc/hosts && ' + script
    ended = Run(["unshare", "--uts", "--mount", "--propagation", "private", "bash", "-c", script, "bash", *command]).finish(120)
    assert ended.code == 0, ended.err
    after = Store(path).finished()
    assert before.items() <= after.items()
    assert len(after) == len(before) * (2 if placement == "every_node" else 1)
