# SPDX-License-Identifier: GPL-3.0-or-later
"""Warps a destination's root motion, so that it arrives at a place and facing at a frame.

Only the channels change that carry the character: keys on every frame within the span of the warp, behind it
the destination's own, moved. All that follows takes what was warped for the destination.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import bpy
import numpy as np

from ...errors import InertiaError, Sentence
from ...motion import quaternion
from ...motion.arrays import Array
from ...motion.curves import keys as keylib
from ...motion.curves import representation as curvelib
from ...motion.curves.keys import Keys
from ...motion.curves.representation import whole_frames
from ...motion.skeleton import character_space, warping
from ...motion.steps import finish
from ...records import record
from ...settings.transition import TransitionSettings
from ..data import actions, roots, scene
from ..data.actions import Address, Clip, Repeated
from ..data.channels import ClipChannels
from ..data.report import BakedCurve
from ..data.roots import Root
from ..evaluation import facing, joint_motion
from . import pieces
from .alignment import Alignment, Carrier, RootedRig
from .carriers import carriers_along, channels_of_carrier
from .pieces import AlignedChannels, CutFrame

NEAR = 1e-6
"""A warp by less than this part of the character's size, and by less radians, is none."""
STRETCHED = 1.35
"""A way that becomes so many times as long, or as short, is said to, ..."""
TURNED = math.radians(75.0)
"""... and a turn by more than this."""
LOOKED_AT = 33
"""At so many frames of the source it is looked which way it goes."""


@record(frozen=True, eq=False)
class ArrivalPlace:
    """Where a root arrives. ground: (2,) and height, in world units. heading: radians from the x axis; None
    for any, as for the height."""

    ground: Array
    heading: float | None
    height: float | None = None


@record(frozen=True, eq=False)
class Warping:
    """How a destination is warped, as it is keyed: before it is aligned.

    frames: (n,) of the destination, from the first to the last of the span. motions: (n, 4, 4) of the world,
    which grow from none. destination: as it was. warnings: sentences for the animator.
    """

    frames: Array
    motions: Array
    destination: Clip
    warnings: tuple[str, ...] = ()

    def warped(self, rooted: RootedRig, clip: Clip) -> tuple[Clip, list[BakedCurve]]:
        """Return (a clip with the warp in the curves that carry the character, what could not be cut and was
        baked).

        Raise InertiaError where no channels carry the warp.
        """
        carried = carriers_along(rooted, clip, self.motions)
        clip = _with_all_keys(clip)
        curves: dict[Address, Keys] = {}
        baked: list[BakedCurve] = []
        for bone, (matrices, shifts, turns) in carried.items():
            place, turned = channels_of_carrier(rooted.obj, rooted.rig, clip, bone)
            behind = Carrier(matrices[-1], shifts[-1], turns[-1])
            way = np.einsum("nij,nj->ni", matrices, place.raw(self.frames)) + shifts
            curves |= self._replaced(place, way, behind, baked)
            if np.abs(turns[:, 1:]).max() > 0.0:
                shown = quaternion.multiply(turns, turned.decode(turned.raw(self.frames)))
                curves |= self._replaced(turned, shown, behind, baked)
        return dataclasses.replace(actions.with_curves(clip, curves), teleports=clip.teleports), baked

    def _replaced(
        self, warped_channels: ClipChannels, values: Array, behind: Carrier, baked: list[BakedCurve]
    ) -> dict[Address, Keys]:
        """Return the curves of some channels, by address, that show values (n, ...) on the warp's frames.

        Before these they are the clip's own, and after them these as `behind` carries them from there on.
        baked: gets what could not be cut.
        """
        ends = first, last = float(self.frames[0]), float(self.frames[-1])
        columns = range(len(warped_channels.addresses))
        cut = CutFrame(first)
        heads = [pieces.piece(keylib.head, warped_channels, column, cut, baked) for column in columns]
        tails = AlignedChannels(warped_channels, behind).tails(last, 0.0, baked)
        wholes = [
            keylib.join(head, keylib.sampled(ends, [head.co[-1, 1], tail.co[0, 1]]), tail)
            for head, tail in zip(heads, tails, strict=True)
        ]
        if warped_channels.mode:
            made, _ = curvelib.rotations(wholes, warped_channels.mode, self.frames, values)
        else:
            made, _ = curvelib.vectors(wholes, self.frames, values)
        return dict(zip(warped_channels.addresses, made, strict=True))


