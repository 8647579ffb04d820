# SPDX-License-Identifier: GPL-3.0-or-later
"""The coming transition in the window before it is baked, and a look at it with and without the blend.

A preview is in memory alone. What it needs of the file, the character's channels, the preview range and the
frame, is put back when it ends, and before the file is saved; see :mod:`showing`. It is renewed when
something that decides the transition has changed, and ends when someone poses the character.

It begins by a button, which plays it, or by itself: while the tab is open the character follows the cut and
the entry (:func:`follow`), and time stays the animator's. Where the entry is left open and not found yet, the
destination is entered at its first frame, and the entry is looked for meanwhile; see :mod:`entry_search`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import bpy
from bpy.app.handlers import persistent

from ...blender.data import actions, compat, recipe, recipe_reader
from ...blender.data import scene as scenes
from ...blender.evaluation import playback
from ...blender.transition import bake, meeting, showing
from ...errors import InertiaError
from ...lazy_modules import is_read
from ...motion.steps import finish
from ...records import record
from ..shared import cache, tab, tool
from . import entry_search, outlook, results, warp
from .properties import FOLLOWING, settings_from

if TYPE_CHECKING:
    from ...blender.transition.showing import Take
    from ...settings.transition import TransitionSettings

SECONDS = 0.05
"""How often is looked whether something has changed."""
MOMENT = 0.2
"""How long Blender may take to show a frame that was set."""
REST = 2.0
"""A preview is renewed at most every so many times what that takes."""
QUICK_SECONDS = 0.05
"""A character that takes longer than this to show follows no cut, as it would hold up who moves it."""


@record
class _Preview:
    """What is shown now.

    armature, scene, assigned: their session_uids, 0 for no action. result: the action whose recipe is shown,
    "" for the coming transition. hard_cut: without the blend. is_held: only while a button is. follows:
    whether it has begun by itself, as the cut was moved; of both the preview range stays as it is. keyed: the
    state of the assigned action then. take: None while the settings can't be. before: what it changes besides
    the character. key: what it was made of. back_to: the frame to show again. rest_until: when it may be
    renewed. seen: the pose when it was looked at last. writes: how many frames were shown. seconds: what its
    last two renewals took of the processor.
    """

    armature: int
    scene: int
    assigned: int
    result: str = ""
    hard_cut: bool = False
    is_held: bool = False
    follows: bool = False
    keyed: Hashable = None
    take: Take | None = None
    before: dict[str, Any] = dataclasses.field(default_factory=dict)
    key: Hashable = None
    back_to: float | None = None
    rest_until: float = 0.0
    seen: tuple[Any, bytes] | None = None
    writes: int = 0
    seconds: tuple[float, ...] = ()


_preview: _Preview | None = None
_fault: tuple[int, InertiaError] | None = None
"""The armature whose preview had to end, and why."""
_wanted: int | None = None
"""The armature that is to follow its cut."""
_slow: set[tuple[int, ...]] = set()
"""Armatures with two actions that take too long to show."""
_returned: tuple[int, float, showing.Kept] | None = None
"""The scene and the frame at which something was put back a moment ago, and what."""


def is_running(armature: Any | None = None) -> bool:
    """Tell whether a preview is shown, or one of an armature."""
    return _preview is not None and (armature is None or _preview.armature == armature.session_uid)


def is_previewed(armature: Any) -> bool:
    """Tell whether a preview of an armature is shown that its button has begun."""
    return is_running(armature) and _preview is not None and not (_preview.is_held or _preview.follows)


def is_slow(armature: Any) -> bool:
    """Tell whether an armature takes too long to show for it to follow the cut, with the two actions in
    use.
    """
    return _pair(armature) in _slow


def _pair(armature: Any) -> tuple[int, ...]:
    chosen = (armature.inertia.source, armature.inertia.destination)
    return (armature.session_uid, *(0 if action is None else action.session_uid for action in chosen))


def follow(armature: Any) -> None:
    """Have an armature show its coming transition at the cut that was just moved, as soon as Blender is idle.

    Only the last armature that asked for it counts. Without a window nothing happens; else it is only asked
    for here: :func:`watch` begins the preview, if its conditions hold then.
    """
    global _wanted
    if not bpy.app.background:
        _wanted = armature.session_uid
        if not bpy.app.timers.is_registered(watch):
            bpy.app.timers.register(watch, first_interval=0.0)


FOLLOWING.append(follow)


def _begin_following() -> None:
    """Begin the preview that :func:`follow` asked for, and forget the wish.

    Only in a window that shows the panels on transitions with this armature active; not while a preview is
    on, the armature is too slow to show, its follow_cut is off or Auto Keying is on. An InertiaError is
    ignored, as the panel says it.
    """
    global _wanted
    wanted, _wanted = _wanted, None
    for window in _windows_with_tab():
        armature, scene = window.view_layer.objects.active, window.scene
        if armature is None or armature.session_uid != wanted or is_running() or is_slow(armature):
            continue
        if armature.inertia.follow_cut and not scene.tool_settings.use_keyframe_insert_auto:
            with contextlib.suppress(InertiaError):  # the panel says what is in the way
                begin(scene, armature, follows=True)


def _windows_with_tab() -> Iterator[Any]:
    """Yield the windows whose workspace shows the panels of the mode Join, and in which a 3D View or a Dope
    Sheet has an open sidebar on Inertia's tab.
    """
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            shows = tab.shows(bpy.context, tab.JOIN)
        if shows and any(map(tab.is_tab_of, window.screen.areas)):
            yield window


def begin(
    scene: Any,
    armature: Any,
    result: str = "",
    *,
    hard_cut: bool = False,
    is_held: bool = False,
    follows: bool = False,
) -> None:
    """Show the coming transition of an armature, or that of a baked result, on the frame that the scene
    shows; an earlier preview ends.

    result: the action's name, "" for the coming one. hard_cut: without the blend. is_held: only while a
    button is held. follows: begun by itself, as the cut was moved. Unless is_held or follows, the preview
    range goes from AROUND_SECONDS (of the module `results`) before the blend to as much behind it, within the
    transition's frames. For a coming transition whose entry is left open, that is looked for meanwhile,
    unless follows. Raise InertiaError, with nothing shown, if the transition can't be planned.
    """
    global _preview, _fault
    end()
    _fault = None
    if not result and not follows:
        entry_search.start(armature, settings_from(armature))
    keyed = cache.action_state(compat.assigned(armature)[0])
    uids = (armature.session_uid, scene.session_uid, _assigned(armature))
    preview = _Preview(*uids, result, hard_cut, is_held, follows, keyed)
    preview.key = _key(preview, armature)
    _renew(preview, scene, armature)
    _preview = preview
    on_frame(scene)
    if not bpy.app.background and not bpy.app.timers.is_registered(watch):
        bpy.app.timers.register(watch, first_interval=SECONDS)


def end(*, stay: bool = False) -> None:
    """End the preview, if there is one, and any search for its entry; put back pose, preview range and frame.

    stay: leave the scene on its frame, as when something is going to take its place. A preview that has
    followed the cut leaves it there, too. Otherwise, if the armature's follow_cut is on and the cut was moved
    meanwhile, the frame becomes the cut plus the settings' shift.
    """
    global _preview
    former, _preview = _preview, None
    entry_search.stop()
    if former is None:
        return
    scene, armature = _scene_and_armature(former)
    if scene is not None and showing.is_noted(scene):
        _leave(scene, armature, stay=stay)
    cache.redraw()


def fault(armature: Any) -> InertiaError | None:
    """Return why the last preview of an armature had to end; None if it did not have to."""
    return _fault[1] if _fault is not None and _fault[0] == armature.session_uid else None


def _fail(error: Exception) -> None:
    """End the preview after an unforeseen error, rather than have it again on every frame; print its
    traceback, and keep a sentence for :func:`fault`.
    """
    global _fault
    if _preview is not None:
        _fault = _preview.armature, tool.refusal(error, "Preview")
    try:
        end()
    except Exception as another:
        tool.refusal(another, "Preview")


def hold(scene: Any, armature: Any) -> None:
    """Show the other one while a button is held.

    If a preview of this armature is on, its blend is turned off, or on where it was off; it is renewed at
    once. Where it can't be planned so, nothing of it is shown, and no error is raised.

    Otherwise a preview begins, and one of another armature ends first. If the assigned action is a transition
    that Inertia baked, it is that result with a hard cut, else the coming transition with its blend; it
    counts as held, so the preview range stays. Raise InertiaError if that can't be planned.
    """
    if _preview is not None and is_running(armature):
        _turn(hard_cut=not _preview.hard_cut)
        return
    action = compat.assigned(armature)[0]
    result = action.name if action is not None and recipe.is_baked(action, recipe.RECIPE) else ""
    begin(scene, armature, result, hard_cut=bool(result), is_held=True)


def let_go() -> None:
    """End what :func:`hold` has shown; nothing happens without a preview.

    A preview that hold has begun ends; the scene stays on its frame while an animation plays in any window,
    else it returns to the frame before. A preview that was on when the button was pressed goes on with its
    blend, also where that was off before.
    """
    if _preview is None:
        return
    if _preview.is_held:
        end(stay=any(window.screen.is_animation_playing for window in bpy.context.window_manager.windows))
    else:
        _turn(hard_cut=False)


def stop_playing() -> None:
    """Stop the animation in all windows that play one; the frame stays where it is."""
    for window in bpy.context.window_manager.windows:
        if window.screen.is_animation_playing:
            with bpy.context.temp_override(window=window, screen=window.screen):
                bpy.ops.screen.animation_cancel(restore_frame=False)


def _turn(*, hard_cut: bool) -> None:
    assert _preview is not None
    _preview.hard_cut, _preview.rest_until = hard_cut, 0.0
    watch()


def is_held() -> bool:
    """Tell whether the other one, with or without the blend, is shown while a button is held."""
    return _preview is not None and (_preview.is_held or _preview.hard_cut)


def _scene_and_armature(preview: _Preview) -> tuple[Any | None, Any | None]:
    """Return the scene and the armature, None for one that is gone."""
    scene = next((scene for scene in bpy.data.scenes if scene.session_uid == preview.scene), None)
    things = () if scene is None else scene.objects
    return scene, next((thing for thing in things if thing.session_uid == preview.armature), None)


def _assigned(armature: Any) -> int:
    action = compat.assigned(armature)[0]
    return 0 if action is None else int(action.session_uid)


def _settings(preview: _Preview, armature: Any) -> TransitionSettings:
    if not preview.result:
        return outlook.entered(armature, settings_from(armature))
    return recipe_reader.read_recipe(actions.find(preview.result), recipe.RECIPE).settings


def _key(preview: _Preview, armature: Any) -> Hashable:
    """Return a value that changes with all that a take depends on: settings, hard cut, actions, scene, warp,
    and the rig's rest pose, rotation modes, blend scales and constraints; not where the character stands, as
    that is what is shown.

    Settings that raise InertiaError count by its text.
    """
    try:
        settings: Hashable = _settings(preview, armature)
    except InertiaError as error:
        settings = str(error)
    states = (cache.scene_state(), cache.still_state(armature), cache.action_states(armature))
    return (settings, preview.hard_cut, *states, warp.state(armature))


def _renew(preview: _Preview, scene: Any, armature: Any) -> None:
    """Plan and sample anew what a preview shows, and note in the scene what stands there; the character
    itself is written by :func:`on_frame`.

    What was shown before is put back first. The first time, the frame, the cut and, unless the preview
    follows the cut, the preview range are remembered in `preview.before`. Unless it is held or follows the
    cut, the scene's preview range becomes what is sampled, from AROUND_SECONDS (of the module `results`)
    before the blend to as much behind it. It is not to be renewed for REST times as long as this took. Raise
    InertiaError, with the preview range as before and nothing shown, if it can't be planned.
    """
    began, began_work = time.monotonic(), time.thread_time()
    if not preview.before:
        preview.before = {"frame": scene.frame_current_final, "cut": armature.inertia.cut}
        if preview.follows:
            preview.before["follows"] = True
        else:
            preview_range = [scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end]
            preview.before["range"] = preview_range
    preview.take = preview.seen = None
    showing.put_back(showing.read_kept(scene))
    showing.drop(scene)
    try:
        settings = _settings(preview, armature)
        footage = None if preview.result else outlook.footage(armature, settings)
        plan = finish(
            bake.plan_transition_steps(
                armature, settings, meeting.PlanOptions(hard_cut=preview.hard_cut, footage=footage)
            )
        )
        first, last = results.around(showing.window(plan), showing.span(plan))
        take = showing.take(plan, first, last)
    except InertiaError:
        _put_range(scene, preview.before)
        raise
    finally:
        now = time.monotonic()
        preview.rest_until = now + REST * (now - began)
    showing.note(scene, plan, take, preview.before)
    preview.take = take
    if not preview.is_held and not preview.follows:
        results.play_between(scene, *results.find_scene_range(scene, first, last))
    preview.seconds = (*preview.seconds[-1:], time.thread_time() - began_work)


def _put_range(scene: Any, before: dict[str, Any]) -> None:
    if "range" in before:
        used, *frames = before["range"]
        results.play_between(scene, *frames)
        scene.use_preview_range = used


def _leave(scene: Any, armature: Any | None = None, *, stay: bool = False) -> None:
    """Put back what a scene's note tells of: preview range, pose and frame; then drop the note.

    It works for notes of an earlier session, too; the caller sees to it that there is one. armature: None if
    it is not known. stay: leave the scene on its frame; so does a note of a preview that has followed the
    cut. Range and pose are put back in any case, but for the range of a preview that has followed the cut,
    which was never changed.

    Otherwise the frame becomes the one before or, if the armature's follow_cut is on and its cut is another
    one than noted, the cut plus its shift. Where that is the frame that was noted, the pose is put back again
    afterwards, as the change of frame overwrites what is posed and not keyed, and once more whenever the
    window shows it within MOMENT seconds.
    """
    before, now = showing.noted(scene), scene.frame_current_final
    _put_range(scene, before)
    showing.put_back(showing.read_kept(scene))
    follows = before.get("follows", False)
    stay = stay or follows
    frame = now if stay else before.get("frame", now)
    props = None if armature is None or stay else armature.inertia
    if props is not None and props.follow_cut and props.cut != before.get("cut"):
        frame = props.cut + props.shift
    if frame != now or follows:
        _go_to(scene, frame)
    if frame == before.get("frame"):
        showing.put_back(
            showing.read_kept(scene)
        )  # what is posed and not keyed the other frame has overwritten
        _put_back_soon(scene)
    showing.drop(scene)


def _put_back_soon(scene: Any) -> None:
    """Have the scene's noted pose put back once more whenever Blender shows the present frame again within
    MOMENT, 0.2 s, as a window does; nothing without a window.

    It is only asked for here: :func:`on_frame` puts it back. The pose is read from the note now, so the note
    may be dropped afterwards. A later call replaces this one and begins the time anew.
    """
    global _returned
    if not bpy.app.background:
        _returned = (scene.session_uid, scene.frame_current_final, showing.read_kept(scene))
        if bpy.app.timers.is_registered(_forget_returned):
            bpy.app.timers.unregister(_forget_returned)
        bpy.app.timers.register(_forget_returned, first_interval=MOMENT)


def _forget_returned() -> None:
    global _returned
    _returned = None


def _go_to(scene: Any, frame: float) -> None:
    """Show a frame of actions at once: if it is only set, Blender's animation overwrites what comes next."""
    scenes.show_action_frame(scene, frame)


