"""The nights of a folder: a control chart for each case and ceiling on a node, and each link that is not steady, from what `plumbline history DIR --json` says;
and how cases moved under the roofs."""
import datetime
import itertools

from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.lines import Line2D

from . import judged, style
from .errors import InputError
from .family import nights
from .own_files import slug
from .report import drawing_into, save_all

PANELS_A_FIGURE, COLUMNS = 12, 2
LINKS = "links"  # as where they are: no node alone
CALM = ("steady", "few nights", "disturbed last night")
COLOR, OUTSIDE = style.SERIES[0][0], style.SERIES[1][0]


def write(arguments):
    """Returns the paths written and notes."""
    document = judged.read(arguments.history, "history")
    if not document["rows"]:
        raise InputError(f"'{arguments.file}' has no nights to draw: no result file in it has times or ceilings that were measured")
    notes = []
    steady_links = sum(_is_link(row) and _is_steady(row) for row in document["rows"])
    if steady_links:
        notes.append(f"control charts of {steady_links} links between nodes (steady, or few nights)")
    with drawing_into(arguments.output):
        drawn = itertools.chain(figures(document["rows"]), nights.figures(arguments.file, document["rows"], notes))
        saved = save_all(drawn, arguments.output, arguments.dark)
    return [path for _, *paths in saved for path in paths], notes


def figures(rows):
    """Yields (file name, title, figure): a node's charts, those whose level changed or whose last night is out of it first; links that are not
    steady."""
    drawn = [row for row in _with_clusters(rows) if not (_is_link(row) and _is_steady(row))]
    for node in sorted({_place(row) for row in drawn}):
        of_node = sorted((row for row in drawn if _place(row) == node), key=_calm)
        pages = [of_node[i : i + PANELS_A_FIGURE] for i in range(0, len(of_node), PANELS_A_FIGURE)]
        for number, page in enumerate(pages, start=1):
            part = f"-{number}" if len(pages) > 1 else ""
            yield f"history-{slug(node)}{part}", f"Nights of {node}", draw(node, page)


def _with_clusters(rows):
    """Nodes are told with the cluster that they stand in where there are several: their names may be the same."""
    if len({row.get("cluster") for row in rows}) < 2:
        return rows
    return [row | {"node": f"{row['node']} of {row.get('cluster') or 'an unnamed cluster'}"} for row in rows]


def _is_link(row):
    return row.get("class", "").startswith("link ")


def _place(row):
    """Links are many, and each has two series only: they share figures."""
    return LINKS if _is_link(row) else row["node"]


def _is_steady(row):
    return row["state"] in CALM and not row["changes"]


def _calm(row):
    return row["state"] in CALM, not row["changes"], row["what"], row["node"]


def draw(node, rows):
    lines = -(-len(rows) // COLUMNS)
    figure = style.figure(11, 1.1 + 1.75 * lines)
    for number, row in enumerate(rows, start=1):
        _panel(figure.add_subplot(lines, COLUMNS, number), row)
    figure.suptitle(f"Nights of {node}", x=0.01, ha="left", fontsize=11, fontweight="bold")
    points = [Line2D([], [], color=color, marker="o", ms=3.5, ls="none", mfc=fill) for color, fill in ((COLOR, COLOR), (OUTSIDE, OUTSIDE), (style.FAINT, "none"))]
    looks = ((style.INK, "-"), (style.FAINT, "--"), (OUTSIDE, ":"))
    handles = points + [Line2D([], [], color=color, lw=1, ls=line) for color, line in looks]
    words = ["median of a night", "beyond the limits", "disturbed: no measure", "present level", "limits (3 scatters)", "the level changed"]
    figure.legend(handles, words, loc="upper right", ncol=len(words), frameon=False, fontsize=8)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.45 / figure.get_figheight()))
    return figure


def _panel(axes, row):
    unit = {"GFLOP/s": "gflops", "GB/s": "gbs"}.get(row["unit"], row["unit"])
    scale, words = _scaled(row[f"level_{unit}"], row["unit"])
    dates = [_date(point["started_unix_ns"]) for point in row["points"]]
    values = [point[unit] * scale for point in row["points"]]
    low, high = row[f"limit_lo_{unit}"], row[f"limit_hi_{unit}"]
    disturbed = [i for i, point in enumerate(row["points"]) if point.get("disturbed")]
    told = [i for i in range(len(dates)) if i not in disturbed] or list(range(len(dates)))  # where all were, all are what there is
    begins = told[-row["level_nights"]]
    outside = [low is not None and i >= begins and i in told and not low <= row["points"][i][unit] <= high for i in range(len(dates))]
    axes.plot([dates[i] for i in told], [values[i] for i in told], "o", ms=2.5, color=COLOR, zorder=3)
    axes.plot([dates[i] for i in disturbed], [values[i] for i in disturbed], "o", ms=3.5, mfc="none", color=style.FAINT, zorder=2)
    beyond = [i for i, out in enumerate(outside) if out]
    axes.plot([dates[i] for i in beyond], [values[i] for i in beyond], "o", ms=3.5, color=OUTSIDE, zorder=4)
    span = [dates[begins], dates[-1]]
    axes.plot(span, [row[f"level_{unit}"] * scale] * 2, color=style.INK, lw=1, zorder=2)
    for limit in (low, high):
        if limit is not None:
            axes.plot(span, [limit * scale] * 2, color=style.FAINT, lw=1, ls="--", zorder=1)
    by_file = {point["file"]: date for point, date in zip(row["points"], dates)}
    for change in row["changes"]:
        axes.axvline(by_file[change["first_file"]], color=OUTSIDE, lw=1, ls=":", zorder=1)
        axes.annotate(f"{100 * (change['slowdown'] - 1):+.1f} % time", (by_file[change["first_file"]], 1), (2, -2), fontsize=7, va="top",
                      xycoords=("data", "axes fraction"), textcoords="offset points", color=OUTSIDE)
    axes.set_title(style.shortened(f"{row['what']}, {row['node']}" if _is_link(row) else row["what"], 72), fontsize=8, loc="left")
    axes.set_ylabel(words, fontsize=8)
    axes.margins(y=0.25)
    locator = AutoDateLocator(minticks=3, maxticks=7)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    axes.xaxis.get_offset_text().set_fontsize(7)
    axes.tick_params(labelsize=7)


def _scaled(value, unit):
    """Seconds as something between 1 and 1000 of their unit."""
    if unit != "seconds":
        return 1.0, unit
    for factor, words in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if value * factor >= 1:
            return factor, words
    return 1e9, "ns"


def _date(unix_ns):
    return datetime.datetime.fromtimestamp(unix_ns / 1e9, tz=datetime.timezone.utc)
