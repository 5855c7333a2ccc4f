"""This script holds the FLOPs that direct solvers report of themselves against what the emulator counts of them.

    apt-get install libsuperlu-dev libmumps-dev libmumps-seq-dev libsuperlu-dist-dev    # Debian's, of Open MPI but for the sequential MUMPS
    python3 tests/peers/direct.py --build drivers                      # compiles the drivers into a folder
    PLUMBLINE=build/bin/plumbline python3 tests/peers/direct.py --drivers drivers -o found.json

SuperLU factors in our order, so that its row also has the model's interval (proxies/sparse_lu, lib-superlu); it is counted with the BLAS that
the loader finds and, where Debian's reference BLAS is there, with that. MUMPS and SuperLU_DIST order by themselves and run on Open MPI's
ranks, more than cores where need be.

A solver reports the products and sums of its dense blocks as the textbook has them. Beside them OpenBLAS's dgemv joins the sums of eight,
four, two and one columns, and adds each to y by a product with alpha and a sum a row; its dgemm does so once for each 256 of the inner
dimension, and pads what does not fill four rows. The reference multiplies x by alpha, and adds the first column, too. SuperLU then takes
the result off, where a textbook's last sum would be.

MUMPS's intensity is counted over cubes of growing sizes, by one process with caches; and over ranks at L1, of the functions that do FLOPs:
ranks that wait for each other load and store, too, and Open MPI's cannot be counted with caches.
"""

import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "jobs" / "peers"))
import in_turn  # noqa: E402
import one_case  # noqa: E402
from command import end, say  # noqa: E402
from ours import find_plumbline  # noqa: E402
from programs import ProgramFailed, output_of  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
GRIDS = ((40, 1, 40), (100, 1, 100), (10, 10, 10), (14, 14, 14))
RANKS = (1, 2, 4)
PHASES = ("factor", "solve")
SEQUENTIAL, PARALLEL = "superlu", ("mumps", "superlu_dist")
CUBES, CUBE_OF_RANKS = (8, 12, 16, 22, 30), 12
CACHES = "amd-interlagos"  # of the papers' processor
REFERENCE_BLAS = "/usr/lib/{}-linux-gnu/blas".format(os.uname().machine)

FLAGS = ["-std=c++20", f"-I{SOURCE}", f"-I{SOURCE}/harness"]
CORE = ["text/text_file"]
OF_SUPERLU = ["application", "flavor", "kernel", "parameters", "quantity", "quantity_parts", "shared_library", "work"]
COMPILED = {
    "superlu": ["g++", *FLAGS, "-I/usr/include/superlu", '-DPLUMBLINE_OPENBLAS="libopenblas.so.0"',
                *(f"{SOURCE}/harness/libraries/{name}.cpp" for name in ("superlu", "openblas")),
                *(f"{SOURCE}/harness/core/{name}.cpp" for name in OF_SUPERLU), "-ldl"],
    "mumps": ["mpicxx.openmpi", *FLAGS, "-ldmumps"],
    "mumps_seq": ["g++", *FLAGS, "-I/usr/include/mumps_seq", "-ldmumps_seq", "-lmpiseq_seq"],
    "superlu_dist": ["mpicxx.openmpi", *FLAGS, "-I/usr/include/superlu-dist", "-lsuperlu_dist"],
}
# One thread a rank, and kernels of OpenBLAS that the emulator knows, whatever the CPU.
SETTINGS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": "Haswell", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def build(solver, folder, optimized="-O2"):
    """Compiles a driver and gives its path."""
    compiler, *rest = COMPILED[solver]
    flags, links = [word for word in rest if not word.startswith("-l")], [word for word in rest if word.startswith("-l")]
    binary = folder / f"{solver}_driver"
    sources = [f"{SOURCE}/tests/peers/{solver.removesuffix('_seq')}_driver.cpp", *(f"{SOURCE}/harness/core/{name}.cpp" for name in CORE)]
    output_of([compiler, optimized, *flags, *sources, "-o", binary, *links])
    return binary


def launcher(ranks):
    return [] if ranks is None else ["mpirun.openmpi", "-n", ranks, "--oversubscribe"]


def profiled(plumbline, binary, grid, ranks=None, blas="", caches="no"):
    """Gives what the driver said of itself, and what `plumbline profile` counted of it, over all ranks."""
    environment = os.environ | SETTINGS | ({"LD_LIBRARY_PATH": blas} if blas else {})
    said, document = one_case.profiled(plumbline, [binary, *grid], launcher(ranks), caches, environment)
    return report_of(said, binary), document


def count(plumbline, binary, grid, ranks=None, blas=""):
    """Gives what the driver said of itself, and the FLOPs of its regions by the emulator, over all ranks."""
    report, document = profiled(plumbline, binary, grid, ranks, blas)
    return report, {phase: one_case.counted_region(document, phase) for phase in PHASES}


def intensity_of_size(document):
    """FLOPs a byte of the factorization, by level."""
    (factor,) = [row for row in document["rows"] if row["kind"] == "region" and row["name"] == "factor"]
    return {level: factor["levels"][level]["ai"] for level in ("L1", "L2")}


