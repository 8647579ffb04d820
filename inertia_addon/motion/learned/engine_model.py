# SPDX-License-Identifier: GPL-3.0-or-later
"""A model of networks that a game plays: those of a folder in the layout of orangeduck/Motion-Matching.

Such files name no skeleton, so that they are taken for an armature's whose numbers they fit. What else a
model knows is found by playing: the features beside them are projected, and decompressed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from ...settings.learned import LearnSettings
from ..matching.database import PERSON
from . import checking, engine_networks, possible
from .material import MOVING
from .model import TRAJECTORY, Model, ModelError, Skeleton
from .networks import Network, Numbers
from .tree import tree

PLAYED = ("decompressor", "stepper", "projector")
FEATURES = "features.bin"
NEEDED = (*(f"{name}.bin" for name in PLAYED), FEATURES)
"""The files that a model takes."""
LATENTS = range(1, 513)
"""A model has so many numbers that stand for what features don't say."""
LOOKED_AT = 2000
"""So many frames, at most, say how fast and how tall the character is."""


def model(contents: Mapping[str, bytes], skeleton: Skeleton) -> Model:
    """A model of the contents of files, by the names in NEEDED, for a skeleton.

    It has no Compressor. Raises InertiaError for files that hold something else, don't fit each other, or are
    of another skeleton.
    """
    own = {name: engine_networks.network(contents[f"{name}.bin"], f"{name}.bin") for name in PLAYED}
    features, offsets, scales = engine_networks.features(contents[FEATURES], FEATURES)
    latents = own["projector"].sizes[-1] - len(offsets)
    if latents not in LATENTS:
        raise _no_fit()
    made = Model(
        skeleton,
        LearnSettings(latent=latents, hidden=_hidden(own["decompressor"])),
        offsets,
        scales,
        (),
        len(features),
        1.0,
        1.0,
        decompressor=own["decompressor"],
        stepper=own["stepper"],
        projector=own["projector"],
    )
    _check(made)
    step = max(1, -(-len(features) // LOOKED_AT))
    with np.errstate(all="ignore"):
        values = own["decompressor"](own["projector"](features[::step]))
        pace, size = _pace(made, values), _size(made, values)
    possible.check_size(pace, size)
    return dataclasses.replace(made, pace=pace, size=size)


def _hidden(network: Network) -> int:
    """How wide hidden layers are, for who reads it."""
    return int(np.clip(max(network.sizes[1:-1], default=256), 4, 4096))


def _check(made: Model) -> None:
    """Raise ModelError for networks of another skeleton, or of other features."""
    bones, feet, columns = len(made.skeleton.names), len(made.skeleton.feet), made.features
    whole = columns + made.latents
    ends = {name: (made.network(name).sizes[0], made.network(name).sizes[-1]) for name in PLAYED}
    if ends["decompressor"][1] != made.rows.size:
        raise ModelError(
            "The networks are of another skeleton: they give {given} numbers for a pose, and the armature's "
            "{bones} bones and {feet} feet take {wanted}; choose the armature that they were trained with.",
            given=ends["decompressor"][1],
            bones=bones,
            feet=feet,
            wanted=made.rows.size,
        )
    wanted = {"stepper": (whole, whole), "projector": (columns, whole)}
    fits = all(ends[name] == sizes for name, sizes in wanted.items()) and ends["decompressor"][0] == whole
    if not fits or columns <= TRAJECTORY:
        raise _no_fit()


def _no_fit() -> ModelError:
    return ModelError(
        "The networks don't fit each other or their features; take files that were trained together."
    )


def _pace(made: Model, values: Numbers) -> float:
    """The speed that frames (n, rows.size) have most of while they move, metres a second."""
    speeds = np.linalg.norm(values[:, made.rows.root_velocity], axis=1)
    moving = speeds[speeds > min(MOVING, 0.5 * float(speeds.max()))]
    return float(np.median(moving)) if len(moving) else MOVING


def _size(made: Model, values: Numbers) -> float:
    """The character's height, as a part of a person's."""
    placed = checking.placed(made.rows, tree(made.skeleton.parents), values)
    return max(float(np.ptp(placed[:, :, 1], axis=1).mean()), 1e-6) / PERSON


def same_features(made: Numbers, other: Numbers) -> bool:
    """Whether two sets of normalised features are those of the same frames."""
    return made.shape == other.shape and bool(np.allclose(made, other, atol=1e-2))
