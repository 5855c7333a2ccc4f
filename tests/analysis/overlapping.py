"""Whether texts of a figure lie on each other, or leave it: each text as the rectangle that it covers, turned as it is."""
import math

from matplotlib.text import Text


def texts_of(figure):
    """The texts that are drawn: labels, titles, legends, and the ticks' that are in the axes."""
    figure.draw_without_rendering()
    found = list(figure.texts) + [text for legend in figure.legends for text in legend.get_texts()]
    if figure._suptitle:
        found.append(figure._suptitle)
    for axes in figure.findobj(lambda artist: hasattr(artist, "xaxis") and hasattr(artist, "get_title")):
        if not axes.get_visible():
            continue
        found += [*axes.texts, axes.title, axes._left_title, axes._right_title]
        found += axes.get_legend().get_texts() if axes.get_legend() else []
        if axes.axison:
            for axis in (axes.xaxis, axes.yaxis):
                found += [axis.label, *(label for tick in axis._update_ticks() for label in (tick.label1, tick.label2) if label.get_visible())]
    return [text for text in {id(text): text for text in found}.values() if isinstance(text, Text) and text.get_visible() and text.get_text().strip()]


def corners(text, renderer, shrink=(0.98, 0.86)):
    """The four corners of a text's rectangle, a little smaller than the font's own height says."""
    middle = text.get_window_extent(renderer)
    x, y = (middle.x0 + middle.x1) / 2, (middle.y0 + middle.y1) / 2
    angle = text.get_rotation()
    text.set_rotation(0)
    flat = text.get_window_extent(renderer)
    text.set_rotation(angle)
    half, up = flat.width / 2 * shrink[0], flat.height / 2 * shrink[1]
    east, north = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return [(x + a * half * east - b * up * north, y + a * half * north + b * up * east) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def overlap(one, other):
    """Whether two rectangles share an area: no side of either separates them."""
    for box in (one, other):
        for (ax, ay), (bx, by) in zip(box, box[1:]):
            normal = (by - ay, ax - bx)
            first, second = ([x * normal[0] + y * normal[1] for x, y in points] for points in (one, other))
            if max(first) <= min(second) or max(second) <= min(first):
                return False
    return True


def faults(figure):
    """Pairs of texts that lie on each other, and texts that leave the figure."""
    texts = texts_of(figure)
    renderer = figure.canvas.get_renderer()
    boxes = [corners(text, renderer) for text in texts]
    found = [(texts[i].get_text(), texts[j].get_text()) for i in range(len(texts)) for j in range(i) if overlap(boxes[i], boxes[j])]
    width, height = figure.bbox.width, figure.bbox.height
    return found + [(text.get_text(), "leaves the figure") for text, box in zip(texts, boxes)
                    if not all(0 <= x <= width and 0 <= y <= height for x, y in box)]
