"""A node that never was: a result file and the judgements about it, small or large, for looking and for tests.

Usage: synthetic.py FOLDER [few|many]
"""
import json
import math
import pathlib
import random
import sys

import h5py
import numpy

BANDWIDTHS = {"L1": 525.0, "L2": 261.0, "L3": 118.0, "mem": 40.0}  # GB/s, one core
SIZES = {"L1": 48 * 1024, "L2": 1024 * 1024, "L3": 32 * 1024 * 1024, "mem": None}
PEAKS = {("fp64", "FP64 vector FMA"): 129.0, ("fp64", "FP64 FMA+ADD"): 189.0, ("fp64", "FP64 vector add"): 64.0, ("fp64", "FP64 vector mul"): 63.0,
         ("fp64", "FP64 scalar FMA"): 16.3, ("fp64", "FP64 scalar add"): 8.2, ("fp32", "FP32 vector FMA"): 257.0}
# kernel -> FLOPs a unit, bytes a unit at L1, L2, L3, mem
KERNELS = {
    "validation/triad": (2, (32, 32, 32, 32)),
    "validation/dot": (2, (16, 16, 16, 16)),
    "validation/series": (20, (16, 16, 16, 0)),
    "validation/stencil5": (5, (40, 24, 24, 16)),
    "validation/stencil7": (6, (56, 40, 24, 16)),
    "validation/stencil7c": (7, (64, 40, 24, 16)),
    "validation/dgemm": (256, (900, 60, 20, 4)),
    "proxies/gpp": (120, (64, 16, 8, 6)),
    "proxies/gsrb": (12, (96, 60, 48, 40)),
    "proxies/conv2d": (288, (700, 80, 30, 9)),
    "ert/vector": (64, (16, 16, 16, 16)),
    "ert/stream": (2, (24, 24, 24, 24)),
    "ert/peak": (512, (8, 8, 0, 0)),
}
FLAVORS = ("gcc12-O0-v2", "gcc12-O3-v3", "clang14-O3-v3")


def ceilings(chance):
    rows = []
    for level, bandwidth in BANDWIDTHS.items():
        for pattern, factor in (("load", 1.0), ("triad", 0.86)):
            value = bandwidth * factor
            rows.append({"name": f"{level} {pattern}", "precision": "-", "level": level, "pattern": pattern, "ranks": 1, "threads": 1, "node": "n1",
                         "value": value, "unit": "GB/s", "min": value * (0.99 - 0.1 * (level == "mem")), "median": value * 0.99, "max": value,
                         "n": 9, "cv": 0.004 + 0.03 * (level == "mem"), "method": "algorithmic bytes", "status": "ok", "reason": "",
                         "size_bytes": SIZES[level]})
    for (precision, name), value in PEAKS.items():
        rows.append({"name": name, "precision": precision, "level": "compute", "pattern": name.split(" ", 1)[1], "ranks": 1, "threads": 1,
                     "node": "n1", "value": value, "unit": "GFLOP/s", "min": value * 0.985, "median": value * 0.995, "max": value, "n": 9,
                     "cv": 0.003, "method": "registers", "status": "ok", "reason": "", "size_bytes": None})
    rows.append({"name": "bf16 dot", "precision": "bf16", "level": "compute", "pattern": "dot", "ranks": 1, "threads": 1, "node": "n1",
                 "value": None, "unit": "GFLOP/s", "min": None, "median": None, "max": None, "n": 0, "cv": None, "method": "", "status": "masked",
                 "reason": "no AVX-512 BF16", "size_bytes": None})
    return {"schema": "plumbline-ceilings/1", "file": "synthetic.h5", "rows": rows, "notes": ["levels found by the sweep"]}


