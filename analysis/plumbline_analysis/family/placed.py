"""The place of a case in the planes of the time-based roofline, by the bytes of one level, and the choice of that level."""
from dataclasses import dataclass

from .. import style
from ..groups import chosen
from ..judged import number
from ..roofline import ABOVE_ROOF


@dataclass
class Placed:
    """A case in both planes, by the bytes of one level."""

    row: dict
    position: int
    flops: float
    bytes: float
    compute_seconds: float
    bandwidth_seconds: float
    peak: float        # FLOP/s at its own roof of arithmetic
    bandwidth: float   # bytes/s
    overhead: float    # seconds of all its launches, 0 where there are none or nobody measured them
    launches: float
    complexity_region: str
    time_region: str

    @property
    def seconds(self):
        """The time that it took, and the least that its roofs allow."""
        return max(self.compute_seconds, self.bandwidth_seconds), max(self.flops / self.peak, self.bytes / self.bandwidth, self.overhead)

    @property
    def is_above(self):
        spent, least = self.seconds
        return 100 * least / spent >= ABOVE_ROOF

    @property
    def balance(self):
        return self.peak / self.bandwidth


def planes_of(group):
    """The level whose bytes most cases have a place by (of several the outermost), the cases placed by it, and a note; None where there is none."""
    candidates = [row for row in group.rows if any(_is_drawn(row, level) for level in _levels(row))]
    rows, note = chosen(candidates) if candidates else ([], "")
    counts = {level: sum(_is_drawn(row, level) for row in rows) for row in rows for level in _levels(row)}
    if not counts:
        return None
    level = max(counts, key=lambda name: (counts[name] >= max(counts.values()) * 0.8, style.level_order(name)))
    placed = [_placed(row, level, position) for position, row in enumerate((row for row in rows if _is_drawn(row, level)), start=1)]
    left = len(rows) - len(placed)
    without = f"{left} case{'s' if left > 1 else ''} without bytes from {style.level_name(level)}" if left else ""
    return level, placed, "; ".join(filter(None, [note, without]))


def _levels(row):
    return (row.get("time_roofline") or {}).get("levels") or {}


def _is_drawn(row, level):
    """A log axis shows neither no bytes nor no FLOPs."""
    at = _levels(row).get(level) or {}
    return bool(number(at.get("compute_seconds")) and number(at.get("bandwidth_seconds")))


def _placed(row, level, position):
    at, whole = _levels(row)[level], row["time_roofline"]
    bandwidth = 1e9 * at["bandwidth_gbs"]
    return Placed(row, position, row["flops"], row["levels"][level]["bytes"], at["compute_seconds"], at["bandwidth_seconds"],
                  at["balance"] * bandwidth, bandwidth, number(whole.get("overhead_seconds")) or 0.0, number(whole.get("launches")) or 0.0,
                  at["complexity_region"], at["time_region"])
