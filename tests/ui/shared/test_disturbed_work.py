# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever happens between two slices of long work, it goes on, or it ends in a sentence and leaves nothing.

Each work is disturbed by each disturbance, at its beginning, its middle or its end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import compat
from inertia_addon.blender.evaluation import joint_motion, playback
from inertia_addon.blender.judging import remedies
from inertia_addon.blender.matching import action_set
from inertia_addon.ui.learned import training
from inertia_addon.ui.matching import operators as path_operators
from inertia_addon.ui.matching import searching
from inertia_addon.ui.shared import cache, long_work
from tests.blender import clips, stepper, wanderer
from tests.ui.pressed import ESC, Pressed, press
from tests.ui.rigs import keys_of

Where = float
BEGINNING, MIDDLE, LAST = 0.0, 0.5, 1.0
PLACES = (BEGINNING, MIDDLE, LAST)
ALL = bool(os.environ.get("INERTIA_ALL_DISTURBANCES"))
"""Whether to have every work disturbed by everything, which takes minutes."""
FRAMES = 33
"""Of each clip: as many as the works need."""


# --- the works


def _path(armature: Any) -> None:
    own = armature.inertia_path
    own.followed, own.mirror, own.width = wanderer.draw_curve("Street", 0.4), False, 2
    own.ahead_seconds = 0.2


def _result(armature: Any) -> None:
    _path(armature)
    bpy.ops.inertia.bake_path()


def _list(armature: Any) -> None:
    pair = armature.inertia_library.pairs.add()
    pair.source, pair.destination = bpy.data.actions["Walk"], bpy.data.actions["Turn"]
    pair.cut, pair.destination_frame = 20.0, 8.0


def _pair(_armature: Any) -> None:
    """The two actions that are chosen anyway."""


def _meeting(armature: Any) -> None:
    own = armature.inertia
    # which is not looked for, as feet are not held
    own.use_destination_frame, own.destination_frame, own.feet = True, 12.0, "OFF"


def _entered(armature: Any) -> None:
    armature.inertia.use_destination_frame, armature.inertia.destination_frame = True, 12.0


def _gap(armature: Any) -> None:
    own, gap = armature.inertia, armature.inertia_fill
    own.cut, own.use_destination_frame, own.destination_frame = 20.0, True, 12.0
    gap.gap_frames, gap.use_place, gap.place, gap.facing = 24.0, True, (0.1, -1.1), -1.4


def _several(armature: Any) -> None:
    other = armature.copy()
    bpy.context.collection.objects.link(other)
    other.name = "Twin"
    for each in (armature, other):
        each.select_set(True)


_trained: list[bytes] = []
"""The file of a model, once there is one."""


def _model(armature: Any) -> None:
    _path(armature)
    # else there is too little to learn from
    wanderer.turning(armature, "Round", 0.5, FRAMES)
    file = Path(armature.inertia_learned.model)
    if _trained:
        file.write_bytes(_trained[0])
        return
    armature.inertia_path.mirror = True
    with mock.patch.multiple(joint_motion, SLICE_SECONDS=1.0, OVERHEAD=1.0):
        bpy.ops.inertia.train_model()
    armature.inertia_path.mirror = False
    _trained.append(file.read_bytes())


def _crowd(armature: Any) -> None:
    _model(armature)
    _several(armature)
    bpy.data.objects["Twin"].inertia_path.followed = wanderer.draw_curve("Lane", 0.3)


WORKS: dict[str, tuple[str, Callable[[Any], None]]] = {
    "find path": ("find_path", _path),
    "bake path": ("bake_path", _path),
    "rebake": ("rebake", _result),
    "bake transition": ("bake_transition", _entered),
    "bake selected": ("bake_selected", _several),
    "bake list": ("bake_library", _list),
    "find best frames": ("find_meeting", _pair),
    "evaluate clips": ("evaluate_clips", _pair),
    "judge": ("judge", _meeting),
    "suggest blend time": ("suggest_blend_time", _meeting),
    "find hops": ("find_hops", _pair),
    "find loop": ("find_loop", _pair),
    "make loop": ("make_loop", _pair),
    "find contacts": ("find_contacts", _pair),
    "find pops": ("find_pops", _pair),
    "measure actions": ("measure_actions", _pair),
    "check model": ("check_model", _model),
    "bake model": ("bake_model", _model),
    "bake crowd": ("bake_crowd", _crowd),
    "keep take": ("steer", _path),
    "find fill": ("find_fill", _gap),
    "fill gap": ("bake_fill", _gap),
}
VALUES: dict[str, dict[str, Any]] = {"keep take": {"wishes": "0,0,0;0.5,0,-0.6;2,0,0", "start": "0,0,-90"}}
"""What a work is given, beside what the armature has."""

