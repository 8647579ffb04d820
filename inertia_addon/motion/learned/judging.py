# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges whether a model is usable, by what it plays: how far it drifts, and how its toes skate.

Windows of the clips are drawn, and the model plays each of them from its first frame on. What it shows is
placed in the world by nothing but the skeleton, frame by frame, and so are the clips. A model that learned
too little gives a mean pose that glides: after half a second it is as far from its clip as any of their
frames is, and its toes go along with the character in place of standing.

Nothing here is shared with the losses of the training, nor with how :mod:`learned.play` shows a model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import Sentence
from ..arrays import Array, Integers
from ..matching.engine import FPS
from ..steps import Steps
from . import usability
from .material import Material, RowLayout
from .model import Model, both
from .networks import Numbers
from .usability import FRAMES, STILL, Usability

WINDOWS = 300
"""So many windows are drawn, at most."""
SEED = 7
"""They are the same each time, so that equal models are judged equally."""


def judge_steps(model: Model, material: Material, latents: Numbers | None = None) -> Steps[Usability | None]:
    """Play windows of the clips with a model and judge how usable it is; yield progress from 0 to 0.9.

    Up to 300 windows are drawn, always the same. Each is played from its first frame on by the Stepper, for
    30 frames, half a second; a clip must have two frames more to have one. Errors are raised when the first
    step is asked for.

    Parameters
    ----------
    model
        The model.
    material
        The clips, of the model's skeleton. Its features are normalised as the model's are.
    latents : (frames, latents)
        Of the material; None computes those needed with the Compressor.

    Returns
    -------
    Usability | None
        What the steps return. `drift_cm`: the mean distance of joints from the clip's, seen from
        the character's ground, on the windows' last frames. `random_cm`: the same between two
        frames drawn from all clips. `skate` and `own_skate`: how fast the lowest toe goes over the
        ground, metres a second, as played and in the clips. `still`: 0.05 m/s times the size.
        None if all clips have fewer than 32 frames or the model has no Stepper, before any
        progress; or in the end if a figure is not finite.

    Raises
    ------
    ModelError
        The Decompressor, or without latents the Compressor, is missing.
    """
    longest = int((material.stops - material.starts).max())
    if longest <= FRAMES + 1 or model.stepper is None:
        return None
    random = np.random.default_rng(SEED)
    starts = material.windows(FRAMES + 2)
    starts = np.sort(starts[random.permutation(len(starts))[:WINDOWS]])
    parents, toes = model.skeleton.parents, toes_of(model)
    own = material.values[starts[None] + np.arange(FRAMES + 1)[:, None]]
    shown = np.empty_like(own)
    latent = model.network("compressor")(material.inputs[starts]) if latents is None else latents[starts]
    state = both(features_as_learned(model, material, starts), latent)
    for frame in range(FRAMES + 1):
        shown[frame] = model.network("decompressor")(state)
        state = state + model.network("stepper")(state) / state.dtype.type(FPS)
        yield 0.3 * (frame + 1) / (FRAMES + 1)
    seen = joints(material.rows, parents, shown)
    yield 0.6
    truly = joints(material.rows, parents, own)
    yield 0.9
    firsts, seconds = random.integers(0, material.frames, (2, len(starts)))
    any_frames = (joints(material.rows, parents, material.values[which]) for which in (firsts, seconds))
    figures = (
        _apart(seen[-1], truly[-1]),
        _apart(*any_frames),
        _skate(in_world(material.rows, shown, seen), toes),
        _skate(in_world(material.rows, own, truly), toes),
        STILL * material.size,
    )
    return Usability(*figures) if np.isfinite(figures).all() else None


def minutes_more(model: Model, observed: Usability) -> int | None:
    """Estimate for how many minutes more a model should learn to be usable; None where nothing says, as for
    one that has learned by a number of steps."""
    settings = model.settings
    return None if settings.iterations else usability.minutes_more(observed, model.history, settings.minutes)


def describe(model: Model, observed: Usability | None = None) -> Sentence | None:
    """Say in a word whether a model is usable; None where that is not known.

    observed: how it was seen to play, None for what it says of itself.
    """
    observed = observed or model.usability
    return None if observed is None else usability.sentence(observed, minutes_more(model, observed))


