# SPDX-License-Identifier: GPL-3.0-or-later
"""A set of clips by value: flat frames and their ranges, with all that motion matching has to know of them.

Character space is that of :mod:`skeleton.character_space`, with a calmer root: the point on the ground
below it, and the direction it faces, both smoothed by a Gaussian, so that what sways with each step does not
turn a whole trajectory. Mirrored copies follow the clips. What the numbers are made of may differ in the last
digits from machine to machine; they are therefore rounded, so that a search finds the same on all.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ...errors import InertiaError
from ...records import record
from ..arrays import Array, Flags, Floats, Halves, Integers, smooth
from ..skeleton import character_space

SMOOTH_SECONDS = 0.1
"""The standard deviation of the Gaussian that the root's place and heading are smoothed by."""
ROUNDED = 2.0**-16
"""Metres, metres a second and radians are kept to so much."""
LEAST_SECONDS = 0.5
"""A clip that is shorter has no room to be entered and to be left."""
UPRIGHT = 0.6
"""Who is lower than this part of how tall the character is has fallen, which is no way to go."""
TRAVEL = 0.5
"""A set travels when the root of one of its clips goes further than this part of the character's height."""
PERSON = 1.6
"""The height in metres, from the lowest to the highest joint that counts, that distances are stated for."""
# half precision ends at 65504, and infinity would spoil every distance
LARGEST = 6e4
"""Metres, and metres a second, that a joint is seen at, at most."""
CHANGES = 0.5
"""The frames of some clips face where they go when their directions of travel agree by so much (0 to 1)."""


@record(frozen=True, eq=False)
class RootedTrack:
    """What a clip shows, frame by frame.

    frames: (n,) its own frames, evenly spaced. positions: (n, joints, 3) in the world, metres; velocities:
    metres per second. root_position: (n, 3). root_rotation: (n, 4) unit quaternions. contacts: (n, feet),
    whether each is planted; None where that is not known. bends: by how much it is bent, radians a second,
    for parts of its own. is_led: whether it was given its travel, so that it goes somewhere
    however short it is.
    """

    name: str
    frames: Array
    positions: Array
    velocities: Array
    root_position: Array
    root_rotation: Array
    contacts: Flags | None = None
    bends: tuple[float, ...] = ()
    is_led: bool = False


@record(frozen=True)
class ClipSource:
    """Where the frames of a part of the database come from: a clip, or its mirror image. bend: by how much it
    is bent to the left before it is mirrored, radians a second, see :func:`bend_ground`."""

    name: str
    mirrored: bool
    first: float
    step: float
    bend: float = 0.0

    def frame(self, index: float) -> float:
        """Return the clip's own frame of the part's frame by index."""
        return self.first + index * self.step


