# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons by value, after conventions of naming and building that rigs of games and films follow.

None of them is a copy of a character: the names are those that the conventions have in common, and the places
those of a body that such a rig would fit. X is to the left, Z up, metres.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from inertia_addon.motion.skeleton import body_bones

Point = tuple[float, float, float]
Bones = dict[str, tuple[str | None, Point]]
"""Bones by name: what each hangs from, and where it begins."""

LEAF = 0.6
"""A last bone is so many times as long as the one before."""


@dataclasses.dataclass(frozen=True)
class Skeleton:
    """A skeleton with its right joints.

    bones: by name. right: the bones of each role. tails: where bones end that would else be guessed: at what
    hangs from them first. rigid: bones that are meant to move nothing. weightless: bones that are meant to,
    and for which a mesh has no weights.
    """

    bones: Bones
    right: Mapping[str, set[str]]
    tails: Mapping[str, Point] = dataclasses.field(default_factory=dict)
    rigid: frozenset[str] = frozenset()
    weightless: frozenset[str] = frozenset()

    def values(self) -> dict[str, Any]:
        """The skeleton as a table has it: see :mod:`tests.skeletons.table`."""
        names = list(self.bones)
        ends = [self._tail(name) for name in names]
        may = np.array([name not in self.rigid for name in names])
        weighted = may & np.array([name not in self.weightless for name in names])
        return {
            "names": names,
            "parents": self._parents(),
            "heads": [[round(x, 4) for x in head] for _, head in self.bones.values()],
            "tails": [[round(x, 4) for x in tail] for tail in ends],
            "moving": body_bones.find(names, self._parents(), self._heads(), weighted, may).tolist(),
            "right": {role: sorted(found) for role, found in sorted(self.right.items())},
        }

    def _parents(self) -> list[int]:
        names = list(self.bones)
        return [-1 if up is None else names.index(up) for up, _ in self.bones.values()]

    def _heads(self) -> Any:
        return np.array([head for _, head in self.bones.values()], float)

    def _tail(self, name: str) -> Point:
        up, head = self.bones[name]
        if name in self.tails:
            return self.tails[name]
        after = [place for parent, place in self.bones.values() if parent == name and place != head]
        if after:
            return after[0]
        before = self.bones[up][1] if up is not None else (head[0], head[1], head[2] - 0.2)
        way = [LEAF * (a - b) for a, b in zip(head, before, strict=True)]
        if not any(way):
            way = [0.0, 0.0, 0.1]
        return (head[0] + way[0], head[1] + way[1], head[2] + way[2])


def sided(half: Bones, left: str = "{}.L", right: str = "{}.R") -> Bones:
    """Bones of the left side with their mirror images. What hangs from none of them hangs from the middle."""
    found: Bones = {}
    for pattern, x in ((left, 1.0), (right, -1.0)):
        for name, (up, head) in half.items():
            above = pattern.format(up) if up in half else up
            found[pattern.format(name)] = (above, (x * head[0], head[1], head[2]))
    return found


def line(name: str, up: str | None, begin: Point, end: Point, count: int, first: int = 1) -> Bones:
    """Bones in a line, numbered."""
    found: Bones = {}
    for i in range(count):
        t = i / count
        head = tuple(a + t * (b - a) for a, b in zip(begin, end, strict=True))
        found[f"{name}{first + i}"] = (up if i == 0 else f"{name}{first + i - 1}", head)  # type: ignore[assignment]
    return found


def both(*names: str, left: str = "{}.L", right: str = "{}.R") -> set[str]:
    """Names of the left and the right."""
    return {pattern.format(name) for name in names for pattern in (left, right)}


def fingers(hand: str, at: Point, pattern: str = "{}{}", last: int = 3, of: str = "") -> Bones:
    """Five fingers of a left hand that points to the left."""
    found: Bones = {}
    for k, finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Pinky")):
        y = at[1] - 0.05 + 0.022 * k
        long = 0.05 if finger == "Thumb" else 0.09
        for i in range(last):
            name = of + pattern.format(finger, i + 1)
            up = hand if i == 0 else of + pattern.format(finger, i)
            found[name] = (up, (at[0] + long + 0.028 * i, y, at[2]))
    return found


# --- Quaternius' layout: feet that IK leads hang from the root


def _quaternius(scale: float = 1.0, *, arms: bool = True, wide: float = 0.3, ends: bool = True) -> Bones:
    bones: Bones = {
        "Bone": (None, (0.0, 0.0, 0.0)),
        "Body": ("Bone", (0.0, 0.2, 1.2)),
        "Hips": ("Body", (0.0, 0.2, 1.2)),
        "Abdomen": ("Hips", (0.0, 0.2, 1.35)),
        "Torso": ("Abdomen", (0.0, 0.15, 1.65)),
        "Neck": ("Torso", (0.0, 0.15, 2.1)),
        "Head": ("Neck", (0.0, 0.12, 2.25)),
        "Head_end": ("Head", (0.0, 0.12, 2.9)),
    }
    legs: Bones = {
        "Foot": ("Bone", (wide, 0.15, 0.12)),
        "UpperLeg": ("Hips", (wide, 0.18, 1.1)),
        "LowerLeg": ("UpperLeg", (wide, 0.05, 0.62)),
        "PoleTarget": ("Bone", (wide, -1.3, 0.9)),
    }
    bones |= sided(legs)
    if ends:
        bones |= {
            f"{name}.{side}_end": (f"{name}.{side}", (x * wide, y, z))
            for side, x in (("L", 1.0), ("R", -1.0))
            for name, y, z in (("Foot", -0.2, 0.05), ("LowerLeg", 0.15, 0.12), ("PoleTarget", -1.3, 1.3))
        }
    if arms:
        bones |= sided(
            {
                "Shoulder": ("Torso", (0.12, 0.15, 2.0)),
                "UpperArm": ("Shoulder", (0.35, 0.15, 2.0)),
                "LowerArm": ("UpperArm", (0.42, 0.18, 1.5)),
                "Palm": ("LowerArm", (0.47, 0.1, 1.05)),
                "MiddleHand": ("Palm", (0.48, 0.08, 0.95)),
                "Fingers": ("MiddleHand", (0.49, 0.06, 0.85)),
                "Thumb1": ("Palm", (0.42, 0.02, 1.0)),
                "Thumb2": ("Thumb1", (0.42, -0.02, 0.95)),
            }
        )
    return {name: (up, (scale * x, scale * y, scale * z)) for name, (up, (x, y, z)) in bones.items()}


_FROG: Bones = {
    "Bone": (None, (0.0, 0.0, 0.0)),
    "Body": ("Bone", (0.0, 0.1, 0.45)),
    "Torso": ("Body", (0.0, -0.1, 0.6)),
    "Head": ("Torso", (0.0, -0.3, 0.9)),
    "Jaw": ("Head", (0.0, -0.4, 0.85)),
    **line("Tongue", "Jaw", (0.0, -0.5, 0.85), (0.0, -1.3, 0.85), 4),
    **sided(
        {
            "Eye": ("Head", (0.25, -0.35, 1.2)),
            "Foot": ("Bone", (0.6, 0.1, 0.05)),
            "UpperLeg": ("Body", (0.3, 0.2, 0.45)),
            "LowerLeg": ("UpperLeg", (0.7, -0.1, 0.6)),
            "UpperArm": ("Torso", (0.25, -0.25, 0.6)),
            "LowerArm": ("UpperArm", (0.42, -0.3, 0.4)),
            "Hand": ("LowerArm", (0.42, -0.5, 0.2)),
            "PoleTarget": ("Bone", (1.0, -1.2, 0.7)),
        }
    ),
}

