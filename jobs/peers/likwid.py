"""likwid-bench (Debian: likwid) as a peer: which of its tests says what, at which iterations, and what it printed."""

import re
import shutil

from programs import ProgramFailed, output_of

ABSENT = "SKIP likwid-bench: not installed (apt install likwid)"
# likwid-bench takes a second before it measures, so that short runs and more rounds cost the same.
RUN_SECONDS = 0.15

# Kind of test -> for each instruction set, widest first: (CPU flags it needs, name).
AVX512, FMA, AVX, SSE = {"avx512f"}, {"avx", "fma"}, {"avx"}, {"sse2"}
TESTS = {
    "fp64 fma": ((AVX512, "peakflops_avx512_fma"), (FMA, "peakflops_avx_fma")),
    "fp32 fma": ((AVX512, "peakflops_sp_avx512_fma"), (FMA, "peakflops_sp_avx_fma")),
    "fp64 mul+add": ((AVX512, "peakflops_avx512"), (AVX, "peakflops_avx"), (SSE, "peakflops_sse")),
    "load": ((AVX512, "load_avx512"), (AVX, "load_avx"), (SSE, "load_sse")),
    "NT store": ((AVX512, "store_mem_avx512"), (AVX, "store_mem_avx"), (SSE, "store_mem_sse")),
    "copy": ((AVX512, "copy_avx512"), (AVX, "copy_avx"), (SSE, "copy_sse")),
    "update": ((AVX512, "update_avx512"), (AVX, "update_avx"), (SSE, "update_sse")),
    "triad": ((AVX512, "stream_avx512"), (AVX, "stream_avx"), (SSE, "stream_sse")),
}


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

    def test_for(self, kind):
        """The widest test of this kind that is built in and that the CPU can run; None without one."""
        for needed, name in TESTS.get(kind, ()):
            if needed <= self.flags and name in self.tests:
                return name
        return None

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
    """{"seconds", "GFLOP/s", "GB/s"} of a run's output; None where one is missing."""
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
    """One test on one team: the best of the sizes it might be measured at, and iterations that last."""

    kind = "likwid"

    def __init__(self, likwid, test, unit, sizes, threads):
        self.likwid, self.test, self.unit, self.sizes, self.threads = likwid, test, unit, sizes, threads
        self.name = f"likwid-bench {test}"
        self.size = self.iterations = None

    def calibrate(self):
        best = -1.0
        for size in self.sizes:
            guess = max(2, round(0.02 * 20e9 * self.threads / size))
            probe = self.likwid.run(self.test, size, self.threads, guess)
            if probe[self.unit] > best:
                best, self.size, self.iterations = probe[self.unit], size, longer(guess, probe["seconds"])

    def measure(self):
        return self.likwid.run(self.test, self.size, self.threads, self.iterations)[self.unit]

    def command(self):
        return " ".join(map(str, ["likwid-bench", *self.likwid.command(self.test, self.size, self.threads, self.iterations)[1:]]))
