# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a model is from clips: its poses, how its steps drift, and what its projections find."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from ...records import record
from ..arrays import Array
from ..matching.engine import FPS
from ..steps import Steps, finish, part, quietly
from .material import Material, RowLayout, posed
from .model import Model, NoMotion, both
from .networks import Network, Numbers
from .training import Nearest, queries
from .tree import COLUMNS, POSITION, PoseTree

DRIFTS = (10, 20, 30, 60)
"""After so many frames it is looked how far steps have gone astray."""
ASKED = 1000
"""So many queries, and starts of steps, are tried."""
CHUNK = 2048
FAR_CM = 10_000.0
"""What is so many centimetres from the clips for each metre of the character's size is no pose of it."""


@record(frozen=True)
class ClipError:
    """How far the decompressed frames of a clip are from it. Joints in centimetres, seen from the character's
    ground, mean and 99th percentile; local rotations in degrees, mean; which part of the contacts is
    right."""

    clip: str
    frames: int
    joints_cm: float
    joints_p99_cm: float
    rotations_deg: float
    contacts: float


@record(frozen=True)
class ModelCheck:
    """How far a model is from clips.

    clips: each one, and whole: all together. drift_cm: by frames, the mean distance of joints from the clip's
    after so many steps; root_drift_cm of the ground. projector_cm: the mean distance of joints from those of
    the frame that is truly nearest to a query; random_cm: of any frame, to compare. None where the network
    is not trained, or no clip is long enough.
    """

    clips: tuple[ClipError, ...]
    whole: ClipError
    drift_cm: dict[int, float] | None
    root_drift_cm: dict[int, float] | None
    projector_cm: float | None
    random_cm: float | None


def check(model: Model, material: Material, latents: Numbers | None = None) -> ModelCheck:
    """Check a model on a material of its skeleton, and return the figures.

    Parameters
    ----------
    model
        The model.
    material
        The clips.
    latents : (frames, latents)
        Of the material; None computes them with the Compressor.

    Returns
    -------
    ModelCheck
        Drifts are None without a Stepper, or if no clip is long enough; the Projector's
        figures are None without one.

    Raises
    ------
    ModelError
        A network that is needed is missing: the Decompressor, or without latents the
        Compressor.
    NoMotion
        A distance is 100 m or more for each metre of the character, or a figure is not
        finite.
    """
    return finish(steps(model, material, latents))


def steps(model: Model, material: Material, latents: Numbers | None = None) -> Steps[ModelCheck]:
    """Check a model on a material of its skeleton; yield progress from 0 to 1 and return the figures.

    Parameters
    ----------
    model
        The model.
    material
        The clips. It is not changed; its features are taken as the model has them normalised.
    latents : (frames, latents)
        Of the material; None computes them with the Compressor.

    Returns
    -------
    ModelCheck
        What the steps return. `clips` has a :class:`ClipError` for each clip, in order, and
        `whole`, named "all", is that of all frames together: centimetres, degrees and the part
        of the contacts that is right. `drift_cm` and `root_drift_cm` are dicts by number of
        frames, of 10, 20, 30 and 60 those that are fewer than the longest clip has; None
        without a Stepper, or if none is left. `projector_cm` and `random_cm` are None without a
        Projector. What is drawn at random is the same each time.

    Raises
    ------
    ModelError
        A network that is needed is missing: the Decompressor, or without latents the
        Compressor.
    NoMotion
        A mean distance of `whole`, the drifts or the Projector is 100 m or more for each metre
        of the character, or is not finite, or the mean rotation of `whole` is not. It is a
        ModelError, and raised at the end.
    """
    report = yield from quietly(_steps(model, material, latents))
    drifts = [far for each in (report.drift_cm, report.root_drift_cm) if each for far in each.values()]
    lengths = [report.whole.joints_cm, *drifts, report.projector_cm or 0.0]
    if not all(far < FAR_CM * model.size for far in lengths) or not np.isfinite(report.whole.rotations_deg):
        raise NoMotion
    return report


