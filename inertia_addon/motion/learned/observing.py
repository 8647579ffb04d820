# SPDX-License-Identifier: GPL-3.0-or-later
"""What networks say of themselves while they play: the offsets and scales of their features, and the speeds
that they have.

Features are normalised, ``x = (value - offset) / scale``, and a game keeps offsets and scales beside its
features. Without these, both follow from playing: the Projector gives a pose with its x, the Decompressor
shows where its feet and hips are and how they move, and the Stepper where it is a second later. One scale
belongs to all columns of a group, see :mod:`matching.engine`, so that it follows from a regression of the
group's values on x, and an offset from where x is zero.

A clip's last second says less of where it goes: its features stay at its last frame, while a Stepper goes on.
Such poses go further than they say, never less far, so that they are left out of the regression by that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags, Floats
from ..matching import coverage
from ..matching.engine import FPS, GROUPS, LATER
from ..steering.fitted import USUAL, FittedGait
from .material import posed
from .model import TRAJECTORY, Model, ModelError, NoMotion
from .model_file import MOST_PACE
from .networks import Numbers
from .play import Player
from .tree import COLUMNS, POSITION, SPIN, VELOCITY, tree

DRAWN = 800
"""So many queries are drawn at random, ..."""
FAR = 2.5
"""... whose trajectories are at most so many deviations from the mean, each all at once, ..."""
UNLIKE = 0.3
"""... and differ by so many for each number by itself."""
ROUNDS = 3
"""So often the Projector is asked again for the pose that it has found."""
SEED = 11
"""Equal networks are observed equally."""
ASKED, FASTEST = 40, 4.0
"""So many speeds are wished, up to so many deviations from the mean, ..."""
TURNS = (0.0, -1.0, 1.0)
"""... with so many radians to the left in the second to come."""
STEADY, LEAST_CHANGE = 0.15, 0.2
"""A speed is kept that changes within a second by less than this part of it, or by so much, metres a
second."""
SHORT, LEFT_OUT, FEWEST = 0.08, 0.07, 0.3
"""Who goes further than they say by this part of how much poses differ is left out, no more than the second
part at a time, and at least the third part of all is kept."""
SETTLING = 3
"""So often it is looked once more who belongs to those that are kept."""
LEAST_FIT = 0.9
"""Networks whose features tell less than this part of the square of how poses differ don't tell them."""


@record(frozen=True, eq=False)
class Norms:
    """What features are normalised by: offsets and scales (columns,). fit: of each of their groups, which
    part of the square of what poses differ by it tells, 1 for all."""

    offsets: Floats
    scales: Floats
    fit: tuple[float, ...]


@np.errstate(all="ignore")
def find_norms(model: Model, bones: Sequence[int], named: Numbers | None = None) -> Norms:
    """Return offsets and scales of a model's features, found from what its networks play.

    Parameters
    ----------
    model
        The model; its own offsets and scales are ignored.
    bones
        The indices of the left foot, the right foot and the hips.
    named
        Normalised features (frames, columns) of the clips; None if there are none, then
        queries are drawn.

    Returns
    -------
    Norms
        Offsets and scales (columns,), float32; and for each group of features which part of
        the square of how poses differ they explain, 1 for all.

    Raises
    ------
    ModelError
        The model does not have a game's 27 features, or they do not follow from what it
        plays: less than 0.9 of a group is explained, or a scale is not positive.
    """
    if model.features != sum(GROUPS):
        raise _untold()
    states = find_states(model, named)
    x, values = states[:, : model.features].astype(float), _observe(model, bones, states)
    norms = _fit_norms(x, values)
    if named is None:
        # poses that nobody has drawn, such as those of a run, are found as soon as it can be asked for them
        more = _wish(dataclasses.replace(model, offsets=norms.offsets, scales=norms.scales))
        x = np.concatenate([x, more[:, : model.features]])
        norms = _fit_norms(x, np.concatenate([values, _observe(model, bones, more)]))
    is_told = np.min(norms.fit) >= LEAST_FIT and np.all(norms.scales > 0.0)
    if not is_told or not np.isfinite([norms.offsets, norms.scales]).all():
        raise _untold()
    return norms