# --- the disturbances


def _remove(name: str, kind: str = "objects") -> None:
    held = getattr(bpy.data, kind)
    held.remove(held[name])


def _edit(change: Callable[[Any], None]) -> None:
    armature = bpy.data.objects["Walker"]
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    change(armature.data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")


def _move_key() -> None:
    point = wanderer.bags(bpy.data.actions["Walk"])[0][0].keyframe_points[3]
    point.co.y += 0.25


def _shift_curve() -> None:
    if "Street" in bpy.data.curves:
        bpy.data.curves["Street"].splines[0].points[1].co.y -= 0.2
        bpy.data.curves["Street"].update_tag()


def _all_of(kind: str, change: Callable[[Any], None]) -> None:
    for each in list(getattr(bpy.data, kind)):
        change(each)


def _take_model_away() -> None:
    Path(bpy.data.objects["Walker"].inertia_learned.model).unlink(missing_ok=True)


def _another_file() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def _hide() -> None:
    bpy.context.view_layer.layer_collection.exclude = True
    for layer in bpy.context.view_layer.layer_collection.children:
        layer.exclude = True


def _rename(name: str, kind: str) -> None:
    if name in getattr(bpy.data, kind):
        getattr(bpy.data, kind)[name].name = "Other Name"


UNRELATED: dict[str, Callable[[], None]] = {
    "deselect": lambda: bpy.data.objects["Walker"].select_set(False),
    "nothing active": lambda: setattr(bpy.context.view_layer.objects, "active", None),
    "another active": lambda: setattr(
        bpy.context.view_layer.objects, "active", bpy.data.objects["Bystander"]
    ),
    "another frame": lambda: bpy.context.scene.frame_set(33),
    "remove another object": lambda: _remove("Bystander"),
    "rename another object": lambda: setattr(bpy.data.objects["Bystander"], "name", "Passer-by"),
}
"""What no work minds."""
DECISIVE: dict[str, Callable[[], None]] = {
    "remove armature": lambda: _remove("Walker"),
    "remove its data": lambda: _remove(bpy.data.objects["Walker"].data.name, "armatures"),
    "rename armature": lambda: setattr(bpy.data.objects["Walker"], "name", "Runner"),
    "rename bone": lambda: setattr(bpy.data.objects["Walker"].data.bones["hips"], "name", "pelvis"),
    "delete bone": lambda: _edit(lambda bones: bones.remove(bones["foot.L"])),
    "edit and leave": lambda: _edit(lambda bones: None),
    "edit mode": lambda: bpy.ops.object.mode_set(mode="EDIT"),
    "frame rate": lambda: setattr(bpy.context.scene.render, "fps", 60),
    "another file": _another_file,
}
"""What no work can go on after."""
AFTER_KIND: dict[str, Callable[[], None]] = {
    "remove actions": lambda: _all_of("actions", bpy.data.actions.remove),
    "rename actions": lambda: _all_of("actions", lambda each: setattr(each, "name", each.name + " B")),
    "edit keys": _move_key,
    "remove curve": lambda: _all_of("curves", bpy.data.curves.remove),
    "rename curve": lambda: _rename("Street", "objects"),
    "reshape curve": _shift_curve,
    "take the model away": _take_model_away,
    "exclude collections": _hide,
}
"""What some works can go on after."""
if compat.has_slots():
    AFTER_KIND["remove slots"] = lambda: _all_of(
        "actions", lambda each: [each.slots.remove(slot) for slot in list(each.slots)]
    )
    AFTER_KIND["rename slots"] = lambda: _all_of(
        "actions", lambda each: [setattr(slot, "name_display", "Somebody") for slot in each.slots]
    )
DISTURBANCES = {**UNRELATED, **DECISIVE, **AFTER_KIND}


def begin(work: str, tmp_path: Path) -> str:
    """A file in which a work can begin, with nothing kept of another one; returns the operator."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    action_set.forget()
    armature = stepper.biped()
    for action, turn in (("Walk", 0.02), ("Bend", 0.3), ("Turn", 0.8)):
        wanderer.turning(armature, action, turn, FRAMES)
    own = armature.inertia
    own.source, own.destination, own.cut = bpy.data.actions["Walk"], bpy.data.actions["Turn"], 20.0
    armature.inertia_loops.action = bpy.data.actions["Walk"]
    clips.play(armature, bpy.data.actions["Walk"])
    for action in bpy.data.actions:
        action.use_fake_user = True
    learned = armature.inertia_learned
    learned.model, learned.hidden, learned.latent = str(tmp_path / "walker.npz"), 8, 3
    learned.minutes = 0.001
    bystander = bpy.data.objects.new("Bystander", None)
    bpy.context.collection.objects.link(bystander)
    name, prepare = WORKS[work]
    prepare(armature)
    bpy.context.view_layer.update()
    return name


@pytest.fixture
def by_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What Blender plays is played a frame at a time; nothing is left behind."""
    monkeypatch.setattr(joint_motion, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(joint_motion, "OVERHEAD", 0.0)
    # fewer lengths and pairs are tried
    monkeypatch.setattr(remedies, "LENGTHS", 3)
    monkeypatch.setattr(remedies, "NEAR_SECONDS", remedies.NEAR_SECONDS[:1])
    yield
    training.forget()
    searching.forget()
    cache.forget()


_lengths: dict[str, int] = {}
"""How many steps each work takes when nothing disturbs it."""


def length(work: str, tmp_path: Path) -> int:
    """How many ticks a work takes."""
    if work not in _lengths:
        pressed, count = press(begin(work, tmp_path), **VALUES.get(work, {})), 0
        while pressed.goes_on:
            pressed.tick()
            count += 1
        assert pressed.state == {"FINISHED"}, pressed.said
        assert pressed.window.is_tidy()
        _lengths[work] = count
    return _lengths[work]


def disturbed(work: str, disturbance: str, where: Where, tmp_path: Path) -> tuple[Pressed, dict[int, Any]]:
    """A work that was disturbed, at its end; and the file's actions with their keys, right behind that."""
    count = length(work, tmp_path) if where else 1
    name = begin(work, tmp_path)
    before = {action.session_uid for action in bpy.data.actions}
    pressed = press(name, **VALUES.get(work, {}))
    for _ in range(min(round(where * count), count - 1)):
        pressed.tick()
    assert pressed.goes_on
    DISTURBANCES[disturbance]()
    after = {a.session_uid: keys_of(a) for a in bpy.data.actions if a.session_uid in before}
    return pressed.finish(), after


def check_tidy(pressed: Pressed, said: str) -> None:
    """Nothing is left running; what was said is one sentence."""
    assert pressed.window.is_tidy()
    assert not long_work._going
    assert not playback.is_running()
    assert "Traceback" not in said
    assert (len(pressed.errors) == 1) == (pressed.state == {"CANCELLED"}) or pressed.said[-1][0] == "INFO"
    assert not any("failed" in text for text in pressed.errors)


TURNS = len(DISTURBANCES) if ALL else len(PLACES)
"""How many disturbances each work has; works take turns. Baking a path has all of them."""
THOROUGHLY = "bake path"


@pytest.mark.slow
@pytest.mark.variants(4)
@pytest.mark.parametrize("turn", range(TURNS))
@pytest.mark.parametrize("work", WORKS)
def test_work_that_is_disturbed_goes_on_or_ends_in_a_sentence(
    work: str, turn: int, by_steps: None, tmp_path: Path, capfd: Any
) -> None:
    i = [*WORKS].index(work)
    disturbance = [*DISTURBANCES][(turn * len(DISTURBANCES) // TURNS + i) % len(DISTURBANCES)]
    check(work, disturbance, PLACES[(turn + i) % 3], tmp_path, capfd)


@pytest.mark.variants(3)
@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_a_path_is_baked_or_that_ends_in_a_sentence(
    disturbance: str, by_steps: None, tmp_path: Path, capfd: Any
) -> None:
    check(THOROUGHLY, disturbance, PLACES[[*DISTURBANCES].index(disturbance) % 3], tmp_path, capfd)


def check(work: str, disturbance: str, where: Where, tmp_path: Path, capfd: Any) -> None:
    """A disturbed work goes on, or it ends in a sentence and leaves nothing; the next press works."""
    pressed, after = disturbed(work, disturbance, where, tmp_path)
    check_tidy(pressed, capfd.readouterr().err)
    if disturbance in UNRELATED:
        assert pressed.state == {"FINISHED"}, pressed.said
    elif disturbance in DECISIVE:
        assert pressed.state == {"CANCELLED"}, pressed.said
    if pressed.state == {"CANCELLED"}:
        # what was begun is gone, and all else is as it was
        assert {a.session_uid: keys_of(a) for a in bpy.data.actions} == after
    # the next press works, or says why not
    operator = getattr(bpy.ops.inertia, WORKS[work][0])
    if bpy.context.object is not None and operator.poll():
        again = press(WORKS[work][0], **VALUES.get(work, {}))
        if where != LAST and again.goes_on:
            again.tick(ESC)
        else:
            again.finish()
        check_tidy(again, capfd.readouterr().err)


@pytest.mark.variants(1)
@pytest.mark.parametrize("strips", [False, True])
def test_work_that_fails_at_the_very_end_is_taken_back(
    *, strips: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    name = begin("bake path", tmp_path)
    armature, scene = bpy.data.objects["Walker"], bpy.context.scene
    armature.inertia_path.strips = strips
    scene.frame_set(12)

    def state() -> Any:
        tracks = [track.name for track in armature.animation_data.nla_tracks]
        keys = {action.name: keys_of(action) for action in bpy.data.actions}
        return tracks, keys, compat.assigned(armature), scene.frame_current, scene.use_preview_range

    def fail(_operator: Any, context: Any, *_: Any) -> None:
        # the action is made, and plays, by then
        assert state() != before
        context.scene.frame_set(30)
        context.scene.use_preview_range = True
        raise KeyError("of ours")

    before = state()
    with monkeypatch.context() as patched:
        patched.setattr(path_operators, "tell_steps", fail)
        with pytest.raises(RuntimeError, match="Bake Path failed: KeyError: 'of ours'"):
            getattr(bpy.ops.inertia, name)()
    assert "raise KeyError" in capfd.readouterr().err
    assert state() == before
    assert getattr(bpy.ops.inertia, name)() == {"FINISHED"}


def test_a_handler_that_removes_what_is_worked_at_is_told(by_steps: None, tmp_path: Path, capfd: Any) -> None:
    name = begin("evaluate clips", tmp_path)
    # then only Blender can say where the joints are, and shows frames for that
    armature = bpy.data.objects["Walker"]
    constraint = armature.pose.bones["hips"].constraints.new("COPY_LOCATION")
    constraint.target, constraint.influence = bpy.data.objects["Bystander"], 0.5
    before = {action.name: keys_of(action) for action in bpy.data.actions if action.name != "Turn"}

    def meddle(*_: Any) -> None:
        if "Turn" in bpy.data.actions:
            bpy.data.actions.remove(bpy.data.actions["Turn"])

    bpy.app.handlers.frame_change_post.append(meddle)
    try:
        with pytest.raises(RuntimeError, match='the action "Turn" was removed meanwhile'):
            getattr(bpy.ops.inertia, name)()
    finally:
        bpy.app.handlers.frame_change_post.remove(meddle)
    assert not playback.is_running()
    assert {action.name: keys_of(action) for action in bpy.data.actions} == before
