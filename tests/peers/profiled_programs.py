"""This script profiles programs by others with plumbline, and holds what it finds against what they and perf say.

    apt-get install fftw3-dev libsuperlu-dev libmumps-seq-dev gfortran petsc-dev libpetsc3.18-dev-examples scalapack-mpi-test hpcc gromacs \\
      povray graphicsmagick r-base-core python3-numpy linux-perf     # what is missing is left out, and named
    python3 -m venv jax && jax/bin/pip install jax
    PLUMBLINE_PYTHON_WITH_JAX=jax/bin/python PLUMBLINE=build/bin/plumbline python3 tests/peers/profiled_programs.py -o found.json

Each program runs under `plumbline profile`: its functions have shares of the time, FLOPs, bytes, bounds. FLOPs in the files that do its work
are held against what the program reports of itself, whose conventions may be others (`why`); shares of files and functions against those
of `perf record -e cpu-clock:u`, another run. Overhead: CPU time of the program, plain and sampled, in turn, and the sampler's own beside it.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "jobs" / "peers"), str(HERE)]
import in_turn  # noqa: E402
from command import end, positive, say  # noqa: E402
from ours import find_plumbline  # noqa: E402
from profiled import perf_shares  # noqa: E402
from profiled.programs import PROGRAMS, Missing  # noqa: E402
from programs import ProgramFailed, last_words  # noqa: E402

KEPT_FUNCTIONS = 6
KEPT = ("name", "object", "samples", "share", "share_lo", "share_hi", "seconds", "cores", "gflops", "flops", "bound", "percent_of_roof")


def started(words, folder, environment, seconds=1500):
    done = subprocess.run([str(word) for word in words], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=seconds, check=False)
    if done.returncode != 0:
        raise ProgramFailed(f"{words[0]}: exit code {done.returncode}: {last_words(done.stderr) or last_words(done.stdout)}")
    return done


def profiled(plumbline, ready, folder, environment, roofs):
    """The document and the end of a profile; without roofs nothing is bound, and no caches are simulated, which is faster."""
    out, caches = folder / "profile.json", "no" if roofs == "no" else "auto"
    done = started([plumbline, "profile", f"--roofs={roofs}", f"--caches={caches}", "--functions=12", "-o", out, "--", *ready.command], folder, environment)
    return json.loads(out.read_text()), done


def work(program, ready, folder, said, rows):
    """The program's own report of its work beside what was counted in its files."""
    if ready.reported is None:
        return None
    counted = sum(row["flops"] or 0 for row in rows if re.search(program.objects, perf_shares.file_of(row)))
    reported = ready.reported(said, folder)
    return {"reported": reported, "counted": counted, "beside": counted / reported - 1, "expected": list(program.beside), "why": program.why}


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


TIMED = ["bash", "-c", 'TIMEFORMAT="%U %S"; { time "$@" 2>/dev/null; } 2>"$0"']


def overhead(plumbline, ready, folder, environment, rounds):
    """CPU time of the program, plain and sampled, in turn, and their ratio: who else is at work disturbs it least. The sampler's own, which
    follows samples meanwhile and reads symbols afterwards, is what the whole command takes more (`beside`)."""
    told = folder / "cpu_seconds"
    ways = {"plain": [], "sampled": [plumbline, "profile", "--time-only", "--roofs=no", "--"]}
    times = {"plain": [], "sampled": [], "beside": []}
    for done in range(rounds):
        for way in (list(ways) if done % 2 == 0 else reversed(ways)):
            begin = cpu_seconds()
            started([*ways[way], *TIMED, told, *ready.command], folder, environment)
            whole, program = cpu_seconds() - begin, sum(map(float, told.read_text().split()))
            times[way].append(program)
            if way == "sampled":
                times["beside"].append(whole - program)
    ratios = [sampled / plain for sampled, plain in zip(times["sampled"], times["plain"])]
    return {way: in_turn.summary(all_of) for way, all_of in times.items()} | {"ratio": statistics.median(ratios)}


