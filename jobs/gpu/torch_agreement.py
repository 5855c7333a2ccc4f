"""A program by others under `plumbline profile --gpu`: torch_agreement.py PLUMBLINE CEILINGS.h5 FOLDER

Profiles torch_program.py, under those ceilings where the file is there, and holds the FLOPs counted in each of its ranges against arithmetic,
where that knows them. Prints a table, leaves FOLDER/agreement.json and the profile. Exit 1 where FLOPs differ by more than 0.1 %, the goal of
tensor operations; 77 where this user may not read the counters.
"""

import json
import os
import pathlib
import sys

import limited
from kernel_agreement import NotAllowed, require_permission
from ncu_agreement import keep, told

SECONDS = 50
TOLERANCE = 0.001
PROGRAM = pathlib.Path(__file__).resolve().with_name("torch_program.py")


def compare(document, known):
    """A line of the table for each range: what was counted in it, beside arithmetic."""
    regions = {row["name"]: row for row in document["rows"] if row["kind"] == "region"}
    for name, flops in known.items():
        row = regions.get(name, {"flops": None, "launches": 0, "reason": "no such range was met"})
        ratio = row["flops"] / flops if row["flops"] is not None and flops else None
        agrees = None if flops is None else ratio is not None and abs(ratio - 1) <= TOLERANCE
        yield {"case": name, "what": "flops", "known": flops, "counted": row["flops"], "launches": row["launches"], "reason": row["reason"], "ratio": ratio,
               "agrees": agrees}


def profiled(plumbline, ceilings, folder):
    """The profile's document, and what the program printed; throws where one is not there."""
    out = folder / "profile.json"
    roofs = [f"--roofs={ceilings}"] if ceilings.is_file() else []
    # The packed libraries, by which the wrapper of a packed plumbline finds its own, are not for the program: it gets this process's path.
    program = ["env", f"LD_LIBRARY_PATH={os.environ.get('LD_LIBRARY_PATH', '')}", "python3", PROGRAM]
    ended = limited.run([plumbline, "profile", "--gpu", "--launches=2", *roofs, "-o", out, "--", *program], limited.limit(SECONDS))
    (folder / "profile.txt").write_text(ended.stdout + ended.stderr)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
    if not out.exists() or not lines:
        raise RuntimeError(f"profile ended with {ended.returncode}: {ended.stderr.strip().splitlines()[-1:]}")
    return json.loads(out.read_text()), json.loads(lines[-1])


def main():
    plumbline, ceilings, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    table, failures = [], []
    try:
        document, known = profiled(plumbline, ceilings, folder)
        require_permission(document)
        table = list(compare(document, known))
    except NotAllowed as refused:
        print(refused)
        return 77
    except RuntimeError as failure:
        failures.append(str(failure))
        print(failures[-1])
    for line in table:
        ratio = "-" if line["ratio"] is None else f"{line['ratio']:.5f}"
        print(f"{line['case']:12} {line['launches']} launches, FLOPs counted {line['counted']} known {line['known']} ratio {ratio}"
              + (f"; {line['reason']}" if line["reason"] else "") + ("  APART" if line["agrees"] is False else ""))
    keep(folder, table)
    return told(table, failures)


if __name__ == "__main__":
    sys.exit(main())
