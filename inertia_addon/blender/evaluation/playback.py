# SPDX-License-Identifier: GPL-3.0-or-later
"""Have Blender play a clip on an armature for a moment, and leave everything as it was."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...errors import InertiaError, Sentence
from ...motion.curves.keys import Keys
from ..data import actions, compat, properties, rig, unkeyed
from ..data import scene as scenes
from ..data.actions import Address, Clip, Repeated
from . import influence
from .posed import TRANSFORMS, WrittenPose, can_be_written, rest, set_all

_played: list[Any] = []
"""The armatures on which clips are being played now."""
_kept: _Together | None = None
"""What there is to put back in the end, of clips that are played :func:`together`."""


def is_running() -> bool:
    """Tell whether a clip is being played now: what changes in the file meanwhile is undone at once."""
    return bool(_played)


def check(armature: Any, scene: Any, view_layer: Any) -> None:
    """Raise InertiaError unless Blender would play a clip on the armature in a scene and view layer.

    It would not for None or what is no armature, in Edit Mode (of the object, or of another one with the same
    data), with a strip in tweak mode, for an armature that is in another scene, disabled in viewports, or
    only in collections that are excluded or disabled. That it is merely hidden (the eye) does not matter.
    """
    rig.check_armature(armature)
    name = armature.name
    if armature.data.is_editmode:
        raise InertiaError('The bones of "{name}" are in Edit Mode; leave it first.', name=name)
    if armature.animation_data is not None and armature.animation_data.use_tweak_mode:
        raise InertiaError(
            '"{name}" has a strip in tweak mode; leave tweak mode in the NLA Editor first.', name=name
        )
    # an override may share its name with what it overrides, which is found first by it
    if armature not in scene.objects.values():
        raise InertiaError(
            '"{name}" is not in the scene "{scene}", so Blender does not play it there; switch to its '
            "scene, or link it to this one.",
            name=name,
            scene=scene.name,
        )
    if armature.hide_viewport:
        raise InertiaError(
            '"{name}" is disabled in viewports, so Blender does not play it; enable it first.', name=name
        )
    if not _is_reached(view_layer.layer_collection, armature):
        raise InertiaError(
            '"{name}" is only in collections that are excluded from the view layer or disabled in '
            "viewports, so Blender does not play it; enable one of them first.",
            name=name,
        )


def _is_reached(layer: Any, obj: Any) -> bool:
    """Return whether an object is in a collection, at or below a layer collection, that the view layer
    evaluates.

    False at once where the collection is disabled in viewports, with all below it. One that is excluded from
    the view layer counts for its own objects not, but those below it are looked at all the same. Whether it
    is hidden (the eye) does not matter.
    """
    if layer.collection.hide_viewport:
        return False
    if not layer.exclude and obj.name in layer.collection.objects:
        return True
    return any(_is_reached(child, obj) for child in layer.children)


@contextmanager
def enable(armature: Any) -> Iterator[None]:
    """Have Blender play an armature of the scene in use within a ``with``, though it or its collections are
    disabled.

    It is shown in viewports, and linked to the scene's own collection, where need be; both are undone
    afterwards. armature: None, or one of another scene, changes nothing. That is for whoever has no window in
    which to enable it.
    """
    scene, view_layer = bpy.context.scene, bpy.context.view_layer
    with ExitStack() as undo:
        if armature is not None and armature in scene.objects.values():
            if armature.hide_viewport:
                undo.callback(lambda: setattr(armature, "hide_viewport", True))
                armature.hide_viewport = False
            if not _is_reached(view_layer.layer_collection, armature):
                undo.callback(scene.collection.objects.unlink, armature)
                scene.collection.objects.link(armature)
        yield


@contextmanager
def together(*, by_one: bool = False) -> Iterator[None]:
    """Have clips that are played within a ``with`` put back all values at once, but the frame only in the
    end.

    Blender then builds anew what it evaluates once for each clip, rather than twice. Meanwhile nobody may
    read what Blender has evaluated, such as matrices. by_one: play clips by one shared temporary action where
    only some bones are asked for (the movers of :func:`play_alone`), so that Blender builds that only once in
    all; which action is assigned must not be read then, either. Within another ``together`` this one does
    nothing. Raise InertiaError at the end where a value could not be put back.
    """
    global _kept
    if _kept is not None:
        yield
        return
    kept = _kept = _Together(by_one=by_one)
    try:
        yield
    finally:
        _kept = None
        kept.leave()
        _show_again(kept.keepers)


@contextmanager
def play_alone(
    armature: Any,
    clip: Clip,
    scene: Any,
    view_layer: Any,
    *,
    briefly: bool = False,
    movers: Collection[str] | None = None,
) -> Iterator[Callable[[float], Any]]:
    """Play a clip alone within a ``with``; yields a function that shows a frame of the clip and returns the
    evaluated armature.

    briefly: True if only a few frames are shown: the clip's values may then be written on the armature in
    place of assigning its action, which begins and ends faster but takes longer for each frame. movers: names
    of the bones whose curves are played, None for all; curves that are no bone's always are. Frames are the
    clip's own, whatever the scene's time stretching. NLA tracks are off; un-keyed channels of bones and the
    object are as :mod:`unkeyed` says, all else as it stands. Afterwards all is as before, un-keyed poses
    included. Raise InertiaError, with nothing changed, where Blender would not play it (Edit Mode, tweak
    mode, another scene, disabled), and at the end where a value could not be put back.
    """
    check(armature, scene, view_layer)
    with together(), ExitStack() as undo:
        assert _kept is not None
        undo.callback(_played.pop)
        _played.append(armature)
        undo.enter_context(scenes.ignore_stretching(scene))
        keeper = _kept.keep(armature, clip, scene, view_layer)
        undo.callback(keeper.put_back)
        written = None
        moving = (
            None if movers is None or not _kept.by_one or clip.holders else _find_moving_keys(clip, movers)
        )
        if moving is not None:
            _kept.play(armature, clip, moving)
        else:
            _kept.leave()
            # what is assigned Blender plays anyway, but for the NLA
            is_assigned = compat.assigned(armature) == (clip.action, clip.slot.identifier)
            plays = is_assigned and not _is_repeated(clip)
            is_alone = not any(clip.holders.values())
            if briefly and is_alone and armature.is_editable and not plays and can_be_written(clip):
                written = WrittenPose(armature, clip)
            else:
                _play(armature, clip, movers, undo)
        # an armature in rest position shows no clip
        if armature.data.pose_position != "POSE":
            armature.data.pose_position = "POSE"

        def show(frame: float) -> Any:
            whole = math.floor(frame)
            # Blender takes a whole frame and a part of one from 0 on, before 0 as well
            scene.frame_set(whole, subframe=frame - whole)
            if written is not None:
                written.show(frame, lambda: keeper.values.restore(armature))
                view_layer.update()
            return armature.evaluated_get(view_layer.depsgraph)

        yield show


def _is_repeated(clip: Clip) -> bool:
    """Return whether a clip is not what its action plays: it repeats, or its bones are called otherwise."""
    return bool(clip.renamed) or any(isinstance(curve, Repeated) for curve in clip.curves.values())


def _play(armature: Any, clip: Clip, movers: Collection[str] | None, undo: ExitStack) -> None:
    """Assign a clip to an armature, and to the objects that carry it, NLA off, and put the armature's
    un-keyed channels and bones where :mod:`unkeyed` says; objects that carry it stay where they are.

    movers: bones whose curves stay, None for all. An action made for that, because curves are left out,
    repeat or are renamed, or because an action's slot was never used, is temporary. undo: gets what puts
    actions, slots and other animation settings back, and removes temporary actions; the caller puts back the
    pose and the object's own channels.
    """
    bones = unkeyed.completed(armature, clip).unkeyed or {}
    standing = unkeyed.of_object(armature)
    action, identifier = clip.action, clip.slot.identifier
    if _is_repeated(clip):
        action, identifier = _repeated(armature, clip, movers)
        undo.callback(compat.remove_action, action)
    unused = any(slot.id_type == "UNSPECIFIED" for slot in compat.slots(action))
    place = [slot.identifier for slot in compat.slots(action)].index(identifier)
    if unused or any(_is_left_out(curve.data_path, movers) for curve in compat.curves(action, identifier)):
        # to be assigned makes an object's of such a slot for good, and may rename it
        action = compat.copy_action(action)
        undo.callback(compat.remove_action, action)
        fcurves: Any = compat.curves(action, identifier)
        # of a list, as curves that are removed while one goes through them would be skipped
        for curve in [curve for curve in fcurves if _is_left_out(curve.data_path, movers)]:
            fcurves.remove(curve)
    for prefix, slot in clip.holders.items():
        holder = rig.holder_of(armature, prefix)
        if holder is not None and slot is not None:
            _assign_alone(holder, action, slot.identifier, undo)
    _assign_alone(armature, action, "" if unused else identifier, undo)
    # by its place, as to be assigned may have renamed it
    if unused:
        _assign(armature, action, compat.slots(action)[place].identifier)
    _stand(armature, standing, bones)


def _assign_alone(armature: Any, action: Any, identifier: str, undo: ExitStack) -> None:
    """Assign an action's slot to an object, and switch its NLA off if it has tracks; animation data is made
    where there is none. Influence and blending of the action stay.

    identifier: of the slot, "" for none. undo: gets a function that puts the action, the slot and all
    settings beside them back, or removes the animation data that was made. Raise KeyError for a slot that the
    action lacks; the action is assigned by then, and `undo` holds the way back.
    """
    undo.callback(animation_keeper(armature))
    if armature.animation_data is not None:
        _without_nla(armature)
    _assign(armature, action, identifier)
    _without_nla(armature)


def _assign(armature: Any, action: Any, identifier: str) -> None:
    # Blender builds anew what it evaluates for an action, even for the one that it has
    if compat.assigned(armature) != (action, identifier):
        compat.assign(armature, action, identifier)


def _is_left_out(path: str, movers: Collection[str] | None) -> bool:
    """Tell whether a data path is of a bone that is not among those to be played, None for all."""
    bone, _ = rig.split_path(path)
    return movers is not None and bone is not None and bone not in movers


def _stand(armature: Any, standing: Mapping[Address, float], bones: Mapping[Address, float]) -> None:
    """Put an armature where a clip's un-keyed channels are: the object's values, and the bones at rest but
    for those given.

    standing: of the object, by address. bones: of bones that are not at rest, by address (data path, index).
    All bones' locations, scales and rotations of every kind are overwritten. Blender is told, but evaluates
    nothing yet; what was there before is not kept. A path that the armature lacks raises ValueError, with
    what comes before it written.
    """
    for (prop, index), value in standing.items():
        getattr(armature, prop)[index] = value
    for prop, values in rest(len(armature.pose.bones)).items():
        set_all(armature, prop, values)
    for (path, index), value in bones.items():
        armature.path_resolve(path)[index] = value
    # values that are written all at once tag nothing by themselves
    armature.update_tag()


def _find_moving_keys(clip: Clip, movers: Collection[str]) -> dict[Address, Keys] | None:
    """Return the keys of the curves of some bones, and of all that are no bone's, by address, repetitions of
    a cycle included.

    movers: the bones' names. Return None if keys alone don't tell how they move: one keys a rotation mode, or
    has a modifier or samples, but for :class:`Repeated` ones, whose keys stand for that; or the clip was not
    completed.
    """
    moving: dict[Address, Keys] = {}
    for address, curve in clip.curves.items():
        if _is_left_out(address[0], movers):
            continue
        if rig.split_path(address[0])[1] == "rotation_mode" or (
            curve.obstacle and not isinstance(curve, Repeated)
        ):
            return None
        moving[address] = curve.whole
    return None if clip.unkeyed is None else moving


class _StandIn:
    """An action by which an armature plays one clip after the other."""

    def __init__(self, armature: Any, slot: compat.Slot) -> None:
        self.armature = armature
        self.standing = unkeyed.of_object(armature)
        self.curves: dict[Address, tuple[Any, Keys]] = {}
        with ExitStack() as undo:
            self.action = bpy.data.actions.new(armature.name)
            undo.callback(bpy.data.actions.remove, self.action)
            self.bag = compat.new_bag(self.action, dataclasses.replace(slot, id_type="OBJECT"))
            _assign_alone(armature, self.action, compat.slots(self.action)[0].identifier, undo)
            self.undo = undo.pop_all()

    def take(self, keys: Mapping[Address, Keys]) -> None:
        """Make these the keys of the stand-in's action, by address, and remove all its other curves.

        Of an address that has the very same :class:`Keys` object already nothing is written again.
        """
        for address in self.curves.keys() - keys.keys():
            self.bag.fcurves.remove(self.curves.pop(address)[0])
        for address, wanted in keys.items():
            fcurve, present = self.curves.get(address, (None, None))
            if fcurve is None:
                # its property says whether a curve is of whole numbers or choices; a path that leads nowhere
                # has none
                fcurve = actions.write(self.bag, address, wanted, None)
                with suppress(RuntimeError):
                    fcurve.update_autoflags(self.armature)
            elif present is not wanted:
                actions.fill(fcurve, wanted)
            self.curves[address] = (fcurve, wanted)
        self.action.update_tag()


class _Together:
    """What clips that are played :func:`together` have in common.

    keepers: of what is to be shown again in the end. stand_in: what they are played by, None for nothing now.
    """

    def __init__(self, *, by_one: bool) -> None:
        self.by_one = by_one
        self.keepers: list[_Keeper] = []
        self.stand_in: _StandIn | None = None

    def keep(self, armature: Any, clip: Clip, scene: Any, view_layer: Any) -> _Keeper:
        """Return the keeper that restores all that a clip may change on an armature, as it was before any was
        played, marked as in use.

        It is one that an earlier clip of the armature has left, if that covers this clip, too; else a new
        one, which takes the present state and is added to ``keepers``.
        """
        for keeper in self.keepers:
            # what an earlier clip has changed is put back by now
            if keeper.armature == armature and not keeper.is_played and keeper.covers(clip):
                break
        else:
            keeper = _Keeper(armature, clip, scene, view_layer)
            self.keepers.append(keeper)
        keeper.is_played = True
        return keeper

    def play(self, armature: Any, clip: Clip, keys: Mapping[Address, Keys]) -> None:
        """Have an armature play the keys of a clip by the stand-in, which is made anew for another armature.
        Un-keyed bones go to where the clip has them, and the object to where it stood when the stand-in was
        made.
        """
        if self.stand_in is None or self.stand_in.armature != armature:
            self.leave()
            self.stand_in = _StandIn(armature, clip.slot)
        self.stand_in.take(keys)
        _stand(armature, self.stand_in.standing, clip.unkeyed or {})

    def leave(self) -> None:
        """Put back what is assigned."""
        stand_in, self.stand_in = self.stand_in, None
        if stand_in is not None:
            stand_in.undo.close()


def _repeated(armature: Any, clip: Clip, movers: Collection[str] | None) -> tuple[Any, str]:
    """Make a new action with a clip's keys, a cycle's repetitions included, by the armature's bone names;
    return it and the identifier of the armature's slot in it.

    Curves of objects that carry the armature go into slots of their own; those of one without a slot are left
    out. Modifiers are copied, but for those of curves that are :class:`Repeated`, whose keys stand for them.
    movers: names of the bones whose curves are copied, None for all; curves that are no bone's always are.
    The caller removes the action.
    """
    action = bpy.data.actions.new(clip.action.name)
    slot = dataclasses.replace(clip.slot, id_type="OBJECT")
    bag = compat.new_bag(action, slot)
    bags = {prefix: compat.new_bag(action, held) for prefix, held in clip.holders.items() if held is not None}
    # to set a rotation mode converts the rotation, so it must come before its keys
    for address in sorted(clip.curves, key=lambda address: not address[0].endswith("rotation_mode")):
        if _is_left_out(address[0], movers):
            continue
        curve = clip.curves[address]
        prefix, _, inner = rig.split_holder(address[0])
        if prefix and prefix not in bags:
            continue
        fcurve = actions.write(bags.get(prefix, bag), (inner, address[1]), curve.whole, None)
        if not isinstance(curve, Repeated):
            actions.copy_modifiers(curve.fcurve, fcurve)
        with suppress(RuntimeError):
            fcurve.update_autoflags(rig.holder_of(armature, prefix))
    return action, compat.slots(action)[0].identifier


def _without_nla(armature: Any) -> None:
    animation = armature.animation_data
    # to switch it takes Blender as long as to show a frame
    if animation.use_nla and len(animation.nla_tracks):
        animation.use_nla = False


def animation_keeper(armature: Any) -> Callable[[], None]:
    """Return a function that restores what animates an object now: the assigned action, its slot, and the
    object's other animation settings, such as whether the NLA is on, influence and blending.

    NLA tracks and drivers are not looked at. For an object without animation data it removes whatever that
    has got.
    """
    animation = armature.animation_data
    if animation is None:
        return armature.animation_data_clear
    before = compat.assigned(armature)
    settings = {
        prop.identifier: getattr(animation, prop.identifier)
        for prop in animation.bl_rna.properties
        if not prop.is_readonly and prop.type in ("BOOLEAN", "INT", "FLOAT", "ENUM", "STRING")
    }

    def restore() -> None:
        if compat.assigned(armature) != before:
            compat.assign(armature, *before)
        for name, value in settings.items():
            if getattr(animation, name) != value:
                setattr(animation, name, value)

    return restore


class _Keeper:
    """Restores the frame, the pose, and what else animation changes or may change on the way back."""

    def __init__(self, armature: Any, clip: Clip, scene: Any, view_layer: Any) -> None:
        self.armature, self.scene, self.view_layer = armature, scene, view_layer
        self.paths, self.has_holders = {path for path, _ in clip.curves}, bool(clip.holders)
        self.is_played = False
        self.frame = scene.frame_current, scene.frame_subframe
        self.cameras = _cameras(scene)
        self.position = armature.data.pose_position
        self.pose, self.values = PoseSnapshot(armature), _Values(armature, clip)

    def covers(self, clip: Clip) -> bool:
        """Return whether this keeper restores all that another clip of its armature may change, too: all
        properties that the clip animates, but for transforms of bones, which are always kept, and the objects
        that carry the armature, if the clip has any.
        """
        if clip.holders and not self.has_holders:
            return False
        # transforms of bones are all kept with the pose
        others = {path for path, _ in clip.curves} - self.paths
        return all(path.startswith("pose.") and rig.split_path(path)[1] in TRANSFORMS for path in others)

    def put_back(self) -> None:
        """Put back the pose, all animated values and the armature's rest position switch; Blender does not
        evaluate that yet.
        """
        if self.armature.data.pose_position != self.position:
            self.armature.data.pose_position = self.position
        self.pose.restore()
        self.values.restore()
        self.is_played = False


def _show_again(keepers: list[_Keeper]) -> None:
    """Show the frame that was shown before clips were played, and put back what that overwrites: cameras,
    values and poses.

    keepers: all of one scene; none does nothing. Raise InertiaError where a value could not be put back.
    """
    if not keepers:
        return
    first = keepers[0]
    for keeper in keepers:
        keeper.armature.update_tag()
    _played.append(first.armature)
    try:
        first.scene.frame_set(first.frame[0], subframe=first.frame[1])
        # animation has now overwritten what was posed and not yet keyed
        for holder, camera in first.cameras:
            if holder.camera != camera:
                holder.camera = camera
        for owner in set().union(*(keeper.values.restore() | keeper.pose.restore() for keeper in keepers)):
            owner.update_tag()
        first.view_layer.update()
    finally:
        _played.pop()
    for keeper in keepers:
        keeper.values.check()


def _cameras(scene: Any) -> list[tuple[Any, Any]]:
    """Return (3D view or scene, its camera) for all, the scene last, as it decides for others; [] if no
    marker switches cameras.
    """
    if not any(marker.camera is not None for marker in scene.timeline_markers):
        return []
    spaces = [space for screen in bpy.data.screens for area in screen.areas for space in area.spaces]
    holders = [*(space for space in spaces if space.type == "VIEW_3D"), scene]
    return [(holder, holder.camera) for holder in holders]


class PoseSnapshot:
    """The pose of an armature, bit for bit."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        self.modes = rig.rotation_modes(armature)
        self.values = self._read()

    def _read(self) -> dict[str, NDArray[np.float32]]:
        bones = self.armature.pose.bones
        return {prop: rig.gathered(bones, prop, count).ravel() for prop, count in TRANSFORMS.items()}

    def restore(self) -> set[Any]:
        """Put rotation modes and all pose channels back, bit for bit; return the armature in a set if
        anything changed, else an empty set.
        """
        bones = self.armature.pose.bones
        changed = False
        for bone, mode, shown in zip(bones, self.modes, rig.rotation_modes(self.armature), strict=True):
            if shown != mode:
                bone.rotation_mode, changed = mode, True
        now = self._read()
        for prop, values in self.values.items():
            if values.tobytes() != now[prop].tobytes():
                set_all(self.armature, prop, values)
                changed = True
        return {self.armature} if changed else set()