@record(frozen=True, eq=False)
class Database:
    """Flat frames of all clips, one after the other; see the module.

    sources, starts, stops: of each part; ``part`` (frames,) says which one a frame is of. ground: (frames, 2)
    metres and heading: (frames,) radians, unwrapped in each part, of the smoothed root in the world. root:
    (frames, 3), x, y and heading before they were smoothed.
    positions, velocities: (frames, joints, 3) of the joints that count, in character space, with half the
    digits of float32: half a millimetre at a metre, as they are most of what is kept. weights: (joints,),
    whose sum is 1. contacts: (frames, feet) or None. fps: frames a second. size: the character's height, as
    a part of a person's.
    """

    sources: tuple[ClipSource, ...]
    starts: Integers
    stops: Integers
    part: NDArray[np.int32]
    ground: Array
    heading: Array
    root: Floats
    joints: tuple[str, ...]
    weights: Array
    positions: Halves
    velocities: Halves
    contacts: Flags | None
    fps: float
    size: float

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return len(self.part)

    @property
    def slices(self) -> list[slice]:
        """The flat frames of each part."""
        return list(map(slice, self.starts.tolist(), self.stops.tolist()))

    def last(self, frames: Integers) -> Integers:
        """Return the last flat frame of the parts that frames (...) are of."""
        return np.asarray(self.stops[self.part[frames]] - 1)

    def rates(self, frames: Integers) -> tuple[Array, Array]:
        """Return the root's velocity over the ground (n, 2), metres a second, and its turning rate (n,),
        radians a second.

        frames: (n,) flat frames. Both are in the clip's own world, of the smoothed root, by central
        differences; at the ends of a part they are one-sided.
        """
        before = np.maximum(frames - 1, self.starts[self.part[frames]])
        after = np.minimum(frames + 1, self.last(frames))
        each = self.fps / (after - before)
        moved = (self.ground[after] - self.ground[before]) * each[:, None]
        return moved, (self.heading[after] - self.heading[before]) * each

    @functools.cached_property
    def _end_rates(self) -> tuple[Array, Array]:
        """Return :meth:`rates` at the last frame of each part."""
        return self.rates(self.stops - 1)

    @property
    def speeds(self) -> Array:
        """How fast the root goes over the ground on each frame (frames,), metres a second."""
        return np.asarray(np.linalg.norm(self.rates(np.arange(self.frames))[0], axis=1))

    def place(self, frame: int) -> tuple[ClipSource, float]:
        """Return the part that a flat frame is of, and the frame of its clip."""
        part = int(self.part[frame])
        return self.sources[part], self.sources[part].frame(frame - int(self.starts[part]))

    def flat(
        self, name: str, *, mirrored: bool, frame: float, leaving: int, bend: float | None = None
    ) -> int | None:
        """Return the flat frame that is nearest to a frame of a clip.

        Parameters
        ----------
        name
            The clip's.
        mirrored
            Whether its mirror image is meant.
        frame
            In the clip's own frames.
        leaving
            How many frames of the part must follow it.
        bend
            The bend of the part, radians a second; None takes the first part, in order, that
            has the frame.

        Returns
        -------
        int | None
            None if no part has the frame with so many behind it.
        """
        for source, part in zip(self.sources, self.slices, strict=True):
            if (source.name, source.mirrored) == (name, mirrored) and bend in (None, source.bend):
                index = round((frame - source.first) / source.step)
                if 0 <= index < part.stop - part.start - leaving:
                    return int(part.start) + index
        return None

    def only(self, names: Collection[str]) -> tuple[Database, Integers]:
        """Return a database of the clips with some names only, and the flat frames of this one that its
        frames are (n,).

        Bent and mirrored parts of these clips are included, in the order they have here. The character's size
        and the joints' weights are kept. Unknown names are ignored; raise ValueError if no part has any of
        the names.
        """
        which = [i for i, source in enumerate(self.sources) if source.name in names]
        flat = np.concatenate([np.arange(self.starts[i], self.stops[i]) for i in which])
        lengths = (self.stops - self.starts)[which]
        stops = np.cumsum(lengths)
        taken = {
            name: getattr(self, name)[flat]
            for name in ("ground", "heading", "root", "positions", "velocities")
        }
        some = dataclasses.replace(
            self,
            sources=tuple(self.sources[i] for i in which),
            starts=stops - lengths,
            stops=stops,
            part=np.repeat(np.arange(len(which), dtype=np.int32), lengths),
            contacts=None if self.contacts is None else self.contacts[flat],
            **taken,
        )
        return some, flat

    def trajectory(self, frames: Integers, later: Integers) -> tuple[Array, Array]:
        """Return the root's place on the ground (n, m, 2), metres, and heading (n, m), radians, some frames
        later.

        frames: (n,) flat frames. later: (m,) numbers of frames, 0 or more. Both results are in the clip's own
        world. Behind the end of a part they are extrapolated with the velocity and turning rate at its end.
        """
        asked, last = frames[:, None] + later, self.last(frames)
        within = np.minimum(asked, last[:, None])
        over = (asked - within) / self.fps
        moving, turning = (values[self.part[frames]] for values in self._end_rates)
        ground = self.ground[within] + moving[:, None] * over[..., None]
        return ground, self.heading[within] + turning[:, None] * over


