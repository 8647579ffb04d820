# SPDX-License-Identifier: GPL-3.0-or-later
"""What long work stands on: by session_uid, as anything may become of the file between two of its slices.

Another window, a script, or a handler may remove, rename or change what a work reads. What matters to it is
compared by value, so that a change that was taken back is none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import bpy

from ...blender.data import compat, recipe
from ...errors import InertiaError, Sentence
from ...records import record
from . import cache

COLLECTIONS = {"OBJECT": "objects", "ACTION": "actions", "SCENE": "scenes"}
"""Where data-blocks of a kind are found."""
NOUNS = {"ARMATURE": "the armature", "CURVE": "the curve", "OBJECT": "the object", "ACTION": "the action"}
UNKNOWN = object()
"""The state of what was not looked at yet."""


class Disturbed(InertiaError):
    """What work stands on is not there as it was: a part of a sentence."""


@record(frozen=True)
class _DataBlock:
    """A data-block, by what stays of it when it is gone. state: tells it from itself before a change that
    matters; None where only that it is there does."""

    kind: str
    uid: int
    name: str
    noun: str
    state: Callable[[Any], Hashable] | None

    @classmethod
    def of(cls, block: Any, *, matters: bool = True) -> _DataBlock:
        kind = block.id_type
        noun = NOUNS.get(block.type if kind == "OBJECT" else kind, NOUNS["OBJECT"])
        return cls(kind, block.session_uid, block.name, noun, _states(block) if matters else None)

    def now(self) -> Hashable:
        """Return the data-block's state now; None where it is gone."""
        block = find(self.kind, self.uid)
        return None if block is None or self.state is None else self.state(block)

    def check(self, before: Hashable) -> None:
        """Raise Disturbed unless the data-block is there, has its name and is in its state.

        before: the state to compare with, UNKNOWN for none. An armature in Edit Mode counts as changed. If
        the data-block's state does not matter, only its being there is checked.
        """
        block, values = find(self.kind, self.uid), {"noun": Sentence(self.noun), "name": self.name}
        if block is None:
            raise Disturbed('{noun} "{name}" was removed meanwhile', **values)
        if self.state is None:
            return
        if block.name != self.name:
            raise Disturbed('{noun} "{name}" was renamed meanwhile', **values)
        if self.noun == NOUNS["ARMATURE"] and block.mode == "EDIT":
            raise Disturbed('{noun} "{name}" went into Edit Mode meanwhile', **values)
        if before is not UNKNOWN and self.state(block) != before:
            raise Disturbed('{noun} "{name}" was changed meanwhile', **values)


def find(kind: str, uid: int) -> Any | None:
    """Return a data-block by its session_uid, None where it is gone."""
    return next((block for block in getattr(bpy.data, COLLECTIONS[kind]) if block.session_uid == uid), None)