def intensity_of_functions(document):
    """FLOPs a byte at L1 of the functions of MUMPS and of BLAS that do FLOPs."""
    rows = [row for row in document["rows"] if row["kind"] == "function" and row["flops"] and {"mumps", "blas"} & named_in(row)]
    return {"L1": sum(row["flops"] for row in rows) / sum(row["levels"]["L1"]["bytes"] for row in rows)}


def named_in(row):
    return {library for library in ("mumps", "blas") if library in row["object"]}


def intensities(plumbline, drivers):
    for cube in CUBES:
        say(f"intensity of MUMPS, {cube}^3")
        report, document = profiled(plumbline, drivers / "mumps_seq_driver", (cube,) * 3, caches=CACHES)
        yield {"rows": report["rows"], "ranks": 1, "caches": CACHES, "ai": intensity_of_size(document)}
    for ranks in RANKS:
        say(f"intensity of MUMPS, {CUBE_OF_RANKS}^3, ranks {ranks}")
        report, document = profiled(plumbline, drivers / "mumps_driver", (CUBE_OF_RANKS,) * 3, ranks)
        yield {"rows": report["rows"], "ranks": ranks, "caches": "no", "ai": intensity_of_functions(document)}


def report_of(said, binary):
    """Reads the driver's line."""
    try:
        report = json.loads(said.splitlines()[-1])
        return {key: report[key] for key in ("rows", "entries", "ranks", "factor", "solve", "backward_error")} | {
            key: report[key] for key in report if key.endswith("_model")}
    except (IndexError, KeyError, TypeError, ValueError) as wrong:
        raise ProgramFailed(f"{binary}: not the line that it should print: {said.strip()[-80:]!r}") from wrong


def rows_of(report, counted):
    """A row for each phase: what is reported is null where the solver says nothing."""
    shared = {key: report[key] for key in ("rows", "entries", "ranks", "backward_error")}
    for phase in PHASES:
        reported = report[phase] if report[phase] >= 0 else None
        row = shared | {"phase": phase, "reported": reported, "counted": counted[phase],
                        "beside": counted[phase] / reported - 1 if reported else None}
        yield row | ({"model": report[f"{phase}_model"]} if f"{phase}_model" in report else {})


def run(chosen):
    plumbline, busy, rows = find_plumbline(), os.getloadavg()[0], []
    drivers = chosen.drivers.resolve()
    kinds = [("as found", "")] + ([("reference", REFERENCE_BLAS)] if pathlib.Path(REFERENCE_BLAS).is_dir() else [])
    for grid in GRIDS:
        for blas, folder in kinds:
            say(f"{SEQUENTIAL}, {grid}, BLAS {blas}")
            found = count(plumbline, drivers / f"{SEQUENTIAL}_driver", grid, blas=folder)
            rows += [{"solver": SEQUENTIAL, "grid": list(grid), "blas": blas} | row for row in rows_of(*found)]
        for solver in PARALLEL:
            for ranks in RANKS:
                say(f"{solver}, {grid}, ranks {ranks}")
                found = count(plumbline, drivers / f"{solver}_driver", grid, ranks)
                rows += [{"solver": solver, "grid": list(grid), "blas": "as found"} | row for row in rows_of(*found)]
    return in_turn.kept("direct", busy, 9, rows=rows, intensities=list(intensities(plumbline, drivers)))


def text(found):
    shown = ["FLOPs that solvers report, and those counted", ""]
    for row in found["rows"]:
        grid = " x ".join(map(str, row["grid"]))
        reported = f"reported {row['reported']:>14.0f}  {row['beside']:+.1%}" if row["reported"] else "reports none"
        model = f"  model {row['model'][0]} to {row['model'][1]}" if "model" in row else ""
        shown.append(f"{row['solver']:12} {grid:14} ranks {row['ranks']}  {row['phase']:6} BLAS {row['blas']:9} "
                     f"counted {row['counted']:>14.0f}  {reported}{model}")
    shown += ["", "FLOPs a byte of MUMPS's factorization", ""]
    for row in found["intensities"]:
        levels = "  ".join(f"{level} {value:.3f}" for level, value in row["ai"].items())
        shown.append(f"{row['rows']:8} rows  ranks {row['ranks']}  caches {row['caches']:14}  {levels}")
    return "\n".join([*shown, "", *found["notes"]])


def main():
    parser = argparse.ArgumentParser(prog="direct.py", description="direct solvers' own FLOPs beside those counted")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--build", metavar="FOLDER", type=pathlib.Path, help="compile the drivers into it, and stop")
    what.add_argument("--drivers", metavar="FOLDER", type=pathlib.Path, help="that holds them")
    parser.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, help="keeps all rows")
    chosen = parser.parse_args()
    if not chosen.build:
        return end("direct", lambda: run(chosen), chosen.output, text)
    chosen.build.mkdir(parents=True, exist_ok=True)
    return end("direct", lambda: [str(build(solver, chosen.build)) for solver in COMPILED], None, "\n".join)


if __name__ == "__main__":
    sys.exit(main())
