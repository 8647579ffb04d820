# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of made-up skeletons: what belongs to them, and what can't be one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.feet import legs
from inertia_addon.motion.feet.legs import Leg, RestBones

Bones = dict[str, tuple[str, tuple[float, float, float]]]
"""By name: what a bone hangs from, and where it begins, Z up."""

PERSON: Bones = {
    "hips": ("", (0.0, 0.0, 1.0)),
    **{
        name + side: (parent + (side if parent != "hips" else ""), (x * sign, y, z))
        for side, sign in ((".l", 1.0), (".r", -1.0))
        for name, parent, (x, y, z) in (
            ("hip_joint", "hips", (0.02, 0.0, 1.0)),
            ("thigh", "hip_joint", (0.1, 0.0, 0.95)),
            ("shin", "thigh", (0.1, 0.0, 0.52)),
            ("foot", "shin", (0.1, 0.0, 0.09)),
            ("heel", "foot", (0.1, 0.03, 0.02)),
            ("toe", "foot", (0.1, -0.12, 0.02)),
            ("nub", "toe", (0.1, -0.2, 0.02)),
        )
    },
}


def skeleton(bones: Bones) -> tuple[list[str], list[int], np.ndarray, np.ndarray]:
    """Names, parents, rest matrices with turned axes, and tails: at the first child, else close below."""
    names = list(bones)
    rest = np.tile(np.eye(4), (len(names), 1, 1))
    rest[:, :3, :3] = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    rest[:, :3, 3] = [place for _, place in bones.values()]
    parents = [names.index(parent) if parent else -1 for parent, _ in bones.values()]
    tails = [
        rest[parents.index(i), :3, 3] if i in parents else rest[i, :3, 3] - (0.0, 0.0, 0.03)
        for i in range(len(names))
    ]
    return names, parents, rest, np.array(tails)


def found(bones: Bones, *feet: str) -> list[Leg]:
    names, parents, rest, tails = skeleton(bones)
    return list(legs.find(RestBones(names, parents, rest, tails), [names.index(foot) for foot in feet]))


def named(bones: Bones, leg: Leg) -> list[str]:
    return [list(bones)[joint] for joint in leg.joints]


def test_a_persons_leg_is_thigh_shin_and_foot_and_stands_on_the_toe() -> None:
    left, right = found(PERSON, "foot.l", "foot.r")
    assert named(PERSON, left) == ["thigh.l", "shin.l", "foot.l"]
    assert named(PERSON, right) == ["thigh.r", "shin.r", "foot.r"]
    assert list(PERSON)[left.point] == list(PERSON)[left.ball] == "toe.l"
    assert (left.name, left.offset) == ("foot.l", (0.0, 0.0, 0.0))
    assert left.length == pytest.approx(0.86)
    legs.check(left)


def test_a_foot_without_toes_stands_on_its_end() -> None:
    bones = {name: bone for name, bone in PERSON.items() if name[:3] not in ("hee", "toe", "nub")}
    names, _, rest, _ = skeleton(bones)
    leg = found(bones, "foot.l", "foot.r")[0]
    assert leg.ball is None
    assert names[leg.point] == "foot.l"
    foot = rest[leg.point]
    np.testing.assert_allclose(foot[:3, :3] @ leg.offset + foot[:3, 3], (0.1, 0.0, 0.06))


def test_halves_of_bones_are_no_joints() -> None:
    halved: Bones = {
        "hips": ("", (0.0, 0.0, 1.0)),
        **{
            name + side: (parent + (side if parent != "hips" else ""), (0.1 * sign, 0.0, z))
            for side, sign in ((".l", 1.0), (".r", -1.0))
            for name, parent, z in (
                ("thigh", "hips", 0.9),
                ("thigh_twist", "thigh", 0.7),
                ("shin", "thigh_twist", 0.5),
                ("shin.001", "shin", 0.3),
                ("foot", "shin.001", 0.1),
            )
        },
    }
    leg = found(halved, "foot.l", "foot.r")[0]
    assert named(halved, leg) == ["thigh.l", "shin.l", "foot.l"]
    assert leg.lengths == pytest.approx((0.4, 0.4))


def test_a_dogs_leg_has_three_bones_and_no_shoulder_blade() -> None:
    dog: Bones = {
        "spine": ("", (0.0, 0.0, 0.7)),
        **{
            name + side: (parent + (side if parent != "spine" else ""), (0.1 * sign, y, z))
            for side, sign in ((".l", 1.0), (".r", -1.0))
            for name, parent, y, z in (
                ("blade", "spine", 0.1, 0.7),
                ("arm", "blade", -0.1, 0.55),
                ("forearm", "arm", 0.1, 0.4),
                ("cannon", "forearm", 0.05, 0.2),
                ("paw", "cannon", 0.1, 0.05),
            )
        },
    }
    leg = found(dog, "paw.l", "paw.r")[0]
    assert named(dog, leg) == ["arm.l", "forearm.l", "cannon.l", "paw.l"]
    legs.check(leg)


