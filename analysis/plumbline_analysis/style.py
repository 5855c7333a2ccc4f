"""Every figure looks alike: one symbol and one colour per memory level, units in words, text that does not overlap."""
import math

import numpy
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

# Okabe and Ito's colours: told apart with any colour vision and in grey print by their lightness.
LEVELS = {
    "L1": ("#0072B2", "o"),
    "shared": ("#CC79A7", "v"),
    "L2": ("#009E73", "s"),
    "L3": ("#E69F00", "^"),
    "mem": ("#D55E00", "D"),
    "system": ("#56B4E9", "P"),
}
SERIES = (("#0072B2", "o"), ("#D55E00", "D"), ("#009E73", "s"), ("#CC79A7", "v"), ("#E69F00", "^"), ("#56B4E9", "P"), ("#000000", "X"))
MEMORIES = ("mem", "system")  # no caches: they have no size that a working set might fit
INK, FAINT = "#222222", "#9a9a9a"
OVERHEAD, FLAG = "#555555", "#B0003A"  # what launches cost; what needs a look
LEVEL_NAMES = {"mem": "memory", "system": "host memory"}
BYTES_SOURCES = {"hardware": "bytes counted by hardware", "emulated": "bytes simulated", "model": "bytes from the model"}

SETTINGS = {"font.family": "DejaVu Sans", "font.size": 9, "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK,
            "xtick.color": INK, "ytick.color": INK, "axes.linewidth": 0.8, "svg.fonttype": "path", "svg.hashsalt": "plumbline",
            "text.parse_math": False}  # a file's own text may hold dollars


def figure(width, height):
    """A figure with a canvas of its own: no display, no global state."""
    result = Figure(figsize=(width, height), facecolor="white")
    FigureCanvasAgg(result)
    return result


def level_order(level):
    return list(LEVELS).index(level) if level in LEVELS else len(LEVELS)


def level_name(level):
    return LEVEL_NAMES.get(level, level)


def level_look(level):
    return LEVELS.get(level, (INK, "*"))


def face(color, source):
    """Hollow where the bytes were not counted by hardware."""
    return color if source == "hardware" else "white"


def draw_point(axes, x, y, level, source, size=7.0, zorder=5.0):
    draw_points(axes, [x], [y], level, source, size, zorder)


def draw_points(axes, x, y, level, source, size, zorder=5.0, edge=1.4):
    """Filled: counted by hardware. Hollow: simulated. Hollow with a dot: the model speaks alone."""
    color, marker = level_look(level)
    axes.plot(x, y, marker, ms=size, mec=color, mfc=face(color, source), mew=min(edge, size / 4), zorder=zorder)
    if source == "model":
        axes.plot(x, y, ".", ms=size * 0.45, color=color, zorder=zorder + 0.01)


def handle(color, marker, source="hardware"):
    """The legend's entry for a point."""
    ring = Line2D([], [], ls="none", marker=marker, ms=7, mec=color, mfc=face(color, source), mew=1.3)
    return (ring, Line2D([], [], ls="none", marker=".", ms=3.5, color=color)) if source == "model" else ring


def short(value):
    """Three significant digits, no exponent between 0.001 and a million."""
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e6:
        text = f"{value:.3g}"
        return f"{value:.0f}" if "e" in text else text
    digits, exponent = f"{value:.2e}".split("e")
    return f"{float(digits):g}e{int(exponent)}"


def short_bytes(value):
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= size:
            return f"{short(value / size)} {unit}"
    return f"{short(value)} B"


