# SPDX-License-Identifier: GPL-3.0-or-later
"""An analysed set of actions as a file: arrays for who works with numpy, or what a game's controller
reads."""

from __future__ import annotations

import json
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...errors import InertiaError
from ...motion.feet import contacts as planting
from ...motion.matching import engine
from ...motion.matching.engine import Exported, Poses
from ...motion.skeleton import character_space, kinematics, naming
from ...motion.steps import Steps, part
from ...settings.matching import PathSettings
from ...storage import places, safe_write
from ..data import actions, clip_store, markers
from ..evaluation import joint_motion, joints
from ..evaluation.character import Character, read_character
from ..feet import contacts as feet
from . import variants
from .action_set import Stock

VERSION = 1
DATABASE, FEATURES = "database.bin", "features.bin"


def contents(stock: Stock, settings: PathSettings) -> dict[str, Any]:
    """Return the arrays of an analysed set by their names; see docs/matching.md.

    ``about`` is an array without axes that holds a JSON text: ``version``, ``fps``, ``size``, ``joints`` and
    ``feet`` (bones' names), ``clips`` (in order, each {"action", "mirrored", "first_frame", "step",
    "markers"}), ``features`` (groups, each {"name", "columns": [first, behind the last]}) and
    ``later_frames``, the frames of the way ahead.

    ``starts``, ``stops`` (clips,): flat frames, the stop excluded. By flat frame: ``ground`` (n, 2) metres
    and ``heading`` (n,) radians of the smoothed root, ``root`` (n, 3) the same before, ``positions`` and
    ``velocities`` (n, joints, 3) in character space, ``features`` (n, columns), that is (value -
    ``feature_means``) * ``feature_scales``, and, if the set has them, ``contacts`` (n, feet). ``weights``
    (joints,): of displacements.

    The features are those that the settings ask for. Raise InertiaError for a group of features that never
    varies, and for settings whose method is dead blending.
    """
    base, features = stock.database, stock.features(settings)
    about = {
        "version": VERSION,
        "fps": base.fps,
        "size": base.size,
        "joints": list(base.joints),
        "feet": [stock.rig.bones.names[leg.foot] for leg in stock.legs],
        "clips": [
            {
                **{
                    "action": each.name,
                    "mirrored": each.mirrored,
                    "first_frame": each.first,
                    "step": each.step,
                },
                "markers": markers.as_values(stock.markers(each)),
            }
            for each in base.sources
        ],
        "features": [
            {"name": group.name, "columns": [group.columns.start, group.columns.stop]}
            for group in features.groups
        ],
        "later_frames": features.later.tolist(),
    }
    held = {
        name: getattr(base, name)
        for name in ("starts", "stops", "ground", "heading", "root", "weights", "positions", "velocities")
    }
    if base.contacts is not None:
        held["contacts"] = base.contacts
    arrays = {"features": features.values, "feature_means": features.means, "feature_scales": features.scales}
    return {"about": np.array(json.dumps(about)), **held, **arrays}


def check_place(path: Path) -> None:
    """Raise InertiaError where an analysed set must not be written to a path; else return None. Nothing is
    written.

    A free path passes, also one whose folder does not exist. So does an analysed set that can be replaced: a
    zip file with starts.npy, stops.npy and features.npy, whatever they hold. Everything else raises: a
    folder, a write-protected file, another .npz, a file that can't be read.
    """
    if not path.exists():
        return
    places.check_replaceable(path)
    try:
        with zipfile.ZipFile(path) as whole:
            is_set = {"starts.npy", "stops.npy", "features.npy"} <= set(whole.namelist())
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError, EOFError):
        is_set = False
    if not is_set:
        raise InertiaError(
            '"{file}" is not an analysed set and won\'t be overwritten; choose another name.', file=path.name
        )


def save(path: Path, contents: dict[str, Any]) -> None:
    """Write an .npz; an old one is replaced when the new one is complete. Raise InertiaError as
    :func:`check_place` does."""
    check_place(path)
    with safe_write.replace_safely(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **contents)


def save_for_engine(folder: Path, export: Exported, armature: Any) -> list[Path]:
    """Write database.bin and features.bin into a folder that exists, and return their paths in this order.

    Both are written in full beside their places before either takes its own; old files are replaced. export:
    as :func:`export_set_steps` returns it, of the same armature.

    Raise InertiaError, with neither replaced, where no hips with two feet are found to make features of, for
    a folder that does not exist or can't be written to, and where the disk takes no more. features.bin takes
    its place first; if database.bin then can't, InertiaError is raised with the new features.bin in place.
    """
    left, right, hips = features_of(read_character(armature))
    written = {
        DATABASE: engine.database_bytes(export),
        FEATURES: engine.features_bytes(*engine.features(export, left + 1, right + 1, hips + 1)),
    }
    with ExitStack() as stack:
        for name, content in written.items():
            stack.enter_context(safe_write.replace_safely(folder / name)).write_bytes(content)
    return [folder / name for name in written]


def features_of(character: Character) -> tuple[int, int, int]:
    """Return the indices of the bones of the left foot, the right foot and the hips, in Blender's order.

    Left is the foot whose name says so, see :func:`naming.label`. If both or neither are called left, they
    come in the order in which they were found. Raise InertiaError for a skeleton without hips, or without
    exactly two feet.
    """
    names = list(character.armature.data.bones.keys())
    default_joints = joints.default_joints(character.armature)
    soles = [joint.bone for joint in default_joints if joint.role == naming.FOOT]
    middles = [joint.bone for joint in default_joints if joint.role == naming.HIPS]
    if len(soles) != 2 or not middles:
        raise InertiaError(
            'No hips with two feet were found on "{armature}", and frames are compared by them; choose a '
            "biped.",
            armature=character.armature.name,
        )
    # what is called left comes first, in any spelling
    soles.sort(key=lambda name: naming.label(name).side != "L")
    return names.index(soles[0]), names.index(soles[1]), names.index(middles[0])