@np.errstate(all="ignore")
def find_gait(model: Model, named: Numbers | None = None, apart: int = 1) -> FittedGait:
    """Return the gait of a model: the ranges of speeds at which it plays, with the usual half-lives.

    Parameters
    ----------
    model
        The model, with offsets and scales.
    named
        Normalised features (frames, columns) of the clips; None plays many wished speeds
        instead.
    apart
        How many frames the rows of `named` are apart.

    Returns
    -------
    FittedGait
        Speeds in metres a second, of those trajectories that keep theirs for a second, of
        all if none does.

    Raises
    ------
    NoMotion
        A speed is not finite, or impossible for the character's size.
    """
    least = 1.0
    if named is not None:
        values: Array = named[:, -TRAJECTORY:].astype(float)
        values = values * model.scales[-TRAJECTORY:] + model.offsets[-TRAJECTORY:]
        speeds, least = _steady(_chords(values)), max(1.0, coverage.LEAST_SECONDS * FPS / apart)
    else:
        speeds = _steady(_chords(_travel(model, _wish(model))))
    if not np.all(speeds <= MOST_PACE * model.size):
        raise NoMotion
    return FittedGait(USUAL, USUAL, coverage.ranges_of(speeds, coverage.BIN * model.size, least))


def _untold() -> ModelError:
    return ModelError(
        "The offsets and scales of the networks' features can't be estimated from what they play; add the "
        '"features.bin" of the database that they were trained with.'
    )


# --- what is played


def _draw_queries(model: Model) -> Numbers:
    """Return 800 normalised queries (800, columns), float32, spread widely over what the Projector may be
    asked.

    They are drawn with a fixed seed about the mean of the Projector's outputs. Of a trajectory, the three
    places are drawn together, and so are the three directions.
    """
    random, columns = np.random.default_rng(SEED), model.features
    away = random.normal(size=(DRAWN, columns))
    leads = random.uniform(-FAR, FAR, (DRAWN, 2, 1, 2))
    together = np.repeat(leads, len(LATER), axis=2).reshape(DRAWN, -1)
    away[:, -TRAJECTORY:] = together + UNLIKE * away[:, -TRAJECTORY:]
    mean, deviation = _spread(model)
    return np.asarray(mean + deviation * away, np.float32)


def _spread(model: Model) -> tuple[Numbers, Numbers]:
    """Return the mean and the deviation (columns,) of normalised features: those of what the Projector gives,
    as what it takes may be normalised by one number for all columns."""
    projector, columns = model.network("projector"), model.features
    return projector.mean_out[:columns], projector.std_out[:columns]


def find_states(model: Model, named: Numbers | None = None) -> Numbers:
    """Return states (n, columns + latents) of poses that the clips have, whatever offsets and scales the
    model has.

    A row is a pose's normalised features, then its latents. named: normalised features (n, columns) to start
    from; None draws 800 queries, always the same. The Projector is applied three times in all, each time to
    the features of what it found. Raise ModelError if it is missing.
    """
    projector = model.network("projector")
    states = projector.infer(_draw_queries(model) if named is None else named)
    for _ in range(ROUNDS - 1):
        states = projector.infer(states[:, : model.features])
    return states