_TWO_LEGS: Bones = {
    "Root": (None, (0.0, 0.0, 0.0)),
    "Body": ("Root", (0.0, 0.0, 1.3)),
    "Head": ("Body", (0.0, 0.0, 1.6)),
    "Gun": ("Head", (0.35, -0.1, 1.9)),
    "Gun_end": ("Gun", (0.35, -1.6, 1.9)),
    **sided(
        {
            "Leg": ("Body", (0.35, 0.0, 1.3)),
            "UpperLeg": ("Leg", (0.5, 0.0, 1.25)),
            "LowerLeg": ("UpperLeg", (0.55, -0.35, 0.8)),
            "Foot": ("Root", (0.55, 0.1, 0.1)),
            "Toe1": ("Foot", (0.45, -0.3, 0.05)),
            "Toe2": ("Foot", (0.65, -0.3, 0.05)),
            "PoleTarget": ("Root", (0.6, -1.5, 0.8)),
        }
    ),
}

# --- Mixamo's, Unity's, Unreal's, 3ds Max' and others' people


def _person(
    names: Mapping[str, str],
    left: str,
    right: str,
    arms: str = "T",
    spine: tuple[str, ...] = ("Spine", "Spine1", "Spine2"),
    finger: str = "",
    small: float = 1.0,
) -> Bones:
    """A person of 1.75 m. names: of the parts. arms: "T", or "Z" for stretched out to the front.

    finger: a pattern of the names of fingers. small: how long legs are.
    """
    hips = 0.95 * small
    middle: Bones = {names["hips"]: (None, (0.0, 0.0, hips))}
    up, z = names["hips"], hips
    for name in spine:
        z += 0.12
        middle[name] = (up, (0.0, 0.01, z))
        up = name
    middle[names["neck"]] = (up, (0.0, 0.0, z + 0.22))
    middle[names["head"]] = (names["neck"], (0.0, -0.02, z + 0.32))

    def at(x: float, y: float) -> Point:
        height = z + 0.16
        return (x, y, height) if arms == "T" else (min(x, 0.18), y - max(0.0, x - 0.18), height)

    half: Bones = {
        names["collar"]: (up, at(0.05, 0.0)),
        names["arm"]: (names["collar"], at(0.18, 0.02)),
        names["forearm"]: (names["arm"], at(0.46, 0.03)),
        names["hand"]: (names["forearm"], at(0.72, 0.02)),
        names["thigh"]: (names["hips"], (0.1, 0.0, hips - 0.05)),
        names["shin"]: (names["thigh"], (0.1, -0.01, 0.53 * hips)),
        names["foot"]: (names["shin"], (0.1, 0.03, 0.09)),
        names["toe"]: (names["foot"], (0.1, -0.1, 0.02)),
    }
    if finger:
        wrist = half[names["hand"]][1]
        for name, (above, place) in fingers(names["hand"], (0.0, 0.0, wrist[2]), finger).items():
            if arms == "T":
                half[name] = (above, (wrist[0] + place[0], wrist[1] + place[1], place[2]))
            else:
                half[name] = (above, (wrist[0] + place[1], wrist[1] - place[0], place[2]))
    return {**middle, **sided(half, left, right)}


_MIXAMO = {
    "hips": "mixamorig:Hips",
    "neck": "mixamorig:Neck",
    "head": "mixamorig:Head",
    "collar": "Shoulder",
    "arm": "Arm",
    "forearm": "ForeArm",
    "hand": "Hand",
    "thigh": "UpLeg",
    "shin": "Leg",
    "foot": "Foot",
    "toe": "ToeBase",
}
_MIXAMO_SIDES = ("mixamorig:Left{}", "mixamorig:Right{}")
_MIXAMO_SPINE = ("mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2")
_MIXAMO_RIGHT = {
    "HIPS": {"mixamorig:Hips"},
    "HEAD": {"mixamorig:Head"},
    "HAND": {pattern.format("Hand") for pattern in _MIXAMO_SIDES},
    "FOOT": {pattern.format("Foot") for pattern in _MIXAMO_SIDES},
}


def _mixamo(arms: str) -> Bones:
    bones = _person(_MIXAMO, *_MIXAMO_SIDES, arms, _MIXAMO_SPINE, "Hand{}{}")
    top = bones["mixamorig:Head"][1][2]
    bones["mixamorig:HeadTop_End"] = ("mixamorig:Head", (0.0, -0.02, top + 0.2))
    for side in ("Left", "Right"):
        x = 0.1 if side == "Left" else -0.1
        bones[f"mixamorig:{side}Toe_End"] = (f"mixamorig:{side}ToeBase", (x, -0.18, 0.01))
    return bones


_UNITY = {
    **{name: name.capitalize() for name in ("hips", "neck", "head", "hand", "foot")},
    **{
        "collar": "Shoulder",
        "arm": "Arm",
        "forearm": "ForeArm",
        "thigh": "UpLeg",
        "shin": "Leg",
        "toe": "Toes",
    },
}


def _unity_player() -> Bones:
    """A character of short legs and a large head, whose feet and toes are small."""
    bones = _person(_UNITY, "Left{}", "Right{}", "T", ("Spine", "Chest"), small=0.4)
    bones = {name: (up, place) for name, (up, place) in bones.items() if "Toes" not in name}
    bones["Root"] = (None, (0.0, 0.0, 0.0))
    bones["Hips"] = ("Root", bones["Hips"][1])
    bones["Hat"] = ("Head", (0.0, 0.0, 1.4))
    bones["Backpack"] = ("Chest", (0.0, 0.3, 0.7))
    return {"Root": bones.pop("Root"), **bones}


def _vrm() -> Bones:
    names = {
        **{"hips": "J_Bip_C_Hips", "neck": "J_Bip_C_Neck", "head": "J_Bip_C_Head", "collar": "Shoulder"},
        **{"arm": "UpperArm", "forearm": "LowerArm", "hand": "Hand", "thigh": "UpperLeg", "shin": "LowerLeg"},
        **{"foot": "Foot", "toe": "ToeBase"},
    }
    spine = ("J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_UpperChest")
    bones = _person(names, "J_Bip_L_{}", "J_Bip_R_{}", "T", spine, "{}{}")
    top = bones["J_Bip_C_Head"][1][2]
    bones |= sided(
        {
            **line("Hair1_", "J_Bip_C_Head", (0.08, 0.1, top + 0.1), (0.12, 0.2, 0.6), 6),
            **line("Hair2_", "J_Bip_C_Head", (0.1, 0.0, top + 0.1), (0.3, 0.0, 0.5), 6),
            **line("CoatSkirt", "J_Bip_C_Hips", (0.15, 0.1, 0.95), (0.3, 0.25, 0.02), 4),
            "Bust1": ("J_Bip_C_UpperChest", (0.08, -0.1, 1.25)),
            "FaceEye": ("J_Bip_C_Head", (0.03, -0.08, top + 0.08)),
        },
        "J_Sec_L_{}",
        "J_Sec_R_{}",
    )
    bones |= line("J_Sec_Hair3_", "J_Bip_C_Head", (0.0, 0.12, top + 0.12), (0.0, 0.25, 0.4), 7)
    return {
        "Root": (None, (0.0, 0.0, 0.0)),
        **{n: ("Root" if u is None else u, p) for n, (u, p) in bones.items()},
    }


