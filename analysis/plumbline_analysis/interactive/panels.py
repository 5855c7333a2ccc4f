"""Panels: the cases and the roofs of one node and team, all precisions, with the words that a hover card says of each case."""
import dataclasses

from .. import groups, own_roofs, style
from ..judged import number, team
from ..roofline import points_of

BOUNDARIES = {"L1": "reg-L1", "L2": "L1-L2", "L3": "L2-L3", "mem": "L3-mem", "shared": "reg-shared"}  # GPU's mem lies behind its L2
LIMITS = {"unoptimized": "code compiled without optimization", "scalar": "scalar arithmetic", "instructions": "the number of instructions a cycle",
          "waiting": "waiting for earlier results or for data"}
JOINS = {"transferred": "counts of another flavor of the same source", "model": "no counts: FLOPs and bytes by arithmetic"}


@dataclasses.dataclass
class Panel:
    """Cases of a node and team, and the roofs over them."""

    node: str
    team: str
    cases: list    # dicts: kernel phase label flavor precision gflops share flag points card row
    roofs: list    # dicts: kind level precision name value limit low high matters label
    strip: list    # dicts: label kernel phase seconds share why: cases that have a time and no place
    note: str = ""

    @property
    def title(self):
        return f"{self.node} · {team_words(self.team)}"

    @property
    def precisions(self):
        """The precisions, that of most cases first; those that have roofs alone at the end."""
        of_cases = [case["precision"] for case in self.cases]
        of_roofs = [roof["precision"] for roof in self.roofs if roof["kind"] == "peak"]
        return sorted(dict.fromkeys(of_cases + of_roofs), key=lambda one: -of_cases.count(one))

    @property
    def levels(self):
        used = {point[0] for case in self.cases for point in case["points"]} | {roof["level"] for roof in self.roofs if roof["kind"] == "bandwidth"}
        return sorted(used, key=style.level_order)


def team_words(name):
    """The team in words: r2t1 is two ranks of one thread each."""
    if not name.startswith("r"):
        return "one GPU" if name == "GPU" else name
    ranks, threads = name[1:].split("t")
    return f"{ranks} rank{'s' * (ranks != '1')} of {threads} thread{'s' * (threads != '1')}"


def panels_of(ceiling_rows, show, score=None):
    """The panels of a file: of every node and team that has cases, and of those that have ceilings on nodes without a case."""
    rows = show["rows"]
    found, _ = groups.groups_of(rows)
    shares, grades = shares_of(show), _grades(score or {})
    keys = sorted({(group.node, group.team) for group in found})
    keys += [key for key in _teams_with_roofs(ceiling_rows) if key[0] not in {node for node, _ in keys}]
    panels = []
    for node, name in keys:
        own = [group for group in found if (group.node, group.team) == (node, name)]
        cases = [_case(row, group.precision, shares, grades) for group in own for row in group.rows]
        roofs, note = _roofs(ceiling_rows, node, name, own)
        panels.append(Panel(node, name, cases, roofs, _strip(rows, node, name, shares), note))
    return sorted(panels, key=lambda panel: -len(panel.cases))


def _teams_with_roofs(ceiling_rows):
    return sorted({(row["node"], team(row)) for row in ceiling_rows if row["level"] == "compute" and row["status"] == "ok"})


def shares_of(show):
    """Case id -> (share, low, high) of the time of its program or application; a benchmark's case of its own has none."""
    shares = {}
    for row in (show.get("profile") or {}).get("rows") or []:
        if row.get("case") and row.get("kind") in ("function", "kernel") and number(row.get("share")):
            shares[row["case"]] = row["share"], row.get("share_lo"), row.get("share_hi")
    wholes = {}
    for row in show["rows"]:
        if number(row.get("seconds")) and (row["case"].startswith("program/") and "/part=whole/" in row["case"] or not row.get("phase")):
            wholes[row["node"], _whole_of(row)] = row["seconds"]
    for row in show["rows"]:
        whole = wholes.get((row["node"], _whole_of(row)))
        part = row.get("phase") or row["case"].startswith("program/") and "/part=whole/" not in row["case"]
        if part and whole and number(row.get("seconds")) and row["case"] not in shares:
            shares[row["case"]] = min(1.0, row["seconds"] / whole), None, None
    return shares


