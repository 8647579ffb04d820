# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet, hands, hips and head are found by shape alone, and by nothing that a shape does not depend on."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from inertia_addon.motion.skeleton import extremities
from inertia_addon.motion.skeleton.naming import FOOT, HAND, HEAD, HIPS, OTHER

Array = NDArray[np.float64]
Point = tuple[float, float, float]
Rig = dict[str, tuple[str | None, Point, Point]]
"""Bones by name: parent, head, tail; X to the left, Z up, metres."""

SIDES = {".L": 1.0, ".R": -1.0}


def both(half: Rig) -> Rig:
    """Bones of the left side, with their mirror images; a parent without a side is in the middle."""
    made: Rig = {}
    for side, x in SIDES.items():
        for name, (parent, *ends) in half.items():
            head, tail = ((x * p[0], p[1], p[2]) for p in ends)
            above = parent if parent is None or parent not in half else parent + side
            made[name + side] = (above, head, tail)
    return made


SPINE: Rig = {
    "hips": (None, (0.0, 0.0, 0.95), (0.0, 0.0, 1.05)),
    "spine": ("hips", (0.0, 0.0, 1.05), (0.0, 0.0, 1.2)),
    "chest": ("spine", (0.0, 0.0, 1.2), (0.0, 0.0, 1.45)),
    "neck": ("chest", (0.0, 0.0, 1.45), (0.0, 0.0, 1.55)),
    "head": ("neck", (0.0, 0.0, 1.55), (0.0, 0.0, 1.75)),
}
ARMS = both(
    {
        "shoulder": ("chest", (0.03, 0.0, 1.43), (0.18, 0.0, 1.43)),
        "upper_arm": ("shoulder", (0.18, 0.0, 1.43), (0.46, 0.02, 1.43)),
        "forearm": ("upper_arm", (0.46, 0.02, 1.43), (0.71, 0.0, 1.43)),
        "hand": ("forearm", (0.71, 0.0, 1.43), (0.8, 0.0, 1.43)),
    }
)
LEGS = both(
    {
        "thigh": ("hips", (0.1, 0.0, 0.93), (0.1, -0.02, 0.5)),
        "shin": ("thigh", (0.1, -0.02, 0.5), (0.1, 0.0, 0.08)),
        "foot": ("shin", (0.1, 0.0, 0.08), (0.1, -0.13, 0.02)),
        "toe": ("foot", (0.1, -0.13, 0.02), (0.1, -0.2, 0.02)),
    }
)
PERSON: Rig = {**SPINE, **ARMS, **LEGS}
FOUND = {
    "hips": HIPS,
    "head": HEAD,
    "hand.L": HAND,
    "hand.R": HAND,
    "foot.L": FOOT,
    "foot.R": FOOT,
}

BEAST: Rig = {
    "hips": (None, (0.0, 0.5, 0.8), (0.0, 0.3, 0.8)),
    "back": ("hips", (0.0, 0.3, 0.8), (0.0, -0.1, 0.8)),
    "chest": ("back", (0.0, -0.1, 0.8), (0.0, -0.5, 0.8)),
    "neck": ("chest", (0.0, -0.5, 0.85), (0.0, -0.65, 1.0)),
    "head": ("neck", (0.0, -0.65, 1.0), (0.0, -0.85, 0.95)),
    "tail.1": ("hips", (0.0, 0.55, 0.8), (0.0, 0.75, 0.7)),
    "tail.2": ("tail.1", (0.0, 0.75, 0.7), (0.0, 0.95, 0.6)),
    "tail.3": ("tail.2", (0.0, 0.95, 0.6), (0.0, 1.1, 0.55)),
    **both(
        {
            "upper_arm": ("chest", (0.12, -0.4, 0.7), (0.12, -0.35, 0.4)),
            "forearm": ("upper_arm", (0.12, -0.35, 0.4), (0.12, -0.4, 0.06)),
            "paw": ("forearm", (0.12, -0.4, 0.06), (0.12, -0.5, 0.01)),
            "thigh": ("hips", (0.12, 0.45, 0.75), (0.12, 0.4, 0.45)),
            "shin": ("thigh", (0.12, 0.4, 0.45), (0.12, 0.55, 0.3)),
            "hock": ("shin", (0.12, 0.55, 0.3), (0.12, 0.5, 0.06)),
            "hind_paw": ("hock", (0.12, 0.5, 0.06), (0.12, 0.4, 0.01)),
        }
    ),
}
BEAST_FOUND = {
    "hips": HIPS,
    "head": HEAD,
    "tail.3": OTHER,
    **{name + side: FOOT for name in ("paw", "hind_paw") for side in SIDES},
}


