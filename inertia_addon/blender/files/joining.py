# SPDX-License-Identifier: GPL-3.0-or-later
"""Several files of one skeleton, read as one: the character of one of them, with the clips of all."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy

from ...errors import InertiaError, Sentence
from ...motion.skeleton import twins
from ...records import record
from ..data import actions, clip_store, compat, rig, unkeyed
from ..data.actions import Address
from ..transition import completing
from ..transition.preflight import named
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
class FileContents:
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


def read(paths: Sequence[Path], read_one: Callable[[Path], None]) -> tuple[str, ...]:
    """Read files into the open one, which is empty: the clips of all of them for one character; return
    sentences on how they differ, () for a single file.

    The character is that of the first file that has a skin, else of the first. A single file's actions keep
    their names; of several files a clip is named after its file, or, where a file has several, as it is
    there; with its file before that where several files have one of that name. read_one: imports a file into
    the open one. The sentences are on bones that are called otherwise, left out, or that only the kept one of
    two files has. Raise InertiaError for skeletons that differ in more than that, and, of several files,
    where one has no armature.
    """
    kept: FileContents | None = None
    notes: list[str] = []
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
            notes += join(part, kept)
            kept = part
        else:
            notes += join(kept, part)
    if kept is not None and len(paths) > 1:
        _name_clips(clips)
        for block, name in {**names, **kept.blocks}.items():
            if block not in {clip.action for clip in clips}:
                block.name = name
        for clip in clips:
            fitting = (armature for armature in kept.armatures if clip_store.fits(clip.action, armature))
            compat.rename_slot(clip.action, clip.slot, next(fitting, kept.armatures[0]).name)
    return tuple(notes)


def _read_part(path: Path, read_one: Callable[[Path], None]) -> FileContents:
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
    return FileContents(path, armatures, clips, blocks)


def join(first: FileContents, newcomer: FileContents) -> list[str]:
    """Give the clips of a file's armatures to the character of another, and remove everything else that it
    has brought.

    All that clips need when they are carried over from one skeleton to another is done here, in place, while
    both are there; `first` lists them from then on, and all data-blocks of `newcomer` but its actions are
    removed. Each armature of the newcomer goes with the first one's armature of the same skeleton, the
    earliest of several. Return sentences on what was taken for the same, and on what is left out.

    Raise InertiaError where either file has no armature, unless each armature of the newcomer has its like,
    and for keys that are not finite. Clips of armatures before the failing one are rewritten by then; nothing
    is removed.
    """
    if not first.armatures or not newcomer.armatures:
        lacking = newcomer if first.armatures else first
        raise InertiaError('"{file}" has no armature; leave it out.', file=lacking.path.name)
    notes: list[str] = []
    for armature in newcomer.armatures:
        compared = [_Likeness.of(mine, armature) for mine in first.armatures]
        likeness = next((each for each in compared if not each.difference), compared[0])
        if likeness.difference:
            raise InertiaError(
                '"{file}" has another skeleton than "{other}": {difference}; give files of one skeleton.',
                file=newcomer.path.name,
                other=first.path.name,
                difference=likeness.difference,
            )
        clips = [
            (clip.action, clip.slot) for clip in newcomer.clips if clip_store.fits(clip.action, armature)
        ]
        left_out = likeness.give(clips)
        notes += likeness.sentences(first.path.name, newcomer.path.name, left_out)
    first.clips.extend(newcomer.clips)
    bpy.data.batch_remove([block for block in newcomer.blocks if block.id_type != "ACTION"])
    return notes


@record(frozen=True)
class _Likeness:
    """In what another armature is like one that is kept.

    called: the kept one's bones by what the other calls them. difference: why they are not of one skeleton,
    "" where they are; carries: how bones read on their twins then.
    """

    kept: Any
    other: Any
    called: dict[str, str]
    difference: str
    carries: dict[str, carrying.Carry]

    @classmethod
    def of(cls, first_armature: Any, other_armature: Any) -> _Likeness:
        """Compare two armatures: the first, which is kept, with another one, whose bones may be called
        otherwise.

        ``called`` tells the first one's bones by the other's, also where the armatures differ. ``difference``
        is a phrase that says why they are not of one skeleton, "" where they are. It says, in this order:
        that too few bones are shared by :func:`twins.are_alike`, with the first bone of the kept one that the
        other lacks, else the first that it adds; the first bone with another parent; the bones that stand
        elsewhere at rest, see :func:`_elsewhere`. ``carries`` tells how bones read on their twins, by the
        first one's names; it is {} where too few bones are shared or a parent differs. Nothing is changed.
        """
        bones, others = first_armature.data.bones, other_armature.data.bones
        found = twins.find(bones.keys(), others.keys())
        if not twins.are_alike(len(found), len(bones), len(others)):
            lacking = next((bone for bone in bones.keys() if bone not in set(found.values())), None)
            added = next((bone for bone in others.keys() if bone not in found), None)
            difference = (
                Sentence('it adds bone "{bone}"', bone=added)
                if lacking is None
                else Sentence('it lacks bone "{bone}"', bone=lacking)
            )
            return cls(first_armature, other_armature, found, difference, {})
        skeletons = carrying.Skeletons.of(first_armature, other_armature, found)
        if (name := skeletons.other_parent()) is not None:
            return cls(
                first_armature,
                other_armature,
                found,
                Sentence('bone "{bone}" has another parent', bone=name),
                {},
            )
        carries, strange = carrying.between(skeletons)
        return cls(first_armature, other_armature, found, _elsewhere(strange), carries)

    def give(self, clips: Sequence[tuple[Any, str]]) -> list[str]:
        """Rewrite clips of the other armature, in place, for the kept one; return the bones whose motion is
        left out.

        clips: (action, slot identifier). Bones get the kept one's names, and motion of bones that it lacks is
        added to those below, or left out where there are none. Channels that are not keyed get keys where the
        armatures show different values. Raise InertiaError for keys that are not finite.
        """
        shown, others_shown = unkeyed.of_bones(self.kept), unkeyed.of_bones(self.other)
        left_out: dict[str, None] = {}
        for action, slot in clips:
            left_out |= dict.fromkeys(carrying.fold(action, slot, self.carries, others_shown, self.called))
        if {*self.called} != {*self.other.data.bones.keys()} | {*self.kept.data.bones.keys()}:
            shown, others_shown = self._of_shared(shown), self._of_shared(others_shown, self.called)
        completing.key_what_differs(clips, self.other, shown, others_shown)
        if any(how.changes for how in self.carries.values()):
            for action, slot in clips:
                carrying.carry(action, slot, self.carries, shown, others_shown)
        return list(left_out)

    def _of_shared(
        self, standing: Mapping[Address, float], names: Mapping[str, str] | None = None
    ) -> dict[Address, float]:
        """Return what channels of the bones that both have show.

        names: the kept one's by the other's, None for what the kept one shows.
        """
        shared = {bone: bone for bone in self.called.values()} if names is None else names
        return {
            (rig.of_bone(path, shared[bone]), index): value
            for (path, index), value in standing.items()
            if (bone := rig.split_path(path)[0] or "") in shared
        }

    def sentences(self, kept_file: str, other_file: str, left_out: Sequence[str]) -> Iterator[str]:
        """Yield up to three sentences, in this order: on bones that the other armature calls otherwise, with
        their count and the first pair of names; on those of it whose motion is left out; and on those that
        only the kept armature has. The last two name up to four bones and count the rest.

        kept_file, other_file: the names of their files. left_out: the bones, by the other's names, whose
        motion the kept armature can't show. Where there are no bones of a kind its sentence is left out.
        """
        renamed = {other: bone for other, bone in self.called.items() if other != bone}
        if renamed:
            other, bone = next(iter(renamed.items()))
            yield Sentence(
                '"{file}" has other names for {count} bones than "{kept}", such as "{other}" for "{bone}"; '
                "they are treated as the same.",
                file=other_file,
                count=len(renamed),
                kept=kept_file,
                other=other,
                bone=bone,
            )
        if left_out:
            yield Sentence(
                '"{file}" moves bones that "{kept}" lacks; their motion is left out: {bones}.',
                file=other_file,
                kept=kept_file,
                bones=named([*left_out]),
            )
        lacking = [bone for bone in self.kept.data.bones.keys() if bone not in set(self.called.values())]
        if lacking:
            yield Sentence(
                '"{file}" lacks bones of "{kept}", which its clips leave as they are: {bones}.',
                file=other_file,
                kept=kept_file,
                bones=named(lacking),
            )


def _elsewhere(strange: Sequence[str]) -> str:
    """Return a clause, without full stop, that says which bones have another rest pose; "" for none.

    It is ``bone "A" has another rest pose`` for one, and ``bones A, B, C and 2 more have another rest pose``
    for several, of which the first three are named, without quotes.
    """
    if len(strange) == 1:
        return Sentence('bone "{bone}" has another rest pose', bone=strange[0])
    if strange:
        more = Sentence(" and {count} more", count=len(strange) - 3) if len(strange) > 3 else ""
        return Sentence("bones {bones}{more} have another rest pose", bones=", ".join(strange[:3]), more=more)
    return ""


def _name_clips(clips: Sequence[Imported]) -> None:
    """Rename the actions of clips: after its file's stem if the clip is the only one of its file, else as the
    file calls it.

    Clips that would get the same name so are called "stem: name" instead. Blender may number names that are
    taken.
    """
    of_file = collections.Counter(clip.path for clip in clips)
    plain = [clip.path.stem if of_file[clip.path] == 1 else clip.name for clip in clips]
    called = collections.Counter(plain)
    for clip, name in zip(clips, plain, strict=True):
        clip.action.name = name if called[name] == 1 else f"{clip.path.stem}: {clip.name}"
