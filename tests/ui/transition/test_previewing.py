# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview: it shows what a bake would, follows the settings, and leaves nothing in the file."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon import registration
from inertia_addon.blender.data import unkeyed
from inertia_addon.blender.transition import showing
from inertia_addon.ui.transition import previewing
from tests.blender.file_state import differences, everything
from tests.ui.recorder import drawn, panel_named
from tests.ui.rigs import make_rig

FRAMES = (3.0, 20.0, 21.0, 24.5, 28.0, 44.0, 60.0)


@pytest.fixture(autouse=True)
def renewed_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Renew a preview whenever something has changed; and end it after each test."""
    monkeypatch.setattr(previewing, "REST", 0.0)
    yield
    previewing.end()


@pytest.fixture
def rig(rig: Any) -> Any:
    """A rig that plays Idle, posed at frame 7 where it is keyed and where it is not."""
    bpy.context.scene.frame_set(7)
    rig.pose.bones["spine"].rotation_euler = (1.0, 2.0, 3.0)
    rig.pose.bones["spine"].location = (0.1, 0.2, 0.3)
    return rig


def poses(rig: Any, frames: tuple[float, ...] = FRAMES) -> Any:
    """What Blender shows of the bones at frames."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([bone.matrix.copy() for bone in shown.pose.bones])
    return np.array(found)


COMPUTED = ("session_uid", "matrix", "bound_box", "dimensions", ".head", ".tail", ".length", ".center")
"""What is another one in each session, or follows from the rest: after undo without a window, belatedly."""


def contents() -> dict[str, Any]:
    """All that the file holds, by itself."""
    return {name: value for name, value in everything().items() if not any(map(name.__contains__, COMPUTED))}


@contextlib.contextmanager
def left_as_it_was() -> Iterator[None]:
    """Within it the file may be anything; in the end it is as it was in the beginning."""
    before = contents()
    yield
    assert differences(before, contents()) == {}


def test_a_preview_shows_what_a_bake_would_and_leaves_the_file_as_it_was(rig: Any) -> None:
    with left_as_it_was():
        assert bpy.ops.inertia.preview() == {"FINISHED"}
        scene = bpy.context.scene
        assert (scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end) == (True, 1, 54)
        shown = poses(rig)
        assert bpy.ops.inertia.preview() == {"FINISHED"}
    bpy.ops.inertia.bake_transition()
    np.testing.assert_array_equal(poses(rig), shown)


def test_a_preview_follows_the_settings_and_waits_where_they_cannot_be(rig: Any) -> None:
    before = contents()
    previewing.begin(bpy.context.scene, rig)
    first = poses(rig)
    rig.inertia.blend_frames = 20.0
    previewing.watch()
    second = poses(rig)
    assert np.abs(first - second).max() > 0.01
    rig.inertia.cut = 900.0
    previewing.watch()
    assert previewing.is_running(rig)
    assert not bpy.context.scene.use_preview_range
    rig.inertia.cut = 20.0
    previewing.watch()
    np.testing.assert_array_equal(poses(rig), second)
    previewing.end()
    rig.inertia.property_unset("blend_frames")
    assert differences(before, contents()) == {}


def test_a_preview_that_is_held_leaves_out_the_blend(rig: Any) -> None:
    scene = bpy.context.scene
    with left_as_it_was():
        previewing.begin(scene, rig)
        shown = poses(rig)
        bpy.ops.inertia.compare()
        cut = poses(rig)
        assert np.abs(cut - shown).max() > 0.01
        # before the cut and after the window nothing differs
        np.testing.assert_array_equal(cut[[0, 5, 6]], shown[[0, 5, 6]])
        bpy.ops.inertia.compare()
        np.testing.assert_array_equal(poses(rig), shown)
        previewing.end()
    bpy.ops.inertia.bake_transition()
    before = contents()
    bpy.ops.inertia.compare()
    np.testing.assert_array_equal(poses(rig), cut)
    bpy.ops.inertia.compare()
    assert differences(before, contents()) == {}


def test_the_coming_transition_is_shown_while_it_is_held_without_a_preview(rig: Any) -> None:
    with left_as_it_was():
        bpy.ops.inertia.compare()
        assert previewing.is_held()
        held = poses(rig)
        bpy.ops.inertia.compare()
    previewing.begin(bpy.context.scene, rig)
    np.testing.assert_array_equal(poses(rig), held)


