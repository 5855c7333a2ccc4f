"""Figures 2 to 8 of Kwack et al. 2018, from our campaigns: L1_DCA is accesses x 16 B, DCR_GOOD is refills x 64 B."""
import itertools

from matplotlib.ticker import PercentFormatter

from . import style
from .kwack2018 import ACCESSES, PAPERS_NAME, REFILLS, properties

PRECISIONS = {"fp64": "DP", "fp32": "SP"}
LEVELS = ("O3", "O0")
FORMS = ("inline", "loop", "power")
LOOKS = {ACCESSES: ("#D55E00", "D"), REFILLS: ("#0072B2", "o")}
SERIES = {ACCESSES: "series", REFILLS: "series_flows"}  # which campaign counts it


def all_figures(campaigns):
    """Yields (file name, title, figure)."""
    groups = {counter: _series_groups(campaigns[name], counter) for counter, name in SERIES.items()}
    yield "figure2", "Coefficient of variation over the orders of the series", _variation(groups)
    yield "figure3", "Range of the measured bytes over the orders of the series", _ranges(groups)
    yield "figure4", "Bytes by order, selected cases", _selected(campaigns)
    yield "figure5", "Mean of the measured over the exact bytes", _means(groups)
    stencils = campaigns["stencils"]
    bytes_ratios = {counter: {row["case"]: row["ratio"] for row in stencils.rows(counter)} for counter in LOOKS}
    yield "figure6", "Stencils: measured over exact bytes", _of_stencils(bytes_ratios, "measured / exact bytes")
    yield "figure7", "Stencils: FLOPs counted and exact", _flops(stencils)
    intensities = {counter: {row["case"]: row["ratio"] for row in stencils.score["intensities"] if row["counter"] == counter} for counter in LOOKS}
    yield "figure8", "Stencils: derived over exact arithmetic intensity", _of_stencils(intensities, "derived / exact intensity")


# ------------------------------------------------------------------------------------------------------------------ frames


def _panels(title, places, width=13.0, height=7.0):
    """A figure of O3 | O0 over DP, SP that share `places` as their x axis; {(level, precision): axes}."""
    figure = style.figure(width, height)
    axes = {}
    first = None
    for (row, precision), (column, level) in itertools.product(enumerate(PRECISIONS), enumerate(LEVELS)):
        panel = figure.add_axes((0.06 + 0.475 * column, 0.585 - 0.385 * row, 0.445, 0.33), sharey=first)
        first = first or panel
        panel.set_title(f"-{level}, {PRECISIONS[precision]}", fontsize=9, loc="left")
        panel.set_xlim(-0.7, len(places) - 0.3)
        panel.set_xticks(range(len(places)), places if row == 1 else [""] * len(places), rotation=90, fontsize=6.5)
        panel.tick_params(labelleft=column == 0)
        panel.grid(axis="y", color=style.FAINT, lw=0.3)
        axes[level, precision] = panel
    figure.text(0.06, 0.965, title, fontsize=11, fontweight="bold")
    return figure, axes


def _legend(figure, counters, exact=None):
    handles = [style.handle(*LOOKS[counter], "hardware" if counter == ACCESSES else "emulated") for counter in counters]
    names = [f"{counter} ({PAPERS_NAME[counter]})" + ("" if counter == ACCESSES else ", simulated caches") for counter in counters]
    if exact is not None:
        handles, names = handles + [exact], names + ["exact"]
    figure.legend(handles, names, loc="upper right", bbox_to_anchor=(0.985, 0.995), ncol=3, frameon=False, fontsize=8)


def _log(axes, formatter=style.short):
    """All panels share one y axis: plain numbers where they stand, on the left."""
    first = axes[LEVELS[0], "fp64"]
    first.set_yscale("log")
    style.log_axis(first.yaxis, formatter)


# ------------------------------------------------------------------------------------------------------------------ series


def _series_groups(campaign, counter):
    """The entries by (level, precision) and in it by (compiler, form, m)."""
    found = {}
    for group, entry in campaign.groups(counter, "paper", "precision", "form", "m", "flavor"):
        compiler, level, _ = group["flavor"].split("-")
        found.setdefault((level, group["precision"]), {})[compiler, group["form"], int(group["m"])] = entry
    return found


def _places(groups):
    return sorted({place for of_counter in groups.values() for entries in of_counter.values() for place in entries},
                  key=lambda place: (place[0], FORMS.index(place[1]), place[2]))


def _draw_series(title, groups, ylabel, draw):
    places = _places(groups)
    figure, axes = _panels(title, ["-".join(map(str, place)) for place in places])
    for counter, of_counter in groups.items():
        for panel, entries in of_counter.items():
            for x, place in enumerate(places):
                if place in entries:
                    draw(axes[panel], x + (0.15 if counter == REFILLS else -0.15), entries[place], *LOOKS[counter], "white" if counter == REFILLS else None)
    for (level, _), panel in axes.items():
        if level == LEVELS[0]:
            panel.set_ylabel(ylabel)
    _legend(figure, groups)
    return figure, axes


def _variation(groups):
    def draw(axes, x, entry, color, marker, face):
        if entry["cv"] is not None:
            axes.plot(x, entry["cv"], marker, color=color, mfc=face or color, ms=3.5)
    figure, axes = _draw_series("Figure 2: coefficient of variation of the bytes over the orders 1 to 29", groups, "standard deviation / mean", draw)
    axes["O3", "fp64"].yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    return figure


