"""The tables on the terminal; `found` is the JSON document."""

import slowdowns
from report import table
from tools import GEOMETRY

HEADINGS = ["loop", "compiled", "native", "none", "cachegrind", "counts", "caches", "off", "counts/cg", "goal", "caches/cg", "goal", "met"]
LEGEND = (f"""native: CPU time of a repetition; none to off: how many times slower; counts: our tool, --caches=no;
caches: three levels of {' · '.join(GEOMETRY.values())} (bytes, ways, line); off: code outside regions;
/cg: our time over cachegrind's with L1 and L3 of the same geometry. Medians over the rounds; ratios are of the same round.""")


def duration(seconds):
    return f"{1e6 * seconds:.3g} us" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms"


def times(value):
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def cells_of(row):
    counts, caches = row["of_cachegrind"]["counts"], row["of_cachegrind"]["caches"]
    over_native = [times(row["slowdown"][tool]) for tool in ("none", "cachegrind", "counts", "caches", "outside")]
    return [row["name"], row["flavor"], duration(row["native_seconds"]), *over_native, f"{counts['reached']:.3f}", f"{counts['goal']}",
            f"{caches['reached']:.3f}", f"{caches['goal']}", f"{counts['met']}, {caches['met']}"]


def cost_cells(cost):
    return [cost["name"], cost["mode"], f"{cost['reached']:.3g} {cost['unit']}", f"{cost['goal']:g} {cost['unit']}", cost["met"]]


def outside_cells(rows):
    verdict = slowdowns.judge(slowdowns.median([row["outside"]["reached"] for row in rows]), slowdowns.OUTSIDE.goal)
    return cost_cells({"name": slowdowns.OUTSIDE.name, "mode": "caches", "unit": slowdowns.OUTSIDE.unit, **verdict})


def text(found):
    costs = [cost_cells(cost) for cost in found["costs"]] + [outside_cells(found["rows"])]
    start_up = ", ".join(f"{tool} {seconds['cpu_seconds']:.2f} s ({seconds['wall_seconds']:.2f} s wall)" for tool, seconds in found["start_up"].items())
    return "\n".join([table(HEADINGS, [cells_of(row) for row in found["rows"]], {0, 1, 12}), "", LEGEND, "",
                      table(["cost", "mode", "reached", "goal", "met"], costs, {0, 1, 4}), f"start-up: {start_up}",
                      *(f"note: {note}" for note in found["notes"])])