def _unreal() -> Bones:
    names = {
        **{"hips": "pelvis", "neck": "neck_01", "head": "head", "collar": "clavicle", "arm": "upperarm"},
        **{
            "forearm": "lowerarm",
            "hand": "hand",
            "thigh": "thigh",
            "shin": "calf",
            "foot": "foot",
            "toe": "ball",
        },
    }
    bones = _person(names, "{}_l", "{}_r", "T", ("spine_01", "spine_02", "spine_03"))
    hand = bones["hand_l"][1]
    for side, x in (("l", 1.0), ("r", -1.0)):
        for finger, (up, place) in fingers("hand", (0.0, 0.0, hand[2]), "{}_0{}").items():
            above = f"{up.lower()}_{side}" if up else None
            bones[f"{finger.lower()}_{side}"] = (
                above,
                (x * (hand[0] + place[0]), hand[1] + place[1], place[2]),
            )
    bones = {
        "root": (None, (0.0, 0.0, 0.0)),
        **{n: ("root" if u is None else u, p) for n, (u, p) in bones.items()},
    }
    bones["ik_foot_root"] = ("root", (0.0, 0.0, 0.0))
    bones["ik_hand_root"] = ("root", (0.0, 0.0, 0.0))
    bones["ik_hand_gun"] = ("ik_hand_root", bones["hand_r"][1])
    for side in "lr":
        bones[f"ik_foot_{side}"] = ("ik_foot_root", bones[f"foot_{side}"][1])
        bones[f"ik_hand_{side}"] = ("ik_hand_gun", bones[f"hand_{side}"][1])
        up, place = bones[f"thigh_{side}"]
        bones[f"thigh_twist_01_{side}"] = (f"thigh_{side}", (place[0], 0.0, 0.7))
        bones[f"lowerarm_twist_01_{side}"] = (f"lowerarm_{side}", bones[f"hand_{side}"][1])
    return bones


def _biped() -> Bones:
    names = {
        **{"hips": "Bip01 Pelvis", "neck": "Bip01 Neck", "head": "Bip01 Head", "collar": "Clavicle"},
        **{"arm": "UpperArm", "forearm": "Forearm", "hand": "Hand", "thigh": "Thigh", "shin": "Calf"},
        **{"foot": "Foot", "toe": "Toe0"},
    }
    bones = _person(names, "Bip01 L {}", "Bip01 R {}", "T", ("Bip01 Spine", "Bip01 Spine1"))
    top = bones["Bip01 Head"][1][2]
    bones |= {
        f"Bip01 {n}": (u if u == "Bip01 Head" else f"Bip01 {u}", p)
        for n, (u, p) in line("Ponytail1", "Bip01 Head", (0.0, 0.15, top + 0.1), (0.0, 0.4, 0.9), 5).items()
    }
    bones["Bip01 HeadNub"] = ("Bip01 Head", (0.0, 0.0, top + 0.2))
    hips = bones["Bip01 Pelvis"][1]
    bones["Bip01 Footsteps"] = ("Bip01", (0.0, 0.0, 0.0))
    return {"Bip01": (None, hips), **{n: ("Bip01" if u is None else u, p) for n, (u, p) in bones.items()}}


def _daz() -> Bones:
    names = {
        **{"hips": "hip", "neck": "neckLower", "head": "head", "collar": "Collar", "arm": "ShldrBend"},
        **{"forearm": "ForearmBend", "hand": "Hand", "thigh": "ThighBend", "shin": "Shin", "foot": "Foot"},
        "toe": "Toe",
    }
    bones = _person(
        names, "l{}", "r{}", "T", ("abdomenLower", "abdomenUpper", "chestLower", "chestUpper"), "{}{}"
    )
    hips = bones["hip"][1]
    bones["pelvis"] = ("hip", (0.0, 0.0, hips[2] + 0.02))
    for side, x in (("l", 1.0), ("r", -1.0)):
        bones[f"{side}ThighBend"] = ("pelvis", bones[f"{side}ThighBend"][1])
        bones[f"{side}ThighTwist"] = (f"{side}ThighBend", (x * 0.1, -0.005, 0.7))
        bones[f"{side}Shin"] = (f"{side}ThighTwist", bones[f"{side}Shin"][1])
        bones[f"{side}Ear"] = ("head", (x * 0.08, 0.0, 1.65))
        bones[f"{side}Eye"] = ("head", (x * 0.03, -0.08, 1.65))
    return bones


def _smpl() -> Bones:
    names = {
        **{"hips": "Pelvis", "neck": "Neck", "head": "Head", "collar": "Collar", "arm": "Shoulder"},
        **{
            "forearm": "Elbow",
            "hand": "Wrist",
            "thigh": "Hip",
            "shin": "Knee",
            "foot": "Ankle",
            "toe": "Foot",
        },
    }
    bones = _person(names, "L_{}", "R_{}", "T", ("Spine1", "Spine2", "Spine3"))
    for side, x in (("L", 1.0), ("R", -1.0)):
        bones[f"{side}_Hand"] = (f"{side}_Wrist", (x * 0.8, 0.02, bones[f"{side}_Wrist"][1][2]))
    return bones


# --- few bones

_MINETEST: Bones = {
    "Body": (None, (0.0, 0.0, 0.65)),
    "Head": ("Body", (0.0, 0.0, 1.35)),
    "Arm_Left": ("Body", (0.3, 0.0, 1.25)),
    "Arm_Right": ("Body", (-0.3, 0.0, 1.25)),
    "Leg_Left": ("Body", (0.1, 0.0, 0.65)),
    "Leg_Right": ("Body", (-0.1, 0.0, 0.65)),
}
_MINETEST_TAILS = {
    "Body": (0.0, 0.0, 1.35),
    "Head": (0.0, 0.0, 1.85),
    "Arm_Left": (0.35, 0.0, 0.65),
    "Arm_Right": (-0.35, 0.0, 0.65),
    "Leg_Left": (0.1, 0.0, 0.0),
    "Leg_Right": (-0.1, 0.0, 0.0),
}
_OLD_KAYKIT: Bones = {
    "Root": (None, (0.0, 0.0, 0.0)),
    "Body": ("Root", (0.0, 0.0, 0.4)),
    "Head": ("Body", (0.0, 0.0, 1.1)),
    **sided(
        {
            "arm": ("Body", (0.35, 0.0, 1.0)),
            "handSlot": ("arm", (0.75, -0.05, 0.9)),
            "leg": ("Body", (0.17, 0.0, 0.4)),
        },
        "{}Left",
        "{}Right",
    ),
}
_TEN_BONES: Bones = {
    "hips": (None, (0.0, 0.0, 0.8)),
    "chest": ("hips", (0.0, 0.0, 1.0)),
    "head": ("chest", (0.0, 0.0, 1.4)),
    **sided(
        {
            "leg": ("hips", (0.12, 0.0, 0.8)),
            "foot": ("leg", (0.12, 0.0, 0.1)),
            "arm": ("chest", (0.25, 0.0, 1.3)),
        }
    ),
    "hat": ("head", (0.0, 0.0, 1.7)),
}

# --- beasts and machines


def _penguin() -> Bones:
    return {
        "Root": (None, (0.0, 0.0, 0.0)),
        "Body": ("Root", (0.0, 0.05, 0.35)),
        "Chest": ("Body", (0.0, 0.03, 0.6)),
        "Head": ("Chest", (0.0, 0.0, 0.95)),
        "Beak": ("Head", (0.0, -0.2, 1.0)),
        "Tail": ("Body", (0.0, 0.3, 0.2)),
        **sided(
            {
                "Flipper": ("Chest", (0.28, 0.05, 0.85)),
                "FlipperTip": ("Flipper", (0.5, 0.05, 0.5)),
                "Leg": ("Body", (0.15, 0.0, 0.25)),
                "Foot": ("Leg", (0.15, 0.0, 0.08)),
            }
        ),
    }


