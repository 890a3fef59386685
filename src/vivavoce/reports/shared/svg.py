"""Charts as SVG that follows the theme of the page around it: light, dark or print.

The colours of a chart are names in disguise: in the SVG each becomes a CSS variable with the colour as its fallback,
so that a chart in a notebook, a page and a file is one definition.
"""

from __future__ import annotations

import re
from hashlib import sha256
from html import escape
from typing import Any

import altair as alt
import vl_convert

# Each colour is a name: pages and reports give the names their colours in `templates/styles/10-tokens.css`, for light
# and dark. Green is bluish and red is orange, so that they are told apart with every colour vision.
PALETTE = {
    "ink": "#1f2329",
    "muted": "#59626e",
    "grid": "#e4e7eb",
    "page": "#fffffe",
    "accent": "#3350c4",
    "good": "#2b9a70",
    "bad": "#d4523b",
    "hold": "#dcb35a",
    "good-ink": "#0b6b4c",
    "bad-ink": "#b02a19",
    "bot-a": "#2563c9",
    "bot-b": "#b05c05",
    "bot-c": "#7a46b0",
    "bot-d": "#0c7784",
    "bot-e": "#b0357a",
    "bot-f": "#5c6a1c",
    # Charts that were stored by earlier releases use these.
    "right": "#2a78b8",
    "deferred": "#c6ccd4",
    "wrong": "#d2691e",
    "third": "#5f5a8a",
    "fourth": "#1b8a6b",
    "fifth": "#a8477f",
    "sixth": "#8a6d1b",
}
_PAINT = re.compile(r'(?<=[ ])(fill|stroke)="(#[0-9a-f]{6})"')
_TAG = re.compile(r"<[^>]*>")
_SPOKEN = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
# Where the drawing library sets links that begin with a slash; we mean our own server.
_LINK = re.compile(r'xlink:href="https://vega\.github\.io/vega-datasets/(/[^"]*)"')
_NAMES = {colour: name for name, colour in PALETTE.items()}

AnyChart = alt.Chart | alt.LayerChart | alt.FacetChart


def to_svg(chart: AnyChart, label: str = "") -> str:
    """Draw a chart without any network; `label` (else its description) is read out by a screen reader."""
    # Whether a chart is a right one, the tests ask; to ask for every picture takes almost as long as to draw it.
    return spec_to_svg(chart.to_dict(validate=False), label)


def spec_to_svg(spec: dict[str, Any], label: str = "") -> str:
    """Draw what a chart is made of."""
    spoken = label or str(spec.get("description", ""))
    # One label for the whole picture: thousands of marks read out one by one help nobody, the table does.
    quiet = {**spec, "config": {**spec.get("config", {}), "aria": False}}
    drawn: str = vl_convert.vegalite_to_svg(quiet, allowed_base_urls=[])
    return _set_label(_own_ids(_apply_palette(_LINK.sub(r'href="\1"', drawn))), spoken)


def _apply_palette(svg: str) -> str:
    def paint(match: re.Match[str]) -> str:
        name = _NAMES.get(match[2])
        return f'{match[1]}="var(--viva-{name}, {match[2]})"' if name else match[0]

    return _PAINT.sub(paint, svg)


def _own_ids(svg: str) -> str:
    """Make ids unique, for several charts stand in one page."""
    ids = set(re.findall(r' id="([^"]+)"', svg))
    mark = sha256(svg.encode()).hexdigest()[:8]
    for name in sorted(ids):
        svg = svg.replace(f' id="{name}"', f' id="{name}-{mark}"').replace(f"url(#{name})", f"url(#{name}-{mark})")
    return svg


def _set_label(svg: str, spoken: str) -> str:
    """Set one label in place of Vega's many roles; the class lets the page shrink the picture."""
    text = escape(spoken, quote=True)
    svg = _TAG.sub(lambda match: _SPOKEN.sub("", match[0]), svg)
    # What can be followed must not be hidden within one image.
    role = "group" if "<a " in svg else "img"
    attributes = f'class="chart" role="{role}" aria-label="{text}"'
    svg = svg.replace('class="marks"', attributes, 1)
    return re.sub(r"(<svg[^>]*>)", lambda match: f"{match[1]}<title>{text}</title>", svg, count=1)
