"""The summary at the head of the page, in words for somebody who reads nothing else: five questions, each with its answers."""
import collections
import json
import re
import statistics
import time

from .. import groups, style
from ..judged import number, team
from . import profiled
from .panels import LIMITS, seconds, team_words

NAMED = 5  # of a list, then "and n more"
COUNTERS = {"accesses x 16 B": "the estimate that each memory access moves 16 bytes"}  # that no counter's name says


def sections(facts, judged, notes, against=None):
    """Questions with their answers, as [(question, [sentence, ...])]. `facts`: what the file says of itself; `judged`: command -> document; `notes`: what could not be drawn."""
    show, ceilings, score, nodes = (judged.get(command) or {"rows": []} for command in ("show", "ceilings", "score", "nodes"))
    found = [("What was measured", list(_measured(facts, show, ceilings))),
             ("How well", list(_quality(show, ceilings, score, nodes))),
             ("What bounds what", list(_bounds(show, ceilings)))]
    if against:
        found.append((f"Against {against['name']}", list(_compared(against, show, ceilings))))
    missing = list(_missing(show, notes))
    found.append(("What is missing", missing or ["Nothing that a campaign of this kind gives."]))
    found.append(("What to do next", list(_advice(facts, show, ceilings, score, nodes)) or ["Nothing stands out: use the figures below."]))
    return [(question, answers) for question, answers in found if answers]


def _measured(facts, show, ceilings):
    rows = show["rows"]
    nodes = sorted({row["node"] for row in rows} | {row["node"] for row in ceilings["rows"]})
    kernels = sorted({row["kernel"] for row in rows})
    cases = [row for row in rows if not row.get("phase")]
    profile = show.get("profile")
    if profile:
        yield from profiled.measured(profile)
    elif cases:
        precisions = sorted({row["precision"] for row in cases} - {"-"})
        teams = sorted({team(row) for row in cases})
        phases = len(rows) - len(cases)
        yield (f"{count(len(cases), 'case')} of {count(len(kernels), 'kernel')} ({few(kernels)})" + (f" in {few(precisions)}" if precisions else "")
               + f", by {few([team_words(one) for one in teams])}" + (f"; and {count(phases, 'phase')} of the applications among them" if phases else "") + ".")
    kinds = _kinds_of(ceilings["rows"])
    if kinds:
        words = ", ".join(f"{amount} of {kind}" for kind, amount in kinds.items())
        yield (f"{'The roofs, measured apart from the program: ' if profile else ''}{count(sum(kinds.values()), 'ceiling')}, which are what the machine attains "
               f"at best: {words}.")
    if nodes:
        yield f"On {count(len(nodes), 'node')}: {few([_node_words(node, facts) for node in nodes])}."
    told = [facts.get("campaign_name") and f"{'the roofs are of ' if profile else ''}campaign '{facts['campaign_name']}'", facts.get("started") and f"begun {facts['started']}",
            facts.get("version") and f"plumbline {facts['version']}"]
    if any(told):
        yield _sentence(", ".join(filter(None, told)))
    if not rows and not ceilings["rows"]:
        yield "The file holds no case and no ceiling."


def _kinds_of(ceiling_rows):
    """The number of ceilings of each kind, in words."""
    levels = collections.Counter(row["level"] for row in ceiling_rows if number(row["value"]))
    memory = [style.level_name(level) for level in style.LEVELS if levels[level]]
    kinds = {"arithmetic": levels["compute"] + levels["vector"], f"bandwidth ({few(memory, 9)})": sum(levels[level] for level in style.LEVELS),
             "messages": levels["mpi"]}
    kinds["other kinds"] = sum(levels.values()) - sum(kinds.values())
    return {kind: amount for kind, amount in kinds.items() if amount}


def _node_words(node, facts):
    machine = facts.get("machines", {}).get(node) or {}
    cpu = machine.get("cpu") or {}
    parts = [cpu.get("name"), machine.get("cores") and count(machine["cores"], "core"), "a virtual machine" if cpu.get("virtual_machine") else None]
    parts += [gpu.get("name") if isinstance(gpu, dict) else str(gpu) for gpu in machine.get("gpus") or []]
    parts = [str(part) for part in parts if part]
    return f"{node} ({', '.join(parts)})" if parts else node


