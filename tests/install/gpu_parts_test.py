"""The parts that need a GPU, as jobs/gpu/run_parts.py goes through them: here with parts of the test's own, which need none."""

import importlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tarfile
import time
import tomllib

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
RUNNER = SOURCE / "jobs/gpu/run_parts.py"
sys.path.insert(0, str(SOURCE / "jobs/gpu"))


@pytest.fixture
def programs(tmp_path):
    program = tmp_path / "programs/bin/plumbline"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    return tmp_path / "programs"


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for sourced in ("limits.bash", "judging.bash"):
        (folder / sourced).symlink_to(SOURCE / "jobs/gpu/parts" / sourced)

    def add(name, text, seconds=10):
        (folder / f"{name}.sh").write_text(f"# what: the part {name}\n# seconds: {seconds}\n{text}\n")

    add.folder = folder
    return add


def command(tmp_path, programs, parts, *options):
    return [sys.executable, RUNNER, "--programs", programs, "--results", tmp_path / "results", "--parts", parts.folder, *options]


def run(tmp_path, programs, parts, *options):
    return subprocess.run(command(tmp_path, programs, parts, *options), capture_output=True, text=True, timeout=60)


def test_all_parts_are_done_once_and_their_output_is_kept(tmp_path, programs, parts):
    parts("10-first", 'echo measured >"$OUT/table.txt"; echo "with $BIN"')
    parts("20-second", "true")
    ended = run(tmp_path, programs, parts)
    assert ended.returncode == 0, ended.stdout
    assert "all parts are done" in ended.stdout
    assert (tmp_path / "results/10-first/table.txt").read_text() == "measured\n"
    assert (tmp_path / "results/10-first/output.txt").read_text() == f"with {programs}/bin\n"
    (tmp_path / "results/10-first/table.txt").write_text("kept")
    assert run(tmp_path, programs, parts).returncode == 0
    assert (tmp_path / "results/10-first/table.txt").read_text() == "kept"


def test_what_does_not_fit_remains_and_the_next_call_goes_on(tmp_path, programs, parts):
    parts("10-short", "true", seconds=1)
    parts("20-long", "true", seconds=400)
    ended = run(tmp_path, programs, parts, "--seconds", "100")
    assert ended.returncode == 75
    assert "20-long          remains, about 400 s: the part 20-long" in ended.stdout
    assert "1 of 2 parts remain" in ended.stdout
    ended = run(tmp_path, programs, parts, "--seconds", "480")
    assert ended.returncode == 0
    assert "=== 10-short" not in ended.stdout and "=== 20-long" in ended.stdout


def test_a_part_without_time_stops_only_those_that_come_after_it(tmp_path, programs, parts):
    parts("10-long", "true", seconds=400)
    (parts.folder / "20-its-own.sh").write_text("# what: of it\n# seconds: 1\n# after: 10-long\ntrue\n")
    parts("30-short", "true", seconds=1)
    ended = run(tmp_path, programs, parts, "--seconds", "100")
    assert ended.returncode == 75 and "=== 30-short: " in ended.stdout and "=== 10-long: " not in ended.stdout
    assert "=== 10-long needs 400 s, and " in ended.stdout and "=== 20-its-own waits for 10-long, which goes on with the next call" in ended.stdout
    named = run(tmp_path, programs, parts, "--seconds", "100", "--only", "10-long", "--only", "20-its-own")
    assert named.returncode == 75 and "=== 20-its-own waits for 10-long" in named.stdout, "also where both are named"
    assert run(tmp_path, programs, parts, "--seconds", "480").returncode == 0


@pytest.mark.parametrize("seconds, limit", [(100, 50), (160, 60), (480, 100)])
def test_a_part_that_goes_on_another_time_leaves_those_after_it_theirs(tmp_path, programs, parts, seconds, limit):
    (parts.folder / "10-resumable.sh").write_text("# what: it\n# seconds: 50\n# resumable: yes\ntrue\n")
    parts("20-after", "true", seconds=100)
    run(tmp_path, programs, parts, "--seconds", str(seconds))
    found = json.loads((tmp_path / "results/10-resumable/ended.json").read_text())["limit_seconds"]
    assert limit - 10 <= found + (20 if limit > 60 else 0) <= limit, "20 s of longer ones are for what is written down at their end"


def test_a_part_that_fails_is_told_and_done_again(tmp_path, programs, parts):
    parts("10-fails", 'echo "wrong result"; exit 4')
    parts("20-after", "true")
    ended = run(tmp_path, programs, parts)
    assert ended.returncode == 1
    assert "FAILED 10-fails: exit code 4" in ended.stdout and "wrong result" in ended.stdout
    assert (tmp_path / "results/20-after/done").exists()
    parts("10-fails", "true")
    assert run(tmp_path, programs, parts).returncode == 0


def test_a_part_that_hangs_is_ended(tmp_path, programs, parts):
    parts("10-hangs", "sleep 100", seconds=1)
    parts("20-after", "true")
    ended = run(tmp_path, programs, parts, "--seconds", "480")
    assert ended.returncode == 1
    assert "FAILED 10-hangs: not done after 2 s" in ended.stdout, "twice the seconds that it says"
    assert "20-after         passed" in ended.stdout, "those after it have their time"


def test_a_test_that_hangs_is_told_and_those_after_it_run(tmp_path, programs):
    (programs / "bin/gpu_tests.txt").write_text("hangs\nruns\n")
    doctor = json.dumps({"rows": [{"what": "counters by cupti", "status": "ok", "reason": None}]})
    for name, does in {"plumbline": f"echo '{doctor}'", "hangs": "exec sleep 60", "runs": "echo ran"}.items():
        (programs / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / "bin" / name).chmod(0o755)
    environment = {**os.environ, "BIN": str(programs / "bin"), "TESTS": str(programs / "bin"), "OUT": str(tmp_path), "HURRY": "90"}
    ended = subprocess.run(["bash", SOURCE / "jobs/gpu/parts/20-tests.sh"], capture_output=True, text=True, timeout=30, env=environment)
    assert ended.returncode == 1 and "hangs hangs: it was ended after" in ended.stdout and "--- runs\nran\n" in ended.stdout
    (programs / "bin/hangs").write_text("#!/bin/sh\nkill -SEGV $$\n")
    ended = subprocess.run(["bash", SOURCE / "jobs/gpu/parts/20-tests.sh"], capture_output=True, text=True, timeout=30, env=environment)
    assert ended.returncode == 1 and "failed: hangs ended with exit code 139\n" in ended.stdout, "also where it says nothing"


