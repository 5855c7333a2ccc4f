"""A session tells what it found: the table on the terminal, and the JSON that keeps every value."""

import json
import re

import goals

SCHEMA = "plumbline-peers/1"


def rounded(value, digits=5):
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    if isinstance(value, (list, tuple)):
        return [rounded(one, digits) for one in value]
    if isinstance(value, dict):
        return {key: rounded(one, digits) for key, one in value.items()}
    return value


def summary(values):
    return {"median": goals.median(values), "best": max(goals.known(values), default=None), "cv": goals.cv(values), "rounds": values}


def ratio_of_bests(ours, theirs):
    """The ratio of the bests over all rounds: what each reaches when nothing disturbs it."""
    best, other = (max(goals.known(values), default=None) for values in (ours, theirs))
    return best / other if best is not None and other else None


def row_of(one):
    """A comparison as a row of the JSON."""
    best_peer = goals.best_of(list(one.by_kind().values())) if one.peers else []
    row = {"line": one.line.name, "cores": one.threads, "unit": one.line.unit, "ours": summary(one.ours),
           "fraction_of_limit": {"median": goals.median(one.fractions), "rounds": one.fractions}}
    row["peers"] = [{"name": peer.name, "kind": peer.kind, "command": peer.command(), **summary(one.theirs.get(peer.name, []))} |
                    ({"tried": peer.tried} if getattr(peer, "tried", None) else {}) for peer in one.peers]
    row["form"], row["runners_up"] = one.form, one.runners_up
    row["ratio_to_best_peer"] = goals.median(goals.ratios(one.ours, best_peer))
    row["ratio_of_bests"] = ratio_of_bests(one.ours, best_peer)
    row["goals"] = goals.judge(one.line, one.all_cores, one.ours, one.fractions, one.by_kind())
    row["disturbed"] = not goals.is_quiet(one.line.level, one.ours)
    if goals.known(one.ours) == []:
        row["status"], row["reason"] = "unavailable", "plumbline has no such ceiling on this machine"
    return row


def document(command, machine, peers, rows, session, notes, seconds, options):
    return rounded({"schema": SCHEMA, "command": command, "machine": machine, "peers": peers, "options": options, "rows": rows, "session": session,
                    "notes": notes, "seconds": seconds})


def as_json(found):
    """A list of numbers takes one line."""
    written = json.dumps(found, indent=1)
    return re.sub(r"\[\s+([^\[\]{}\"]+?)\s+\]", lambda numbers: f"[{' '.join(numbers.group(1).split())}]", written) + "\n"


def number(value, digits=4):
    return "-" if value is None else f"{value:.{digits}g}"


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def verdict_words(verdict):
    return f"{verdict['goal']}: {verdict['met']}" + (f" ({verdict['reached']:.3f})" if isinstance(verdict["reached"], float) else "")


def cells_of(row):
    peers = {peer["kind"]: peer["median"] for peer in row["peers"]}
    return [row["line"], str(row["cores"]), row["unit"], number(row["ours"]["median"]), number(row["ours"]["best"]), percent(row["ours"]["cv"]),
            percent(row["fraction_of_limit"]["median"]), number(peers.get("likwid")), number(peers.get("loop")), number(peers.get("libc")), number(peers.get("carm")),
            number(row["ratio_to_best_peer"]), number(row["ratio_of_bests"]), row.get("form") or "-", "; ".join(verdict_words(one) for one in row["goals"])]


HEADINGS = ["line", "cores", "unit", "ours", "best", "CV", "of limit", "likwid", "loop", "libc", "CARM", "ratio", "of bests", "form",
            "goals: met (reached)"]
LEFT = {0, 2, 13, 14}


def table(headings, lines, left):
    widths = [max(len(line[i]) for line in [headings, *lines]) for i in range(len(headings))]
    return "\n".join("  ".join(cell.ljust(width) if i in left else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
                     for line in [headings, *lines])


def session_cells(verdict):
    reached = verdict["reached"]
    return [verdict["line"], verdict["goal"], f"{reached:.1f}" if isinstance(reached, float) else str(reached or "-"), verdict["met"]]


def text(found):
    """The whole report; `found` is the JSON document."""
    rows = table(HEADINGS, [cells_of(row) for row in found["rows"]], LEFT)
    session = table(["of the session", "goal", "reached", "met"], [session_cells(one) for one in found["session"]], {0, 1, 2, 3})
    legend = ("ours, likwid (the best of its tests of a kind), loop, libc (memcpy, memset), CARM: medians over the rounds; ratio: ours over the best peer, median of the ratios of each round;\n"
              "of bests: the best of all rounds over the peers' best of all rounds;\n"
              "disturbed: below the goal, and values spread more between the rounds than a quiet machine's")
    return "\n".join([rows, "", legend, "", session, *(f"note: {note}" for note in found["notes"])])
