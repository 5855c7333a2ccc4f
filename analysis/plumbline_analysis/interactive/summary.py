"""The summary at the head of the page, in words for somebody who reads nothing else: five questions, each with its answers."""
import collections
import json
import re
import statistics
import time

from .. import style
from ..judged import number, team
from .panels import LIMITS, percent, seconds, team_words

NAMED = 5  # of a list, then "and n more"


def sections(facts, judged, notes, against=None):
    """Questions with their answers, as [(question, [sentence, ...])]. `facts`: what the file says of itself; `judged`: command -> document; `notes`: what could not be drawn."""
    show, ceilings, score, nodes = (judged.get(command) or {"rows": []} for command in ("show", "ceilings", "score", "nodes"))
    found = [("What was measured", list(_measured(facts, show, ceilings))),
             ("How well", list(_quality(show, ceilings, score, nodes))),
             ("What bounds what", list(_bounds(show, ceilings)))]
    if against:
        found.append((f"Against {against['name']}", list(_compared(against["document"]))))
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
        wall = f", which ran for {seconds(profile['wall_seconds'])}" if number(profile.get("wall_seconds")) else ""
        yield f"The program {' '.join(profile.get('command') or ['?'])}{wall}."
    if cases:
        precisions = sorted({row["precision"] for row in cases} - {"-"})
        teams = sorted({team(row) for row in cases})
        yield (f"{_count(len(cases), 'case')} of {_count(len(kernels), 'kernel')} ({few(kernels)})" + (f" in {few(precisions)}" if precisions else "")
               + f", by {few([team_words(one) for one in teams])}.")
    levels = collections.Counter(row["level"] for row in ceilings["rows"] if number(row["value"]))
    if levels:
        memory = [style.level_name(level) for level in style.LEVELS if levels[level]]
        yield f"{_count(sum(levels.values()), 'ceiling')}: what the machine attains at best, in arithmetic and in {few(memory, 9) or 'no level of memory'}."
    if nodes:
        yield f"On {_count(len(nodes), 'node')}: {few([_node_words(node, facts) for node in nodes])}."
    told = [facts.get("campaign_name") and f"campaign '{facts['campaign_name']}'", facts.get("started") and f"begun {facts['started']}",
            facts.get("version") and f"plumbline {facts['version']}"]
    if any(told):
        yield _sentence(", ".join(filter(None, told)))
    if not rows and not ceilings["rows"]:
        yield "The file holds no case and no ceiling."


def _node_words(node, facts):
    machine = facts.get("machines", {}).get(node) or {}
    cpu = machine.get("cpu") or {}
    parts = [cpu.get("name"), machine.get("cores") and _count(machine["cores"], "core"), "a virtual machine" if cpu.get("virtual_machine") else None]
    parts += [gpu.get("name") if isinstance(gpu, dict) else str(gpu) for gpu in machine.get("gpus") or []]
    parts = [str(part) for part in parts if part]
    return f"{node} ({', '.join(parts)})" if parts else node


def _quality(show, ceilings, score, nodes):
    failed = [row for row in show["rows"] if row["status"] not in ("ok", "skipped")]
    skipped = [row for row in show["rows"] if row["status"] == "skipped"]
    if failed:
        yield f"{_count(len(failed), 'case')} failed or could not be measured: {_reasons(failed)}."
    elif show["rows"]:
        yield "Every case that was tried has a result." if skipped else "Every case has a result."
    if skipped:
        yield f"{_count(len(skipped), 'case')} skipped: {_reasons(skipped)}."
    for row in nodes.get("wrong_results", []):
        yield f"Wrong result: {row['what']} on {row['node']}: {row['reason']}."
    yield from _counters(score)
    for note in ceilings.get("notes", []):
        if note.startswith("disturbed"):
            yield _sentence(note.replace(", marked !,", ""))
    for note in show.get("notes", []):
        if note.startswith("all repetitions were disturbed"):
            yield _sentence(note)
    verdicts = collections.Counter(row["verdict"] for row in nodes["rows"] if row["verdict"] != "ALONE")
    if verdicts:
        words = ", ".join(f"{_count(count, 'node')} {verdict.lower()}" for verdict, count in verdicts.most_common())
        bad = [row["node"] for row in nodes["rows"] if row["verdict"] not in ("ALIKE", "ALONE", "NOT CONFIRMED")]
        yield f"Held against like nodes: {words}" + (f"; look at {few(bad)}." if bad else ".")


def _counters(score):
    graded = [entry for entry in score.get("counters", []) if entry.get("grade") and entry.get("convention", "flow") == "flow"]
    if not graded:
        if score["rows"]:
            yield "No counter could be graded: nothing was counted."
        return
    grades = collections.Counter(entry["grade"] for entry in graded)
    yield (f"Of {_count(len(graded), 'counter')} held against exact arithmetic {grades['A']} can be trusted as they are (grade A)"
           + "".join(f", {grades[grade]} {words}" for grade, words in
                     (("B", "with a correction or with less evidence (B)"), ("C", "in part of the cases (C)"), ("D", "not at all (D)"), ("F", "not at all (F)"))
                     if grades[grade]) + ".")
    rejected = [entry["counter"] for entry in graded if entry["grade"] in "DF"]
    if rejected:
        yield f"Not to be trusted here: {few(sorted(set(rejected)))}."
    by_paper = [entry for entry in score.get("counters", []) if entry.get("grade") in ("D", "F") and entry.get("convention", "flow") != "flow"]
    if by_paper:
        yield f"Papers count bytes otherwise: by their conventions {_count(len(by_paper), 'counter')} would not be right here (see the table of counters)."


