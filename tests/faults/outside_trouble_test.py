"""A machine refuses things: a folder that cannot be written, a full disk, a missing valgrind, more ranks than cores."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import pytest

from conftest import CAMPAIGNS, Run, Store, journal_records, lines_of


def test_unwritable_output_is_an_error_of_one_line(plumbline, refused, tmp_path):
    """A path below a plain file: not even root can write there."""
    (tmp_path / "file").write_text("")
    store = tmp_path / "file" / "x.h5"
    refused(plumbline("run", CAMPAIGNS / "small.toml", "-o", store, ranks=2, seconds=60), 1, str(tmp_path / "file"))


def test_output_in_a_read_only_folder_is_an_error_of_one_line(plumbline, refused, tmp_path):
    """/proc takes no files from anybody."""
    refused(plumbline("run", CAMPAIGNS / "small.toml", "-o", "/proc/x.h5", ranks=2, seconds=60), 1, "/proc/x")


def test_a_draft_that_another_user_left_is_told_before_anything_is_measured(plumbline, refused, tmp_path):
    """The draft lies in a folder where nobody may remove another's file, as /tmp is: whoever is not root cannot, and root does not."""
    if os.geteuid() != 0:
        pytest.skip("needs root to be two users")
    nobody = shutil.which("setpriv") and ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-sticky-"))  # pytest's own folders are closed to others
    try:
        folder.chmod(0o1777)
        shutil.copy(CAMPAIGNS / "small.toml", folder / "small.toml")
        for owner, words in ((65534, []), (0, nobody)):
            if words is None:
                continue
            draft = folder / f"of_{owner}.h5.partial"
            draft.write_text("of a session that was killed")
            os.chown(draft, owner, owner)
            store = folder / f"of_{owner}.h5"
            ended = Run([*words, plumbline.program, "run", folder / "small.toml", "-o", store], cwd=folder).finish(60)
            refused(ended, 1, str(draft), "another user's")
            assert draft.read_text() == "of a session that was killed"
            assert {path.name for path in folder.iterdir() if path.name.startswith(f"of_{owner}")} == {draft.name}, "something else was left"
            draft.unlink()
    finally:
        shutil.rmtree(folder)


