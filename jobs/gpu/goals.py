"""A GPU's results beside their goals: goals.py REFERENCE.json

REFERENCE.json is what reference.py left, the goals are goals.toml's. Prints the table of goals, and the candidates for each quantity that a
counter is wanted for, best first. A goal that is missed is a finding: the exit code is 0 wherever there was something to hold against them,
1 where nothing was measured.
"""

import fnmatch
import pathlib
import statistics
import sys
import tomllib

from reference import load

GOALS = tomllib.loads(pathlib.Path(__file__).with_name("goals.toml").read_text())
MET, MISSED, NOT_MEASURED, OF_ANOTHER = "met", "MISSED", "not measured", "of another GPU"

# Factors make of a ceiling's value as it is stored (GFLOP/s, GB/s, seconds) one in a goal's unit.
IN_UNIT = {"TFLOP/s": 1e-3, "TB/s": 1e-3, "GB/s": 1, "us": 1e6}


def is_named(name, wanted):
    """Whether an id or a name is meant by one pattern, or by one of several. Brackets are choices, as in a shell."""
    return any(fnmatch.fnmatchcase(name, one) for one in ([wanted] if isinstance(wanted, str) else wanted))


def verdict(value, goal):
    if value is None:
        return NOT_MEASURED
    noise = goal.get("noise", 0)
    return MET if (1 - noise) * goal.get("at_least", value) <= value <= (1 + noise) * goal.get("at_most", value) else MISSED


def wanted(goal):
    """A goal in words: ">= 97 % of its limit"."""
    of, unit = goal.get("of"), goal.get("unit", "")
    percent = of not in (None, "cycle")
    numbers = [f"{sign} {100 * goal[key]:.4g} %" if percent else f"{sign} {goal[key]:.4g} {unit or 'B/clk/SM'}"
               for key, sign in (("at_least", ">="), ("at_most", "<=")) if key in goal]
    told = " and ".join(numbers) + (" of its limit" if of == "limit" else "")
    return told + (f", noise {100 * goal['noise']:.2g} %" if "noise" in goal else "") + (f" on an {goal['on']}" if "on" in goal else "")


def in_words(value, goal):
    if value is None:
        return "-"
    if goal.get("of") not in (None, "cycle"):
        return f"{100 * value:.1f} %"
    return f"{value:.4g} {goal.get('unit') or 'B/clk/SM'}"


def value_of(ceiling, goal, others, gpu):
    """The ceiling in the goal's measure; None where that is not known. `others`: the ceiling that this one is a part of."""
    of = goal.get("of")
    if of == "limit":
        return ceiling["fraction_of_limit"]
    if of == "cycle":
        clocks = (ceiling["clock_hz"] or 0) * (gpu.get("multiprocessors") or 0)
        return ceiling["value"] * 1e9 / clocks if clocks else None
    if of is None:
        return ceiling["value"] * IN_UNIT[goal["unit"]]
    return ceiling["value"] / others["value"] if others and others["value"] else None


def beside(ceiling):
    """Notes that explain a rate: the clock that the kernel itself measured (the driver, where a rate was sustained), and the spread of the rounds."""
    told = [f"{1e-6 * ceiling['clock_hz']:.0f} MHz"] if ceiling.get("clock_hz") else []
    told += [f"{ceiling['power_watts']:.0f} W over {ceiling['sample_seconds']:.2g} s"] if ceiling.get("power_watts") else []
    return ", ".join(told + ([f"CV {100 * ceiling['cv']:.1f} %"] if ceiling.get("cv") is not None else []))


def ceiling_goals(reference):
    """A row for each ceiling of each goal: line, ceiling, goal, measured, verdict, beside."""
    ceilings = {row["name"]: row for row in reference["ceilings"] or [] if row.get("scope") == "GPU" and row["status"] == "ok"}
    reasons = {row["name"]: row.get("reason") for row in reference["ceilings"] or [] if row["status"] != "ok"}
    gpu = (reference.get("gpus") or [{}])[0]
    for goal in GOALS["ceiling"]:
        others = goal["of"] if isinstance(goal.get("of"), list) else [goal.get("of")] * len(goal["names"])
        for name, other in zip(goal["names"], others):
            one = goal | {"of": other} if other else goal
            value = value_of(ceilings[name], one, ceilings.get(other), gpu) if name in ceilings else None
            judged = verdict(value, one)
            if judged != NOT_MEASURED and "on" in one and one["on"] not in (gpu.get("name") or ""):
                judged = OF_ANOTHER
            yield {"line": goal["line"], "ceiling": name, "goal": wanted(one), "measured": in_words(value, one), "verdict": judged,
                   "beside": beside(ceilings[name]) if name in ceilings else reasons.get(name) or ""}


def row(line, what, goal, words=None, is_met=False, note=""):
    """`words` of what was measured; None where nothing was."""
    return {"line": line, "ceiling": what, "goal": goal, "measured": words or "-", "verdict": NOT_MEASURED if words is None else MET if is_met else MISSED,
            "beside": note}


def spread_goal(rows, limit, line):
    goal = f"<= {100 * limit:.0f} %"
    if not rows:
        return row(line, "", goal)
    worst = max(rows, key=lambda one: one["spread"])
    within = sum(one["spread"] <= limit for one in rows)
    return row(line, worst["name"], goal, f"{100 * worst['spread']:.2f} %", within == len(rows), f"{within} of {len(rows)} within it")


