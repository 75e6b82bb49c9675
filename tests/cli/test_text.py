"""The text report at several widths and color depths, and the heat map alone."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from rich.console import Console

from sizewise.insight.explanation import explain
from sizewise.report.explain.text import ExplanationText
from sizewise.report.heatmap import HeatMap, color, shade_index


def shown(facts, width, **settings):
    console = Console(width=width, file=io.StringIO(), **settings)
    console.print(ExplanationText(facts) if not isinstance(facts, HeatMap) else facts)
    return console.file.getvalue()


def test_maps_are_side_by_side_at_80_and_120_columns():
    facts = explain((16, 16), (4, 4))
    narrow, wide = (shown(facts, width).splitlines() for width in (80, 120))
    assert narrow[4] == "█···█···█···█···          ················          ░░░░░░░░░░░░░░░░"
    assert wide[4] == f"{'██······' * 4}        {'··' * 16}        {'░░' * 16}"
    assert all(len(line) <= 120 for line in wide)


def test_maps_are_stacked_in_narrow_terminals():
    lines = shown(explain((16, 16), (4, 4)), 40).splitlines()
    assert lines.count("█···█···█···█···") == 4  # each on a separate line
    assert all(len(line) <= 40 for line in lines)
    assert sum(line.startswith("reached  ") for line in lines) == 3


def test_every_variant_is_on_the_same_scale():
    text = shown(explain((16, 16), (4, 4)), 80)
    assert "· none  ░ up to 0.0625  ▒ 0.25  ▓ 0.5625  █ 1  (one square-root scale)" in text
    assert "▓" not in text.split("largest  ")[0]  # no default weight lies between 0.25 and 0.5625


def test_one_axis_is_one_row():
    lines = shown(explain((16,), (4,)), 80).splitlines()
    assert lines[4].startswith("█···█···█···█···")
    assert lines[5].startswith("4 of 16 pixels")


def test_three_axes_have_no_map():
    text = shown(explain((16, 16, 16), (4, 4, 4)), 80)
    assert "Each cell" not in text
    assert "64 of 4096 pixels" in text.replace(",", "")
    assert "reached  1.562 %" in text


def test_large_values_have_thousands_separators():
    assert "total    50,176" in shown(explain((4000, 4000), (224, 224)), 80)


def test_few_outputs_of_a_large_image_are_shown_as_means():
    text = shown(explain((1000, 1000), (4, 4)), 80)
    assert "Each cell is the mean of 46x46 pixels." in text
    assert "Each cell is the mean of 1x46 pixels." in shown(explain((10, 1000), (4, 4)), 80)


def test_many_outputs_of_a_large_image_are_shown_as_a_corner():
    text = shown(explain((224, 224), (64, 64)), 80)
    assert "Shown are the top left 22x22 pixels." in text
    assert "█··▓▓··█··▓▓··█··▓▓··█" in text  # 3.5 pixels apart: on a pixel, then between two
    assert "Shown are the top left 22x16 pixels." in shown(explain((224, 16), (64, 4)), 80)
    assert "Shown are the first 22 pixels." in shown(explain((1024,), (224,)), 80)


@pytest.mark.parametrize("system", ["256", "truecolor"])
def test_colors_on_terminals_that_have_them(system):
    text = shown(explain((16, 16), (4, 4)), 120, force_terminal=True, color_system=system, no_color=False)
    assert "\x1b[48;" in text
    assert not set("░▒▓█·") & set(text)


@pytest.mark.parametrize("settings", [{"color_system": "standard"}, {"color_system": "truecolor", "no_color": True}])
def test_shades_on_other_terminals(settings):
    text = shown(explain((16, 16), (4, 4)), 80, force_terminal=True, **settings)
    assert "█···█···█···█···" in text
    assert not re.search("\x1b\\[[34]8;", text)


def test_two_rows_of_small_cells_share_a_line():
    levels = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    text = shown(HeatMap(levels, 1), 20, force_terminal=True, color_system="truecolor", no_color=False)
    yellow, gray = "253;231;37", "62;62;70"
    assert text.splitlines() == [
        f"\x1b[38;2;{yellow};48;2;{gray}m▀\x1b[0m\x1b[38;2;{gray};48;2;{yellow}m▀\x1b[0m",
        f"\x1b[38;2;{yellow}m▀\x1b[0m\x1b[38;2;{yellow}m▀\x1b[0m",
    ]


def test_the_ramp_grows_lighter_and_zero_is_distinct():
    def lightness(level):
        red, green, blue = color(level).triplet
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    ramp = [lightness(level) for level in np.linspace(1e-6, 1, 30)]
    assert ramp == sorted(ramp)
    assert color(0.0) != color(1e-6)


def test_a_level_is_not_pushed_up_by_rounding():
    assert [shade_index(level) for level in (0.0, 1e-12, 0.5, np.nextafter(0.5, 1), 0.51, 1.0)] == [0, 1, 2, 2, 3, 4]
