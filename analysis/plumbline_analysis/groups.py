"""Cases are grouped by the roofs that they share."""
import math
from dataclasses import dataclass

from . import style
from .judged import is_gpu, number, team
from .own_files import slug

CASES_A_FIGURE = 15
# A function of a profiled program with less than this part of its FLOPs is no point: the few that it does by the way would stretch the axes.
LEAST_PART_OF_PROGRAM = 1e-3
WITHOUT_FLOPS = "no FLOPs"  # which is no lack of a measurement: there is no place for such a case under a roof


@dataclass
class Roofs:
    """The ceilings of one node, team and precision."""

    bandwidths: dict  # level -> ceiling row, the fastest pattern of the level
    peaks: list       # compute ceiling rows, highest first
    note: str = ""
    are_guides: bool = False  # the peaks are marks of a scale that nobody measured, under which nothing ends

    @property
    def top(self):
        return self.peaks[0]["value"]

    def ridge(self, level):
        return self.top / self.bandwidths[level]["value"]


@dataclass
class Group:
    """Cases that share a roof."""

    node: str
    team: str
    precision: str
    rows: list

    @property
    def team_name(self):
        """A GPU's cases have no ranks and threads (team g1); of a node's GPUs it is the first, or that one."""
        return "one GPU" if self.team == "GPU" else self.team

    @property
    def title(self):
        return f"{self.node} · {self.precision} · {self.team_name}"

    @property
    def slug(self):
        return slug(f"{self.node}-{self.precision}-{self.team_name}")


def groups_of(show_rows):
    """The drawable cases by node, precision and team, and the others with what they lack."""
    groups, left_out = {}, []
    wholes = [row for row in show_rows if row["case"].startswith("program/") and "/part=whole/" in row["case"]]
    programs = {(row["node"], row["kernel"]): number(row["flops"]) or 0 for row in wholes}
    for row in show_rows:
        lacking = _lacking(row, programs)
        if lacking:
            left_out.append((row["case"], lacking))
            continue
        key = (row["node"], team(row), row.get("roof_precision") or row["precision"])  # older documents have the case's alone
        groups.setdefault(key, Group(*key, [])).rows.append(row)
    return [groups[key] for key in sorted(groups)], left_out


def _lacking(row, programs):
    if row["status"] == "ok" and row.get("flops") == 0:
        return WITHOUT_FLOPS
    if number(row["gflops"]) is None:
        return row.get("reason") or (f"status {row['status']}" if row["status"] != "ok" else "no FLOP/s")
    if (row["node"], row["kernel"]) in programs and number(row["flops"]) < LEAST_PART_OF_PROGRAM * programs[row["node"], row["kernel"]]:
        return f"less than {LEAST_PART_OF_PROGRAM:.1%} of the program's FLOPs"
    if not any(number(level.get("ai")) for level in (row["levels"] or {}).values()):
        return row.get("reason") or "no arithmetic intensity"
    return None


def roofs_of(ceiling_rows, group):
    """The roofs a group stands under: of its own node and team, else of the nearest (as plumbline show has it), and the note says so.

    Never a CPU's for what ran on a GPU, nor the other way.
    """
    usable = [row for row in ceiling_rows if number(row["value"]) and row["status"] == "ok" and is_gpu(team(row)) == is_gpu(group.team)]
    if is_gpu(group.team) and ", " in group.team:
        usable = _together(usable, group.team)
    usable = [row for row in usable if row["level"] in style.LEVELS or row["level"] == "compute" and row["precision"] == group.precision]
    if not usable:
        return None
    nearest = min((_distance(row, group), row["node"], team(row)) for row in usable)
    rows = [_as_traffic(row) for row in usable if (row["node"], team(row)) == nearest[1:]]
    strange = [text for text, own in ((f"node {nearest[1]}", group.node), (nearest[2], group.team)) if not text.endswith(own)]
    bandwidths = {}
    for row in rows:
        if row["level"] != "compute" and (row["level"] not in bandwidths or row["value"] > bandwidths[row["level"]]["value"]):
            bandwidths[row["level"]] = row
    peaks = sorted((row for row in rows if row["level"] == "compute"), key=lambda row: -row["value"])
    if not peaks or not bandwidths:
        return None
    ordered = dict(sorted(bandwidths.items(), key=lambda item: style.level_order(item[0])))
    return Roofs(ordered, peaks, f"ceilings of {' and '.join(strange)}" if strange else "")


def _together(rows, gpus):
    """The ceilings of several GPUs at once: the sums of each one's, where every one has it."""
    words = gpus.split(", ")
    of_gpu = {(row["node"], row["name"]): row for row in rows}
    sums = []
    for row in rows:
        if team(row) != words[0]:
            continue
        each = [of_gpu.get((row["node"], row["name"].replace(words[0], word, 1))) for word in words]
        if all(each):
            added = {key: sum(one[key] for one in each) for key in ("value", "traffic_gbs") if number(row.get(key))}
            sums.append({**row, **added, "together": gpus})
    return sums


def _as_traffic(row):
    """A bandwidth in the bytes that the points count: across the level's boundary, with the fills that stores cause (write-allocate).

    Where there are such fills, "algorithmic" keeps what plumbline ceilings prints.
    """
    if not number(row.get("traffic_gbs")):
        return row
    factor = row["traffic_gbs"] / row["value"]
    fills = {"algorithmic": row["value"]} if factor > 1.0001 else {}
    return {**row, **fills, **{key: factor * row[key] for key in ("value", "min", "median", "max") if number(row.get(key))}}


def bandwidth_text(row):
    """The name of a bandwidth's roof; its value is in the bytes that the points count."""
    return f"{row['name']} {style.short(row['value'])} GB/s{' with write-allocate' if 'algorithmic' in row else ''}"


def _distance(row, group):
    if is_gpu(group.team):
        return (row["node"] != group.node, 0.0, team(row) != group.team)
    ranks, threads = (int(part) for part in group.team[1:].split("t"))
    workers = row["ranks"] * row["threads"] / (ranks * threads)
    return (row["node"] != group.node, abs(math.log2(workers)), team(row) != group.team)


def chosen(rows):
    """The rows to number in a figure, and what they are: all of them if they are few, else the fastest of each work, else of each kernel. An
    application is fast where it is as a whole, not in its fastest phase."""
    choices = (("", lambda row: row["case"]), ("work (kernel and parameters)", lambda row: row["case"].rsplit("/", 2)[0]),
               ("kernel", lambda row: row["kernel"]))
    for what, key in choices:
        best = {}
        for row in sorted(rows, key=lambda row: (bool(row.get("phase")), -row["gflops"])):
            best.setdefault(key(row), row)
        if len(best) <= CASES_A_FIGURE or key is choices[-1][1]:
            phases = sum(bool(row.get("phase")) for row in rows)
            all_of_them = f"{len(rows) - phases} cases" + (f" and {phases} phases" if phases else "")
            return list(best.values()), f"{len(best)} of {all_of_them}: the fastest of each {what}" if len(best) < len(rows) else ""


def interval(level):
    """Low, middle and high of a level's arithmetic intensity, None where it is absent or open."""
    return number(level.get("ai_lo")), number(level.get("ai")), number(level.get("ai_hi"))


def source_of(row, level):
    """The source of the bytes that crossed a level's boundary: "hardware", "emulated" or "model". Older documents say it for the row alone."""
    return row["levels"].get(level, {}).get("source") or row.get("bytes_source") or "hardware"


def sources_of(row):
    """The sources of all points of the case."""
    return {source_of(row, level) for level, at in row["levels"].items() if number(at.get("ai"))}