@persistent
def on_frame(scene: Any, depsgraph: Any = None) -> None:
    """Write the preview's values for the scene's frame over the character; a handler for changed frames.

    The frame is frame_current_final. Frames outside those that were sampled, and between whole ones, are
    evaluated from the transition's keys; before its first and behind its last key the values are what the
    curves give there.

    depsgraph: None counts as no render. Nothing of the preview is written if there is none of this scene,
    while it can't be planned, while a clip is being evaluated, or for a render. An unforeseen error while
    writing ends the preview, see :func:`_fail`, and is not raised.

    Where a preview has just ended on this frame of this scene, the pose that it put back is put back again
    first, even for a render.
    """
    if _returned is not None and _returned[:2] == (scene.session_uid, scene.frame_current_final):
        showing.put_back(_returned[2])
    preview = _preview
    if preview is None or preview.take is None or playback.is_running() or scene.session_uid != preview.scene:
        return
    if depsgraph is None or depsgraph.mode != "RENDER":
        try:
            showing.show(scene, preview.take, scene.frame_current_final)
        except Exception as error:
            _fail(error)
        preview.writes += 1


def watch() -> float | None:
    """Begin, renew or end the preview as needed; a timer's function.

    Return SECONDS, 0.05, while a preview is on, and None, which stops the timer, where none is or it has
    ended now. A preview that :func:`follow` asked for begins first.

    A preview ends if its armature is gone or in Edit Mode, another action is assigned, or it follows the cut
    and may not go on. It ends, with the animation stopped, if the character was posed by hand: its pose
    differs from that of the last look, on the same frame, and nothing was shown in between.

    Otherwise it is renewed if settings, actions, scene, warp or rig have changed, but not until it has rested
    after a costly renewal. A search for its entry that is needed then begins, too. Where it can't be planned
    any more, nothing of it is shown, and it stays on. An unforeseen error ends it, see :func:`_fail`, and is
    not raised.
    """
    try:
        if _wanted is not None:
            _begin_following()
        return None if _preview is None else _look_at(_preview)
    except Exception as error:
        # Blender would stop the timer, and leave the character as it is shown
        _fail(error)
        return None


