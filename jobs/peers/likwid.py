"""likwid-bench (Debian: likwid) as a peer: the best of all its tests of a kind, at which iterations, and what it printed."""

import re
import shutil

from programs import ProgramFailed, output_of

ABSENT = "SKIP likwid-bench: not installed (apt install likwid)"
# likwid-bench takes a second before it measures, so that short runs and more rounds cost the same.
RUN_SECONDS = 0.15

# Kind of test -> which of likwid-bench's tests are of it: every instruction set, addressing and way to store. ("_sp": single precision;
# "stream" is a = b * s + c with a constant, "triad" has a fourth array, "daxpy" updates; "_mem" stores past the caches.)
ISAS = r"(_sse|_avx|_avx512)?(_fma)?"
TESTS = {
    "fp64 fma": r"peakflops(_avx512|_avx)_fma",
    "fp32 fma": r"peakflops_sp(_avx512|_avx)_fma",
    "fp64 mul+add": r"peakflops(_sse|_avx|_avx512)?",
    "load": r"load(_mem)?(_sse|_avx|_avx512)?",
    "NT store": r"store_mem" + ISAS,
    "store": r"store(_mem)?" + ISAS,
    "store in caches": r"store" + ISAS,
    "copy in caches": r"copy" + ISAS,
    "copy": r"copy(_mem)?" + ISAS,
    "update": r"update" + ISAS,
    "triad": r"stream(_mem)?" + ISAS,
    "triad in caches": r"stream" + ISAS,
}
# What the endings need of the CPU.
NEEDS = (("_avx512", {"avx512f"}), ("_avx", {"avx"}), ("_sse", {"sse2"}), ("_fma", {"fma"}))


def needed_by(test):
    """CPU flags; without an ending a test is scalar SSE2."""
    needed = {"sse2"}
    for ending, flags in NEEDS:
        if re.search(ending + r"(_|$)", test):
            needed |= flags
    return needed


class Likwid:
    """The program found on PATH."""

    def __init__(self, flags, threads_per_core):
        self.program = shutil.which("likwid-bench")
        self.version = None
        self.flags = flags
        self.stride = f":1:{threads_per_core}" if threads_per_core > 1 else ""
        self.tests = set()
        if self.program:
            self.tests = set(tests_listed(output_of([self.program, "-a"], 30)))
            said = re.search(r"Version\s+(\S+)", output_of([self.program, "-h"], 30))
            self.version = said.group(1) if said else "unknown"

    def tests_for(self, kind):
        """All tests of this kind that are built in and that the CPU can run, by name."""
        wanted = TESTS.get(kind)
        return [] if wanted is None else [test for test in sorted(self.tests) if re.fullmatch(wanted, test) and needed_by(test) <= self.flags]

    def command(self, test, size_bytes, threads, iterations):
        """-W: each thread allocates its own part. Threads on cores of their own."""
        return [self.program, "-t", test, "-W", f"N:{max(1, round(size_bytes / 1000))}kB:{threads}{self.stride}", "-i", iterations]

    def run(self, test, size_bytes, threads, iterations):
        command = self.command(test, size_bytes, threads, iterations)
        result = parse(output_of(command, 120))
        if result is None:
            raise ProgramFailed(f"{' '.join(map(str, command))}: there is no rate in its output")
        return result


def tests_listed(text):
    return [line.split(" - ")[0].strip() for line in text.splitlines() if " - " in line]


def parse(text):
    """Values "seconds", "GFLOP/s" and "GB/s" of a run's output; None where one is missing."""
    numbers = {}
    for key, label in (("seconds", "Time"), ("GFLOP/s", "MFlops/s"), ("GB/s", "MByte/s")):
        found = re.search(rf"^{re.escape(label)}:\s+([0-9.eE+-]+)", text, re.MULTILINE)
        if found is None:
            return None
        numbers[key] = float(found.group(1)) * (1 if key == "seconds" else 1e-3)
    return numbers


def longer(iterations, seconds, wanted=RUN_SECONDS):
    """Iterations that take the wanted time, given what some took."""
    return max(2, round(iterations * wanted / max(seconds, 1e-6)))


class LikwidPeer:
    """The tests of a kind on one team: the best of them at the best of the sizes it might be measured at, and iterations that last."""

    kind = "likwid"
    contenders = 2  # that are tried at all sizes: a run takes a second before it measures

    def __init__(self, likwid, tests, unit, sizes, threads):
        self.likwid, self.tests, self.unit, self.sizes, self.threads = likwid, tests, unit, sizes, threads
        self.test, self.size, self.iterations = tests[0], None, None
        self.tried = {}  # what each test reached while the best was looked for, at its best size; None: it crashed (5.2.2's stream_mem does)

    @property
    def name(self):
        return f"likwid-bench {self.test}"

    def calibrate(self):
        found = {}
        for test in self.tests:
            self.probe_into(found, test, self.sizes[0])
        if not found:
            raise ProgramFailed(self.failure)
        best = sorted((test for test, _ in found), key=lambda test: -found[test, self.sizes[0]][0])[:self.contenders]
        for test in best:
            for size in self.sizes[1:]:
                self.probe_into(found, test, size)
        self.tried = {test: max((rate for (of, _), (rate, _) in found.items() if of == test), default=None) for test in self.tests}
        self.test, self.size = max(found, key=lambda one: found[one][0])
        self.iterations = found[self.test, self.size][1]

    def probe_into(self, found, test, size):
        """One test's crash does not end the session."""
        try:
            found[test, size] = self.probe(test, size)
        except ProgramFailed as error:
            self.failure = str(error)

    def probe(self, test, size):
        """The rate, and the iterations that last."""
        guess = max(2, round(0.02 * 20e9 * self.threads / size))
        probe = self.likwid.run(test, size, self.threads, guess)
        return probe[self.unit], longer(guess, probe["seconds"])

    def measure(self):
        return self.likwid.run(self.test, self.size, self.threads, self.iterations)[self.unit]

    def command(self):
        return " ".join(map(str, ["likwid-bench", *self.likwid.command(self.test, self.size, self.threads, self.iterations)[1:]]))
