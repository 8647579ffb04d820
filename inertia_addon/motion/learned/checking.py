# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a model is from clips: its poses, how its steps drift, and what its projections find."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Integers
from ..matching.engine import FPS
from ..steps import finish, part, quietly
from .material import Material, Rows, posed
from .model import Model, NoMotion, both
from .networks import Network, Numbers
from .training import Nearest, queries
from .tree import POSITION, Tree

DRIFTS = (10, 20, 30, 60)
"""After so many frames it is looked how far steps have gone astray."""
ASKED = 1000
"""So many queries, and starts of steps, are tried."""
CHUNK = 2048
FAR_CM = 10_000.0
"""What is so many centimetres from the clips for each metre of the character's size is no pose of it."""


@record(frozen=True)
class ClipError:
    """How far the decompressed frames of a clip are from it.

    Joints in centimetres, seen from the character's ground, mean and 99th percentile; local rotations in
    degrees, mean; which part of the contacts is right.
    """

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
    """Check a model on a material of its skeleton; see :func:`steps`."""
    return finish(steps(model, material, latents))


def steps(
    model: Model, material: Material, latents: Numbers | None = None
) -> Generator[float, None, ModelCheck]:
    """Check a model on a material of its skeleton; yields the part that is done.

    latents: (frames, latents) of the material, None for those that the Compressor finds. Raises InertiaError
    where it can't even decompress, and NoMotion where what it gives is none.
    """
    found = yield from quietly(_steps(model, material, latents))
    drifts = [far for each in (found.drift_cm, found.root_drift_cm) if each for far in each.values()]
    lengths = [found.whole.joints_cm, *drifts, found.projector_cm or 0.0]
    if not all(far < FAR_CM * model.size for far in lengths) or not np.isfinite(found.whole.rotations_deg):
        raise NoMotion
    return found


def _steps(model: Model, material: Material, latents: Numbers | None) -> Generator[float, None, ModelCheck]:
    decompressor, material = model.network("decompressor"), as_learned(model, material)
    if latents is None:
        latents = yield from part(_compressed(material, model.network("compressor")), 0.0, 0.2)
    given = np.empty_like(material.values)
    for rows in _parts(0, material.frames):
        given[rows] = decompressor(both(material.features[rows], latents[rows]))
        yield 0.2 + 0.2 * rows.start / material.frames
    seen = []
    for first, behind in zip(material.starts.tolist(), material.stops.tolist(), strict=True):
        pieces = []
        for rows in _parts(first, behind):
            pieces.append(_aside(material, rows, given))
            yield 0.4 + 0.3 * rows.stop / material.frames
        seen.append(_joined(pieces))
    clips = [_error(name, each) for name, each in zip(material.names, seen, strict=True)]
    whole = _error("all", _joined(seen))
    random = np.random.default_rng(0)
    drifts = projected = None
    if model.stepper is not None:
        drifts = yield from part(_drifting(model, material, latents, random), 0.7, 0.9)
    if model.projector is not None:
        projected = _projector(model, material, latents, random)
    return ModelCheck(tuple(clips), whole, *(drifts or (None, None)), *(projected or (None, None)))


def as_learned(model: Model, material: Material) -> Material:
    """A material whose features are normalised as the model knows them: by those that it was learned from."""
    own, known = (material.offsets, material.scales), (model.offsets, model.scales)
    if all(map(np.array_equal, own, known)):
        return material
    plain = material.features * own[1] + own[0]
    features = ((plain - known[0]) / np.where(known[1] > 0.0, known[1], 1.0)).astype(material.features.dtype)
    return dataclasses.replace(material, features=features, offsets=known[0], scales=known[1])


def _compressed(material: Material, compressor: Network) -> Generator[float, None, Numbers]:
    """The latents (frames, latents) of a material."""
    found = np.empty((material.frames, compressor.sizes[-1]), material.values.dtype)
    for rows in _parts(0, material.frames):
        found[rows] = compressor(material.inputs[rows])
        yield rows.stop / material.frames
    return found


def _parts(first: int, behind: int) -> Iterator[slice]:
    """Rows from the first to the one behind the last, some at a time."""
    for start in range(first, behind, CHUNK):
        yield slice(start, min(start + CHUNK, behind))


def joints(material: Material, values: Numbers) -> Array:
    """Where rows (n, rows.size) have the joints (n, bones, 3), seen from the simulation bone; metres."""
    return placed(material.rows, material.tree, values)


