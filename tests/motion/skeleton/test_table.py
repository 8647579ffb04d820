# SPDX-License-Identifier: GPL-3.0-or-later
"""All joints of the table of skeletons are right, or said to be unsure."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from inertia_addon.motion.skeleton import body_bones, extremities
from inertia_addon.motion.skeleton.extremities import Extremity
from inertia_addon.motion.skeleton.naming import ENDS, FINGER, OF_LIMBS, TOE, label
from tests.skeletons import FILE
from tests.skeletons.made_up import SKELETONS

TABLE: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
UNSURE = {"gorilla": ("HAND",)}
"""What is said to be unsure of the table; though right, it could be something else."""


def found(
    held: dict[str, Any], called: Callable[[str], str] = str
) -> tuple[dict[str, set[str]], list[Extremity]]:
    """The bones of each role, by their names in the table, and all that was found. called: other names."""
    joints = extremities.find(
        [called(name) for name in held["names"]],
        held["parents"],
        np.array(held["heads"]),
        np.array(held["tails"]),
        held["moving"],
        held.get("walked"),
    )
    roles: dict[str, set[str]] = {}
    for joint in joints:
        roles.setdefault(joint.role, set()).add(held["names"][joint.index])
    return roles, list(joints)


def right(held: dict[str, Any]) -> dict[str, set[str]]:
    return {role: set(bones) for role, bones in held["right"].items()}


@pytest.mark.parametrize("name", TABLE)
def test_joints_are_right_and_where_they_are_not_sure_that_is_said(name: str) -> None:
    roles, joints = found(TABLE[name])
    assert roles == right(TABLE[name])
    assert extremities.unsure((joint.role, joint.confidence) for joint in joints) == UNSURE.get(name, ())
    assert all(0.0 <= joint.confidence <= 1.0 for joint in joints)


@pytest.mark.parametrize("name", SKELETONS)
def test_the_table_holds_what_is_made_up(name: str) -> None:
    assert TABLE[name] == SKELETONS[name].values()


@pytest.mark.variants(30)
@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("pattern", ["Hero:{}", "Foot Hair {}", "{}_geo"])
def test_skeletons_do_not_depend_on_what_all_bones_are_called(name: str, pattern: str) -> None:
    assert found(TABLE[name], pattern.format)[0] == right(TABLE[name])


@pytest.mark.parametrize("name", [name for name in SKELETONS if not name.startswith(("mixamo", "roblox"))])
def test_capitals_do_not_matter(name: str) -> None:
    assert found(TABLE[name], str.lower)[0] == right(TABLE[name])


@pytest.mark.variants(16)
@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("size", [0.01, 100.0])
def test_size_and_place_do_not_matter(name: str, size: float) -> None:
    held = dict(TABLE[name])
    for ends in ("heads", "tails"):
        held[ends] = size * np.array(held[ends]) + size * np.array([3.0, -2.0, 5.0])
    assert found(held)[0] == right(TABLE[name])


@pytest.mark.parametrize("name", ["mixamo", "unreal", "quaternius", "vrm", "cloudrig", "spider"])
def test_names_that_say_nothing_leave_shapes_or_doubt(name: str) -> None:
    """Without names what is found is right, or it is unsure, or it is said that there are no limbs."""
    held = TABLE[name]
    number = {bone: f"Bone.{i}" for i, bone in enumerate(held["names"])}
    roles, joints = found(held, number.__getitem__)
    assert (
        {*roles} == {"OTHER"}
        or roles.get("FOOT") == right(held)["FOOT"]
        or extremities.unsure((joint.role, joint.confidence) for joint in joints)
    )


def test_feet_are_told_by_what_walks_on_the_ground() -> None:
    """A gorilla's hands are hands where only its feet walk, and feet where they do, too."""
    held = TABLE["gorilla"]
    walked = {"Foot.L": 0.5, "Foot.R": 0.5}
    shares = [walked.get(name, 0.0) for name in held["names"]]
    roles, joints = found({**held, "walked": shares})
    assert roles == right(held)
    assert not extremities.unsure((joint.role, joint.confidence) for joint in joints)
    walked |= {"Hand.L": 0.4, "Hand.R": 0.4}
    shares = [walked.get(name, 0.0) for name in held["names"]]
    assert found({**held, "walked": shares})[0]["FOOT"] == {"Foot.L", "Foot.R", "Hand.L", "Hand.R"}


@pytest.mark.parametrize(
    "name", ["mixamo", "unreal", "vrm", "3ds max biped", "daz", "smpl", "synty", "quaternius", "cmu02"]
)
@pytest.mark.parametrize("left_out", ["a half", "most", "limbs", "ends"])
def test_weights_are_only_one_witness(name: str, left_out: str) -> None:
    """A mesh may leave out any bones: whose hands and feet there are does not depend on it."""
    held = TABLE[name]
    parts = [label(bone).part for bone in held["names"]]
    chances = np.random.default_rng(5).random(len(parts))
    has_weights = {
        "a half": chances < 0.5,
        "most": chances < 0.2,
        "limbs": np.array([part not in (*OF_LIMBS, *ENDS, FINGER, TOE) for part in parts]),
        "ends": np.array([part not in (*ENDS, FINGER, TOE) for part in parts]),
    }[left_out]
    has_weights = has_weights & [not label(bone).is_control for bone in held["names"]]
    everything = np.ones(len(parts), bool)
    heads = np.array(held["heads"])
    moving = body_bones.find(held["names"], held["parents"], heads, has_weights, everything)
    roles, _ = found({**held, "moving": moving})
    assert {role: roles[role] for role in ENDS} == {role: right(held)[role] for role in ENDS}
