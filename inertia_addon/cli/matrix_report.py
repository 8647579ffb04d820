# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of ``matrix``: one HTML file with all of its pictures, which opens from disk."""

from __future__ import annotations

import base64
import html as markup
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from .. import escapes
from ..blender.cost import meetings
from ..blender.cost.library import ClipLibrary, Edge
from ..blender.files import picture_files
from ..motion.steps import finish
from ..pages.judged import FOLDER, as_script, plain_values
from ..plots.chart import alone, sheet
from ..plots.heat_map import HeatMap
from ..plots.theme import PAPER
from ..settings import methods
from ..tasks.task import headline

MAP_SIZE = (330, 300)
MAP_CELLS = 300
TEMPLATE = Path(__file__).with_suffix(".html")


def overview(edges: list[Edge], library: ClipLibrary) -> HeatMap:
    """Return the map of all clips with all clips: sources as rows from the top, destinations as columns,
    costs in metre seconds, both in the library's order and with its names.

    The HeatMap's ``values`` are (clips, clips), its first row that of the last source, as rows count from
    below; ``y_names`` are reversed likewise, and long names are shortened. Pairs without an edge, such as a
    clip with itself, are NaN; of several edges of a pair the last counts. The map's note says what its
    colours leave out, see :meth:`HeatMap.explained`.
    """
    count = len(library.clips)
    costs = np.full((count, count), np.nan)
    for edge in edges:
        costs[edge.source, edge.destination] = edge.cost
    names = library.names()
    return HeatMap.named(
        costs,
        names,
        names,
        PAPER,
        title="Cost of the best transition between each two clips",
        x_label="destination",
        y_label="source",
        aside="m·s",
    ).explained()


def html(
    values: dict[str, Any],
    overview_map: tuple[HeatMap, bytes],
    library: ClipLibrary,
    pictured: tuple[Iterable[Edge], Iterable[Edge]],
    played: Mapping[str, Any],
) -> str:
    """Return the report as the text of one HTML file, with all pictures in it.

    values: those of matrix.json; from them come the summary, the table of all edges, and a list of what
    failed or was skipped. overview_map: the overview, and the same as a PNG file, to whose size the places of
    its cells are given. pictured: the best and the worst edges, which get a map of their own, which is
    computed here. played: what the report plays, see :func:`player_values`, with the edges in the order of
    values; {} for nothing. All texts are escaped.

    Raise InertiaError if the two clips of such an edge can't be compared.
    """
    values = plain_values(values)
    (drawn, picture), (best, worst) = overview_map, pictured
    drawing = sheet([drawn])
    left, bottom, width, height = alone(drawn).area
    names = [clip["name"] for clip in values["clips"]]
    place = {
        "box": [left, drawing.height - bottom - height, width, height],
        "size": [drawing.width, drawing.height],
        "names": names,
    }
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        summary=markup.escape(_summary(values)),
        how=markup.escape(_how(values)),
        notes="".join(f"<li>{markup.escape(note)}</li>" for note in (*values["failed"], *values["skipped"])),
        overview=_embedded(picture),
        width=drawing.width,
        best="".join(_figure(edge, library, names) for edge in best),
        worst="".join(_figure(edge, library, names) for edge in worst),
        edges=as_script([{**edge, "verdict": headline(edge)} for edge in values["edges"]]),
        place=as_script(place),
        player=(FOLDER / "player.js").read_text(encoding="utf-8"),
        played=as_script(plain_values(played)),
    )


def _figure(edge: Edge, library: ClipLibrary, names: list[str]) -> str:
    """Return an HTML figure, as text with the picture in it, of an edge's map of exact costs, with a caption.

    The map is marked at the edge's cut and destination frame. Of long clips only every k-th frame is
    computed, so that it has at most MAP_CELLS rows and columns. The caption has both names, the cost, the cut
    and the destination frame, and the bone that adds most, with its share of the cost.

    names: of all clips, without characters that break lines; what HTML reserves is escaped here. Raise
    InertiaError if the two clips can't be compared.
    """
    compared = library.compared(edge.source, edge.destination)
    costs, steps = meetings.start_map(compared, kind="EXACT", cells=MAP_CELLS)
    finish(steps)
    plain = {"title": "", "x_label": "cut", "y_label": "destination frame", "note": ""}
    called, meeting = library.names(), (edge.cut, edge.destination_frame)
    actions = called[edge.source], called[edge.destination]
    drawn = meetings.map_chart(costs, actions, meeting, (), size=MAP_SIZE, **plain)
    title = f"{names[edge.source]} to {names[edge.destination]}"
    caption = (
        f"{edge.cost:.4g} m·s at cut {edge.cut:g}, destination frame {edge.destination_frame:g}; "
        f"{escapes.plain(edge.bone)} {edge.share:.0%}"
    )
    return (
        f'<figure><img src="{_embedded(picture_files.as_png(sheet([drawn])))}" alt="Map of costs">'
        f"<figcaption><b>{markup.escape(title)}</b>{markup.escape(caption)}</figcaption></figure>\n"
    )


def _summary(values: dict[str, Any]) -> str:
    costs = [edge["cost"] for edge in values["edges"]]
    middle = float(np.median(costs)) if costs else 0.0
    text = f"{len(values['clips'])} clips, {len(costs)} transitions"
    return text + (f"; costs {min(costs):.4g} to {max(costs):.4g} m·s, median {middle:.4g}" if costs else "")


def _how(values: dict[str, Any]) -> str:
    method = methods.spoken(values["method"])
    joints = ", ".join(values["weights"])
    searched = (
        "Every meeting was compared by its exact cost."
        if values["searched"] == "exact"
        else "Meetings were found by features; the costs listed are exact."
    )
    return (
        f"Method {method}, {values['seconds']:.3g} s; root {values['root']}; joints that count: {joints}. "
        f"{searched} The cost is how far, and for how long, a transition holds the joints away from where "
        "the destination alone would have them, in metre seconds."
    ) + (
        " Of the cheapest meetings of each pair, the one that looks best by its verdict was taken."
        if values["by"] == "JUDGED"
        else ""
    )


def _embedded(picture: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(picture).decode("ascii")