def show(chance, kernels, sizes):
    rows = []
    for kernel, (flops, traffic) in kernels.items():
        for flavor in FLAVORS:
            for n in sizes:
                rows.append(_show_row(chance, kernel, flops * (1 + 0.3 * math.log2(n)), traffic, flavor, n))
    absent = _show_row(chance, "validation/triad", 2, (32, 32, 32, 32), "gcc12-O3-v4", 1)
    absent.update(gflops=None, seconds=None, percent_of_roof=None, status="skipped", reason="no AVX-512 here")
    return {"schema": "plumbline-show/1", "file": "synthetic.h5", "rows": rows + [absent], "notes": []}


def _show_row(chance, kernel, flops, traffic, flavor, n):
    slow = 0.12 if "-O0-" in flavor else 0.8
    levels, roof, bound = {}, 189.0, "compute"
    for (name, bandwidth), amount in zip(BANDWIDTHS.items(), traffic):
        ai = flops / amount if amount else None
        levels[name] = {"bytes": amount * 1e6, "ai": ai, "ai_lo": ai, "ai_hi": ai}
        if ai and ai * bandwidth < roof:
            roof, bound = ai * bandwidth, name
    if traffic[3] and "stencil" in kernel:
        levels["mem"].update(ai_lo=levels["mem"]["ai"] * 0.6)
    if "gsrb" in kernel:
        levels["L3"].update(ai_hi=None)
    rate = roof * slow * chance.uniform(0.75, 1.0)
    suite_kernel = kernel
    return {"case": f"{suite_kernel}/fp64/n={n}/r1t1/{flavor}", "kernel": kernel, "label": f"{kernel} n={n} {flavor}", "precision": "fp64",
            "flavor": flavor, "ranks": 1, "threads": 1, "node": "n1", "seconds": flops * 1e6 / rate / 1e9, "gflops": rate, "flops": flops * 1e6,
            "levels": levels, "bound": bound, "percent_of_roof": 100 * rate / roof, "join": "same" if "O0" not in flavor else "model",
            "bytes_source": ("model" if kernel.startswith("ert") else "hardware" if kernel.startswith("proxies") else "emulated"),
            "status": "ok", "reason": ""}


def profile(shown):
    """A profile as `plumbline show` has it, whose functions are these rows, each of which takes two thirds of the time of the one before."""
    rows, samples = [], 2000
    for row in shown:
        share = samples / 6000
        half = 1.96 * math.sqrt(share * (1 - share) / 6000)
        rows.append({"kind": "function", "name": row["kernel"].split("/")[1], "object": "/opt/heat3d", "case": row["case"], "samples": samples,
                     "share": share, "share_lo": max(0.0, share - half), "share_hi": share + half, "gflops": row["gflops"], "bound": row["bound"],
                     "percent_of_roof": row["percent_of_roof"]})
        samples = samples * 2 // 3
    return {"command": ["/opt/heat3d", "in.nml"], "wall_seconds": 6.1, "rows": [{"kind": "total", "name": "heat3d", "share": 1.0}, *rows]}


SMOOTHER_SIZES = (8, 16, 32, 64)
SMOOTHED = {"fp": 114.0, "branch": 56.5, "stride2": 56.5}  # variant -> FLOPs of each cell and color
OUT_OF_BAND = 0.5  # what stride2 is counted to do for each byte at its largest size, of the least that the model allows


def smoother_bytes(n, level):
    """The model's least and most bytes of one color that cross a level's boundary: the next cache holds the smallest boxes, L3 all."""
    touched = 64.0 * (n + 3) ** 3
    if level == "mem":
        return 0.0, 9216.0
    return (0.0, touched) if n == SMOOTHER_SIZES[0] else (touched, 1.25 * touched)


