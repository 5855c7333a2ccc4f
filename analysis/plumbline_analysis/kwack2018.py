"""The experiment of Kwack et al. 2018 (section III) beside the paper: its tables V to VII, and a summary of the three campaigns.

Every statistic is one that `plumbline score --json` printed; here they are only chosen and set beside each other.
"""
import csv
import itertools
import json
import os
import re
import subprocess

from . import judged
from .errors import InputError
from .load import load

CAMPAIGNS = ("series", "series_flows", "stencils")
STENCILS_HERE = "stencils_here"  # with the caches of the machine that counted; a folder may lack it
REFILLS, ACCESSES, REFERENCES = "refills x 64 B", "accesses x 16 B", "emulated.bytes.reg-L1"
PAPERS_NAME = {REFILLS: "DCR_GOOD", ACCESSES: "L1_DCA"}
SMALL, LARGE = (64, 256), (1024, 4096)  # row lengths of the series' arrays
HOW = "run 'bash jobs/kwack2018.sh -o DIR', or score the file with --json --by precision,form,m,flavor --by kernel,precision,level"


class Campaign:
    """One result file and what was judged of it."""

    def __init__(self, folder, name):
        self.name = name
        self.tables = load(os.path.join(folder, f"{name}.h5"))
        path = os.path.join(folder, f"{name}.score.json")
        self.score = judged.read(path, "score")
        if "groups" not in self.score or "intensities" not in self.score:
            raise InputError(f"'{path}' has no groups or no intensities; {HOW}")

    def groups(self, counter, convention, *keys):
        """The groups of those that agree in exactly these properties, each as (group, entry)."""
        return [(entry["group"], entry) for entry in self.score["groups"]
                if entry["counter"] == counter and entry["convention"] == convention and set(entry["group"]) == set(keys)]

    def rows(self, counter, convention="paper"):
        return [row for row in self.score["rows"]
                if row["counter"] == counter and row["convention"] == convention and row["measured"] is not None]

    def real_seconds(self):
        """The time from the first case to the start of the last, over all sessions."""
        by_session = self.tables["outcomes"].groupby("session").started_unix_ns
        return float((by_session.max() - by_session.min()).sum()) * 1e-9


def read(folder):
    there = os.path.exists(os.path.join(folder, f"{STENCILS_HERE}.h5"))
    return {name: Campaign(folder, name) for name in CAMPAIGNS + ((STENCILS_HERE,) if there else ())}


def properties(case):
    """The parts of a case's id: its kernel, precision, parameters, compiler and level."""
    suite, kernel, precision, *parameters, _, flavor = case.split("/")
    compiler, level, *_ = flavor.split("-") + [""]
    return {"kernel": f"{suite}/{kernel}", "precision": precision, "compiler": compiler, "level": level,
            **dict(parameter.split("=", 1) for parameter in parameters)}


def papers_table(name):
    path = os.path.join(os.path.dirname(__file__), "data", name)
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


# ------------------------------------------------------------------------------------------------------------------ tables


def tables_5_and_6(stencils):
    """Rows {quantity, counter, papers_name, here: {n, min, geometric_mean, max}, paper: {...} or None}."""
    bytes_here = {entry["counter"]: {"n": entry["n"], "min": entry["min"], "geometric_mean": entry["bias"], "max": entry["max"]}
                  for entry in stencils.score["counters"] if entry["quantity"] == "paper.bytes"}
    intensity_here = {entry["counter"]: {key: entry[key] for key in ("n", "min", "geometric_mean", "max")}
                      for entry in stencils.score["intensity_counters"]}
    paper = {(row["quantity"], row["counter"]): {key: float(row[key]) for key in ("min", "geometric_mean", "max")}
             for row in papers_table("kwack2018_tables5_6.csv")}
    return [{"quantity": quantity, "counter": counter, "papers_name": PAPERS_NAME[counter], "here": here[counter],
             "paper": paper[quantity, PAPERS_NAME[counter]]}
            for quantity, here in (("bytes", bytes_here), ("intensity", intensity_here)) for counter in (ACCESSES, REFILLS)
            if counter in here]


def stencils_here(campaign):
    """The two candidates on the stencils with this machine's caches, by level of optimization: against the flows and by the paper's
    convention. {caches: {level: bytes}, rows: [{counter, convention, level, n, min, geometric_mean, max}]}"""
    machine = json.loads(campaign.tables["machine"].json.iloc[0])
    return {"caches": {f"L{cache['level']}": cache["bytes"] for cache in machine.get("caches") or []},
            "rows": [{"counter": counter, "convention": convention, "level": group["level"],
                      **{key: entry[key] for key in ("n", "min", "geometric_mean", "max")}}
                     for counter in (ACCESSES, REFILLS) for convention in ("paper", "flow")
                     for group, entry in campaign.groups(counter, convention, "level") if entry["n"]]}


