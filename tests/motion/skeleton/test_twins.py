# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that are called the same but for a prefix, case and separators find each other, and no others do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.motion.skeleton import twins

BODY = (
    "Hips",
    "Spine",
    "Spine1",
    "Neck",
    "Head",
    "LeftArm",
    "LeftHand",
    "RightArm",
    "RightHand",
    "LeftUpLeg",
)


def spelt(name: str, prefix: str, separator: str, *, lower: bool) -> str:
    """A name in another spelling: "x1:left_hand" for "LeftHand"."""
    for part in ("Left", "Right", "Up"):
        name = name.replace(part, part + separator)
    return prefix + (name.lower() if lower else name)


PREFIXES = ["", "x:", "x1:", "mixamorig:", "mixamorig", "mixamorig9", "Bip01 ", "rig|deep:", "CC_"]
SPELLING = st.fixed_dictionaries(
    {
        "prefix": st.sampled_from(PREFIXES),
        "separator": st.sampled_from(["", "_", ".", " ", "-"]),
        "lower": st.booleans(),
    }
)


@given(SPELLING, SPELLING, st.permutations(BODY))
def test_spellings_of_one_skeleton(first: dict, second: dict, order: list[str]) -> None:
    mine, theirs = ([spelt(name, **how) for name in BODY] for how in (first, second))
    shuffled = [spelt(name, **second) for name in order]
    assert twins.find(mine, shuffled) == dict(zip(theirs, mine, strict=True))


@given(SPELLING, st.sets(st.sampled_from(BODY), min_size=7))
def test_a_bone_that_one_lacks_has_no_twin(spelling: dict, kept: set[str]) -> None:
    """And all others keep theirs."""
    mine = [name for name in BODY if name in kept]
    theirs = [spelt(name, **spelling) for name in (*BODY, "Tail")]
    assert twins.find(mine, theirs) == {spelt(name, **spelling): name for name in mine}


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (["Bone", "Bone.001", "Bone.002"], ["Spine", "Spine.001", "Spine.002"]),
        (["Arm.L", "Arm.R"], ["Leg.L", "Leg.R"]),
        (["Hips"], ["x:Hips", "y:Hips"]),
        (["Thumb1", "Thumb2"], ["Index1", "Index2"]),
    ],
)
def test_bones_of_others_are_not_taken_for_twins(mine: list[str], theirs: list[str]) -> None:
    assert twins.find(mine, theirs) == {}


def test_case_counts_where_two_differ_by_it() -> None:
    assert twins.find(["A", "a"], ["x:a", "x:A"]) == {"x:a": "a", "x:A": "A"}


@pytest.mark.parametrize(
    ("counts", "alike"),
    [
        ((65, 65, 65), True),
        ((64, 65, 66), True),
        ((25, 25, 65), True),
        ((2, 65, 3), False),
        ((10, 30, 30), False),
    ],
)
def test_skeletons_are_alike_that_share_most(counts: tuple[int, int, int], *, alike: bool) -> None:
    assert twins.are_alike(*counts) is alike