def smoother():
    """An application whose phases red and black state their paper's bytes: rows of /cases and /model, and what `plumbline show` says of them."""
    cases, model, shown = [], [], []
    for variant, flops_a_cell in SMOOTHED.items():
        for n in SMOOTHER_SIZES:
            work = f"proxies/gsrb/fp64/variant={variant}/boxes=1/n={n}"
            case, flops = f"{work}/r1t1/gcc12-O3-v3", flops_a_cell * n**3
            cases.append((case, work, "proxies/gsrb", "fp64", "gcc12-O3-v3", 1, 1, json.dumps({"variant": variant, "boxes": 1, "n": n})))
            for phase, scale in (("", 2), ("red", 1), ("black", 1)):
                model += [(case, quantity, scale * amount, scale * amount, phase) for quantity, amount in
                          (("flops.fp64", flops), ("flops.fp64.add", flops), ("paper.flops", flops), ("paper.bytes", 56.0 * (n + 4) ** 3))]
                model += [(case, f"bytes.{boundary}", *(scale * end for end in smoother_bytes(n, boundary.split("-")[1])), phase)
                          for boundary in ("L2-L3", "L3-mem")]
            model.append((case, "bytes.L2-L3", 1e9, 1e9, "ghosts"))  # a phase of which the paper says nothing
            shown += [_smoother_row(case, phase, flops, n) for phase in ("red", "black")]
    return cases, model, shown


def _smoother_row(case, phase, flops, n):
    inside = 1.1 * smoother_bytes(n, "L3")[0]
    counted = 1.25 * smoother_bytes(n, "L3")[0] / OUT_OF_BAND if "stride2" in case and n == SMOOTHER_SIZES[-1] else inside
    levels = {level: {"bytes": amount, "ai": flops / amount if amount else None, "source": "emulated"} for level, amount in (("L3", counted), ("mem", 0.0))}
    return {"case": f"{case}#{phase}", "phase": phase, "kernel": "proxies/gsrb", "label": f"gsrb {phase}", "precision": "fp64",
            "flavor": "gcc12-O3-v3", "ranks": 1, "threads": 1, "node": "n1", "seconds": 1e-4, "gflops": flops / 1e5, "flops": flops,
            "levels": levels, "bytes_source": "emulated", "status": "ok", "reason": ""}


def score(chance, kernels, sizes):
    rows, counters = [], []
    claims = [("flops.fp64", "flops.fp64", 0.0, 1.0), ("flops.fp32", "flops.fp32", 0.0, 1.0), ("bytes.reg-L1.load", "bytes.reg-L1.load", 0.0, 1.0),
              ("bytes.L1-L2", "bytes.L1-L2", 0.01, 1.0), ("bytes.L2-L3", "bytes.L2-L3", 0.03, 1.02), ("bytes.L3-mem", "bytes.L3-mem", 0.08, 1.1),
              ("PAPI_DP_OPS", "flops.fp64", 0.002, 1.0), ("l1_accesses_16B", "bytes.reg-L1", 0.1, 2.1), ("PAPI_L3_TCM", "bytes.L3-mem", 0.0, None)]
    for counter, quantity, spread, center in claims:
        ratios = []
        for kernel in kernels:
            for flavor in FLAVORS:
                for n in sizes:
                    shift = 0.9 if counter == "l1_accesses_16B" and "O3" in flavor else 1.0
                    ratio = None if center is None else center * shift * math.exp(chance.gauss(0, spread)) if spread else center
                    ratios.append(ratio)
                    rows.append({"case": f"{kernel}/fp64/n={n}/r1t1/{flavor}", "node": "n1", "counter": counter, "quantity": quantity,
                                 "convention": "paper" if counter.endswith("16B") else "flow", "measured": ratio and ratio * 1e6, "exact_lo": 1e6, "exact_hi": 1e6, "ratio": ratio,
                                 "status": "ok" if ratio else "permission", "reason": "" if ratio else "perf_event_paranoid is 4"})
        known = [ratio for ratio in ratios if ratio]
        counters.append({"counter": counter, "quantity": quantity, "n": len(known),
                         "bias": math.exp(sum(map(math.log, known)) / len(known)) if known else None,
                         "min": min(known, default=None), "max": max(known, default=None), "cv": spread if known else None,
                         "convention": "paper" if counter.endswith("16B") else "flow",
                         "grade": "A" if known and not spread else None if not known else "F" if center > 2 else "B",
                         "reason": ""})
    rows[0].update(ratio=None, measured=0.0, status="failed", reason="counted nothing where there is something")
    return {"schema": "plumbline-score/1", "file": "synthetic.h5", "rows": rows, "counters": counters, "notes": []}


