# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation files out: the open file as .blend, or one action's motion as .glb, .gltf, .fbx, .usd or .bvh."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import bpy

from ...errors import InertiaError
from ...storage import places, safe_write, wholeness
from ...storage.file_kinds import USD
from ..data import actions, compat, recipe, rig, unkeyed
from ..evaluation import playback
from ..nla import tracks
from . import bvh, framerate, standing_in
from .importing import call


def save_blend(path: Path, *, compress: bool = False) -> None:
    """Save a copy of the open file; its relative paths are made right for the new place."""
    try:
        _save_blend(path, compress=compress)
    except InertiaError:
        _save_blend_watched(path, compress=compress)


def _save_blend(path: Path, *, compress: bool) -> None:
    with standing_in.assign_stand_ins():
        _write(bpy.ops.wm.save_as_mainfile, path, copy=True, compress=compress, relative_remap=True)
    if not wholeness.is_whole(path):
        # what lies there would be kept as a version of before
        path.unlink()
        raise InertiaError('"{path}" could not be written whole; is the disk full?', path=path)


def _write(operator: Any, path: Path, **options: Any) -> None:
    call(operator, path, "written", check_existing=False, **options)


def _save_blend_watched(path: Path, *, compress: bool) -> None:
    """Save a copy of the open file again, and see whether the disk takes no more; raise InertiaError that
    says so if it is that.

    Any other failure is raised as the InertiaError it was; return None where it succeeds this time. Blender
    does not say that a disk is full: it writes into a file with "@" behind the name, removes that where it
    fails, and then reports that there is no such file. That file is made anew and held open here, so that
    what it takes up stays taken, and a megabyte more is written into it to see whether that fails, too. It is
    not removed here. An OSError, also where it can't be made, becomes an InertiaError with the system's
    reason.
    """
    try:
        with path.with_name(path.name + "@").open("wb") as begun:
            try:
                _save_blend(path, compress=compress)
            except InertiaError:
                safe_write.fill(begun)
                raise
    except OSError as error:
        raise places.failure(path, error) from error


def _write_usd(path: Path) -> None:
    """Write the current scene as USD.

    Where Blender fails raise InertiaError, which says so if the disk takes no more: to tell that, a megabyte
    is appended to the file, which stays.
    """
    try:
        _write(bpy.ops.wm.usd_export, path, **compat.usd_export())
    except InertiaError:
        # what it says itself is about files of its own
        _fill(path)
        raise


def _fill(path: Path) -> None:
    """Append a megabyte to a file, whose content nobody wants any more, to see whether the disk is full; the
    file is made if it is not there, and stays. Raise InertiaError, which says why, where the disk takes no
    more or the file can't be written; else return None.
    """
    try:
        with path.open("ab") as begun:
            safe_write.fill(begun)
    except OSError as error:
        raise places.failure(path, error) from error


def export(path: Path, armature: Any, action: Any, slot: str) -> None:
    """Write a character and one animation, the action's: .glb or .gltf from time 0, others at its own frames.

    The kind is that of the path: .bvh, .fbx, .gltf or USD, .glb for any other. The character is what
    :func:`staged` shows, and the open file is afterwards as before. A .bvh has what the armature alone shows
    over the action's frames, a line for each whole one. The path is written directly, and a .gltf gets its
    files beside it.

    Raise InertiaError where Blender fails or has no window, for an action without any key for the character,
    and when not all of it was written, which Blender's exporters do not all notice. A megabyte is then
    appended to the file, to tell whether the disk is full. Raise KeyError for a slot that the action lacks
    while another one has keys for the character.
    """
    kind = path.suffix.lower()
    with staged(armature, action, slot) as scene:
        if kind == ".bvh":
            rate = scene.render.fps / scene.render.fps_base
            bvh.write(path, armature, *frames_of(armature, action, slot), rate)
        elif kind == ".fbx":
            _write(
                bpy.ops.export_scene.fbx,
                path,
                object_types={"ARMATURE", "MESH", "EMPTY", "OTHER"},
                add_leaf_bones=False,
                bake_anim_use_nla_strips=False,
                bake_anim_use_all_actions=False,
                # the default drops keys that it takes for needless
                bake_anim_simplify_factor=0.0,
            )
        elif kind in USD:
            _write_usd(path)
        else:
            separate = kind == ".gltf"
            with framerate.for_gltf(scene):
                _write(
                    bpy.ops.export_scene.gltf,
                    path,
                    export_format="GLTF_SEPARATE" if separate else "GLB",
                    export_texture_dir=places.textures_of(path).name if separate else "",
                    use_active_scene=True,
                    export_animation_mode="SCENE",
                    export_anim_scene_split_object=False,
                    export_force_sampling=True,
                    export_anim_slide_to_zero=True,
                )
    if not wholeness.is_whole(path):
        _fill(path)
        raise InertiaError('"{path}" could not be written whole; is the disk full?', path=path)