@dataclasses.dataclass
class Arrays:
    """A rig as the function takes it."""

    names: list[str]
    parents: list[int]
    heads: Array
    tails: Array
    deforms: list[bool]


def arrays(rig: Rig, controls: frozenset[str] = frozenset()) -> Arrays:
    names = list(rig)
    return Arrays(
        names,
        [-1 if rig[name][0] is None else names.index(str(rig[name][0])) for name in names],
        np.array([rig[name][1] for name in names]),
        np.array([rig[name][2] for name in names]),
        [name not in controls for name in names],
    )


def roles(rig: Rig, controls: frozenset[str] = frozenset()) -> dict[str, str]:
    made = arrays(rig, controls)
    return {made.names[one.index]: one.role for one in extremities.find(**vars(made))}


def chain(name: str, parent: str | None, points: list[Point]) -> Rig:
    """Bones through points, each from one to the next."""
    made: Rig = {}
    for i, (head, tail) in enumerate(itertools.pairwise(points)):
        made[f"{name}.{i + 1}"] = (parent if i == 0 else f"{name}.{i}", head, tail)
    return made


def fingers() -> Rig:
    half: Rig = {}
    for i in range(4):
        y = 0.03 * (i - 1.5)
        half[f"finger{i}.a"] = ("hand", (0.79, y, 1.43), (0.83, y, 1.43))
        half[f"finger{i}.b"] = (f"finger{i}.a", (0.83, y, 1.43), (0.86, y, 1.43))
    names = {f"{name}{side}": bone for side in SIDES for name, bone in half.items()}
    made: Rig = {}
    for name, (parent, head, tail) in names.items():
        x = SIDES[name[-2:]]
        made[name] = (f"{parent}{name[-2:]}", (x * head[0], *head[1:]), (x * tail[0], *tail[1:]))
    return made


def test_extremities_of_a_person_are_found() -> None:
    assert roles(PERSON) == FOUND


def test_four_paws_and_half_a_tail() -> None:
    assert roles(BEAST) == BEAST_FOUND
    made = arrays(BEAST)
    weights = {made.names[one.index]: one.weight for one in extremities.find(**vars(made))}
    assert weights.pop("tail.3") == 0.5
    assert set(weights.values()) == {1.0}


EXTRAS: dict[str, Rig] = {
    "fingers": fingers(),
    "a face": {
        "jaw": ("head", (0.0, -0.02, 1.6), (0.0, -0.1, 1.57)),
        "eye.L": ("head", (0.03, -0.08, 1.65), (0.03, -0.1, 1.65)),
        "eye.R": ("head", (-0.03, -0.08, 1.65), (-0.03, -0.1, 1.65)),
    },
    "long hair": {
        "brow": ("head", (0.0, -0.1, 1.7), (0.0, -0.12, 1.7)),
        **chain("hair", "head", [(0.0, 0.1, 1.7), (0.0, 0.15, 1.5), (0.0, 0.15, 1.3), (0.0, 0.15, 1.0)]),
    },
    "ears": {
        "crown": ("head", (0.0, 0.0, 1.72), (0.0, 0.0, 1.75)),
        **chain("ear.L", "head", [(0.05, 0.0, 1.7), (0.08, 0.0, 1.85), (0.08, 0.0, 2.0), (0.08, 0.0, 2.1)]),
        **chain(
            "ear.R", "head", [(-0.05, 0.0, 1.7), (-0.08, 0.0, 1.85), (-0.08, 0.0, 2.0), (-0.08, 0.0, 2.1)]
        ),
    },
    "a sword": {"sword": ("hand.R", (-0.8, -0.05, 1.43), (-0.8, -1.0, 1.43))},
    "a shield": {"shield": ("forearm.L", (0.6, -0.1, 1.43), (0.6, -0.1, 1.0))},
    "twist bones": both(
        {
            "arm_twist": ("upper_arm.L", (0.32, 0.01, 1.43), (0.46, 0.02, 1.43)),
            "leg_twist": ("shin.L", (0.1, -0.01, 0.29), (0.1, 0.0, 0.08)),
        }
    ),
    "a breast": both({"breast": ("chest", (0.08, -0.1, 1.35), (0.08, -0.15, 1.35))}),
    "a camera's target": {
        "root": (None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)),
        "target": ("root", (0.0, -3.0, 2.5), (0.0, -3.0, 2.7)),
    },
    "IK targets": {
        "root": (None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)),
        **both(
            {
                "foot_ik": ("root", (0.1, 0.0, 0.08), (0.1, -0.1, 0.08)),
                "hand_ik": ("root", (0.71, 0.0, 1.43), (0.8, 0.0, 1.43)),
                "knee_pole": ("root", (0.1, -0.6, 0.5), (0.1, -0.7, 0.5)),
                "elbow_pole": ("root", (0.46, 0.6, 1.43), (0.46, 0.7, 1.43)),
            }
        ),
    },
}