def _bandwidth_at(size, factor, chance):
    edges = [(SIZES["L1"], 525.0), (SIZES["L2"], 261.0), (SIZES["L3"], 118.0), (float("inf"), 40.0)]
    value = 0.0
    previous = 1.0
    for edge, rate in edges:
        inside = 1.0 if edge == float("inf") else 1.0 / (1.0 + (size / edge) ** 6)
        value += rate * (previous - previous * (1 - inside))
        previous *= 1 - inside
    return value * factor * chance.uniform(0.95, 1.0)


def table(names_and_types, rows):
    types = []
    for index, (name, kind) in enumerate(names_and_types):
        width = max([len(str(row[index]).encode()) for row in rows] + [1])
        types.append((name, f"S{width}" if kind == "S" else kind))
    encoded = [tuple(str(value).encode() if kind == "S" else value for value, (_, kind) in zip(row, names_and_types)) for row in rows]
    return numpy.array(encoded, dtype=types)


LAYOUT = {
    "cases": "id:S work:S kernel:S precision:S flavor:S ranks:i8 threads:i8 params:S",
    "outcomes": "case:S pass:S status:S reason:S node:S placement:S started_unix_ns:i8 session:S",
    "times": "case:S node:S session:S repetition:i4 rank:i4 seconds:f8 clock_hz:f8",
    "counts": "case:S node:S session:S event:S backend:S group:i4 rank:i4 thread:i4 repetition:i4 raw:u8 net:f8 enabled_ns:u8 running_ns:u8 status:S",
    "model": "case:S quantity:S lo:f8 hi:f8 phase:S",
    "ceilings": "name:S precision:S level:S pattern:S ranks:i8 threads:i8 node:S session:S round:i4 value:f8 unit:S method:S status:S"
                " working_set_bytes:f8 clock_hz:f8",
    "machine": "node:S json:S",
}


def _judged(slowdown, **others):
    return {"slowdown": slowdown, "slowdown_lo": 0.95 * slowdown, "slowdown_hi": 1.05 * slowdown, "clock_hz": 4.1e9, "peers_clock_hz": 4.2e9, **others}


def _like_node(name, verdict, slowdown, **others):
    return {"node": name, "kind": "a CPU, 64 cores", "verdict": verdict, "peers": 3, "rows": 40, "slowdown": slowdown, "suspicious": [], "again": [],
            "again_peers": [], "conditions": {}, "status": "ok", "reason": None, **others}


def nodes():
    """Four like nodes: n3 is slower, n2 was suspicious and is not."""
    suspicious = [_judged(1.6, what="ceiling/mem triad/r1t64", point="ceiling/triad/r1t64/bytes=4294967296", value_gbs=250.0, peers_gbs=400.0,
                          **{"class": "mem"})]
    again = [_judged(1.55, what="ceiling/triad/r1t64/bytes=4294967296", turns=9, time_seconds=0.031, peers_time_seconds=0.02, confirmed=True),
             _judged(1.2, what=None, turns=9, time_seconds=None, peers_time_seconds=None, confirmed=False, clock_hz=None, peers_clock_hz=None)]
    conditions = {"cpu_quota_cores": {"value": 0.5}, "temperature_celsius": {"value": None, "reason": "no sensor is visible here"}}
    rows = [_like_node("n1", "ALIKE", 1.01, conditions={"cpu_quota_cores": {"value": None, "reason": "no quota is set"}}),
            _like_node("n2", "NOT CONFIRMED", 0.99, again=[{**again[0], "slowdown": 1.0, "confirmed": False}], again_peers=["n1"]),
            _like_node("n3", "SLOWER", 1.02, suspicious=suspicious, again=again, again_peers=["n1", "n4"], conditions=conditions),
            _like_node("n4", "ALIKE", 1.0)]
    wrong = [{"what": "validation/dot", "node": "n4", "reason": "wrong result: <relative error 1>", "peers_right": 3, "peers_wrong": 0}]
    return {"schema": "plumbline-nodes/1", "file": "synthetic.h5", "rows": rows, "wrong_results": wrong, "notes": ["a node is named only where ..."]}