def export_set_steps(armature: Any, stock: Stock) -> Steps[Exported]:
    """Play each clip of a set's database in Blender, mirrored where the database says so, and return what it
    shows, 60 times a second, as game controllers have it; yield the part that is done, 0 to 1.

    The world of the :class:`Exported` has Y up. The clips' frames follow each other in the order of the
    database; ``starts`` and ``stops`` (clips,), the stop excluded, tell them apart. Bone 0 is a simulation
    bone on the ground, in the world; the armature's bones follow in Blender's order, in the spaces of their
    ``parents`` (1 + bones,), and those without a parent in bone 0's. ``positions`` (metres), ``velocities``,
    ``rotations`` (quaternions, w first) and ``angular_velocities`` are (frames, 1 + bones, 3 or 4), float32,
    rates per second; ``contacts`` (frames, legs) tells which feet are planted.

    One angle is added to all headings, so that they say where the clips, taken together, go on average.

    At each yield the file is as it was, but for the action of a mirror image while that is played; at the end
    and when the generator is closed this is gone too. Raise InertiaError if there are more frames than there
    is room for, before anything is played, or Blender would not play the armature.
    """
    character = read_character(armature)
    clips = [stock.clip(source.name) for source in stock.database.sources]
    frames = sum((clip.end - clip.start) * engine.FPS / character.fps + 1.0 for clip in clips)
    bones = len(armature.data.bones)
    most = joint_motion.MOST_POSES // max(1, bones)
    if frames > most:
        raise InertiaError(
            "The clips and their mirror images have {frames:.0f} frames at {fps:.0f} a second, and an "
            "armature of {bones} bones leaves room for {most}; choose fewer or shorter clips.",
            **{"frames": frames, "fps": engine.FPS, "bones": bones, "most": most},
        )
    images: list[Any] = []
    poses: list[Poses] = []
    count = len(clips)
    try:
        for i, (source, clip) in enumerate(zip(stock.database.sources, clips, strict=True)):
            if source.mirrored:
                assert stock.partners is not None
                image = variants.mirrored(stock.rig, clip, stock.partners, f"{source.name} mirrored")
                images.append(image)
                clip = clip_store.read(armature, image)
            poses.append((yield from part(_posed(character, stock, clip), i / count, (i + 1) / count)))
            while images:
                bpy.data.actions.remove(images.pop())
    finally:
        actions.remove_all(images)
    root = _root(armature, stock)
    reference = character_space.upright([seen.rotations[:, root] for seen in poses])
    headings = [character_space.headings(seen.rotations[:, root], reference) for seen in poses]
    # what makes headings say where the clips go on average; see the database
    total = 0.0 + 0.0j
    for seen, heading in zip(poses, headings, strict=True):
        moved = np.gradient(seen.root[:, :2], axis=0)
        total += ((moved[:, 0] + 1j * moved[:, 1]) * np.exp(-1j * heading)).sum()
    for seen, heading in zip(poses, headings, strict=True):
        seen.root[:, 2] = np.unwrap(heading) + float(np.angle(total))
    return engine.exported(poses, stock.rig.bones.parents)


def _root(armature: Any, stock: Stock) -> int:
    """Return the index of the bone that carries the character, 0 if the object itself does."""
    return 0 if stock.root.is_object else list(armature.data.bones.keys()).index(stock.root.name)


def _posed(character: Character, stock: Stock, clip: actions.Clip) -> Steps[Poses]:
    """Return what Blender shows of a clip, 60 times a second: places (n, bones, 3) in metres, rotations (n,
    bones, 4), unit quaternions with w first, the root, and planted feet (n, legs).

    All is in the world, Z up, bones in Blender's order. ``root`` (n, 3) has the place on the ground of the
    bone that carries the character, or of bone 0 if the object does; its third number, the heading, is left
    0. Without legs no feet are in it. Yields the part that is done.
    """
    step = character.fps / engine.FPS
    frames = np.arange(clip.start, clip.end + 1e-6, step)
    bones = len(character.armature.data.bones)
    matrices = np.empty((len(frames), bones, 4, 4))

    def read(evaluated: Any, i: int) -> None:
        world = np.array(evaluated.matrix_world, float)
        matrices[i] = world @ np.array([bone.matrix for bone in evaluated.pose.bones], float)

    yield from part(joint_motion.play_steps(character, clip, frames, read), 0.0, 0.9)
    axes = np.ascontiguousarray(matrices[..., :3, :3].reshape(-1, 3, 3).transpose(1, 2, 0))
    places = matrices[..., :3, 3] * character.metres
    planted = np.zeros((len(frames), len(stock.legs)), bool)
    if stock.legs:
        contacts = yield from part(feet.read_contacts_steps(character, clip, stock.legs), 0.9, 1.0)
        planted = np.stack([planting.planted(spans, frames) for spans in contacts.spans], axis=1)
    rotations = kinematics.orientations(axes).reshape(len(frames), bones, 4)
    root = np.zeros((len(frames), 3))
    root[:, :2] = places[:, _root(character.armature, stock), :2]
    return Poses(places, rotations, root, planted)
