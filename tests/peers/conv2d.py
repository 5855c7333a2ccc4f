"""This script keeps what `plumbline run conv2d` found of proxies/conv2d beside libraries: rates, and intensities over what they hang on.

    plumbline run conv2d -o conv2d.h5
    PLUMBLINE=build/bin/plumbline python3 tests/peers/conv2d.py conv2d.h5 -o found.json

Ours and a library's flavor are compared where they do the same work by the same instructions, AVX2; a ratio is our speed over theirs.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
from command import end  # noqa: E402
from machine import this_machine  # noqa: E402
from ours import find_plumbline  # noqa: E402
from programs import ProgramFailed, output_of  # noqa: E402
from report import rounded  # noqa: E402

AVX2 = "-O3-v3"
PRESETS = {"images": "16", "filters": "64", "kernel": "3", "stride": "2"}  # what intensity is swept over
OF_A_SWEEP = {"images": "4"}  # but for that of images


def parts(case):
    """The words of a case's id, by name."""
    suite, name, precision, *words, team, flavor = case.split("/")
    return {"precision": precision, "team": team, "flavor": flavor} | dict(word.split("=") for word in words)


def compared(rows):
    """Ours beside each library's row."""
    for row in rows:
        theirs = parts(row["case"])
        if not theirs["flavor"].startswith("lib-"):
            continue
        same = [one for one in rows if one["flavor"].endswith(AVX2) and parts(one["case"]) | {"flavor": ""} == theirs | {"flavor": ""}]
        for ours in same:
            yield {"what": f"{theirs['direction']}, {theirs['variant']}, {theirs['precision']}, {theirs['images']} images", "library": theirs["flavor"],
                   "ours": ours["gflops"], "theirs": row["gflops"], "unit": "GFLOP/s", "ratio": ours["gflops"] / row["gflops"]}


def swept(rows, name):
    """Intensities in FLOP/B by AVX2 in fp32, over one parameter."""
    wanted = {**PRESETS, **({} if name == "images" else OF_A_SWEEP)}
    for row in rows:
        case = parts(row["case"])
        if case["direction"] != "forward" or case["variant"] != "implicit" or case["precision"] != "fp32" or not row["flavor"].endswith(AVX2):
            continue
        if all(case[other] == value for other, value in wanted.items() if other != name):
            yield {name: int(case[name])} | {level: found["ai"] for level, found in row["levels"].items()} | {"GFLOP/s": row["gflops"]}


def run(store):
    shown = json.loads(output_of([find_plumbline(), "show", store, "--json"]))
    rows = [row for row in shown["rows"] if row["status"] == "ok" and not row.get("phase")]
    if not (beside := list(compared(rows))):
        raise ProgramFailed(f"{store}: no row of a library beside one of ours: was oneDNN or OpenBLAS there when it was measured?")
    return rounded({"schema": "plumbline-conv2d/1", "command": "plumbline run conv2d -o conv2d.h5; python3 tests/peers/conv2d.py conv2d.h5",
                    "machine": this_machine().facts(), "rows": beside,
                    "intensity": {name: sorted(swept(rows, name), key=lambda row: row[name]) for name in PRESETS}}, 4)


def text(found):
    return "\n".join(f"{row['what']:50}{row['ours']:8.3g}{row['theirs']:8.3g} GFLOP/s  {row['ratio']:.2f}  {row['library']}" for row in found["rows"])


def main():
    parser = argparse.ArgumentParser(prog="conv2d.py", description="proxies/conv2d beside libraries, from a result file")
    parser.add_argument("store", metavar="RESULT.h5")
    parser.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, help="keeps what is shown, and the intensities")
    chosen = parser.parse_args()
    return end("conv2d", lambda: run(chosen.store), chosen.output, text)


if __name__ == "__main__":
    sys.exit(main())