def _bounds(show, ceilings):
    placed = [row for row in show["rows"] if row.get("bound") and number(row.get("percent_of_roof")) and number(row["gflops"])]
    if not placed:
        if not show["rows"]:
            yield "No case was measured" + (": the file has ceilings alone." if ceilings["rows"] else ".")
        else:
            why = "the file has no ceilings" if not ceilings["rows"] else "no case has both FLOP/s and an arithmetic intensity"
            yield f"Nothing can be said: {why}."
        return
    bounds = collections.Counter("arithmetic" if row["bound"] == "compute" else f"{style.level_name(row['bound'])} bandwidth" for row in placed)
    middle = statistics.median(row["percent_of_roof"] for row in placed)
    yield (f"Of {_count(len(placed), 'point')} under the roofs " + ", ".join(f"{count} {'is' if count == 1 else 'are'} bounded by {what}" for what, count in bounds.most_common())
           + f"; half of them reach {style.short(middle)} % of their roof or more.")
    low = [row for row in placed if row["percent_of_roof"] < 50]
    if low:
        limits = collections.Counter(limit for row in low for limit in (row.get("shortfall") or {}).get("limits", []))
        told = few([f"{LIMITS.get(limit, limit)} ({count})" for limit, count in limits.most_common()])
        yield f"{_count(len(low), 'point')} reach less than half of their roof" + (f"; limited also by {told}." if told else "; what else limits them is not known.")
    above = [row for row in placed if row["percent_of_roof"] > 100]
    if above:
        unexplained = [row for row in above if not row.get("above_roof_reason")]
        told = "each with a reason" if not unexplained else f"{len(unexplained)} without a reason that is known"
        yield f"{_count(len(above), 'point')} lie{'s' if len(above) == 1 else ''} above the roof (ringed in the figure), {told}."


def _compared(document):
    told = [row for row in document["rows"] if row["verdict"]]
    verdicts = collections.Counter(row["verdict"] for row in told)
    words = {"SLOWER": "slower", "FASTER": "faster", "SAME": "the same within the threshold", "AMBIGUOUS": "too scattered to tell"}
    if told:
        yield (f"Of {_count(len(told), 'comparison')}: "
               + ", ".join(f"{count} {words.get(verdict, verdict.lower())}" for verdict, count in verdicts.most_common()) + ".")
    untold = [row for row in document["rows"] if not row["verdict"]]
    if untold:
        yield f"{_count(len(untold), 'row')} cannot be compared: {_reasons(untold)}."
    slow = sorted((row for row in document["rows"] if row["verdict"] == "SLOWER" and number(row.get("slowdown"))), key=lambda row: -row["slowdown"])
    if slow:
        told = [f"{row['what']} on {row['node']}, {style.short(row['slowdown'])} times the time" for row in slow]
        yield f"Slowed most: {few(told, 3)}."


def _missing(show, notes):
    for note in notes:
        yield _sentence(f"left out: {note}")
    unplaced = [row for row in show["rows"] if not number(row.get("percent_of_roof")) and number(row["gflops"])]
    if unplaced:
        yield f"{_count(len(unplaced), 'case')} with FLOP/s {'has' if len(unplaced) == 1 else 'have'} no roof: {_reasons(unplaced, 'bound_reason')}."


def _advice(facts, show, ceilings, score, nodes):
    file = facts.get("file", "FILE")
    campaign = facts.get("campaign_name") or "CAMPAIGN"
    if any("is not whole" in note for note in nodes.get("notes", [])):
        yield f"The run did not finish: plumbline run {campaign} -o {file} --resume goes on with it."
    elif any(row["status"] == "failed" for row in show["rows"]):
        yield f"Look into the failed cases (their reasons are in the table below), then: plumbline run {campaign} -o {file} --resume"
    if not ceilings["rows"]:
        yield "Measure ceilings, without which nothing is bounded: give the campaign a [ceilings] table, or run plumbline run quick."
    if any(note.startswith(("disturbed run", "disturbed:")) for note in ceilings.get("notes", [])):
        yield "The machine was disturbed while it was measured: repeat the run on a quiet node before you rely on differences of a few percent."
    if any(entry.get("grade") in ("D", "F") for entry in score.get("counters", [])):
        yield f"plumbline score {file} --choose SET.toml names the counters to use; those of grade D mislead here."
    if show["rows"] and not any(row.get("bytes_source") == "hardware" for row in show["rows"]):
        yield "No bytes were counted by hardware: plumbline doctor says what stands in the way on this machine."
    for row in nodes["rows"]:
        if row["verdict"] not in ("ALIKE", "ALONE", "NOT CONFIRMED"):
            yield f"Take {row['node']} out of service until it is looked at: plumbline nodes {file} shows the evidence."
    yield from _slowest(show)


def _slowest(show):
    """The place where work on a program pays most: the largest share of its time that lies under its roof."""
    profile = show.get("profile") or {}
    rows = [row for row in profile.get("rows") or [] if row.get("kind") == "function" and number(row.get("share")) and number(row.get("percent_of_roof"))]
    if rows:
        row = max(rows, key=lambda row: row["share"] * max(0.0, 1 - row["percent_of_roof"] / 100))
        bound = "arithmetic" if row["bound"] == "compute" else f"{style.level_name(row['bound'])} bandwidth"
        yield (f"Begin with {row['name']}: {percent(row['share'])} of the time, at {style.short(row['percent_of_roof'])} % of what {bound} allows.")


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


def _count(amount, noun):
    return f"{amount} {noun}{'' if amount == 1 else 's'}"


def _reasons(rows, key="reason"):
    counted = collections.Counter(row.get(key) or row.get("reason") or f"status {row['status']}" for row in rows)
    return few([f"{reason} ({count})" for reason, count in counted.most_common()], 3)