def test_a_horses_foot_begins_at_its_pastern_and_stands_on_its_hoof() -> None:
    horse: Bones = {
        "spine": ("", (0.0, 0.0, 1.4)),
        **{
            name + side: (parent + (side if parent != "spine" else ""), (0.2 * sign, y, z))
            for side, sign in ((".l", 1.0), (".r", -1.0))
            for name, parent, y, z in (
                ("thigh", "spine", 0.0, 1.3),
                ("shin", "thigh", -0.2, 0.95),
                ("cannon", "shin", 0.15, 0.55),
                ("pastern", "cannon", 0.1, 0.2),
                ("hoof", "pastern", 0.0, 0.06),
            )
        },
    }
    leg = found(horse, "hoof.l", "hoof.r")[0]
    assert named(horse, leg) == ["thigh.l", "shin.l", "cannon.l", "pastern.l"]
    assert (list(horse)[leg.point], leg.name) == ("hoof.l", "pastern.l")


def test_a_bone_that_moves_no_mesh_is_no_toe() -> None:
    names, parents, rest, tails = skeleton(PERSON)
    feet = [names.index(foot) for foot in ("foot.l", "foot.r")]
    deforms = [not name.startswith(("toe", "nub")) for name in names]
    for leg in legs.find(RestBones(names, parents, rest, tails, deforms), feet):
        assert names[leg.point].startswith("heel")


def test_a_foot_that_hangs_from_the_root_belongs_to_the_shin_above() -> None:
    baked: Bones = {
        name: ("hips" if name.startswith("foot") else parent, place)
        for name, (parent, place) in PERSON.items()
        if name[:3] not in ("hee", "toe", "nub")
    }
    baked = {"hips": baked.pop("hips"), "body": ("hips", (0.0, 0.0, 1.1)), **baked}
    for side in (".l", ".r"):
        baked["hip_joint" + side] = ("body", baked["hip_joint" + side][1])
    left, right = found(baked, "foot.l", "foot.r")
    assert named(baked, left) == ["thigh.l", "shin.l", "foot.l"]
    assert named(baked, right) == ["thigh.r", "shin.r", "foot.r"]


@pytest.mark.parametrize(("height", "has_leg"), [(0.09, True), (0.3, True), (0.7, False), (0.85, False)])
def test_a_foot_that_hangs_elsewhere_is_below_its_shin(height: float, *, has_leg: bool) -> None:
    bones: Bones = {name: place for name, place in PERSON.items() if name[:3] not in ("hee", "toe", "nub")}
    bones["root"] = ("", (0.0, 0.0, 0.0))
    for side, x in ((".l", 0.1), (".r", -0.1)):
        bones["foot" + side] = ("root", (x, 0.0, height))
    joints = [named(bones, leg) for leg in found(bones, "foot.l", "foot.r")]
    whole = [["thigh" + side, "shin" + side, "foot" + side] for side in (".l", ".r")]
    assert (joints == whole) is has_leg


def detached(bones: Bones) -> Bones:
    """The same with a bone at the end of each shin, as exporters write it, and feet that hang from a root."""
    found: Bones = {"root": ("", (0.0, 0.0, 0.0)), **bones}
    found["hips"] = ("root", bones["hips"][1])
    for side, x in ((".l", 0.1), (".r", -0.1)):
        found["foot" + side] = ("root", (x, 0.08, 0.05))
        found[f"shin{side}_end"] = ("shin" + side, (x, 0.0, 0.09))
        # no leg is straight above it
        found["shin" + side] = ("thigh" + side, (x, -0.4, 0.3))
    return {
        name.replace("thigh", "upper_leg").replace("shin", "lower_leg"): (
            parent.replace("thigh", "upper_leg").replace("shin", "lower_leg"),
            place,
        )
        for name, (parent, place) in found.items()
        if name[:3] not in ("hee", "toe", "nub")
    }


def test_names_tell_whose_foot_it_is_that_hangs_elsewhere() -> None:
    bones = detached(PERSON)
    names, parents, rest, tails = skeleton(bones)
    left, right = found(bones, "foot.l", "foot.r")
    assert named(bones, left) == ["upper_leg.l", "lower_leg.l", "foot.l"]
    assert named(bones, right) == ["upper_leg.r", "lower_leg.r", "foot.r"]
    legs.check(left)
    assert legs.chosen(names, parents, rest, tails, ("upper_leg.l", "foot.l", "")) == left