def with_extra(extra: Rig) -> Rig:
    """The person with more bones; a new root carries the hips."""
    rig = {**PERSON, **extra}
    if "root" in extra:
        rig["hips"] = ("root", *PERSON["hips"][1:])
    for name, (parent, head, tail) in list(rig.items()):
        if parent is not None and parent not in rig:
            rig[name] = (parent[:-2] + name[-2:], head, tail)
        elif name.startswith(("arm_twist", "leg_twist")):
            rig[name] = (str(parent)[:-2] + name[-2:], head, tail)
    return rig


@pytest.mark.parametrize("extra", EXTRAS)
def test_extremities_do_not_depend_on_what_a_person_wears_and_holds(extra: str) -> None:
    assert roles(with_extra(EXTRAS[extra])) == FOUND


def test_a_tail_is_found_too() -> None:
    tail = chain("tail", "hips", [(0.0, 0.1, 0.9), (0.0, 0.3, 0.8), (0.0, 0.5, 0.6), (0.0, 0.7, 0.5)])
    assert roles({**PERSON, **tail}) == {**FOUND, "tail.3": OTHER}


def test_fingers_without_a_hand_are_one_hand() -> None:
    rig = {name: bone for name, bone in {**PERSON, **fingers()}.items() if not name.startswith("hand")}
    for name, (parent, head, tail) in list(rig.items()):
        if parent in ("hand.L", "hand.R"):
            rig[name] = ("forearm" + name[-2:], head, tail)
    found = roles(rig)
    hands = [name for name, role in found.items() if role == HAND]
    assert [name[:6] for name in hands] == ["finger", "finger"]
    assert hands[0][:-2] == hands[1][:-2]


def test_feet_that_only_ik_ties_to_the_legs() -> None:
    rig: Rig = {"root": (None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)), **PERSON}
    rig["hips"] = ("root", *PERSON["hips"][1:])
    for side in SIDES:
        del rig["toe" + side]
        rig["foot" + side] = ("root", *PERSON["foot" + side][1:])
    assert roles(rig) == FOUND


def test_a_shin_whose_end_was_guessed_is_led_to_the_foot_below() -> None:
    """Where it ends says nothing; its foot lies below the knee, in reach."""
    rig: Rig = {"root": (None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)), **PERSON}
    rig["hips"] = ("root", *PERSON["hips"][1:])
    for side in SIDES:
        del rig["toe" + side]
        parent, head, _ = rig["shin" + side]
        rig["shin" + side] = (parent, head, (head[0], head[1] + 0.3, 0.08))
        rig["foot" + side] = ("root", *PERSON["foot" + side][1:])
    assert unnamed_roles(rig) == FOUND


def unnamed_roles(rig: Rig) -> dict[str, str]:
    """What bones are by all but their names."""
    names = {name: f"b{i}" for i, name in enumerate(rig)}
    found = roles({names[name]: (parent and names[parent], *ends) for name, (parent, *ends) in rig.items()})
    return {name: found[other] for name, other in names.items() if other in found}


