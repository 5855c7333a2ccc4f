"""Several run the loops: the machine itself, two of Valgrind's tools, and ours in three modes."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from machine import ROOT
from programs import ProgramFailed, ending, last_words, output_of

SOURCE = pathlib.Path(__file__).with_name("loops.c")
# -O2 of gcc 12 vectorizes a little: the first is to be scalar.
FLAVORS = {"-O2 x86-64": ["-O2", "-fno-tree-vectorize", "-march=x86-64"], "-O3 x86-64-v3": ["-O3", "-march=x86-64-v3"]}
GEOMETRY = {"L1": "32768,8,64", "L2": "1048576,8,64", "L3": "33554432,16,64"}

VALGRIND = ["valgrind", "-q"]
OURS = [*VALGRIND, "--tool=plumbline", "--fair-sched=yes"]
CACHES = ["--caches=yes", *(f"--{level.lower()}={size}" for level, size in GEOMETRY.items())]
COMMANDS = {
    "native": [],
    "none": [*VALGRIND, "--tool=none"],
    "cachegrind": [*VALGRIND, "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null",
                   f"--I1={GEOMETRY['L1']}", f"--D1={GEOMETRY['L1']}", f"--LL={GEOMETRY['L3']}"],
    "counts": [*OURS, "--caches=no"],
    "caches": [*OURS, *CACHES],
    "outside": [*OURS, *CACHES, "--count-at-start=no"],
    "never": [*OURS, *CACHES, "--count-at-start=no"],
}
TOOLS = tuple(COMMANDS)


def valgrind_lib():
    """VALGRIND_LIB=folder, else that of a build."""
    named = os.environ.get("VALGRIND_LIB")
    for folder in [pathlib.Path(named)] if named else [ROOT / build / "lib" / "plumbline" / "valgrind" for build in ("build", "build-ci")]:
        if (folder / "plumbline-amd64-linux").exists():
            return folder
    raise ProgramFailed(f"there is no plumbline-amd64-linux in {named or 'build/lib/plumbline/valgrind'}; build it (cmake --preset release && "
                        "cmake --build build) or name its folder: VALGRIND_LIB=folder")


def compiler():
    found = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    if not found:
        raise ProgramFailed("there is no C compiler (gcc, cc or CC=path)")
    return found


class Bench:
    """The loops of each flavor, compiled into a folder, and the tools that run them."""

    def __init__(self, folder, seconds):
        if not shutil.which("valgrind"):
            raise ProgramFailed("valgrind was not found on PATH (Debian: apt-get install valgrind)")
        self.seconds, self.compiler = seconds, compiler()
        self.environment = dict(os.environ, VALGRIND_LIB=str(valgrind_lib()), LD_BIND_NOW="1")
        self.programs = {}
        for number, (flavor, flags) in enumerate(FLAVORS.items()):
            self.programs[flavor] = pathlib.Path(folder) / f"loops{number}"
            output_of([self.compiler, "-std=gnu11", *flags, "-ffp-contract=fast", "-pthread", f"-I{ROOT / 'harness' / 'emulator'}", SOURCE, "-o",
                       self.programs[flavor]], 120)

    def command(self, tool, flavor, loop):
        return [*COMMANDS[tool], str(self.programs[flavor]), str(self.seconds), loop, *(["outside"] if tool == "outside" else [])]

    def measure(self, tool, flavor, loop):
        """CPU seconds of one repetition."""
        said = output_of(self.command(tool, flavor, loop), 300, self.environment)
        try:
            return float(said)
        except ValueError as error:
            raise ProgramFailed(f"{tool}, {loop}: its output was not understood: {said.strip()!r}") from error

    def start_up(self, tool, flavor):
        """Seconds (CPU, wall) of a whole process that does nothing."""
        command, start = self.command(tool, flavor, "nothing"), time.monotonic()
        with tempfile.TemporaryFile("w+") as errors:
            child = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            if child.returncode != 0:
                raise ProgramFailed(f"{' '.join(command)}: {ending(child.returncode)}: {last_words(errors.read()) or 'no message'}")
        return used.ru_utime + used.ru_stime, time.monotonic() - start

    def versions(self):
        return {"compiler": output_of([self.compiler, "--version"], 30).splitlines()[0], "flags": FLAVORS,
                "valgrind": output_of(["valgrind", "--version"], 30).strip(), "tools": {tool: " ".join(words) for tool, words in COMMANDS.items()}}
