# SPDX-License-Identifier: GPL-3.0-or-later
"""The path in the 3D View, coloured by how far away from it the character will be, with the places of its
joins, which the mouse picks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...blender.data import compat, recipe
from ...blender.learned import recipes as learned_recipes
from ...blender.matching import recipes
from ...motion.matching.targets import NEAR
from ...plots import plot, shapes
from ...plots.shapes import Lines, Rect, Shape, Text
from ..overlay import in_view
from ..overlay.layout import PlotSlot
from ..overlay.protocol import Hit, OverlayPlot
from ..shared import cache, labels
from ..translations import translated
from . import searching
from .shown import PathView, by_model

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ...plots.theme import Theme

MISSING = "Press Find Path in the panel Path to see how the path is followed."
FULL = 2.0 * NEAR
"""So far away, in metres for a person, has the last of the colours."""
COLOURS = np.array([(0.26, 0.6, 1.0), (1.0, 0.87, 0.22), (0.96, 0.2, 0.14)])
"""From on the path to far away: told apart by who can't tell red from green, too."""
PATH, WAY = 4.5, 1.6
"""How wide the path is drawn, and the way that the character goes; pixels at a scale of 1."""
GHOST = 2.5
"""How wide the lines of the character are that walks along it, likewise."""
MARK, PIN, REACH = 5.0, 7.5, 11.0
"""Half the sizes of a join's mark and a pin's, and so near the mouse picks a join, likewise."""
BAR = 74.0
"""How wide the colours are in the legend, likewise."""


def coloured(errors: Array, full: float) -> Array:
    """Return the colours (n, 4) of distances from the path (n,). full: that of the last colour, metres."""
    stops = np.linspace(0.0, full, len(COLOURS))
    channels = [np.interp(errors, stops, channel) for channel in COLOURS.T]
    return np.stack([*channels, np.ones(len(errors))], axis=1)