@pytest.mark.parametrize("way", [(0.12, 0.0), (0.0, 0.12), (-0.07, -0.09)])
def test_a_thing_beside_feet_does_not_take_their_place(way: tuple[float, float]) -> None:
    x, y = 0.1 + way[0], way[1]
    beside = both({"skid": ("root", (x, y, 0.05), (x, y - 0.1, 0.05))})
    legs = {name: bone for name, bone in LEGS.items() if not name.startswith("toe")}
    rig: Rig = {"root": (None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)), **SPINE, **ARMS, **legs, **beside}
    rig["hips"] = ("root", *SPINE["hips"][1:])
    assert unnamed_roles(rig) == FOUND


def test_a_bone_in_the_place_of_the_hips_that_carries_them_is_the_hips() -> None:
    for gap, hips in ((0.0, "pelvis"), (0.02, "pelvis"), (0.3, "hips")):
        rig: Rig = {"pelvis": (None, (0.0, gap, 0.95), (0.0, gap, 1.0)), **PERSON}
        rig["hips"] = ("pelvis", *PERSON["hips"][1:])
        assert unnamed_roles(rig)[hips] == HIPS


@pytest.mark.parametrize("way", [(0.0, 10.0, 0.0), (-20.0, -10.0, 3.0)])
def test_a_root_on_the_ground_is_not_the_hips_wherever_that_is(way: Point) -> None:
    rig: Rig = {"ground": (None, (0.0, 0.0, 0.0), (0.0, 0.3, 0.0)), **PERSON}
    rig["hips"] = ("ground", *PERSON["hips"][1:])
    for side in SIDES:
        # what only IK ties to the legs
        del rig["toe" + side]
        rig["foot" + side] = ("ground", *PERSON["foot" + side][1:])
    moved: Rig = {
        name: (parent, *(tuple(np.add(point, way).tolist()) for point in ends))
        for name, (parent, *ends) in rig.items()
    }
    assert unnamed_roles(moved) == FOUND


def test_a_stride_at_rest_has_two_feet() -> None:
    rig = dict(PERSON)
    for name in ("shin.R", "foot.R", "toe.R"):  # the right knee is bent backwards
        parent, *ends = rig[name]
        head, tail = ((p[0], 0.5 - p[2], 0.5 + p[1]) for p in ends)
        rig[name] = (parent, head, tail)
    assert roles(rig) == FOUND


def test_bones_that_deform_nothing_are_left_out() -> None:
    # a skeleton of controls, of which the one that deforms hangs bone by bone
    rig: Rig = {"ground": (None, (0.0, 0.0, 0.0), (0.0, 0.2, 0.0))}
    for name, (parent, head, tail) in PERSON.items():
        rig[f"c {name}"] = ("ground" if parent is None else f"c {parent}", head, tail)
        rig[name] = (f"c {name}", head, tail)
    controls = frozenset(name for name in rig if name not in PERSON)
    assert roles(rig, controls) == FOUND
    assert roles(PERSON, frozenset(PERSON)) == FOUND


def test_a_forearm_of_two_halves_is_no_hand() -> None:
    rig = dict(PERSON)
    for side, x in SIDES.items():
        middle = (x * 0.585, 0.01, 1.43)
        rig["forearm" + side] = ("upper_arm" + side, PERSON["forearm" + side][1], middle)
        rig["half" + side] = ("forearm" + side, middle, PERSON["forearm" + side][2])
        rig["hand" + side] = ("half" + side, *PERSON["hand" + side][1:])
    assert roles(rig) == FOUND


@pytest.mark.parametrize("name", ["HeadTop_End", "Bip01HeadNub", "head_end", "head.tip.001"])
def test_a_marker_of_the_heads_top_is_not_the_head(name: str) -> None:
    assert roles({**PERSON, name: ("head", (0.0, 0.0, 1.75), (0.0, 0.0, 1.95))}) == FOUND