def placed(rows: Rows, own: Tree, values: Numbers) -> Array:
    """Where rows (n, rows.size) of a skeleton whose tree is known have the joints (n, bones, 3); metres."""
    found = np.empty((len(values), rows.bones, 3))
    for some in _parts(0, len(values)):
        pose = posed(rows, values[some])
        local = np.zeros((len(pose.positions), rows.bones, 3, 6))
        local[..., :POSITION] = _matrices(pose.rotations)
        local[..., POSITION] = pose.positions
        seen, _ = own.follow(np.ascontiguousarray(local[:, own.order].transpose(2, 3, 1, 0)))
        found[some] = seen[:, POSITION].T
    return found


def _matrices(q: Array) -> Array:
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _aside(material: Material, some: slice, given: Numbers) -> list[Array]:
    """How far frames (n) are from what they are of: joints (n, bones) in centimetres, the cosines of half of
    the angles (n, bones), and which contacts are right (n, feet)."""
    rows, known, own = material.rows, material.values[some], given[some]
    away = 100.0 * np.linalg.norm(joints(material, own) - joints(material, known), axis=-1)
    turns = [posed(rows, values).rotations for values in (own, known)]
    cosine = np.clip(np.abs(np.sum(turns[0] * turns[1], axis=-1)), 0.0, 1.0)
    return [away, cosine, (own[:, rows.contacts] > 0.5) == (known[:, rows.contacts] > 0.5)]


def _joined(pieces: Sequence[Sequence[Array]]) -> list[Array]:
    return [np.concatenate(each) for each in zip(*pieces, strict=True)]


def _error(name: str, seen: Sequence[Array]) -> ClipError:
    """How far the frames of a clip are from it. seen: by :func:`_aside`."""
    away, cosine, contacts = seen
    return ClipError(
        name,
        len(away),
        float(away.mean()),
        float(np.percentile(away, 99)),
        float(np.degrees(2.0 * np.arccos(cosine)).mean()),
        float(contacts.mean()) if contacts.size else 1.0,
    )


def _drifting(
    model: Model, material: Material, latents: Numbers, random: np.random.Generator
) -> Generator[float, None, tuple[dict[int, float], dict[int, float]] | None]:
    """By frames, how far joints and the ground have gone astray, centimetres; None for short clips alone."""
    longest = int((material.stops - material.starts).max())
    wanted = [frames for frames in DRIFTS if frames < longest]
    if not wanted:
        return None
    stepper, decompressor = model.network("stepper"), model.network("decompressor")
    starts = material.windows(wanted[-1] + 1)
    starts = starts[random.permutation(len(starts))[:ASKED]]
    now = both(material.features, latents)[starts]
    place = [np.zeros((len(starts), 3)), np.zeros((len(starts), 3))]
    far, ground = {}, {}
    for frame in range(1, wanted[-1] + 1):
        values = decompressor(now), material.values[starts + frame - 1]
        place = [_gone(material, *each) for each in zip(place, values, strict=True)]
        now = now + now.dtype.type(1.0 / FPS) * stepper(now)
        if frame in wanted:
            two = (joints(material, rows) for rows in (decompressor(now), material.values[starts + frame]))
            far[frame] = _apart(*two)
            ground[frame] = float(100.0 * np.linalg.norm(place[0][:, :2] - place[1][:, :2], axis=1).mean())
        yield frame / wanted[-1]
    return far, ground


def _gone(material: Material, place: Array, values: Numbers) -> Array:
    """Where roots (n, 3), aside, ahead and turned, are a frame later."""
    speed, spin = values[:, material.rows.root_velocity], values[:, material.rows.root_spin][:, 1]
    c, s = np.cos(place[:, 2]), np.sin(place[:, 2])
    moved = c * speed[:, 0] + s * speed[:, 2], c * speed[:, 2] - s * speed[:, 0], spin
    return place + np.stack(moved, axis=1) / FPS


def _apart(one: Array, other: Array) -> float:
    return float(100.0 * np.linalg.norm(one - other, axis=-1).mean())


def _projector(
    model: Model, material: Material, latents: Numbers, random: np.random.Generator
) -> tuple[float, float]:
    asked = queries(material, material.features.std(axis=0), ASKED, random, wild=0.0)
    return projected(model, material, latents, asked, random)


def projected(
    model: Model, material: Material, latents: Numbers, asked: Numbers, random: np.random.Generator
) -> tuple[float, float]:
    """How far, in centimetres, the joints that the Projector finds are from those of the nearest frame, and
    how far those of any frame are."""
    nearest: Integers = Nearest(material.features)(asked)
    given = model.network("decompressor")(model.network("projector")(asked))
    true = joints(material, material.values[nearest])
    any_frame = material.values[random.integers(0, material.frames, len(asked))]
    return _apart(joints(material, given), true), _apart(joints(material, any_frame), true)