def features_as_learned(model: Model, material: Material, frames: Integers) -> Numbers:
    """Return the features (n, columns) of frames (n,), normalised as the model knows them."""
    plain = material.features[frames] * material.scales + material.offsets
    known = (plain - model.offsets) / np.where(model.scales > 0.0, model.scales, 1.0)
    return known.astype(material.features.dtype)


def toes_of(model: Model) -> list[int]:
    """Return the indices, sorted, of the bones that may touch the ground: the feet and all bones that hang
    from them.

    If the skeleton has no feet they are all bones. Raise ValueError if a foot's name is not among the bones.
    """
    names, parents = model.skeleton.names, model.skeleton.parents
    below = {names.index(name) for name in model.skeleton.feet}
    for bone, parent in enumerate(parents):
        if parent in below:
            below.add(bone)
    return sorted(below) or list(range(len(names)))


def joints(rows: RowLayout, parents: Sequence[int], values: Numbers) -> Array:
    """Return where joints are, seen from the ground below the character.

    Parameters
    ----------
    rows
        The layout of the values.
    parents : (bones,)
        Each before its children; -1 for none.
    values : (..., rows.size)
        As the Decompressor gives them. Columns of a rotation are made unit and square to
        each other.

    Returns
    -------
    Array (..., bones, 3)
        Metres, Y up.
    """
    values = values.astype(float)
    lead = values.shape[:-1]
    offsets = values[..., rows.positions].reshape(*lead, rows.bones, 3)
    columns = values[..., rows.turns].reshape(*lead, rows.bones, 3, 2)
    x = _unit(columns[..., 0])
    z = _unit(np.cross(x, columns[..., 1]))
    local = np.stack([x, np.cross(z, x), z], axis=-1)
    places, turns = np.empty_like(offsets), np.empty_like(local)
    for bone, parent in enumerate(parents):
        if parent < 0:
            places[..., bone, :], turns[..., bone, :, :] = offsets[..., bone, :], local[..., bone, :, :]
            continue
        above = turns[..., parent, :, :]
        places[..., bone, :] = places[..., parent, :] + (above @ offsets[..., bone, :, None])[..., 0]
        turns[..., bone, :, :] = above @ local[..., bone, :, :]
    return places


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def in_world(rows: RowLayout, values: Numbers, places: Array) -> Array:
    """Return joints in the world of characters that begin at its origin and face Z.

    Parameters
    ----------
    rows
        The layout of the values.
    values : (frames, n, rows.size)
        Their velocity and spin carry the character from each frame to the next, 1/60 s.
    places : (frames, n, bones, 3)
        The joints as seen from the ground below the character, see :func:`joints`.

    Returns
    -------
    Array (frames, n, bones, 3)
        Metres, Y up.
    """
    velocity, spin = values[..., rows.root_velocity].astype(float), values[..., rows.root_spin][..., 1]
    turn = np.cumsum(spin.astype(float), axis=0) / FPS
    heading = np.concatenate([np.zeros_like(turn[:1]), turn[:-1]])
    c, s = np.cos(heading), np.sin(heading)
    steps = np.stack(
        [c * velocity[..., 0] + s * velocity[..., 2], c * velocity[..., 2] - s * velocity[..., 0]]
    )
    gone = np.cumsum(steps, axis=1) / FPS
    x, z = np.concatenate([np.zeros_like(gone[:, :1]), gone[:, :-1]], axis=1)
    c, s = c[..., None], s[..., None]
    seen_x, seen_z = places[..., 0], places[..., 2]
    ground = c * seen_x + s * seen_z + x[..., None], c * seen_z - s * seen_x + z[..., None]
    return np.stack([ground[0], places[..., 1], ground[1]], axis=-1)


def _apart(some: Array, other_joints: Array) -> float:
    """Return the mean distance of joints (n, bones, 3), centimetres."""
    return float(100.0 * np.linalg.norm(some - other_joints, axis=-1).mean())


def _skate(world: Array, toes: Sequence[int]) -> float:
    """Return the mean horizontal speed, metres a second, of the toe that is lowest on each frame, to the next
    frame.

    world: (frames, n, bones, 3), Y up. toes: the bones that count.
    """
    feet = world[:, :, toes]
    lowest = np.argmin(feet[:-1, ..., 1], axis=-1)[..., None, None]
    before, after = (np.take_along_axis(each, lowest, axis=2)[..., 0, :] for each in (feet[:-1], feet[1:]))
    return float(FPS * np.linalg.norm((after - before)[..., [0, 2]], axis=-1).mean())
