"""Small multiples: every case of every kernel, a panel a kernel."""
import math

from . import style
from .groups import source_of
from .key import legend_entries
from .roofline import draw_bare_roofs, frame, points_of, sizes_of


def draw(group, roofs):
    """Draws how a sweep over parameters moves under the roofs."""
    kernels = sorted({row["kernel"] for row in group.rows})
    columns = min(4, len(kernels))
    lines = math.ceil(len(kernels) / columns)
    handles, names = legend_entries(group.rows, roofs)
    below_title = 0.45 if columns <= 2 else 0.0  # inches: two panels are too narrow for title and legend side by side
    figure = style.figure(3.3 * columns + 0.6, 2.7 * lines + 1.1 + below_title)
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    width, height = figure.get_size_inches()
    figure.subplots_adjust(left=0.75 / width, right=1 - 0.15 / width, bottom=0.6 / height, top=1 - (0.8 + below_title) / height, wspace=0.07, hspace=0.2)
    for axes, kernel in zip(grid.flat, kernels):
        rows = [row for row in group.rows if row["kernel"] == kernel]
        frame(axes, group.rows, roofs)
        axes.set_xlabel("")
        axes.set_ylabel("")
        _draw_many(axes, rows)
        draw_bare_roofs(axes, roofs)
        axes.set_title(f"{kernel}   {len(rows)} case{'s' if len(rows) > 1 else ''}", fontsize=9, loc="left")
        axes.tick_params(labelsize=7.5)
    for index in range(len(kernels), lines * columns):
        grid.flat[index].set_visible(False)
        grid.flat[index - columns].tick_params(labelbottom=True)
    figure.legend(handles, names, loc="upper right", ncol=3 if below_title else len(names), frameon=False, fontsize=8.5,
                  bbox_to_anchor=(0.99, 1 - (0.05 + 0.7 * below_title) / height),
                  handletextpad=0.2, columnspacing=1.1)
    figure.suptitle(f"All cases   {group.title}", x=0.01, y=1 - 0.12 / figure.get_figheight(), va="top", ha="left", fontsize=11, fontweight="bold")
    figure.supxlabel("arithmetic intensity at each level (FLOP/byte)", fontsize=9, y=0.1 / figure.get_figheight())
    figure.supylabel("performance (GFLOP/s)", fontsize=9, x=0.1 / figure.get_figwidth())
    return figure


def _draw_many(axes, rows):
    """All points of a panel, a batch for each look: thousands of cases stay one artist each."""
    looks = {}
    for row in rows:
        points = points_of(row)
        if len(points) > 1:
            looks.setdefault("join", []).append((points[0][2], points[-1][2], row["gflops"]))
        for (name, low, ai, high), size in zip(points, sizes_of(axes, points, row["gflops"], 3.6)):
            looks.setdefault((name, source_of(row, name), size), []).append((ai, row["gflops"]))
            if low and low < ai or high is None or high > ai:
                looks.setdefault(name, []).append((low or ai, high or axes.get_xlim()[1], row["gflops"]))
    for look, values in looks.items():
        if look == "join" or isinstance(look, str):
            low, high, rate = zip(*values)
            color, width, alpha = (style.INK, 0.7, 0.2) if look == "join" else (style.level_look(look)[0], 1.6, 0.3)
            axes.hlines(rate, low, high, color=color, lw=width, alpha=alpha, zorder=3)
        else:
            style.draw_points(axes, *zip(*values), *look, zorder=6 - look[2] / 20, edge=0.9)  # the inner symbol above the outer one