def _whole_of(row):
    """The application or program that a phase or a function is a part of."""
    return row["kernel"] if row["case"].startswith("program/") else row["case"].partition("#")[0]


def _strip(rows, node, name, shares):
    """Cases that took time and have no place: no FLOPs, or no traffic that was told."""
    found = []
    for row in rows:
        if row["node"] == node and team(row) == name and number(row.get("seconds")) and row["status"] == "ok":
            has_flops = number(row["gflops"])
            if has_flops and points_of({"levels": row["levels"] or {}}):
                continue
            share = shares.get(row["case"], (None,))[0]
            found.append({"label": f"{row.get('label') or row['case']} {row.get('flavor') or ''} {row.get('precision') or ''}".replace(" - ", " ").strip(), "kernel": row["kernel"], "phase": row.get("phase") or "", "seconds": row["seconds"],
                          "share": share, "why": "no FLOPs" if not has_flops else "no arithmetic intensity"})
    return sorted(found, key=lambda one: (-(one["share"] or 0), -one["seconds"]))


def _roofs(ceiling_rows, node, name, own):
    """The roofs of a panel, and a note where they are another node's or team's. Those that matter are drawn at first."""
    precisions = {group.precision: group for group in own}
    if not own:
        for row in ceiling_rows:
            if row["level"] == "compute" and (row["node"], team(row)) == (node, name):
                precisions.setdefault(row["precision"], groups.Group(node, name, row["precision"], []))
    found, note, bandwidths = [], "", {}
    for precision, group in precisions.items():
        roofs = groups.roofs_of(ceiling_rows, group)
        if roofs is None:
            continue
        note = note or roofs.note
        needed = {text for row in group.rows for text in (row.get("bound_ceiling"), row.get("compute_roof_ceiling")) if text}
        bandwidths.update({row["name"]: row for row in roofs.bandwidths.values()})
        for index, row in enumerate(roofs.peaks):
            found.append(_roof("peak", row, precision, index == 0 or row["name"] in needed))
        found += [_roof("peak", {"level": "compute", **row}, precision, False) for row in own_roofs.own_roofs(group.rows, roofs.peaks)]
        node_team = {(row["node"], team(row)) for row in roofs.peaks}
    if found:
        used = {level for group in own for row in group.rows for level, *_ in points_of(row)} or set(style.LEVELS)
        found += [_roof("bandwidth", row, "-", row["level"] in used) for row in bandwidths.values()]
        others = [groups._as_traffic(row) for row in ceiling_rows if row["level"] in style.LEVELS and (row["node"], team(row)) in node_team
                  and row["status"] == "ok" and number(row["value"]) and row["name"] not in bandwidths]
        found += [_roof("bandwidth", row, "-", False) for row in others]
    if any("algorithmic" in row for row in bandwidths.values()):
        note = "; ".join(filter(None, [note, "bandwidths are with the fills that stores cause (write-allocate), as the points count bytes"]))
    return found, note


def _roof(kind, row, precision, matters):
    """A ceiling as the page draws it. `limit` is what documents allow, in the bytes that the points count."""
    label = f"{row['name']} {style.short(row['value'])} {'GB/s' if kind == 'bandwidth' else 'GFLOP/s'}"
    factor = row["value"] / row["algorithmic"] if "algorithmic" in row else 1.0
    limit = number(row.get("limit"))
    return {"kind": kind, "level": row["level"], "precision": precision, "name": row["name"], "value": row["value"], "label": label, "matters": matters,
            "limit": limit * factor if limit else None, "low": number(row.get("min")), "high": number(row.get("max")),
            "source": row.get("limit_source") or ""}