def _quality(show, ceilings, score, nodes):
    profile = show.get("profile")
    failed = [row for row in show["rows"] if row["status"] not in ("ok", "skipped")]
    skipped = [row for row in show["rows"] if row["status"] == "skipped"]
    if profile and profile.get("why_not_joined"):
        yield from profiled.counted(profile)
    elif failed:
        yield f"{count(len(failed), 'case')} failed or could not be measured: {_reasons(failed)}."
    elif profile:
        yield from profiled.counted(profile)
    elif show["rows"]:
        yield "Every case that was tried has a result." if skipped else "Every case has a result."
    if skipped:
        yield f"{count(len(skipped), 'case')} skipped: {_reasons(skipped)}."
    for row in nodes.get("wrong_results", []):
        yield f"Wrong result: {row['what']} on {row['node']}: {row['reason']}."
    yield from _counters(score)
    for note in ceilings.get("notes", []):
        if note.startswith("disturbed"):
            yield _disturbed(note, _kinds_of(ceilings["rows"]).get("messages", 0), bool(profile))
    for note in show.get("notes", []):
        if note.startswith("all repetitions were disturbed"):
            yield _sentence(note)
    verdicts = collections.Counter(row["verdict"] for row in nodes["rows"] if row["verdict"] != "ALONE")
    if verdicts:
        words = ", ".join(f"{count(amount, 'node')} {verdict.lower()}" for verdict, amount in verdicts.most_common())
        bad = [row["node"] for row in nodes["rows"] if row["verdict"] not in ("ALIKE", "ALONE", "NOT CONFIRMED")]
        yield f"Held against like nodes: {words}" + (f"; look at {few(bad)}." if bad else ".")


def _disturbed(note, messages, is_of_roofs):
    """A note of plumbline ceilings on disturbances, in words that stand alone; `messages`: ceilings of messages, whose spread it does not judge."""
    told = note.replace(", marked !,", "").replace("disturbed run, ", "disturbed run on ")
    parts = re.search(r"(\d+) of \d+ samples were disturbed \(([^)]*)\)", told)
    if parts and sum(map(int, re.findall(r"(?:^|, )(\d+) ", parts[2]))) > int(parts[1]):
        told = told.replace(parts[2], f"some for more than one reason: {parts[2]}")
    spread = re.search(r"\d+ of \d+ ceilings", told)
    if spread and messages:
        told = told.replace(spread[0], f"{spread[0]} of arithmetic and bandwidth")
    return _sentence(("when the roofs were measured: " if is_of_roofs else "") + told)


def _counters(score):
    graded = [entry for entry in score.get("counters", []) if entry.get("grade") and entry.get("convention", "flow") == "flow"]
    if not graded:
        if score["rows"]:
            yield "No counter could be graded: nothing was counted."
        return
    grades = collections.Counter(entry["grade"] for entry in graded)
    yield (f"Of {count(len(graded), 'counter')} held against exact arithmetic {grades['A']} can be trusted as they are (grade A)"
           + "".join(f", {grades[grade]} {words}" for grade, words in
                     (("B", "with a correction or with less evidence (B)"), ("C", "in part of the cases (C)"), ("D", "not at all (D)"), ("F", "not at all (F)"))
                     if grades[grade]) + ".")
    rejected = [entry["counter"] for entry in graded if entry["grade"] in "DF"]
    if rejected:
        yield f"Not to be trusted here: {few(sorted({COUNTERS.get(name, name) for name in rejected}))}."
    by_paper = [entry for entry in score.get("counters", []) if entry.get("grade") in ("D", "F") and entry.get("convention", "flow") != "flow"]
    if by_paper:
        yield f"Papers count bytes otherwise: by their conventions {count(len(by_paper), 'counter')} would not be right here (see the table of counters)."


