"""Lines say what is compared, goals what plumbline wants to reach: the one table of both, and how a line is judged. Pure."""

import statistics
from dataclasses import dataclass

# Spread over the rounds above which a run was disturbed, as plumbline ceilings has it.
QUIET_CV = {"compute": 0.02, "L1": 0.02, "L2": 0.05, "L3": 0.05, "mem": 0.10}
SPREAD_GOAL = "CV 2 % compute and L1, 5 % L2 and L3, 10 % DRAM"
ABOVE_LIMIT = 1.02


@dataclass(frozen=True)
class Goal:
    over: str  # "limit", "best peer", "likwid", "loop"
    at_least: float
    only_all_cores: bool = False

    def __str__(self):
        return f"{self.at_least:.2f} of {self.over}"


@dataclass(frozen=True)
class Line:
    name: str
    ceiling: str  # plumbline's name for it in a campaign
    level: str  # compute, L1, L2, ..., mem
    pattern: str
    precision: str = "-"
    likwid: str = ""  # kind of likwid-bench test, see likwid.py
    loop: str = ""  # pattern of stream_loops
    carm: str = ""  # what CARM calls it, see carm.py
    libc: str = ""  # memcpy or memset, as a pattern of stream_loops
    goals: tuple = ()
    cores: str = "one and all"  # or "all": where more would only take time

    def teams(self, cores):
        return sorted({1, cores}) if self.cores == "one and all" else [cores]

    @property
    def unit(self):
        return "GFLOP/s" if self.level == "compute" else "GB/s"


def limit(at_least):
    return Goal("limit", at_least)


def arithmetic(precision, name, pattern, **more):
    return Line(f"{precision} {name}", f"{precision} {name}", "compute", pattern, precision.lower(), **more)


# What every line must reach; the median line must be level with its best peer.
BEST_PEER = Goal("best peer", 0.98)

LINES = (
    arithmetic("FP64", "vector FMA", "fma", likwid="fp64 fma", loop="fma", carm="fma", goals=(limit(0.97), BEST_PEER)),
    arithmetic("FP32", "vector FMA", "fma", likwid="fp32 fma", loop="fma32", carm="fma", goals=(limit(0.97), BEST_PEER)),
    arithmetic("FP64", "vector add", "add", loop="add", goals=(limit(0.95), BEST_PEER)),
    arithmetic("FP32", "vector add", "add", loop="add32", goals=(limit(0.95), BEST_PEER)),
    arithmetic("FP64", "vector mul+add", "mul+add", likwid="fp64 mul+add", cores="all", goals=(BEST_PEER,)),
    arithmetic("FP64", "FMA+add", "fma+add", goals=(limit(0.94),)),
    arithmetic("FP32", "FMA+add", "fma+add", goals=(limit(0.94),)),
    arithmetic("FP64", "scalar FMA", "scalar fma", loop="scalar_fma", goals=(limit(0.95), BEST_PEER)),
    arithmetic("FP64", "scalar add", "scalar add", loop="scalar_add", goals=(limit(0.95), BEST_PEER)),
    Line("L1 load", "load", "L1", "load", likwid="load", loop="load", carm="load", goals=(limit(0.97), BEST_PEER)),
    Line("L1 store", "store", "L1", "store", likwid="store in caches", loop="store", libc="memset", goals=(BEST_PEER,)),
    Line("L1 copy", "copy", "L1", "copy", likwid="copy in caches", loop="copy", libc="memcpy", goals=(BEST_PEER,)),
    Line("L1 2 loads 1 store", "loads2store1", "L1", "loads2store1", likwid="triad in caches", loop="triad", carm="loads2store1", goals=(limit(0.87), BEST_PEER)),
    Line("L2 load", "load", "L2", "load", likwid="load", loop="load", carm="load", goals=(limit(0.95), BEST_PEER)),
    Line("L3 load", "load", "L3", "load", likwid="load", loop="load", goals=(BEST_PEER,)),
    Line("DRAM load", "load", "mem", "load", likwid="load", loop="load", goals=(BEST_PEER,)),
    Line("DRAM NT store", "store_nt", "mem", "store_nt", likwid="NT store", goals=(BEST_PEER,)),
    Line("DRAM store", "store", "mem", "store", likwid="store", loop="store", libc="memset", cores="all", goals=(BEST_PEER,)),
    Line("DRAM copy", "copy", "mem", "copy", likwid="copy", loop="copy", libc="memcpy", cores="all", goals=(BEST_PEER,)),
    Line("DRAM update", "update", "mem", "update", likwid="update", loop="update", cores="all", goals=(BEST_PEER,)),
    Line("DRAM triad", "triad", "mem", "triad", likwid="triad", loop="triad", cores="all", goals=(BEST_PEER,)),
)


def known(values):
    return [value for value in values if value is not None]


def median(values):
    there = known(values)
    return statistics.median(there) if there else None


def cv(values):
    """Coefficient of variation; None for fewer than two values."""
    there = known(values)
    return statistics.stdev(there) / statistics.fmean(there) if len(there) > 1 else None


def ratios(ours, others):
    """The ratios of each round by itself: neighbours disturb whole seconds, so a ratio compares what was measured side by side."""
    return [a / b if a is not None and b else None for a, b in zip(ours, others)]