def table_7(stencils):
    """Intensity by Advisor's convention, in which every load and store that is issued moves its bytes: Advisor's, and ours by compiler."""
    rows = []
    for line, precision in itertools.product(papers_table("kwack2018_table7.csv"), ("fp64", "fp32")):
        ours = {}
        for entry in stencils.score["intensities"]:
            case = properties(entry["case"])
            if (entry["counter"], case["kernel"], case["n"], case["precision"], case["level"]) == (REFERENCES, line["kernel"], line["n"], precision, "O3"):
                ours[case["compiler"]], exact = entry["flops_per_byte"], entry["exact"]
        if ours:
            rows.append({"kernel": line["kernel"], "n": int(line["n"]), "precision": precision, "exact": exact, "advisor": float(line[precision]),
                         "here": ours})
    return rows


# ----------------------------------------------------------------------------------------------------------- extrapolation


def extrapolation(series):
    """Counts are a line over the number of points: how many counts of the two large sizes the two small ones foretell, and how many
    of these to the last one."""
    found = {}
    for row in itertools.chain(series.rows("emulated.flops"), series.rows(ACCESSES), series.rows(REFERENCES)):
        m = int(re.search(r"/m=(\d+)/", row["case"]).group(1))
        found.setdefault((row["counter"], re.sub(r"/m=\d+/", "/", row["case"])), {})[m] = row["measured"]
    totals = {}
    for (counter, _), counts in found.items():
        if not all(m in counts for m in SMALL):
            continue
        total = totals.setdefault(counter, {"foretold": 0, "exact": 0})
        slope = (counts[SMALL[1]] - counts[SMALL[0]]) / (SMALL[1] ** 2 - SMALL[0] ** 2)
        for m in LARGE:
            if m in counts:
                total["foretold"] += 1
                total["exact"] += counts[SMALL[0]] + slope * (m**2 - SMALL[0] ** 2) == counts[m]
    return totals


def refills_per_point(flows):
    """Bytes of refills a point over the exact ones, by row length: whether what holds for the small arrays holds for the large."""
    worst = {}
    for row in flows.rows(REFILLS):
        worst.setdefault(properties(row["case"])["m"], []).append(row["ratio"])
    return [{"m": int(m), "cases": len(ratios), "min": min(ratios), "max": max(ratios)} for m, ratios in sorted(worst.items(), key=lambda i: int(i[0]))]


# ----------------------------------------------------------------------------------------------------------------- summary


def summary(campaigns):
    """The numbers that the golden file keeps."""
    stencils = campaigns["stencils"]
    here = {STENCILS_HERE: stencils_here(campaigns[STENCILS_HERE])} if STENCILS_HERE in campaigns else {}
    return {"schema": "plumbline-kwack2018/1",
            "campaigns": {name: _facts(campaign) for name, campaign in campaigns.items()},
            "groups": [_group(name, entry) for name, campaign in campaigns.items() for entry in campaign.score["groups"]
                       if set(entry["group"]) == {"kernel", "precision", "level"} and _is_kept(entry)],
            "counters": [{"campaign": name, **{key: entry[key] for key in ("counter", "quantity", "convention", "n", "grade", "reason")}}
                         for name, campaign in campaigns.items() for entry in campaign.score["counters"]
                         if entry["n"] and _is_kept(entry)],
            "tables_5_and_6": tables_5_and_6(stencils),
            **here,
            "table_7": table_7(stencils),
            "extrapolation": extrapolation(campaigns["series"]),
            "refills_per_point": refills_per_point(campaigns["series_flows"]),
            "cases": some_cases(campaigns)}


def _is_kept(entry):
    return entry["counter"] in (REFILLS, ACCESSES, REFERENCES) or entry["quantity"] in ("paper.flops", "flops.fp64", "flops.fp32")


def _facts(campaign):
    provenance = campaign.tables["cases"].attrs["provenance"]
    outcomes = campaign.tables["outcomes"]
    return {"cases": len(campaign.tables["cases"]), "counted": int((outcomes.status == "ok").sum()), "real_seconds": round(campaign.real_seconds()),
            "sessions": int(outcomes.session.nunique()), "cpu": provenance.get("cpu", {}).get("name"),
            "compilers": compilers(provenance, campaign.tables["cases"].flavor),
            "flop_totals": sum(1 for row in campaign.score["rows"] if _is_flop_total(row)),
            "flop_totals_equal_to_the_arithmetic": sum(1 for row in campaign.score["rows"] if _is_flop_total(row) and row["ratio"] == 1)}


