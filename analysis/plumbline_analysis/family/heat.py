"""Heat maps: what a counter sees of each flow (cross-talk), and how the nodes of a file compare, ceiling by ceiling."""
import statistics

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from .. import style
from ..judged import number, team

WRONG = LinearSegmentedColormap.from_list("wrong", ["#ffffff", "#FBEBDF", "#E69F00", "#D55E00"])
SLOWER = LinearSegmentedColormap.from_list("slower", ["#0072B2", "#ffffff", "#D55E00"])
ROWS_A_MAP, SPAN = 40, 0.15  # beyond 15 % a node is as dark as it gets
NEARLY_NOTHING = 0.005


# ------------------------------------------------------------------------------------------------------------------ cross-talk


def cross_talk_of(score):
    """The flows by the quantity that counters claim, and each counter with its weights by flow."""
    maps = {}
    for counter in score.get("counters", []):
        talk = counter.get("cross_talk") or {}
        if talk.get("status") == "ok" and talk.get("flows"):
            flows, counters = maps.setdefault(talk["of"], ([], {}))
            flows += [flow["quantity"] for flow in talk["flows"] if flow["quantity"] not in flows]
            counters[counter["counter"]] = {flow["quantity"]: flow for flow in talk["flows"]}
    return dict(sorted(maps.items()))


def draw_cross_talk(maps):
    """A block a quantity: a line a counter, a column a flow; framed where the counter claims the flow."""
    heads = {quantity: 0.5 + 0.14 * max(_flow_words(name, quantity).count("\n") for name in flows) for quantity, (flows, _) in maps.items()}
    counters, most = sum(len(found) for _, found in maps.values()), max(len(flows) for flows, _ in maps.values())
    cell, line = min(1.25, 7.4 / most), 0.3
    width, height = max(7.2, 3.4 + cell * most), 0.9 + line * counters + sum(heads.values()) + 0.2 * len(maps)
    figure = style.figure(width, height)
    at = height - 0.75
    for quantity, (flows, found) in maps.items():
        figure.text(0.012, (at - 0.1) / height, quantity, va="top", fontsize=9, fontweight="bold")
        at -= heads[quantity]
        tall = line * len(found)
        axes = figure.add_axes((3.3 / width, (at - tall) / height, cell * len(flows) / width, tall / height))
        _draw_talk(axes, quantity, flows, found)
        at -= tall + 0.2
    figure.text(0.012, 1 - 0.12 / height, "Cross-talk: how much of each flow a counter counts", va="top", fontsize=11, fontweight="bold")
    figure.text(0.012, 1 - 0.4 / height, "framed: it claims the flow and should count 1 of it; elsewhere 0. The more colour, the farther from that.\n"
                "hatched: not tested, as no case of this file moves the flow apart from the others (a number there: what it may be)",
                va="top", fontsize=8, color="#555555", linespacing=1.3)
    return figure


def _draw_talk(axes, quantity, flows, found):
    for line, (_, by_flow) in enumerate(found.items()):
        for column, name in enumerate(flows):
            if name in by_flow:
                _draw_cell(axes, column, line, by_flow[name])
    axes.set_xlim(0, len(flows))
    axes.set_ylim(len(found), 0)
    axes.set_yticks([line + 0.5 for line in range(len(found))], [style.shortened(name, 42) for name in found], fontsize=7.5)
    axes.set_xticks([column + 0.5 for column in range(len(flows))], [_flow_words(name, quantity) for name in flows], fontsize=7.5)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def _draw_cell(axes, column, line, flow):
    """A cell by how far it is off; one that was not tested is hatched, without a number that would be read as a finding."""
    weight, due = flow["weight"] or 0.0, 1.0 if flow["claimed"] else 0.0
    if flow["claimed"]:
        axes.add_patch(Rectangle((column + 0.03, line + 0.07), 0.94, 0.86, fc="none", ec=style.INK, lw=1.1, zorder=3, gid="claimed"))
    if flow["told_apart"]:
        off = min(1.0, abs(weight - due))
        axes.add_patch(Rectangle((column, line), 1, 1, fc=WRONG(off if off > NEARLY_NOTHING else 0.0), ec="#dddddd", lw=0.6, gid="cell"))
    else:
        off = 0.0
        axes.add_patch(Rectangle((column, line), 1, 1, fc="#ececec", ec="#c4c4c4", lw=0.6, hatch="////", gid="untested"))
    if flow["told_apart"] or weight > NEARLY_NOTHING:
        axes.text(column + 0.5, line + 0.5, f"{weight:.2f}{'' if flow['told_apart'] else ' ?'}", ha="center", va="center", fontsize=7.5,
                  color="white" if off > 0.8 else style.INK)