def best_of(rounds):
    """The best in each round; `rounds`: a list of values for each peer."""
    return [max(known(values), default=None) for values in zip(*rounds)]


def is_quiet(level, values):
    spread = cv(values)
    return spread is None or spread <= QUIET_CV.get(level, 0.10)


def reached(goal, ours, fractions, peers):
    """The rounds of what the goal is about; empty where there is nothing to compare with."""
    if goal.over == "limit":
        return fractions
    wanted = [values for kind, values in peers.items() if goal.over in (kind, "best peer")]
    return ratios(ours, best_of(wanted)) if wanted else []


def judge(line, all_cores, ours, fractions, peers):
    """A verdict for each goal of a line and team. A miss is put down to disturbance only where a round of an unquiet run met the goal. `ours`, `fractions`: by round; `peers`: by round for each kind, {"likwid": [...]}."""
    verdicts = []
    for goal in line.goals:
        if goal.only_all_cores and not all_cores:
            continue
        rounds = reached(goal, ours, fractions, peers)
        value = median(rounds)
        verdict = {"goal": str(goal), "reached": value, "met": "unknown"}
        if value is None:
            verdict["reason"] = f"nothing was measured that gives a ratio to the {goal.over}"
        elif value >= goal.at_least:
            verdict["met"] = "yes"
        else:
            quiet = is_quiet(line.level, ours) and all(is_quiet(line.level, values) for values in peers.values())
            verdict["met"] = "disturbed" if not quiet and max(known(rounds)) >= goal.at_least else "no"
        verdicts.append(verdict)
    return verdicts


def judge_median_line(rows):
    """Judges all lines that have a peer by each line's ratio to its best peer; the one in the middle must be level."""
    ratio = {f"{row['line']}, {row['cores']}": row["ratio_to_best_peer"] for row in rows if row["ratio_to_best_peer"] is not None}
    middle = median(list(ratio.values()))
    verdict = {"line": "the median line", "goal": "1.00 of best peer", "reached": middle, "met": "unknown"}
    if middle is None:
        verdict["reason"] = "no line has a peer"
    else:
        verdict["met"] = "yes" if middle >= 1.0 else "no"
    return verdict


def judge_levels(found, expected_bytes, runs):
    """`found`: for each run {level: bytes or None}; `expected_bytes`: {level: bytes} of the caches, without memory."""
    names = [*expected_bytes, "mem"]
    right = sum(sorted(levels) == sorted(names) for levels in found)
    verdicts = [{"line": "levels found without hints", "goal": f"{' '.join(names)} in {runs} of {runs} runs", "reached": f"{right} of {runs}",
                 "met": "yes" if right == runs else "no"}]
    for name, size in expected_bytes.items():
        sizes = known([levels.get(name) for levels in found])
        ratio = [one / size for one in sizes]
        near = sum(0.75 <= one <= 1.25 for one in ratio)
        verdicts.append({"line": f"size of {name}", "goal": f"within 25 % of {size} bytes in {runs} of {runs} runs", "reached": f"{near} of {runs}",
                         "met": "yes" if near == runs else "no", "ratios": ratio})
    return verdicts


def judge_time(line, seconds, most):
    return {"line": line, "goal": f"at most {most} s", "reached": seconds, "met": "yes" if seconds <= most else "no"}


def judge_quick(full, quick):
    """`full`, `quick`: {ceiling: median over the runs}; those that both modes have."""
    both = sorted(set(full) & set(quick))
    off = {name: quick[name] / full[name] - 1 for name in both if full[name]}
    if not off:
        return {"line": "quick against full", "goal": "within 5 %", "reached": None, "met": "unknown", "reason": "no ceiling is in both"}
    worst = max(off, key=lambda name: abs(off[name]))
    near = sum(abs(one) <= 0.05 for one in off.values())
    return {"line": "quick against full", "goal": "within 5 %", "reached": f"{near} of {len(off)}; farthest {worst} {100 * off[worst]:+.1f} %",
            "met": "yes" if near == len(off) else "no", "difference": {name: round(value, 4) for name, value in off.items()}}


def judge_limits(fractions):
    """`fractions`: {ceiling: its largest part of its limit}."""
    if not fractions:
        return {"line": "nothing above its limit", "goal": f"at most {ABOVE_LIMIT}", "reached": None, "met": "unknown",
                "reason": "plumbline gives no limits here"}
    worst = max(fractions, key=fractions.get)
    above = sum(value > ABOVE_LIMIT for value in fractions.values())
    return {"line": "nothing above its limit", "goal": f"at most {ABOVE_LIMIT}", "reached": f"{fractions[worst]:.3f}, {worst}; {above} above",
            "met": "yes" if above == 0 else "no"}


def judge_spread(spreads):
    """`spreads`: {(line, cores): (level, CV)} of plumbline's values. A session that is not quiet says so, and its lines may be."""
    if not known([spread for _, spread in spreads.values()]):
        return {"line": "spread over the rounds", "goal": SPREAD_GOAL, "reached": None, "met": "unknown", "reason": "one round has no spread"}
    over = [name for name, (level, spread) in spreads.items() if spread is not None and spread > QUIET_CV[level]]
    return {"line": "spread over the rounds", "goal": SPREAD_GOAL,
            "reached": f"{len(spreads) - len(over)} of {len(spreads)}", "met": "disturbed" if over else "yes", "above": over}