def seconds_text(seconds):
    """Seconds in words."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 0.9995:
            return f"{short(seconds * factor)} {unit}"
    return f"{short(seconds * 1e9)} ns"


def powers(value):
    """1 k, 10 M, 100 G: short also where an axis spans many decades."""
    for factor, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{short(value / factor)} {unit}"
    return short(value)


def shortened(text, width):
    """The text with its middle left out where it is longer than `width` characters."""
    return text if len(text) <= width else text[: width * 2 // 3 - 1] + "…" + text[len(text) - width // 3 :]


def log_axis(axis, formatter=short):
    """Plain numbers; 1-2-5 a decade where the axis (limits set before) spans few."""
    low, high = axis.get_view_interval()
    steps = (1.0, 2.0, 5.0) if high / low < 200 else (1.0,)
    axis.set_major_locator(LogLocator(subs=steps, numticks=20))
    axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10)), numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda value, _: formatter(value)))
    axis.set_minor_formatter(NullFormatter())


def byte_axis(axis):
    """Powers of two, in words."""
    axis.set_major_locator(LogLocator(base=2, numticks=12))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_bytes(value)))


class Boxes:
    """The places that are taken on the canvas, pixel by pixel, so that the next label finds a free place."""

    def __init__(self, limits):
        self.limits = limits  # x0, y0, x1, y1 that labels must stay within
        self._taken = numpy.zeros((math.ceil(limits[3]) + 1, math.ceil(limits[2]) + 1), dtype=numpy.uint16)

    def add(self, x0, y0, x1, y1):
        self._part(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))[...] += 1

    def overlap(self, pieces):
        """Area in square pixels that `pieces` share with what is taken, and four times what lies outside of the limits."""
        left, bottom, right, top = self.limits
        outside = taken = 0.0
        for x0, y0, x1, y1 in pieces:
            inside = max(0.0, min(x1, right) - max(x0, left)) * max(0.0, min(y1, top) - max(y0, bottom))
            outside += (x1 - x0) * (y1 - y0) - inside
            taken += self._part(x0, y0, x1, y1).sum()
        return (4.0 * outside if outside > 1e-6 else 0.0) + float(taken)

    def _part(self, x0, y0, x1, y1):
        left, bottom, right, top = (max(0, round(value)) for value in (x0, y0, x1, y1))
        return self._taken[bottom:top, left:right]


def halo(color):
    """The path effects of a label: a rim in the colour of the ground, on which lines end."""
    return [withStroke(linewidth=2.2, foreground=color)]


def place(axes, boxes, candidates, text, angle=0.0, **look):
    """Puts `text` at the first free of `candidates` (x px, y px, horizontal, vertical alignment), else at the least taken."""
    size = axes.figure.bbox
    label = axes.text(0.0, 0.0, text, rotation_mode="anchor", zorder=8, path_effects=halo("white"), **look)
    extent = label.get_window_extent(axes.figure.canvas.get_renderer())
    best = None
    for candidate in candidates:
        pieces = _pieces(extent.width, extent.height, angle, *candidate)
        area = boxes.overlap(pieces)
        if best is None or area < best[0]:
            best = (area, candidate, pieces)
        if area == 0.0:
            break
    _, (x, y, horizontal, vertical), pieces = best
    # In fractions of the figure, so that the place holds at any resolution.
    label.set(transform=axes.figure.transFigure, x=x / size.width, y=y / size.height, ha=horizontal, va=vertical, rotation=angle)
    for piece in pieces:
        boxes.add(*piece)
    return label


def place_free(axes, boxes, options, **look):
    """The first of the `options` (text, candidates, angle) for which there is a free place, put there; None where there is none."""
    renderer = axes.figure.canvas.get_renderer()
    for text, candidates, angle in options:
        probe = axes.text(0.0, 0.0, text, **look)
        extent = probe.get_window_extent(renderer)
        probe.remove()
        free = next((one for one in candidates if boxes.overlap(_pieces(extent.width, extent.height, angle, *one)) == 0.0), None)
        if free:
            return place(axes, boxes, [free], text, angle, **look)
    return None


def _pieces(width, height, angle, x, y, horizontal, vertical):
    """The area of a label as small boxes along its baseline, so that a rotated one takes no more room than it covers."""
    east, north = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    right = {"left": 0.5, "center": 0.0, "right": -0.5}[horizontal] * width
    up = {"bottom": 0.5, "center": 0.0, "top": -0.5}[vertical] * height
    x, y = x + right * east - up * north, y + right * north + up * east
    if abs(angle) < 1.0:
        return [(x - width / 2 - 2, y - height / 2 - 1, x + width / 2 + 2, y + height / 2 + 1)]
    half, count = height / 2, max(2, int(width / height))
    middles = [(i / count - 0.5) * (width - height) for i in range(count + 1)]
    return [(x + m * east - half, y + m * north - half, x + m * east + half, y + m * north + half) for m in middles]


def text_width(axes, text, fontsize):
    """The width of a text in pixels."""
    label = axes.text(0, 0, text, fontsize=fontsize)
    width = label.get_window_extent(axes.figure.canvas.get_renderer()).width
    label.remove()
    return width


def take_line(axes, boxes, start, end, margin=1.5):
    """Marks the places that a straight line (between two places in data) takes."""
    (a, b), (c, d) = axes.transData.transform(start), axes.transData.transform(end)
    steps = max(1, int(math.hypot(c - a, d - b) / 4))
    for i in range(steps):
        p, q = i / steps, (i + 1) / steps
        boxes.add(a + (c - a) * p - margin, b + (d - b) * p - margin, a + (c - a) * q + margin, b + (d - b) * q + margin)


def number_near(axes, boxes, number, at, nearest=11, fontsize=8.5):
    """A case's number beside its place (in pixels); a leader where it had to go further."""
    x, y = at
    candidates = [(x + nearest, y, "left", "center"), (x - nearest, y, "right", "center"), (x, y + nearest, "center", "bottom"),
                  (x, y - nearest, "center", "top")]
    for away in range(nearest + 7, 150, 9):
        for turn in range(0, 360, 30):
            candidates.append((x + away * math.cos(math.radians(turn)), y + away * math.sin(math.radians(turn)), "center", "center"))
    label = place(axes, boxes, candidates, str(number), fontsize=fontsize, fontweight="bold")
    extent = label.get_window_extent()
    middle = ((extent.x0 + extent.x1) / 2, (extent.y0 + extent.y1) / 2)
    distance = math.hypot(middle[0] - x, middle[1] - y)
    if distance > 24:
        leader(axes, middle, at, from_=8 / distance, to=1 - 6 / distance)
    return label


def segment(axes, start, end):
    """A hair line between two places in pixels."""
    leader(axes, start, end, 0.0, 1.0)


def leader(axes, start, end, from_, to):
    """A hair line over the part [from_, to] of the way between two places in pixels."""
    size = axes.figure.bbox
    x = [(start[0] + (end[0] - start[0]) * part) / size.width for part in (from_, to)]
    y = [(start[1] + (end[1] - start[1]) * part) / size.height for part in (from_, to)]
    axes.add_line(Line2D(x, y, transform=axes.figure.transFigure, color=INK, lw=0.6, zorder=7, clip_on=False))