def frames_of(armature: Any, action: Any, slot: str) -> tuple[int, int]:
    """Return (the first, the last) whole frame of an action's un-muted curves, rounded outwards but for 0.001
    of a frame, counting only slots that animate the character: the armature's, and those of what carries or
    follows it.

    slot: the identifier of the armature's. Raise InertiaError if none of these has a key.
    """
    slots = {identifier for _, identifier in _players(armature, action, slot)}
    spans = [actions.span(action, each) for each in compat.slots(action) if each.identifier in slots]
    known = [span for span in spans if span is not None]
    if not known:
        raise InertiaError('Action "{action}" has no keys for the character.', action=action.name)
    first, last = min(first for first, _ in known), max(last for _, last in known)
    return math.floor(first + 1e-3), math.ceil(last - 1e-3)


@contextmanager
def staged(armature: Any, action: Any, slot: str) -> Iterator[Any]:
    """Yield a new scene, within a ``with``, in which one character plays one action over its frames.

    It is the scene in use, with the rate and units of the one before, and is called after the action; its
    frame range is that of :func:`frames_of`, but begins at 0 or later. The character is that of :func:`cast`:
    the armature, its parents, what hangs from it and what it deforms. The armature is shown and in pose
    position; its bones' channels that the slot does not key stand as :func:`unkeyed.of_bones` says. Of other
    slots of the action those play that animate these. What else animates them goes on doing so; the
    armature's NLA tracks don't.

    Afterwards all is as before, also after an error. slot: the identifier of the armature's. Raise
    InertiaError where Blender has no window, and for an action without any key for the character; KeyError
    for a slot that the action lacks while another one has keys for the character.
    """
    window = _window()
    home = bpy.context.scene
    stage = bpy.data.scenes.new(action.name)
    with ExitStack() as undo:
        # in this order: Blender 4.3 crashes when a scene is removed while no window is current
        undo.enter_context(bpy.context.temp_override(window=window))
        undo.callback(bpy.data.scenes.remove, stage)
        _furnish(stage, home, frames_of(armature, action, slot))
        for member in cast(armature):
            stage.collection.objects.link(member)
        shown = (armature, "hide_viewport", False), (armature.data, "pose_position", "POSE")
        for thing, name, value in shown:
            undo.callback(setattr, thing, name, getattr(thing, name))
            setattr(thing, name, value)
        standing = unkeyed.of_bones(armature)
        undo.callback(playback.PoseSnapshot(armature).restore)
        unkeyed.settle(armature, standing, {*actions.find_acting_curves(action, slot)})
        for owner, identifier in _players(armature, action, slot):
            undo.callback(playback.animation_keeper(owner))
            _play(owner, action, identifier)
        undo.callback(setattr, window, "scene", window.scene)
        window.scene = stage
        yield stage


def _window() -> Any:
    """Return the window whose scene the exporters take: the current one, else the first; none is current
    behind ``blender FILE --command``.

    Raise InertiaError where there is no window at all.
    """
    windows = bpy.context.window_manager.windows
    if bpy.context.window is None and not windows:
        raise InertiaError(
            "The open file has no window, and Blender exports nothing without one; give the file's name."
        )
    return bpy.context.window or windows[0]


def _furnish(stage: Any, home: Any, frames: tuple[int, int]) -> None:
    """Give a scene (`stage`), in place, the frame rate (fps and base) and the units (system and scale, not
    the names of units) of another one (`home`), and a range of frames. Its current frame is not set.

    frames: (first, last), of which negative ones become 0.
    """
    first, last = frames
    if first < 0:
        # BVH counts its own frames; the other two take the range from the scene, which begins at 0
        stage.frame_start = 0
    stage.render.fps = home.render.fps
    stage.render.fps_base = home.render.fps_base
    stage.unit_settings.system = home.unit_settings.system
    stage.unit_settings.scale_length = home.unit_settings.scale_length
    stage.frame_end = max(last, 0)
    stage.frame_start = max(first, 0)


def check_frames(path: Path, armature: Any, action: Any, slot: str) -> None:
    """Raise InertiaError where an action begins before frame 0 and is to go into a .glb, .gltf, .fbx or USD
    file, which holds none before that.
    """
    first, _ = frames_of(armature, action, slot)
    if first < 0 and path.suffix.lower() in (".glb", ".gltf", ".fbx", *USD):
        raise InertiaError(
            '"{action}" begins at frame {frame}, and Blender writes no frames before 0 into {suffix} '
            "files; move the source's keys, or write a .blend or .bvh file.",
            action=action.name,
            frame=first,
            suffix=path.suffix,
        )


def cast(armature: Any) -> list[Any]:
    """Return the objects that make up a character, by name.

    They are the armature, what it deforms, everything that hangs from these, and all parents of all of them.
    """
    tops = (armature, *(thing for thing in bpy.data.objects if rig.deforms(armature, thing)))
    cast = {member for top in tops for member in (top, *top.children_recursive)}
    cast |= {above for member in cast for above in rig.with_parents(member)}
    return sorted(cast, key=lambda member: member.name)