def one(plumbline, program, small, roofs, rounds, perf_missing):
    with tempfile.TemporaryDirectory(prefix=f"plumbline-{program.name}-") as name:
        folder = pathlib.Path(name)
        ready = program.prepare(folder, small)
        environment = dict(os.environ) | {key: str(value) for key, value in ready.environment.items()}
        document, done = profiled(plumbline, ready, folder, environment, roofs)
        rows = [row for row in document["rows"] if row["kind"] == "function"]
        (total,) = [row for row in document["rows"] if row["kind"] == "total"]
        found = {"program": program.name, "what": program.what, "seconds": total["seconds"], "samples": total["samples"], "flops": total["flops"],
                 "uncounted": sum(row["share"] for row in rows if row["flops"] is None),
                 "work": work(program, ready, folder, done.stdout, rows),
                 "functions": [{key: row[key] for key in KEPT} for row in rows[:KEPT_FUNCTIONS]], "notes": document["notes"],
                 "text": done.stderr}
        found["perf"] = {"skipped": perf_missing} if perf_missing else perf_shares.compared(
            rows, perf_shares.sampled(ready, folder, environment), total["samples"])
        if rounds:
            found["overhead"] = overhead(plumbline, ready, folder, environment, rounds)
        return found


def publishable(found):
    """The same without the folders of whoever ran it."""
    return json.loads(json.dumps(found).replace(f"{HERE.parents[1]}/", "").replace(str(pathlib.Path.home()), "~"))


def run(chosen):
    plumbline, busy, found, skipped = find_plumbline(), os.getloadavg()[0], [], []
    perf_missing = perf_shares.why_not()
    for program in PROGRAMS:
        if chosen.only and program.name not in chosen.only:
            continue
        say(f"{program.name}: {program.what}")
        try:
            found.append(one(plumbline, program, chosen.small, chosen.roofs, chosen.rounds, perf_missing))
            table = found[-1].pop("text")
            if chosen.tables:
                say(table)
        except (Missing, ProgramFailed, subprocess.TimeoutExpired) as missing:  # the others go on
            skipped.append({"program": program.name, "what": program.what, "why": str(missing)})
    return in_turn.kept("profiled_programs", busy, rounds=chosen.rounds, programs=publishable(found), skipped=skipped)


def text(found):
    shown = []
    for one_of in found["programs"]:
        shown.append(f"{one_of['program']}: {one_of['what']}; {one_of['samples']} samples, {one_of['flops']} FLOPs")
        if one_of["work"]:
            shown.append(f"  work: {one_of['work']['counted']:.4g} counted, {one_of['work']['reported']:.4g} reported ({one_of['work']['beside']:+.1%}; "
                         f"{one_of['work']['why']})")
        perf = one_of["perf"]
        shown.append(f"  perf: {perf['skipped']}" if "skipped" in perf else f"  perf ({perf['samples']} samples): files within "
                     f"{perf['largest_file_difference']:.1%}, functions within {perf['largest_function_difference']:.1%}; beyond chance: "
                     f"{', '.join(perf['differing']) or 'none'}")
        if "overhead" in one_of:
            shown.append(f"  sampling: {one_of['overhead']['ratio'] - 1:+.1%} of the program's CPU time, {one_of['overhead']['beside']['median']:.3f} s beside it")
        for row in one_of["functions"]:
            shown.append(f"    {row['share']:6.1%}  {row['name'][:60]:60} {row['bound'] or '-':8}")
    shown += [f"{one_of['program']}: SKIP: {one_of['why']}" for one_of in found["skipped"]]
    return "\n".join([*shown, *found["notes"]])


def main():
    parser = argparse.ArgumentParser(prog="profiled_programs.py", description="programs by others, profiled, beside what they and perf say")
    parser.add_argument("--only", nargs="+", choices=[program.name for program in PROGRAMS], help="these alone")
    parser.add_argument("--small", action="store_true", help="as small as for a test of some seconds")
    parser.add_argument("--roofs", default="auto", help="as for plumbline profile (preset: auto)")
    parser.add_argument("--tables", action="store_true", help="show each program's table as plumbline prints it")
    parser.add_argument("--rounds", type=int, default=5, help="of the plain and the sampled program, 0 for none (preset: 5)")
    parser.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, help="keeps everything that was found")
    chosen = parser.parse_args()
    return end("profiled_programs", lambda: run(chosen), chosen.output, text)


if __name__ == "__main__":
    sys.exit(main())