def _spider(*, from_root: bool) -> Bones:
    """Eight legs. from_root: those in front are long, raised, and hang from the first bone."""
    bones: Bones = {
        "Root": (None, (0.0, 0.0, 0.4)),
        "Body": ("Root", (0.0, 0.1, 0.45)),
        "Head": ("Body", (0.0, -0.35, 0.45)),
        "Abdomen": ("Body", (0.0, 0.5, 0.5)),
    }
    half: Bones = {}
    for k, (name, y) in enumerate((("Front", -0.3), ("MidFront", -0.1), ("MidBack", 0.1), ("Back", 0.3))):
        far = 1.3 if k == 0 and from_root else 0.9
        way = (0.45 + far * 0.3, y * (4.0 if k == 0 and from_root else 1.5), 0.9)
        foot = (0.5 + far * 0.8, y * (6.0 if k == 0 and from_root else 2.0), 0.02)
        half[f"{name}Leg1"] = ("Root" if k == 0 and from_root else "Body", (0.2, y, 0.42))
        half[f"{name}Leg2"] = (f"{name}Leg1", way)
        half[f"{name}Leg3"] = (
            f"{name}Leg2",
            tuple(0.45 * a + 0.55 * b for a, b in zip(way, foot, strict=True)),
        )  # type: ignore[assignment]
        half[f"{name}Foot"] = (f"{name}Leg3", foot)
    half["Fang"] = ("Head", (0.1, -0.5, 0.35))
    return {**bones, **sided(half)}


def _robot() -> Bones:
    """Legs of one bone and a foot each, arms with claws, and a screen for a head."""
    return {
        "root": (None, (0.0, 0.0, 0.0)),
        "body": ("root", (0.0, 0.0, 0.7)),
        "head": ("body", (0.0, 0.0, 1.4)),
        "antenna": ("head", (0.0, 0.0, 1.8)),
        **sided(
            {
                "leg": ("body", (0.2, 0.0, 0.6)),
                "foot": ("leg", (0.2, 0.0, 0.1)),
                "arm": ("body", (0.45, 0.0, 1.2)),
                "hand": ("arm", (0.5, 0.0, 0.7)),
            },
            "{}_left",
            "{}_right",
        ),
    }


def _gorilla() -> Bones:
    """Its knuckles are on the ground, and its arms longer than its legs."""
    return {
        "Hips": (None, (0.0, 0.3, 0.75)),
        "Spine": ("Hips", (0.0, 0.15, 0.95)),
        "Chest": ("Spine", (0.0, -0.1, 1.25)),
        "Neck": ("Chest", (0.0, -0.25, 1.5)),
        "Head": ("Neck", (0.0, -0.35, 1.6)),
        "Jaw": ("Head", (0.0, -0.45, 1.5)),
        **sided(
            {
                "UpperArm": ("Chest", (0.35, -0.2, 1.4)),
                "LowerArm": ("UpperArm", (0.5, -0.25, 0.75)),
                "Hand": ("LowerArm", (0.5, -0.3, 0.12)),
                "UpperLeg": ("Hips", (0.2, 0.3, 0.7)),
                "LowerLeg": ("UpperLeg", (0.25, 0.1, 0.4)),
                "Foot": ("LowerLeg", (0.25, 0.25, 0.08)),
            }
        ),
    }


def _wolf() -> Bones:
    """A beast after Quaternius' layout: IK bones carry its paws."""
    return {
        "Bone": (None, (0.0, 0.0, 0.0)),
        "Body": ("Bone", (0.0, 0.4, 0.8)),
        "Torso": ("Body", (0.0, 0.1, 0.82)),
        "Torso2": ("Torso", (0.0, -0.25, 0.82)),
        "Neck1": ("Torso2", (0.0, -0.5, 0.9)),
        "Head": ("Neck1", (0.0, -0.75, 1.1)),
        "Tail1": ("Body", (0.0, 0.6, 0.8)),
        "Tail2": ("Tail1", (0.0, 0.8, 0.7)),
        "Tail3": ("Tail2", (0.0, 1.0, 0.6)),
        **sided(
            {
                "Ear": ("Head", (0.08, -0.75, 1.25)),
                "FrontShoulder": ("Torso2", (0.12, -0.4, 0.8)),
                "FrontUpperLeg": ("FrontShoulder", (0.14, -0.45, 0.65)),
                "FrontLowerLeg": ("FrontUpperLeg", (0.14, -0.35, 0.35)),
                "FrontFoot": ("Bone", (0.14, -0.42, 0.06)),
                "BackShoulder": ("Body", (0.12, 0.45, 0.75)),
                "BackUpperLeg": ("BackShoulder", (0.13, 0.45, 0.65)),
                "BackLowerLeg": ("BackUpperLeg", (0.13, 0.6, 0.35)),
                "BackFoot": ("Bone", (0.13, 0.5, 0.06)),
                "FrontPoleTarget": ("Bone", (0.14, 0.6, 0.4)),
                "BackPoleTarget": ("Bone", (0.13, -0.6, 0.4)),
            }
        ),
    }


# --- films: deforming bones among many that lead them

_CLOUD_SPINE = (
    ("Hips", None, (0.0, 0.0, 0.95)),
    ("Spine", "Hips", (0.0, 0.0, 1.08)),
    ("RibCage", "Spine", (0.0, 0.0, 1.2)),
    ("Chest", "RibCage", (0.0, 0.01, 1.32)),
    ("Neck", "Chest", (0.0, 0.0, 1.48)),
    ("Head", "Neck", (0.0, -0.01, 1.58)),
)
_CLOUD_HALF: Bones = {
    "Clavicle": ("Chest", (0.03, 0.0, 1.43)),
    "UpperArm": ("Clavicle", (0.17, 0.02, 1.43)),
    "Forearm": ("UpperArm", (0.44, 0.04, 1.43)),
    "Wrist": ("Forearm", (0.7, 0.01, 1.43)),
    "Thigh": ("Hips", (0.1, 0.0, 0.92)),
    "Knee": ("Thigh", (0.1, -0.02, 0.5)),
    "Foot": ("Knee", (0.1, 0.03, 0.09)),
    "Toes": ("Foot", (0.1, -0.1, 0.02)),
}


def cloud_core() -> Bones:
    """The bones of a person after CloudRig's names, by value, of which a rig has several layers."""
    bones: Bones = {name: (up, place) for name, up, place in _CLOUD_SPINE}
    half = {**_CLOUD_HALF, **fingers("Wrist", (0.7, 0.0, 1.43))}
    half |= {"Eye": ("Head", (0.03, -0.08, 1.66)), "Ear": ("Head", (0.08, 0.0, 1.65))}
    bones |= sided(half)
    bones |= line("Ponytail", "Head", (0.0, 0.1, 1.72), (0.0, 0.3, 1.2), 4)
    bones |= {"Jaw": ("Head", (0.0, -0.03, 1.6))}
    return bones