def _grades(score):
    """The best counter of each quantity and whether it simulates, in words: its grade and its name."""
    best = {}
    for entry in score.get("counters", []):
        if entry.get("grade") and entry.get("convention", "flow") == "flow":
            key = entry["quantity"], entry["counter"].startswith("emulated.")
            best[key] = min(best.get(key, ("Z", "")), (entry["grade"], entry["counter"]))
    return {key: f"grade {grade} ({counter})" for key, (grade, counter) in best.items()}


def _case(row, precision, shares, grades):
    points = [(level, low, ai, high, groups.source_of(row, level)) for level, low, ai, high in points_of(row)]
    share, low, high = shares.get(row["case"], (None, None, None))
    percent = number(row.get("percent_of_roof"))
    return {"kernel": row["kernel"], "phase": row.get("phase") or "", "label": row.get("label") or row["case"], "flavor": row.get("flavor") or "",
            "precision": precision, "gflops": row["gflops"], "share": share, "flag": bool(percent and percent > 100), "points": points,
            "bound": row.get("bound") or "", "card": list(_card(row, precision, points, (share, low, high), grades))}


def _card(row, precision, points, share, grades):
    """Pairs of a name and a text."""
    yield "kernel", f"{row['kernel']}{' · phase ' + row['phase'] if row.get('phase') else ''}"
    yield "case", row.get("label") or row["case"]
    yield "built", f"{row.get('flavor') or '-'} · {precision}"
    yield "ran on", f"{row['node']} · {team_words(team(row))}"
    if number(row.get("seconds")):
        yield "time", seconds(row["seconds"])
    if share[0] is not None:
        yield "time share", percent(share[0]) + (f" ({percent(share[1])} to {percent(share[2])})" if share[1] is not None and share[2] is not None else "")
    if own_roofs.mix_name(row):
        yield "arithmetic", own_roofs.mix_name(row) + (f", whose roof is {style.short(row['compute_roof_gflops'])} GFLOP/s" if number(row.get("compute_roof_gflops")) else "")
    grade = grades.get((f"flops.{row['precision']}", row.get("bytes_source") == "emulated"))
    yield "performance", f"{style.short(row['gflops'])} GFLOP/s" + (f", FLOPs by a counter of {grade}" if grade and row.get("join") != "model" else "")
    for level, low, ai, high, source in points:
        yield f"AI {style.level_name(level)}", f"{style.short(ai)} FLOP/byte{_interval(low, ai, high)}, {_counted(level, source, grades)}"
    if number(row.get("percent_of_roof")):
        of = row.get("bound_ceiling") or style.level_name(row["bound"])
        yield "of its roof", f"{style.short(row['percent_of_roof'])} % of {of} ({style.short(row['roof_gflops'])} GFLOP/s there)" \
            if number(row.get("roof_gflops")) else f"{style.short(row['percent_of_roof'])} % of {of}"
    elif row.get("bound_reason"):
        yield "of its roof", row["bound_reason"]
    if number(row.get("percent_of_roof")) and row["percent_of_roof"] > 100:
        yield "above its roof", row.get("above_roof_reason") or "no reason is known"
    limits = [LIMITS.get(limit, limit) for limit in (row.get("shortfall") or {}).get("limits", [])]
    if limits:
        yield "limited also by", ", ".join(limits)
    if row.get("join") in JOINS:
        yield "counts", JOINS[row["join"]]
    occupancy = row.get("occupancy_roof") or {}
    if number(occupancy.get("part")):
        yield "occupancy", f"{percent(occupancy['part'])} of the arithmetic that full occupancy allows"


def _counted(level, source, grades):
    words = {"hardware": "counted by hardware", "emulated": "simulated", "model": "by arithmetic"}[source]
    grade = grades.get((f"bytes.{BOUNDARIES.get(level)}", source == "emulated")) if source != "model" else None
    return f"{words}, {grade}" if grade else words


def _interval(low, ai, high):
    if low is not None and low == ai and high == ai:
        return ""
    return f" ({style.short(low) if low else '0'} to {style.short(high) if high else 'any'})"


def percent(share):
    return f"{style.short(100 * share)} %"


def seconds(value):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{style.short(value / size)} {unit}"
    return f"{style.short(value * 1e9)} ns"