def build(
    tracks: Sequence[RootedTrack],
    joints: Sequence[str],
    weights: Sequence[float],
    fps: float,
    pairs: Sequence[int] | None = None,
) -> Database:
    """Return a database of the clips of one character.

    The parts are the clips, then their bent copies (clip by clip, in the order of their bends), then the
    mirror images of all these in the same order. Headings are shifted by one angle for all, so that they
    point to where the character usually goes. Numbers are rounded to 2^-16; joints are kept with half
    precision. Contacts are None unless all clips have them.

    Parameters
    ----------
    tracks
        One for each clip. Clips shorter than 0.5 s, or than 4 frames, are left out.
    joints
        The joints' names.
    weights
        What each joint counts; normalised to a sum of 1, so that they must not all be 0.
    fps
        Frames a second of the tracks.
    pairs : (joints,)
        The index of the joint on the other side, or a joint's own; None for no mirror
        images.

    Returns
    -------
    Database
        Its size is the height between the lowest and the highest joint, on average, as a
        part of 1.6 m.

    Raises
    ------
    InertiaError
        All clips are too short, or none travels.
    """
    shortest = max(4, round(LEAST_SECONDS * fps))
    tracks = [track for track in tracks if len(track.frames) >= shortest]
    if not tracks:
        raise InertiaError(
            "All clips are shorter than {seconds:g} s, too short to be entered and left; choose longer ones.",
            seconds=LEAST_SECONDS,
        )
    height = float(np.mean([np.ptp(track.positions[..., 2], axis=1).mean() for track in tracks]))
    _check_travel(tracks, height)
    reference = character_space.upright([track.root_rotation for track in tracks])
    roots = [_root(track, reference) for track in tracks]
    calm = [smooth(root, SMOOTH_SECONDS * fps) for root in roots]
    turn = np.array([0.0, 0.0, _forward(calm, fps)])
    parts = [
        _part(track, root + turn, smoothed + turn)
        for track, root, smoothed in zip(tracks, roots, calm, strict=True)
    ]
    sources = [
        ClipSource(
            track.name,
            mirrored=False,
            first=float(track.frames[0]),
            step=float(track.frames[1] - track.frames[0]),
        )
        for track in tracks
    ]
    # of a list, as both grow meanwhile
    for track, part, source in [*zip(tracks, parts, sources, strict=True)]:
        parts += [_bent(part, fps, bend) for bend in track.bends]
        sources += [dataclasses.replace(source, bend=bend) for bend in track.bends]
    if pairs is not None:
        parts += [_mirrored(part, np.asarray(pairs)) for part in parts]
        sources += [dataclasses.replace(source, mirrored=True) for source in sources]
    lengths = np.array([len(part[0]) for part in parts])
    stops = np.cumsum(lengths)
    contacts = [part[5] for part in parts if part[5] is not None]
    few = [tuple(np.round(array / ROUNDED) * ROUNDED for array in part[:3]) for part in parts]
    ground, heading, root = map(np.concatenate, zip(*few, strict=True))
    # these are most of it, and let go part by part
    positions, velocities = (
        np.concatenate([_halved(np.round(values / ROUNDED) * ROUNDED) for values in each])
        for each in ([part[3] for part in parts], [part[4] for part in parts])
    )
    counts = np.asarray(weights, float)
    return Database(
        tuple(sources),
        stops - lengths,
        stops,
        np.repeat(np.arange(len(parts), dtype=np.int32), lengths),
        ground,
        heading,
        root.astype(np.float32),
        tuple(joints),
        counts / counts.sum(),
        positions,
        velocities,
        np.concatenate(contacts) if len(contacts) == len(parts) else None,
        fps,
        max(height, 1e-6) / PERSON,
    )


def _check_travel(tracks: Sequence[RootedTrack], height: float) -> None:
    """Raise InertiaError if no clip travels, or if there is none; return nothing.

    height: the character's, metres. A clip travels if it was given its travel (is_led), or if its root gets
    further than half the height, over the ground, from where it is on the first frame that counts. Frames
    count on which the highest joint is more than 0.6 of the height above the lowest one, so that a fall is no
    travel.
    """
    for track in tracks:
        if track.is_led:
            return
        tall = np.ptp(track.positions[..., 2], axis=1) > UPRIGHT * height
        ground = track.root_position[tall, :2]
        if len(ground) and np.linalg.norm(ground - ground[0], axis=1).max() > TRAVEL * height:
            return
    raise InertiaError(
        "The clips stay in place, so they can't follow a path: they have no travel, and their feet show "
        "none. Choose clips that walk, or name the bone that moves over the ground."
    )


def _root(track: RootedTrack, reference: Array) -> Array:
    """Return the root's place on the ground and its heading (n, 3)."""
    heading = np.unwrap(character_space.headings(track.root_rotation, reference))
    return np.column_stack([track.root_position[:, :2], heading])