def _cloud() -> Skeleton:
    """A layer of ORG bones, one of FK and one of IK, STR bones that hang from ORG, and DEF from these."""
    core = cloud_core()
    split = {name for name in core if name.split(".")[0] in ("UpperArm", "Forearm", "Thigh", "Knee")}
    bones: Bones = {"root": (None, (0.0, 0.0, 0.0)), "MSTR-Torso": ("root", (0.0, 0.0, 1.0))}
    joint_after = {"UpperArm": "Forearm", "Forearm": "Wrist", "Thigh": "Knee", "Knee": "Foot"}
    for name, (up, place) in core.items():
        bones[f"ORG-{name}"] = (f"ORG-{up}" if up else "MSTR-Torso", place)
        bones[f"FK-{name}"] = (f"FK-{up}" if up else "MSTR-Torso", place)
    for side, x in (("L", 1.0), ("R", -1.0)):
        bones[f"IK-MSTR-Foot.{side}"] = ("root", (x * 0.1, 0.03, 0.09))
        bones[f"IK-MSTR-Wrist.{side}"] = ("root", (x * 0.7, 0.01, 1.43))
        bones[f"IK-POLE-Thigh.{side}"] = ("root", (x * 0.1, -0.9, 0.5))
        bones[f"IK-POLE-UpperArm.{side}"] = ("root", (x * 0.44, 0.9, 1.43))
        for name, up in (
            ("Thigh", "Hips"),
            ("Knee", "Thigh"),
            ("UpperArm", "Clavicle"),
            ("Forearm", "UpperArm"),
        ):
            above = (
                f"ORG-{up}" if up == "Hips" else f"ORG-{up}.{side}" if up == "Clavicle" else f"IK-{up}.{side}"
            )
            bones[f"IK-{name}.{side}"] = (above, core[f"{name}.{side}"][1])
    # deforming bones first, as none of them hangs from another
    for name, (_, place) in core.items():
        base, _, side = name.partition(".")
        end = f".{side}" if side else ""
        halves = [(f"{base}1{end}", place)] if name in split else [(name, place)]
        if name in split:
            end_place = core[joint_after[base] + end][1]
            middle = tuple(0.5 * (a + b) for a, b in zip(place, end_place, strict=True))
            halves.append((f"{base}2{end}", middle))  # type: ignore[arg-type]
        for part, head in halves:
            bones[f"STR-{part}"] = (f"ORG-{name}", head)
            bones[f"DEF-{part}"] = (f"STR-{part}", head)
    right = {
        "HIPS": {"DEF-Hips"},
        "HEAD": {"DEF-Head"},
        "HAND": {"DEF-Wrist.L", "DEF-Wrist.R"},
        "FOOT": {"DEF-Foot.L", "DEF-Foot.R"},
    }
    rigid = frozenset(name for name in bones if not name.startswith("DEF-"))
    # what others copy points where these do
    ends = {"IK-MSTR-Foot": "Toes", "IK-Knee": "Foot", "IK-MSTR-Wrist": "Thumb1", "IK-Forearm": "Wrist"}
    tails = {f"{name}.{side}": core[f"{end}.{side}"][1] for name, end in ends.items() for side in "LR"}
    return Skeleton(bones, right, tails, rigid)


def _film_face() -> Skeleton:
    """A person with a face of many bones, all of which hang from their own controls, as in open films."""
    half: Bones = {
        "upper_arm": ("shoulder", (0.17, 0.02, 1.43)),
        "shoulder": ("chest", (0.03, 0.0, 1.43)),
        "forearm": ("upper_arm", (0.44, 0.04, 1.43)),
        "hand": ("forearm", (0.7, 0.01, 1.43)),
        "thigh": ("hips", (0.1, 0.0, 0.92)),
        "shin": ("thigh", (0.1, -0.02, 0.5)),
        "foot": ("shin", (0.1, 0.03, 0.09)),
        "toe": ("foot", (0.1, -0.1, 0.02)),
        **fingers("hand", (0.7, 0.0, 1.43)),
    }
    core: Bones = {
        "hips": (None, (0.0, 0.0, 0.95)),
        "spine": ("hips", (0.0, 0.0, 1.08)),
        "chest": ("spine", (0.0, 0.0, 1.25)),
        "neck": ("chest", (0.0, 0.0, 1.48)),
        "head": ("neck", (0.0, -0.01, 1.58)),
    }
    order = ["shoulder", *(name for name in half if name != "shoulder")]
    core |= sided({name: half[name] for name in order})
    bones: Bones = {"root": (None, (0.0, 0.0, 0.0))}
    for name, (up, place) in core.items():
        bones[f"MCH-{name}"] = (f"MCH-{up}" if up else "root", place)
        bones[f"DEF-{name}"] = (f"MCH-{name}", place)
    for kind, count, y in (("Nose", 3, -0.11), ("Lip", 4, -0.1), ("Cheek", 4, -0.07), ("Brow", 4, -0.08)):
        for k in range(count):
            for side, x in (("L", 1.0), ("R", -1.0)):
                place = (x * (0.01 + 0.012 * k), y, 1.6 + 0.02 * k)
                bones[f"CTRL-{kind}{k + 1}.{side}"] = ("root", place)
                bones[f"DEF-{kind}{k + 1}.{side}"] = (f"CTRL-{kind}{k + 1}.{side}", place)
    for side, x in (("L", 1.0), ("R", -1.0)):
        for name, (up, place) in line("Hair", None, (x * 0.08, 0.05, 1.75), (x * 0.2, 0.2, 1.2), 5).items():
            bones[f"DEF-{name}.{side}"] = (f"DEF-{up}.{side}" if up else "MCH-head", place)
    right = {
        "HIPS": {"DEF-hips"},
        "HEAD": {"DEF-head"},
        "HAND": {"DEF-hand.L", "DEF-hand.R"},
        "FOOT": {"DEF-foot.L", "DEF-foot.R"},
    }
    rigid = frozenset(name for name in bones if not name.startswith("DEF-"))
    return Skeleton(bones, right, rigid=rigid)


def _makehuman() -> Bones:
    bones = line("spine0", "root", (0.0, 0.0, 0.98), (0.0, 0.0, 1.4), 5)
    bones = {"root": (None, (0.0, 0.0, 0.95)), **bones}
    bones |= {
        "neck01": ("spine05", (0.0, 0.0, 1.45)),
        "head": ("neck01", (0.0, 0.0, 1.58)),
        "jaw": ("head", (0.0, -0.05, 1.58)),
    }
    half: Bones = {
        "clavicle": ("spine05", (0.02, 0.0, 1.42)),
        "shoulder01": ("clavicle", (0.14, 0.0, 1.42)),
        "upperarm01": ("shoulder01", (0.18, 0.0, 1.42)),
        "upperarm02": ("upperarm01", (0.32, 0.0, 1.35)),
        "lowerarm01": ("upperarm02", (0.44, 0.0, 1.3)),
        "lowerarm02": ("lowerarm01", (0.56, 0.0, 1.25)),
        "wrist": ("lowerarm02", (0.68, 0.0, 1.2)),
        "pelvis": ("root", (0.05, 0.0, 0.95)),
        "upperleg01": ("pelvis", (0.1, 0.0, 0.92)),
        "upperleg02": ("upperleg01", (0.1, 0.0, 0.72)),
        "lowerleg01": ("upperleg02", (0.1, 0.0, 0.5)),
        "lowerleg02": ("lowerleg01", (0.1, 0.0, 0.3)),
        "foot": ("lowerleg02", (0.1, 0.02, 0.08)),
    }
    for k in range(5):
        half[f"metacarpal{k}" if k else "finger1-1"] = ("wrist", (0.72, -0.04 + 0.02 * k, 1.19))
        half[f"finger{k + 1}-2"] = (f"metacarpal{k}" if k else "finger1-1", (0.78, -0.05 + 0.025 * k, 1.17))
        half[f"toe{k + 1}-1"] = ("foot", (0.07 + 0.015 * k, -0.1, 0.02))
    return {**bones, **sided(half)}


# --- games' conventions beside those, and what has no limbs