def _bounds(show, ceilings):
    drawable = {row["case"] for group in groups.groups_of(show["rows"])[0] for row in group.rows}
    placed = [row for row in show["rows"] if row["case"] in drawable and row.get("bound") and number(row.get("percent_of_roof")) and number(row["gflops"])]
    if not placed:
        if not show["rows"]:
            yield "No case was measured" + (": the file has ceilings alone." if ceilings["rows"] else ".")
        else:
            why = "the file has no ceilings" if not ceilings["rows"] else "no case has both FLOP/s and an arithmetic intensity"
            yield f"Nothing can be said: {why}."
        return
    profile = show.get("profile")
    if profile:
        placed = profiled.counted_once(profile, placed)
        yield from _bounds_of(placed, "function" if len(placed) > 1 or profiled.is_function(profile, placed[0]) else "whole program")
        return
    yield from _bounds_of([row for row in placed if not row.get("phase")], "case")
    yield from _bounds_of([row for row in placed if row.get("phase")], "phase")


def _bounds_of(placed, noun):
    """Sentences about rows of one kind: a whole and its parts are the same work, and are never counted together."""
    if not placed:
        return
    bounds = collections.Counter("arithmetic" if row["bound"] == "compute" else f"{style.level_name(row['bound'])} bandwidth" for row in placed)
    middle = statistics.median(row["percent_of_roof"] for row in placed)
    of_them = ", ".join(f"{amount} {'is' if amount == 1 else 'are'} bounded by {what}" for what, amount in bounds.most_common())
    reach = f"half of them reach {style.short(middle)} % of their roof or more" if len(placed) > 1 else f"it reaches {style.short(middle)} % of its roof"
    yield f"Of {count(len(placed), noun)} under the roofs {of_them}; {reach}."
    low = [row for row in placed if row["percent_of_roof"] < 50]
    if low:
        limits = collections.Counter(limit for row in low for limit in (row.get("shortfall") or {}).get("limits", []))
        several = " (more than one may hold for one of them)" if sum(limits.values()) > len(low) else ""
        told = few([f"{LIMITS.get(limit, limit)} ({amount})" for limit, amount in limits.most_common()])
        yield (f"{count(len(low), noun)} {'reaches' if len(low) == 1 else 'reach'} less than half of {'its' if len(low) == 1 else 'their'} roof; "
               + (f"limited also by{several}{':' if several else ''} {told}." if told else "what else limits them is not known."))
    above = [row for row in placed if row["percent_of_roof"] > 100]
    if above:
        unexplained = [row for row in above if not row.get("above_roof_reason")]
        told = "each with a reason" if not unexplained else f"{len(unexplained)} without a reason that is known"
        yield f"{count(len(above), noun)} {'lies' if len(above) == 1 else 'lie'} above the roof (ringed in the figure), {told}."


def _compared(against, show, ceilings):
    document = against["document"]
    told = [row for row in document["rows"] if row["verdict"]]
    verdicts = collections.Counter(row["verdict"] for row in told)
    words = {"SLOWER": "slower", "FASTER": "faster", "SAME": "the same within the threshold", "AMBIGUOUS": "too scattered to tell"}
    if told:
        yield (f"Of {count(len(told), 'comparison')}: "
               + ", ".join(f"{amount} {words.get(verdict, verdict.lower())}" for verdict, amount in verdicts.most_common()) + ".")
    untold = [row for row in document["rows"] if not row["verdict"]]
    if not told:
        yield _why_nothing_compares(against, show, ceilings)
    if untold:
        yield f"{count(len(untold), 'row')} cannot be compared: {_reasons(untold)}."
    slow = sorted((row for row in document["rows"] if row["verdict"] == "SLOWER" and number(row.get("slowdown"))), key=lambda row: -row["slowdown"])
    if slow:
        told = [f"{row['what']} on {row['node']}, {style.short(row['slowdown'])} times the time" for row in slow]
        yield f"Slowed most: {few(told, 3)}."