def test_the_target_that_ik_led_a_leg_to_is_its_foot_however_short_the_thigh() -> None:
    bones: Bones = {
        "hips": ("", (0.0, 0.0, 1.0)),
        **{
            f"{name}.{side}": (f"{up}.{side}" if up and up != "hips" else up, (0.2 * sign, y, z))
            for side, sign in (("L", 1.0), ("R", -1.0))
            for name, up, y, z in (
                ("FrontUpperLeg", "hips", 0.0, 0.9),
                ("FrontLowerLeg", "FrontUpperLeg", 0.05, 0.7),
                ("IKFrontLeg", "", 0.0, 0.1),
            )
        },
    }
    legs_found = found(bones, "IKFrontLeg.L", "IKFrontLeg.R")
    assert [named(bones, leg) for leg in legs_found] == [
        [f"FrontUpperLeg.{side}", f"FrontLowerLeg.{side}", f"IKFrontLeg.{side}"] for side in "LR"
    ]


def test_a_leg_of_one_bone_stands_on_the_foot_or_on_its_end() -> None:
    both = (("_left", 1.0), ("_right", -1.0))
    with_feet: Bones = {
        "body": ("", (0.0, 0.0, 0.7)),
        "head": ("body", (0.0, 0.0, 1.4)),
        **{f"leg{side}": ("body", (0.1 * x, 0.0, 0.65)) for side, x in both},
        **{f"foot{side}": (f"leg{side}", (0.1 * x, 0.0, 0.1)) for side, x in both},
    }
    left = found(with_feet, "foot_left", "foot_right")[0]
    assert named(with_feet, left) == ["leg_left", "foot_left"]
    assert left.length == pytest.approx(0.55)
    legs.check(left)
    bare = {name: bone for name, bone in with_feet.items() if not name.startswith("foot")}
    names, parents, rest, tails = skeleton(bare)
    tails[2:4, 2] = 0.0
    left = legs.find(RestBones(names, parents, rest, tails), [2, 3])[0]
    assert named(bare, left) == ["leg_left"]
    assert (left.length, left.turned_bones, left.is_lone) == (pytest.approx(0.65), (2,), False)
    np.testing.assert_allclose(rest[2, :3, :3] @ left.offset + rest[2, :3, 3], (0.1, 0.0, 0.0), atol=1e-9)
    legs.check(left)
    assert legs.chosen(names, parents, rest, tails, ("leg_left", "leg_left", "")) == left


def test_a_foot_without_a_leg_has_contacts_and_no_more() -> None:
    bones: Bones = {
        "root": ("", (0.0, 0.0, 0.0)),
        "body": ("root", (0.0, 0.0, 0.7)),
        "head": ("body", (0.0, 0.0, 1.4)),
        "foot.l": ("root", (0.1, 0.0, 0.05)),
        "foot.r": ("root", (-0.1, 0.0, 0.05)),
    }
    left = found(bones, "foot.l", "foot.r")[0]
    assert left.is_lone
    assert left.length == pytest.approx(0.7)
    with pytest.raises(InertiaError, match=r'No leg was found above the foot "foot\.l"; list its hip'):
        legs.check(left)


def test_an_animators_leg_is_checked() -> None:
    names, parents, rest, tails = skeleton(PERSON)
    leg = legs.chosen(names, parents, rest, tails, ("thigh.l", "foot.l", ""))
    assert leg == found(PERSON, "foot.l", "foot.r")[0]
    heel = legs.chosen(names, parents, rest, tails, ("thigh.l", "foot.l", "heel.l"))
    assert (names[heel.point], heel.offset) == ("heel.l", (0.0, 0.0, 0.0))
    for bones, said in (
        (("thigh.l", "nub.l", ""), "is 4; choose a hip and a foot with one to three"),
        (("thigh.r", "foot.l", ""), 'The foot "foot.l" is not below "thigh.r"'),
        (("foot.l", "thigh.l", ""), "is not below"),
        (("thigh.l", "foot.l", "hips"), 'contact bone "hips" is not below the foot'),
        (("thigh.l", "gone", ""), 'no bone "gone"'),
    ):
        with pytest.raises(InertiaError, match=said):
            legs.chosen(names, parents, rest, tails, bones)
    rest[:, :3, 3] = 0.0
    with pytest.raises(InertiaError, match="without a length"):
        legs.chosen(names, parents, rest, rest[:, :3, 3], ("thigh.l", "foot.l", ""))


def test_no_legs_is_an_error_with_the_rigs_name() -> None:
    assert found(PERSON) == []
    with pytest.raises(InertiaError, match='No legs were found on "rope"'):
        legs.check_found([], "rope")
    legs.check_found([dataclasses.replace(found(PERSON, "foot.l", "foot.r")[0])], "person")