class _Values:
    """The values of all animated properties in the file, but for the pose of the armature.

    To show another frame overwrites every one that is keyed, and with it what an animator has changed
    and not yet keyed, on whatever it is.
    """

    def __init__(self, armature: Any, clip: Clip) -> None:
        transforms = {
            prefix + prop
            for prefix in ("", "delta_")
            for prop in TRANSFORMS
            if hasattr(armature, prefix + prop)
        }
        own = (path for path, _ in clip.curves if not rig.split_holder(path)[0])
        paths = {armature: {"rotation_mode", *transforms, *own}}
        for parent in rig.find_holders(armature) if clip.holders else ():
            paths[parent] = {path for path in transforms if hasattr(parent, path)}
        for owner in animated():
            paths.setdefault(owner, set()).update(influence.keyed_paths(owner))
        self.values: list[tuple[Any, str, Any]] = []
        self.refused: dict[tuple[Any, str], tuple[Any, Exception]] = {}
        for owner, animated_paths in paths.items():
            # to set a rotation mode converts the rotation, so it comes first
            for path in sorted(animated_paths, key=lambda path: (not path.endswith("rotation_mode"), path)):
                if owner == armature and rig.split_path(path)[1] in TRANSFORMS and path.startswith("pose."):
                    continue
                value = properties.read(owner, path)
                if value is not None:
                    self.values.append((owner, path, value))

    def restore(self, only: Any | None = None) -> set[Any]:
        """Put back the values that are others now; return the data-blocks that have such, those that Blender
        refused to change among them.

        A property that is gone by now counts as changed and refused. only: a data-block to which that is
        limited, None for all. What Blender refuses is noted for :meth:`check`, not raised.
        """
        changed = set()
        for owner, path, value in self.values:
            if (only is not None and owner != only) or properties.read(owner, path) == value:
                continue
            changed.add(owner)
            try:
                properties.write(owner, path, value)
            except Exception as error:  # Blender's, or of whoever defined it; the others must come back
                self.refused[owner, path] = (value, error)
        return changed

    def check(self) -> None:
        """Raise InertiaError if a value that Blender refused to put back is still another one: it names the
        first of these, its data-block, the value and Blender's reason, and counts the others.

        Else return None.
        """
        lost = [(at, *refusal) for at, refusal in self.refused.items() if properties.read(*at) != refusal[0]]
        if lost:
            (owner, path), value, error = lost[0]
            others = Sentence(" and {count} more", count=len(lost) - 1) if len(lost) > 1 else ""
            raise InertiaError(
                '{path} of "{owner}"{others} could not be restored to {value} ({reason}); set it by hand.',
                path=path,
                owner=owner.name,
                others=others,
                value=value,
                reason=str(error),
            ) from error


def animated() -> Iterator[Any]:
    """Yield every data-block of the file that has an action or an NLA track, and behind each block, whether
    or not it has any, its own node tree if that has an action or a track.

    Muted tracks and tracks without strips count; drivers alone don't.
    """
    for collection in bpy.data.bl_rna.properties:
        if collection.type != "COLLECTION":
            continue
        for block in getattr(bpy.data, collection.identifier):
            for owner in (block, getattr(block, "node_tree", None)):
                animation = getattr(owner, "animation_data", None)
                if animation is not None and (animation.action is not None or len(animation.nla_tracks)):
                    yield owner
