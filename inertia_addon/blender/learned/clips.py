# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of an armature as what networks learn from, and whether a model is of an armature."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...motion.learned import material
from ...motion.learned.material import Material
from ...motion.learned.model import Model, ModelError, ModelSkeleton, NoMotion
from ...motion.matching import engine
from ...motion.matching.database import PERSON
from ...motion.steering import fitted
from ...motion.steps import Steps, part
from ...settings.learned import LearnSettings
from ...settings.matching import PathSettings, joined_by
from ...settings.transition import TransitionSettings
from ..evaluation.character import Character, read_character
from ..matching import action_set, files
from . import engine_files, posing
from . import files as model_files

ANALYSED, MOVED = 0.3, 0.4
"""So much of reading is what finds out what there is, and how that is moved."""
ALIKE = 0.1
"""A skeleton of the same names is another one when its bones differ in length by more than this part."""
TALLER = 10.0
"""Nobody is so many times as tall as all their bones are long: some may leave the others, but not so far."""


def read_material_steps(
    armature: Any, settings: LearnSettings, weights: Mapping[str, float], notes: list[str] | None = None
) -> Steps[tuple[Material, ModelSkeleton]]:
    """Read the actions as Blender plays them, as what networks learn from, with the armature's skeleton;
    yields the part that is done, 0 to 1.

    Return (the material, the names, parents, foot bones and root of the skeleton, "" for the object, as a
    :class:`ModelSkeleton`). The material has the clips in the set's order; behind all of them come their
    mirror images, if the settings ask for them, in the same order and called "NAME (mirrored)". weights: by
    bone, of displacements. notes: a list to which sentences on clips are added; None for nobody. Raise
    InertiaError for an action that does not exist or does not fit, a set that stays in place or has too few
    or too many frames, and where no hips with two feet are found.
    """
    character = read_character(armature)
    bones = files.features_of(character)
    asked = PathSettings(
        TransitionSettings(**joined_by({"root": settings.root})),
        settings.actions,
        points="none",
        mirror=settings.mirror,
        find_cycles=False,
        bends=0.0,
        speeds=settings.speeds,
    )
    analysed = yield from part(action_set.analyse_steps(character, asked, weights), 0.0, ANALYSED)
    if notes is not None:
        notes += action_set.speed_sentences(analysed, asked) + action_set.part_sentences(analysed)
    gait = yield from part(fitted.steps(analysed.database), ANALYSED, MOVED)
    exported = yield from part(files.export_set_steps(armature, analysed), MOVED, 1.0)
    # the first bone of the export is the simulation bone
    left, right, hips = (bone + 1 for bone in bones)
    features = engine.features(exported, left, right, hips)
    sources, skeleton = analysed.database.sources, analysed.rig.bones
    names = [f"{each.name} (mirrored)" if each.mirrored else each.name for each in sources]
    feet = tuple(skeleton.names[leg.foot] for leg in analysed.legs)
    root = "" if analysed.root.is_object else analysed.root.name
    learned = material.gathered(exported, features, names, gait=gait)
    return learned, ModelSkeleton(skeleton.names, tuple(skeleton.parents), feet, root)


def model_of(path: Path, character: Character) -> Model:
    """Return the model in a file, or in a folder of .bin files, for an armature.

    Raise InertiaError, naming the path, if it is no model, damaged or of another skeleton, and OSError if it
    can't be read.
    """
    with model_files.name_file_in_errors(str(path)):
        model = engine_files.load(path, character.armature) if path.is_dir() else model_files.load(path).model
        check_fits(model, character)
    return model


def check_fits(model: Model, character: Character) -> None:
    """Raise ModelError where a model is of another skeleton than an armature's; else return None.

    That is if the bones' names or parents differ, or come in another order, or if the bones' lengths do. For
    that each bone's length, to its parent's head as the armature stands now, in metres, is divided by the
    model's; the median of these ratios may be off 1 by at most 0.1. Bones without a parent, or shorter than 2
    cm on a person, don't count; if none counts the lengths pass. Raise NoMotion, which is a ModelError, where
    the model says of itself that it is of somebody more than ten times as tall as that skeleton could be.
    """
    skeleton, (names, parents) = model.skeleton, posing.bones_of(character.armature)
    if (names, parents) != (skeleton.names, skeleton.parents):
        lacking = [name for name in skeleton.names if name not in names]
        others = [name for name in names if name not in skeleton.names]
        raise ModelError(
            'The model was trained with another skeleton than that of "{armature}": it has {count} bones, '
            'and "{bone}" is one that differs; choose the armature that it was trained with, or a copy of '
            "it.",
            armature=character.armature.name,
            count=len(skeleton.names),
            bone=[*lacking, *others, *skeleton.names][0],
        )
    heads = np.array([bone.head_local for bone in character.armature.data.bones], float)
    is_child = np.array(parents) >= 0
    above = np.where(is_child[:, None], heads[list(parents)], heads)
    # the metres of a unit of the armature's own space
    volume = abs(np.linalg.det(np.array(character.armature.matrix_world, float)[:3, :3]))
    metres = float(volume ** (1.0 / 3.0) * character.metres)
    # how far bones are from their parents, metres
    lengths = np.linalg.norm(heads - above, axis=1) * metres
    mean = model.network("decompressor").mean_out[model.rows.positions]
    wanted = np.linalg.norm(mean.reshape(-1, 3), axis=1)
    counts = (wanted > 0.02 * model.size) & is_child
    ratio = float(np.median((lengths / np.maximum(wanted, 1e-9))[counts])) if counts.any() else 1.0
    if abs(ratio - 1.0) > ALIKE:
        raise ModelError(
            'The bones of "{armature}" are {ratio:.2g} times as long as the model\'s; choose an armature of '
            "the size that it was trained with.",
            armature=character.armature.name,
            ratio=ratio,
        )
    reach = float(lengths.sum() + np.linalg.norm(np.ptp(heads, axis=0)) * metres)
    if model.size * PERSON > TALLER * reach:
        raise NoMotion


def check_legs(model: Model, skeleton: ModelSkeleton) -> None:
    """Raise ModelError where an armature's legs are others than a model was trained with. skeleton: of the
    armature's clips, as :func:`read_material_steps` gives it."""
    if model.skeleton.feet != skeleton.feet:
        raise ModelError(
            "The model was trained with the feet {trained}, and the armature has {feet} now; list its "
            "legs as they were, or train the model again.",
            trained=", ".join(model.skeleton.feet) or "of nobody",
            feet=", ".join(skeleton.feet) or "none",
        )
