# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts in time editors, as bars lined up with the keys, and in the 3D View, as footprints."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blender.data import scene
from ...errors import InertiaError
from ...plots import shapes
from ...records import record
from ..overlay.layout import LEAST_BAND, RegionInfo, slim_band
from ..overlay.protocol import OverlayPlot, TimePlot
from ..overlay.protocol import Span as Frames
from ..shared import cache, labels
from . import bars
from . import shown as feet
from .bars import ContactBars, Row

if TYPE_CHECKING:
    from ...blender.feet.contacts import Contacts
    from ...motion.arrays import Array, Flags
    from ...motion.feet.contacts import Span
    from ...plots.shapes import Rect, Shape
    from ...plots.theme import Theme

ALONE, BESIDE = 0.5, 0.34
"""The bars take no more of a time editor's height than this: alone, and beside other plots."""

LENGTH, WIDTH = 0.32, 0.13
"""Of a footprint, as parts of the leg's length ..."""
BALL = 0.68
"""... and where in it the ball is, from the heel on."""
LEAST_WAY = 0.05
"""An ankle this near above the ball, or a body that goes no further, in leg lengths, tells no direction."""


@record(frozen=True, eq=False)
class Print:
    """A footprint. span: when. outline: (n, 3) in the world, closed. row: which foot's."""

    span: Span
    outline: Array
    row: int


@record(frozen=True, eq=False)
class Footprints:
    """All footprints of an action."""

    action: str
    prints: tuple[Print, ...]
    period: float | None


class FootTimeline(TimePlot):
    """When each foot is planted, in time editors."""

    name = "foot_contacts"
    needs_actions = False

    def model(self, armature: Any, switches: Any) -> tuple[ContactBars, str]:
        return model_of(armature), ""

    def bands(
        self, model: ContactBars, info: RegionInfo, below: float, *, is_alone: bool
    ) -> list[tuple[Any, Rect]]:
        left, bottom, width, height = info.free
        wanted = (bars.ROW * len(model.rows) + bars.FOOT + 24.0) * info.scale
        tall = min(wanted, (ALONE if is_alone else BESIDE) * height)
        if tall < LEAST_BAND * info.scale or width < 100.0 * info.scale:
            slim = slim_band(info, below)
            return [] if slim is None else [(model, slim)]
        return [(model, (left, bottom + below, width, tall))]

    def shapes_in_time(
        self, model: Any, content: ContactBars, rect: Rect, frames: Frames, theme: Theme, *, grips: bool
    ) -> list[Shape]:
        return bars.shapes_of(content, rect, frames, theme)

    def now_in_time(
        self, context: Any, cells: Sequence[tuple[ContactBars, Rect]], frames: Frames, theme: Theme
    ) -> list[Shape]:
        handle = bars.lit(context.region)
        if handle is None:
            return []
        lit = (bars.lit_shapes(shown, handle, place, frames, theme) for shown, place in cells)
        return [*itertools.chain.from_iterable(lit)]


def model_of(armature: Any) -> ContactBars:
    """Return the bars of the action that is shown; the same object until something changes.

    Raise NotFound if finding the contacts would take long or Blender would have to play the action; other
    InertiaErrors without an action or legs, or where stored contacts can't be read.
    """
    shown = feet.contacts_of(armature)

    def make() -> ContactBars:
        planted = shown.contacts
        rows = tuple(
            Row(leg.name, labels.bone(armature, leg.name), spans, leg.name in planted.edited)
            for leg, spans in zip(planted.legs, planted.spans, strict=True)
        )
        called = labels.action(armature, shown.action)
        return ContactBars(shown.action, called, rows, planted.clip, planted.period)

    return cache.answer("contact bars", armature, shown, make, at_once=True)


class FootprintPlot(OverlayPlot):
    """Where each foot is planted, in the 3D View's world."""

    name = "footprints"
    needs_actions = False

    def model(self, armature: Any, switches: Any) -> tuple[Footprints, str]:
        shown = feet.contacts_of(armature)
        metres = scene.metres_per_unit()

        def make() -> Footprints:
            return Footprints(shown.action, prints_of(shown.contacts, 1.0 / metres), shown.contacts.period)

        return cache.answer("footprints", armature, (shown, metres), make, at_once=True), ""

    def panels(self, model: Footprints) -> Sequence[Any]:
        return ()

    def world(self, model: Footprints, theme: Theme) -> list[Shape]:
        return [_drawn(footprint, theme, 1.6) for footprint in model.prints]

    def world_now(self, context: Any, theme: Theme) -> list[Shape]:
        armature, frame = self.armature(context), float(context.scene.frame_current_final)
        if armature is None:
            return []
        try:
            model, _ = self.model(armature, None)
        except InertiaError:
            return []  # said beside the plots
        shown = [footprint for footprint in model.prints if is_now(footprint.span, frame, model.period)]
        return [_drawn(footprint, theme, 5.0) for footprint in shown]