def _flow_words(name, quantity):
    """The part of a flow's name that the quantity does not say, over two lines where it is long."""
    return name.removeprefix(f"{quantity}.").replace("/", "/\n").replace("_", "\n" if len(name) > len(quantity) + 9 else "_")


# ------------------------------------------------------------------------------------------------------------------ nodes


def node_rows_of(ceiling_rows, show_rows):
    """Rates by what was measured and by node, each over the median of all nodes; of what two nodes or more have."""
    values = {}
    for row in ceiling_rows:
        if row["status"] == "ok" and number(row["value"]):
            rate = 1.0 / row["value"] if row["unit"] == "seconds" else row["value"]
            if row["unit"] in ("seconds", "GB/s", "GFLOP/s"):
                values.setdefault(f"{row['name']} {team(row)}", {})[row["node"]] = rate
    for row in show_rows:
        if number(row["seconds"]) and row["status"] == "ok" and not row.get("phase"):
            values.setdefault(f"{row.get('label') or row['case']} {row.get('flavor') or ''} {team(row)}", {})[row["node"]] = 1.0 / row["seconds"]
    relative = {}
    for what, by_node in values.items():
        if len(by_node) > 1:
            middle = statistics.median(by_node.values())
            relative[what] = {node: value / middle for node, value in by_node.items()}
    return dict(sorted(relative.items(), key=lambda item: -max(abs(value - 1) for value in item[1].values())))


def draw_nodes(relative, verdicts):
    """A column a node, a line a ceiling or case, those that differ most first. `verdicts`: what `plumbline nodes` says of each node."""
    nodes = sorted({node for by_node in relative.values() for node in by_node})
    shown = dict(list(relative.items())[:ROWS_A_MAP])
    wide, tall = min(9.0, max(2.5, 0.62 * len(nodes))), 0.21 * len(shown)
    figure = style.figure(4.9 + wide, 1.75 + tall)
    width, height = figure.get_size_inches()
    axes = figure.add_axes((3.9 / width, 0.55 / height, wide / width, tall / height))
    for line, by_node in enumerate(shown.values()):
        for column, node in enumerate(nodes):
            if node in by_node:
                off = (1.0 - by_node[node]) / SPAN
                axes.add_patch(Rectangle((column, line), 1, 1, fc=SLOWER(0.5 + 0.5 * max(-1.0, min(1.0, off))), ec="white", lw=0.8, gid="node cell"))
                if abs(by_node[node] - 1) >= 0.02 and wide / len(nodes) > 0.4:
                    axes.text(column + 0.5, line + 0.5, f"{100 * (by_node[node] - 1):+.0f}", ha="center", va="center", fontsize=7,
                              color="white" if abs(off) > 0.75 else style.INK)
    axes.set_xlim(0, len(nodes))
    axes.set_ylim(len(shown), 0)
    axes.set_yticks([line + 0.5 for line in range(len(shown))], [style.shortened(what, 56) for what in shown], fontsize=7)
    axes.set_xticks([column + 0.5 for column in range(len(nodes))], nodes, fontsize=7.5, rotation=0 if max(map(len, nodes)) * len(nodes) < 13 * wide else 90)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for label, node in zip(axes.get_xticklabels(), nodes):
        if verdicts.get(node) not in (None, "ALIKE", "ALONE"):
            label.set(color=style.FLAG, fontweight="bold")
    for side in axes.spines.values():
        side.set_visible(False)
    figure.text(0.012, 1 - 0.1 / height, "Nodes beside each other", va="top", fontsize=11, fontweight="bold")
    told = [f"{node}: {verdict.lower()}" for node, verdict in sorted(verdicts.items()) if verdict not in ("ALIKE", "ALONE")]
    more = f"; {len(shown)} of {len(relative)} lines, those that differ most" if len(shown) < len(relative) else ""
    figure.text(0.012, 1 - 0.36 / height, style.shortened(f"percent faster (blue) or slower (orange) than the median of all nodes{more}", 140), va="top", fontsize=8,
                color="#555555")
    figure.text(0.012, 0.12 / height, style.shortened("plumbline nodes says " + (", ".join(told) or "of none that it is worse"), 150), fontsize=8, color="#555555")
    return figure