def _players(armature: Any, action: Any, slot: str) -> list[tuple[Any, str]]:
    """Return what an action animates of a character, as (data-block, slot identifier).

    The armature comes first, with `slot` as given, which is not looked up. Then come the owners of the
    action's other slots, in its order, see :func:`recipe.slot_owner`, that carry the armature or follow it. A
    slot without such an owner is left out. Before Blender 4.4 it is the armature alone.
    """
    players = [(armature, slot)]
    for other in compat.slots(action):
        owner = None if other.identifier == slot else recipe.slot_owner(armature, other, (action,))
        if owner is not None and (recipe.follows(owner, armature) or owner in rig.find_holders(armature)):
            players.append((owner, other.identifier))
    return players


def _play(owner: Any, action: Any, slot: str) -> None:
    """Let a data-block play an action's slot in full and nothing else; animation data is made where there is
    none.

    Its NLA is switched off, and the action's influence becomes 1, its blending REPLACE and its extrapolation
    HOLD. slot: the identifier, "" for none; before Blender 4.4 it is ignored. Raise KeyError if the action
    lacks it: all the settings are made and the action is assigned by then. Nothing is put back here.
    """
    animation = owner.animation_data or owner.animation_data_create()
    animation.use_nla = False
    animation.action_influence = 1.0
    animation.action_blend_type = "REPLACE"
    animation.action_extrapolation = "HOLD"
    compat.assign(owner, action, slot)


KEY_BYTES = 72
"""What a key of a curve takes in a .blend that is not compressed ..."""
OWN_BYTES = 370_000
"""... and what Blender's own description of its data, and its interface, take at least."""

KEPT = {"WINDOWMANAGER", "WORKSPACE", "SCREEN", "LIBRARY", "SCENE", "TEXT"}
"""Kinds of data-blocks that stay: what Blender itself opens a file with, and a rig's own interface."""

Uses = Mapping[Any, Iterable[Any]]
"""The data-blocks that each one needs."""


def save_lean(path: Path, armature: Any, result: Any, room: float) -> None:
    """Strip the open file, for good, to what a character and a result need, and save a copy of it: compressed
    where it is estimated, by its keys, to take more than `room` bytes, or turns out to take more.

    What stays is said at :func:`strip`. result: the action. Compressing takes time, so it is left out where
    the file is small enough. A library of transitions stays small so: a character comes with dozens of clips,
    whose keys fill files. Raise InertiaError where the file can't be written whole.
    """
    strip(armature, result)
    keys = sum(actions.key_count(action) for action in bpy.data.actions if action.library is None)
    compress = OWN_BYTES + KEY_BYTES * keys > room
    save_blend(path, compress=compress)
    if not compress and path.stat().st_size > room:
        # what lies there would be kept as a version of before
        path.unlink()
        save_blend(path, compress=True)


def strip(armature: Any, result: Any) -> None:
    """Remove from the open file, for good, what neither a character nor a result needs.

    The character is that of :func:`cast`. Objects that play the result, an action, by their assigned action
    or NLA, stay too, each with all that belongs to it likewise. Of all these the muted NLA tracks go first.
    What they and the result need then stays, of a library override all its parts. Linked data, texts, and
    what Blender itself opens a file with stay anyway. The current scene and those of the armature stay, with
    their collections, but without their video strips and other objects; other scenes go unless something that
    stays needs them.

    Python's handles to what was removed are no longer valid. It is for who throws the open file away.
    """
    players = [thing for thing in bpy.data.objects if compat.assigned(thing)[0] == result]
    players += [player for player in tracks.players(result) if isinstance(player, bpy.types.Object)]
    members = {member for player in (armature, *players) for member in cast(player)}
    for member in members:
        _drop_silent_tracks(member)
    users = bpy.data.user_map()
    uses: dict[Any, list[Any]] = {block: [] for block in users}
    for block, those in users.items():
        for user in those:
            uses[user].append(block)
    needed = _reached([*members, result], uses)
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


def _reached(blocks: Iterable[Any], uses: Uses) -> set[Any]:
    """Return data-blocks and all that they need, and what that needs in turn; a scene is in it without what
    it needs.

    uses: the data-blocks that each one needs, with an entry for every one.
    """
    waiting, reached = list(blocks), set[Any]()
    while waiting:
        block = waiting.pop()
        if block not in reached:
            reached.add(block)
            if block.id_type != "SCENE":
                waiting += uses[block]
    return reached


def _hierarchy(block: Any) -> Any | None:
    """Return what a library override is a part of: Blender makes anew what is missing of that."""
    override = block.override_library
    return None if override is None else override.hierarchy_root


def _drop_silent_tracks(member: Any) -> None:
    """Remove the muted NLA tracks of an object, its data and its shape keys, for good: importers leave every
    clip on one.

    Those of linked or overridden data-blocks stay.
    """
    keys = getattr(member.data, "shape_keys", None)
    for owner in (member, member.data, keys):
        if owner is None or owner.animation_data is None or owner.library is not None:
            continue
        if owner.override_library is None:
            for track in [track for track in owner.animation_data.nla_tracks if track.mute]:
                owner.animation_data.nla_tracks.remove(track)
