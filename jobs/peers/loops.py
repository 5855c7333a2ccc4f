"""stream_loops.c as a peer: plain OpenMP loops, compiled at first use for this CPU."""

import hashlib
import os
import pathlib
import shutil

from machine import ROOT
from programs import ProgramFailed, output_of

SOURCE = pathlib.Path(__file__).with_name("stream_loops.c")
FLAGS = ["-O3", "-march=native", "-fopenmp"]
RUN_SECONDS = 0.1


def compiled(cpu, folder=ROOT / "plumbline-out" / "peers"):
    """Path of the program, made anew where the source, the flags or the CPU are others than before."""
    compiler = os.environ.get("CC") or shutil.which("cc") or "cc"
    identity = hashlib.sha256(b"\n".join([SOURCE.read_bytes(), " ".join([compiler, *FLAGS, cpu]).encode()])).hexdigest()[:12]
    program = folder / f"stream_loops-{identity}"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = program.with_suffix(f".{os.getpid()}")
        output_of([compiler, *FLAGS, SOURCE, "-o", partial], 120)
        partial.rename(program)
    return program


def compiler_version():
    said = output_of([os.environ.get("CC") or "cc", "--version"], 30)
    return said.splitlines()[0] if said else "unknown"


def parse(text):
    """The best repetition's rate, as STREAM reports it."""
    words = text.split()
    if len(words) != 8 or words[2] != "best":
        raise ProgramFailed(f"stream_loops: its output was not understood: {text.strip()!r}")
    return float(words[3])


class LoopPeer:
    """One pattern on one team, at the best of some sizes. `kind`: "loop", or "libc" for memcpy and memset."""

    def __init__(self, program, pattern, sizes, threads, kind="loop"):
        self.kind = kind
        self.program, self.pattern, self.sizes, self.threads = program, pattern, sizes, threads
        self.name = f"{kind} {pattern}"
        self.size = None
        self.environment = dict(os.environ, OMP_PROC_BIND="close", OMP_PLACES="cores", OMP_DYNAMIC="false")

    def run(self, size, seconds):
        return parse(output_of([self.program, self.pattern, round(size), self.threads, seconds], 120, self.environment))

    def calibrate(self):
        self.size = self.sizes[0] if len(self.sizes) == 1 else max(self.sizes, key=lambda size: self.run(size, 0.02))

    def measure(self):
        return self.run(self.size, RUN_SECONDS)

    def command(self):
        return f"OMP_PROC_BIND=close OMP_PLACES=cores stream_loops {self.pattern} {round(self.size)} {self.threads} {RUN_SECONDS}"
