"""Counts by Nsight Compute beside ours: ncu_agreement.py PLUMBLINE SCORE.json FOLDER

Some cases of SCORE.json (what `plumbline score gpu_validation.h5 --json` printed: each counter's amount for each case, beside the exact one,
which plays no part here) run once more, each alone under ncu, which counts the second
launch of its kernel; `plumbline import ncu` reads what it wrote. Prints a table, leaves FOLDER/agreement.json. Exit 1 where FLOPs differ at
all, or L1 or L2 bytes by more than 3 %. Bytes of memory are printed beside each other only: they depend on what L2 held before.
Exit 77 where this user may not read the counters.
"""

import json
import pathlib
import subprocess
import sys

import limited
from counted import obstacle

SECONDS = 40  # of a case at most: one that hangs shall not cost the others

# A case of each kind, by what its id begins with.
CASES = [
    "validation/series/fp64/form=loop/n=29/m=4096/",
    "validation/series/fp32/form=power/n=8/m=4096/",
    "validation/triad/fp64/n=16000000/",
    "validation/stencil7/fp64/",
    "validation/dgemm/fp64/",
]
TOLERANCE = {"flops": 0.0, "L1": 0.03, "L2": 0.03}
METRICS = [
    f"sm__sass_thread_inst_executed_op_{precision}{kind}_pred_on.sum" for precision in "df" for kind in ("add", "mul", "fma")
] + ["gpu__time_duration.sum", "l1tex__t_bytes.sum", "lts__t_sectors_srcunit_tex.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"]


# What our counts are: those counters of the chip's table whose metrics ncu and the profile are asked for too, summed.
COUNTERS = {
    "flops": ("cupti flops.fp64", "cupti flops.fp32"),
    "L1": ("cupti l1.bytes",),
    "L2": ("cupti l2.sectors",),
    "mem": ("cupti mem.bytes",),
}


def counted(score, begin):
    """The first case of that beginning with what was counted of it, None for what was not; None where there is no such case."""
    rows = [row for row in score["rows"] if row["case"].startswith(begin) and row["counter"].startswith("cupti ") and row["convention"] == "flow"]
    if not rows:
        return None
    case = rows[0]["case"]
    measured = {row["counter"]: row["measured"] for row in rows if row["case"] == case}
    amounts_here = {name: sum_of([measured.get(counter) for counter in counters]) for name, counters in COUNTERS.items()}
    return {"case": case, "flops": amounts_here.pop("flops"), "levels": {name: {"bytes": bytes_} for name, bytes_ in amounts_here.items()}}


def sum_of(numbers):
    """The sum of those that were counted; None where none was."""
    there = [number for number in numbers if number is not None]
    return sum(there) if there else None


def campaign_of(row):
    """A campaign of that case alone, which counts nothing itself: a GPU's counters are one profiler's at a time. Of its id SUITE/KERNEL/PRECISION/p=v/.../g1/FLAVOR each part is a line."""
    suite, kernel, precision, *parameters, team, flavor = row["case"].split("/")
    assert team == "g1", row["case"]
    values = ", ".join(f"{name} = {value if value.isdigit() else json.dumps(value)}" for name, value in (p.split("=", 1) for p in parameters))
    return f"""schema = "plumbline-campaign/1"
name = "under_ncu"
passes = ["time"]
counters = "none"
[timing]
min_seconds = 0.00001
max_repetitions = 5
[[cases]]
kernel = "{suite}/{kernel}"
precision = ["{precision}"]
flavor = ["{flavor}"]
team = [{{gpus = 1}}]
params = {{{values}}}
"""


def under_ncu(plumbline, row, folder):
    """Row of `show` for the one launch that ncu counted; throws where a step failed."""
    folder.mkdir(parents=True, exist_ok=True)
    campaign = folder / "case.toml"
    campaign.write_text(campaign_of(row))
    profiled = limited.run(
        ["ncu", "--target-processes", "all", "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw", "--launch-skip", "1", "--launch-count", "1",
         "--metrics", ",".join(METRICS), plumbline, "run", campaign, "-o", folder / "case.h5", "--overwrite"],
        limited.limit(SECONDS),
    )
    lines = profiled.stdout.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if profiled.returncode != 0 or first is None:
        raise RuntimeError(f"ncu ended with {profiled.returncode}: {(profiled.stderr or profiled.stdout).strip().splitlines()[-1:]}")
    (folder / "ncu.csv").write_text("\n".join(lines[first:]) + "\n")
    subprocess.run([plumbline, "import", "ncu", folder / "ncu.csv", "-o", folder / "ncu.h5", "--overwrite"], check=True, capture_output=True)
    shown = subprocess.run([plumbline, "show", folder / "ncu.h5", "--json"], check=True, capture_output=True, text=True)
    rows = json.loads(shown.stdout)["rows"]
    if len(rows) != 1:
        raise RuntimeError(f"{len(rows)} kernels imported where one was counted")
    return rows[0]


def amounts(row):
    levels = row["levels"] or {}
    return {"flops": row["flops"], **{name: levels.get(name, {}).get("bytes") for name in ("L1", "L2", "mem")}}


def is_refused(doctor):
    """Whether the counters were refused to this user, by what part 40 left."""
    found = obstacle(json.loads(doctor.read_text())) if doctor.exists() else None
    return found is not None and found[0] == "permission"


def keep(folder, table):
    """Leaves the table as far as it is known, for what comes next may hang."""
    (folder / "agreement.json").write_text(json.dumps(table, indent=1) + "\n")


def told(table, failures):
    """Says in the last line how much agrees and what does not; the exit code, 0 where all that was compared does, and something was."""
    judged = [line for line in table if line["agrees"] is not None]
    apart = [f"{line['case']} {line['what']}" for line in judged if not line["agrees"]]
    words = [f"{len(judged) - len(apart)} of {len(judged)} amounts agree" if judged else "nothing was compared"]
    words += [f"apart: {', '.join(apart)}"] if apart else []
    words += [f"{len(failures)} failed, the last: {failures[-1]}"] if failures else []
    print("; ".join(words))
    return 1 if apart or failures or not judged else 0


def main():
    plumbline, score, folder = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text()), pathlib.Path(sys.argv[3])
    if is_refused(pathlib.Path(sys.argv[2]).with_name("doctor.json")):
        print("this user is refused the GPU's counters, so that there are no counts to hold ncu's against")
        return 77
    table, failures = [], []
    for number, begin in enumerate(CASES):
        row = counted(score, begin)
        if row is None:
            print(f"{begin}: no such case was counted")
            continue
        try:
            theirs, ours = amounts(under_ncu(plumbline, row, folder / str(number))), amounts(row)
        except (RuntimeError, subprocess.CalledProcessError) as failure:
            failures.append(f"{row['case']}: {failure}")
            print(failures[-1])
            continue
        for name, ncu in theirs.items():
            ratio = ncu / ours[name] if ncu is not None and ours[name] else None
            agrees = None if ratio is None or name not in TOLERANCE else abs(ratio - 1) <= TOLERANCE[name]
            table.append({"case": row["case"], "what": name, "ours": ours[name], "ncu": ncu, "ratio": ratio, "agrees": agrees})
            keep(folder, table)
            words = {True: "", False: "  APART", None: "  (beside each other only)"}[agrees]
            print(f"{row['case']:70} {name:6} ours {ours[name]} ncu {ncu} ratio {'-' if ratio is None else f'{ratio:.5f}'}{words}")
    keep(folder, table)
    return told(table, failures)


if __name__ == "__main__":
    sys.exit(main())
