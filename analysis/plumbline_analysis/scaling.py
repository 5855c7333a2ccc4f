"""Strong and weak scaling of applications, by `plumbline project FILE --nodes FROM:TO --json`: time, efficiency, and what ranks spend their time on.

A band is the interval of the projection. Filled points are measured; hollow ones were projected onto as many ranks from the fewest that were timed.
"""
import math
import re

from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from . import judged, style
from .report import drawing_into, save_all

SPENT = (("computing", "#0072B2"), ("exchanging", "#E69F00"), ("summing", "#009E73"), ("waiting", "#CC79A7"))
MEASURED, PROJECTED, HALF = "#000000", "#0072B2", 0.5


def write(arguments):
    """Returns the paths written and notes."""
    document = judged.read(arguments.file, "project-scaling")
    notes = [] if document["rows"] else ["the figures (no application was projected)"]
    with drawing_into(arguments.output):
        saved = save_all(figures(document), arguments.output, arguments.dark)
    return [path for _, *paths in saved for path in paths], notes


def figures(document):
    """Yields (file name, title, figure): one an application."""
    numbers = {}
    for case in dict.fromkeys(row["case"] for row in document["rows"]):
        name = f"scaling-{re.sub(r'[^A-Za-z0-9]+', '-', '/'.join(case.split('/')[1:2]))}"
        numbers[name] = numbers.get(name, 0) + 1
        yield name if numbers[name] == 1 else f"{name}-{numbers[name]}", f"Scaling of {case}", draw(case, document)


def draw(case, document):
    """A column for each kind of scaling, with time, efficiency and shares below each other, over the number of ranks."""
    rows = [row for row in document["rows"] if row["case"] == case]
    kinds = [kind for kind in ("strong", "weak") if any(row["scaling"] == kind for row in rows)]
    figure = style.figure(5.2 * len(kinds) + 0.6, 7.9)
    panels = figure.subplots(3, len(kinds), squeeze=False, sharex="col", gridspec_kw={"height_ratios": (1.3, 1, 1.1)})
    for place, kind in enumerate(kinds):
        own = [row for row in rows if row["scaling"] == kind]
        held = [row for row in document.get("held", []) if row["scaling"] == kind and row["to"] == case]
        summary = next((one for one in document.get("applications", []) if one["case"] == case and one["scaling"] == kind), {})
        curve = _without_steps(own, summary)
        _time(panels[0][place], curve, held)
        _efficiency(panels[1][place], curve, held)
        _shares(panels[2][place], curve, summary, own)
        panels[0][place].set_title(f"{kind} scaling: " + ("the problem stays" if kind == "strong" else "each rank keeps its share"), fontsize=9, pad=20)
        _rank_axis(panels[2][place], own, held)
    figure.suptitle(style.shortened(case, 100), fontsize=10, fontweight="bold", y=0.985)
    figure.subplots_adjust(left=0.1 if len(kinds) > 1 else 0.16, right=0.98, top=0.9, bottom=0.07, hspace=0.2, wspace=0.25)
    return figure


def _without_steps(rows, summary):
    """The rows of doubled sizes and the last. Sums take more rounds where ranks are no power of two, as at the size where communication takes half,
    which stands between them: a curve through it would seem to have a step there."""
    first = rows[0]["nodes"]
    return [row for row in rows if row["nodes"] != summary.get("half_nodes") or row is rows[-1] or math.log2(row["nodes"] / first).is_integer()]