def plan(
    rooted: RootedRig,
    settings: TransitionSettings,
    clips: tuple[Clip, Clip],
    alignment: Alignment,
) -> Warping | None:
    """Return the warp that lets the destination of a transition arrive where it is asked to; None for none.

    settings: with the destination's frame. clips: the source and the destination, with their repetitions.
    Raise InertiaError for an arrival that can't be.
    """
    if not settings.warps:
        return None
    rig, root, fps = rooted.rig, rooted.root, rooted.character.fps
    check(settings, root)
    place = read_place(settings)
    entry, (first, last, at) = settings.destination_frame, span_of(settings, clips[1], fps)
    assert entry is not None
    frames = np.union1d(whole_frames(first, last), whole_frames(last, at) if at > last else [at])
    matrices = alignment.motion @ _root_matrices(rooted, clips[1], frames)
    ground, arrival = matrices[:, :2, 3], int(np.searchsorted(frames, at - 1e-6))
    turn = 0.0
    if place.heading is not None:
        looked = np.linspace(clips[0].start, max(settings.cut, clips[0].start), LOOKED_AT)
        before = _root_matrices(rooted, clips[0], looked)
        axis = facing.forward_of(rooted.character, root, (before, matrices))
        ahead = quaternion.rotate(character_space.unmirrored(matrices[arrival]), axis)
        turn = place.heading - math.atan2(ahead[1], ahead[0])
        # the shorter way round
        turn = math.remainder(turn, 2.0 * math.pi)
    rise = 0.0 if place.height is None else place.height - float(matrices[arrival, 2, 3])
    away = float(np.linalg.norm(place.ground - ground[arrival]))
    if max(away, abs(rise)) < NEAR * rig.size and abs(turn) < NEAR:
        return None
    share = warping.shares(frames, ground, (first, last), rig.size)
    warp = warping.lead_to(ground, share, arrival, place.ground, turn)
    motions = warp.matrices()
    motions[:, 2, 3] += rise * share
    within = frames <= last + 1e-6
    lengths = warping.stretches(ground[within], warp.shift[within])
    back = np.linalg.inv(alignment.motion)
    return Warping(
        frames[within],
        back @ motions[within] @ alignment.motion,
        _with_all_keys(clips[1]),
        (*_late(settings, at - entry, fps), *_warnings(lengths, away, turn, rig.size)),
    )


def check(settings: TransitionSettings, root: Root) -> None:
    """Raise InertiaError for settings with which no destination can be warped: those for strips, and those
    whose bones leave out the root.
    """
    if settings.strips:
        raise InertiaError(
            "Strips play the destination as it is keyed, so it can't be warped; switch As NLA Strips off, "
            "or bake without a warp."
        )
    if settings.bones and root.name not in settings.bones:
        raise InertiaError(
            'The root "{root}" takes no part, so the destination can\'t be warped; add it to the bones, or '
            "bake without a warp.",
            root=root.name,
        )


def read_place(settings: TransitionSettings) -> ArrivalPlace:
    """Read where a destination arrives: at the place of the settings (metres, degrees), else at their object
    as Blender shows it now, facing along its -Y. Raise InertiaError if there is no such object.
    """
    metres = scene.metres_per_unit()
    named = settings.warp_place
    if named is not None:
        x, y, degrees = named
        heading = None if degrees is None else math.radians(degrees)
        return ArrivalPlace(np.array([x, y]) / metres, heading)
    thing = bpy.data.objects.get(settings.warp_object)
    if thing is None:
        raise InertiaError(
            'There is no object "{name}" to warp to; name another one.', name=settings.warp_object
        )
    world = np.array(thing.matrix_world, float)
    # along -Y, Blender's front, as an armature faces that is the place
    heading = math.atan2(-world[1, 1], -world[0, 1]) if settings.warp_heading else None
    return ArrivalPlace(world[:2, 3], heading, float(world[2, 3]) if settings.warp_height else None)