def _forward(roots: Sequence[Array], fps: float) -> float:
    """Return the angle, radians, to add to headings so that they point to where the character usually goes; 0
    if unclear.

    roots: for each clip (n, 3): x, y, heading. Each frame's velocity is turned by minus its heading; the
    angle is that of the sum of these vectors over all clips, so that quick frames count more. It is unclear
    if that sum is no longer than 0.5 of the sum of their lengths, so also if nothing moves. A root's own axes
    may point anywhere, so that only the motion says what is in front. fps: has no effect on the result. A
    clip of one frame raises ValueError.
    """
    moved = np.concatenate([np.gradient(root[:, :2], axis=0) * fps for root in roots])
    faced = np.concatenate([root[:, 2] for root in roots])
    # as complex numbers: travel as seen from the heading adds up, and its size says how far it agrees
    seen = (moved[:, 0] + 1j * moved[:, 1]) * np.exp(-1j * faced)
    mean = seen.sum() / max(np.abs(seen).sum(), 1e-12)
    return float(np.angle(mean)) if abs(mean) > CHANGES else 0.0


_Part = tuple[Array, Array, Array, Array, Array, Flags | None]
"""Of a clip: ground, heading, root, positions, velocities, contacts."""


def _part(track: RootedTrack, root: Array, calm: Array) -> _Part:
    """Return what the database keeps of a clip: ground, heading, root, positions, velocities, contacts.

    root, calm: (n, 3), x, y and heading, as they are and smoothed. Ground (n, 2) and heading (n,) are columns
    of calm, as views; root and the track's contacts are passed on as they are. Positions (n, joints, 3) are
    seen from the smoothed ground point, heights kept, and turned by minus the smoothed heading. Velocities
    (n, joints, 3) are the track's, in the world, turned likewise; the root's own velocity and turning stay in
    them. Nothing is rounded.
    """
    ground, heading = calm[:, :2], calm[:, 2]
    below = np.column_stack([ground, np.zeros(len(ground))])
    seen = character_space.to_character_space(track.positions, track.velocities, below, heading)
    return ground, heading, root, *seen, track.contacts


def _bent(clip: _Part, fps: float, rate: float) -> _Part:
    """Return a copy of a clip's part that turns to the left at `rate`, radians a second, on an arc of the
    same steps.

    fps: frames a second. Joints' positions in character space and contacts stay; velocities include the added
    turn.
    """
    ground, heading, root, positions, velocities, contacts = clip
    turn, places = bend_ground(ground, fps, rate)
    moved = root.copy()
    # what the root sways beside its calm way turns along
    aside = (root[:, 0] - ground[:, 0] + 1j * (root[:, 1] - ground[:, 1])) * np.exp(1j * turn)
    moved[:, :2] = places + np.column_stack([aside.real, aside.imag])
    moved[:, 2] += turn
    across = np.stack([-positions[..., 1], positions[..., 0], np.zeros(positions.shape[:2])], axis=-1)
    return places, heading + turn, moved, positions, velocities + rate * across, contacts


def _mirrored(clip: _Part, pairs: Integers) -> _Part:
    """Return a clip's part mirrored in the plane of the vertical and the world's x axis: y changes its sign,
    and left is right.

    pairs: (joints,), the index of each joint on the other side. Of contacts, feet 0 and 1, 2 and 3, and so on
    change places; an odd number of feet stay as they are.
    """
    ground, heading, root, positions, velocities, contacts = clip
    flip, feet = np.array([1.0, -1.0, 1.0]), None
    if contacts is not None:
        feet = contacts[:, np.arange(contacts.shape[1]) ^ 1] if contacts.shape[1] % 2 == 0 else contacts
    moved = root * (1.0, -1.0, -1.0)
    return ground * flip[:2], -heading, moved, positions[:, pairs] * flip, velocities[:, pairs] * flip, feet


def _halved(values: Array) -> Halves:
    """Return values with fewer digits, as float16, limited to LARGEST either way; nobody is as large, or as
    quick, as what is cut off.
    """
    return np.clip(values, -LARGEST, LARGEST).astype(np.float16)


# --- bends: the same steps along an arc, by which who walks straight on follows a curve

STEADY = 0.5
"""Who never goes slower than such a part of the usual speed neither sets out nor stops."""
STRAIGHT = np.radians(10.0)
"""Who faces no two ways further apart than this goes straight on."""
BENDS = (-1.0, -0.5, 0.5, 1.0)
"""A clip is bent to both sides, by so much of the most, as a walk on a curve goes from one to the other."""