def _look_at(preview: _Preview) -> float | None:
    scene, armature = _scene_and_armature(preview)
    is_gone = armature is None or armature.mode == "EDIT" or _assigned(armature) != preview.assigned
    if is_gone or (preview.follows and not _may_follow(preview, armature)):
        end()
        return None
    if _is_posed(preview, scene, armature):
        stop_playing()
        end()
        return None
    key = _key(preview, armature) if time.monotonic() >= preview.rest_until else preview.key
    if key != preview.key:
        preview.key = key
        _search_again(preview, armature)
        with contextlib.suppress(InertiaError):  # the panel says what is in the way
            _renew(preview, scene, armature)
            if preview.back_to is not None:
                _go_to(scene, preview.back_to)
                preview.back_to = None
            on_frame(scene)
            cache.redraw()
    return SECONDS


def _search_again(preview: _Preview, armature: Any) -> None:
    """Look for the entry anew after a change; a preview that follows the cut leaves that to the verdict."""
    if not preview.result and not preview.follows:
        with contextlib.suppress(InertiaError):  # the panel says what is in the way
            entry_search.start(armature, settings_from(armature))


def _may_follow(preview: _Preview, armature: Any) -> bool:
    """Tell whether a preview that follows the cut may go on.

    It may not if both of its last two renewals took more than QUICK_SECONDS of the processor, and then the
    armature is noted as slow with these two actions; if the assigned action was edited since it began; if
    follow_cut is off; or if the armature is active in no window that shows the panels.
    """
    if min(preview.seconds) > QUICK_SECONDS and len(preview.seconds) > 1:
        _slow.add(_pair(armature))
        return False
    if cache.action_state(compat.assigned(armature)[0]) != preview.keyed or not armature.inertia.follow_cut:
        return False
    return any(window.view_layer.objects.active == armature for window in _windows_with_tab())


