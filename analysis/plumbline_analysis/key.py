"""The text beside a roofline: legend, what each number is, notes."""
import math

from . import style
from .groups import sources_of
from .judged import number


def draw_key(figure, rows, roofs, note):
    """The legend, what each number is, and the notes; set smaller where there is much to say."""
    x, top, bottom = 0.685, 0.915, 0.03
    handles, names = legend_entries(rows, roofs)
    figure.legend(handles, names, loc="upper left", bbox_to_anchor=(x - 0.008, top + 0.02), frameon=False, fontsize=8, ncol=2,
                  handletextpad=0.3, columnspacing=1.2, borderaxespad=0, numpoints=1)
    y = top - 0.021 * (math.ceil(len(handles) / 2) + 1.2)
    lines = []  # (number or "", text, colour, relative size, relative advance)
    for position, row in enumerate(rows, start=1):
        for index, text in enumerate(folded(_label(row), 56)):
            lines.append((str(position) if index == 0 else "", text, style.INK, 1.0, 1.0))
        lines.append(("", _verdict(row), "#555555", 0.93, 1.2))
    for text in folded(" · ".join(filter(None, [roofs.note, note, _drawn_patterns(roofs)])), 66):
        lines.append((None, text, "#555555", 0.87, 0.9))
    advance = min(0.021, (y - bottom) / sum(line[4] for line in lines))
    size = 8.0 * min(1.0, advance / 0.019)
    for number_text, text, color, scale, lines_down in lines:
        figure.text(x, y, number_text or "", fontsize=size, fontweight="bold", va="top")
        figure.text(x if number_text is None else x + 0.022, y, text, fontsize=size * scale, color=color, va="top")
        y -= advance * lines_down


def _drawn_patterns(roofs):
    shown = ", ".join(f"{style.level_name(level)} {row['pattern']}" for level, row in roofs.bandwidths.items())
    filled = {level: row for level, row in roofs.bandwidths.items() if "algorithmic" in row}
    fills = ""
    if filled:
        printed = ", ".join(f"{style.level_name(level)} {style.short(row['algorithmic'])}" for level, row in filled.items())
        fills = ("; with write-allocate: the fills that stores cause count, as in the points "
                 f"(plumbline ceilings prints GB/s without: {printed})")
    return (f"of each level the fastest pattern is drawn ({shown}){fills}; bands: least to greatest round; ridge points in FLOP/byte; "
            "levels beyond 1000 FLOP/byte are left out")


def _label(row):
    """The name of the row, and how it was compiled."""
    label, flavor = row.get("label") or row["case"], row.get("flavor") or ""
    return label if flavor in label else f"{label} {flavor}"


def _verdict(row):
    parts = [f"{style.short(row['gflops'])} GFLOP/s"]
    if number(row.get("percent_of_roof")) and row.get("bound"):
        parts.append(f"{style.short(row['percent_of_roof'])} % of the {style.level_name(row['bound'])} roof")
    if row.get("join") and row["join"] != "same":
        parts.append(f"join={row['join']}")
    return ", ".join(parts)


def folded(text, width):
    """Lines of at most `width` characters, broken at blanks and slashes."""
    lines, line = [], ""
    for word in text.replace("/", "/\0").replace(" ", " \0").split("\0"):
        if len(line) + len(word) > width and line:
            lines.append(line)
            line = ""
        line += word
    return [part.strip() for part in lines + [line] if part.strip()]


def legend_entries(rows, roofs):
    levels = [level for level in style.LEVELS if level in roofs.bandwidths or any(number(row["levels"].get(level, {}).get("ai")) for row in rows)]
    sources = [source for source in style.BYTES_SOURCES if any(source in sources_of(row) for row in rows)]
    usual = (sources or ["hardware"])[0]  # filled only if there are filled points
    handles = [style.handle(*style.level_look(level), usual) for level in levels]
    handles += [style.handle(style.INK, "o", source) for source in sources]
    return handles, [style.level_name(level) for level in levels] + [style.BYTES_SOURCES[source] for source in sources]
