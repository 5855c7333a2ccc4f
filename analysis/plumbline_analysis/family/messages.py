"""The roofline of messages: what messages of a size reach, under the latency and the bandwidth that MPI was measured to have.

One message at a time takes the latency at the least (dotted); a stream of many has a greatest number of messages a second, by its smallest ones, and
no more crosses than the bandwidth: the two roofs of a stream. Exchanges of applications are points: bytes and messages by their model, seconds
measured.
"""
from matplotlib.lines import Line2D

from .. import style
from ..judged import number

WAYS = {"inside a node": (style.SERIES[0][0], "o"), "between nodes": (style.SERIES[1][0], "s")}
PATTERNS = {"one way": "-", "both ways": "--"}


def curves_of(tables):
    """Points (bytes of a message, GB/s) of streams, by (place, pattern): the medians over rounds and pairs."""
    rows = tables["ceilings"]
    if "working_set_bytes" not in rows:
        return {}
    rows = rows[(rows.level == "mpi") & (rows.unit == "GB/s") & (rows.status == "ok") & (rows.working_set_bytes > 0) & (rows.value > 0)]
    curves = {}
    for (name, pattern), part in rows.groupby(["name", "pattern"]):
        place = next((place for place in WAYS if name.endswith(place)), None)
        if place and pattern in PATTERNS:
            middle = part.groupby("working_set_bytes").value.median()
            curves[place, pattern] = list(zip(middle.index, middle.values))
    return curves


def roofs_of(ceiling_rows):
    """The roofs by place: seconds of the least latency, GB/s of the greatest bandwidth one way and both ways."""
    roofs = {}
    for row in ceiling_rows:
        place = next((place for place in WAYS if row["name"].endswith(place)), None)
        if row["level"] != "mpi" or row["status"] != "ok" or not number(row["value"]) or not place:
            continue
        own = roofs.setdefault(place, {})
        if row["pattern"] == "latency":
            own["latency"] = min(row["value"], own.get("latency", row["value"]))
        elif row["pattern"] in PATTERNS:
            own[row["pattern"]] = max(row["value"], own.get(row["pattern"], 0.0))
    return {place: own for place, own in roofs.items() if "latency" in own and "one way" in own}


def message_rates(curves, wanted="one way"):
    """The messages a second of the fastest stream of that pattern, by place."""
    return {place: max(1e9 * rate / size for size, rate in points) for (place, pattern), points in curves.items() if pattern == wanted}


def exchanges_of(tables, show_rows):
    """The exchanges that were timed: (name, ranks, bytes of a message, GB/s of a rank). Phases, and no applications: those compute too."""
    model = tables["model"]
    if "phase" not in model:
        return []
    wanted = model[model.quantity.isin(["exchange.bytes", "exchange.messages"])]
    amounts = {(row.case, row.phase, row.quantity): row.lo for row in wanted.itertuples()}
    found = []
    for row in show_rows:
        case, _, phase = row["case"].partition("#")
        ranks, seconds = row["ranks"], number(row["seconds"])
        bytes_, messages = (number(amounts.get((case, phase, f"exchange.{what}"))) for what in ("bytes", "messages"))
        if phase and ranks > 1 and seconds and bytes_ and messages:
            found.append((f"{row['kernel'].rsplit('/', 1)[-1]} {phase}", ranks, bytes_ / messages, bytes_ / seconds / 1e9))
    return found


def draw(curves, roofs, exchanges):
    figure = style.figure(10.5, 5.8)
    axes = figure.add_axes((0.075, 0.11, 0.66, 0.79))
    xs = [x for points in curves.values() for x, _ in points] + [size for *_, size, _ in exchanges]
    ys = [y for points in curves.values() for _, y in points] + [rate for *_, rate in exchanges] + [value for own in roofs.values() for key, value in own.items() if key != "latency"]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlim(min(xs) / 2, max(xs) * 2)
    axes.set_ylim(min(ys) / 3, max(ys) * 3)
    style.byte_axis(axes.xaxis)
    style.log_axis(axes.yaxis)
    boxes = style.Boxes(axes.bbox.extents)
    rates, both = message_rates(curves), message_rates(curves, "both ways")
    for place, own in roofs.items():
        _draw_roof(axes, place, own, rates.get(place))
        if "both ways" in own and place in both:
            _draw_line(axes, own["both ways"], both[place], color=WAYS[place][0], ls=(0, (1.2, 0.8)), lw=4.5, alpha=0.25, gid=f"roof both ways {place}")
    for (place, pattern), points in sorted(curves.items()):
        color, marker = WAYS[place]
        axes.plot(*zip(*points), PATTERNS[pattern], marker=marker, color=color, ms=4.5, lw=1.2, mfc=color if pattern == "one way" else "white", zorder=4,
                  label=f"{place}, {pattern}")
    for position, (*_, size, rate) in enumerate(exchanges, start=1):
        axes.plot([size], [rate], "D", ms=7, color="#CC79A7", mec=style.INK, mew=0.8, zorder=5, gid="exchange")
        style.number_near(axes, boxes, position, axes.transData.transform((size, rate)))
    _key(axes, roofs, rates, exchanges)
    axes.set_xlabel("size of a message")
    axes.set_ylabel("bandwidth (GB/s)")
    axes.grid(True, which="major", color="#e6e6e6", lw=0.6)
    axes.set_axisbelow(True)
    axes.set_title("Roofline of messages", loc="left", fontsize=11, fontweight="bold")
    return figure


def _draw_roof(axes, place, own, rate):
    """A size times messages a second up to the bandwidth one way, then that; and a size over the latency, dotted."""
    looks = [(1.0 / own["latency"], {"ls": ":", "lw": 1.2, "gid": f"latency {place}"})]
    if rate:
        looks.append((rate, {"ls": "-", "lw": 4.5, "alpha": 0.25, "gid": f"roof {place}"}))
    for messages, look in looks:
        _draw_line(axes, own["one way"], messages, color=WAYS[place][0], **look)


def _draw_line(axes, top, messages, **look):
    """A size times so many messages a second, up to the bandwidth `top`, then that."""
    left, right = axes.get_xlim()
    ridge = top * 1e9 / messages
    axes.plot([left, ridge, right], [left * messages / 1e9, top, top], zorder=2, scalex=False, scaley=False, **look)


def _key(axes, roofs, rates, exchanges):
    handles, _ = axes.get_legend_handles_labels()
    names = [handle.get_label() for handle in handles]
    for place, own in roofs.items():
        handles.append(Line2D([], [], color=WAYS[place][0], lw=4.5, alpha=0.25))
        both = f",\n{style.short(own['both ways'])} GB/s both ways (broken)" if "both ways" in own else ""
        stream = f"{style.powers(rates[place])} messages a second,\n" if place in rates else ""
        names.append(f"roof {place}:\n{stream}{style.short(own['one way'])} GB/s one way{both};\ndotted: one at a time, {style.seconds_text(own['latency'])}")
    if exchanges:
        handles.append(Line2D([], [], ls="none", marker="D", ms=7, color="#CC79A7", mec=style.INK, mew=0.8))
        names.append("exchanges of applications:\n" + "\n".join(f"{position}  {name}, {ranks} ranks" for position, (name, ranks, *_) in enumerate(exchanges, start=1)))
    axes.legend(handles, names, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=8, labelspacing=0.9)