WHOLE: dict[str, Rig] = {
    "nothing": {},
    "one bone": chain("b", None, [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]),
    "two bones": chain("b", None, [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 2.0)]),
    "three bones": {
        "b": (None, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        "l": ("b", (0.0, 0.0, 1.0), (1.0, 0.0, 1.0)),
        "r": ("b", (0.0, 0.0, 1.0), (-1.0, 0.0, 1.0)),
    },
    "a rope": chain("b", None, [(0.0, 0.0, float(-i)) for i in range(20)]),
    "loose parts": {f"{i}": (None, (float(i), 0.0, 0.0), (float(i), 0.0, 1.0)) for i in range(5)},
    "all in one place": {f"{i}": (None, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) for i in range(5)},
}


@pytest.mark.parametrize("kind", WHOLE)
def test_a_rig_without_limbs_counts_as_a_whole(kind: str) -> None:
    made = arrays(WHOLE[kind])
    assert extremities.find(**vars(made)) == tuple(
        extremities.Extremity(i, OTHER, 1.0) for i in range(len(made.names))
    )


BLOCKS: Rig = {
    "body": (None, (0.0, 0.0, 1.0), (0.0, 0.0, 1.5)),
    "head": ("body", (0.0, 0.0, 1.5), (0.0, 0.0, 2.0)),
    **both(
        {
            "arm": ("body", (0.3, 0.0, 1.5), (0.3, 0.0, 1.0)),
            "leg": ("body", (0.1, 0.0, 1.0), (0.1, 0.0, 0.0)),
        }
    ),
}


def test_limbs_of_one_bone_are_known_by_their_names_alone() -> None:
    made = arrays(BLOCKS)
    assert {made.names[one.index]: one.role for one in extremities.find(**vars(made))} == {
        "body": HIPS,
        "head": HEAD,
        "arm.L": HAND,
        "arm.R": HAND,
        "leg.L": FOOT,
        "leg.R": FOOT,
    }
    made.names = [f"Bone.{i}" for i in range(6)]
    assert {one.role for one in extremities.find(**vars(made))} == {OTHER}


RIGS = st.sampled_from(
    [
        (PERSON, FOUND),
        (BEAST, BEAST_FOUND),
        *((with_extra(extra), FOUND) for extra in EXTRAS.values()),
    ]
)
NAMES = st.text(alphabet="甲乙丙丁Bone.0123456789_ -", min_size=1, max_size=8)


@given(RIGS, st.data())
def test_names_and_order_do_not_matter(case: tuple[Rig, dict[str, str]], data: st.DataObject) -> None:
    rig, expected = case
    old = data.draw(st.permutations(list(rig)))
    new = data.draw(st.lists(NAMES, min_size=len(old), max_size=len(old), unique=True))
    named = dict(zip(old, new, strict=True))
    found = roles({named[n]: (rig[n][0] and named[str(rig[n][0])], *rig[n][1:]) for n in old})
    assert found == {named[name]: role for name, role in expected.items()}


@given(
    RIGS,
    st.floats(1e-3, 1e3),
    st.sampled_from([1.0, -1.0]),
    st.floats(-math.pi, math.pi),
    st.tuples(*3 * [st.floats(-5.0, 5.0)]),
)
def test_size_side_heading_and_place_do_not_matter(
    case: tuple[Rig, dict[str, str]], size: float, side: float, angle: float, place: Point
) -> None:
    rig, expected = case
    c, s = math.cos(angle), math.sin(angle)
    turn = size * np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ np.diag([side, 1.0, 1.0])
    made = arrays(rig)
    made.heads, made.tails = (ends @ turn.T + size * np.array(place) for ends in (made.heads, made.tails))
    assert {made.names[one.index]: one.role for one in extremities.find(**vars(made))} == expected


@given(case=RIGS, times=st.floats(12.0, 1e4), sideways=st.booleans())
def test_extremities_are_found_where_ends_of_bones_were_guessed(
    case: tuple[Rig, dict[str, str]], times: float, *, sideways: bool
) -> None:
    """An importer that knows only where joints are makes bones of metres, or lets them point anywhere."""
    rig, expected = case
    made = arrays(rig)
    ways = made.tails - made.heads
    made.tails = made.heads + times * (ways[:, [1, 2, 0]] if sideways else ways)
    assert {made.names[one.index]: one.role for one in extremities.find(**vars(made))} == expected


