# SPDX-License-Identifier: GPL-3.0-or-later
"""What the name of a bone says: which part of a body it is, on which side, and whether it is a control.

The words are those of the conventions that rigs come with: Mixamo's, Rigify's, CloudRig's, Unreal's,
Unity's, VRM's, 3ds Max Biped's, DAZ's, MakeHuman's, SMPL's, the CMU's, Quaternius' and KayKit's. A name may
lie, so that what is said here is one kind of evidence among others; see :mod:`.weighing`.
"""

from __future__ import annotations

import functools
import re

from ...records import record

ROOT, HIPS, SPINE, NECK, HEAD = "ROOT", "HIPS", "SPINE", "NECK", "HEAD"
SHOULDER, ARM, HAND, FINGER = "SHOULDER", "ARM", "HAND", "FINGER"
LEG, FOOT, TOE = "LEG", "FOOT", "TOE"
TAIL, WING, GROWN, HELD, MACHINE = "TAIL", "WING", "GROWN", "HELD", "MACHINE"
"""Parts of a body. GROWN: a face, hair, clothes. HELD: what is in a hand or on a
back. MACHINE: of a vehicle."""

_PART_OF = {
    word: part
    for part, said in {
        ROOT: "root armature origin world global",
        HIPS: "hip hips pelvis",
        SPINE: "spine torso chest abdomen back thorax ribcage body belly waist trunk lowerback upperchest",
        NECK: "neck lowerneck upperneck",
        HEAD: "head skull",
        SHOULDER: "shoulder clavicle collar scapula",
        ARM: "arm forearm humerus radius ulna elbow shldr flipper",
        HAND: "hand palm wrist fist",
        FINGER: "finger fingers thumb pinky pinkie metacarpal carpal knuckle",
        LEG: "leg thigh shin calf knee femur tibia shank hock haunch",
        FOOT: "foot feet ankle paw hoof hooves",
        TOE: "toe toes ball metatarsal metatarsals heel",
        TAIL: "tail",
        WING: "wing wings fin fins",
        GROWN: "hair ponytail pony braid bang bangs fringe ear ears antenna antler antlers feather feathers "
        "horn horns jaw mouth tongue teeth tooth lip lips eye eyes eyelid eyelids lid brow brows eyebrow "
        "eyebrows nose nostril cheek cheeks chin beard moustache forehead temple face skirt cape cloth coat "
        "belt scarf cloak hat helmet breast breasts bust boob pec glute butt",
        HELD: "slot handslot socket weapon sword shield gun prop props item attach attachment holder bow "
        "staff tool backpack bag quiver",
        MACHINE: "wheel wheels tire tyre tread turret barrel hull door rotor propeller piston gear",
    }.items()
    for word in said.split()
}
_EXCLUDING = (HELD, MACHINE, GROWN, WING)
"""Whatever else a name says."""
_PERHAPS_FINGERS = frozenset(["index", "middle", "mid", "ring", "little"])
"""Fingers, unless something else is said, too."""
_PLACES = frozenset(["front", "fore", "back", "hind", "rear", "mid", "middle", "top", "bottom"])
"""Which of several limbs."""
_CONTROLS = frozenset(
    [
        "ik",
        "fk",
        "pole",
        "target",
        "tgt",
        "ctrl",
        "ctl",
        "control",
        "mch",
        "mstr",
        "master",
        "parent",
        "hng",
        "psx",
        "tweak",
        "gizmo",
        "wgt",
        "dummy",
        "helper",
        "swivel",
        "snap",
        "aim",
        "org",
        "str",
        "vis",
    ]
)
_PARTIAL = frozenset(["twist", "roll", "bend"])
"""A half of a bone, or what only turns with it."""
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}

_GLUED = re.compile(
    "^(?P<before>(?:left|right|front|fore|back|hind|rear|mid|upper|lower|up|low|[lr])*)"
    f"(?P<part>{'|'.join(sorted(_PART_OF, key=len, reverse=True))})"
    "(?P<side>left|right|[lr])?$"
)
_BEFORE = re.compile("left|right|front|fore|back|hind|rear|mid|upper|lower|up|low|[lr]")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
MARKS_AN_END = re.compile(r"(nub|(?<!b)end|tip|site|leaf|effector)(\.\d+)?$", re.IGNORECASE)


@functools.lru_cache(maxsize=4096)
def words(name: str) -> frozenset[str]:
    """The words of a bone's name, in lower case: back, low, leg and r of "BackLowLeg.R"."""
    return frozenset(_spelt(name))


def _spelt(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


@record(frozen=True)
class Label:
    """What a name says. part: "" for nothing known. side: "L", "R" or "". place: which of several limbs.

    is_control: whether it is called a control, or a bone that leads others. is_end: whether it marks where
    another one ends. is_partial: whether it is a half of a bone.
    """

    part: str
    side: str
    place: frozenset[str]
    is_control: bool
    is_end: bool
    is_partial: bool


@functools.lru_cache(maxsize=4096)
def label(name: str) -> Label:
    """What the name of a bone says."""
    spelt = [piece for word in _spelt(name) for piece in _pieces(word)]
    sides = [i for i, word in enumerate(spelt) if word in _SIDES]
    # of "r_toe.L" the last one is the side, and the first one says that it is at the rear
    side = sides[-1] if sides else -1
    others = [word for i, word in enumerate(spelt) if i != side]
    part = _part(others, bool(sides))
    said = frozenset(others)
    place = (said & _PLACES) | {word for word in others if len(word) == 1}
    return Label(
        part,
        _SIDES[spelt[side]] if sides else "",
        frozenset(place),
        bool(said & _CONTROLS),
        MARKS_AN_END.search(name) is not None,
        bool(said & _PARTIAL),
    )


def _pieces(word: str) -> list[str]:
    """A word taken apart where it is several that are known: l and foot of "lfoot"."""
    if word in _PART_OF or word in _SIDES or word in _PLACES:
        return [word]
    glued = _GLUED.match(word)
    if glued is None:
        return [word]
    return [*_BEFORE.findall(glued["before"]), glued["part"], *filter(None, [glued["side"]])]


def _part(said: list[str], has_side: bool) -> str:
    """The part of a body that words tell of."""
    parts = {_PART_OF[word] for word in said if word in _PART_OF}
    for part in _EXCLUDING:
        if part in parts:
            return part
    if FINGER in parts or (has_side and _PERHAPS_FINGERS & set(said) and parts <= {HAND}):
        return TOE if parts & {FOOT, TOE} else FINGER
    if has_side and HIPS in parts and "pelvis" not in said:
        return LEG
    order = (TOE, FOOT, HAND, LEG, ARM, TAIL, HEAD, NECK, HIPS, SHOULDER, SPINE, ROOT)
    return next((part for part in order if part in parts), "")
