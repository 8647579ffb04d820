# SPDX-License-Identifier: GPL-3.0-or-later
"""What the report of ``matrix`` plays: each clip as lines, and how each pair meets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..blender.checking import played_page
from ..blender.cost.library import ClipLibrary, Edge, LibraryClip
from ..blender.data import clip_store
from ..blender.evaluation import joint_motion
from ..blender.judging import verdict
from ..motion.skeleton import character_space
from ..motion.steps import finish
from ..pages.judged import DrawnSkeleton, skeleton_values, track_values
from ..pages.tracks import PointTrack, find_grain
from ..records import record

MOST_NUMBERS = 4_000_000
"""So many coordinates, at most, of all clips together are in a report: about 6 MB; clips beyond that are not
played."""


@record(eq=False)
class PlayedClips:
    """The clips of a library that can be played. skeleton: of the first file, None before that is read."""

    skeleton: DrawnSkeleton | None = None
    tracks: dict[LibraryClip, PointTrack] = dataclasses.field(default_factory=dict)

    def add_clips(self, armature: Any, clips: Iterable[LibraryClip]) -> None:
        """Add a track of points on whole frames for each of some clips of an armature in the open file; the
        first call sets ``skeleton``.

        All of a skeleton that has other bones or lines than that are passed over, and so is each clip with
        which the report would be too large. Raise InertiaError where a clip can't be played.
        """
        drawn = played_page.choose_bones(armature, is_coarse=True)
        self.skeleton = self.skeleton or drawn.skeleton
        if drawn.skeleton.bones != self.skeleton.bones or drawn.skeleton.lines != self.skeleton.lines:
            return
        named = {clip.action.name: clip for clip in clip_store.library(armature)[0]}
        for each in clips:
            frames = joint_motion.grid(named[each.action])
            taken = sum(track.points.size for track in self.tracks.values())
            if taken + 3 * drawn.skeleton.points * len(frames) > MOST_NUMBERS:
                continue
            looks = [(named[each.action], frames)]
            (points,) = finish(played_page.read_points_steps(armature, looks, drawn))
            gap = float(frames[1] - frames[0]) if len(frames) > 1 else 1.0
            self.tracks[each] = PointTrack(each.action, float(frames[0]), gap, points)


def player_values(clip_tracks: PlayedClips, library: ClipLibrary, edges: Iterable[Edge]) -> Mapping[str, Any]:
    """Return what a report plays, as JSON values; {} where nothing can be played. ``fps``, ``grain`` (metres)
    and ``skeleton`` are those of all tracks.

    ``clips`` has a track, or None, for each clip of the library; ``ways`` for each edge how its destination
    is moved where it is entered, as a turn (radians) and a shift (x, y, z), metres; ``left`` how much of what
    differs at the cut is left on the cut's frame and those behind it, to four decimals.
    """
    if not clip_tracks.tracks or clip_tracks.skeleton is None:
        return {}
    some = next(iter(clip_tracks.tracks.values()))
    grain = find_grain(some.points)
    frames = np.arange(np.ceil(library.settings.seconds(library.fps) * library.fps) + 1.0)
    settings = dataclasses.replace(library.settings, cut=0.0)
    left = 1.0 - verdict.weights_of(settings, library.fps, frames)
    tracks = [clip_tracks.tracks.get(clip) for clip in library.clips]
    return {
        "fps": library.fps,
        "grain": grain,
        "skeleton": skeleton_values(clip_tracks.skeleton),
        "clips": [None if track is None else track_values(track, grain) for track in tracks],
        "ways": [_find_way(library, edge) for edge in edges],
        "left": left.round(4).tolist(),
    }


def _find_way(library: ClipLibrary, edge: Edge) -> list[float]:
    """Return how an edge's destination is moved to where the source is cut, by the alignment of the
    comparison: [turn, x, y, z].

    The turn, radians about the vertical, comes first, about the origin; then the shift, metres. They are read
    from the roots on the clips' frames nearest to the cut and the destination frame. The turn is 0 unless the
    alignment has the heading, x and y are 0 where it is NONE or HEIGHT, and z is 0 unless it has the height.
    """
    compared = library.compared(edge.source, edge.destination)
    kind, motions = compared.alignment, compared.motions
    reference = character_space.upright([motion.root_rotation for motion in motions])
    at = [
        int(np.argmin(np.abs(motion.frames - frame)))
        for motion, frame in zip(motions, (edge.cut, edge.destination_frame), strict=True)
    ]
    places = [motion.root_position[i] for motion, i in zip(motions, at, strict=True)]
    turn = 0.0
    if "HEADING" in kind:
        headings = [
            float(character_space.headings(motion.root_rotation[i : i + 1], reference)[0])
            for motion, i in zip(motions, at, strict=True)
        ]
        turn = headings[0] - headings[1]
    shift = np.zeros(3)
    moved = character_space.motion_of(turn, np.zeros(3))[:3, :3] @ places[1]
    if kind not in ("NONE", "HEIGHT"):
        shift[:2] = (places[0] - moved)[:2]
    if "HEIGHT" in kind:
        shift[2] = places[0][2] - moved[2]
    return [turn, *shift.tolist()]
