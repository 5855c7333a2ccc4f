"""Tables of the page hold like nodes beside each other: who is worse, what it measured again, and what was seen of it meanwhile."""

NODES = ("node", "verdict", "peers", "rows", "suspicious", "slowdown_percent", "reason", "kind")
SUSPICIOUS = ("node", "what", "class", "value", "peers_value", "unit", "slowdown_percent", "from_percent", "to_percent", "clock_ghz",
              "peers_clock_ghz")
AGAIN = ("node", "what", "confirmed", "slowdown_percent", "from_percent", "to_percent", "time_seconds", "peers_time_seconds", "turns", "clock_ghz",
         "peers_clock_ghz", "peers")
WRONG = ("node", "what", "reason", "peers_right", "peers_wrong")
UNITS = {"value_seconds": "seconds", "value_gflops": "GFLOP/s", "value_gbs": "GB/s"}
ALL = "all of these"  # the median over what was measured again


def tables(document):
    """The tables (title, columns, rows) of `plumbline nodes --json`; none where the file has one node."""
    rows = sorted(document["rows"], key=lambda row: row["verdict"] == "ALIKE")
    if len(rows) < 2:
        return []
    found = [("Nodes", NODES, [_node(row) for row in rows]),
             ("Nodes: wrong results", WRONG, document.get("wrong_results", [])),
             ("Nodes: suspicious at first", SUSPICIOUS, [_suspicious(row, one) for row in rows for one in row["suspicious"]]),
             ("Nodes: measured again", AGAIN, [_again(row, one) for row in rows for one in row["again"]]),
             ("Nodes: seen while they measured again", *_conditions(rows))]
    return [table for table in found if table[2]]


def _node(row):
    return {**row, "suspicious": len(row["suspicious"]), "slowdown_percent": _percent(row["slowdown"])}


def _judged(row, one):
    return {"node": row["node"], "slowdown_percent": _percent(one["slowdown"]), "from_percent": _percent(one["slowdown_lo"]),
            "to_percent": _percent(one["slowdown_hi"]), "clock_ghz": _ghz(one["clock_hz"]), "peers_clock_ghz": _ghz(one["peers_clock_hz"])}


def _suspicious(row, one):
    key = next((key for key in UNITS if key in one), None)
    values = {"value": one[key], "peers_value": one.get(f"peers_{key.removeprefix('value_')}"), "unit": UNITS[key]} if key else {}
    return {"what": one["what"], "class": one["class"], **values, **_judged(row, one)}


def _again(row, one):
    return {**one, "what": one["what"] or ALL, "confirmed": "yes" if one["confirmed"] else "no", "peers": ", ".join(row["again_peers"]),
            **_judged(row, one)}


def _conditions(rows):
    """A condition a line, a node a column: its value, or why it is not known there."""
    seen = [row for row in rows if row["conditions"]]
    names = sorted({name for row in seen for name in row["conditions"]})
    return ("condition", *(row["node"] for row in seen)), [{"condition": name, **{row["node"]: _seen(row, name) for row in seen}} for name in names]


def _seen(row, name):
    one = row["conditions"].get(name, {})
    return one.get("reason", "not observed") if one.get("value") is None else one["value"]


def _percent(ratio):
    return None if ratio is None else round(100.0 * (ratio - 1.0), 1)


def _ghz(hertz):
    return None if hertz is None else hertz * 1e-9