def bend_ground(ground: Array, fps: float, rate: float) -> tuple[Array, Array]:
    """Return the angles by which a bent clip is turned, and its root's places then.

    Each step is turned by the mean of the angles at its two frames, and the turned steps are added up from
    the first place.

    Parameters
    ----------
    ground : (n, 2)
        The places of the straight clip, at least one.
    fps
        Frames a second.
    rate
        The turn to the left, radians a second.

    Returns
    -------
    tuple[Array, Array]
        The angle (n,) at each frame, radians: rate times its seconds from the first frame; and
        the places (n, 2). The first place stays, and steps keep their lengths.

    Raises
    ------
    IndexError
        There are no places.
    """
    turn = np.asarray(rate * np.arange(len(ground)) / fps, float)
    # each step turns by the mean of its two ends, so that the arc is the same either way
    middle = 0.5 * (turn[1:] + turn[:-1])
    steps = np.diff(ground, axis=0)
    c, s = np.cos(middle), np.sin(middle)
    led = np.stack([c * steps[:, 0] - s * steps[:, 1], s * steps[:, 0] + c * steps[:, 1]], axis=1)
    return turn, np.asarray(np.concatenate([ground[:1], ground[0] + np.cumsum(led, axis=0)]), float)


def with_bends(base: Database, names: Collection[str], rates: Sequence[float]) -> Database:
    """Return a database that also has bent copies of some clips, behind all parts that it has.

    Parameters
    ----------
    base
        The database, which is not changed.
    names
        Of the clips. Every part with such a name is copied, also one that is bent already;
        mirrored ones turn to the other side.
    rates
        Turns to the left of the clip before it is mirrored, radians a second; one copy for
        each. It becomes the copy's `bend`, whatever the part's was.

    Returns
    -------
    Database
        The copies follow part by part, for each in the order of the rates.
    """
    parts, sources = [_part_of(base, part) for part in base.slices], list(base.sources)
    # of a list, as both grow meanwhile
    for source, part in [*zip(sources, parts, strict=True)]:
        if source.name in names:
            # a mirror image is that of the clip bent to the other side
            side = -1.0 if source.mirrored else 1.0
            parts += [_bent(part, base.fps, side * rate) for rate in rates]
            sources += [dataclasses.replace(source, bend=rate) for rate in rates]
    lengths = np.array([len(part[0]) for part in parts])
    stops = np.cumsum(lengths)
    ground, heading, root, positions, velocities = (
        np.concatenate([part[i] for part in parts]) for i in range(5)
    )
    return dataclasses.replace(
        base,
        sources=tuple(sources),
        starts=stops - lengths,
        stops=stops,
        part=np.repeat(np.arange(len(parts), dtype=np.int32), lengths),
        ground=np.round(ground / ROUNDED) * ROUNDED,
        heading=np.round(heading / ROUNDED) * ROUNDED,
        root=root.astype(np.float32),
        positions=_halved(positions),
        velocities=_halved(velocities),
        contacts=None if base.contacts is None else np.concatenate([part[5] for part in parts]),
    )


def _part_of(base: Database, frames: slice) -> _Part:
    """Return a slice of a database's flat frames as a part: ground, heading, root, positions, velocities,
    contacts.

    Root, positions and velocities are copied as 64-bit floats. Ground, heading (64-bit already) and contacts
    are views of the database's arrays; contacts are None if it has none.
    """
    floats = (getattr(base, name)[frames].astype(float) for name in ("root", "positions", "velocities"))
    root, positions, velocities = floats
    contacts = None if base.contacts is None else base.contacts[frames]
    return base.ground[frames], base.heading[frames], root, positions, velocities, contacts


def goes_straight(rotations: Array) -> bool:
    """Tell whether a root with rotations (n, 4) goes straight on."""
    headings = character_space.headings(rotations, character_space.upright([rotations]))
    return bool(np.ptp(np.unwrap(headings)) <= STRAIGHT)


def goes_steadily(ground: Array, fps: float) -> bool:
    """Tell whether a root at places (n, 2) never gets slower than half of its median speed, so that the clip
    can be bent.

    Speeds are those of the n - 1 steps between the places, smoothed with a standard deviation of 0.1 s. A
    step of just half the median is still quick enough. False for fewer than 2 places, and for a median of 0;
    any other root that mostly stands is judged by the same rule, however slow the median.
    """
    if len(ground) < 2:
        return False
    speeds = np.linalg.norm(np.diff(smooth(ground, SMOOTH_SECONDS * fps), axis=0), axis=1)
    usual = float(np.median(speeds))
    return usual > 0.0 and bool(speeds.min() >= STEADY * usual)