class Footing:
    """Data-blocks and files that a work stands on; the first one is the object that is active for it.

    Armatures count with their bones, their parents and what their constraints look at; actions with their
    keys; other objects with their places and shapes; and the scene in use with its units of time and length.
    """

    def __init__(self, *parts: Any) -> None:
        self._blocks: dict[_DataBlock, Hashable] = {}
        self._files: dict[Path, Hashable] = {}
        self._scene = bpy.context.scene.session_uid
        self._units: Hashable = UNKNOWN
        self.add(*parts)

    def add(self, *parts: Any) -> None:
        """Stand on more: data-blocks (None is ignored) and paths of files; what is there already stays as it
        was taken.

        Of an armature, its parents and its constraints' targets only have to stay in the file. States are
        taken by the next :meth:`settle`.
        """
        for each in parts:
            if isinstance(each, Path):
                self._files.setdefault(each, UNKNOWN)
            elif each is not None:
                self._blocks.setdefault(_DataBlock.of(each), UNKNOWN)
        for each in parts:
            for other in _beside(each) if isinstance(each, bpy.types.Object) else ():
                if not any(block.uid == other.session_uid for block in self._blocks):
                    self._blocks[_DataBlock.of(other, matters=False)] = UNKNOWN

    def renew(self, uid: int) -> None:
        """Take the state of the data-block with a session_uid anew at the next :meth:`settle`, as the work
        itself has changed it; until then its state does not count.

        Its name stays as it was first taken: if the work has renamed it, :meth:`check` still raises
        Disturbed. If it is gone, it is stood on no more. Nothing happens for one that is not stood on.
        """
        for block in [block for block in self._blocks if block.uid == uid]:
            if find(block.kind, uid) is None:
                del self._blocks[block]
            else:
                self._blocks[block] = UNKNOWN

    def settle(self) -> None:
        """Take the present states as those that have to stay, of all that is not taken yet: data-blocks,
        files and the scene's units. Blender's pending updates are done first.
        """
        cache.settle()
        if self._units is UNKNOWN:
            self._units = cache.scene_state()
        for block, before in self._blocks.items():
            if before is UNKNOWN:
                self._blocks[block] = block.now()
        for path, before in self._files.items():
            if before is UNKNOWN:
                self._files[path] = _file_state(path)

    def check(self) -> None:
        """Raise Disturbed, with what has happened, if the window shows another scene, or a data-block, the
        scene's frame rate or units, or a file are not as they were taken. What was not taken yet only has to
        be there; files need not.
        """
        cache.settle()
        if bpy.context.scene.session_uid != self._scene:
            raise Disturbed("the window shows another scene by now")
        for block, before in self._blocks.items():
            block.check(before)
        if self._units not in (UNKNOWN, cache.scene_state()):
            raise Disturbed("the scene's frame rate or units were changed meanwhile")
        for path, before in self._files.items():
            if before not in (UNKNOWN, _file_state(path)):
                raise Disturbed('the file "{name}" was changed or removed meanwhile', name=path.name)

    def armatures(self) -> list[Any]:
        """Return the armatures that are still there."""
        armatures = [find("OBJECT", block.uid) for block in self._blocks if block.noun == NOUNS["ARMATURE"]]
        return [armature for armature in armatures if armature is not None]

    @contextlib.contextmanager
    def active(self) -> Iterator[None]:
        """Have the context's active object within the block be the first data-block, whatever is active in
        the window by now; unchanged where that is no object or gone.
        """
        first = next(iter(self._blocks), None)
        active = find("OBJECT", first.uid) if first is not None and first.kind == "OBJECT" else None
        if active is None:
            yield
            return
        with bpy.context.temp_override(object=active, active_object=active):
            yield


def _states(block: Any) -> Callable[[Any], Hashable]:
    if block.id_type == "ACTION":
        return _action_state
    if block.id_type != "OBJECT":
        return lambda _: None
    if block.type == "ARMATURE":
        return _rig_state
    # whatever touches an object changes the key; what it is like costs more to know
    return lambda thing: cache.answer(
        "footing", thing, cache.object_state(thing), lambda: recipe.fingerprint_of_object(thing), at_once=True
    )


def _rig_state(armature: Any) -> Hashable:
    # who has been in Edit Mode has made the bones anew, though they may be as they were
    bones = [(bone.name, bone.as_pointer()) for bone in armature.data.bones]
    return (armature.data.session_uid, *bones, cache.still_state(armature, at_once=True))


def _action_state(action: Any) -> Hashable:
    # what a slot is for Blender notes when it is assigned for the first time
    slots = tuple(slot.name for slot in compat.slots(action))
    return (slots, cache.contents(action, at_once=True))


def _beside(block: Any) -> Iterator[Any]:
    """Yield the objects that move an armature: its parents, nearest first, then the targets of its own
    constraints and of its bones', in order. Nothing for an object of another type.

    block: an object. Only a constraint's ``target`` counts, so that those of Armature constraints, which have
    several, are left out. An object may come more than once, the armature itself among them.
    """
    if block.type != "ARMATURE":
        return
    yield from cache.with_parents(block.parent)
    for holder in (block, *block.pose.bones):
        for constraint in holder.constraints:
            target = getattr(constraint, "target", None)
            if isinstance(target, bpy.types.Object):
                yield target


def _file_state(path: Path) -> Hashable:
    """Return a value that changes when a file, or any file in a folder and below it, is written anew, by
    times and sizes; None where there is none or it can't be read.
    """
    try:
        stat = path.stat()
        inside = sorted((each.name, _file_state(each)) for each in path.iterdir()) if path.is_dir() else ()
    except OSError:
        return None
    return (stat.st_mtime_ns, stat.st_size, tuple(inside))