def _ranges(groups):
    def draw(axes, x, entry, color, marker, face):
        axes.plot([x, x], [entry["measured_min"], entry["measured_max"]], "-", color=color, lw=1.5)
        axes.plot([x, x], [entry["measured_min"], entry["measured_max"]], marker, color=color, mfc=face or color, ms=2.5)
    figure, axes = _draw_series("Figure 3: least and most bytes over the orders", groups, "MB a sweep", draw)
    _log(axes, lambda value: style.short(value * 1e-6))
    for (_, precision), panel in axes.items():
        for x, (_, _, m) in enumerate(_places(groups)):
            panel.plot([x - 0.4, x + 0.4], [2 * m * m * (8 if precision == "fp64" else 4)] * 2, color=style.INK, lw=0.8, zorder=1)
    return figure


def _means(groups):
    def draw(axes, x, entry, color, marker, face):
        axes.plot(x, entry["mean"], marker, color=color, mfc=face or color, ms=3.5)
    figure, axes = _draw_series("Figure 5: mean over the orders of measured / exact bytes", groups, "mean of measured / exact", draw)
    _log(axes)
    for panel in axes.values():
        panel.axhline(1.0, color=style.INK, lw=0.8)
    return figure


def _selected(campaigns, m="256", precision="fp64"):
    """The entries of one compiler by order: each form at O3 and O0."""
    counts = {counter: {} for counter in SERIES}
    for counter, name in SERIES.items():
        for row in campaigns[name].rows(counter):
            case = properties(row["case"])
            if case["m"] == m and case["precision"] == precision:
                counts[counter].setdefault((case["compiler"], case["form"], case["level"]), {})[int(case["n"])] = (row["measured"] * 1e-6, row["exact_lo"] * 1e-6)
    compiler = max(compiler for compiler, _, _ in counts[ACCESSES])
    figure = style.figure(13.0, 6.5)
    for place, (level, form) in enumerate(itertools.product(LEVELS, FORMS)):
        axes = figure.add_axes((0.06 + 0.32 * (place % 3), 0.55 - 0.45 * (place // 3), 0.27, 0.34))
        axes.set_title(f"({'abcdef'[place]}) {compiler}-{form}-m{m}-{level}", fontsize=9, loc="left")
        for counter, found in counts.items():
            points = sorted(found.get((compiler, form, level), {}).items())
            color, marker = LOOKS[counter]
            axes.plot([n for n, _ in points], [measured for _, (measured, _) in points], marker, color=color, ms=3.5,
                      mfc="white" if counter == REFILLS else color, zorder=3)
            if counter == ACCESSES:
                exact, = axes.plot([n for n, _ in points], [exact for _, (_, exact) in points], "-", color=style.INK, lw=0.9)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("order" if place > 2 else "")
        axes.set_ylabel("MB a sweep" if place % 3 == 0 else "")
        axes.grid(color=style.FAINT, lw=0.3)
    figure.text(0.06, 0.965, "Figure 4: bytes by order, selected cases (DP)", fontsize=11, fontweight="bold")
    _legend(figure, SERIES, exact)
    return figure


# ---------------------------------------------------------------------------------------------------------------- stencils


def _stencil_places(cases):
    found = {(case["kernel"].removeprefix("validation/stencil") + "pt", int(case["n"]), case["compiler"]) for case in map(properties, cases)}
    return sorted(found)


def _position(case, places):
    return places.index((case["kernel"].removeprefix("validation/stencil") + "pt", int(case["n"]), case["compiler"]))


def _of_stencils(values, ylabel):
    """`values`: counter -> {case: ratio}"""
    number = 6 if "bytes" in ylabel else 8
    places = _stencil_places(values[ACCESSES])
    figure, axes = _panels(f"Figure {number}: stencils, {ylabel}", ["-".join(map(str, place)) for place in places])
    for counter, ratios in values.items():
        color, marker = LOOKS[counter]
        for name, ratio in ratios.items():
            case = properties(name)
            axes[case["level"], case["precision"]].plot(_position(case, places), ratio, marker, color=color, ms=4,
                                                        mfc="white" if counter == REFILLS else color)
    _log(axes)
    for (level, _), panel in axes.items():
        panel.axhline(1.0, color=style.INK, lw=0.8)
        if level == LEVELS[0]:
            panel.set_ylabel(ylabel)
    _legend(figure, values)
    return figure


def _flops(stencils):
    rows = stencils.rows("emulated.flops")
    places = _stencil_places(row["case"] for row in rows)
    figure, axes = _panels("Figure 7: stencils, FLOPs counted (dots) and exact (lines)", ["-".join(map(str, place)) for place in places])
    for row in rows:
        case = properties(row["case"])
        panel, x = axes[case["level"], case["precision"]], _position(case, places)
        panel.plot([x - 0.4, x + 0.4], [row["exact_lo"]] * 2, color=style.INK, lw=0.9)
        panel.plot(x, row["measured"], "o", color="#009E73", ms=3.5)
    _log(axes, lambda value: style.short(value * 1e-9))
    for level, precision in axes:
        if level == LEVELS[0]:
            axes[level, precision].set_ylabel("GFLOP a sweep")
    return figure