def test_a_part_that_can_be_resumed_remains_when_its_time_is_over_and_those_after_it_wait(tmp_path, programs, parts):
    (parts.folder / "10-long.sh").write_text(
        "# what: a long one\n# seconds: 1\n# resumable: yes\n[[ -f $RESULTS/half ]] && exit 0\ntouch $RESULTS/half; sleep 100\n")
    parts("20-after", "true")
    ended = run(tmp_path, programs, parts, "--seconds", "5")
    assert ended.returncode == 75, ended.stdout
    assert "10-long          remains" in ended.stdout and "=== 20-after:" not in ended.stdout and "FAILED" not in ended.stdout
    assert run(tmp_path, programs, parts).returncode == 0


# As plumbline: ended by a signal, a run writes down what it has, which takes a while, and exits with 75.
WRITES_DOWN = """#!/bin/sh
[ "$1" = run ] || { echo "{}"; exit 0; }
trap 'sleep 1; echo written >"$RESULTS/written"; exit 75' TERM
touch "$RESULTS/begun"
sleep 100 &
wait
"""


@pytest.mark.parametrize("part, last", [("30-ceilings", "ceilings.json"), ("40-validation", "show.json"), ("55-applications", "expect.json")])
def test_a_resumable_part_that_runs_out_of_time_waits_for_its_program_and_takes_the_steps_after_it(tmp_path, programs, parts, part, last):
    (programs / "bin/plumbline").write_text(WRITES_DOWN)
    text = (SOURCE / f"jobs/gpu/parts/{part}.sh").read_text()
    (parts.folder / f"{part}.sh").write_text(re.sub("# seconds: .*", "# seconds: 1", text))
    ended = run(tmp_path, programs, parts, "--seconds", "5")
    assert ended.returncode == 75, ended.stdout + ended.stderr
    assert (tmp_path / "results/begun").exists()
    assert (tmp_path / "results/written").exists(), "the program had not ended when the part had"
    assert (tmp_path / f"results/{part}" / last).read_text() == "{}\n"


KEEPS = """# what: one that goes on
# seconds: 1
# resumable: yes
# keeps: all.h5
mkdir -p $RESULTS/all.journal; echo x >>$RESULTS/all.h5; cp $RESULTS/all.h5 $OUT; touch $RESULTS/all.journal/node
[[ $(wc -l <$RESULTS/all.h5) -ge 2 ]] || exit 75
"""


def test_what_other_programs_began_is_begun_anew_and_so_is_a_part_named_again(tmp_path, programs, parts):
    (parts.folder / "10-part.sh").write_text(KEEPS)
    results = tmp_path / "results"
    lines = lambda: len((results / "all.h5").read_text().splitlines())
    steps = []
    for options in ([], [], ["--again", "10-part"], []):
        ended = run(tmp_path, programs, parts, *options)
        steps.append((ended.returncode, lines()))
        assert ("without --again" in ended.stdout) == bool(options)
    assert steps == [(75, 1), (0, 2), (75, 1), (0, 2)]
    for other in "ab":  # each is an earlier one's follower in the same folder of results
        (programs / "bin/plumbline").write_text(f"#!/bin/sh\nexit 0 # {other}\n")
        (results / "all.journal/of_others").touch()
        assert (run(tmp_path, programs, parts).returncode, lines()) == (75, 1)
        assert not (results / "all.journal/of_others").exists()
        assert (results / ".goes-10-part").read_text() == "1\n", "its goes are counted anew"


def test_what_was_begun_on_another_gpu_is_begun_anew_and_what_is_done_says_where(tmp_path, programs, parts, monkeypatch):
    (parts.folder / "10-part.sh").write_text(KEEPS)
    parts("05-done", "true")
    (tmp_path / "path").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}/path:{os.environ['PATH']}")
    smi, results = tmp_path / "path/nvidia-smi", tmp_path / "results"
    for gpu in ("GPU-1111", "GPU-2222"):  # each time of the same host name
        smi.write_text(f"#!/bin/sh\necho 'GPU 0: NVIDIA H100 (UUID: {gpu})'\n")
        smi.chmod(0o755)
        (results / "all.journal").mkdir(parents=True, exist_ok=True)
        (results / "all.journal/of_another_gpu").touch()
        ended = run(tmp_path, programs, parts)
        assert ended.returncode == 75, "the first of two goes"
        assert (results / "all.h5").read_text() == "x\n" and not (results / "all.journal/of_another_gpu").exists()
    assert "10-part was begun on another machine's GPU (GPU-1111): it begins anew on GPU-2222" in ended.stdout
    assert re.search(r"05-done +passed, \d+ s \(on GPU-1111\)", ended.stdout)
    assert run(tmp_path, programs, parts).returncode == 0, "on the same GPU it goes on"
    (parts.folder / "07-after.sh").write_text("# what: of it\n# seconds: 1\n# after: 05-done\ntrue\n")
    for only in ((), ("--only", "07-after")):
        ended = run(tmp_path, programs, parts, *only)
        assert ended.returncode == 75 and "=== 07-after waits for 05-done, which was done on another GPU (GPU-1111): --again 05-done" in ended.stdout
    assert run(tmp_path, programs, parts, "--again", "05-done").returncode == 0


