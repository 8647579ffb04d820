# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of an armature."""

from __future__ import annotations

import numpy as np
import pytest

from inertia_addon.blender.data import rig, rigs
from inertia_addon.motion import quaternion
from tests.blender import builders, stepper
from tests.blender.placing import PLACES, put


@pytest.mark.parametrize("place", PLACES)
def test_a_character_is_as_large_wherever_it_looks(fresh_file: None, place: str) -> None:
    armature = stepper.biped()
    before = rigs.read(armature).size
    assert before == pytest.approx(np.linalg.norm((0.2, stepper.BALL + 0.07, 1.75 - 0.02)), rel=0.02)
    there = put(armature, place)
    assert rigs.read(armature).size == pytest.approx(before * np.cbrt(np.linalg.det(there[:3, :3])), rel=1e-5)


@pytest.mark.parametrize("number", [-3.0, -1.0, 0.0, 1.0, 6.0, 9.0])
def test_the_mode_of_a_keyed_number_is_the_one_that_blender_plays(fresh_file: None, number: float) -> None:
    armature = builders.rig({"A": None})
    action = builders.action("Keyed")
    values = {
        "rotation_quaternion": (0.9, 0.1, 0.3, 0.2),
        "rotation_axis_angle": (0.5, 0.0, 1.0, 1.0),
        "rotation_euler": (0.5, 0.7, 0.9),
    }
    # to set a mode converts the rotation, so it comes before
    builders.curve(action, builders.bone_path("A", "rotation_mode"), 0, [(1, number)])
    for prop, row in values.items():
        builders.curves(action, builders.bone_path("A", prop), [(1, row)])
    mode = rig.mode_of_number(number)
    meant = quaternion.to_quaternion(np.array([values[quaternion.rotation_property(mode)[0]]]), mode)[0]
    (shown,) = builders.shown(
        armature, action, [1.0], lambda: armature.pose.bones["A"].matrix_basis.to_quaternion()
    )
    assert abs(float(np.dot(shown, meant))) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("count", "is_tail_used", "turned"),
    [
        (0, True, ["C", "B", "A"]),
        (0, False, ["B", "A"]),
        (1, True, ["C"]),
        (2, True, ["C", "B"]),
        (2, False, ["B", "A"]),
    ],
)
def test_ik_turns_the_bones_of_its_chain(
    fresh_file: None, count: int, turned: list[str], *, is_tail_used: bool
) -> None:
    armature = builders.rig({"A": None, "B": "A", "C": "B", "Other": None})
    tip = armature.pose.bones["C"]
    ik = tip.constraints.new("IK")
    ik.target, ik.subtarget = armature, "Other"
    ik.chain_count, ik.use_tail = count, is_tail_used
    assert [bone.name for bone in rigs.turned_by(tip, ik)] == turned
    assert rigs.ik_chains(armature) == {name: [ik] for name in turned}
    ik.mute = True
    assert rigs.ik_chains(armature) == {}


@pytest.mark.parametrize(
    ("path", "carrier"),
    [
        ("location", None),
        ("delta_location", rig.DELTA),
        (builders.bone_path("A", "location"), "A"),
        ('objects["Cart"].location', 'objects["Cart"].'),
        ('objects["Cart"].delta_location', 'objects["Cart"].delta_'),
    ],
)
def test_a_channels_carrier_is_told_by_its_path(path: str, carrier: str | None) -> None:
    assert rig.carrier_of(path) == carrier
    assert path.startswith(rig.carrier_prefix(carrier))
