"""A case's id tells its parameters; cases that differ in one of them alone are a series, which moves through a figure."""
import re
from dataclasses import dataclass

TEAM = re.compile(r"(r\d+t\d+(g\d+)?|g\d+)")


@dataclass
class Series:
    """Cases that agree in all but one parameter, in its order."""

    kernel: str
    parameter: str
    fixed: str  # what the cases agree in
    rows: list
    values: list


def parameters_of(row):
    """The parameters by name: KERNEL/PRECISION/name=value/.../TEAM/FLAVOR; numbers are numbers. The phase of an application is one too."""
    case, _, phase = row["case"].partition("#")
    found = {}
    for part in case.split("/"):
        name, equals, value = part.partition("=")
        if equals:
            found[name] = float(value) if re.fullmatch(r"-?\d+(\.\d+)?", value) else value
    return {**found, "phase": phase} if phase else found


def whole_team(row):
    """Workers of a case's team, its precision and its flavor: parameters that stand in columns of their own."""
    return {"ranks": row["ranks"], "threads": row["threads"], "precision": row["precision"], "flavor": row.get("flavor") or ""}


def series_of(rows, parameter=None, least=3, ignored=()):
    """The series of `least` or more cases with a number as parameter (each such parameter, or the named one; ranks and threads among them),
    longest first. `ignored`: parameters that may change along."""
    of_rows = [({**parameters_of(row), **whole_team(row)}, row) for row in rows]
    names = {name for all_of, _ in of_rows for name, value in all_of.items() if isinstance(value, (int, float)) and parameter in (None, name)}
    found = []
    for name in sorted(names):
        alike = {}
        for all_of, row in of_rows:
            if isinstance(all_of.get(name), (int, float)):
                rest = tuple(sorted((key, f"{value:g}" if isinstance(value, float) else str(value)) for key, value in all_of.items() if key != name and key not in ignored))
                alike.setdefault((row["node"], row["kernel"], rest), {}).setdefault(all_of[name], row)
        for (_, kernel, rest), by_value in alike.items():
            if len(by_value) >= least:
                values = sorted(by_value)
                fixed = " ".join(f"{key}={text}" for key, text in rest if key not in ("ranks", "threads", "flavor", "precision") and text)
                flavor = dict(rest).get("flavor", "")
                found.append(Series(kernel, name, f"{fixed} {flavor}".strip(), [by_value[value] for value in values], values))
    return sorted(found, key=lambda one: (-len(one.rows), one.kernel, one.parameter, one.fixed))
