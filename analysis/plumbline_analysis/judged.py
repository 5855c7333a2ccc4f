"""Every judgement drawn here is what `plumbline ceilings`, `show`, `score`, `nodes`, `compare` or `history` prints with --json."""
import json
import re

from .errors import InputError

# The keys a row must have for us to draw it; others may come.
NEEDED = {
    "ceilings": ("name", "precision", "level", "pattern", "ranks", "threads", "node", "value", "unit", "status"),
    "show": ("case", "kernel", "precision", "ranks", "threads", "node", "gflops", "levels", "status"),
    "nodes": ("node", "verdict", "peers", "rows", "slowdown", "suspicious", "again", "again_peers", "conditions"),
    "history": ("what", "node", "unit", "state", "level_nights", "changes", "points"),
    "compare": ("what", "node", "verdict", "status"),
    "project-matrix": ("from", "to", "case", "method", "kind", "projected_seconds", "projected_lo", "projected_hi", "measured_seconds", "is_inside"),
    "project-scaling": ("case", "scaling", "nodes", "ranks", "seconds", "seconds_lo", "seconds_hi", "efficiency", "computing_share", "exchanging_share",
                        "summing_share", "waiting_share"),
    "score": ("case", "counter", "quantity", "ratio", "status"),
}


# The words of a command whose document has another name.
WORDS = {"project-matrix": "project FILE --matrix", "project-scaling": "project FILE --nodes 1:1000"}


def _advice(command):
    return f"write it with plumbline {WORDS.get(command, f'{command} FILE')} --json"


def read(path, command, notes=None):
    """The document that `plumbline COMMAND --json` wrote to `path`. One of a newer version is empty, and `notes` says so, where there are any."""
    advice = _advice(command)
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {error.strerror}; {advice}") from error
    except ValueError as error:
        raise InputError(f"'{path}' is no JSON ({' '.join(str(error).split())}); {advice}") from error
    return checked(document, command, path, notes)


def checked(document, command, path, notes=None):
    """The document, if it has what is drawn of it; `path` is where it came from."""
    advice = _advice(command)
    schema = document.get("schema") if isinstance(document, dict) else None
    if notes is not None and _is_newer(schema, command):
        notes.append(f"all that plumbline {command} tells (its table is {schema}, newer than this package reads: update plumbline_analysis)")
        return {"schema": f"plumbline-{command}/1", "rows": [], "notes": []}
    if schema != f"plumbline-{command}/1":
        raise InputError(f"'{path}' has schema {schema!r}, not 'plumbline-{command}/1'; {advice}")
    rows = document.get("rows")
    if not isinstance(rows, list):
        raise InputError(f"'{path}' has no list of rows; {advice}")
    for number, row in enumerate(rows):
        missing = [key for key in NEEDED[command] if not isinstance(row, dict) or key not in row]
        if missing:
            raise InputError(f"'{path}': row {number} has no '{missing[0]}'; {advice}")
    return document


def _is_newer(schema, command):
    found = re.fullmatch(rf"plumbline-{command}/(\d+)", schema) if isinstance(schema, str) else None
    return found is not None and int(found.group(1)) > 1


def number(value):
    """A finite positive number as float, else None: what a log axis can show."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0.0 < value < float("inf") else None


def team(row):
    """The team that worked on a case, or reached a ceiling: "r1t2", or the node's GPUs: "GPU", "GPU1", "GPU, GPU1", ..."""
    if row.get("together"):
        return row["together"]
    if row.get("scope") == "GPU":
        return gpu_of(row["name"])
    if re.search(r"/g\d+/", row.get("case", "")):
        return row.get("gpu") or "GPU"
    return f"r{row['ranks']}t{row['threads']}"


def gpu_of(name):
    """The first word of a GPU's ceiling; what the user states of GPUs has none."""
    word = name.split(" ")[0]
    return word if re.fullmatch(r"GPU\d*", word) else "GPU"


def is_gpu(team_name):
    return team_name.startswith("GPU")


def teams_of(rows):
    """The teams of the rows of the table /ceilings."""
    teams = "r" + rows.ranks.astype(str) + "t" + rows.threads.astype(str)
    return teams.where(rows.scope != "GPU", rows.name.map(gpu_of)) if "scope" in rows else teams
