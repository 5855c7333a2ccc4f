"""The commands that the pages show: each block is run here, by a test that it names, or says why not; none has a word that the program does not know.

A line before each block of commands says which: <!-- run -->, <!-- run by FILE FILE ...; remark --> or <!-- not run: why -->.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUMBLINE = pathlib.Path(os.environ["PLUMBLINE"])
sys.path.insert(0, str(ROOT / "jobs/docs"))
from gather import files_of  # noqa: E402

PAGES = [ROOT / name for name in sorted(files_of(ROOT)) if name.endswith(".md")]
BLOCK = re.compile(r"^([^\n]*)\n *```sh\n(.*?)\n *```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r" *<!-- (?:(run)|run by ([^;]*?)(?:; .*)?|not run: (.+)) -->")
# A small campaign in place of those that pages measure for minutes.
CAMPAIGN = """
schema = "plumbline-campaign/1"
counters = "auto"
oversubscribe = true
[timing]
min_seconds = 0.001
max_repetitions = 5
[[cases]]
kernel = "validation/triad"
precision = "fp64"
flavor = "gcc-O3-v3"
team = [{ ranks = 1, threads = 1 }]
params = { n = [1000, 8000, 20000, 30000] }
"""


def blocks():
    return [(page.relative_to(ROOT), *match.groups()) for page in PAGES for match in BLOCK.finditer(page.read_text())]


def described():
    """The program's commands, each with its options and those of the commands above it."""
    page = subprocess.run([PLUMBLINE, "manual", "--markdown"], capture_output=True, text=True, check=True).stdout
    return {
        section.split("\n", 1)[0]: set(re.findall(r"(?<![\w-])--?[a-z][a-z_-]*", "\n".join(re.findall(r"^\| ((?:\\\||[^|])*) \|", section, re.MULTILINE))))
        for section in re.split(r"^## plumbline ", page, flags=re.MULTILINE)[1:]
    }


KNOWN = described()


def test_every_block_says_what_runs_it():
    assert len(blocks()) > 10
    for page, before, text in blocks():
        mark = MARK.fullmatch(before)
        assert mark, f"{page}: no line before the block says what runs it:\n{text}"
        for name in (mark[2] or "").split():
            assert (ROOT / name).is_file(), f"{page}: there is no {name}"
        tests = "".join((ROOT / name).read_text() for name in (mark[2] or "").split())
        if mark[2]:
            for command in re.findall(r"(?<![\w/])(?:build/bin/)?plumbline ([a-z]+)", text):
                assert command in tests, f"{page}: none of {mark[2]} runs plumbline {command}"


def test_no_page_names_a_command_or_an_option_that_there_is_not():
    checked = 0
    for page in PAGES:
        for words in re.findall(r"(?:^|[`\s/])plumbline ((?:[a-z|]+)(?: [^`\n]*)?)", page.read_text()):
            words = re.split(r" -- | #|[;&]| \| |\"", words)[0].split()
            for first in words[0].split("|"):
                if first not in KNOWN:
                    continue  # prose
                command = f"{first} {words[1]}" if len(words) > 1 and f"{first} {words[1]}" in KNOWN else first
                known = KNOWN[first] | KNOWN[command] | {"--help"}
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", " ".join(words[1:])):
                    assert first == "bench" or option in known, f"{page.relative_to(ROOT)}: plumbline {command} knows no {option}"
                    checked += 1
    assert checked > 40


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """A folder that looks like a clone in which the program is built, with a small campaign in place of the quick one, and two nights."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "build/bin").mkdir(parents=True)
    (folder / "build/bin/plumbline").write_text(f'#!/bin/sh\nexec "{PLUMBLINE}" "$@"\n')
    (folder / "build/bin/plumbline").chmod(0o755)
    (folder / "jobs/campaigns").mkdir(parents=True)
    for name in ("jobs/campaigns/quick.toml", "night.toml"):
        (folder / name).write_text(CAMPAIGN)
    (folder / "nights").mkdir()
    for name, again in (("nights/2026-11-20.h5", "old.h5"), ("nights/2026-11-21.h5", "new.h5")):
        subprocess.run([PLUMBLINE, "run", "night.toml", "-o", name], cwd=folder, check=True, capture_output=True, timeout=300)
        shutil.copy(folder / name, folder / again)
    return folder


RUN_HERE = [(str(page), text) for page, before, text in blocks() if before.strip() == "<!-- run -->"]


@pytest.mark.parametrize(("page", "text"), RUN_HERE, ids=[page for page, _ in RUN_HERE])
def test_blocks_that_run_here(page, text, workshop):
    if "mpiexec.mpich" in text:
        if not os.environ.get("MPIEXEC"):
            pytest.skip("the program was built without MPI")
        text = text.replace("mpiexec.mpich", os.environ["MPIEXEC"])
    if ("--count-only" in text or "--choose" in text) and not os.environ.get("EMULATOR"):
        pytest.skip("the program was built without the emulator: nothing counts")
    if "python3 -c" in text and subprocess.run(["/usr/bin/python3", "-c", "import numpy"], capture_output=True).returncode:
        pytest.skip("python3-numpy is not installed")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE")}
    environment["PATH"] = f"{workshop}/build/bin:{environment['PATH']}"
    done = subprocess.run(["bash", "-euc", text], cwd=workshop, env=environment, capture_output=True, text=True, timeout=300)
    if "report" in text and "h5py" in done.stderr and shutil.which("python3"):
        pytest.skip("Python has no h5py, matplotlib and pandas: no figures")
    assert done.returncode == 0, f"{page}\n{text}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
