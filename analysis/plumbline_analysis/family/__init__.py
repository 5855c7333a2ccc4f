"""The rooflines beside the hierarchical one: of time, of instructions, of messages, and ways of cases through them."""
from .. import groups
from . import planes


def figures(ceilings, show, score, nodes, notes):
    """Yields (file name, title, figure) of each that the documents have data for."""
    yield from _time_based(show["rows"], notes)


def _time_based(rows, notes):
    drawn = 0
    for group in groups.groups_of(rows)[0]:
        found = planes.planes_of(group)
        if found:
            drawn += 1
            yield f"time-{group.slug}", f"Time-based roofline, {group.title}", planes.draw(group, *found)
    if not drawn:
        notes.append("time-based roofline (no case has time, FLOPs, bytes and a roof of each)")