def _time(axes, rows, held):
    ranks = [row["ranks"] for row in rows]
    axes.fill_between(ranks, [row["seconds_lo"] for row in rows], [row["seconds_hi"] for row in rows], color=PROJECTED, alpha=0.2, lw=0, gid="interval")
    axes.plot(ranks, [row["seconds"] for row in rows], "-", color=PROJECTED, lw=1.6, gid="projected", label="projected, with its interval")
    measured = sorted({(row["from_ranks"], row["from_seconds"]) for row in held} | {(row["ranks"], row["measured_seconds"]) for row in held})
    if measured:
        axes.plot(*zip(*measured), "o", color=MEASURED, ms=5, zorder=5, gid="measured", label="measured")
    for row in held:
        low, high = (abs(row[end] - row["projected_seconds"]) for end in ("projected_lo", "projected_hi"))
        axes.errorbar([row["ranks"]], [row["projected_seconds"]], yerr=[[low], [high]], fmt="D", color=PROJECTED, mfc="white", ms=6, elinewidth=1,
                      zorder=4, gid="held", label=f"projected from {row['from_ranks']} rank{'s' * (row['from_ranks'] > 1)}" if row is held[0] else None)
    axes.set_yscale("log")
    ends = [row[end] for row in rows for end in ("seconds_lo", "seconds_hi")] + [seconds for _, seconds in measured]
    ends += [row[end] for row in held for end in ("projected_lo", "projected_hi")]
    axes.set_ylim(min(ends) / 1.6, max(ends) * 1.6)
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if max(ends) / min(ends) < 50 else (1.0,), numticks=12))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: style.seconds_text(value)))
    axes.set_ylabel("time of a sweep")
    axes.grid(True, which="major", color="#e6e6e6", lw=0.6)
    axes.legend(fontsize=7.5, loc="lower left", bbox_to_anchor=(0, 1), ncol=3, frameon=False, borderaxespad=0.2, handlelength=1.6, columnspacing=1.2)


def _efficiency(axes, rows, held):
    axes.axhline(1, color=style.FAINT, lw=0.8)
    axes.plot([row["ranks"] for row in rows], [row["efficiency"] for row in rows], "-", color=PROJECTED, lw=1.6, gid="efficiency")
    most = max([1.0, *(row["efficiency"] for row in rows)])
    axes.set_ylim(0, most * 1.12)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    axes.set_ylabel("efficiency")
    axes.grid(True, which="major", color="#e6e6e6", lw=0.6)


def _shares(axes, rows, summary, told):
    ranks = [row["ranks"] for row in rows]
    parts = [[row[f"{spent}_share"] for row in rows] for spent, _ in SPENT]
    if len(ranks) == 1:  # an area has no width there
        ranks, parts = [ranks[0], ranks[0] * 1.5], [part * 2 for part in parts]
    axes.stackplot(ranks, parts, colors=[color for _, color in SPENT], labels=[spent for spent, _ in SPENT], alpha=0.85, lw=0)
    axes.set_ylim(0, 1)
    if summary.get("half_nodes"):
        axes.axvline(summary["half_nodes"] * rows[0]["ranks"] / rows[0]["nodes"], color=style.INK, lw=1, ls="--", gid="half")
        axes.axhline(HALF, color=style.INK, lw=0.6, ls=":")
        there = [row for row in told if row["nodes"] == summary["half_nodes"]]
        axes.plot([row["ranks"] for row in there], [row["computing_share"] for row in there], "D", color="white", mec=style.INK, ms=5, gid="computing there")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    axes.set_ylabel("share of the time")
    axes.legend(fontsize=7.5, loc="lower left", bbox_to_anchor=(0, 1), ncol=4, frameon=False, borderaxespad=0.2, handlelength=1.2, columnspacing=1)


def _rank_axis(axes, rows, held):
    ranks = [row["ranks"] for row in rows] + [row[key] for row in held for key in ("ranks", "from_ranks")]
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(ranks) / 1.3, max(max(ranks), min(ranks) * 1.5) * 1.3)
    axes.xaxis.set_major_locator(LogLocator(base=4 if max(ranks) / min(ranks) > 300 else 2, numticks=10))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f}" if value < 1e5 else style.powers(value)))
    axes.set_xlabel(f"ranks, {rows[0]['ranks'] // rows[0]['nodes']} on a node" + (" (dashed: communication takes half)" if axes.findobj(lambda a: a.get_gid() == "half") else ""))