def _why_nothing_compares(against, show, ceilings):
    """The reason why no row of one file is in the other, and what to do."""
    own, other = ({row["node"] for row in documents[0]["rows"] + documents[1]["rows"]} for documents in ((show, ceilings), (against["show"], against["ceilings"])))
    if own and other and not own & other:
        return f"Nothing can be compared: the files are of different nodes, this one of {few(sorted(own))}, the other of {few(sorted(other))}."
    return ("Nothing can be compared: the files are of different campaigns, which have no case and no ceiling in common; run one campaign for both, "
            "with plumbline run CAMPAIGN -o FILE.")


def _missing(show, notes):
    for note in notes:
        if show.get("profile") and note.startswith(profiled.OF_CAMPAIGNS):
            continue
        yield _sentence(f"left out: {note}")
    unplaced = [row for row in show["rows"] if not number(row.get("percent_of_roof")) and number(row["gflops"])]
    if unplaced:
        yield f"{count(len(unplaced), 'part' if show.get('profile') else 'case')} with FLOP/s {'has' if len(unplaced) == 1 else 'have'} no roof: {_reasons(unplaced, 'bound_reason')}."


def _advice(facts, show, ceilings, score, nodes):
    file = facts.get("file", "FILE")
    campaign = facts.get("campaign_name") or "CAMPAIGN"
    if any("is not whole" in note for note in nodes.get("notes", [])):
        yield f"The run did not finish: plumbline run {campaign} -o {file} --resume goes on with it."
    elif any(row["status"] == "failed" for row in show["rows"]):
        yield f"Look into the failed cases (their reasons are in the table below), then: plumbline run {campaign} -o {file} --resume"
    if not ceilings["rows"]:
        yield "Measure ceilings, without which nothing is bounded: give the campaign a [ceilings] table, or run plumbline run quick."
    is_disturbed = any(note.startswith(("disturbed run", "disturbed:")) for note in ceilings.get("notes", []))
    if is_disturbed and show.get("profile"):
        yield "The roofs were measured on a disturbed machine and may be too low: plumbline profile --roofs=measure takes them anew, best on a quiet node."
    elif is_disturbed:
        yield "The machine was disturbed while it was measured: repeat the run on a quiet node before you rely on differences of a few percent."
    if any(entry.get("grade") in ("D", "F") for entry in score.get("counters", [])):
        yield f"plumbline score {file} --choose SET.toml names the counters to use; those of grade D mislead here."
    if show["rows"] and not any(row.get("bytes_source") == "hardware" for row in show["rows"]):
        yield "No bytes were counted by hardware: plumbline doctor says what stands in the way on this machine."
    for row in nodes["rows"]:
        if row["verdict"] not in ("ALIKE", "ALONE", "NOT CONFIRMED"):
            yield f"Take {row['node']} out of service until it is looked at: plumbline nodes {file} shows the evidence."
    yield from profiled.slowest(show)


def facts_of(name, tables):
    """The file's words about itself: the campaign's name, when it began, versions, and its machines."""
    attributes = tables["cases"].attrs
    campaign = re.search(r'^\s*name\s*=\s*"([^"]+)"', attributes.get("campaign") or "", re.M)
    provenance = attributes.get("provenance") or {}
    outcomes = tables.get("outcomes")
    began = outcomes.started_unix_ns.min() if outcomes is not None and len(outcomes) and "started_unix_ns" in outcomes else 0
    return {"file": name, "campaign_name": campaign.group(1) if campaign else None, "version": _version(provenance),
            "started": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(began / 1e9)) if began > 0 else None,
            "machines": {row.node: _parsed(row.json) for row in tables["machine"].itertuples()} if "machine" in tables else {}}


def _version(provenance):
    for key in ("version", "plumbline", "plumbline_version"):
        if isinstance(provenance.get(key), str):
            return provenance[key]
    return None


def _parsed(text):
    try:
        parsed = json.loads(text)
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def few(texts, most=NAMED):
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def _sentence(text):
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def count(amount, noun):
    return f"{amount} {noun}{'' if amount == 1 else 's'}"


def _reasons(rows, key="reason"):
    counted = collections.Counter(row.get(key) or row.get("reason") or f"status {row['status']}" for row in rows)
    return few([f"{reason} ({amount})" for reason, amount in counted.most_common()], 3)
