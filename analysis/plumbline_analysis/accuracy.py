"""Counter accuracy: measured over exact, each counter and quantity over its cases, by optimization level of the flavor."""
import math
import re

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from . import style
from .key import folded

ROWS_A_FIGURE = 36
BANDS = {"flops": (0.01, 0.02), "bytes": (0.05, 0.15)}  # grade A's limits: bias, worst case (harness/model/README.md)
AXIS = (0.2, 5.0)  # at most: the band must be seen; what lies beyond stands at the edge as an arrow, and as a number beside it
# The cells beside a line: head, and where it ends on the right, in widths of the axes.
COLUMNS = (("grade", 1.09), ("n", 1.17), ("bias", 1.31), ("min", 1.45), ("max", 1.57),
           ("CV", 1.74), ("zeros", 1.86), ("untold", 1.98), ("absent", 2.12))
# Where the axis carries numbers, by the axis's greatest over its least value.
TICKS = ((2.0, (0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.3)),
         (6.0, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 4.0)),
         (40.0, (0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)))
LEVELS = {"O0": ("#D55E00", "D"), "O1": ("#E69F00", "^"), "O2": ("#009E73", "s"), "O3": ("#0072B2", "o"), "other": ("#CC79A7", "v")}


def flavor_level(case):
    """O0..O3 of a compiler flavor (gcc12-O3-v3), else "other" (asm, lib, cuda)."""
    found = re.search(r"-(O[0-3])-", case.rsplit("/", 1)[-1])
    return found.group(1) if found else "other"


def line_of(entry):
    """The key of a line of the figure: a counter, what it claims, and whose convention of bytes it is held against."""
    return entry["counter"], entry["quantity"], entry.get("convention", "flow")


def lines_of(score):
    """The lines as [((counter, quantity, convention), score rows)]: what was measured at all first, then in the order of the document's summary.

    Empty where nothing was measured.
    """
    lines = {line_of(entry): [] for entry in score.get("counters", [])}
    for row in score["rows"]:
        lines.setdefault(line_of(row), []).append(row)
    empty = {line for line, rows in lines.items() if all(ratio_of(row) is None for row in rows)}
    return sorted(lines.items(), key=lambda item: item[0] in empty) if len(empty) < len(lines) else []


def ratio_of(row):
    """Measured over exact; 0 and infinity where one of the two is zero; None where nothing was measured."""
    if isinstance(row["ratio"], (int, float)):
        return row["ratio"]
    if isinstance(row.get("measured"), (int, float)):
        return 0.0 if row["measured"] == 0 else math.inf
    return None


def tells(row):
    """Whether the row can tell a right counter from a wrong one, as plumbline score has it: "inside" says nothing of an interval
    that begins at zero."""
    ratio = ratio_of(row)
    return ratio is not None and not (ratio == 1 and row.get("exact_lo") == 0)


def is_zero_test(row):
    return ratio_of(row) is not None and row.get("exact_hi") == 0


def draw(lines, score, part=""):
    """`lines`: at most ROWS_A_FIGURE of lines_of()."""
    marks = _marks_of_reasons(lines)
    notes = _notes(lines, marks)
    foot = 0.75 + 0.17 * len(notes)
    height = foot + 0.75 + 0.42 * len(lines)
    figure = style.figure(12.5, height)
    left, width = 0.215, 0.34
    axes = figure.add_axes((left, foot / height, width, 1 - (foot + 0.70) / height))
    grades = {line_of(entry): entry for entry in score.get("counters", [])}
    limits = _limits(lines)
    axes.axvline(1.0, color=style.INK, lw=1.0, zorder=1)
    for position, (line, rows) in enumerate(lines):
        _draw_bands(axes, position, line[1])
        _draw_line(axes, position, rows, limits)
        axes.text(-0.015, position, _name(*line), transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=8, linespacing=1.05)
        for (_, x), text in zip(COLUMNS, _summary(grades.get(line), rows, marks)):
            axes.text(x, position, text, transform=axes.get_yaxis_transform(), ha="right", va="center", fontsize=8)
    for head, x in COLUMNS:
        axes.text(x, 1.0, head, transform=axes.transAxes, ha="right", va="bottom", fontsize=8, color="#555555")
    for index, text in enumerate(notes):
        figure.text(0.02, (foot - 0.62 - 0.17 * index) / height, text, va="center", fontsize=8, color="#555555")
    _frame(axes, limits, len(lines))
    axes.set_title(f"Counter accuracy{part}", loc="left", fontsize=11, fontweight="bold", x=(0.02 - left) / width, pad=16)  # over the names: the legend is over the dots
    _draw_legend(axes, lines)
    return figure


def _name(counter, quantity, convention):
    """One line, or two: the counter, and what it is held against where the counter's name does not say so."""
    against = "" if counter.endswith(quantity) else quantity
    if convention != "flow":
        against = f"{against or quantity} ({convention}'s convention)"
    return "\n".join(style.shortened(part, 38) for part in (counter, against) if part)


def _limits(lines):
    ratios = [ratio_of(row) for _, rows in lines for row in rows if tells(row)]
    finite = [ratio for ratio in ratios if ratio and math.isfinite(ratio)]
    return max(min([0.8] + finite) / 1.15, AXIS[0]), min(max([1.25] + finite) * 1.15, AXIS[1])


def _draw_bands(axes, position, quantity):
    """Draws behind one line how far off a trusted counter of its kind may be on average (darker), and in its worst case."""
    for limit in BANDS["flops" if "flops" in quantity else "bytes"]:
        axes.fill_between([1 - limit, 1 + limit], position - 0.5, position + 0.5, color="#0072B2", alpha=0.10, lw=0, zorder=0,
                          gid=f"{quantity} {limit:g}")