SPIDER: Rig = {
    "abdomen": (None, (0.0, 0.2, 0.15), (0.0, 0.8, 0.2)),
    "body": ("abdomen", (0.0, 0.0, 0.15), (0.0, -0.2, 0.15)),
    "head": ("body", (0.0, -0.2, 0.15), (0.0, -0.35, 0.15)),
    "tail": ("abdomen", (0.0, 0.5, 0.4), (0.0, 0.8, 0.5)),
}
for _i, _angle in enumerate((0.6, 0.2, -0.2, -0.6)):
    for _side, _x in SIDES.items():
        _way = np.array([_x * math.cos(_angle), -math.sin(_angle), 0.0])
        _points = [0.1 * _way + [0.0, 0.0, 0.15], 0.5 * _way + [0.0, 0.0, 0.6], 1.2 * _way]
        SPIDER |= {
            f"leg{_i}{part}{_side}": (
                f"leg{_i}{before}{_side}" if before else "body",
                tuple(head),
                tuple(tail),
            )
            for part, before, head, tail in (
                ("", None, _points[0], _points[1]),
                ("b", "", _points[1], _points[2]),
                ("c", "b", _points[2], _points[2] + [0.0, 0.0, 0.01]),
            )
        }


def test_eight_legs_are_feet_and_a_tail_is_no_head() -> None:
    found = roles(SPIDER)
    assert {name for name, role in found.items() if role == FOOT} == {
        f"leg{i}c{side}" for i in range(4) for side in SIDES
    }
    assert (found["head"], found["body"]) == (HEAD, HIPS)


WING = both(
    {
        "wing1": ("chest", (0.1, 0.1, 1.4), (0.8, 0.1, 1.6)),
        "wing2": ("wing1", (0.8, 0.1, 1.6), (1.6, 0.1, 0.9)),
        "wing3": ("wing2", (1.6, 0.1, 0.9), (2.0, 0.1, 0.02)),
        "feather1": ("wing1", (0.5, 0.1, 1.5), (0.5, 0.1, 0.9)),
        "feather2": ("feather1", (0.5, 0.1, 0.9), (0.5, 0.1, 0.02)),
    }
)


@pytest.mark.parametrize(("body", "found"), [(PERSON, FOUND), (BEAST, BEAST_FOUND)])
def test_wings_are_neither_feet_nor_hands_and_feathers_nothing(body: Rig, found: dict[str, str]) -> None:
    assert roles({**body, **WING}) == {**found, "wing3.L": OTHER, "wing3.R": OTHER}


def test_legs_of_what_flies_are_told_by_names() -> None:
    rig = {**PERSON, **both({"leg": ("hips", (0.1, 0.0, 1.4), (0.2, 0.0, 1.35))})}
    rig = {name: bone for name, bone in rig.items() if name[-2:] not in SIDES or name.startswith("leg")}
    rig |= both({"leg.low": ("leg", (0.2, 0.0, 1.35), (0.25, 0.0, 1.3))})
    rig["leg.low.L"] = ("leg.L", *rig["leg.low.L"][1:])
    rig["leg.low.R"] = ("leg.R", *rig["leg.low.R"][1:])
    assert roles(rig) == {"hips": HIPS, "head": HEAD, "leg.low.L": FOOT, "leg.low.R": FOOT}


@given(st.data(), st.integers(0, 40))
def test_a_tree_of_any_bones_has_joints(data: st.DataObject, count: int) -> None:
    number = st.floats(-2.0, 2.0)
    points = data.draw(st.lists(st.tuples(number, number, number), min_size=2 * count, max_size=2 * count))
    parents = [data.draw(st.integers(-1, i - 1)) for i in range(count)]
    deforms = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    ends = np.array(points).reshape(2, count, 3)
    found = extremities.find([str(i) for i in range(count)], parents, *ends, deforms)
    indices = [one.index for one in found]
    assert len(set(indices)) == len(indices)
    assert bool(indices) == (count > 0)
    assert all(deforms[i] for i in indices) or not any(deforms)
    assert all(one.weight > 0.0 for one in found)
    assert [one.role for one in found].count(HIPS) <= 1
    assert [one.role for one in found].count(HEAD) <= 1
