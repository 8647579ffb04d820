# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs and contacts of a made-up walk: found, edited, stored, and of cycles and constrained rigs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import clip_store
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.feet import contacts, legs
from inertia_addon.errors import InertiaError
from inertia_addon.motion.feet.contacts import Span
from inertia_addon.motion.steps import finish
from inertia_addon.settings.feet import ContactSettings
from tests.blender import builders, stepper, walkers


@pytest.fixture
def armature(fresh_file: None) -> Any:
    return stepper.biped()


def of(armature: Any, action: Any, *, once: bool = True) -> contacts.Contacts:
    """once: whether the clip ends on a stride of its own, so that it is no cycle."""
    found = finish(contacts.read_contacts_steps(read_character(armature), clip_store.read(armature, action)))
    assert (found.period is None) == once
    return found


def starts(found: contacts.Contacts) -> list[list[float]]:
    return [[span.start for span in spans] for spans in found.spans]


def test_a_walks_legs_and_contacts_are_found(armature: Any) -> None:
    found = of(armature, stepper.walk(armature, frames=55))
    assert [leg.name for leg in found.legs] == ["foot.L", "foot.R"]
    names = armature.data.bones.keys()
    assert [names[i] for i in found.legs[0].joints] == ["thigh.L", "shin.L", "foot.L"]
    np.testing.assert_allclose(found.lengths, stepper.THIGH + stepper.SHIN, rtol=1e-6)
    ball = stepper.ball_at(found.frames, 0.0)
    np.testing.assert_allclose(found.points[:, 0, 1:], ball * (-1.0, 1.0), atol=1e-6)
    # planted for half a second from each second on, and the other foot from each half second on
    np.testing.assert_allclose(starts(found)[0], [1, 25, 49], atol=2.0)
    np.testing.assert_allclose(starts(found)[1], [1, 13, 37][-len(starts(found)[1]) :], atol=2.0)
    assert found.spans[0][0].end == pytest.approx(13, abs=2.0)


@pytest.mark.parametrize("place", ["small", "large", "placed"])
def test_contacts_do_not_depend_on_how_the_character_stands(armature: Any, place: str) -> None:
    action = stepper.walk(armature, frames=55)
    plain = of(armature, action).spans
    walkers.PLACES[place](armature)
    bpy.context.view_layer.update()
    found = of(armature, action)
    assert found.spans == plain
    assert contacts.find_at(read_character(armature), found.frames, found.points, found.legs) == plain


def test_a_cycles_contacts_go_on_at_its_beginning(armature: Any) -> None:
    found = of(armature, stepper.walk(armature, frames=25, late=0.25), once=False)
    assert found.clip == (1.0, 25.0)
    (left,), (right,) = found.spans
    np.testing.assert_allclose([left.start, left.end, right.start, right.end], [7, 19, 19, 31], atol=2.0)
    # the same as in a clip that plays on
    longer = of(armature, stepper.walk(armature, "Longer", frames=55, late=0.25))
    played = found.at(0, 20.0, 40.0)
    assert [span.start for span in played] == pytest.approx(
        [span.start for span in longer.spans[0] if span.end >= 20.0 and span.start <= 40.0], abs=1.0
    )


def test_edited_contacts_are_stored_with_the_action_by_feet(armature: Any) -> None:
    action = stepper.walk(armature, frames=55)
    plain = of(armature, action)
    assert contacts.STORED not in action
    contacts.store(action, {"foot.R": (Span(3.5, 9.0), Span(20.0, 30.0))})
    found = of(armature, action)
    assert found.spans == (plain.spans[0], (Span(3.5, 9.0), Span(20.0, 30.0)))
    assert found.edited == {"foot.R"}
    assert contacts.stored(action.copy()) == contacts.stored(action)
    contacts.store(action, {})
    assert contacts.STORED not in action


@pytest.mark.parametrize(
    "text",
    [
        "walk",
        "[1]",
        "[" * 100_000,
        *(
            f'{{"foot.L": {spans}}}'
            for spans in ("3", '[[3, "x"]]', "[[9, 3]]", "[[1, NaN]]", "[[1, 1e999]]", f"[[1, {'9' * 400}]]")
        ),
    ],
    ids=range(9),
)
def test_stored_contacts_that_cannot_be_are_told(armature: Any, text: str) -> None:
    action = stepper.walk(armature, frames=13)
    action[contacts.STORED] = text
    with pytest.raises(InertiaError):
        contacts.stored(action)


def test_a_constrained_rig_is_played(armature: Any) -> None:
    action = stepper.walk(armature, frames=30)
    plain = of(armature, action)
    # a constraint that changes nothing
    bone = armature.pose.bones["head"]
    bone.constraints.new("LIMIT_SCALE")
    played = of(armature, action)
    np.testing.assert_allclose(played.points, plain.points, atol=1e-5)
    assert played.spans == plain.spans


def test_contacts_are_found_by_the_settings(armature: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = clip_store.read(armature, stepper.walk(armature, frames=55, skate=0.3))
    held = []
    for settings in (ContactSettings(speed=0.6), ContactSettings(speed=0.05, shortest_seconds=0.2)):
        monkeypatch.setattr(contacts, "stored_settings", lambda _armature, settings=settings: settings)
        spans = finish(contacts.read_contacts_steps(read_character(armature), clip)).spans[0]
        held.append(sum(span.frames for span in spans))
    assert held[0] > held[1]


def test_a_rig_without_legs_is_told(fresh_file: None) -> None:
    rope = builders.rig({"a": None, "b": "a", "c": "b"}, "Rope")
    action = builders.action("Swing", slot="Rope")
    builders.wave(action, builders.bone_path("b", "rotation_euler"), 0, 1.0, slot="OBRope")
    assert legs.of_armature(rope) == ()
    with pytest.raises(InertiaError, match='No legs were found on "Rope"'):
        finish(contacts.read_contacts_steps(read_character(rope), clip_store.read(rope, action)))


def test_the_row_of_a_found_leg_chooses_that_leg(armature: Any) -> None:
    for leg in legs.detected(armature):
        assert legs.leg_of_row(armature, legs.row_of(armature, leg)) == leg
    fault = legs.fault(armature, {"hip": "shin.R", "foot": "foot.L", "contact": ""})
    assert "is not below" in fault


def test_legs_of_a_list_count_that_are_in_use_and_have_no_fault(
    armature: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = legs.detected(armature)
    rows = [legs.row_of(armature, leg) for leg in (left, right)]
    faulty = {**rows[1], "hip": "nobody"}
    for listed, expected in (
        ([], (left, right)),
        (rows, (left, right)),
        ([rows[1], rows[0], rows[1]], (right, left)),
        ([{**rows[0], "use": False}, rows[1]], (right,)),
        ([rows[0], faulty], (left,)),
        ([{**rows[0], "use": False}, faulty], ()),
    ):
        monkeypatch.setattr(legs, "listed", lambda _armature, listed=listed: listed)
        assert legs.of_armature(armature) == expected
