# SPDX-License-Identifier: GPL-3.0-or-later
"""Which meetings are worth judging, though others may cost less: by what is foreseen of them."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.cost.foresight import Foresight, Way
from ...motion.skeleton import character, naming
from ...settings.cost import Search
from ...settings.transition import TransitionSettings
from ..data import rigs, scene
from ..evaluation import joints
from . import meetings
from .costing import Compared
from .meetings import Meeting

BESIDE = 5
"""On both sides of a frame so many others, at most, are looked at."""


def best(
    armature: Any,
    settings: TransitionSettings,
    compared: Compared,
    search: Search,
    cheapest: Sequence[Meeting],
    count: int,
    given: tuple[float | None, float | None] = (None, None),
) -> Generator[float, None, list[Meeting]]:
    """So many of some meetings and their neighbours, no two of which are such: those that are foreseen to
    look best, the best first. Yields the part that is done.

    given: the cut, or the destination frame, where that side is not searched. Nothing is foreseen of clips of
    which not every frame was looked at: then there are none.
    """
    if any(len(motion.frames) > 1 and np.diff(motion.frames[:2]) > 1.0 for motion in compared.motions):
        return []
    cuts, entries = _beside(compared, search, cheapest, given)
    foresight, places = _of(armature, settings, compared, (cuts, entries))
    yield 0.1
    totals, parts = np.zeros(len(cuts)), max(1, math.ceil(len(cuts) / foresight.count))
    for i, which in enumerate(np.array_split(np.arange(len(cuts)), parts)):
        totals[which] = foresight.totals(places[0][which], places[1][which])
        yield 0.1 + 0.9 * (i + 1) / parts
    order = np.argsort(totals, kind="stable").tolist()
    ranked = (Meeting(float(cuts[i]), float(entries[i]), 0.0) for i in order)
    found = meetings.without_neighbours(ranked, search.apart_frames, count)
    return [Meeting(*at, compared.at(*at)) for at in ((one.cut, one.destination_frame) for one in found)]


def _beside(
    compared: Compared, search: Search, cheapest: Sequence[Meeting], given: tuple[float | None, float | None]
) -> tuple[Array, Array]:
    """The cuts and the destination's frames (n,) of meetings, and of their neighbours that may be."""
    cut, entry = given
    here, there = compared.source, compared.destination
    own = np.array([(one.cut, one.destination_frame) for one in cheapest])
    # a range may ask for a later repetition of a cycle, all frames of which are those of the first
    may_cut = own[:, 0] if cut is not None else here.frames[meetings.cuts(search, here.frames, here.cycle)]
    entries = meetings.destinations(search, there.frames, there.cycle)
    may_enter = own[:, 1] if entry is not None else there.frames[entries]
    reach = math.ceil(search.apart_frames) - 1.0
    shifts = np.unique(np.round(np.linspace(-reach, reach, 2 * BESIDE + 1)))
    beside = np.stack(np.meshgrid(shifts, shifts), axis=-1).reshape(-1, 2)
    every = (own[:, None] + beside).reshape(-1, 2)
    may = np.isin(every[:, 0], may_cut) & np.isin(every[:, 1], may_enter)
    may &= ~meetings.too_near(compared, every[:, 0], every[:, 1])
    every = np.unique(np.concatenate([own, every[may]]), axis=0)
    return every[:, 0], every[:, 1]


def _of(
    armature: Any, settings: TransitionSettings, compared: Compared, frames: tuple[Array, Array]
) -> tuple[Foresight, list[Any]]:
    """What foresees transitions, and the places of the frames of cuts and entries (n,) in it."""
    kind, names = compared.alignment, compared.motions[0].names
    counting = [names.index(name) for name in compared.names]
    reference = character.upright([motion.root_rotation for motion in compared.motions])
    blend, metres = math.ceil(compared.blend_frames - 1e-6), scene.metres_per_unit()
    ways, places = [], []
    for motion, own in zip(compared.motions, frames, strict=True):
        # of a cycle all that is shown, and what says how it moves around that
        whole = motion.until(float(own.max()) + blend + compared.fps, metres)
        aligned = np.array([kind not in ("NONE", "HEIGHT")] * 2 + ["HEIGHT" in kind])
        headings = np.zeros(len(whole.frames))
        if "HEADING" in kind:
            headings = character.headings(whole.root_rotation, reference)
        shown = (whole.positions[:, counting], whole.velocities[:, counting])
        ways.append(Way(*shown, whole.root_position * aligned, headings))
        places.append(np.searchsorted(whole.frames, own - 1e-6))
    if settings.velocity == "SOURCE":
        ways[1].velocities[:] = 0.0
    known = [joint.bone for joint in joints.default_joints(armature) if joint.role == naming.HIPS]
    hips = next((compared.names.index(bone) for bone in known if bone in compared.names), None)
    size = rigs.read(armature).size * metres
    how = (compared.method, compared.seconds, settings.extrapolation_half_life, blend, compared.fps)
    return Foresight(ways[0], ways[1], *how, size, hips), places