def span_of(settings: TransitionSettings, destination: Clip, fps: float) -> tuple[float, float, float]:
    """Return the first and the last frame of the destination between which a warp is spread, and the arrival,
    where settings leave these open the destination's end.

    The first is the end of the blend then, or the entry where that is less than a frame before the last.
    Raise InertiaError where these are out of order, the warp takes less than a frame, or they are beyond the
    destination's end.
    """
    entry = settings.destination_frame
    assert entry is not None
    at = destination.end if settings.warp_at is None else settings.warp_at
    if at > destination.end + 1e-3:
        raise InertiaError(
            'The destination arrives at frame {frame:g}, but "{action}" ends at frame {end:g}; choose an '
            "earlier frame, or let a cycle go on longer.",
            frame=at,
            action=destination.action.name,
            end=destination.end,
        )
    last = at if settings.warp_until is None else settings.warp_until
    first = settings.warp_from
    if first is None:
        first = entry + _blend_frames(settings, fps)
        # who arrives at once is warped from the cut on
        first = entry if first > last - 1.0 else first
    if not entry - 1e-3 <= first <= last - 1.0 + 1e-3 or last > at + 1e-3:
        raise InertiaError(
            "The warp runs from frame {first:g} to {last:g} of the destination, which is entered at frame "
            "{entry:g} and arrives at frame {at:g}; let it begin at the entry or later, take a frame or "
            "more, and end by the arrival.",
            first=first,
            last=last,
            entry=entry,
            at=at,
        )
    return first, min(last, destination.end), min(at, destination.end)


def _blend_frames(settings: TransitionSettings, fps: float) -> float:
    """Return how many whole frames a blend lasts."""
    return float(math.ceil(settings.blend_seconds(fps) * fps - 1e-4))


def _root_matrices(rooted: RootedRig, clip: Clip, frames: Array) -> Array:
    """Return where the root is in the world (n, 4, 4) at a clip's frames (n,)."""
    root = rooted.root
    if root.is_object or not rooted.is_played:
        return roots.root_matrices(rooted.rig, root, clip, frames)
    index = 1 + rooted.obj.data.bones.find(root.name)
    return finish(joint_motion.matrices(rooted.character, clip, frames))[:, index]


def _with_all_keys(clip: Clip) -> Clip:
    """Return a clip that is no cycle, whose repetitions, the one before its first frame too, are keys."""
    if clip.cycle is None:
        return clip
    before = any(isinstance(curve, Repeated) and curve.before is not None for curve in clip.curves.values())
    curves = {
        address: dataclasses.replace(curve, keys=curve.whole, before=None, shown=None)
        if isinstance(curve, Repeated)
        else curve
        for address, curve in clip.curves.items()
    }
    return dataclasses.replace(clip, curves=curves, cycle=None, start=clip.start - float(before))


def _late(settings: TransitionSettings, frames: float, fps: float) -> Iterator[str]:
    """Yield what there is to say of an arrival so many frames after the cut while the blend still lasts."""
    if frames < _blend_frames(settings, fps) - 1e-3:
        yield Sentence(
            "The destination arrives while it still blends in, so the root only gets near the place; arrive "
            "later, or shorten the blend."
        )


def _warnings(lengths: tuple[float, float], away: float, turn: float, size: float) -> Iterator[str]:
    """Yield what there is to say of a warp that changes the way by much.

    lengths: of the way without and with it. away: how far the arrival is moved, and size: the character's, in
    the same unit. turn: radians.
    """
    before, after = lengths
    if before <= warping.TRAVELS * size:
        if away > warping.TRAVELS * size:
            yield Sentence(
                "The destination does not travel while it is warped, so the character glides to its place; "
                "choose a destination that travels."
            )
    elif not 1.0 / STRETCHED <= after / before <= STRETCHED:
        yield Sentence(
            "The warp makes the travel {factor:.2g} times as long, so feet may skate; lock the feet of the "
            "result, spread the warp wider, or choose a place nearer to where the motion leads.",
            factor=after / before,
        )
    if abs(turn) > TURNED:
        yield Sentence(
            "The warp turns the character by {degrees:.0f} degrees, which its steps do not show; spread it "
            "wider, or choose another facing.",
            degrees=math.degrees(abs(turn)),
        )
