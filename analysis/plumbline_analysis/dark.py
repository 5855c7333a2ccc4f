"""Figures on a dark ground, for slides: a figure that was drawn on white gets its colours anew, whatever it shows."""
import colorsys

from matplotlib import colors

from . import style

GROUND = "#15181d"  # as that of the page (interactive/page.css)
INK = "#e8e8e8"
VIVID = 0.35  # saturation (HSV) from which a colour is a hue that says something; below it is a grey, or a tint of the ground
LIGHTEST_TINT = 0.85  # lightness (HLS) from which a colour is the ground with a tint


PAINTS = ("color", "edgecolor", "facecolor", "markeredgecolor", "markerfacecolor")  # artists have a getter and a setter of those that they have


def darken(figure):
    """Changes the colours of everything in `figure`: what was near white is near GROUND, ink is near white, hues stay and grow lighter."""
    figure.draw_without_rendering()  # ticks are made when they are drawn first
    artists = figure.findobj()
    artists += [box for artist in artists if hasattr(artist, "get_bbox_patch") and (box := artist.get_bbox_patch())]
    # All are read before one is set: some follow others as long as they are not set, and a figure's ground is that of its patch.
    read = [(artist, paint, getattr(artist, f"get_{paint}")()) for artist in artists for paint in PAINTS
            if hasattr(artist, f"get_{paint}") and hasattr(artist, f"set_{paint}")]
    for artist, paint, color in read:
        if color is not None and not (isinstance(color, str) and color in ("none", "auto")):
            getattr(artist, f"set_{paint}")(_each_on_dark(color))
    for artist in artists:
        if artist.get_path_effects():
            artist.set_path_effects(style.halo(GROUND))


def _each_on_dark(color):
    """The colour of an artist, or those of its parts, on a dark ground."""
    return on_dark(color) if colors.is_color_like(color) else [on_dark(one) for one in color]


def on_dark(color):
    """The colour on a dark ground, as (red, green, blue, alpha)."""
    red, green, blue, alpha = colors.to_rgba(color)
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    if lightness < LIGHTEST_TINT and colorsys.rgb_to_hsv(red, green, blue)[1] >= VIVID:
        return *colorsys.hls_to_rgb(hue, 0.2 + 0.75 * lightness, saturation), alpha
    ground, ink = colors.to_rgb(GROUND), colors.to_rgb(INK)
    part = min(1.0, (1 - lightness) / (1 - 0.13))  # INK of style.py has lightness 0.13
    grey = [low + part * (high - low) for low, high in zip(ground, ink)]
    tint = [value - lightness for value in (red, green, blue)]
    return *(min(1.0, max(0.0, value + difference)) for value, difference in zip(grey, tint)), alpha