def run_goals(reference):
    """Goals of the whole: how long, how steady, and no kernel above its roof."""
    goals, parts = GOALS["run"], reference.get("parts") or {}
    seconds = (parts.get("30-ceilings") or {}).get("seconds")
    yield row("full ceilings", "", f"<= {goals['ceilings_seconds']} s", *([f"{seconds} s", seconds <= goals["ceilings_seconds"]] if seconds is not None else []))
    for limit, what in ((goals["spread"], "all else"), (goals["tensor_spread"], "tensor cores")):
        yield spread_goal([one for one in reference["repeatability"] or [] if one["goal"] == limit], limit, f"three processes, {what}")
    cases = [one for one in reference["cases"] or [] if one.get("percent_of_roof") is not None]
    highest = max(cases, key=lambda one: one["percent_of_roof"], default=None)
    told = (f"{highest['percent_of_roof']:.1f} %", highest["percent_of_roof"] <= goals["percent_of_roof"], f"{len(cases)} kernels") if highest else ()
    yield row("no kernel above its roof", highest["case"] if highest else "", f"<= {goals['percent_of_roof']} %", *told)


# ------------------------------------------------------------------------------------------------------------- counters


def tells(comparison, goal):
    """Whether it can tell a right counter from a wrong one: inside an interval of the model wider than the goal's error all are right."""
    narrow = comparison["exact_lo"] > 0 and comparison["exact_hi"] <= (1 + goal.get("error", 0)) * comparison["exact_lo"]
    return narrow or comparison["ratio"] != 1


def held(reference, goal):
    """Comparisons with arithmetic by quantity and counter that tell something, where there is as much of the quantity as the goal asks for."""
    found = {}
    for one in reference["ratios"] or []:
        by_flow = one["quantity"] == goal.get("by_flow")
        if not by_flow and not is_named(one["quantity"], goal["quantity"]):
            continue
        if one["ratio"] is not None and one["exact_lo"] >= goal.get("least_exact", 0) and tells(one, goal):
            found.setdefault((goal["quantity"] if by_flow else one["quantity"], one["counter"]), []).append(one)
    return found


def candidates(reference, goal):
    """Candidates for the goal's quantity, with their worst and median relative error, the best first; a grade is by all of a counter's cases."""
    scores = {one["counter"]: one for one in reference["counters"] or []}
    rows = []
    for (quantity, counter), comparisons in held(reference, goal).items():
        score = scores.get(counter, {})
        errors = {one["case"]: abs(one["ratio"] - 1) for one in comparisons}
        farthest = max(errors, key=errors.get)
        rows.append({"quantity": quantity, "counter": counter, "cases": len(errors), "worst": errors[farthest], "median": statistics.median(errors.values()),
                     "farthest": farthest, "zeros": f"{score.get('zero_tests', 0) - score.get('zero_failures', 0)}/{score.get('zero_tests', 0)}",
                     "grade": score.get("grade") or "-"})
    return sorted(rows, key=lambda one: (one["quantity"], one["worst"], one["median"], one["counter"]))


def counter_goals(reference):
    """The best candidate for each quantity of a goal; a pattern stands for each quantity that has one."""
    for goal in GOALS["counter"]:
        least = goal.get("least_exact", 0)
        ranked = [one for one in candidates(reference, goal) if not one["counter"].startswith("static ")]
        wanted_words = ("exact" if goal["error"] == 0 else f"<= {100 * goal['error']:g} %") + (f" from {1e-9 * least:g} GB on" if least else "")
        best = {}
        for one in ranked:
            best.setdefault(one["quantity"], one)
        for quantity, one in best.items():
            yield row(f"counter of {quantity}", one["counter"], wanted_words, f"{100 * one['worst']:.3g} %", one["worst"] <= goal["error"],
                      f"{one['cases']} cases, farthest {one['farthest']}")
        if not best:
            yield row(f"counter of {goal['quantity']}", "", wanted_words)


def answers(reference, question):
    """Answers are what the question's counters say in its cases: a row for each counter and quantity, or for each case where the question asks so."""
    groups = {}
    for one in reference["ratios"] or []:
        if not is_named(one["counter"], question["counters"]) or not is_named(one["case"], question["cases"]):
            continue
        key = (one["counter"], one["quantity"], one["case"] if question.get("each_case") else "")
        groups.setdefault(key, []).append(one)
    rows = []
    for (counter, quantity, case), comparisons in groups.items():
        ratios = [one["ratio"] for one in comparisons if one["ratio"] is not None]
        zeros = [one["measured"] for one in comparisons if one["ratio"] is None and one["exact_hi"] == 0]
        rows.append({"counter": counter, "quantity": quantity, "case": case, "cases": len(comparisons),
                     "least": min(ratios, default=None), "median": statistics.median(ratios) if ratios else None, "most": max(ratios, default=None),
                     "most_where_none_is": max(zeros, default=None)})
    return sorted(rows, key=lambda one: (one["counter"], one["quantity"], one["case"]))


def all_goals(reference):
    return [*ceiling_goals(reference), *run_goals(reference), *counter_goals(reference)]


def main():
    reference = load(sys.argv[1])
    rows = all_goals(reference)
    for goal in GOALS["counter"]:
        for one in candidates(reference, goal):
            print(f"{one['quantity']:24} {one['counter']:36} {one['cases']:4} cases  worst {100 * one['worst']:9.4g} %  median {100 * one['median']:9.4g} %  "
                  f"zeros {one['zeros']:7} {one['grade']}")
    for one in rows:  # last, for whoever sees the end alone
        print(f"{one['line']:44} {one['ceiling'][:46]:46} {one['goal']:26} {one['measured']:>14}  {one['verdict']:14} {one['beside']}")
    judged = [one["verdict"] for one in rows]
    print("goals: " + ", ".join(f"{judged.count(word)} {word}" for word in (MET, MISSED, OF_ANOTHER, NOT_MEASURED)))
    return 0 if any(one in (MET, MISSED) for one in judged) else 1


if __name__ == "__main__":
    sys.exit(main())