def _wish(model: Model) -> Numbers:
    """Return the states (120, columns + latents) that the Projector finds for wished speeds, straight ahead
    and turning.

    They are 40 speeds, from 0 to the highest, evenly apart, the slowest first; of each, 0, -1 and 1 radian to
    the left in the second to come, in this order, along arcs. The highest speed is to reach, in 60 frames,
    the place whose normalised coordinates are the means of those that the Projector gives, without their
    signs, plus 4 of its deviations. The wishes are normalised by the model's offsets and scales; poses begin
    with normalised features of 0, and the Projector is asked four times. Raise ModelError if it is missing.
    """
    mean, deviation = _spread(model)
    farthest = np.abs(mean) + FASTEST * deviation
    places = (model.offsets + farthest * model.scales)[-TRAJECTORY : -TRAJECTORY // 2]
    highest = float(np.linalg.norm(places[-2:]) * FPS / LATER[-1])
    speeds, turns = np.meshgrid(np.linspace(0.0, highest, ASKED), TURNS, indexing="ij")
    seconds = np.array(LATER) / FPS
    turned = turns.reshape(-1, 1) * seconds
    gone = speeds.reshape(-1, 1) * seconds
    # along a circle the chord leads half as far aside as it turns
    ways = np.stack([gone * np.cos(0.5 * turned), gone * np.sin(0.5 * turned)], axis=-1)
    player = Player(model, np.zeros((len(ways), 2)), np.zeros(len(ways)))
    player.begin(ways, turned)
    return player.state


def _observe(model: Model, bones: Sequence[int], states: Numbers) -> Array:
    """Return the features (n, 27), not normalised, that poses have as they are played, in metres and seconds.

    In this order: the left and the right foot's position, the velocities of left foot, right foot and hips,
    seen from the simulation bone with its own motion included, and the trajectory as :func:`_travel` returns
    it. bones: the indices of the left foot, the right foot and the hips, in this order. states: (n, columns +
    latents).
    """
    rows, values = model.rows, model.network("decompressor").infer(states)
    pose, skeleton = posed(rows, values), tree(model.skeleton.parents)
    local = np.zeros((len(values), rows.bones, 3, COLUMNS))
    columns = values[:, rows.turns].reshape(len(values), rows.bones, 3, 2)
    local[..., :2], local[..., 2] = columns, np.cross(columns[..., 0], columns[..., 1])
    local[..., POSITION] = pose.positions
    for at, part in ((VELOCITY, rows.velocities), (SPIN, rows.spins)):
        local[..., at] = values[:, part].reshape(len(values), rows.bones, 3)
    seen, _ = skeleton.follow(np.ascontiguousarray(local[:, skeleton.order].transpose(2, 3, 1, 0)))
    places = {int(bone): i for i, bone in enumerate(skeleton.order)}
    left, right, hips = (seen[:, :, places[bone]] for bone in bones)
    moving = [_add_root_motion(each, pose.root_velocity, pose.root_spin) for each in (left, right, hips)]
    return np.concatenate(
        [left[:, POSITION].T, right[:, POSITION].T, *moving, _travel(model, states)], axis=1
    )


def _add_root_motion(observed: Array, velocity: Array, spin: Array) -> Array:
    """Return the velocities (n, 3) of a bone with what the simulation bone adds. observed: (3, columns,
    n).
    """
    return np.asarray(observed[:, VELOCITY].T + velocity + np.cross(spin, observed[:, POSITION].T))


def _travel(model: Model, states: Numbers) -> Array:
    """Return the trajectory (n, 12) of the next second, as it is played: places, then directions.

    They are the three places x and z, metres, in 20, 40 and 60 frames, then the three directions in which the
    character faces then, as unit vectors x and z. All is seen from where the character is at first, Y up,
    facing Z. states: (n, columns + latents); they are not changed. Raise ModelError if the Decompressor or
    the Stepper is missing.
    """
    count = len(states)
    ground, heading = np.zeros((count, 2)), np.zeros(count)
    places, directions = [], []
    for frame in range(1, max(LATER) + 1):
        x, _, z, _, spin, _ = model.motion_network.infer(states).T.astype(float)
        cos, sin = np.cos(heading), np.sin(heading)
        ground = ground + np.stack([cos * x + sin * z, cos * z - sin * x], axis=1) / FPS
        heading = heading + spin / FPS
        states = states + model.network("stepper").infer(states) / np.float32(FPS)
        if frame in LATER:
            places.append(ground)
            directions.append(np.stack([np.sin(heading), np.cos(heading)], axis=1))
    return np.concatenate([*places, *directions], axis=1)


def _chords(values: Array) -> Array:
    """Return the speeds (n, 3), metres a second, along the three chords of trajectories (n, 12 or more)."""
    places = values[:, -TRAJECTORY : -TRAJECTORY // 2].reshape(len(values), len(LATER), 2)
    return np.asarray(np.linalg.norm(np.diff(places, axis=1, prepend=0.0), axis=2) * FPS / LATER[0])


def _steady(chords: Array) -> Array:
    """Return the speeds (m,) of those of chords (n, 3) that keep their speed for the second; of all if none
    does."""
    speeds = chords.mean(axis=1)
    kept = np.ptp(chords, axis=1) <= np.maximum(STEADY * speeds, LEAST_CHANGE)
    return speeds[kept] if kept.any() else speeds


# --- what follows from it


def _fit_norms(x: Array, values: Array) -> Norms:
    """Return the offsets and scales that fit normalised features x (n, columns) and what they stand for,
    values (n, columns), one scale for each group of columns.

    Rows with numbers that are not finite don't count; raise ModelError where fewer than twice as many rows as
    columns are left. Poses whose trajectory ends before it says so are left out of the trajectory's groups.
    """
    whole = np.isfinite(x).all(axis=1) & np.isfinite(values).all(axis=1)
    x, values = x[whole], values[whole]
    if len(x) < 2 * x.shape[1]:
        raise _untold()
    ends = np.cumsum(GROUPS)
    groups = [slice(end - count, end) for count, end in zip(GROUPS, ends.tolist(), strict=True)]
    places = groups[-2]
    goes_on = _keep_unclamped(x[:, places], values[:, places])
    everyone = np.ones(len(x), bool)
    rows = [everyone] * (len(GROUPS) - 2) + [goes_on, goes_on]
    fitted = [
        _fit_group(x[kept, group], values[kept, group]) for kept, group in zip(rows, groups, strict=True)
    ]
    scales = np.repeat([scale for scale, _, _ in fitted], GROUPS)
    offsets = np.concatenate([offset for _, offset, _ in fitted])
    return Norms(offsets.astype(np.float32), scales.astype(np.float32), tuple(told for _, _, told in fitted))


def _fit_group(x: Array, values: Array) -> tuple[float, Array, float]:
    """Return one scale, and an offset for each column (k,), of values (n, k) = offset + scale x, and how much
    they tell.

    x: (n, k), at least one row. They are fitted by least squares over all columns together. The last number
    is which part of the squares of the values, about their means, is told: 1 for all. If no column of x
    varies the scale is 0 and the offsets are the means; if no column of the values varies the last number is
    1.
    """
    mean_x, mean = x.mean(axis=0), values.mean(axis=0)
    away_x, away = x - mean_x, values - mean
    scale = float((away_x * away).sum() / max((away_x**2).sum(), 1e-30))
    left = float(((away - scale * away_x) ** 2).sum() / max((away**2).sum(), 1e-30))
    return scale, mean - scale * mean_x, 1.0 - left


def _keep_unclamped(x: Array, values: Array) -> Flags:
    """Return which of some trajectories (n,) go as far when played as their features say, as flags.

    x: (n, 6), three places as features have them, normalised. values: (n, 6), as played, metres. A clip's
    last second says less than is played, so that such trajectories are dropped.

    One scale, and an offset for each column, is fitted to those that are kept. Each trajectory has an error:
    over its three places the largest of how much further it is played, along its way, than the fit says, or
    half of the distance between both, whichever is more, as a part of how far places differ. The worst, about
    7 % at a time, are dropped until no more than 7 % of those left have an error above 0.08, or fewer than
    0.3 of all would be left. Then, three times, the fit is repeated, and all whose whole distance from it is
    at most 0.08 belong to it, whether dropped before or not, and the nearest 0.3 of all in any case.
    """
    count = len(x)
    kept = np.ones(count, bool)
    played = values.reshape(count, -1, 2)
    spread = np.maximum(np.sqrt(played.var(axis=0).sum(axis=1)), 1e-9)
    along = played / np.maximum(np.linalg.norm(played, axis=2, keepdims=True), 1e-9)
    while True:
        scale, offset, _ = _fit_group(x[kept], values[kept])
        lacks = played - (scale * x + offset).reshape(played.shape)
        # what is said too far counts by half: it is what a fit through others makes of those that are right
        short = np.maximum((lacks * along).sum(axis=2), 0.5 * np.linalg.norm(lacks, axis=2)) / spread
        worst = short.max(axis=1)
        most = max(SHORT, float(np.quantile(worst[kept], 1.0 - LEFT_OUT)))
        fewer = kept & (worst <= most)
        if most <= SHORT or fewer.sum() < FEWEST * count or fewer.sum() == kept.sum():
            break
        kept = fewer
    for _ in range(SETTLING):
        # who was left out on the way there, but is near to what came of it, belongs to them
        scale, offset, _ = _fit_group(x[kept], values[kept])
        away = np.linalg.norm((values - scale * x - offset).reshape(played.shape), axis=2) / spread
        worst = away.max(axis=1)
        kept = worst <= max(SHORT, float(np.quantile(worst, FEWEST)))
    return kept
