"""Colours: told apart with any colour vision, on white and on a dark ground, and every text and line seen on both."""
import itertools
import pathlib
import sys

import pytest

for module in ("numpy", "matplotlib"):
    pytest.importorskip(module, reason=f"SKIP: python3-{module} is not installed")
import matplotlib  # noqa: E402
import numpy  # noqa: E402
from matplotlib import colors  # noqa: E402

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent.parent / "analysis"), str(HERE)]

import overlapping  # noqa: E402
import synthetic_family as gpu  # noqa: E402
from plumbline_analysis import dark, groups, roofline, style, without_flops  # noqa: E402
from plumbline_analysis.family import planes, trajectories  # noqa: E402

# What is left of linear red, green and blue without one kind of cones (Machado, Oliveira, Fernandes 2009, severity 1.0).
VISIONS = {
    "any": numpy.eye(3),
    "protanopia": numpy.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": numpy.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": numpy.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
JUST_SEEN = 2.3  # a difference in CIE Lab (1976) that half of all observers see
PALETTES = {"levels": [color for color, _ in style.LEVELS.values()], "series": [color for color, _ in style.SERIES],
            "regions": [color for color, *_ in planes.REGIONS.values()]}


def linear(color):
    """Linear red, green, blue of a colour (sRGB)."""
    values = numpy.array(colors.to_rgb(color))
    return numpy.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE Lab under D65 of linear red, green, blue."""
    xyz = numpy.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ rgb / (0.9505, 1, 1.089)
    x, y, z = numpy.where(xyz > (6 / 29) ** 3, numpy.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return numpy.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def difference(one, other, vision):
    first, second = (lab(numpy.clip(VISIONS[vision] @ linear(color), 0, 1)) for color in (one, other))
    return float(numpy.linalg.norm(first - second))


def contrast(one, other):
    """The contrast of two colours as WCAG 2 has it, 1 to 21."""
    low, high = sorted(float(numpy.array([0.2126, 0.7152, 0.0722]) @ linear(color)) + 0.05 for color in (one, other))
    return high / low


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("ground", ["white", dark.GROUND])
@pytest.mark.parametrize("palette", PALETTES)
def test_colours_of_a_figure_are_told_apart_with_any_vision(palette, ground, vision):
    shown = [dark.on_dark(color)[:3] if ground == dark.GROUND else color for color in PALETTES[palette]]
    for one, other in itertools.combinations(shown, 2):
        assert difference(one, other, vision) > 4 * JUST_SEEN, (one, other)
    assert all(contrast(color, ground) > 2 for color in shown)


def test_who_sees_no_green_takes_red_and_green_of_one_lightness_for_one():
    assert difference("#b05050", "#728a50", "deuteranopia") < difference("#b05050", "#728a50", "any") / 3


def test_levels_and_series_have_symbols_of_their_own_too():
    for looks in (style.LEVELS.values(), style.SERIES):
        symbols = [marker for _, marker in looks]
        assert len(set(symbols)) == len(symbols)


@pytest.fixture(scope="module")
def drawn():
    with matplotlib.rc_context(style.SETTINGS):
        (group,), _ = groups.groups_of(gpu.cases())
        roofs = groups.roofs_of(gpu.ceilings()["rows"], group)
        made = [roofline.draw(group, roofs, group.rows, "a note", strip=without_flops.strip_of(gpu.cases(), group)), planes.draw(group, *planes.planes_of(group)),
                trajectories.draw(group, roofs)]
        faults = [overlapping.faults(figure) for figure in made]
        for figure in made:
            dark.darken(figure)
        return made, faults


def test_every_text_is_read_on_a_dark_ground(drawn):
    for figure in drawn[0]:
        assert colors.to_hex(figure.get_facecolor()) == dark.GROUND
        texts = overlapping.texts_of(figure)
        assert len(texts) > 20
        assert [text.get_text() for text in texts if contrast(text.get_color(), dark.GROUND) < 4] == []


def test_every_line_and_symbol_is_seen_on_a_dark_ground(drawn):
    for figure in drawn[0]:
        lines = figure.findobj(matplotlib.lines.Line2D)
        assert len(lines) > 30
        assert [line for line in lines if contrast(line.get_color(), dark.GROUND) < 1.25] == []
    hollow = [line for line in drawn[0][1].findobj(matplotlib.lines.Line2D) if (line.get_gid() or "").startswith("open")]
    assert hollow and {colors.to_hex(line.get_markerfacecolor()) for line in hollow} == {dark.GROUND}


def test_a_dark_figure_has_its_texts_where_the_light_one_has_them(drawn):
    figures, before = drawn
    assert [overlapping.faults(figure) for figure in figures] == before


def test_white_is_the_ground_ink_is_light_and_a_hue_stays():
    assert colors.to_hex(dark.on_dark("white")) == dark.GROUND
    assert contrast(dark.on_dark(style.INK)[:3], dark.GROUND) > 12
    for color, _ in style.LEVELS.values():
        before, after = (colors.rgb_to_hsv(colors.to_rgb(one)) for one in (color, dark.on_dark(color)))
        assert after[0] == pytest.approx(before[0], abs=0.01) and dark.on_dark(color)[3] == 1
    assert dark.on_dark((0, 0, 0, 0.25))[3] == 0.25
