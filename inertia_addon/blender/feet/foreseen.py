# SPDX-License-Identifier: GPL-3.0-or-later
"""What locked feet make of a transition that Blender plays, told before they are locked.

A locked foot goes where it is asked to, its leg follows as two bones do, and the hips go down. So every bone
goes along with one of these, or stays: a few frames that Blender shows say with which, and what is left.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator

import numpy as np

from ...motion import quaternion
from ...motion.arrays import Array, Flags, Integers
from ...motion.feet.chains import STILL
from ...motion.feet.contacts import Span
from ...motion.feet.locking import VERTICAL
from ...motion.skeleton import between
from ...motion.steps import Steps, part
from ...settings.transition import TransitionSettings
from ..data.actions import with_curves
from . import locking
from .clip_meeting import ClipMeeting
from .crossing_feet import CrossedFeet, KnownTransition, cross_feet_steps
from .locking import TransitionFeet
from .targets import Controlled

NODES = 4
"""So many frames, at most, are shown with locked feet."""


def feet(
    body: Controlled,
    meeting: ClipMeeting,
    settings: TransitionSettings,
    frames: Array,
    matrices: Array,
    read_matrices: Callable[[int, Array], Steps[Array]],
) -> Steps[tuple[TransitionFeet, Array]]:
    """Foresee what locking does to the feet of a transition that Blender plays, without its curves.

    Return a :class:`TransitionFeet` with the spans in which feet stand (``holds``), as ``last`` the frame
    behind the last at which anything goes elsewhere, or the last there is, the pinned controls and notes, but
    no curves; and what the transition shows then, matrices like the given ones, which stay as they are. If
    the destination ends at the cut, or no foot changes, it is an empty one with the given matrices.

    frames: (n,) from the one before the cut on. matrices: (n, 1 + bones, 4, 4) of the object and bones in the
    world, what is shown of the transition. read_matrices: returns what one of the clips, 0 or 1, shows at
    frames of its own. Only the places of bones change, not their axes. Yields the part that is done.
    """
    if frames[-1] < meeting.cut + 1.0 - 1e-6:
        # the destination ends where it is entered
        return TransitionFeet(), matrices
    source_span, destination_span = meeting.find_spans(body)
    # the transition plays the destination on to its last frame, so that is looked at as far
    reach = max(destination_span.end, float(frames[-1]) - meeting.later)
    clips = (
        (meeting.source, source_span, meeting.cut),
        (meeting.destination, Span(destination_span.start, reach), meeting.entry),
    )
    for side, (clip, span, at) in enumerate(clips):
        wanted = body.grid(span.start, span.end, at)
        body.know(clip, wanted, (yield from part(read_matrices(side, wanted), 0.1 * side, 0.1 * side + 0.1)))
    playing = with_curves(meeting.destination, meeting.curves)
    body.know(playing, frames, matrices)
    known = KnownTransition(playing, frames)
    crossed = yield from part(cross_feet_steps(body, meeting, settings, known), 0.2, 0.5)
    acts = np.flatnonzero(_acts(crossed))
    if not len(acts):
        return TransitionFeet(), matrices
    first = int(np.searchsorted(frames, meeting.cut - 1e-6))
    planned = matrices[first : first + len(crossed.frames)]
    heads = yield from part(_foresee_steps(body, meeting, crossed, acts, planned), 0.5, 1.0)
    locked = matrices.copy()
    locked[first : first + len(heads), :, :3, 3] = heads
    last = float(crossed.frames[min(int(acts[-1]) + 1, len(crossed.frames) - 1)])
    return TransitionFeet({}, crossed.find_stands(body), last, body.pinned, body.notes), locked


def _acts(crossed: CrossedFeet) -> Flags:
    """Return at which frames (n,) the hips, an ankle or a foot goes elsewhere than without locking: where the
    hips' drop, any axis of an ankle's place (both in world units) or the vector part of a foot's turn is
    above STILL in size.
    """
    ways = [np.abs(crossed.locked.drop)]
    for motion, turned in zip(crossed.motions, crossed.locked.turned, strict=True):
        ways += [np.abs(turned.ankle - motion.pose.ankle).max(axis=1), np.abs(turned.foot[:, 1:]).max(axis=1)]
    return np.asarray(np.max(ways, axis=0) > STILL)


def _foresee_steps(
    body: Controlled, meeting: ClipMeeting, crossed: CrossedFeet, acts: Integers, matrices: Array
) -> Steps[Array]:
    """Return where the heads of the object and all bones go (n, 1 + bones, 3), in the world; yields the part
    that is done.

    acts: the indices of the frames at which anything changes, rising, at least one. matrices: (n, 1 + bones,
    4, 4), as planned. All of these frames are played if they are at most four, else four, evenly spread
    between the first and the last but neither of these. Each bone goes along with the part of the body (see
    :func:`_move_with_parts`) that comes nearest to what they show; what is left is added to it, by a spline
    from 0 at the frame before the first of `acts` to 0 at the frame behind the last. Frames where nothing
    changes, further out, are as planned.
    """
    places = np.linspace(0, len(acts) - 1, NODES + 2)[1:-1] if len(acts) > NODES else np.arange(len(acts))
    at = acts[np.round(places).astype(np.int64)]
    some = dataclasses.replace(
        crossed,
        frames=crossed.frames[at],
        posed=meeting.over_ground(
            body.of_matrices(matrices[at], crossed.clip, crossed.frames[at]), crossed.frames[at]
        ),
        shift=crossed.shift[at],
        motions=[motion.take(at) for motion in crossed.motions],
        locked=dataclasses.replace(
            crossed.locked,
            drop=crossed.locked.drop[at],
            turned=[turned.take(at) for turned in crossed.locked.turned],
            toes=[None if toe is None else toe[at] for toe in crossed.locked.toes],
        ),
    )
    asked = functools.partial(locking.with_changes, body.legs, meeting, crossed.clip, some.frames)
    steps = body.change_steps(some.find_feet_paths([() for _ in crossed.motions]), asked, 1)
    _, seen = yield from steps
    at, heads, shift = at[seen.at], matrices[..., :3, 3], crossed.shift[:, None]
    # over the ground, and back
    ways = [each - shift for each in _move_with_parts(crossed, heads + shift)]
    if not len(at):
        return ways[0]
    # a foot that has not come to where it is asked to will when it is asked again
    says = np.ones((len(ways), len(at)))
    for k, reached in enumerate(seen.reached):
        says[2 + 3 * k : 5 + 3 * k] = reached
    shown = seen.matrices[..., :3, 3]
    off = np.array([np.square(each[at] - shown).sum(axis=2) for each in ways])
    whole = np.where(says.any(axis=1, keepdims=True), says, 1.0)
    best = (np.einsum("wnb,wn->wb", off, whole) / whole.sum(axis=1)[:, None]).argmin(axis=0)
    moved = np.array([ways[k][:, bone] for bone, k in enumerate(best.tolist())]).swapaxes(0, 1)
    ends = [max(int(acts[0]) - 1, 0), min(int(acts[-1]) + 1, len(matrices) - 1)]
    nodes = np.unique([*ends, *at])
    left = np.zeros((len(nodes), *shown.shape[1:]))
    left[np.searchsorted(nodes, at)] = (shown - moved[at]) * says[best].T[..., None]
    inside = np.arange(ends[0], ends[1] + 1)
    moved[inside] += np.tensordot(between.spline(nodes.astype(float), inside.astype(float)), left, 1)
    return moved


def _move_with_parts(crossed: CrossedFeet, heads: Array) -> Iterator[Array]:
    """Yield where bones would get (n, bones, 3) if they went along with one part of the body: two arrays,
    then three for each leg.

    In turn: where they are, down with the hips, and with the thigh, the shin and the foot of each leg. heads:
    (n, bones, 3), over the ground.
    """
    down = -crossed.locked.drop[:, None] * VERTICAL
    yield heads
    yield heads + down[:, None]
    for motion, turned in zip(crossed.motions, crossed.locked.turned, strict=True):
        hip, knee, ankle = motion.pose.hip, motion.pose.knee, motion.pose.ankle
        below = hip + down + quaternion.rotate(turned.thigh, knee - hip)
        parts = (
            (turned.thigh, hip, hip + down),
            (turned.shin, knee, below),
            (turned.foot, ankle, turned.ankle),
        )
        for turn, before, after in parts:
            way = quaternion.rotate(turn[:, None], heads - before[:, None])
            yield after[:, None] + way