def test_saving_stores_nothing_and_the_preview_goes_on(rig: Any, tmp_path: Path) -> None:
    paths = [tmp_path / "before.blend", tmp_path / "while.blend"]
    bpy.ops.wm.save_as_mainfile(filepath=str(paths[0]), copy=True)
    previewing.begin(bpy.context.scene, rig)
    shown = poses(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(paths[1]), copy=True)
    previewing.watch()
    assert bpy.context.scene.frame_current == FRAMES[-1]
    np.testing.assert_array_equal(poses(rig), shown)
    found = []
    for path in paths:
        bpy.ops.wm.open_mainfile(filepath=str(path))
        assert not previewing.is_running()
        found.append(contents())
    assert differences(*found) == {}


def without_the_extension(*paths: Path) -> list[Any]:
    """What a Blender without the extension finds in files: the notes, the preview range, a pose."""
    registration.unregister()
    try:
        return [found_in(path) for path in paths]
    finally:
        registration.register()


def found_in(path: Path) -> Any:
    bpy.ops.wm.open_mainfile(filepath=str(path))
    noted = ("inertia_preview", "inertia_unkeyed")
    holders = [*bpy.data.scenes, *bpy.data.objects]
    notes = [f"{thing.name}.{key}" for thing in holders for key in thing.keys() if key in noted]
    scene, spine = bpy.context.scene, bpy.data.objects["Rig"].pose.bones["spine"]
    preview = [scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end]
    return [notes, preview, [*spine.location, *spine.rotation_euler]]


@pytest.mark.variants(1)
@pytest.mark.parametrize("follow", [False, True])
def test_no_saved_file_holds_anything_of_it_and_what_was_written_during_one_is_put_right(
    rig: Any, tmp_path: Path, *, follow: bool
) -> None:
    scene = bpy.context.scene
    names = "before", "saved", "again", "copy", "during"
    before, saved, again, copy, during = (tmp_path / f"{name}.blend" for name in names)
    bpy.ops.wm.save_as_mainfile(filepath=str(before), copy=True)
    rig.inertia.follow_cut = follow
    previewing.begin(scene, rig)
    scene.frame_set(25)
    for path, how in ((saved, {}), (again, {}), (copy, {"copy": True})):
        bpy.ops.wm.save_as_mainfile(filepath=str(path), **how)
        # at once it is shown again, where it was
        assert previewing.is_running(rig)
        assert showing.is_noted(scene)
        assert scene.frame_current == 25
    # what could not be saved takes nothing away either
    with pytest.raises(RuntimeError):
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "nowhere" / "file.blend"))
    assert showing.is_noted(scene)
    # an autosave asks no handler
    kept = list(bpy.app.handlers.save_pre)
    bpy.app.handlers.save_pre.clear()
    bpy.ops.wm.save_as_mainfile(filepath=str(during), copy=True)
    bpy.app.handlers.save_pre.extend(kept)
    previewing.end()
    plain = contents()
    first, *others, meanwhile = without_the_extension(before, saved, again, copy, during)
    assert first[0] == []
    assert others == [first] * 3
    assert meanwhile[0]
    bpy.ops.wm.open_mainfile(filepath=str(during))
    # the frame is shown anew, which is the end of what is posed where it is keyed
    assert set(differences(plain, contents())) <= {"objects/Rig.pose.bones[1].rotation_euler"}