@pytest.mark.parametrize("how, code", [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_part_whose_call_was_ended_is_gone_on_with(tmp_path, programs, parts, how, code):
    (parts.folder / "10-long.sh").write_text(
        "# what: a long one\n# seconds: 20\n# resumable: yes\n# keeps: all.h5\n"
        '[[ ! -f $RESULTS/all.h5 ]] || { cat "$RESULTS/all.h5"; exit 0; }\n'
        "trap 'echo told >>$RESULTS/all.h5; exit 75' TERM\necho begun; echo half >$RESULTS/all.h5\nsleep 20 & wait\n")
    results = tmp_path / "results"
    call = subprocess.Popen(command(tmp_path, programs, parts), stdout=subprocess.PIPE, text=True)
    for _ in range(200):
        if (results / "all.h5").exists() and (results / "all.h5").read_text():
            break
        time.sleep(0.1)
    call.send_signal(how)
    call.communicate(timeout=60)
    kept = "half\n" if how == signal.SIGKILL else "half\ntold\n"
    assert call.returncode == code
    assert (results / "all.h5").read_text() == kept, "what ends the call lets the part write down what it has"
    assert (results / "10-long/output.txt").read_text() == "begun\n", "what it printed is lost"
    ended = run(tmp_path, programs, parts)
    assert ended.returncode == 0 and f"\n{kept}" in ended.stdout, "it was begun anew"


@pytest.mark.parametrize("given, seen", [({}, "0"), ({"CUDA_VISIBLE_DEVICES": "2,3"}, "2,3")])
def test_one_gpu_is_measured_unless_others_are_named(tmp_path, programs, parts, monkeypatch, given, seen):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    parts("10-part", 'echo "sees $CUDA_VISIBLE_DEVICES"')
    assert f"\nsees {seen}\n" in run(tmp_path, programs, parts).stdout


@pytest.mark.parametrize("part", ["10-facts", "20-tests"])
@pytest.mark.parametrize("doctor, fails", [
    ('{"rows": [{"what": "counters by cupti", "status": "ok", "reason": null}]}', None),
    ('{"rows": [{"what": "counters by cupti", "status": "permission", "reason": "told"}]}', None),
    ('{"rows": [{"what": "counters by cupti", "status": "unavailable", "reason": "told"}]}', "the tests that count were skipped"),
    ("no document", "counted.py ended with 1"),
])
def test_what_cannot_be_judged_is_told_apart_from_what_was_not_counted(tmp_path, programs, part, doctor, fails):
    for name, text in {"plumbline": f"echo '{doctor}'", "a_test": "exit 0"}.items():
        (programs / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / "bin" / name).chmod(0o755)
    (programs / "bin/nvidia-smi").symlink_to("a_test")
    (programs / "bin/gpu_tests.txt").write_text("a_test\n")
    environment = {**os.environ, "BIN": str(programs / "bin"), "TESTS": str(programs / "bin"), "OUT": str(tmp_path),
                   "PATH": f"{programs}/bin:{os.environ['PATH']}"}
    ended = subprocess.run(["bash", SOURCE / f"jobs/gpu/parts/{part}.sh"], capture_output=True, text=True, timeout=60, env=environment)
    if part == "10-facts":  # it only tells
        assert (ended.returncode == 0) == (doctor != "no document"), ended.stdout + ended.stderr
        return
    assert (ended.returncode == 0) == (fails is None), ended.stdout + ended.stderr
    assert fails is None or fails in ended.stdout


def test_the_facts_are_told_in_order_and_what_failed_last_also_into_a_file(tmp_path, programs):
    (programs / "bin/plumbline").write_text('#!/bin/sh\nif [ "$2" = --json ]; then echo "{\\"rows\\": []}"; else echo "told: $*"; seq 100; fi\n')
    (programs / "bin/nvidia-smi").write_text("#!/bin/sh\nexit 9\n")
    for name in ("plumbline", "nvidia-smi"):
        (programs / "bin" / name).chmod(0o755)
    environment = {**os.environ, "BIN": str(programs / "bin"), "OUT": str(tmp_path), "PATH": f"{programs}/bin:{os.environ['PATH']}"}
    with open(tmp_path / "output.txt", "wb") as file:
        ended = subprocess.run(["bash", SOURCE / "jobs/gpu/parts/10-facts.sh"], stdout=file, stderr=subprocess.STDOUT, timeout=60, env=environment)
    told = (tmp_path / "output.txt").read_text().splitlines()
    assert ended.returncode == 1
    assert [line for line in told if line.startswith("told: ")] == ["told: --version", "told: doctor"], told
    assert told.count("100") == 2 and told[-1] == "nvidia-smi -q: ended with exit code 9 and told nothing of use"


NOT_MEASURED = {"name": "HBM", "scope": "GPU", "status": "unavailable", "value": None}
NOT_TIMED = {"case": "a", "seconds": None, "status": "unavailable"}


@pytest.mark.parametrize("part, shown", [
    ("30-ceilings", {"scope": "GPU", "name": "HBM", "status": "ok", "value": 1.0}),
    ("40-validation", {"case": "a", "seconds": 1.0, "status": "ok"}),
])
def test_a_part_that_measured_nothing_has_failed(tmp_path, programs, part, shown):
    """nvidia-smi answers, but CUDA starts nothing: run notes it and ends well."""
    host = {"scope": "core", "name": "load", "status": "ok", "value": 1.0}
    doctor = {"what": "counters by cupti", "status": "permission", "reason": "told"}  # so that part 40 wants no counts
    environment = {**os.environ, "BIN": str(programs / "bin"), "PROGRAMS": str(programs), "OUT": str(tmp_path), "RESULTS": str(tmp_path)}
    for rows, ends in (([shown], 0), ([], 1), ([host, NOT_MEASURED, NOT_TIMED], 1)):
        (tmp_path / "told.json").write_text(json.dumps({"rows": [doctor, *rows]} if part == "40-validation" else {"rows": rows}))
        (programs / "bin/plumbline").write_text(f"""#!/bin/sh
[ "$1" != run ] || exit "$RAN"
if [ "$1 $2" = "score $RESULTS/gpu_validation.h5" ]; then echo '{{"rows": []}}'; else cat {tmp_path}/told.json; fi
""")
        for ran in (0, 75):
            ended = subprocess.run(["bash", SOURCE / f"jobs/gpu/parts/{part}.sh"], capture_output=True, text=True, timeout=60,
                                   env=environment | {"RAN": str(ran)})
            assert ended.returncode == (ran or ends), ended.stdout + ended.stderr
            assert ("NOTHING WAS MEASURED ON A GPU" in ended.stdout) == (ran == 0 and ends == 1), ended.stdout


def counting_part(tmp_path, programs, part, codes):
    """Runs a part that counts with a program whose runs end with these codes; how it ended, and the options of those runs."""
    case = {"case": "a", "seconds": 1.0, "status": "ok", "what": "counters by cupti", "reason": None, "counter": "cupti flops"}
    (tmp_path / "told.json").write_text(json.dumps({"rows": [case]}))
    (programs / "bin/plumbline").write_text(f'''#!/bin/sh
if [ "$1" = run ]; then
  shift 4; echo "$@" >>{tmp_path}/runs
  exit $(echo {codes} | cut -d" " -f$(wc -l <{tmp_path}/runs))
fi
cat {tmp_path}/told.json
''')
    environment = {**os.environ, "BIN": str(programs / "bin"), "PROGRAMS": str(programs), "OUT": str(tmp_path), "RESULTS": str(tmp_path)}
    ended = subprocess.run(["bash", SOURCE / f"jobs/gpu/parts/{part}.sh"], capture_output=True, text=True, timeout=60, env=environment)
    runs = tmp_path / "runs"
    return ended, runs.read_text().splitlines() if runs.exists() else []


@pytest.mark.parametrize("part", ["40-validation", "55-applications"])
@pytest.mark.parametrize("codes, runs, ends", [("0 0", 2, 0), ("0 75", 2, 75), ("75 0", 1, 75), ("0 1", 2, 1)])
def test_all_is_timed_without_counters_and_then_counted_once(tmp_path, programs, part, codes, runs, ends):
    ended, options = counting_part(tmp_path, programs, part, codes)
    assert ended.returncode == ends, ended.stdout + ended.stderr
    assert options == [f"--resume --counters {counters} --count-repetitions 1" for counters in ("none", "auto")][:runs]


def test_counts_are_repeated_where_they_were_counted_once(tmp_path, programs, monkeypatch):
    ended, options = counting_part(tmp_path, programs, "75-recount", "0")
    assert (ended.returncode, options) == (1, []) and "part 40-validation is not done" in ended.stdout
    (tmp_path / "40-validation").mkdir()
    monkeypatch.setenv("DONE", "10-facts 40-validation")
    row = {"what": "counters by cupti", "status": "permission", "reason": "refused"}
    (tmp_path / "40-validation/doctor.json").write_text(json.dumps({"rows": [row]}))
    ended, options = counting_part(tmp_path, programs, "75-recount", "0")
    assert (ended.returncode, options) == (77, []) and "nothing can be counted" in ended.stdout
    (tmp_path / "40-validation/doctor.json").write_text(json.dumps({"rows": [{**row, "status": "ok"}]}))
    ended, options = counting_part(tmp_path, programs, "75-recount", "75")
    assert (ended.returncode, options) == (75, ["--resume"]) and (tmp_path / "score.json").exists()


@pytest.mark.parametrize("codes, ends", [("0 0 0", 0), ("0 77 0", 77), ("77 77 77", 77), ("0 5 77", 5), ("0 124 0", 124), ("0 4 124", 4)])
def test_a_test_program_runs_as_several_processes_whose_worst_end_is_told(tmp_path, codes, ends):
    script = f"""source {SOURCE}/jobs/gpu/parts/limits.bash
sharded 3 {tmp_path}/out.txt 10 bash -c 'echo "shard $GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS"; codes=({codes}); exit "${{codes[GTEST_SHARD_INDEX]}}"'
"""
    assert subprocess.run(["bash", "-c", script], timeout=30).returncode == ends
    assert (tmp_path / "out.txt").read_text() == "".join(f"shard {i} of 3\n" for i in range(3)) and os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("mode, cores, shards", [("Default", 16, 8), ("Default", 6, 3), ("Default", 1, 1), ("Exclusive_Process", 16, 1), ("", 16, 1)])
def test_a_gpu_for_one_process_gets_one(tmp_path, mode, cores, shards):
    for name, says in {"nvidia-smi": mode, "nproc": cores}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho {says}\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "CUDA_VISIBLE_DEVICES": "0"}
    told = subprocess.run(["bash", "-c", f"source {SOURCE}/jobs/gpu/parts/limits.bash; shards"], capture_output=True, text=True, env=environment, timeout=30)
    assert told.stdout == f"{shards}\n"


def test_a_part_that_stops_early_remains_but_not_for_ever(tmp_path, programs, parts):
    parts("10-stops", "exit 75")
    assert [run(tmp_path, programs, parts).returncode for _ in range(4)] == [75, 75, 75, 1]


def test_packed_libraries_and_those_found_here_are_for_the_packed_programs_alone(tmp_path, programs, parts, monkeypatch):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    (tmp_path / "toolkit/lib64").mkdir(parents=True)
    (tmp_path / "toolkit/lib64/libcublasLt.so.13").write_text("none")
    (programs / "lib").mkdir()
    (programs / "lib/libstdc++.so.6").write_text("none")
    (programs / "bin/plumbline").write_text('#!/bin/sh\necho "program: $LD_LIBRARY_PATH $1"\n')
    (programs / "bin/gpu_tests.txt").write_text("a_test\n")
    parts("10-part", '"$BIN/plumbline" "two words"; echo "others: $LD_LIBRARY_PATH"; cat "$BIN/gpu_tests.txt"')
    ended = run(tmp_path, programs, parts)
    assert ended.returncode == 0, ended.stdout
    (own,) = [line for line in ended.stdout.splitlines() if line.startswith("program:")]
    assert own.startswith(f"program: {programs}/lib:") and f"{tmp_path}/toolkit/lib64" in own and "::" not in own
    assert "two words" in ended.stdout and "a_test" in ended.stdout
    (others,) = [line for line in ended.stdout.splitlines() if line.startswith("others:")]
    assert str(programs) not in others and "toolkit" not in others


@pytest.mark.parametrize("folder", ["bin", "tests"])
def test_tests_are_found_in_what_was_packed_and_in_a_build_folder(tmp_path, programs, parts, monkeypatch, folder):
    for name in ("20-tests", "70-sanitizer"):
        (parts.folder / f"{name}.sh").write_text((SOURCE / f"jobs/gpu/parts/{name}.sh").read_text())
    (tmp_path / "counted.py").symlink_to(SOURCE / "jobs/gpu/counted.py")
    (programs / folder).mkdir(exist_ok=True)
    (programs / folder / "gpu_tests.txt").write_text("cuda_gpu_kernels_test\n")
    (tmp_path / "path").mkdir()
    doctor = json.dumps({"rows": [{"what": "counters by cupti", "status": "ok", "reason": None}]})
    sanitizer = 'for word; do case $word in */cuda_gpu_kernels_test) "$word" || exit; esac; done; echo "ERROR SUMMARY: 0 errors"'
    for program, text in ((programs / "bin/plumbline", f"echo '{doctor}'"),
                          (programs / folder / "cuda_gpu_kernels_test", "echo ran; exit ${KERNELS:-0}"),
                          (tmp_path / "path/compute-sanitizer", sanitizer)):
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/path:{os.environ['PATH']}")
    ended = run(tmp_path, programs, parts, "--seconds", "480")
    assert ended.returncode == 0 and "all parts are done" in ended.stdout, ended.stdout + ended.stderr
    assert "--- cuda_gpu_kernels_test\nran\n" in ended.stdout and "memcheck: ERROR SUMMARY: 0 errors" in ended.stdout
    monkeypatch.setenv("KERNELS", "1")
    ended = run(tmp_path, programs, parts, "--seconds", "480", "--again", "20-tests", "--again", "70-sanitizer")
    assert ended.returncode == 1 and "FAILED 20-tests" in ended.stdout and "FAILED 70-sanitizer" in ended.stdout, ended.stdout
    (programs / folder / "gpu_tests.txt").unlink()
    assert "no list of tests in" in run(tmp_path, programs, parts, "--again", "20-tests").stdout


def test_what_sums_up_is_done_at_the_end_of_every_call_and_is_done_with_all_the_others_only(tmp_path, programs, parts):
    parts("10-first", "echo one >>$RESULTS/found.txt")
    parts("20-long", "echo two >>$RESULTS/found.txt", seconds=400)
    (parts.folder / "80-sum.sh").write_text("# what: a sum\n# seconds: 5\n# closes: yes\necho there is $(cat $RESULTS/found.txt)\n")
    ended = run(tmp_path, programs, parts, "--seconds", "100")
    assert ended.returncode == 75 and "=== 80-sum so far\nthere is one\n" in ended.stdout and "2 of 3 parts remain" in ended.stdout
    ended = run(tmp_path, programs, parts, "--seconds", "480")
    assert ended.returncode == 0 and "there is one two\n" in ended.stdout and "so far" not in ended.stdout
    assert "=== 80-sum" not in run(tmp_path, programs, parts).stdout
    ended = run(tmp_path, programs, parts, "--again", "20-long", "--seconds", "480")
    assert ended.returncode == 0 and "there is one two two\n" in ended.stdout, "what was done anew is summed up anew"


def test_a_part_that_goes_on_another_time_is_begun_with_less_time_than_it_takes(tmp_path, programs, parts):
    parts("10-long", "# resumable: yes\ntrap : TERM\ntrue", seconds=400)
    assert run(tmp_path, programs, parts, "--seconds", "119").returncode == 75
    assert run(tmp_path, programs, parts, "--seconds", "130").returncode == 0


def test_a_call_takes_those_parts_alone_that_it_names(tmp_path, programs, parts):
    for name in ("10-first", "20-second", "30-third"):
        parts(name, f"echo {name} >>$RESULTS/done.txt")
    ended = run(tmp_path, programs, parts, "--only", "30-third", "--only", "10-first")
    assert ended.returncode == 75 and "1 of 3 parts remain; the same command without --only goes on" in ended.stdout
    assert (tmp_path / "results/done.txt").read_text() == "10-first\n30-third\n"
    assert run(tmp_path, programs, parts).returncode == 0
    ended = run(tmp_path, programs, parts, "--only", "40-none")
    assert ended.returncode == 2 and "--only 40-none: there is no such part" in ended.stderr


AFTER = "# what: one that waits\n# seconds: 1\n# after: 10-long\ntouch $RESULTS/begun\n"


def test_a_part_waits_for_the_one_that_it_comes_after_but_not_for_ever_and_others_do_not(tmp_path, programs, parts):
    (parts.folder / "10-long.sh").write_text("# what: a long one\n# seconds: 1\n# resumable: yes\necho 'plumbline: it hangs'; echo more; exit 75\n")
    (parts.folder / "20-after.sh").write_text(AFTER)
    parts("30-other", "true")
    ended = run(tmp_path, programs, parts)
    assert ended.returncode == 75, ended.stdout
    assert "=== 20-after waits for 10-long, which goes on with the next call" in ended.stdout and "30-other         passed" in ended.stdout
    assert "10-long          remains, about 1 s: a long one; last time stopped early (plumbline: it hangs; see " in ended.stdout
    assert [run(tmp_path, programs, parts).returncode for _ in range(2)] == [75, 75] and not (tmp_path / "results/begun").exists()
    ended = run(tmp_path, programs, parts)
    assert ended.returncode == 1 and (tmp_path / "results/begun").exists(), "four times is enough"
    assert "FAILED 10-long: stopped early (plumbline: it hangs; see " in ended.stdout and "for the 4th time" in ended.stdout


def test_how_a_part_ended_is_kept_and_a_rehearsal_hurries(tmp_path, programs, parts):
    parts("10-hangs", "echo begun; sleep 600", seconds=20)
    parts("20-fails", "echo why; exit 3")
    ended = run(tmp_path, programs, parts, "--hurry", "10", "--seconds", "480")
    assert ended.returncode == 1, ended.stdout
    hung, failed = (json.loads((tmp_path / f"results/{part}/ended.json").read_text()) for part in ("10-hangs", "20-fails"))
    assert (hung["exit_code"], hung["limit_seconds"]) == (124, 10) and hung["how"].startswith("failed, not done after 10 s: begun; see ")
    assert (failed["exit_code"], failed["limit_seconds"]) == (3, 10) and failed["how"].startswith("failed, exit code 3: why; see ")


def test_results_are_brought_along_to_another_machine(tmp_path, programs, parts):
    parts("10-first", "true")
    parts("20-second", "true", seconds=400)
    assert run(tmp_path, programs, parts, "--seconds", "100").returncode == 75
    (tmp_path / "results").rename(tmp_path / "brought")
    elsewhere = tmp_path / "another machine"
    elsewhere.mkdir()
    (tmp_path / "brought").rename(elsewhere / "results")
    ended = run(elsewhere, programs, parts, "--seconds", "480")
    assert ended.returncode == 0 and "=== 10-first" not in ended.stdout


def names_in(archive):
    with tarfile.open(archive) as opened:
        return opened.getnames()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.mark.parametrize("end", ["tar.xz", "tar.gz"])
def test_an_archive_keeps_the_results_and_the_next_call_goes_on_with_it(tmp_path, programs, parts, temporary, end):
    parts("10-first", 'echo measured >"$OUT/table.txt"; echo once >>"$RESULTS/times.txt"')
    parts("20-second", 'cat "$RESULTS/times.txt"; exit 3', seconds=400)
    archive = tmp_path / f"back/results.{end}"
    ended = run(tmp_path, programs, parts, "--seconds", "100", "--results", archive)
    assert ended.returncode == 75 and f"results: {archive}\n" in ended.stdout
    assert os.listdir(archive.parent) == [archive.name] and os.listdir(temporary) == []
    assert {"./10-first/table.txt", "./10-first/output.txt", "./times.txt"} <= set(names_in(archive))
    elsewhere = archive.rename(tmp_path / f"carried.{end}")
    ended = run(tmp_path, programs, parts, "--results", elsewhere)
    assert ended.returncode == 1 and "=== 10-first" not in ended.stdout
    assert f"FAILED 20-second: exit code 3: once; see {elsewhere}/20-second/output.txt\n" in ended.stdout
    assert "./20-second/ended.json" in names_in(elsewhere) and os.listdir(temporary) == []


def test_an_archive_has_what_a_part_has_so_far_when_all_is_killed(tmp_path, programs, parts, temporary):  # pylint: disable=unused-argument
    parts("10-hangs", 'echo one >"$OUT/case.txt"; sleep 15', seconds=60)
    archive = tmp_path / "results.tar.xz"
    program = "import sys, run_parts; run_parts.PACKED_EACH = 1; sys.exit(run_parts.main())"
    words = list(map(str, command(tmp_path, programs, parts, "--results", archive)[2:]))
    with subprocess.Popen([sys.executable, "-c", program, *words], cwd=RUNNER.parent, start_new_session=True, stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + 30
        while not (archive.is_file() and "./10-hangs/case.txt" in names_in(archive)) and time.monotonic() < until:
            time.sleep(0.2)
        os.killpg(process.pid, signal.SIGKILL)
    assert {"./10-hangs/case.txt", "./.programs-10-hangs"} <= set(names_in(archive))


def test_an_archive_that_cannot_be_read_or_written_is_told_in_a_line_and_nothing_is_lost(tmp_path, programs, parts, temporary):
    parts("10-part", 'echo ran; echo measured >"$OUT/table.txt"; rm -r "$(cat "$RESULTS/../gone")"')
    broken, cut = tmp_path / "broken.tar.xz", tmp_path / "cut.tar.xz"
    broken.write_text("no archive")
    with tarfile.open(cut, "w:xz") as archive:
        archive.add(RUNNER)
    cut.write_bytes(cut.read_bytes()[:2000])
    no_archive = "it is no archive of results ("
    for archive, why in {broken: no_archive, cut: no_archive, pathlib.Path("/proc/results.tar.gz"): "cannot be made or read"}.items():
        ended = run(tmp_path, programs, parts, "--results", archive)
        assert ended.returncode == 2 and why in ended.stderr and len(ended.stderr.splitlines()) == 1 and "ran" not in ended.stdout
    assert broken.read_text() == "no archive" and os.listdir(temporary) == []
    (temporary / "gone").write_text(str(tmp_path / "gone"))
    assert not list(tmp_path.glob("*.new"))
    ended = run(tmp_path, programs, parts, "--results", tmp_path / "gone/results.tar.xz")
    found = re.fullmatch(r"gpu: \S+/gone/results.tar.xz: No such file or directory; what there is so far is in (\S+)\n", ended.stderr)
    assert ended.returncode == 1 and found, ended.stderr
    assert (pathlib.Path(found[1]) / "10-part/table.txt").read_text() == "measured\n"


def test_a_skip_keeps_its_reason(tmp_path, programs, parts):
    parts("10-skips", 'echo "no ncu on this machine"; exit 77')
    ended = run(tmp_path, programs, parts)
    assert ended.returncode == 0
    assert "skipped: no ncu on this machine" in ended.stdout


def test_letters_that_a_terminal_has_not_are_replaced(tmp_path, programs, parts, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    parts("10-skips", 'echo "3 µs"; exit 77')
    ended = run(tmp_path, programs, parts)
    assert (ended.returncode, ended.stderr) == (0, "") and "skipped: 3 ?s" in ended.stdout


def test_other_programs_do_all_parts_again(tmp_path, programs, parts):
    parts("10-part", "echo again >>$RESULTS/times.txt")
    run(tmp_path, programs, parts)
    run(tmp_path, programs, parts, "--again", "10-part")
    (programs / "bin/plumbline").write_text("#!/bin/sh\nexit 3\n")
    run(tmp_path, programs, parts)
    run(tmp_path, programs, parts)
    assert (tmp_path / "results/times.txt").read_text() == "again\n" * 3


@pytest.mark.parametrize(
    "options, word",
    [
        (["--seconds", "soon"], "soon: a whole number is needed"),
        (["--hurry", "0"], "0: a whole number is needed, from 1 on"),
        (["--again", "no-such-part"], "there is no such part"),
        (["--programs", "/nonexistent"], "no bin/plumbline in /nonexistent"),
        (["--wrong"], "unrecognized arguments: --wrong"),
        (["--results"], "argument --results: expected one argument"),
        (["--parts", "/nonexistent"], "--parts /nonexistent: there is no part in it"),
        (["--parts", "."], "--parts .: there is no part in it"),
    ],
)
def test_wrong_use_is_one_clear_line(tmp_path, programs, parts, options, word):
    parts("10-part", "true")
    ended = run(tmp_path, programs, parts, *options)
    assert ended.returncode == 2
    assert word in ended.stderr and len(ended.stderr.splitlines()) == 1


def test_seconds_of_a_part_that_are_none_are_wrong_use_with_script_and_line(tmp_path, programs, parts):
    parts("10-part", "true", seconds="abc")
    ended = run(tmp_path, programs, parts)
    assert ended.returncode == 2
    assert ended.stderr == f"gpu: {parts.folder}/10-part.sh:2: seconds: abc: a whole number is needed\n"


def test_what_cannot_be_used_is_one_clear_line(tmp_path, programs, parts, monkeypatch):
    parts("10-part", "exit 75")
    results = tmp_path / "results"
    goes = results / ".goes-10-part"

    def told(*options):
        ended = run(tmp_path, programs, parts, *options)
        assert ended.returncode == 1 and len(ended.stderr.splitlines()) == 1, ended.stderr
        return ended.stderr

    results.mkdir()
    (results / "10-part").write_text("of the user's own")
    assert told() == f"gpu: {results}/10-part/done: Not a directory\n"
    assert (results / "10-part").read_text() == "of the user's own"
    (results / "10-part").unlink()
    assert run(tmp_path, programs, parts).returncode == 75
    goes.write_text("junk\n")
    assert told() == f"gpu: {goes}: a number of goes is needed; --again 10-part begins anew\n"
    assert run(tmp_path, programs, parts, "--again", "10-part").returncode == 75
    goes.unlink()
    goes.symlink_to("/dev/full")
    assert told() == f"gpu: {goes}: No space left on device\n"
    (tmp_path / "path").mkdir()
    (tmp_path / "path/bash").symlink_to("/bin/bash")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert told() == "gpu: timeout: it is not in PATH, and parts are run by it\n"


def test_a_part_is_done_whose_output_nobody_reads_any_more_or_nothing_takes(tmp_path, programs, parts):
    parts("10-part", "seq 100000")
    call = " ".join(f"'{word}'" for word in command(tmp_path, programs, parts))
    ended = subprocess.run(["bash", "-c", f"{call} | head -n 2; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (141, "=== 10-part: the part 10-part\n1\n", "")
    assert (tmp_path / "results/10-part/done").exists()
    ended = subprocess.run(["bash", "-c", f"{call} >/dev/full"], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (1, "gpu: standard output: No space left on device\n")


@pytest.mark.parametrize("version", ["Python 3.6.8", None])
def test_an_older_python_is_told_in_a_line(tmp_path, version):
    (tmp_path / "dirname").symlink_to("/usr/bin/dirname")
    if version:
        (tmp_path / "python3").write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo {version} && exit\nexit 1\n')
        (tmp_path / "python3").chmod(0o755)
    ended = subprocess.run(["/bin/bash", SOURCE / "jobs/test.sh", "--gpu", "--help"], capture_output=True, text=True, timeout=60,
                           env={"PATH": str(tmp_path)})
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"gpu: it needs a python3 of 3.11 or newer in PATH; here is {version or 'none'}\n"


def test_help_tells_the_options_and_does_nothing(tmp_path, programs, parts):
    parts("10-part", "true")
    ended = run(tmp_path, programs, parts, "--help")
    assert ended.returncode == 0 and not (tmp_path / "results").exists()
    for word in ("--programs FOLDER", "--results FOLDER", "--seconds 480", "--only PART", "--again PART", "Exit codes: 0", "75 parts"):
        assert word in ended.stdout


def test_every_part_says_what_it_is_and_all_fit_into_their_time():
    parts = sorted((SOURCE / "jobs/gpu/parts").glob("[0-9]*.sh"))
    assert parts
    seconds = {}
    for part in parts:
        head = dict(line[2:].split(": ", 1) for line in part.read_text().splitlines()[:5] if line.startswith("# ") and ": " in line)
        assert head["what"], part.name
        seconds[part.name] = int(head["seconds"])
        assert ("trap : TERM" in part.read_text()) == (head.get("resumable") == "yes"), f"{part.name}: its program is left behind without"
    assert max(seconds.values()) <= 480
    assert sum(seconds.values()) <= 1160, "of the 20 minutes, some are for what takes longer than it says"


def test_without_a_gpu_it_says_so_and_which_parts_remain(tmp_path, programs):
    if subprocess.run("nvidia-smi -L | grep -q ^GPU", shell=True, stderr=subprocess.DEVNULL).returncode == 0:
        pytest.skip("this machine has a GPU")
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    ended = subprocess.run(
        ["bash", SOURCE / "jobs/test.sh", "--gpu", "--programs", programs, "--results", tmp_path / "results"],
        capture_output=True, text=True, timeout=60, env=environment,
    )
    assert ended.returncode == 0
    assert "skipped: no NVIDIA GPU" in ended.stdout and "parts that remain: 10-" in ended.stdout


def test_folders_are_meant_from_where_it_is_called(tmp_path, programs):
    ended = subprocess.run(["bash", SOURCE / "jobs/test.sh", "--gpu", "--programs", "programs", "--again", "none"],
                           capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert ended.returncode == 2 and "there is no such part" in ended.stderr, "behind the look at the programs"
    assert (tmp_path / "gpu-results").is_dir()


def test_a_case_of_the_results_is_written_as_a_campaign_of_its_own():
    agreement = importlib.import_module("ncu_agreement")
    campaign = tomllib.loads(agreement.campaign_of({"case": "validation/series/fp32/form=power/n=8/m=4096/g1/cuda13-sm_90a"}))
    assert campaign["schema"] == "plumbline-campaign/1" and campaign["passes"] == ["time"]
    assert campaign["counters"] == "none", "ncu and CUPTI do not count in one process"
    assert campaign["cases"] == [
        {"kernel": "validation/series", "precision": ["fp32"], "flavor": ["cuda13-sm_90a"], "team": [{"gpus": 1}],
         "params": {"form": "power", "n": 8, "m": 4096}}
    ]


def test_a_kernels_launch_is_held_against_the_sweep_of_its_case():
    kernel_agreement = importlib.import_module("kernel_agreement")
    process = {"kind": "process", "run": "counted", "status": "ok", "gpus": [{"status": "ok", "reason": None}]}
    levels = {"L1": {"bytes": 600}, "shared": {"bytes": None}, "L2": {"bytes": 300}, "mem": {"bytes": 90}}
    kernels = [{"kind": "kernel", "name": "fill", "launches": 1, "counted_launches": 1, "flops": 5, "levels": levels},
               {"kind": "kernel", "name": "series", "launches": 3, "counted_launches": 2, "flops": 12, "levels": levels},
               {"kind": "kernel", "name": "never", "launches": 3, "counted_launches": 0, "flops": None, "levels": {}}]
    theirs = kernel_agreement.of_one_launch({"rows": [*kernels, process], "notes": []})
    assert theirs == {"flops": 4, "levels": {"L1": {"bytes": 200}, "L2": {"bytes": 100}, "mem": {"bytes": 30}}}
    sweep = {"case": "a", "flops": 4, "levels": {"L1": {"bytes": 200}, "L2": {"bytes": 110}, "mem": {"bytes": 60}}}
    agrees = {line["what"]: line["agrees"] for line in kernel_agreement.compare(sweep, theirs)}
    assert agrees == {"flops": True, "L1": True, "L2": False, "mem": None}
    with pytest.raises(RuntimeError):
        kernel_agreement.of_one_launch({"rows": [process], "notes": ["no kernel was launched by itself"]})
    process["gpus"] = [{"status": "permission", "reason": "not for this user"}]
    with pytest.raises(kernel_agreement.NotAllowed):
        kernel_agreement.of_one_launch({"rows": [process], "notes": []})


def score_row(case, counter, measured):
    return {"case": case, "counter": counter, "quantity": counter.split()[-1], "convention": "flow", "measured": measured, "exact_lo": 0,
            "exact_hi": 10 * (measured or 1), "ratio": 1, "status": "ok"}


def test_what_was_counted_is_held_against_what_others_counted_and_never_arithmetic():
    agreement = importlib.import_module("ncu_agreement")
    dgemm = "validation/dgemm/fp64/n=1024/g1/cuda13-sm_90a"
    rows = [score_row(dgemm, "cupti flops.fp64", 100), score_row(dgemm, "cupti flops.fp32", 0),
            score_row(dgemm, "cupti l2.sectors", 12.3e6), score_row(dgemm, "cupti l2.crossbar", 99e6),
            score_row(dgemm, "static flops.fp64", 7), score_row("validation/dot/a", "cupti l1.bytes", 5)]
    found = agreement.counted({"rows": rows}, "validation/dgemm/fp64/")
    assert found["case"] == dgemm and agreement.amounts(found) == {"flops": 100, "L1": None, "L2": 12.3e6, "mem": None}
    assert agreement.counted({"rows": rows[-2:-1]}, "validation/dgemm/fp64/") is None, "what is not counted is not compared"


def judged(*, status="ok", counted=True):
    doctor = {"rows": [{"what": "counters by cupti", "status": status, "reason": "told"}]}
    row = score_row("a", "cupti flops.fp64" if counted else "static flops", 1)
    return importlib.import_module("counted").judge(doctor, {"rows": [row]})


def test_nothing_counted_is_a_failure_unless_this_user_is_refused_the_counters():
    assert judged()[0] == 0
    assert judged(counted=False)[0] == 4
    assert judged(status="unavailable", counted=False)[0] == 4 and "told" in judged(status="unavailable", counted=False)[1]
    assert judged(status="stolen")[0] == 4
    assert judged(status="permission", counted=False)[0] == 3
    assert importlib.import_module("counted").judge({"rows": []})[0] == 4


def test_the_reference_file_holds_what_parts_have_left_and_says_what_is_missing(tmp_path):
    results = tmp_path / "results"
    for part in ("10-facts", "40-validation"):
        (results / part).mkdir(parents=True)
    told = "Driver Version        : 580.1\n    Product Name      : NVIDIA H100\n    Serial : 12\n"
    (results / "10-facts/nvidia-smi.txt").write_text(told)
    score = {"counters": [{"counter": "flops.fp64", "grade": "A"}], "rows": [score_row("a", "cupti flops.fp64", 1)]}
    left = {"40-validation/score.json": score, "40-validation/show.json": {"rows": [{"case": "a", "seconds": 1.0}]},
            "40-validation/doctor.json": {"rows": [{"what": "counters by cupti", "status": "ok", "reason": None}]}}
    (results / "30-ceilings").mkdir()
    left["30-ceilings/ceilings.json"] = {"rows": [{"name": "HBM", "scope": "GPU", "status": "ok"}]}
    for name, document in left.items():
        (results / name).write_text(json.dumps(document))
    out = tmp_path / "reference.json"
    ended = subprocess.run([sys.executable, SOURCE / "jobs/gpu/reference.py", results, out], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "missing: parts, gpus, repeatability, kernels, ncu" in ended.stdout
    found = json.loads(out.read_text())
    assert found["gpu"] == {"Driver Version": "580.1", "Product Name": "NVIDIA H100"}
    assert [(one["counter"], one["grade"]) for one in found["counters"]] == [("flops.fp64", "A")] and found["kernels"] is None
    [ratio] = importlib.import_module("reference").load(out)["ratios"]
    assert ratio == {"counter": "cupti flops.fp64", "quantity": "flops.fp64", "case": "a", "measured": 1, "exact_lo": 0, "exact_hi": 10,
                     "ratio": 1}
    for name, document in (("40-validation/score.json", {**score, "rows": []}), ("30-ceilings/ceilings.json", {"rows": []}),
                           ("30-ceilings/ceilings.json", {"rows": [NOT_MEASURED]}), ("40-validation/show.json", {"rows": [NOT_TIMED]})):
        (results / name).write_text(json.dumps(document))
        ended = subprocess.run([sys.executable, SOURCE / "jobs/gpu/reference.py", results, out], capture_output=True, text=True)
        assert ended.returncode == 1, f"{name} is there and has nothing in it"
        (results / name).write_text(json.dumps(left[name]))


def test_judged_anew_the_tables_of_the_files_that_are_there_change_alone(tmp_path, capsys):
    reference = importlib.import_module("reference")
    kept = {"schema": "plumbline-gpu-reference/1", "ratios": None, "ceilings": [{"name": "former"}], "cases": [{"case": "former"}], "torch": [1]}
    (tmp_path / "reference.json").write_text(json.dumps(kept))
    plumbline = tmp_path / "plumbline"
    plumbline.write_text("""#!/bin/sh
echo '{"rows": [{"name": "now", "verdict": "confirmed"}], "gpus": []}'
[ "$1" = ceilings ] || exit 5
""")
    plumbline.chmod(0o755)
    (tmp_path / "ceilings.h5").touch()
    assert reference.judge_anew(plumbline, tmp_path) == 1 and "plumbline expect ended with 5" in capsys.readouterr().out
    assert json.loads((tmp_path / "reference.json").read_text()) == kept, "all or nothing"
    plumbline.write_text(plumbline.read_text().replace("exit 5", "exit 3"))  # of expect: something differs
    assert reference.judge_anew(plumbline, tmp_path) == 0
    now = json.loads((tmp_path / "reference.json").read_text())
    assert [row["name"] for row in now["ceilings"]] == ["now"] and now["cases"] == kept["cases"] and now["torch"] == [1]


def ceilings_of_a_process(path, **values):
    rows = [{"name": "L1 load", "scope": "core", "status": "ok", "value": 1.0, "precision": "-", "unit": "GB/s"}]
    for name, value in values.items():
        precision = "tensor.bf16" if name.startswith("tensor") else "-"
        row = {"name": name, "scope": "GPU", "status": "ok" if value else "unavailable", "value": value,
               "precision": precision, "unit": "GB/s"}
        rows.append(row)
    path.write_text(json.dumps({"rows": rows}))
    return path


def test_ceilings_of_processes_are_held_against_the_goal_of_their_kind(tmp_path):
    files = [
        ceilings_of_a_process(tmp_path / "1.json", same=100.0, differs=100.0, tensor=100.0, once=5.0),
        ceilings_of_a_process(tmp_path / "2.json", same=101.0, differs=103.0, tensor=103.0, once=None),
        ceilings_of_a_process(tmp_path / "3.json", same=100.5, differs=101.0, tensor=104.5, once=5.0),
    ]
    ended = subprocess.run(
        [sys.executable, SOURCE / "jobs/gpu/repeatability.py", tmp_path / "out.json", *files], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    rows = {row["name"]: row for row in found["rows"]}
    assert set(rows) == {"same", "differs", "tensor"} and found["not_in_all"] == ["once"] and found["processes"] == 3
    assert rows["differs"]["spread"] == pytest.approx(3 / 101) and rows["tensor"]["spread"] == pytest.approx(4.5 / 103)
    assert {name: row["met"] for name, row in rows.items()} == {"same": True, "differs": False, "tensor": False}
    assert rows["tensor"]["goal"] == 0.04 and rows["same"]["goal"] == 0.02
    assert "1 of 3 ceilings repeat within their goal" in ended.stdout


def test_nothing_to_compare_is_a_failure(tmp_path):
    file = ceilings_of_a_process(tmp_path / "1.json")
    ended = subprocess.run(
        [sys.executable, SOURCE / "jobs/gpu/repeatability.py", tmp_path / "out.json", file, file],
        capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1 and "0 of 0 ceilings" in ended.stdout
