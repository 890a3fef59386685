"""The script that draws live charts: Vega with one function of ours, made offline and kept on disk.

It draws under `default-src 'self'`: expressions are interpreted, never compiled by `eval`, and no style is written
into the page. The picture that the server drew stays until the live one is there, and stays where this fails.
"""

from __future__ import annotations

import gzip
import json
import zlib
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version

from vivavoce.errors import FileError
from vivavoce.files.writing import write_bytes
from vivavoce.settings import home

# `vivavoceDraw(element, spec)` draws into an element and returns a promise. The colours become the CSS variables of
# the page, so that a live chart follows light, dark and print without being drawn again.
_SNIPPET = """
const names = %(names)s;
const paint = value =>
  typeof value === "string" ? (names[value.toLowerCase()] || value)
  : Array.isArray(value) ? value.map(paint)
  : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(painted))
  : value;
// A name in the data that looks like a colour stays a name.
const painted = ([key, inner]) => [key, ["datasets", "values"].includes(key) ? inner : paint(inner)];
// The box under the pointer, for eyes only: its numbers stand in the table beside the chart.
const box = Object.assign(document.createElement("div"), {id: "vg-tooltip-element", className: "vg-tooltip"});
box.setAttribute("aria-hidden", "true");
document.body.append(box);
// One label for the whole picture, which the page sets: hundreds of marks read out one by one help nobody.
const hush = element => {
  for (const part of element.querySelectorAll("[aria-roledescription]"))
    for (const name of ["role", "aria-roledescription"]) part.removeAttribute(name);
};
// Vega-Lite warns of what is as it should be (a chart as high as its rows cannot "fit-y"), and has no switch for it.
const warn = console.warn;
console.warn = (...said) => said[0] === "WARN" || warn.apply(console, said);
window.vivavoceDraw = (element, spec) => {
  const {$schema, ...ours} = paint(spec);
  ours.config = {...ours.config, aria: false};
  return vegaEmbed(element, ours, {
    mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false,
    tooltip: {disableDefaultStyle: true, theme: "page"},
  }).then(drawn => {
    hush(element);
    // A picture that is drawn anew, because its room has changed, has its roles again.
    const changes = {attributeFilter: ["role"], childList: true, subtree: true};
    new MutationObserver(() => hush(element)).observe(element, changes);
    return drawn;
  });
};
"""


@cache
def vega_bundle() -> bytes:
    """Return the script that draws charts: from disk, else made anew, which takes some seconds."""
    file = home() / "cache" / f"vega-{bundle_mark()}.js.gz"
    # A file that a disk has damaged is made again.
    with suppress(OSError, EOFError, zlib.error):
        if script := gzip.decompress(file.read_bytes()):
            return script
    import vl_convert

    script = vl_convert.javascript_bundle(_snippet()).encode()
    # A folder that cannot be written costs some seconds at each start, not the charts.
    with suppress(OSError, FileError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, gzip.compress(script, mtime=0))
    return script


@cache
def bundle_mark() -> str:
    """Return what changes when the script does: the version of the drawing library and our own function."""
    return sha256(f"{version('vl-convert-python')}\n{_snippet()}".encode()).hexdigest()[:12]


def _snippet() -> str:
    from vivavoce.reports.shared.svg import PALETTE

    names = {colour: f"var(--viva-{name}, {colour})" for name, colour in PALETTE.items()}
    return _SNIPPET % {"names": json.dumps(names)}
