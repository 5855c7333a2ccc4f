"""Every test here needs these: the program under test, a launcher, campaigns, and a look at what a run left behind.

The program and its launcher come from the environment: PLUMBLINE (the binary) and PLUMBLINE_MPIEXEC.
"""

import collections
import json
import os
import pathlib
import signal
import struct
import subprocess
import time
import uuid
import zlib

import h5py
import numpy
import pytest

CAMPAIGNS = pathlib.Path(__file__).resolve().parent / "campaigns"

Ended = collections.namedtuple("Ended", "code out err")


class Run:
    """A started command and everything that descends from it, wherever it went: found by a mark in its environment."""

    def __init__(self, command, environment=None, **options):
        self.mark = f"PLUMBLINE_FAULT_MARK={uuid.uuid4()}"
        name, value = self.mark.split("=")
        environment = dict(os.environ if environment is None else environment, **{name: value})
        self.process = subprocess.Popen(
            [str(word) for word in command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )

    def processes(self):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if self.mark.encode() in (entry / "environ").read_bytes():
                        found.append(int(entry.name))
                except OSError:
                    pass  # gone meanwhile, or a zombie
        return found

    def kill(self):
        """SIGKILL for all, until none is left."""
        end = time.monotonic() + 20
        while pids := self.processes():
            assert time.monotonic() < end, f"{pids} survive SIGKILL"
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)

    def finish(self, seconds):
        try:
            out, err = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            out, err = self.process.communicate()
            pytest.fail(f"no end within {seconds} s: {self.process.args}\n{out[-2000:]}\n{err[-2000:]}")
        return Ended(self.process.returncode, out, err)


class Plumbline:
    def __init__(self, program, mpiexec):
        self.program = program
        self.mpiexec = mpiexec

    def start(self, *arguments, ranks=0, **options):
        """Starts the program; with ranks, under mpiexec."""
        return self.start_program(self.program, *arguments, ranks=ranks, **options)

    def start_program(self, program, *arguments, ranks=0, **options):
        """Starts another program, one that may start this one."""
        launcher = [self.mpiexec, "-n", ranks] if ranks else []
        return Run([*launcher, program, *arguments], **options)

    def __call__(self, *arguments, seconds=240, **options):
        return self.start(*arguments, **options).finish(seconds)


@pytest.fixture(scope="session")
def plumbline():
    program, mpiexec = os.environ.get("PLUMBLINE"), os.environ.get("PLUMBLINE_MPIEXEC")
    assert program and mpiexec, "set PLUMBLINE to the program under test and PLUMBLINE_MPIEXEC to its launcher"
    return Plumbline(program, mpiexec)


class Written:
    """A campaign file made from the plain one by edits, and where its lines are."""

    def __init__(self, path, text):
        self.path = path
        self.lines = text.splitlines()
        path.write_text(text)

    def position(self, word):
        """Line and column, from 1, at which a word stands."""
        for number, line in enumerate(self.lines, 1):
            if word in line:
                return number, line.index(word) + 1
        raise AssertionError(f"{word} is not in {self.path}")


@pytest.fixture
def campaign(tmp_path):
    """campaign(NAME, OLD=NEW...): campaigns/NAME.toml with pieces of text replaced, written into the test's folder."""

    def write(name, *edits):
        text = (CAMPAIGNS / f"{name}.toml").read_text()
        for old, new in edits:
            assert text.count(old) == 1, f"{old!r} is not once in {name}.toml"
            text = text.replace(old, new)
        return Written(tmp_path / f"{name}.toml", text)

    return write


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


@pytest.fixture
def refused():
    """refused(ENDED, CODE, WORD...): it ended with that code and exactly one line on stderr, which has all the words."""

    def check(ended, code, *words):
        assert ended.code == code, f"exit code {ended.code}, not {code}\n{ended.out}\n{ended.err}"
        lines = lines_of(ended.err)
        assert len(lines) == 1, f"{len(lines)} lines on stderr, not one:\n{ended.err}"
        for word in words:
            assert word in lines[0], f"{word!r} is not in: {lines[0]}"
        return lines[0]

    return check


def plain(value):
    return value.decode() if isinstance(value, bytes) else value


class Store:
    """The tables of a result file as lists of dictionaries."""

    def __init__(self, path):
        with h5py.File(path) as file:
            assert plain(file.attrs["schema"]) == "plumbline/1"
            self.provenance = json.loads(plain(file.attrs["provenance"]))
            for name in ("cases", "outcomes", "times", "counts", "model", "ceilings"):
                setattr(self, name, self.rows(file[name]))

    @staticmethod
    def rows(dataset):
        table = dataset[:]
        names = table.dtype.names
        columns = [[plain(v) for v in table[n].tolist()] if table.dtype[n].kind in "SO" else table[n].tolist() for n in names]
        return [dict(zip(names, values)) for values in zip(*columns)]

    def finished(self):
        return {(o["case"], o["pass"], o["node"]): o for o in self.outcomes}

    def team(self, case):
        row = next(c for c in self.cases if c["id"] == case)
        return row["ranks"], row["threads"]


def journal_outcomes(store):
    """The outcome of every whole record in the journal beside a store, file by file: read by the format's words alone."""
    found = []
    folder = pathlib.Path(str(store).removesuffix(".h5") + ".journal")
    for path in sorted(folder.glob("[!.]*")) if folder.is_dir() else []:
        data = path.read_bytes()
        at = 0
        while at + 8 <= len(data):
            length, crc = struct.unpack_from("<II", data, at)
            payload = data[at + 8 : at + 8 + length]
            if len(payload) < length or zlib.crc32(payload) != crc:
                break
            at += 8 + length
            record = json.loads(payload)
            if "outcome" in record:
                found.append(record["outcome"])
    return found


def journal_records(store):
    """The (case, pass, node) -> session of every finished unit in the journal beside a store."""
    return {(o["case"], o["pass"], o["node"]): o["session"] for o in journal_outcomes(store) if o["status"] != "failed"}


def finished_on_disk(store):
    """Everything that is finished in journal and result file together: what a kill must not take away."""
    found = journal_records(store)
    if pathlib.Path(store).exists():
        found.update({key: outcome["session"] for key, outcome in Store(store).finished().items()})
    return found


def same_number(left, right):
    return left == right or (numpy.isnan(left) and numpy.isnan(right))
