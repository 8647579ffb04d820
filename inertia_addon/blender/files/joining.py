# SPDX-License-Identifier: GPL-3.0-or-later
"""Several files of one skeleton, read as one: the character of one of them, with the clips of all."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy

from ...errors import InertiaError, Sentence
from ...records import record
from ..data import actions, clip_store, compat, unkeyed
from ..transition import completing
from . import carrying

NAMED = ("objects", "armatures", "meshes", "shape_keys", "actions")
"""The kinds of data-blocks after which importers name actions and slots, so that names must be free."""

ASIDE = "inertia aside "
"""Begins the names of what gives way to the file that is read."""


@record(frozen=True)
class Imported:
    """A clip of a file. name: what it was called there. slot: the identifier of its armature's own."""

    path: Path
    action: Any
    name: str
    slot: str


@record(frozen=True)
class Part:
    """What a file has brought: its armatures, its clips, and all of its data-blocks by their names.

    The clips of those that were joined to it are among its own.
    """

    path: Path
    armatures: list[Any]
    clips: list[Imported]
    blocks: dict[Any, str]

    @property
    def has_skin(self) -> bool:
        """Whether an armature of it deforms anything."""
        deforming = [modifier for obj in self.blocks if obj.id_type == "OBJECT" for modifier in obj.modifiers]
        return any(m.type == "ARMATURE" and m.object in self.armatures for m in deforming)


def read(paths: Sequence[Path], read_one: Callable[[Path], None]) -> None:
    """Read files into the open one, which is empty: the clips of all of them for one character.

    The character is that of the first file that has a skin, else of the first. A clip is named after its
    file, or, where a file has several, as it is there; with its file before that where several files have one
    of that name. read_one: imports a file. Raises InertiaError for skeletons that differ.
    """
    kept: Part | None = None
    clips: list[Imported] = []
    names: dict[Any, str] = {}
    aside = (f"{ASIDE}{i}" for i in itertools.count())
    for path in paths:
        if kept is not None:
            # let the file that is read next have the names that it would have by itself
            for block in [block for kind in NAMED for block in getattr(bpy.data, kind)]:
                if not block.name.startswith(ASIDE):
                    block.name = next(aside)
        part = _read_part(path, read_one)
        clips += part.clips
        names |= {block: name for block, name in part.blocks.items() if block.id_type == "ACTION"}
        if kept is None:
            kept = part
        elif part.has_skin and not kept.has_skin:
            join(part, kept)
            kept = part
        else:
            join(kept, part)
    if kept is not None and len(paths) > 1:
        _name(clips)
        for block, name in {**names, **kept.blocks}.items():
            if block not in {clip.action for clip in clips}:
                block.name = name
        for clip in clips:
            fitting = (armature for armature in kept.armatures if clip_store.fits(clip.action, armature))
            compat.rename_slot(clip.action, clip.slot, next(fitting, kept.armatures[0]).name)


def _read_part(path: Path, read_one: Callable[[Path], None]) -> Part:
    before = set(bpy.data.user_map())
    read_one(path)
    blocks = {block: block.name for block in bpy.data.user_map() if block not in before}
    armatures = [block for block in blocks if block.id_type == "OBJECT" and block.type == "ARMATURE"]
    clips = []
    for action in [block for block in blocks if block.id_type == "ACTION"]:
        owner = next((armature for armature in armatures if clip_store.fits(action, armature)), None)
        if owner is not None:
            # so that Blender finds them when they are assigned
            slot = compat.rename_slot(action, actions.choose_slot(action, owner).identifier, owner.name)
            clips.append(Imported(path, action, action.name, slot))
    return Part(path, armatures, clips, blocks)


def join(kept: Part, other: Part) -> None:
    """Give the clips of a file's armatures to the character of another, and remove what else it has brought.

    All that clips need when they are carried over from one skeleton to another is done here, while both are
    there. Raises InertiaError unless each armature has its like.
    """
    if not kept.armatures or not other.armatures:
        lacking = other if kept.armatures else kept
        raise InertiaError('"{file}" has no armature; leave it out.', file=lacking.path.name)
    for armature in other.armatures:
        differences = [skeleton_difference(mine, armature) for mine in kept.armatures]
        if all(differences):
            raise InertiaError(
                '"{file}" has another skeleton than "{other}": {difference}; give files of one skeleton.',
                file=other.path.name,
                other=kept.path.name,
                difference=differences[0],
            )
        mine = kept.armatures[differences.index("")]
        clips = [(clip.action, clip.slot) for clip in other.clips if clip_store.fits(clip.action, armature)]
        completing.key_what_differs(mine, armature, clips)
        carries, _ = carrying.between(mine, armature)
        if any(how.changes for how in carries.values()):
            shown = unkeyed.of_bones(mine), unkeyed.of_bones(armature)
            for action, slot in clips:
                carrying.carry(action, slot, carries, *shown)
    kept.clips.extend(other.clips)
    bpy.data.batch_remove([block for block in other.blocks if block.id_type != "ACTION"])


def skeleton_difference(first: Any, other: Any) -> str:
    """In what the skeletons of two armatures differ, "" when they are the same."""
    bones, others = first.data.bones, other.data.bones
    for ours, theirs, what in ((bones, others, "lacks"), (others, bones, "adds")):
        lone = [bone.name for bone in ours if bone.name not in theirs]
        if lone:
            return f'it {what} bone "{lone[0]}"'
    for bone in bones:
        twin = others[bone.name]
        if (bone.parent.name if bone.parent else "") != (twin.parent.name if twin.parent else ""):
            return f'bone "{bone.name}" has another parent'
    strange = carrying.between(first, other)[1]
    if len(strange) == 1:
        return f'bone "{strange[0]}" stands elsewhere at rest'
    if strange:
        more = Sentence(" and {count} more", count=len(strange) - 3) if len(strange) > 3 else ""
        return f"bones {', '.join(strange[:3])}{more} stand elsewhere at rest"
    return ""


def _name(clips: Sequence[Imported]) -> None:
    """Call clips after their files, or as their files do."""
    of_file = collections.Counter(clip.path for clip in clips)
    plain = [clip.path.stem if of_file[clip.path] == 1 else clip.name for clip in clips]
    called = collections.Counter(plain)
    for clip, name in zip(clips, plain, strict=True):
        clip.action.name = name if called[name] == 1 else f"{clip.path.stem}: {clip.name}"