def _synty() -> Bones:
    names = {
        **{"hips": "Hips", "neck": "Neck", "head": "Head", "collar": "Clavicle", "arm": "Shoulder"},
        **{"forearm": "Elbow", "hand": "Hand", "thigh": "UpperLeg", "shin": "LowerLeg", "foot": "Ankle"},
        "toe": "Ball",
    }
    bones = _person(names, "{}_L", "{}_R", "T", ("Spine_01", "Spine_02", "Spine_03"))
    bones = {"Root": (None, (0.0, 0.0, 0.0)), **bones, "Eyes": ("Head", (0.0, -0.1, 1.65))}
    bones["Hips"] = ("Root", bones["Hips"][1])
    height = bones["Hand_L"][1][2]
    for side, x in (("L", 1.0), ("R", -1.0)):
        for finger, y in (("IndexFinger", 0.0), ("Finger", 0.03), ("Thumb", -0.05)):
            for k in range(3):
                up = f"Hand_{side}" if k == 0 else f"{finger}_0{k}_{side}"
                bones[f"{finger}_0{k + 1}_{side}"] = (up, (x * (0.8 + 0.03 * k), y, height))
        bones[f"Toes_{side}"] = (f"Ball_{side}", (x * 0.1, -0.17, 0.02))
    return bones


_ROBLOX: Bones = {
    "HumanoidRootPart": (None, (0.0, 0.0, 1.0)),
    "LowerTorso": ("HumanoidRootPart", (0.0, 0.0, 1.0)),
    "UpperTorso": ("LowerTorso", (0.0, 0.0, 1.2)),
    "Head": ("UpperTorso", (0.0, 0.0, 1.7)),
    **sided(
        {
            "UpperArm": ("UpperTorso", (0.3, 0.0, 1.6)),
            "LowerArm": ("UpperArm", (0.35, 0.0, 1.25)),
            "Hand": ("LowerArm", (0.35, 0.0, 0.95)),
            "UpperLeg": ("LowerTorso", (0.13, 0.0, 0.95)),
            "LowerLeg": ("UpperLeg", (0.13, 0.0, 0.5)),
            "Foot": ("LowerLeg", (0.13, 0.0, 0.08)),
        },
        "Left{}",
        "Right{}",
    ),
}
_BLOCKS: Bones = {
    "root": (None, (0.0, 0.0, 0.0)),
    "body": ("root", (0.0, 0.0, 0.75)),
    "head": ("body", (0.0, 0.0, 1.5)),
    "hat": ("head", (0.0, 0.0, 1.9)),
    **sided({"arm": ("body", (0.3, 0.0, 1.4)), "leg": ("root", (0.12, 0.0, 0.75))}, "left_{}", "right_{}"),
}
_BLOCK_TAILS: dict[str, Point] = {
    "left_arm": (0.3, 0.0, 0.75),
    "right_arm": (-0.3, 0.0, 0.75),
    "left_leg": (0.12, 0.0, 0.0),
    "right_leg": (-0.12, 0.0, 0.0),
}


def _lettered_spider() -> Bones:
    """Legs whose names say in letters which they are, without a foot bone."""
    bones: Bones = {
        "Root": (None, (0.0, 0.0, 0.0)),
        "Body": ("Root", (0.0, 0.1, 0.5)),
        "Head": ("Body", (0.0, -0.3, 0.5)),
        "Butt": ("Body", (0.0, 0.5, 0.55)),
    }
    for leg, y in (("F", -0.3), ("MF", -0.1), ("MB", 0.1), ("B", 0.3)):
        for side, x in (("L", 1.0), ("R", -1.0)):
            name = f"Leg{leg}{side}"
            bones[f"{name}1"] = ("Body", (0.2 * x, y, 0.45))
            bones[f"{name}2"] = (f"{name}1", (0.6 * x, 1.5 * y, 0.9))
            bones[f"{name}3"] = (f"{name}2", (1.1 * x, 2.0 * y, 0.3))
            bones[f"{name}3_end"] = (f"{name}3", (1.2 * x, 2.1 * y, 0.0))
    return bones


_HORSE: Bones = {
    "root": (None, (0.0, 0.0, 0.0)),
    "pelvis": ("root", (0.0, 0.6, 1.3)),
    "spine": ("pelvis", (0.0, 0.2, 1.35)),
    "chest": ("spine", (0.0, -0.3, 1.35)),
    "neck": ("chest", (0.0, -0.7, 1.5)),
    "head": ("neck", (0.0, -1.0, 1.9)),
    **line("tail", "pelvis", (0.0, 0.7, 1.35), (0.0, 1.1, 0.6), 4),
    **sided(
        {
            "ear": ("head", (0.05, -1.0, 2.05)),
            "front_leg_upper": ("chest", (0.15, -0.4, 1.1)),
            "front_leg_lower": ("front_leg_upper", (0.15, -0.35, 0.65)),
            "front_hoof": ("front_leg_lower", (0.15, -0.38, 0.1)),
            "hind_leg_upper": ("pelvis", (0.15, 0.6, 1.2)),
            "hind_leg_mid": ("hind_leg_upper", (0.15, 0.5, 0.85)),
            "hind_leg_lower": ("hind_leg_mid", (0.15, 0.75, 0.55)),
            "hind_hoof": ("hind_leg_lower", (0.15, 0.7, 0.1)),
        }
    ),
}
_BAT: Bones = {
    "Body": (None, (0.0, 0.0, 1.0)),
    "Head": ("Body", (0.0, -0.1, 1.2)),
    **sided(
        {
            "Ear": ("Head", (0.05, -0.1, 1.35)),
            "Wing1": ("Body", (0.1, 0.0, 1.1)),
            "Wing2": ("Wing1", (0.5, 0.0, 1.3)),
            "Wing3": ("Wing2", (1.0, 0.0, 1.1)),
            "Leg": ("Body", (0.07, 0.0, 0.95)),
            "Foot": ("Leg", (0.07, 0.0, 0.85)),
        }
    ),
}
_SNAKE: Bones = {
    **line("Spine", None, (0.0, 0.0, 0.05), (0.0, 2.0, 0.05), 12),
    "Head": ("Spine1", (0.0, -0.15, 0.08)),
    "Jaw": ("Head", (0.0, -0.2, 0.06)),
}
_FISH: Bones = {
    "Body": (None, (0.0, 0.0, 1.0)),
    "Head": ("Body", (0.0, -0.3, 1.0)),
    "Tail1": ("Body", (0.0, 0.3, 1.0)),
    "Tail2": ("Tail1", (0.0, 0.6, 1.0)),
    **sided({"Fin": ("Body", (0.1, 0.0, 0.95))}),
}
_TANK: Bones = {
    "Root": (None, (0.0, 0.0, 0.0)),
    "Hull": ("Root", (0.0, 0.0, 0.5)),
    "Turret": ("Hull", (0.0, 0.0, 1.0)),
    "Barrel": ("Turret", (0.0, -0.5, 1.1)),
    **sided({f"Wheel{k}": ("Hull", (0.6, 0.4 * k - 0.8, 0.2)) for k in range(5)}),
}
_SWORD: Bones = line("Blade", None, (0.0, 0.0, 0.0), (0.0, 0.0, 1.2), 4)


def _whole(bones: Bones) -> Skeleton:
    """What has no limbs, so that all its bones count alike."""
    return Skeleton(bones, {"OTHER": {*bones}})


# --- words of other languages, and what is in hands


