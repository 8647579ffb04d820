# SPDX-License-Identifier: GPL-3.0-or-later
"""What a name on the command line finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inertia_addon.blender.data.names import choose_action, choose_armature
from inertia_addon.errors import InertiaError
from tests.batch.small_rig import Run

Inertia = Callable[..., Run]


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("Walk", ["Walk", "walk", "Walk_Rig"], "Walk"),
        ("Walk", ["Walk_Rig", "walk"], "Walk_Rig"),
        ("Walk", ["Walk_Other", "Walk_Rig"], "Walk_Rig"),
        ("walk", ["Rig|walk|Base", "Other|walk|Base"], "Rig|walk|Base"),
        ("WALK", ["Walk", "Run"], "Walk"),
        ("WALK", ["Walk_Rig", "Run"], "Walk_Rig"),
        ("Rig|walk|Base", ["Rig|walk|Base"], "Rig|walk|Base"),
    ],
)
def test_an_action_is_found(name: str, known: list[str], expected: str) -> None:
    assert choose_action(name, known, "Rig") == expected


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("WALK", ["Walk", "walk"], 'There is no action "WALK"; the file has "Walk", "walk".'),
        ("Wolk", ["Idle", "Run", "Walk"], 'There is no action "Wolk"; the file has "Walk", "Idle", "Run".'),
        ("Wolk", ["Idle", "Walk_Rig"], 'There is no action "Wolk"; the file has "Walk_Rig", "Idle".'),
        ("Walk", [], 'There is no action "Walk"; the file has none at all.'),
        ("x", [f"A{i}" for i in range(20)], "and 8 more"),
    ],
)
def test_an_action_that_is_not_there(name: str, known: list[str], said: str) -> None:
    with pytest.raises(InertiaError) as raised:
        choose_action(name, known, "Rig")
    assert said in str(raised.value)


def test_the_only_armature_needs_no_name() -> None:
    assert choose_armature(None, ["Rig"]) == "Rig"
    assert choose_armature("rig", ["Rig", "Other"]) == "Rig"


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        (None, [], "The file has no armature."),
        (None, ["A", "B"], 'The file has several armatures; choose one with --armature: "A", "B".'),
        ("C", ["A", "B"], 'There is no armature "C"; the file has "A", "B".'),
    ],
)
def test_an_armature_that_is_not_there(name: str | None, known: list[str], said: str) -> None:
    with pytest.raises(InertiaError) as raised:
        choose_armature(name, known)
    assert str(raised.value) == said


@pytest.mark.variants(2)
@pytest.mark.parametrize("command", ["check", "feet", "finish", "loop", "pops", "travel"])
def test_a_command_takes_the_only_action_and_asks_for_one_of_several(
    inertia: Inertia, tmp_path: Path, fresh_file: None, command: str
) -> None:
    import bpy

    from tests.blender import stepper

    one, two, out = (tmp_path / name for name in ("one.blend", "two.blend", "out.blend"))
    armature = stepper.biped()
    stepper.walk(armature, "Walk", skate=-stepper.STRIDE).use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(one))
    stepper.walk(armature, "Run", skate=-stepper.STRIDE).use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(two))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    writes: tuple[object, ...] = {"check": (), "finish": (), "pops": (), "loop": ("--find", "1")}.get(
        command, ("-o", out)
    )
    done = inertia(command, one, *writes, "--json")
    assert (done.code, "Walk" in done.out) == (0, True)
    asked = inertia(command, two, *writes)
    assert asked.code == 1
    assert 'The file has several actions; choose one with --action: "Run", "Walk".' in asked.err
