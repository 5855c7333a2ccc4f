# SPDX-License-Identifier: BSD-3-Clause
"""Output goes where it may: what -o may replace and what it must write to as it is, and standard streams that are full or closed."""

import json
import os
import pathlib
import stat
import subprocess
import threading

import pytest

PLUMBLINE = os.environ["PLUMBLINE"]
KNOWN_RESULTS = os.environ["KNOWN_RESULTS"]
COUNTED = "PLUMBLINE_EMULATOR" in os.environ
FULL = "/dev/full"  # by redirection only: no program is given this name (a wrong one, run by root, would put a file there)


def run(command, **options):
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, PLUMBLINE=PLUMBLINE, PROFILE=f"{PLUMBLINE} profile --count-only --caches=no"), **options)


@pytest.fixture
def counted():
    if not COUNTED:
        pytest.skip("the Valgrind tool is not built")


def schema(text):
    return json.loads(text)["schema"]


def read_fifo(path):
    """Reads beside the writer what is written into it."""
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()), daemon=True)
    reader.start()
    return read, reader


def test_a_fifo_stays_and_its_reader_gets_the_document(tmp_path, counted):
    fifo = tmp_path / "fifo"
    read, reader = read_fifo(fifo)
    done = run(f"$PROFILE -o {fifo} -- true")
    assert done.returncode == 0, done.stderr
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    reader.join(timeout=30)
    assert schema(read[0]) == "plumbline-profile/1"


def full_device(tmp_path):
    device = tmp_path / "full"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        device.open("wb").close()
    except PermissionError:
        pytest.skip("a device can be made here by nobody but root")
    return device


def test_a_full_device_stays_and_is_told(tmp_path, counted):
    device = full_device(tmp_path)
    done = run(f"$PROFILE -o {device} -- true")
    assert done.returncode == 1
    assert f"cannot write {device}: No space left on device" in done.stderr
    assert stat.S_ISCHR(device.stat().st_mode)


@pytest.mark.parametrize("target_exists", [True, False])
def test_a_link_stays_and_what_it_names_is_written(tmp_path, counted, target_exists):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there/target.json"
    if target_exists:
        target.write_text("old")
    (tmp_path / "link").symlink_to("there/target.json")
    assert run(f"$PROFILE -o {tmp_path}/link -- true").returncode == 0
    assert (tmp_path / "link").is_symlink()
    assert schema(target.read_text()) == "plumbline-profile/1"
    assert [one.name for one in target.parent.iterdir()] == ["target.json"]


def test_a_descriptor_of_the_shell_is_written_to(tmp_path, counted):
    done = run("$PROFILE -o >(cat) -- true | cat")
    assert schema(done.stdout) == "plumbline-profile/1"


def test_standard_output_in_a_file_is_appended_to(tmp_path, counted):
    run(f"(echo before; $PROFILE -o /dev/fd/1 -- echo program; echo after) > {tmp_path}/all")
    before, program, *document, after = (tmp_path / "all").read_text().splitlines()
    assert (before, program, after) == ("before", "program", "after")
    assert schema("".join(document)) == "plumbline-profile/1"


@pytest.mark.parametrize("output, code, words", [(".", 2, "is a folder: name a file"), ("/dev/fd/77", 1, "cannot write /dev/fd/77"),
                                                 ("/dev/fd/0", 1, "cannot write /dev/fd/0")])
def test_what_cannot_be_written_is_told_before_the_program_runs(tmp_path, counted, output, code, words):
    done = run(f"$PROFILE -o {output} -- touch ran < /dev/null", cwd=tmp_path)
    assert done.returncode == code
    (line,) = done.stderr.strip().splitlines()
    assert words in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("more", ["2> " + FULL, "2>&-", "--json 2> " + FULL])
def test_a_table_that_nobody_gets_is_a_failure_and_costs_no_file(tmp_path, counted, more):
    out = tmp_path / "out.json"
    options, _, redirected = more.rpartition("2>")
    done = run(f"$PROFILE -o {out} {options} -- true 2>{redirected}")
    assert done.returncode == 1
    assert schema(out.read_text()) == "plumbline-profile/1"


def test_the_file_is_written_when_the_reader_of_the_tables_is_gone(tmp_path, counted):
    out = tmp_path / "out.json"
    run(f"$PROFILE -o {out} -- true 2> >(exec true); sleep 0")
    assert schema(out.read_text()) == "plumbline-profile/1"


def test_a_closed_stream_is_closed_for_the_program_too(tmp_path, counted):
    out = tmp_path / "out.json"
    done = run(f"$PROFILE -o {out} -- sh -c 'if (echo said >&2) 2>/dev/null; then exit 5; else exit 6; fi' 2>&-")
    native = run("sh -c 'if (echo said >&2) 2>/dev/null; then exit 5; else exit 6; fi' 2>&-")
    assert done.returncode == native.returncode
    assert schema(out.read_text()) == "plumbline-profile/1"


@pytest.mark.parametrize("words", ["doctor", "list kernels", "list counters --json", "list campaigns --csv", "--version", "doctor --help", "show FILE", "score FILE --json"])
@pytest.mark.parametrize("redirected", ["> " + FULL, ">&-"])
def test_output_that_is_lost_is_a_failure_of_one_line(tmp_path, words, redirected):
    results = tmp_path / "known.h5"
    subprocess.run([KNOWN_RESULTS, results], check=True)
    done = run(f"$PLUMBLINE {words.replace('FILE', str(results))} {redirected}")
    assert done.returncode == 1, done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("plumbline: cannot write to standard output: ")


@pytest.mark.parametrize("words", ["no-such-command", "show /nonexistent.h5", "profile", "run /nonexistent.toml"])
@pytest.mark.parametrize("redirected", ["2> " + FULL, "2>&-"])
def test_an_error_that_nobody_hears_has_its_exit_code(words, redirected):
    assert run(f"$PLUMBLINE {words} {redirected}").returncode == 2


def test_a_result_file_is_no_device_even_with_overwrite(tmp_path):
    campaign = pathlib.Path(__file__).parents[1] / "faults/campaigns/small.toml"
    os.mkfifo(tmp_path / "fifo")
    done = run(f"$PLUMBLINE run {campaign} --overwrite -o {tmp_path}/fifo")
    assert done.returncode == 2
    assert "is a device or a FIFO" in done.stderr
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)


@pytest.mark.parametrize("words", ["quick -o $'\\xff\\xfe.h5'", "$'\\xff.toml'"])
def test_a_name_that_is_no_text_is_refused_in_one_line(tmp_path, words):
    done = run(f"cd {tmp_path} && $PLUMBLINE run --dry-run {words} 2>&1 | iconv -f latin1; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == 2 and "UTF-8" in done.stdout and len(done.stdout.splitlines()) == 1, done.stdout
