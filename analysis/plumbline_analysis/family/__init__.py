"""The rooflines beside the hierarchical one: of time, of instructions, of messages, ways of cases through them, and heat maps."""
from .. import groups
from ..judged import is_gpu
from . import heat, instructions, messages, planes, trajectories


def figures(tables, ceilings, show, score, nodes, notes):
    """Yields (file name, title, figure) of each that the documents have data for; `notes` gets what they have not."""
    found = groups.groups_of(show["rows"])[0]
    yield from _by_group(found, ceilings["rows"], notes)
    yield from _teams(found, ceilings["rows"])
    curves, roofs = messages.curves_of(tables), messages.roofs_of(ceilings["rows"])
    if curves and roofs:
        yield "messages", "Roofline of messages", messages.draw(curves, roofs, messages.exchanges_of(tables, show["rows"]))
    else:
        notes.append("roofline of messages (no messages were measured: a campaign of two ranks or more with [ceilings] does)")
    maps = heat.cross_talk_of(score)
    if maps:
        yield "cross-talk", "Cross-talk of counters", heat.draw_cross_talk(maps)
    relative = heat.node_rows_of(ceilings["rows"], show["rows"])
    if relative:
        verdicts = {row["node"]: row["verdict"] for row in nodes["rows"]} if nodes else {}
        yield "nodes", "Nodes beside each other", heat.draw_nodes(relative, verdicts)


# What a group of cases may have: file name, title, how it is drawn (None: it has no data), and the note where no group has any.
GROUPED = (
    ("time", "Time-based roofline", lambda group, roofs: (found := planes.planes_of(group)) and planes.draw(group, *found),
     "time-based roofline (no case has time, FLOPs, bytes and a roof of each)"),
    ("instructions", "Instruction roofline", instructions.draw, "instruction roofline (no case has its instructions counted beside its time)"),
    ("ways", "Ways under the roofs", trajectories.draw, "ways under the roofs (no kernel has three values of one parameter, all else alike)"),
)


def _by_group(found, ceiling_rows, notes):
    with_roofs = [(group, roofs) for group in found if (roofs := groups.roofs_of(ceiling_rows, group))]
    for name, title, draw, absent in GROUPED:
        drawn = 0
        for group, roofs in with_roofs:
            figure = draw(group, roofs)
            if figure:
                drawn += 1
                yield f"{name}-{group.slug}", f"{title}, {group.title}", figure
        if not drawn:
            notes.append(absent)


def _teams(found, ceiling_rows):
    """Ways over ranks and threads, a figure a node and precision that two teams of CPUs ran."""
    together = {}
    for group in found:
        if not is_gpu(group.team):
            together.setdefault((group.node, group.precision), []).append(group)
    for (node, precision), of_node in sorted(together.items()):
        figure = trajectories.draw_teams(of_node, lambda group: groups.roofs_of(ceiling_rows, group)) if len(of_node) > 1 else None
        if figure:
            yield f"teams-{groups.Group(node, '', precision, []).slug.rstrip('-')}", f"Ways over teams, {node}, {precision}", figure