def _armed_french() -> Skeleton:
    """A knight of few bones whose weapons are longer than his arms."""
    half: Bones = {
        "bras": ("torse", (0.2, 0.0, 1.6)),
        "main": ("bras", (0.5, 0.0, 1.6)),
        "arme": ("main", (1.1, -0.3, 1.6)),
        "jambe": ("bassin", (0.15, 0.0, 1.0)),
        "pied": ("jambe", (0.15, 0.0, 0.1)),
    }
    bones: Bones = {
        "bassin": (None, (0.0, 0.0, 1.0)),
        "torse": ("bassin", (0.0, 0.0, 1.3)),
        "tête": ("torse", (0.0, 0.0, 1.7)),
        **sided(half, "{} gauche", "{} droit"),
    }
    sides = {"left": "{} gauche", "right": "{} droit"}
    right = {
        "HIPS": {"bassin"},
        "HEAD": {"tête"},
        "HAND": both("main", **sides),
        "FOOT": both("pied", **sides),
    }
    return Skeleton(bones, right)


_PARTS = ("hips", "neck", "head", "collar", "arm", "forearm", "hand", "thigh", "shin", "foot", "toe")


def _armed_person(said: str, left: str, right: str, spine: tuple[str, ...], sword: str) -> Skeleton:
    """A person with a long sword in each hand. said: words for the parts, in their order. sword: its word."""
    names = dict(zip(_PARTS, said.split(), strict=True))
    bones = _person(names, left, right, "T", spine)
    for pattern, x in ((left, 1.0), (right, -1.0)):
        place = bones[pattern.format(names["hand"])][1]
        bones[pattern.format(sword)] = (
            pattern.format(names["hand"]),
            (place[0] + 1.1 * x, -0.4, place[2] + 0.2),
        )
    of = {
        "HAND": both(names["hand"], left=left, right=right),
        "FOOT": both(names["foot"], left=left, right=right),
    }
    return Skeleton(bones, {"HIPS": {names["hips"]}, "HEAD": {names["head"]}, **of})


def _with_helpers() -> Skeleton:
    """A person whose pelvis is called root; what is called pelvis moves only a skirt."""
    bones = _person({**_UNITY, "hips": "Root"}, "{}_l", "{}_r", "T", ("Spine", "Chest"))
    bones["P_Pelvis"] = ("Root", (0.0, 0.01, 0.95))
    bones["P_Pelvis_Null"] = ("P_Pelvis", (0.0, 0.01, 0.9))
    for side, x in (("l", 1.0), ("r", -1.0)):
        bones[f"P_Rect_{side}"] = ("P_Pelvis", (0.12 * x, -0.08, 0.95))
        bones[f"P_Glute_{side}"] = ("P_Pelvis", (0.12 * x, 0.08, 0.95))
    sides = {"left": "{}_l", "right": "{}_r"}
    right = {"HIPS": {"Root"}, "HEAD": {"Head"}, "HAND": both("Hand", **sides), "FOOT": both("Foot", **sides)}
    return Skeleton(bones, right)


# --- meshes that leave out bones


def _twisting() -> Skeleton:
    """A person whose mesh is bound to the twist bones of limbs, three each, and not to the limbs' own."""
    plain = _person(_UNITY, "{}_l", "{}_r", "T", ("Spine", "Chest"))
    bones = dict(plain)
    limbs = {"Arm": "ForeArm", "ForeArm": "Hand", "UpLeg": "Leg", "Leg": "Foot"}
    for side in "lr":
        for limb, after in limbs.items():
            begin, end = (plain[f"{bone}_{side}"][1] for bone in (limb, after))
            for i in range(3):
                place = tuple(a + i / 3 * (b - a) for a, b in zip(begin, end, strict=True))
                bones[f"twist_{limb}{i}_{side}"] = (f"{limb}_{side}", place)  # type: ignore[assignment]
    own = both(*limbs, "Hand", "Foot", "Toes", left="{}_l", right="{}_r")
    right = {
        "HIPS": {"Hips"},
        "HEAD": {"Head"},
        "HAND": both("Hand", left="{}_l", right="{}_r"),
        "FOOT": both("Foot", left="{}_l", right="{}_r"),
    }
    return Skeleton(bones, right, weightless=frozenset(own))


def _on_targets() -> Skeleton:
    """A dog whose paws are on the targets that IK led its lower legs to, which hang from nothing."""
    half: Bones = {
        "FrontUpperLeg": ("Chest", (0.15, -0.4, 0.6)),
        "FrontLowerLeg": ("FrontUpperLeg", (0.15, -0.35, 0.42)),
        "IKFrontLeg": (None, (0.15, -0.4, 0.05)),
        "BackUpperLeg": ("Pelvis", (0.15, 0.3, 0.6)),
        "BackLowerLeg": ("BackUpperLeg", (0.15, 0.25, 0.35)),
        "IKBackLeg": (None, (0.15, 0.35, 0.05)),
    }
    bones: Bones = {
        "Pelvis": (None, (0.0, 0.3, 0.75)),
        "Chest": ("Pelvis", (0.0, -0.3, 0.75)),
        "Neck": ("Chest", (0.0, -0.5, 0.85)),
        "Head": ("Neck", (0.0, -0.7, 1.0)),
        **sided(half),
    }
    right = {"HIPS": {"Pelvis"}, "HEAD": {"Head"}, "FOOT": both("IKFrontLeg", "IKBackLeg")}
    return Skeleton(bones, right)


def _heads_and_hands() -> Skeleton:
    """A player of whom one sees only the head and the hands."""
    bones = _mixamo("T")
    seen = {bone for bone in bones if "Hand" in bone or "Head" in bone}
    return Skeleton(bones, _MIXAMO_RIGHT, weightless=frozenset({*bones} - seen))