def _steps(model: Model, material: Material, latents: Numbers | None) -> Steps[ModelCheck]:
    decompressor, material = model.network("decompressor"), as_learned(model, material)
    if latents is None:
        latents = yield from part(_compressed(material, model.network("compressor")), 0.0, 0.2)
    values = np.empty_like(material.values)
    for rows in _parts(0, material.frames):
        values[rows] = decompressor(both(material.features[rows], latents[rows]))
        yield 0.2 + 0.2 * rows.start / material.frames
    differences = []
    for first, behind in zip(material.starts.tolist(), material.stops.tolist(), strict=True):
        pieces = []
        for rows in _parts(first, behind):
            pieces.append(_differences(material, rows, values))
            yield 0.4 + 0.3 * rows.stop / material.frames
        differences.append(_joined(pieces))
    clips = [_error(name, each) for name, each in zip(material.names, differences, strict=True)]
    whole = _error("all", _joined(differences))
    random = np.random.default_rng(0)
    drifts = distances = None
    if model.stepper is not None:
        drifts = yield from part(_drift_steps(model, material, latents, random), 0.7, 0.9)
    if model.projector is not None:
        asked = queries(material, material.features.std(axis=0), ASKED, random, wild=0.0)
        distances = measure_projected(model, material, asked, random)
    return ModelCheck(tuple(clips), whole, *(drifts or (None, None)), *(distances or (None, None)))


def as_learned(model: Model, material: Material) -> Material:
    """Return a material whose features are normalised with the model's offsets and scales in place of its
    own.

    If these are equal the material itself is returned. A scale of 0 counts as 1.
    """
    offsets, scales = model.offsets, model.scales
    if np.array_equal(material.offsets, offsets) and np.array_equal(material.scales, scales):
        return material
    plain = material.features * material.scales + material.offsets
    features = ((plain - offsets) / np.where(scales > 0.0, scales, 1.0)).astype(material.features.dtype)
    return dataclasses.replace(material, features=features, offsets=offsets, scales=scales)


def _compressed(material: Material, compressor: Network) -> Steps[Numbers]:
    """Compute the latents (frames, latents) of a material with a Compressor; yield progress from 0 to 1 and
    return them.
    """
    latents = np.empty((material.frames, compressor.sizes[-1]), material.values.dtype)
    for rows in _parts(0, material.frames):
        latents[rows] = compressor(material.inputs[rows])
        yield rows.stop / material.frames
    return latents


def _parts(first: int, behind: int) -> Iterator[slice]:
    """Yield the rows from the first to the one before `behind`, CHUNK at a time."""
    for start in range(first, behind, CHUNK):
        yield slice(start, min(start + CHUNK, behind))


def joints(material: Material, values: Numbers) -> Array:
    """Return where rows (n, rows.size) have the joints (n, bones, 3), seen from the simulation bone;
    metres.
    """
    return placed(material.rows, material.tree, values)


def placed(rows: RowLayout, tree: PoseTree, values: Numbers) -> Array:
    """Return the positions of joints, seen from the simulation bone.

    Parameters
    ----------
    rows
        The layout of the values.
    tree
        The skeleton's.
    values : (n, rows.size)
        The Decompressor's rows, with bones in the skeleton's order. Bones without a parent hang
        from the simulation bone.

    Returns
    -------
    Array (n, bones, 3)
        Metres, Y up, float64. Bones are in the tree's order, level by level: the i-th is the
        skeleton's bone tree.order[i].
    """
    places = np.empty((len(values), rows.bones, 3))
    for some in _parts(0, len(values)):
        pose = posed(rows, values[some])
        local = np.zeros((len(pose.positions), rows.bones, 3, COLUMNS))
        local[..., :POSITION] = _matrices(pose.rotations)
        local[..., POSITION] = pose.positions
        seen, _ = tree.follow(np.ascontiguousarray(local[:, tree.order].transpose(2, 3, 1, 0)))
        places[some] = seen[:, POSITION].T
    return places


def _matrices(q: Array) -> Array:
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _differences(material: Material, some: slice, values: Numbers) -> list[Array]:
    """Return how far played frames are from the material's own, as a list of three arrays.

    some: a slice of the material's frames; n of them are compared. values: the rows (frames, rows.size) of
    all the material's frames, as played; the slice is taken from them, too. The arrays are: how far joints
    are apart as seen from the simulation bone (n, bones), centimetres, with bones in the order of the
    material's tree; the cosines of half of the angles between local rotations (n, bones), 0 to 1, with bones
    in the skeleton's order; and whether each contact is right (n, feet), bool: a contact above 0.5 counts as
    on the ground.
    """
    rows, true, played = material.rows, material.values[some], values[some]
    away = 100.0 * np.linalg.norm(joints(material, played) - joints(material, true), axis=-1)
    dots = np.sum(posed(rows, played).rotations * posed(rows, true).rotations, axis=-1)
    right = (played[:, rows.contacts] > 0.5) == (true[:, rows.contacts] > 0.5)
    return [away, np.clip(np.abs(dots), 0.0, 1.0), right]


