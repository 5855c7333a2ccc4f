"""Counts by `plumbline profile --gpu` beside those of `plumbline run`: kernel_agreement.py PLUMBLINE SCORE.json FOLDER

Some cases of ncu_agreement.py run once more, each alone, as a program that is profiled from outside: its kernel's first launches, counted by
CUPTI's kernel replay, are held against what SCORE.json has as counted for a sweep (user replay of the region). Prints a table, leaves
FOLDER/agreement.json. Exit 1 where FLOPs differ at all, or L1 or L2 bytes by more than 3 %; bytes of memory are printed beside each other only.
Exit 77 where this user may not read the counters.
"""

import json
import pathlib
import sys

import limited
from ncu_agreement import CASES, TOLERANCE, amounts, campaign_of, counted, keep, told

SECONDS = 25  # of a case at most

LAUNCHES = 3
FEW = ("validation/series/fp64/", "validation/triad/", "validation/dgemm/")  # one bound by each: arithmetic, memory, L1


class NotAllowed(Exception):
    """The counters are refused to this user."""


def require_permission(document):
    """Throws NotAllowed where the counters were refused to this user in a profile's counted run, RuntimeError where nothing was counted."""
    processes = [row for row in document["rows"] if row["kind"] == "process" and row["run"] == "counted"]
    refused = [one["reason"] for process in processes for one in [process, *process["gpus"]] if one["status"] == "permission"]
    if refused:
        raise NotAllowed(refused[0])
    if not processes:
        raise RuntimeError(f"no process was counted: {document['notes']}")


def of_one_launch(document):
    """FLOPs and bytes of a launch of the kernel of most FLOPs, as `show` has them; throws where none was counted."""
    require_permission(document)
    kernels = [row for row in document["rows"] if row["kind"] == "kernel" and row["counted_launches"]]
    if not kernels:
        raise RuntimeError(f"no kernel was counted: {document['notes']}")
    kernel = max(kernels, key=lambda row: row["flops"] or 0)
    n = kernel["launches"]
    levels = {name: {"bytes": level["bytes"] / n} for name, level in kernel["levels"].items() if level["bytes"] is not None}
    return {"flops": kernel["flops"] / n, "levels": levels}


def profiled(plumbline, row, folder):
    folder.mkdir(parents=True, exist_ok=True)
    campaign, out = folder / "case.toml", folder / "profile.json"
    campaign.write_text(campaign_of(row))
    ended = limited.run(
        [plumbline, "profile", "--gpu", "--count-only", "--launches", str(LAUNCHES), "-o", out, "--",
         plumbline, "run", campaign, "-o", folder / "case.h5", "--overwrite"],
        limited.limit(SECONDS),
    )
    if not out.exists():
        raise RuntimeError(f"profile ended with {ended.returncode}: {ended.stderr.strip().splitlines()[-1:]}")
    return of_one_launch(json.loads(out.read_text()))


def compare(row, theirs):
    """A line of the table for each amount."""
    ours = amounts(row)
    for name, replayed in amounts(theirs).items():
        ratio = replayed / ours[name] if replayed is not None and ours[name] else None
        agrees = None if ratio is None or name not in TOLERANCE else abs(ratio - 1) <= TOLERANCE[name]
        yield {"case": row["case"], "what": name, "run": ours[name], "profile": replayed, "ratio": ratio, "agrees": agrees}


def main():
    plumbline, score, folder = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text()), pathlib.Path(sys.argv[3])
    table, failures = [], []
    for number, begin in enumerate(case for case in CASES if case.startswith(FEW)):
        row = counted(score, begin)
        if row is None:
            print(f"{begin}: no such case was counted")
            continue
        try:
            table += compare(row, profiled(plumbline, row, folder / str(number)))
            keep(folder, table)
        except NotAllowed as refused:
            print(refused)
            return 77
        except RuntimeError as failure:
            failures.append(f"{row['case']}: {failure}")
            print(failures[-1])
    for line in table:
        words = {True: "", False: "  APART", None: "  (beside each other only)"}[line["agrees"]]
        ratio = "-" if line["ratio"] is None else f"{line['ratio']:.5f}"
        print(f"{line['case']:70} {line['what']:6} run {line['run']} profile {line['profile']} ratio {ratio}{words}")
    keep(folder, table)
    return told(table, failures)


if __name__ == "__main__":
    sys.exit(main())