def is_now(span: Span, frame: float, period: float | None) -> bool:
    """Tell whether a foot is planted at a frame, in whichever repetition of a cycle."""
    if period is None:
        return span.holds(frame)
    return span.holds(frame + np.floor((span.end - frame) / period) * period)


def prints_of(planted: Contacts, units: float) -> tuple[Print, ...]:
    """Return a footprint for each contact, foot by foot in the order of planted.legs, and by time for each.

    units: of the world in a metre. A print's `span` is the contact, `row` the foot's index, and `outline`
    (33, 3) a closed line in the world, in its units: that of :func:`print_outline`, put where the foot's
    point is during the contact, height included, the median over its frames. A contact between two frames
    takes the nearest one.

    It points from ankle to ball or, where these are nearly above each other, as the body goes over the
    ground, see :func:`direction`; where that does not tell either, it is a circle.
    """
    prints = []
    for k in range(len(planted.legs)):
        for span in planted.spans[k]:
            inside = (planted.frames >= span.start - 1e-3) & (planted.frames <= span.end + 1e-3)
            if not inside.any():
                # between two frames
                inside = np.abs(planted.frames - span.start) <= np.abs(planted.frames - span.start).min()
            place = np.median(planted.points[inside, k], axis=0)
            outline = print_outline(float(planted.lengths[k]), direction(planted, k, inside))
            prints.append(Print(span, np.ascontiguousarray((place + outline) * units), k))
    return tuple(prints)


def direction(planted: Contacts, leg: int, inside: Flags) -> Array | None:
    """Return which way a foot points while it is planted, a unit vector (2,) along x and y of the world; None
    where nothing tells.

    leg: its index. inside: (n,), which of planted.frames belong to the contact; IndexError if none does.

    First tried is the way from ankle to the foot's point, the median over the contact. If it is no longer
    than LEAST_WAY of the leg's length, as where they are above each other, it is how the body goes: the mean
    of all legs' hips from the contact's first frame to its last, less how far the ground passes meanwhile
    (planted.ground, by the scene's frame rate). If that is no longer either, None.
    """
    least = LEAST_WAY * float(planted.lengths[leg])
    foot = np.median(planted.points[inside, leg] - planted.ankles[inside, leg], axis=0)[:2]
    hips = planted.hips[inside].mean(axis=1)[:, :2]
    seconds = scene.to_seconds(float(np.ptp(np.flatnonzero(inside))))
    body = hips[-1] - hips[0] - planted.ground * seconds
    for way in (foot, body):
        length = float(np.linalg.norm(way))
        if length > least:
            return np.asarray(way / length)
    return None


def print_outline(length: float, direction: Array | None) -> Array:
    """Return a sole's outline (33, 3), metres, closed (the last point is the first), at height 0, with the
    ball at the origin.

    length: of the leg, metres; the sole is LENGTH times as long, and wide at the ball, narrow at the heel.
    direction: which way it points, a unit vector (2,) of x and y; None, where that is not known, gives a
    circle about the origin, half as wide as the sole is long.
    """
    turn = np.linspace(0.0, 2.0 * np.pi, 33)
    if direction is None:
        return 0.25 * LENGTH * length * np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
    along = 0.5 + 0.5 * np.cos(turn)
    # wide at the ball, narrow at the heel
    across = np.sin(turn) * (0.62 + 0.38 * np.cos(turn - 0.35 * np.pi * np.sign(np.sin(turn))))
    forward = (along - BALL) * LENGTH * length
    side = 0.5 * WIDTH * length * across
    return np.column_stack(
        [
            forward * direction[0] - side * direction[1],
            forward * direction[1] + side * direction[0],
            0.0 * turn,
        ]
    )


def _drawn(footprint: Print, theme: Theme, width: float) -> Shape:
    return shapes.line(footprint.outline, bars.colour_of(footprint.row, theme), width * theme.scale)
