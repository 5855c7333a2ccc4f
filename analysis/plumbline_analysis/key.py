"""The text beside a roofline: legend, what each number is, notes."""
import math

from . import style
from .groups import sources_of
from .judged import number


def draw_key(figure, rows, roofs, note, place, columns=1, unit="FLOP/byte"):
    """The legend, what each number is, and the notes, in the `place` (left, bottom, width, height in parts of the figure); set smaller where
    there is much to say."""
    left, bottom, width, height = place
    inches, up = figure.get_size_inches()
    handles, names = legend_entries(rows, roofs)
    across = 2 if columns == 1 else 6
    figure.legend(handles, names, loc="upper left", bbox_to_anchor=(left - 0.1 / inches, bottom + height), frameon=False, fontsize=8, ncol=across,
                  handletextpad=0.3, columnspacing=1.2, borderaxespad=0, numpoints=1)
    top = bottom + height - (0.152 * math.ceil(len(handles) / across) + 0.15) / up
    part = width / columns
    wide = int((part * inches - 0.33) * 14.4)  # characters of 8 points
    cases = [_case_lines(position, row, wide) for position, row in enumerate(rows, start=1)]
    notes = [(None, text, "#555555", 0.87, 0.9) for text in folded(" · ".join(filter(None, [roofs.note, note, _drawn_patterns(roofs, unit)])), int(wide * 1.22 * columns))]
    lines_of_notes = sum(line[4] for line in notes)
    stacks = _stacked(cases, columns)
    tallest = max((sum(line[4] for line in stack) for stack in stacks), default=0.0)
    advance = min(0.152 / up, (top - bottom) / (tallest + lines_of_notes + 0.3))
    size = 8.0 * min(1.0, advance * up / 0.137)
    for index, stack in enumerate(stacks):
        _write(figure, left + index * part, top, stack, advance, size)
    _write(figure, left, bottom + advance * lines_of_notes if columns > 1 else top - advance * (tallest + 0.3), notes, advance, size)


def _case_lines(position, row, wide):
    """Lines (number, "" or None for a note; text; colour; relative size; relative advance)."""
    lines = [(str(position) if index == 0 else "", text, style.INK, 1.0, 1.0) for index, text in enumerate(folded(_label(row), wide))]
    lines.append(("", _verdict(row), "#555555", 0.93, 1.2))
    if row.get("above_roof_reason"):
        lines[-1] = (*lines[-1][:4], 1.0)
        lines += [("", text, style.FLAG, 0.87, 0.95) for text in folded(f"above its roof: {row['above_roof_reason']}", int(wide * 1.1))]
    return lines


def _stacked(cases, columns):
    """The lines of all cases, in so many columns of about the same height."""
    whole = sum(line[4] for lines in cases for line in lines)
    stacks, filled = [[] for _ in range(columns)], 0.0
    for lines in cases:
        stacks[min(columns - 1, int(columns * filled / whole))] += lines
        filled += sum(line[4] for line in lines)
    return stacks


def _write(figure, x, y, lines, advance, size):
    indent = 0.27 / figure.get_figwidth()
    for number_text, text, color, scale, lines_down in lines:
        if number_text:
            figure.text(x, y, number_text, fontsize=size, fontweight="bold", va="top")
        figure.text(x if number_text is None else x + indent, y, text, fontsize=size * scale, color=color, va="top")
        y -= advance * lines_down


def _drawn_patterns(roofs, unit):
    shown = ", ".join(f"{style.level_name(level)} {row['pattern']}" for level, row in roofs.bandwidths.items())
    filled = {level: row for level, row in roofs.bandwidths.items() if "algorithmic" in row}
    fills = ""
    if filled:
        printed = ", ".join(f"{style.level_name(level)} {style.short(row['algorithmic'])}" for level, row in filled.items())
        fills = ("; with write-allocate: the fills that stores cause count, as in the points "
                 f"(plumbline ceilings prints GB/s without: {printed})")
    return (f"of each level the fastest pattern is drawn ({shown}){fills}; bands: least to greatest round; {'' if roofs.are_guides else f'ridge points in {unit}; '}"
            f"levels beyond 1000 {unit} are left out")


def _label(row):
    """The name of the row, and how it was compiled."""
    label, flavor = row.get("label") or row["case"], row.get("flavor") or ""
    return label if flavor in label else f"{label} {flavor}"


def _verdict(row):
    if row.get("verdict"):
        return row["verdict"]
    parts = [f"{style.short(row['gflops'])} GFLOP/s"]
    if number(row.get("percent_of_roof")) and row.get("bound"):
        parts.append(f"{style.short(row['percent_of_roof'])} % of the {style.level_name(row['bound'])} roof")
    times = row.get("time_roofline") or {}
    if number(times.get("overhead_seconds")) and times["overhead_seconds"] > row["flops"] / 1e9 / (number(row.get("roof_gflops")) or math.inf):
        part = 100 * times["overhead_seconds"] / row["seconds"]
        parts[-1] = f"{style.short(part)} % of the roof of its {style.short(times['launches'])} launches"
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