class PathPlot(OverlayPlot):
    """What is followed, and how, in the 3D View's world."""

    name = "path"
    tool = "path"
    needs_actions = False
    slot = PlotSlot.LEGEND
    is_clicked = True

    def model(self, armature: Any, switches: Any) -> tuple[PathView | None, str]:
        playing = compat.assigned(armature)[0]
        if playing is not None and recipe.kind(playing) == recipe.LEARNED:
            baked = _by_model(armature, playing)
            if baked is not None:
                return baked, ""
        if armature.inertia_path.followed is None:
            return None, MISSING
        progress = searching.of(armature)
        return progress.shown, MISSING if progress.shown is None and not progress.is_analysed else ""

    def shapes(self, model: PathView, content: PathView, rect: Rect, theme: Theme) -> list[Shape]:
        """Return the five shapes of the legend, in pixels.

        They are, in order, a panel; the texts "Off the path", "0" and the distance at the right end, in whole
        cm; and one line of 32 points from left to right, between the latter two texts, in the colours of
        :func:`coloured`. The bar's right end stands for FULL times the character's size, so for 20 cm where
        that is 1.

        rect: pixels; its left, bottom and height count, the panel is as wide as its texts. content: the view,
        of which only size counts; model is not used.
        """
        s, font = theme.scale, theme.font
        left, bottom, _, height = rect
        baseline = bottom + 0.5 * height - 0.35 * font
        texts = translated("Off the path"), "0", f"{100.0 * FULL * content.size:.0f} cm"
        widths = [plot.width_of(text, font) for text in texts]
        x = [left + plot.PADDING * s]
        x.append(x[0] + widths[0] + 10.0 * s)
        first = x[1] + widths[1] + 5.0 * s
        x.append(first + BAR * s + 5.0 * s)
        right = x[2] + widths[2] + plot.PADDING * s
        along = np.linspace(0.0, 1.0, 32)
        points = np.column_stack([first + along * BAR * s, np.full(32, bottom + 0.5 * height)])
        colours = coloured(along, 1.0).astype(np.float32)
        return [
            plot.panel((left, bottom, right - left, height), theme),
            *(Text(at, baseline, text, font, theme.text) for at, text in zip(x, texts, strict=True)),
            Lines(points.astype(np.float32), colours, 0.42 * height),
        ]

    def hit(self, content: Any, rect: Rect, theme: Theme, x: float, y: float) -> Hit | None:
        return None

    def hit_in_view(self, context: Any, model: PathView, x: float, y: float) -> Hit | None:
        at, ahead = in_view.project(context, model.marks)
        away = np.where(ahead, np.linalg.norm(at - (x, y), axis=1), np.inf)
        reach = REACH * float(context.preferences.system.ui_scale or 1.0)
        if not len(away) or away.min() > reach:
            return None
        return "JOIN", (float(model.joins[int(np.argmin(away))]["seconds"]),)

    def world(self, model: PathView, theme: Theme) -> list[Shape]:
        path = np.ascontiguousarray(model.points, np.float32)
        colours = coloured(model.errors, FULL * model.size).astype(np.float32)
        return [
            shapes.line(model.points, in_view.EDGE, (PATH + 2.5) * theme.scale),
            Lines(path, colours, PATH * theme.scale),
            shapes.line(model.way, in_view.EDGE, (WAY + 1.5) * theme.scale),
            shapes.line(model.way, (1.0, 1.0, 1.0, 0.9), WAY * theme.scale),
        ]

    def now(self, context: Any, model: PathView, cells: Any, theme: Theme) -> list[Shape]:
        armature = self.armature(context)
        if armature is None:
            return []
        drawn = self._draw_ghost(context, armature, model, theme)
        for (x, y), is_ahead in zip(*in_view.project(context, model.pins), strict=True):
            for r, colour in ((1.3 * PIN, in_view.EDGE), (PIN, theme.way)) if is_ahead else ():
                r *= theme.scale
                drawn.append(shapes.fan([(x + r, y), (x, y + r), (x - r, y), (x, y - r)], colour))
        active = model.index_at(armature.inertia_path.joined_at)
        at, ahead = in_view.project(context, model.marks)
        for i in [*np.flatnonzero(ahead & (np.arange(len(at)) != active)), active]:
            if 0 <= i < len(at) and ahead[i]:
                x, y = at[i].tolist()
                size = (1.5 if i == active else 1.0) * MARK * theme.scale
                colour = theme.current if i == active else (1.0, 1.0, 1.0, 1.0)
                drawn.append(shapes.disc(x, y, size + 1.5 * theme.scale, in_view.EDGE))
                drawn.append(shapes.disc(x, y, size, colour))
        if 0 <= active < len(at) and ahead[active]:
            x, y = at[active].tolist()
            drawn += in_view.label(join_text(armature, model.joins[active]), x, y, theme)
        return drawn

    def _draw_ghost(self, context: Any, armature: Any, model: PathView, theme: Theme) -> list[Shape]:
        """Return two shapes of lines, in pixels, that show the character as the found way has it on the
        scene's frame: a wider edge, then the lines in the way's colour.

        Lines of which an end lies behind the eye are left out. [] while a baked path plays, and on frames
        before or behind the way.
        """
        lines = None if recipes.find_playing(armature) else model.ghost_at(context.scene.frame_current_final)
        if lines is None:
            return []
        at, ahead = in_view.project(context, lines)
        at = at[np.repeat(ahead.reshape(-1, 2).all(axis=1), 2)]
        edge = shapes.line(at, in_view.EDGE, (GHOST + 1.5) * theme.scale, pairs=True)
        return [edge, shapes.line(at, theme.way, GHOST * theme.scale, pairs=True)]


def _by_model(armature: Any, action: Any) -> PathView | None:
    """Return the view of the way that a model has gone, by its action's recipe; None where that doesn't say
    the way, as one of an earlier version.

    The way lies at the height of the armature's origin; the view has points, errors, way, length in seconds
    and size, and no joins or figures. It is the same object while the armature, its height and the recipe
    stay the same.

    Raise KeyError for an action without the recipe of a model, InertiaError for a recipe that can't be read.
    """
    floor = armature.matrix_world.translation.z

    def compute() -> PathView | None:
        way = learned_recipes.way_of(action)
        return None if way is None else by_model(way, floor)

    return cache.answer("path:model", armature, (action[recipe.LEARNED], floor), compute)


def join_text(armature: Any, join: dict[str, Any]) -> str:
    """Describe a join: ``Walk 48 > Turn 12``."""
    return " \u2192 ".join(clip_text(armature, join[end]) for end in ("from", "to"))


def frame_text(armature: Any, at: dict[str, Any]) -> str:
    """Describe a frame of a clip: ``Walk 48``."""
    return f"{labels.action(armature, at['action'])} {at['frame']:.0f}"


def clip_text(armature: Any, at: dict[str, Any]) -> str:
    """Describe a frame of a clip, and whether it is mirrored: ``Walk 48``, or ``Walk 48 (mirrored)``."""
    text = frame_text(armature, at)
    return translated("{0} (mirrored)", text) if at["mirrored"] else text