def _draw_line(axes, position, rows, limits):
    """A strip a level, one above the other; each dot a case that can tell; the bar from least to greatest. Words where none can."""
    telling = [row for row in rows if tells(row)]
    if not telling:
        axes.text(math.sqrt(limits[0] * limits[1]), position, _why_no_dots(rows), ha="center", va="center", fontsize=8,
                  color="#777777", zorder=5, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})
    levels = [level for level in LEVELS if any(flavor_level(row["case"]) == level for row in telling)]
    for index, level in enumerate(levels):
        ratios = sorted(ratio_of(row) for row in telling if flavor_level(row["case"]) == level)
        y = position + (index - (len(levels) - 1) / 2) * 0.22
        color, marker = LEVELS[level]
        low, high = limits
        edge = (high / low) ** 0.015
        shown = [min(max(ratio, low * edge), high / edge) for ratio in ratios]
        axes.plot([shown[0], shown[-1]], [y, y], "-", color=color, lw=1.2, alpha=0.6, zorder=2)
        axes.plot(shown, [y] * len(shown), marker, ms=4.5, mec=color, mfc=color, mew=0.6, alpha=min(1.0, 0.35 + 6.0 / len(shown)), zorder=3)
        for ratio, place in zip(ratios, shown):
            if ratio < low or ratio > high:  # zero and beyond the axis: at the edge, with an arrow
                axes.plot([place], [y], "<" if ratio < low else ">", ms=8, mfc="white", mec=color, mew=1.3, zorder=4)


def _why_no_dots(rows):
    zeros, untold = sum(map(is_zero_test, rows)), sum(ratio_of(row) is not None and not is_zero_test(row) for row in rows)
    parts = [f"zero test {zeros}/{zeros}"] if zeros else []
    parts += [f"{untold} cannot tell"] if untold else []
    return ", ".join(parts) or "nothing counted"


def _summary(entry, rows, marks):
    """The cells beside a line, one for each of COLUMNS."""
    entry = entry or {}
    ratios = ["" if not isinstance(entry.get(key), (int, float)) else f"{entry[key]:.4g}" for key in ("bias", "min", "max")]
    cv = entry.get("cv")
    spread = f"{100 * cv:.1f} %" if isinstance(cv, (int, float)) else ""
    zero_tests = [row for row in rows if is_zero_test(row)]
    zeros = f"{sum(not tells(row) for row in zero_tests)}/{len(zero_tests)}" if zero_tests else ""
    untold = sum(ratio_of(row) is not None and not tells(row) and not is_zero_test(row) for row in rows)
    absent = [row for row in rows if ratio_of(row) is None]
    letters = "".join(sorted({marks[_reason(row)] for row in absent}))
    return [entry.get("grade") or "-", str(entry.get("n", "")), *ratios, spread, zeros, str(untold or ""),
            f"{len(absent)} {letters}".strip() if absent else ""]


def _reason(row):
    return row.get("reason") or row["status"]


def _marks_of_reasons(lines):
    """The letters that stand in the column for reasons why something was not counted; none where there is one reason only."""
    reasons = dict.fromkeys(_reason(row) for _, rows in lines for row in rows if ratio_of(row) is None)
    return {reason: chr(ord("a") + min(index, 25)) if len(reasons) > 1 else "" for index, reason in enumerate(reasons)}


def _notes(lines, marks):
    """Notes on what the columns count, and each reason once, in full."""
    rows = [row for _, rows in lines for row in rows]
    texts = []
    if any(is_zero_test(row) for row in rows):
        texts.append("zeros: of the cases with nothing to count, those where it counted nothing (no dots: a ratio of zeros says nothing)")
    if any(ratio_of(row) is not None and not tells(row) and not is_zero_test(row) for row in rows):
        texts.append("untold: cases inside an interval of the model that begins at zero: they cannot tell a right counter (no dots)")
    for reason, mark in marks.items():
        cases = {row["case"] for row in rows if ratio_of(row) is None and _reason(row) == reason}
        texts.append(f"absent{f' {mark}' if mark else ''}: {reason} ({len(cases)} case{'s' if len(cases) > 1 else ''})")
    return [line for text in texts for line in folded(text, 190)]


def _frame(axes, limits, count):
    axes.set_xscale("log")
    axes.set_xlim(*limits)
    axes.set_ylim(count - 0.45, -0.55)
    axes.set_yticks([])
    span = limits[1] / limits[0]
    ticks = next((ticks for widest, ticks in TICKS if span < widest), None)
    if ticks is None:
        style.log_axis(axes.xaxis)
    else:
        axes.xaxis.set_major_locator(FixedLocator([tick for tick in ticks if limits[0] <= tick <= limits[1]]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: style.short(value)))
    for position in range(count - 1):
        axes.axhline(position + 0.5, color="#e6e6e6", lw=0.6, zorder=0)
    axes.set_xlabel("measured / exact (log scale; 1 inside the model's interval)   bands: a trusted counter's bias and worst case, FLOPs 1 and 2 %, bytes 5 and 15 %", labelpad=2)


def _draw_legend(axes, lines):
    present = [level for level in LEVELS if any(flavor_level(row["case"]) == level for _, rows in lines for row in rows)]
    handles = [style.handle(*LEVELS[level]) for level in present]
    names = [f"-{level}" if level != "other" else "no compiler level" for level in present]
    axes.legend(handles, names, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=len(present), frameon=False, fontsize=8.5, borderaxespad=0.3,
                handletextpad=0.2, columnspacing=1.2)