def _joined(pieces: Sequence[Sequence[Array]]) -> list[Array]:
    return [np.concatenate(each) for each in zip(*pieces, strict=True)]


def _error(name: str, differences: Sequence[Array]) -> ClipError:
    """Return how far the frames of a clip are from it. differences: by :func:`_differences`."""
    away, cosine, contacts = differences
    return ClipError(
        name,
        len(away),
        float(away.mean()),
        float(np.percentile(away, 99)),
        float(np.degrees(2.0 * np.arccos(cosine)).mean()),
        float(contacts.mean()) if contacts.size else 1.0,
    )


def _drift_steps(
    model: Model, material: Material, latents: Numbers, random: np.random.Generator
) -> Steps[tuple[dict[int, float], dict[int, float]] | None]:
    """Play up to 1000 starts on by the Stepper; yield progress from 0 to 1 and return how far joints and
    ground have drifted, in this order.

    Both are dicts from the number of frames (those of 10, 20, 30 and 60 that are fewer than the longest clip
    has) to the mean distance in centimetres: of joints as seen from the character's own ground, and of that
    ground from where the clip has brought it. All numbers are of the same starts, each with room in its clip
    for the largest of them; `random` draws the starts, without repetition. latents: (frames, latents) of the
    material; its features must be normalised as the model's.

    Return None at once if the longest clip has 10 frames or fewer. Otherwise raise ModelError, when the first
    step is asked for, if the Stepper or the Decompressor is missing.
    """
    longest = int((material.stops - material.starts).max())
    wanted = [frames for frames in DRIFTS if frames < longest]
    if not wanted:
        return None
    stepper, decompressor = model.network("stepper"), model.network("decompressor")
    starts = material.windows(wanted[-1] + 1)
    starts = starts[random.permutation(len(starts))[:ASKED]]
    state = both(material.features, latents)[starts]
    roots = [np.zeros((len(starts), 3)), np.zeros((len(starts), 3))]
    far, ground = {}, {}
    for frame in range(1, wanted[-1] + 1):
        values = decompressor(state), material.values[starts + frame - 1]
        roots = [_gone(material, *each) for each in zip(roots, values, strict=True)]
        state = state + state.dtype.type(1.0 / FPS) * stepper(state)
        if frame in wanted:
            far[frame] = _apart(material, decompressor(state), material.values[starts + frame])
            ground[frame] = float(100.0 * np.linalg.norm(roots[0][:, :2] - roots[1][:, :2], axis=1).mean())
        yield frame / wanted[-1]
    return far, ground


def _gone(material: Material, roots: Array, values: Numbers) -> Array:
    """Return where characters are one frame later: (n, 3), in metres and radians.

    roots: (n, 3), aside (x), ahead (z) and turned about the vertical. values: rows (n, rows.size), whose root
    velocity and spin move them for 1/60 s.
    """
    speed, spin = values[:, material.rows.root_velocity], values[:, material.rows.root_spin][:, 1]
    c, s = np.cos(roots[:, 2]), np.sin(roots[:, 2])
    moved = c * speed[:, 0] + s * speed[:, 2], c * speed[:, 2] - s * speed[:, 0], spin
    return roots + np.stack(moved, axis=1) / FPS


def _apart(material: Material, values: Numbers, other_values: Numbers) -> float:
    """Return the mean distance of the joints of rows (n, rows.size), centimetres."""
    return float(
        100.0 * np.linalg.norm(joints(material, values) - joints(material, other_values), axis=-1).mean()
    )


def measure_projected(
    model: Model, material: Material, asked: Numbers, random: np.random.Generator
) -> tuple[float, float]:
    """Return how far the poses that the Projector finds, and random frames, are from the true ones.

    Parameters
    ----------
    model
        The model.
    material
        The clips; the true pose is that of the frame nearest to a query.
    asked : (n, features)
        Queries, normalised as the material's features.
    random
        Draws the random frames.

    Returns
    -------
    tuple[float, float]
        The two mean distances of joints, centimetres.

    Raises
    ------
    ModelError
        The Projector or the Decompressor is missing.
    """
    nearest = material.values[Nearest(material.features)(asked)]
    values = model.network("decompressor")(model.network("projector")(asked))
    any_frame = material.values[random.integers(0, material.frames, len(asked))]
    return _apart(material, values, nearest), _apart(material, any_frame, nearest)
