"""Loops are measured, and goals say what is to be reached: the loops, the tool's own costs, and how they are judged. Pure."""

import statistics
from dataclasses import dataclass

SCALAR, VECTOR = "-O2 x86-64", "-O3 x86-64-v3"
COUNTS_GOAL = 0.2  # of cachegrind's time
CACHES_GOALS = {SCALAR: 0.75, VECTOR: 0.5}
FMA_BOUND_GOAL = 0.1


@dataclass(frozen=True)
class Line:
    name: str
    loop: str  # as loops.c names it
    flavor: str
    fma_bound: bool = False

    @property
    def title(self):
        return f"{self.name}, {self.flavor}"

    @property
    def caches_goal(self):
        return FMA_BOUND_GOAL if self.fma_bound else CACHES_GOALS[self.flavor]


NAMES = {"triad in L1": "triad_l1", "triad in memory": "triad_memory", "Horner n=8": "horner", "stencil7": "stencil7", "dgemm 128": "dgemm"}
LINES = tuple(Line(name, loop, flavor, fma_bound=loop == "horner" and flavor == VECTOR) for flavor in (SCALAR, VECTOR) for name, loop in NAMES.items())


@dataclass(frozen=True)
class Cost:
    """A cost of the tool itself, in seconds or as a ratio of two measurements."""

    name: str
    unit: str
    goal: float
    factor: float = 1.0  # from what is measured to the unit


READS = 100  # in a repetition of loops.c, each after a small piece of work
START_UP = Cost("start-up, CPU", "s", 0.25)
READ = Cost("reading a region", "us", 5.0, 1e6 / READS)
MARK = Cost("entering and leaving a region", "us", 5.0, 1e6 / READS)
THREADS = Cost("32 threads over one, equal work", "x", 1.6)
# Code that runs before counting begins is translated to compute alone; later code keeps its records, also outside regions. The goal is of
# before that, when both were alike.
OUTSIDE = Cost("outside regions over never counting", "x", 1.05)


def median(values):
    return statistics.median(values) if values else None


def by_round(values, others):
    """Ratios of the same round: neighbours in time."""
    return [value / other for value, other in zip(values, others)]


def beyond(values, others):
    """The time that the first take longer than the others of the same round."""
    return [value - other for value, other in zip(values, others)]


def judge(reached, goal):
    return {"reached": reached, "goal": goal, "met": "yes" if reached <= goal else "no"}


def judge_line(line, seconds):
    """`seconds`: {tool: CPU seconds of one repetition, by round}."""
    slowdown = {tool: median(by_round(values, seconds["native"])) for tool, values in seconds.items() if tool != "native"}
    ratio = {mode: median(by_round(seconds[mode], seconds["cachegrind"])) for mode in ("counts", "caches")}
    outside = median(by_round(seconds["outside"], seconds["never"]))
    return {"name": line.name, "flavor": line.flavor, "native_seconds": median(seconds["native"]), "slowdown": slowdown,
            "of_cachegrind": {"counts": judge(ratio["counts"], COUNTS_GOAL), "caches": judge(ratio["caches"], line.caches_goal)},
            "outside": judge(outside, OUTSIDE.goal), "seconds_by_round": seconds}


def judge_cost(cost, mode, values):
    values = [value * cost.factor for value in values]
    return {"name": cost.name, "mode": mode, "unit": cost.unit, **judge(median(values), cost.goal), "by_round": values}