SKELETONS: dict[str, Skeleton] = {
    "french with weapons": _armed_french(),
    "german": _armed_person(
        "Becken Hals Kopf Schlüsselbein Oberarm Unterarm Hand Oberschenkel Unterschenkel Fuß Zehen",
        *("{} links", "{} rechts", ("Wirbelsäule", "Brust"), "Schwert"),
    ),
    "spanish": _armed_person(
        "Cadera Cuello Cabeza Clavícula Brazo Antebrazo Mano Muslo Pantorrilla Pie Dedos",
        *("{}.I", "{}.D", ("Columna", "Pecho"), "Espada"),
    ),
    "russian": _armed_person(
        "Таз Шея Голова Ключица Плечо Предплечье Кисть Бедро Голень Стопа Носок",
        *("{}_Л", "{}_П", ("Позвоночник", "Грудь"), "Меч"),
    ),
    "japanese": _armed_person(
        "下半身 首 頭 肩 腕 ひじ 手首 足 ひざ 足首 つま先",
        *("左{}", "右{}", ("上半身", "上半身2"), "剣"),
    ),
    "chinese": _armed_person(
        "骨盆 颈 头 锁骨 上臂 前臂 手掌 大腿 小腿 脚 脚趾",
        *("左{}", "右{}", ("脊椎", "胸"), "武器"),
    ),
    "helpers": _with_helpers(),
    "twisting": _twisting(),
    "on targets": _on_targets(),
    "head and hands": _heads_and_hands(),
    "spider without a body": Skeleton(
        _lettered_spider(),
        {
            "HIPS": {"Body"},
            "HEAD": {"Head"},
            "FOOT": {f"Leg{leg}{side}3" for leg in ("F", "MF", "MB", "B") for side in "LR"},
        },
        weightless=frozenset({"Root", "Body"} | {bone for bone in _lettered_spider() if "_end" in bone}),
    ),
    "quaternius": Skeleton(
        _quaternius(),
        {"HIPS": {"Hips"}, "HEAD": {"Head"}, "HAND": both("Palm"), "FOOT": both("Foot")},
    ),
    "quaternius without ends": Skeleton(
        _quaternius(ends=False),
        {"HIPS": {"Hips"}, "HEAD": {"Head"}, "HAND": both("Palm"), "FOOT": both("Foot")},
    ),
    "quaternius wide": Skeleton(
        _quaternius(2.5, wide=0.7),
        {"HIPS": {"Hips"}, "HEAD": {"Head"}, "HAND": both("Palm"), "FOOT": both("Foot")},
    ),
    "quaternius of two legs": Skeleton(_TWO_LEGS, {"HIPS": {"Body"}, "HEAD": {"Head"}, "FOOT": both("Foot")}),
    # on all fours, so that its hands are feet
    "quaternius frog": Skeleton(_FROG, {"HIPS": {"Body"}, "HEAD": {"Head"}, "FOOT": both("Hand", "Foot")}),
    "quaternius wolf": Skeleton(
        _wolf(),
        {"HIPS": {"Body"}, "HEAD": {"Head"}, "FOOT": both("FrontFoot", "BackFoot"), "OTHER": {"Tail3"}},
    ),
    "mixamo": Skeleton(_mixamo("T"), _MIXAMO_RIGHT),
    "mixamo zombie": Skeleton(_mixamo("Z"), _MIXAMO_RIGHT),
    "unity player": Skeleton(
        _unity_player(),
        {
            "HIPS": {"Hips"},
            "HEAD": {"Head"},
            "HAND": both("Hand", left="Left{}", right="Right{}"),
            "FOOT": both("Foot", left="Left{}", right="Right{}"),
        },
    ),
    "vrm": Skeleton(
        _vrm(),
        {
            "HIPS": {"J_Bip_C_Hips"},
            "HEAD": {"J_Bip_C_Head"},
            "HAND": both("Hand", left="J_Bip_L_{}", right="J_Bip_R_{}"),
            "FOOT": both("Foot", left="J_Bip_L_{}", right="J_Bip_R_{}"),
        },
    ),
    "unreal": Skeleton(
        _unreal(),
        {
            "HIPS": {"pelvis"},
            "HEAD": {"head"},
            "HAND": both("hand", left="{}_l", right="{}_r"),
            "FOOT": both("foot", left="{}_l", right="{}_r"),
        },
    ),
    "3ds max biped": Skeleton(
        _biped(),
        {
            "HIPS": {"Bip01 Pelvis"},
            "HEAD": {"Bip01 Head"},
            "HAND": both("Hand", left="Bip01 L {}", right="Bip01 R {}"),
            "FOOT": both("Foot", left="Bip01 L {}", right="Bip01 R {}"),
        },
    ),
    "daz": Skeleton(
        _daz(),
        {
            "HIPS": {"hip"},
            "HEAD": {"head"},
            "HAND": both("Hand", left="l{}", right="r{}"),
            "FOOT": both("Foot", left="l{}", right="r{}"),
        },
    ),
    "smpl": Skeleton(
        _smpl(),
        {
            "HIPS": {"Pelvis"},
            "HEAD": {"Head"},
            "HAND": both("Wrist", left="L_{}", right="R_{}"),
            "FOOT": both("Ankle", left="L_{}", right="R_{}"),
        },
    ),
    "makehuman": Skeleton(
        _makehuman(), {"HIPS": {"root"}, "HEAD": {"head"}, "HAND": both("wrist"), "FOOT": both("foot")}
    ),
    "minetest": Skeleton(
        _MINETEST,
        {
            "HIPS": {"Body"},
            "HEAD": {"Head"},
            "HAND": {"Arm_Left", "Arm_Right"},
            "FOOT": {"Leg_Left", "Leg_Right"},
        },
        _MINETEST_TAILS,
    ),
    "old kaykit": Skeleton(
        _OLD_KAYKIT,
        {
            "HIPS": {"Body"},
            "HEAD": {"Head"},
            "HAND": both("arm", left="{}Left", right="{}Right"),
            "FOOT": both("leg", left="{}Left", right="{}Right"),
        },
        {"legLeft": (0.17, 0.0, 0.0), "legRight": (-0.17, 0.0, 0.0)},
    ),
    "ten bones": Skeleton(
        _TEN_BONES,
        {"HIPS": {"hips"}, "HEAD": {"head"}, "HAND": both("arm"), "FOOT": both("foot")},
        {"foot.L": (0.12, -0.15, 0.0), "foot.R": (-0.12, -0.15, 0.0)},
    ),
    "penguin": Skeleton(
        _penguin(), {"HIPS": {"Body"}, "HEAD": {"Head"}, "HAND": both("FlipperTip"), "FOOT": both("Foot")}
    ),
    "spider": Skeleton(
        _spider(from_root=False),
        {
            "HIPS": {"Body"},
            "HEAD": {"Head"},
            "FOOT": both("FrontFoot", "MidFrontFoot", "MidBackFoot", "BackFoot"),
        },
    ),
    "spider with raised legs": Skeleton(
        _spider(from_root=True),
        {
            "HIPS": {"Root"},
            "HEAD": {"Head"},
            "FOOT": both("FrontFoot", "MidFrontFoot", "MidBackFoot", "BackFoot"),
        },
    ),
    "robot": Skeleton(
        _robot(),
        {
            "HIPS": {"body"},
            "HEAD": {"head"},
            "HAND": both("hand", left="{}_left", right="{}_right"),
            "FOOT": both("foot", left="{}_left", right="{}_right"),
        },
        {"foot_left": (0.2, -0.2, 0.0), "foot_right": (-0.2, -0.2, 0.0)},
    ),
    "gorilla": Skeleton(
        _gorilla(), {"HIPS": {"Hips"}, "HEAD": {"Head"}, "HAND": both("Hand"), "FOOT": both("Foot")}
    ),
    "cloudrig": _cloud(),
    "film with a face": _film_face(),
    "synty": Skeleton(
        _synty(),
        {
            "HIPS": {"Hips"},
            "HEAD": {"Head"},
            "HAND": both("Hand", left="{}_L", right="{}_R"),
            "FOOT": both("Ankle", left="{}_L", right="{}_R"),
        },
    ),
    "roblox": Skeleton(
        _ROBLOX,
        {
            "HIPS": {"LowerTorso"},
            "HEAD": {"Head"},
            "HAND": both("Hand", left="Left{}", right="Right{}"),
            "FOOT": both("Foot", left="Left{}", right="Right{}"),
        },
    ),
    "blocks": Skeleton(
        _BLOCKS,
        {
            "HIPS": {"body"},
            "HEAD": {"head"},
            "HAND": both("arm", left="left_{}", right="right_{}"),
            "FOOT": both("leg", left="left_{}", right="right_{}"),
        },
        _BLOCK_TAILS,
    ),
    "spider of letters": Skeleton(
        _lettered_spider(),
        {
            "HIPS": {"Body"},
            "HEAD": {"Head"},
            "FOOT": {f"Leg{leg}{side}3" for leg in ("F", "MF", "MB", "B") for side in "LR"},
        },
    ),
    "horse": Skeleton(
        _HORSE,
        {"HIPS": {"pelvis"}, "HEAD": {"head"}, "FOOT": both("front_hoof", "hind_hoof"), "OTHER": {"tail4"}},
    ),
    "bat": Skeleton(_BAT, {"HIPS": {"Body"}, "HEAD": {"Head"}, "FOOT": both("Foot"), "OTHER": both("Wing3")}),
    "snake": _whole(_SNAKE),
    "fish": _whole(_FISH),
    "tank": _whole(_TANK),
    "sword": _whole(_SWORD),
}
