# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of the .bin files that a game plays, as a model of an armature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import InertiaError
from ...motion.learned import checking, engine_model, engine_networks
from ...motion.learned.engine_model import FEATURES
from ...motion.learned.material import Material
from ...motion.learned.model import Model, Skeleton
from ...motion.learned.networks import Numbers
from ..feet import legs as leg_list

LATENTS = "latent.bin"
MOST_BYTES = 2_000_000_000
"""Nobody's files are larger."""


def load(folder: Path, armature: Any) -> Model:
    """The model that a folder's networks and features are, for an armature.

    Raises InertiaError for files that are missing, damaged, or of another skeleton, and OSError.
    """
    bones = armature.data.bones
    index = {bone.name: i for i, bone in enumerate(bones)}
    parents = tuple(-1 if bone.parent is None else index[bone.parent.name] for bone in bones)
    names = tuple(index)
    feet = tuple(names[leg.foot] for leg in leg_list.of_armature(armature))
    contents = {name: _read(folder, name) for name in engine_model.NEEDED}
    return engine_model.model(contents, Skeleton(names, parents, feet))


def latents(folder: Path, model: Model, material: Material) -> Numbers:
    """The latents of a material's frames, of which a folder's files must be; model: that of its networks.

    Raises InertiaError for those of other clips, and OSError.
    """
    found = engine_networks.latents(_read(folder, LATENTS), LATENTS)
    features, _, _ = engine_networks.features(_read(folder, FEATURES), FEATURES)
    same = engine_model.same_features(features, checking.as_learned(model, material).features) and len(
        found
    ) == len(features)
    if not same:
        raise InertiaError(
            'The networks in "{folder}" were learned from other clips; use those that its database was '
            "written from, with their mirror images if it has them.",
            folder=folder.name,
        )
    return found


def _read(folder: Path, name: str) -> bytes:
    path = folder / name
    if not path.is_file():
        raise InertiaError(
            '"{folder}" has no "{file}"; a folder of networks needs {needed}, the last of which the '
            "command database writes.",
            folder=folder.name,
            file=name,
            needed=", ".join(engine_model.NEEDED),
        )
    if path.stat().st_size > MOST_BYTES:
        raise InertiaError('"{file}" is larger than such a file can be.', file=name)
    return path.read_bytes()