def compilers(provenance, flavors):
    """The version of each compiler of these flavors, where it is at hand: counts of loads and stores are those of one version."""
    commands = provenance.get("build", {}).get("flavors", {})
    programs = {flavor.split("-")[0]: commands[flavor].split()[0] for flavor in sorted(set(flavors)) if flavor in commands}
    return {name: _version(program) for name, program in programs.items()}


def _version(program):
    try:
        told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.search(r"\d+\.\d+\.\d+", told)
    return found.group() if found else None


def _is_flop_total(row):
    return row["quantity"] in ("flops.fp64", "flops.fp32") and row["convention"] == "flow" and row["measured"] is not None


def _group(name, entry):
    return {"campaign": name, **entry["group"], **{key: entry[key] for key in ("counter", "quantity", "convention", "n", "min", "geometric_mean", "max")}}


def some_cases(campaigns):
    """The counts themselves of the smallest arrays at three orders: a run anywhere must find them again."""
    kept = {}
    for name, campaign in campaigns.items():
        for counter in ("emulated.flops", ACCESSES, REFERENCES, REFILLS):
            for row in campaign.rows(counter):
                case = properties(row["case"])
                if "m" in case and case["m"] == "64" and case["n"] in ("1", "8", "29"):
                    kept.setdefault(row["case"], {})[counter] = row["measured"]
    return dict(sorted(kept.items()))


# -------------------------------------------------------------------------------------------------------------------- text


def _line(cells, widths):
    return "  ".join(str(cell).ljust(width) if index == 0 else str(cell).rjust(width) for index, (cell, width) in enumerate(zip(cells, widths)))


def _text(title, head, rows):
    cells = [head] + [[cell if isinstance(cell, str) else f"{cell:.4g}" for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return "\n".join([title, "", _line(head, widths), _line(["-" * width for width in widths], widths), *(_line(row, widths) for row in cells[1:]), ""])


def _grades(found):
    """The grades that plumbline score gave the two candidates, against the flows and by the paper's convention."""
    lines = [f"{entry['campaign']}, {entry['counter']}, {'against the flows' if entry['convention'] == 'flow' else 'as the paper has it'}: "
             f"{entry['grade']}, {entry['reason']}" for entry in found["counters"] if entry["counter"] in PAPERS_NAME]
    return "\n".join(["Grades", "", *lines, ""])


def as_text(found):
    """The tables as they go to the terminal."""
    counted = [[name, str(facts["cases"]), str(facts["counted"]), f"{facts['real_seconds'] / 60:.1f}",
                f"{facts['flop_totals_equal_to_the_arithmetic']} of {facts['flop_totals']}"] for name, facts in found["campaigns"].items()]
    both = [[f"{row['quantity']} by {row['counter']} ({row['papers_name']})", *(row["here"][key] for key in ("min", "geometric_mean", "max")),
             *(row["paper"][key] for key in ("min", "geometric_mean", "max"))] for row in found["tables_5_and_6"]]
    here = found.get(STENCILS_HERE)
    own_caches = [] if here is None else [_text(
        f"Stencils with the caches of the machine that counted ({', '.join(f'{level} {size // 1024} KiB' for level, size in here['caches'].items())})",
        ["", "held against", "cases", "min", "geo. mean", "max"],
        [[f"bytes by {row['counter']}, {row['level']}", {"paper": "the paper's bytes", "flow": "the flows"}[row["convention"]], str(row["n"]),
          *(row[key] for key in ("min", "geometric_mean", "max"))] for row in here["rows"]])]
    compilers = sorted({compiler for row in found["table_7"] for compiler in row["here"]})
    seventh = [[f"{row['kernel']} {row['precision']} n={row['n']}", f"{row['exact']:.5f}", f"{row['advisor']:.5f}",
                *(f"{row['here'][compiler]:.5f}" if compiler in row["here"] else "-" for compiler in compilers)] for row in found["table_7"]]
    lines = [[counter, str(total["foretold"]), str(total["exact"])] for counter, total in found["extrapolation"].items()]
    points = [[f"m={row['m']}", str(row["cases"]), row["min"], row["max"]] for row in found["refills_per_point"]]
    return "\n".join([
        _text("What was counted", ["campaign", "cases", "counted", "minutes", "FLOP totals equal to the arithmetic"], counted),
        _text("Tables V and VI, stencils: measured over exact, here and in the paper",
              ["", "min", "geo. mean", "max", "paper: min", "geo. mean", "max"], both),
        *own_caches,
        _text("Table VII, FLOPs a byte by Advisor's convention (all bytes that loads and stores move)",
              ["", "exact", "Advisor", *compilers], seventh),
        _grades(found),
        _text("Series: counts of the two large arrays foretold by a line through the two small ones", ["", "foretold", "exact"], lines),
        _text("Series: refills over exact bytes, by row length", ["", "cases", "min", "max"], points)])
