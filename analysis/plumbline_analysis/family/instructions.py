"""The instruction roofline (after Ding and Williams 2019): instructions a second over instructions a byte at each level of memory.

How many instructions a case has is what the emulator counted; its horizontal lines are whole numbers of instructions a cycle, by the clock that
was measured beside the times, up to the first that no case exceeds. No issue rate is measured, so that they are thin guide lines and no ceilings, at
which no bandwidth ends.
"""
import dataclasses

from .. import groups, roofline, style
from ..judged import number

MARKS = (1, 2, 3, 4, 5, 6, 8, 10, 12)  # instructions a cycle of a core
WORDS = ("Instruction roofline", "instructions per byte across each level's boundary", "10⁹ instructions per second", "instructions a byte")


def is_drawn(row):
    seen = row.get("instructions") or {}
    return bool(number(seen.get("all")) and number(seen.get("per_cycle")) and number(row["seconds"]))


def as_instructions(row):
    """The row as a roofline draws it, with instructions in place of FLOPs."""
    seen = row["instructions"]
    levels = {name: {**at, **{key: seen["all"] / at[end] if number(at.get(end)) else None
                              for key, end in (("ai", "bytes"), ("ai_lo", "bytes_hi"), ("ai_hi", "bytes_lo"))}} for name, at in row["levels"].items()}
    rate = seen["all"] / row["seconds"] / 1e9
    arithmetic = f", {style.short(100 * seen['floating_point'] / seen['all'])} % floating-point" if number(seen.get("floating_point")) else ""
    return {**row, "levels": levels, "gflops": rate, "displaced": None, "fma_mix": None, "occupancy_roof": None, "above_roof_reason": None,
            "percent_of_roof": None, "time_roofline": None, "roof_gflops": None,
            "verdict": f"{style.short(rate)} × 10⁹ a second, {style.short(seen['per_cycle'])} a cycle{arithmetic}"}


def draw(group, roofs):
    """The figure; None where no case has its instructions counted."""
    chosen, note = groups.chosen([row for row in group.rows if is_drawn(row)])
    rows = [row for row in map(as_instructions, chosen) if roofline.points_of(row)]
    if not rows:
        return None
    per_cycle = max(row["instructions"]["per_cycle"] for row in rows)
    cycles = max(row["gflops"] / row["instructions"]["per_cycle"] for row in rows)  # of all cores, in 10^9 a second
    reached = [mark for mark in MARKS if mark == 1 or mark < per_cycle]
    marks = [*reached, next((mark for mark in MARKS if mark > reached[-1]), reached[-1])]
    peaks = [{"name": f"{mark} a cycle of each core", "value": mark * cycles} for mark in dict.fromkeys(marks)]
    peaks.sort(key=lambda peak: -peak["value"])
    told = f"grey lines are guides, no roofs: instructions a cycle at {style.short(cycles)} × 10⁹ cycles a second of all cores together; no ceiling of issue is measured"
    return roofline.draw(group, dataclasses.replace(roofs, peaks=peaks, are_guides=True), rows, " · ".join(filter(None, [note, told])), every=True, words=WORDS)