def test_a_session_that_is_quit_keeps_nothing_of_it(rig: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    before = contents()
    previewing.begin(bpy.context.scene, rig)
    bpy.ops.ed.undo_push(message="meanwhile")
    previewing.on_exit()
    assert differences(before, contents()) == {}
    # nor is the last state for undo one with a preview, of which Blender makes the session to recover
    bpy.ops.ed.undo_push(message="another")
    bpy.ops.ed.undo()
    assert not any(map(showing.is_noted, bpy.data.scenes))


def test_undo_and_redo_meet_it(rig: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    before = contents()
    previewing.begin(bpy.context.scene, rig)
    shown = poses(rig)
    rig.inertia.blend_frames = 20.0
    previewing.watch()
    bpy.ops.ed.undo_push(message="blend frames")
    bpy.ops.ed.undo()
    previewing.watch()
    rig = bpy.data.objects["Rig"]
    np.testing.assert_array_equal(poses(rig), shown)
    previewing.end()
    # without a window undo and redo show the frame anew, which is the end of what is posed and not keyed
    animated = {"objects/Rig.pose.bones[1].rotation_euler"}
    assert set(differences(before, contents())) <= animated
    # this state was kept during the preview
    bpy.ops.ed.redo()
    assert not any(map(showing.is_noted, bpy.data.scenes))
    bpy.data.objects["Rig"].inertia.property_unset("blend_frames")
    assert set(differences(before, contents())) <= animated


def test_a_preview_ends_when_the_character_is_posed_or_plays_something_else(rig: Any) -> None:
    previewing.begin(bpy.context.scene, rig)
    previewing.watch()
    previewing.watch()
    assert previewing.is_running(rig)
    rig.pose.bones["spine"].rotation_euler.x += 0.1
    previewing.watch()
    assert not previewing.is_running(rig)
    assert tuple(rig.pose.bones["spine"].rotation_euler) == (1.0, 2.0, 3.0)
    previewing.begin(bpy.context.scene, rig)
    rig.animation_data.action = rig.inertia.source
    previewing.watch()
    assert not previewing.is_running(rig)
    assert not any(map(showing.is_noted, bpy.data.scenes))


def test_unkeyed_bones_are_taken_as_they_stand_without_the_preview(rig: Any) -> None:
    before = unkeyed.of_bones(rig)
    assert before
    previewing.begin(bpy.context.scene, rig)
    bpy.context.scene.frame_set(24)
    assert unkeyed.of_bones(rig) == before
    previewing.end()
    assert unkeyed.of_bones(rig) == before


def test_a_bake_takes_its_place_on_the_frame_that_is_shown(rig: Any) -> None:
    previewing.begin(bpy.context.scene, rig)
    bpy.context.scene.frame_set(25)
    bpy.ops.inertia.bake_transition()
    assert not previewing.is_running()
    assert bpy.context.scene.frame_current == 25
    assert not showing.is_noted(bpy.context.scene)


def test_stepping_through_pairs_shows_each_and_bakes_it_where_that_is_asked_for(rig: Any) -> None:
    bpy.ops.inertia.find_meeting(goal="PAIRS", count=3)
    previewing.begin(bpy.context.scene, rig)
    bpy.ops.inertia.step_pair(step=1)
    previewing.watch()
    assert previewing.is_running(rig)
    shown = poses(rig)
    rig.inertia_search.rebake = True
    bpy.ops.inertia.step_pair(step=1)
    assert not previewing.is_running()
    bpy.ops.inertia.step_pair(step=-1)
    np.testing.assert_array_equal(poses(rig), shown)


def test_properties_of_other_kinds_are_shown_too(rig: Any) -> None:
    """A switch, a number and an array among the custom properties, the object, and a keyed rotation mode."""
    rig["turns"], rig["spread"] = 3, [0.0, 1.0]
    rig.pose.bones["hips"]["IK"] = 0.0
    for name, value in (("Walk", 0), ("Run", 5)):
        rig.animation_data.action = bpy.data.actions[name]
        rig["turns"], rig["spread"], rig.pose.bones["hips"]["IK"] = value, [value, 2.0 * value], 0.1 * value
        rig.location.x, rig.hide_render = value, bool(value)
        rig.pose.bones["hand.L"].rotation_mode = "ZYX" if value else "XYZ"
        for path in ('["turns"]', '["spread"]', 'pose.bones["hips"]["IK"]', "location", "hide_render"):
            rig.keyframe_insert(path, frame=10)
        rig.pose.bones["hand.L"].keyframe_insert("rotation_mode", frame=10)

    def values() -> list[Any]:
        found = []
        for frame in (12, 20, 23, 30):
            bpy.context.scene.frame_set(frame)
            found.append((rig["turns"], *rig["spread"], rig.pose.bones["hips"]["IK"], *rig.location))
            found.append((rig.hide_render, rig.pose.bones["hand.L"].rotation_mode))
        return found

    rig.inertia.alignment = "NONE"
    bpy.context.scene.frame_set(7)
    with left_as_it_was():
        previewing.begin(bpy.context.scene, rig)
        shown = values()
        previewing.end()
    bpy.ops.inertia.bake_transition()
    for one, other in zip(shown, values(), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_companions_who_get_the_result_are_previewed_too(rig: Any) -> None:
    if not hasattr(rig.animation_data, "action_slot"):
        pytest.skip("before Blender 4.4 an action has no slots")
    ball = bpy.data.objects.new("Ball", None)
    bpy.context.scene.collection.objects.link(ball)
    for name, place in (("Walk", 1.0), ("Run", 4.0)):
        ball.animation_data_clear()
        ball.animation_data_create().action = bpy.data.actions[name]
        ball.location.z = place
        ball.keyframe_insert("location", frame=10)
    rig.inertia.assign_others = True
    before = contents()
    previewing.begin(bpy.context.scene, rig)
    places = []
    for frame in (10, 25, 50):
        bpy.context.scene.frame_set(frame)
        places.append(ball.location.z)
    assert places[0] == 1.0 < places[1] < places[2] == 4.0
    previewing.end()
    assert differences(before, contents()) == {}


def test_the_button_says_that_it_ends_it(rig: Any) -> None:
    panel = panel_named("transition")
    assert "inertia.preview" in drawn(panel).pressed
    previewing.begin(bpy.context.scene, rig)
    assert "Stop" in drawn(panel).pressed


def test_a_preview_that_can_not_be_says_why(rig: Any) -> None:
    rig.inertia.cut = 900.0
    with pytest.raises(RuntimeError, match="lies outside"):
        bpy.ops.inertia.preview()
    assert not previewing.is_running()
    make_rig("Other")
    assert not bpy.ops.inertia.preview.poll()


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch, rig: Any) -> list[Any]:
    """The windows that show the tab, which there are none of without a window."""
    windows = [types.SimpleNamespace(view_layer=bpy.context.view_layer, scene=bpy.context.scene)]
    monkeypatch.setattr(previewing, "_windows_with_tab", lambda: iter(windows))
    monkeypatch.setattr(previewing, "QUICK_SECONDS", float("inf"))
    bpy.context.view_layer.objects.active = rig
    return windows


def begin_following(rig: Any) -> None:
    """As when an animator moves the cut."""
    previewing._wanted = rig.session_uid
    previewing.watch()


def test_the_character_follows_the_cut_and_time_stays_the_animators(rig: Any, looked_at: list[Any]) -> None:
    scene = bpy.context.scene
    rig.inertia.enter_at = "FIRST"  # what is found is followed later
    with left_as_it_was():
        begin_following(rig)
        assert previewing.is_running(rig)
        assert not scene.use_preview_range
        rig.inertia.cut += 1
        previewing.watch()
        shown = poses(rig)
        scene.frame_set(7)
        previewing.end()
        rig.inertia.cut -= 1
        # the frame is shown anew, which is the end of what is posed where it is keyed
        rig.pose.bones["spine"].rotation_euler = (1.0, 2.0, 3.0)
    rig.inertia.cut += 1
    bpy.ops.inertia.bake_transition()
    np.testing.assert_array_equal(poses(rig), shown)


@pytest.mark.parametrize("end", ["keyed", "switched off", "tab closed", "too slow"])
def test_the_character_follows_only_where_that_is_in_nobodys_way(
    rig: Any, looked_at: list[Any], monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    begin_following(rig)
    previewing.watch()
    assert previewing.is_running(rig)
    if end == "keyed":
        rig.pose.bones["hips"].keyframe_insert("location", frame=33)
    elif end == "switched off":
        rig.inertia.follow_cut = False
    elif end == "tab closed":
        looked_at.clear()
    else:
        monkeypatch.setattr(previewing, "QUICK_SECONDS", 0.0)
        rig.inertia.cut += 1
        previewing.watch()
    previewing.watch()
    assert not previewing.is_running(rig)
    assert not any(map(showing.is_noted, bpy.data.scenes))
    assert previewing.is_slow(rig) == (end == "too slow")
    if end in ("switched off", "tab closed", "too slow"):
        begin_following(rig)
        assert not previewing.is_running(rig)


def test_the_character_follows_no_cut_while_keys_are_set_by_themselves(
    rig: Any, looked_at: list[Any]
) -> None:
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    begin_following(rig)
    assert not previewing.is_running(rig)
