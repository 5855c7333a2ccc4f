"""CARM (carm-roofline of PyPI) as a peer: half a minute for each number, so measured once, for as many lines as fit into its time."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from machine import ROOT
from programs import ProgramFailed, output_of

SECONDS = 300  # for everything, the installation included
VENV = ROOT / "plumbline-out" / "peers" / "carm"
ISAS = (("avx512f", "x86_avx512"), ("avx2", "x86_avx2"), ("sse2", "x86_sse"))
# A line's `carm` names two things: what CARM is asked for, and the number of its answer in our unit.
ARITHMETIC = {"fma": "fma", "add": "add"}
LOADS_TO_STORES = {"load": "1:0", "store": "0:1", "copy": "1:1", "loads2store1": "2:1"}


class Carm:
    """`left()`: seconds of its time that are left; `reason`: why there is nothing (more) to be had of it, or None."""

    def __init__(self, flags, seconds=SECONDS, find=None):
        self.end = time.monotonic() + seconds
        self.isa = next((isa for flag, isa in ISAS if flag in flags), None)
        self.reason = None if self.isa else "CARM: no vector instructions that it knows"
        self.program = None
        if self.isa:
            try:
                self.program = (find or installed)(self.left)
            except (OSError, subprocess.SubprocessError, ProgramFailed) as error:
                self.reason = f"CARM: cannot be installed (pip install carm-roofline): {last_line(error)}"

    def version(self):
        """The version as pip names what lies beside the program; without number where it lies elsewhere."""
        beside = pathlib.Path(self.program).resolve().parents[1].glob("lib/python*/site-packages/carm_roofline-*.dist-info")
        return " ".join(["carm-roofline", *(folder.name.removesuffix(".dist-info").split("-", 1)[1] for folder in beside)][:2])

    def left(self):
        return self.end - time.monotonic()

    def measure(self, what, level, precision, threads):
        """A rate in GB/s or GFLOP/s; None where there is none, and `reason` then says why."""
        if self.program is None or (self.reason and self.left() <= 0):
            return None
        with tempfile.TemporaryDirectory(prefix="plumbline-carm-") as folder:
            try:
                output_of(self.command(what, level, precision, threads, folder), max(1, self.left()))
            except ProgramFailed as error:
                self.reason = f"CARM: no more after {SECONDS} s" if self.left() <= 0 else f"CARM: {error}"
                return None
            rate = rate_in([json.loads(line) for file in pathlib.Path(folder).rglob("benchmarks.jsonl") for line in file.read_text().splitlines()])
            if rate is None:
                self.reason = f"CARM: there is no rate that is known here in its answer to {what}, {level}"
            return rate

    def command(self, what, level, precision, threads, folder):
        asked = ["-t", "arithmetic", "--instruction", ARITHMETIC[what]] if level == "compute" else \
            ["-t", "memory", "-m", "DRAM" if level == "mem" else level, "--ld-st-ratio", LOADS_TO_STORES[what]]
        data = {"fp32": "f32"}.get(precision, "f64")
        return [self.program, "benchmark", *asked, "-i", self.isa, "-d", data, "--threads", threads, "--output-fmt", "jsonl", "--output-dir", folder,
                "--verbose", "0"]


def rate_in(answers):
    """The best rate of its answers: they name it by the kind of test."""
    rates = [answer.get("bandwidth_gbps") or answer.get("performance_gops") for answer in answers]
    return max((rate for rate in rates if rate), default=None)


def installed(left):
    """CARM=path, else the one on PATH, else one in a virtual environment of our own, made at first use."""
    named = os.environ.get("CARM") or shutil.which("carm") or (VENV / "bin" / "carm" if (VENV / "bin" / "carm").exists() else None)
    if named:
        return str(named)
    for command in ([sys.executable, "-m", "venv", VENV], [VENV / "bin" / "pip", "install", "--quiet", "carm-roofline"]):
        subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, timeout=max(1, left()))
    return str(VENV / "bin" / "carm")


def last_line(error):
    said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
    return said[-1] if said else type(error).__name__


class CarmPeer:
    """One line on one team: the same number in every round."""

    kind = "carm"

    def __init__(self, carm, line, threads):
        self.carm, self.line, self.threads = carm, line, threads
        self.name = "CARM"
        self.value = None

    def calibrate(self):
        self.value = self.carm.measure(self.line.carm, self.line.level, self.line.precision, self.threads)

    def measure(self):
        return self.value

    def command(self):
        if self.carm.program is None:
            return ""
        words = self.carm.command(self.line.carm, self.line.level, self.line.precision, self.threads, ".")
        return " ".join(map(str, ["carm", *words[1:]]))