def can_mount():
    probe = ["unshare", "--mount", "--propagation", "private", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return os.geteuid() == 0 and shutil.which("unshare") and subprocess.run(probe, capture_output=True).returncode == 0


def in_own_mounts(script, *arguments):
    """A shell script in a mount namespace of its own; the mounts vanish with it."""
    return Run(["unshare", "--mount", "--propagation", "private", "bash", "-c", script, "bash", *arguments])


FULL_DISK = r"""
set -u
disk=$1 mpiexec=$2 plumbline=$3 campaign=$4 out=$5
mount -t tmpfs -o size="$6",mode=755 tmpfs "$disk" || exit 99
"$mpiexec" -n 2 "$plumbline" run "$campaign" -o "$disk/x.h5" >"$out/first.out" 2>"$out/first.err"
echo $? >"$out/first.code"
ls -lR "$disk" >"$out/first.files"
mount -o remount,size=64m "$disk" || exit 99
"$mpiexec" -n 2 "$plumbline" run "$campaign" -o "$disk/x.h5" --resume >"$out/second.out" 2>"$out/second.err"
echo $? >"$out/second.code"
cp "$disk/x.h5" "$out/x.h5"
"""


@pytest.mark.parametrize("size", ["12k", "48k"])
def test_full_disk_ends_with_1_and_resumes_when_there_is_room(plumbline, campaign, tmp_path, size):
    """12k: the journal itself does not fit. 48k: the journal does, the result file does not."""
    if not can_mount():
        pytest.skip("needs root to mount a small disk")
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    out.mkdir()
    written = campaign("small", ("n = [2, 9]", "n = { from = 1, to = 12, step = 1 }"))
    ended = in_own_mounts(FULL_DISK, disk, plumbline.mpiexec, plumbline.program, written.path, out, size).finish(200)
    texts = {path.name: path.read_text() for path in out.iterdir() if path.suffix != ".h5"}
    assert ended.code == 0, (ended, texts)
    assert texts["first.code"].strip() == "1", texts
    errors = [line for line in lines_of(texts["first.err"]) if not line.startswith(("case ", "note: "))]  # progress, as a log shows it
    assert len(errors) == 1 and "No space left on device" in errors[0], texts
    assert texts["second.code"].strip() == "0", texts
    store = Store(out / "x.h5")
    assert len(store.finished()) == len(store.outcomes) == len(store.cases) >= 12
    assert all(outcome["status"] == "ok" for outcome in store.outcomes)


def wait_for_records(run, journal, number):
    end = time.monotonic() + 60
    while len(journal_records(journal)) < number:
        assert time.monotonic() < end and run.process.poll() is None, "too few cases were finished"
        time.sleep(0.02)


def check_all_is_named(ended, cases):
    assert ended.code == 1, ended.err
    (line,) = [line for line in lines_of(ended.err) if line.startswith("plumbline: ")]
    assert "removed or unmounted" in line and "--resume" in line, line
    listed = re.search(r"which (/\S+) names", line)  # where they are many
    text = line + (pathlib.Path(listed[1]).read_text() if listed else "")
    if listed:
        pathlib.Path(listed[1]).unlink()
    for case in cases:
        assert case in text, f"{case} was measured and is lost, but is not named: {text}"


def test_a_removed_output_folder_stops_the_run_and_the_lost_cases_are_named(plumbline, campaign, tmp_path):
    written = campaign("small", ("n = [2, 9]", "n = { from = 1, to = 8, step = 1 }"), ("min_seconds = 0.002", "min_seconds = 0.05"))
    folder = tmp_path / "out"
    run = plumbline.start("run", written.path, "-o", folder / "x.h5", ranks=2)
    wait_for_records(run, folder / "x.h5", 6)
    cases = {case for case, _, _ in journal_records(folder / "x.h5")}
    shutil.rmtree(folder)
    check_all_is_named(run.finish(60), cases)
    ended = plumbline("run", written.path, "-o", folder / "x.h5", "--resume", ranks=2)  # what is lost is measured again
    assert ended.code == 0 and all(o["status"] == "ok" for o in Store(folder / "x.h5").outcomes), ended.err


UNMOUNTED = r"""
set -u
disk=$1 mpiexec=$2 plumbline=$3 campaign=$4
mount -t tmpfs -o size=8m,mode=755 tmpfs "$disk" || exit 99
"$mpiexec" -n 2 "$plumbline" run "$campaign" -o "$disk/out/x.h5" &
run=$!
until [ -n "$(find "$disk/out/x.journal" -size +4k 2>/dev/null)" ]; do sleep 0.02; done
umount -l "$disk"
wait "$run"
"""


def test_an_unmounted_output_folder_stops_the_run(plumbline, campaign, tmp_path):
    if not can_mount():
        pytest.skip("needs root to mount a disk")
    written = campaign("small", ("n = [2, 9]", "n = { from = 1, to = 8, step = 1 }"), ("min_seconds = 0.002", "min_seconds = 0.05"))
    disk = tmp_path / "disk"
    disk.mkdir()
    check_all_is_named(in_own_mounts(UNMOUNTED, disk, plumbline.mpiexec, plumbline.program, written.path).finish(100), [])


WITHOUT_VALGRIND = r"""
set -u
empty=$1 && shift
mkdir -p "$empty/folder" && : >"$empty/file"
for tool in $(type -ap valgrind) /usr/bin/valgrind.bin; do if [ -e "$tool" ]; then mount --bind "$empty/file" "$tool" || exit 99; fi; done
for folder in /usr/libexec/valgrind /usr/lib/valgrind /usr/lib/*/valgrind; do
  if [ -d "$folder" ]; then mount --bind "$empty/folder" "$folder" || exit 99; fi
done
exec "$@"
"""


@pytest.fixture
def without_valgrind(plumbline, tmp_path):
    if not can_mount():
        pytest.skip("needs root to hide valgrind")

    def run(*arguments):
        command = [plumbline.mpiexec, "-n", "2", plumbline.program, *arguments]
        return in_own_mounts(WITHOUT_VALGRIND, tmp_path / "empty", *command).finish(120)

    return run


def test_without_valgrind_named_emulated_counters_are_an_error(without_valgrind, campaign, refused, tmp_path):
    written = campaign("small", ('passes = ["time"]', 'passes = ["time", "count"]'), ('counters = "none"', 'counters = "emulated"'))
    refused(without_valgrind("run", written.path, "-o", tmp_path / "x.h5"), 2, "valgrind")


def test_without_valgrind_automatic_counters_are_a_visible_skip(without_valgrind, campaign, tmp_path):
    written = campaign("small", ('passes = ["time"]', 'passes = ["time", "count"]'), ('counters = "none"', 'counters = "auto"'))
    ended = without_valgrind("run", written.path, "-o", tmp_path / "x.h5")
    assert ended.code == 0, ended.err
    store = Store(tmp_path / "x.h5")
    times = [o for o in store.outcomes if o["pass"] == "time"]
    counts = [o for o in store.outcomes if o["pass"] == "count"]
    assert times and all(o["status"] == "ok" for o in times)
    assert "valgrind" in ended.err.lower()
    if any(row["backend"] == "perf_event" for row in store.counts):  # this machine has a PMU, which counts without Valgrind
        assert all(row["backend"] != "emulated" for row in store.counts)
        return
    assert counts and all(o["status"] in ("skipped", "unavailable") and "valgrind" in o["reason"].lower() for o in counts), counts
    assert all(row["status"] != "ok" for row in store.counts if row["backend"] == "emulated")


def allowed_cores():
    return len(os.sched_getaffinity(0))


@pytest.mark.parametrize("short", [0, 1])
def test_a_rank_without_memory_tells_why_whichever_of_its_team_it_is(plumbline, campaign, tmp_path, short):
    kernel = 'kernel = "validation/triad"\nprecision = ["fp64"]\nflavor = ["gcc-O3-v2"]\nparams = { n = [20000000] }\n'
    written = campaign("small", ("seed = 1\n", "seed = 1\noversubscribe = true\n"), ("ranks = 1", "ranks = 2"),
                       ('kernel = "validation/series"\nprecision = ["fp64"]\nflavor = ["gcc-O3-v3"]\n', kernel),
                       ('params = { form = "loop", n = [2, 9], m = 48 }\n', ""))
    launched = tmp_path / "launched.sh"
    launched.write_text(f"""#!/bin/sh
[ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" != {short} ] || ulimit -v 1600000
exec {plumbline.program} "$@"
""")
    launched.chmod(0o755)
    ended = plumbline.start_program(launched, "run", written.path, "-o", tmp_path / "x.h5", ranks=2).finish(240)
    assert ended.code == 1, ended.err
    outcomes = Store(tmp_path / "x.h5").outcomes
    assert len(outcomes) >= 1 and {o["reason"] for o in outcomes} == {"cannot prepare the case: std::bad_alloc"}, outcomes


def test_sixteen_oversubscribed_ranks_measure_and_say_so(plumbline, campaign, tmp_path):
    if allowed_cores() >= 16:
        pytest.skip("sixteen ranks oversubscribe nothing here")
    written = campaign("small", ("seed = 1\n", "seed = 1\noversubscribe = true\n"), ("ranks = 1", "ranks = 16"))
    ended = plumbline("run", written.path, "-o", tmp_path / "x.h5", ranks=16)
    assert ended.code == 0, ended.err
    store = Store(tmp_path / "x.h5")
    assert len(store.outcomes) == len(store.cases) >= 2 and all(o["status"] == "ok" for o in store.outcomes), store.outcomes
    for outcome in store.outcomes:
        placement = json.loads(outcome["placement"])
        assert placement["oversubscribed"] is True
        assert len(placement["ranks"]) == 16


def test_a_campaign_whose_every_team_is_larger_than_the_node_is_a_mistake_and_its_skips_are_kept(plumbline, campaign, tmp_path):
    if allowed_cores() >= 16:
        pytest.skip("sixteen ranks oversubscribe nothing here")
    written = campaign("small", ("ranks = 1", "ranks = 16"))
    ended = plumbline("run", written.path, "-o", tmp_path / "x.h5", ranks=16)
    assert ended.code == 2 and "nothing was measured" in ended.err, ended.err
    store = Store(tmp_path / "x.h5")
    assert len(store.times) == 0, "ranks that share cores were timed"
    assert len(store.outcomes) == len(store.cases) >= 2
    for outcome in store.outcomes:
        assert outcome["status"] == "skipped" and "oversubscribe" in outcome["reason"], outcome
