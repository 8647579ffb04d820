# SPDX-License-Identifier: GPL-3.0-or-later
"""An open file without all that a result does not need: what a library of transitions is made of.

Keys fill such files, as a character comes with dozens of clips, and each key of a curve takes many times
what it does in other formats. What stays is a file to go on with: the scene with its frame rate, range and
markers, the character with all that it needs, the result, and the actions that its recipe names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import bpy

from ..data import actions, compat
from ..nla import tracks
from . import exporting

KEY_BYTES = 72
"""What a key of a curve takes in a .blend that is not compressed ..."""
OWN_BYTES = 370_000
"""... and what Blender's own description of its data, and its interface, take at least."""

KEPT = {"WINDOWMANAGER", "WORKSPACE", "SCREEN", "LIBRARY", "SCENE", "TEXT"}
"""Kinds of data-blocks that stay: what Blender itself opens a file with, and a rig's own interface."""

Uses = Mapping[Any, Iterable[Any]]
"""The data-blocks that each one needs."""


def save(path: Path, armature: Any, result: Any, room: float) -> None:
    """Strip the open file, and save it; compressed, which takes time, if it took more bytes than ``room``."""
    strip(armature, result)
    keys = sum(actions.key_count(action) for action in bpy.data.actions if action.library is None)
    compress = OWN_BYTES + KEY_BYTES * keys > room
    exporting.save_blend(path, compress)
    if not compress and path.stat().st_size > room:
        # what lies there would be kept as a version of before
        path.unlink()
        exporting.save_blend(path, compress=True)


def strip(armature: Any, result: Any) -> None:
    """Remove from the open file what neither a character nor a result needs.

    The character is what an export would hold, see :func:`exporting.cast`; with it stays whoever plays the
    result, too. It is for who throws the open file away. What is linked from other files costs nothing and
    stays with whoever uses it.
    """
    players = [thing for thing in bpy.data.objects if compat.assigned(thing)[0] == result]
    players += [player for player in tracks.players(result) if isinstance(player, bpy.types.Object)]
    cast = {member for player in (armature, *players) for member in exporting.cast(player)}
    for member in cast:
        _drop_silent_tracks(member)
    uses = _uses()
    needed = _reached([*cast, result], uses)
    roots = {_hierarchy(block) for block in needed} - {None}
    needed |= _reached((block for block in uses if _hierarchy(block) in roots), uses)
    scenes = {bpy.context.scene, *armature.users_scene}
    needed |= {child for scene in scenes for child in scene.collection.children_recursive}
    local = [block for block in uses if block not in needed and block.library is None]
    surplus = [block for block in local if block.id_type not in KEPT]
    for scene in [block for block in local if block.id_type == "SCENE"]:
        if scene in scenes:
            # its strips may be of scenes, sounds and pictures that go
            scene.sequence_editor_clear()
        else:
            # a window may show it, which only this sees to
            bpy.data.scenes.remove(scene)
    bpy.data.batch_remove(surplus)


def _uses() -> dict[Any, list[Any]]:
    """All data-blocks of the open file, each with those that it needs."""
    users = bpy.data.user_map()
    uses: dict[Any, list[Any]] = {block: [] for block in users}
    for block, those in users.items():
        for user in those:
            uses[user].append(block)
    return uses


def _reached(blocks: Iterable[Any], uses: Uses) -> set[Any]:
    """Data-blocks with all that they need, and what that needs; of a scene no more than itself."""
    waiting, reached = list(blocks), set[Any]()
    while waiting:
        block = waiting.pop()
        if block not in reached:
            reached.add(block)
            if block.id_type != "SCENE":
                waiting += uses[block]
    return reached


def _hierarchy(block: Any) -> Any | None:
    """What a library override is a part of: Blender makes anew what is missing of that."""
    override = block.override_library
    return None if override is None else override.hierarchy_root


def _drop_silent_tracks(member: Any) -> None:
    """Remove the NLA tracks that are muted: importers leave every clip on one."""
    keys = getattr(member.data, "shape_keys", None)
    for owner in (member, member.data, keys):
        if owner is None or owner.animation_data is None or owner.library is not None:
            continue
        if owner.override_library is None:
            for track in [track for track in owner.animation_data.nla_tracks if track.mute]:
                owner.animation_data.nla_tracks.remove(track)
