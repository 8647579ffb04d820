# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences and their lines."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data.report import BakedCurve
from inertia_addon.blender.transition.report import BakeReport, GuardedOffset
from inertia_addon.ui.shared import cache, words
from inertia_addon.ui.shared.labels import wrap
from inertia_addon.ui.transition import outlook, panels, results


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, []),
        ("one", 2, ["one"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 13, ["one two three"]),
        ("a verylongword b", 5, ["a", "verylongword", "b"]),
        ("  blanks   between ", 20, ["blanks between"]),
        ("slides 8.2 cm, 3 more", 10, ["slides", "8.2 cm, 3", "more"]),
        ("better than 28 %.", 15, ["better than", "28 %."]),
    ],
)
def test_a_text_is_wrapped_by_its_width(text: str, width: float, lines: list[str]) -> None:
    assert wrap(text, width, len) == lines


def test_numbers_are_short() -> None:
    assert [words.number(value) for value in (24.0, 24.5, 1 / 3, 100000.0)] == [
        "24",
        "24.5",
        "0.33",
        "100000",
    ]


def test_frames_and_durations_are_said_in_words(fresh_file: None) -> None:
    assert words.frames_text(1, 40) == "Frames 1 to 40"
    assert words.frames_text(3, 3) == "Frame 3"
    assert words.duration_text(1) == "1 frame, 0.04 s"


def guarded(bone: str, kind: str = "rotation") -> GuardedOffset:
    return GuardedOffset(bone, kind, 12.0, 6.0, 40.0, 20.0)


def report(**values: Any) -> BakeReport:
    plain: dict[str, Any] = {
        "result": "Walk to Run",
        "armature": "Rig",
        "slot": "OBRig",
        "assigned": True,
        "not_assigned_because": "",
        "fps": 24.0,
        "window": (24.0, 36.0),
        "until": 36.0,
        "frame_range": (1.0, 80.0),
        "alignment": "NONE",
        "root": "hips",
        "heading_degrees": 0.0,
        "translation": (0.0, 0.0, 0.0),
        "bones": 65,
        "channels": 260,
        "offsets": 65,
        "keys": 1000,
    }
    return BakeReport(**{**plain, **values})


def test_a_summary_says_what_a_bake_did() -> None:
    assert results.bake_sentence(report()) == 'Baked "Walk to Run": frames 24 to 36, 65 bones'
    notes = (guarded("arm.L"), guarded("arm.L", "location"), guarded("leg"))
    assert results.bake_sentence(report(guarded=notes), "Rebaked") == (
        'Updated "Walk to Run": frames 24 to 36, 65 bones, blend shortened on 2 bones'
    )


def test_warnings_end_with_why_it_is_not_assigned() -> None:
    curves = (
        BakedCurve("location", 0, 1.0, 9.0, "cycles modifier"),
        BakedCurve("location", 0, 9.0, 20.0, "noise"),
    )
    texts = results.bake_warnings(
        report(warnings=("One.",), baked_curves=curves, not_assigned_because="Two.")
    )
    assert texts[0] == "One."
    assert texts[1].startswith("1 curve gets a key on every frame")
    assert "cycles modifier and noise" in texts[1]
    assert texts[2] == "Two."


def test_guarded_bones_are_named_once() -> None:
    notes = [guarded(name) for name in ("a", "a", "b", "")]
    assert results.guard_text(notes) == "a and 2 more"
    assert results.guard_text(notes[:3]) == "a and b"
    assert results.guarded_bones(notes) == ["a", "b", "the object"]


def test_a_frame_outside_of_a_clip_is_known() -> None:
    assert words.outside(0.5, (1.0, 40.0))
    assert not words.outside(40.0005, (1.0, 40.0))
    assert not words.outside(99.0, None)


def test_scaled_bones_are_counted_where_they_are_many(rig: Any) -> None:
    for bone in rig.pose.bones:
        bone.inertia.blend_scale = 2.0
    assert panels.scaled_bones(rig, limit=2) == [
        ("hips", "2 times"),
        ("spine", "2 times"),
        ("", "and 1 more"),
    ]


def test_a_preflight_is_kept_until_something_changes(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # On a slow machine even this would be costly, and rest.
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    plans = []
    plan = outlook.bake.plan_transition
    monkeypatch.setattr(outlook.bake, "plan_transition", lambda *a, **how: plans.append(a) or plan(*a, **how))
    cache.forget()
    for _ in range(5):
        outlook.preflight(rig)
    assert len(plans) == 1
    changes = (
        lambda: setattr(rig.inertia, "cut", 21.0),
        lambda: setattr(rig.pose.bones["spine"], "rotation_mode", "ZYX"),
        lambda: setattr(rig.pose.bones["spine"].inertia, "blend_scale", 0.5),
        lambda: setattr(rig, "location", (1.0, 0.0, 0.0)),
        lambda: setattr(bpy.context.scene.render, "fps", 60),
        lambda: bpy.data.actions["Run"].__setattr__("name", "Sprint"),
    )
    for i, change in enumerate(changes, 2):
        change()
        for _ in range(3):
            outlook.preflight(rig)
        assert len(plans) == i


def test_posing_computes_nothing_anew(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.context.view_layer.update()
    outlook.preflight(rig)
    monkeypatch.setattr(outlook.bake, "plan_transition", None)
    rig.pose.bones["spine"].rotation_euler.x += 0.5
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(9)
    assert outlook.preflight(rig).ready


def test_an_edited_action_is_noticed(rig: Any) -> None:
    action = bpy.data.actions["Idle"]
    rig.inertia.source = action
    before = cache._changes
    rig.pose.bones["spine"].keyframe_insert("rotation_euler", frame=3)
    action.update_tag()
    bpy.context.view_layer.update()
    assert cache._changes > before


def test_a_costly_answer_rests(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(cache.time, "monotonic", lambda: now[0])

    def cost(seconds: float, answer: int) -> Any:
        def compute() -> int:
            now[0] += seconds
            return answer

        return compute

    ask = cache.answer
    assert ask("test", rig, 1, cost(0.5, 1)) == 1
    assert ask("test", rig, 2, cost(0.5, 2)) == 1
    now[0] += 4 * 0.5 + 0.01
    assert ask("test", rig, 2, cost(0.5, 2)) == 2
    assert ask("quick", rig, 1, cost(0.001, 1)) == 1
    assert ask("quick", rig, 2, cost(0.001, 2)) == 2
    cache.forget()