def write_store(path, chance, shown, steps):
    cases = [(row["case"], row["case"].rsplit("/", 2)[0], row["kernel"], "fp64", row["flavor"], 1, 1, "{}") for row in shown["rows"]]
    sweep = []
    for pattern, factor in (("load", 1.0), ("triad", 0.86), ("nt store", 0.5)):
        for step in range(steps):
            size = 4096 * 2 ** (step * 16 / (steps - 1))
            for round_ in range(3):
                sweep.append((f"sweep {pattern}", "-", "sweep", pattern, 1, 1, "n1", "s1", round_, _bandwidth_at(size, factor, chance), "GB/s",
                              "", "ok", size, 4.1e9))
    for size, rate in ((24576, 525.0), (200 * 2**20, 40.0)):
        for k in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
            value = min(129.0, k / 16 * rate) * chance.uniform(0.85, 0.95)
            sweep.append((f"vector k={k}", "fp64", "vector", f"k={k}", 1, 1, "n1", "s1", 0, value, "GFLOP/s", "", "ok", size, 4.1e9))
    times = [(row["case"], "n1", "s1", i, -1, row["seconds"] or math.nan, 4.1e9) for row in shown["rows"] for i in range(2)]
    rows = {"cases": cases, "times": times, "ceilings": sweep, "machine": [("n1", "{}")], "outcomes": [], "counts": [], "model": []}
    with h5py.File(path, "w") as file:
        file.attrs["schema"] = "plumbline/1"
        file.attrs["provenance"] = '{"compiler": "gcc 12", "host": "n1"}'
        file.attrs["campaign"] = 'schema="plumbline-campaign/1"\nname="synthetic"\n'
        for name, layout in LAYOUT.items():
            file[name] = table([column.split(":") for column in layout.split()], rows[name])
        file["times"].attrs["seconds.units"] = "s"
        file["times"].attrs["seconds.better"] = "lower"


def refer_to_nothing(path, length):
    """Crafts a file that crashes HDF5 1.10: the attribute with a text of that length says that it lies where its heap has none."""
    data = bytearray(pathlib.Path(path).read_bytes())
    told = length.to_bytes(4, "little")
    references = [at for at in range(len(data) - 16) if data[at : at + 4] == told
                  and data[(heap := int.from_bytes(data[at + 4 : at + 12], "little")) : heap + 4] == b"GCOL"]
    assert len(references) == 1, references
    index = references[0] + 12
    data[index : index + 4] = (60_000).to_bytes(4, "little")
    pathlib.Path(path).write_bytes(data)


def write(folder, many):
    """Returns {"file", "show", "ceilings", "score", "nodes"}: paths of a coherent set."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    kernels = KERNELS if many else dict(list(KERNELS.items())[:4])
    sizes = (1, 2, 4, 8) if many else (1,)
    documents = {"ceilings": ceilings(chance), "show": show(chance, kernels, sizes), "score": score(chance, kernels, sizes),
                 "nodes": nodes()}
    paths = {"file": folder / "synthetic.h5"}
    for name, document in documents.items():
        paths[name] = folder / f"{name}.json"
        paths[name].write_text(json.dumps(document))
    write_store(paths["file"], chance, documents["show"], 49 if many else 9)
    return {name: str(path) for name, path in paths.items()}


if __name__ == "__main__":
    print(write(sys.argv[1], len(sys.argv) < 3 or sys.argv[2] == "many"))