def _is_posed(preview: _Preview, scene: Any, armature: Any) -> bool:
    """Tell whether the pose has changed since the last look, and nothing was shown in between."""
    moment = (preview.writes, scene.frame_current_final)
    former, preview.seen = preview.seen, (moment, showing.pose_of(armature))
    return former is not None and former[0] == moment and former != preview.seen


@persistent
def on_save(*_arguments: Any) -> None:
    """Put back what the preview changes, before the file is saved, so that the file holds nothing of it; a
    handler.

    The preview stays on: the next time that it is looked after, it is shown again, on the frame that the
    scene showed.
    """
    if _preview is not None:
        scene, armature = _scene_and_armature(_preview)
        # the frame that is put back must not be shown with it
        _rest(_preview)
        if scene is not None and showing.is_noted(scene):
            _preview.back_to = scene.frame_current_final
            _leave(scene, armature)


@persistent
def on_saved(*_arguments: Any) -> None:
    """Go on with the preview, whether or not the file could be saved."""
    watch()


@persistent
def on_exit(*_arguments: Any) -> None:
    """End the preview: what Blender keeps of the session as it quits is the last state for undo."""
    if _preview is not None:
        end()
        bpy.ops.ed.undo_push(message="Preview")


def _rest(preview: _Preview) -> None:
    """Have all be looked at anew, as the file has been put right meanwhile."""
    preview.take = preview.key = preview.seen = None
    preview.before, preview.rest_until = {}, 0.0


@persistent
def on_new_state(*_arguments: Any) -> None:
    """Put back what a preview changed in scenes of a state of the file that was kept meanwhile, as after undo
    and redo; a handler.

    It works for all scenes with a note of a preview. A preview that is on goes on: it is planned and shown
    anew at its timer's next look, and what stands then is what it puts back in the end.
    """
    for scene in bpy.data.scenes:
        # by its name alone: a file that is opened needs no more of the preview
        if scenes.PREVIEW_NOTE in scene:
            _leave(scene)
    if _preview is not None:
        _rest(_preview)


@persistent
def on_load(*_arguments: Any) -> None:
    """Forget the preview, a wish for one, and which armatures are slow, as another file has none; a handler.

    What an autosave has kept of a preview in the file is put back.
    """
    global _preview, _wanted
    _preview = _wanted = None
    _slow.clear()
    on_new_state()


def forget() -> None:
    """End the preview, stop its timers, and forget which armatures are slow, and the entries and footage that
    were found for panels, as the extension is disabled.

    A wish for a preview and the last fault stay noted.
    """
    end()
    _slow.clear()
    if is_read(outlook):
        outlook.forget()
    for timer in (watch, _forget_returned):
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)
