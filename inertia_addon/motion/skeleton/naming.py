# SPDX-License-Identifier: GPL-3.0-or-later
"""What the names of bones say: the part of a body, the side, whether it is a control, and which limbs exist.

The words are those of the conventions that rigs come with: Mixamo's, Rigify's, CloudRig's, Unreal's,
Unity's, VRM's, 3ds Max Biped's, DAZ's, MakeHuman's, SMPL's, the CMU's, Quaternius' and KayKit's, and those of
other languages (:mod:`.languages`). A name may lie, so that what is said here is one kind of evidence among
others; see :mod:`.extremities`.
"""

from __future__ import annotations

import collections
import functools
import itertools
import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from ...records import record
from ..arrays import Array, Flags
from . import languages


@functools.lru_cache(maxsize=4096)
def words(name: str) -> frozenset[str]:
    """Return the words of a bone's name, in lower case: back, low, leg and r of "BackLowLeg.R".

    Words of other languages are given in English: arm and left of "Bras gauche".
    """
    return frozenset(_spelt(name))


def _spelt(name: str) -> list[str]:
    return languages.translate(languages.split(name))


ROOT, HIPS, SPINE, NECK, HEAD = "ROOT", "HIPS", "SPINE", "NECK", "HEAD"
SHOULDER, ARM, HAND, FINGER = "SHOULDER", "ARM", "HAND", "FINGER"
LEG, FOOT, TOE = "LEG", "FOOT", "TOE"
TAIL, WING, GROWN, HELD, MACHINE = "TAIL", "WING", "GROWN", "HELD", "MACHINE"
"""Parts of a body. GROWN: a face, hair, clothes. HELD: what is in a hand or on a back. MACHINE: a car's."""
OTHER = "OTHER"
"""The role of a bone that counts and is none of HIPS, HEAD, HAND and FOOT."""

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
_PERHAPS_FINGERS = words("index middle mid ring little")
"""Fingers, unless something else is said, too."""
_PLACES = words("front fore back hind rear mid middle top bottom")
"""Which of several limbs."""
_CONTROLS = words(
    "ik fk pole target tgt ctrl ctl control mch mstr master parent hng psx tweak gizmo wgt dummy helper "
    "swivel snap aim org str vis"
)
_PARTIAL = words("twist roll bend")
"""A half of a bone, or what only turns with it."""
_SIDES = {"l": "L", "left": "L", "r": "R", "right": "R"}

_GLUED = re.compile(
    "^(?P<before>(?:ik|fk|left|right|front|fore|back|hind|rear|mid|upper|lower|up|low|[lr])*)"
    f"(?P<part>{'|'.join(sorted(_PART_OF, key=len, reverse=True))})"
    "(?P<side>left|right|[lr])?$"
)
_BEFORE = re.compile("ik|fk|left|right|front|fore|back|hind|rear|mid|upper|lower|up|low|[lr]")
MARKS_AN_END = re.compile(r"(nub|(?<!b)end|tip|site|leaf|effector)(\.\d+)?$", re.IGNORECASE)


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
    """Return what the name of a bone says about it; results are cached.

    part: one of this module's parts of a body, such as LEG; "" for none. side: "L" or "R", by the last word
    or letter that says one, "" for none. place: which of several limbs, a set of words such as front or rear
    and of single letters other than the side. is_control: a word such as ik, pole or ctrl is in it. is_end:
    the name ends in nub, end (but not bend), tip, site, leaf or effector, perhaps with a number such as .001.
    is_partial: twist, roll or bend is in it.
    """
    spelt = [piece for word in _spelt(name) for piece in _pieces(word)]
    sides = [i for i, word in enumerate(spelt) if word in _SIDES]
    # of "r_toe.L" the last one is the side, and the first one says that it is at the rear
    side = sides[-1] if sides else -1
    others = [word for i, word in enumerate(spelt) if i != side]
    part = _part(others, has_side=bool(sides))
    spoken = frozenset(others)
    place = (spoken & _PLACES) | {word for word in others if len(word) == 1}
    return Label(
        part,
        _SIDES[spelt[side]] if sides else "",
        frozenset(place),
        bool(spoken & _CONTROLS),
        MARKS_AN_END.search(name) is not None,
        bool(spoken & _PARTIAL),
    )


def _pieces(word: str) -> list[str]:
    """Return a lower-case word split into the known words that it is glued from, in their order, such as
    ["l", "foot"] of "lfoot".

    A compound is any number of prefixes (ik, fk, a side, a place, upper, lower, up, low), then one word of a
    part of a body, then perhaps one side. Any other word, and one that is a part, a side or a place by
    itself, is returned alone in a list.
    """
    if word in _PART_OF or word in _SIDES or word in _PLACES:
        return [word]
    glued = _GLUED.match(word)
    if glued is None:
        return [word]
    return [*_BEFORE.findall(glued["before"]), glued["part"], *filter(None, [glued["side"]])]


def _part(spelt: list[str], *, has_side: bool) -> str:
    """Return the part of a body that lower-case words tell of, "" for none.

    Of several parts one goes before another in this order: held, machine, grown, wing; then fingers; then
    toe, foot, hand, leg, arm, tail, head, neck, hips, shoulder, spine, root. "index", "middle", "ring" and
    the like mean a finger only with a side and beside no part other than a hand. A finger beside a foot's or
    a toe's word is a toe. has_side: whether the name also says left or right; hips are then a leg, unless
    "pelvis" is said.
    """
    parts = {_PART_OF[word] for word in spelt if word in _PART_OF}
    for part in _EXCLUDING:
        if part in parts:
            return part
    if FINGER in parts or (has_side and _PERHAPS_FINGERS & set(spelt) and parts <= {HAND}):
        return TOE if parts & {FOOT, TOE} else FINGER
    if has_side and HIPS in parts and "pelvis" not in spelt:
        return LEG
    order = (TOE, FOOT, HAND, LEG, ARM, TAIL, HEAD, NECK, HIPS, SHOULDER, SPINE, ROOT)
    return next((part for part in order if part in parts), "")


OF_LIMBS, ENDS = (LEG, ARM), (FOOT, HAND)
"""What limbs are called, and what they end with."""
NO_LIMB = (GROWN, HELD, MACHINE)
"""What is no end of a limb, nor a head, whatever its shape."""
NEAR = 0.05
"""Bones begin at the same place that are no further apart than this part of the body's height ..."""
JOINED = 0.02
"""... and a piece of a limb goes on where the one above ends."""
BESIDE = 0.5
"""What a leg stands on is no further beside its last bone than this part of the way down."""
ON_TARGET = 0.12
"""A target on which there is a foot is no higher than this part of the body's height."""
DIGITIGRADE = 0.2
"""What stands on its toes has its foot bones higher than this part of the height of its legs."""


@record
class NamedLimb:
    """A leg or an arm, as names tell.

    legs: how much they speak for a leg, from 1 to -1, an arm. bones: the topmost first. end: its foot or
    hand.
    """

    legs: float
    side: str
    place: frozenset[str]
    bones: list[int]
    end: int
    is_paired: bool = False

    @property
    def top(self) -> int:
        """Its topmost bone."""
        return self.bones[0]


@record(frozen=True, eq=False)
class ShapedBones:
    """Bones at rest, and what is known of them by their shape and by the clips.

    names: (n,). carriers: (n,) what each bone hangs from, control bones passed over, -1 for none. heads,
    tails: (n, 3) at rest, Z up. drawn: (n, 3) the tails before implausible ones were shortened. moving: (n,)
    which move something. shaped: the roles of bones that the shape tells, by index. walked: (n,) for which
    part of the time each bone is the lowest in the clips, None where unknown.
    """

    names: Sequence[str]
    carriers: Sequence[int]
    heads: Array
    tails: Array
    drawn: Array
    moving: Flags
    shaped: Mapping[int, str]
    walked: Array | None = None


class NamedSkeleton:
    """A skeleton, what its bones are called, and its limbs.

    A limb is a tree of bones of one side that are called parts of arms or legs, up to its foot or hand; feet
    that hang elsewhere, and pieces that hang from the body each, are put together. Which of them are legs is
    not decided here.
    """

    def __init__(self, bones: ShapedBones) -> None:
        """Read the names of a skeleton's bones and find its limbs.

        Set `labels` and `children` by bone, `floor` and `height`, `limbs`, and `of_limbs`, the indices of the
        bones that limbs may consist of. The floor is the least Z of all heads and tails of body bones at
        rest; the height is the span up to their greatest Z, at least 1e-9. A body bone moves something and is
        no control without a part of a body in its name; if there is none, all bones count. A limb's
        `is_paired` is set where the other side has a limb of the same kind (leg or not) and place. The arrays
        of `bones` are kept, not copied.

        Raise ValueError if there are no bones.
        """
        names, carriers, heads, tails = bones.names, bones.carriers, bones.heads, bones.tails
        drawn, moving, shaped, walked = bones.drawn, bones.moving, bones.shaped, bones.walked
        self.labels: list[Label] = [label(name) for name in names]
        self.carriers, self.moving, self.shaped, self.walked = carriers, moving, shaped, walked
        self.heads, self.tails, self.drawn = heads, tails, drawn
        self.children: list[list[int]] = [[] for _ in names]
        for bone, carrier in enumerate(carriers):
            if carrier >= 0:
                self.children[carrier].append(bone)
        # a control that hangs from a root is no part of the body
        apart = [label.is_control and not label.part for label in self.labels]
        body = [bone for bone in np.flatnonzero(moving).tolist() if not apart[bone]]
        ends = np.concatenate([heads[body or slice(None)], tails[body or slice(None)]])[:, 2]
        self.floor, top = float(ends.min()), float(ends.max())
        self.height = max(top - self.floor, 1e-9)
        self.of_limbs: set[int] = set()
        self.limbs = self._limbs()
        sides = {(limb.legs > 0.0, limb.place, limb.side) for limb in self.limbs}
        for limb in self.limbs:
            other = "L" if limb.side == "R" else "R"
            limb.is_paired = (limb.legs > 0.0, limb.place, other) in sides

    # --- trees

    def above(self, bone: int) -> list[int]:
        """Return the indices of the bones that carry a bone, the nearest first; control bones are passed
        over.
        """
        carriers = []
        while (bone := self.carriers[bone]) >= 0:
            carriers.append(bone)
        return carriers

    def below(self, bone: int) -> list[int]:
        """Return the indices of a bone, first, and of all that it carries at any depth, level by level.

        What a bone carries is told by `carriers`: what hangs from a control bone counts for the bone above
        that.
        """
        bones = [bone]
        for carrier in bones:
            bones.extend(self.children[carrier])
        return bones

    def same_place(self, bone: int, other_bone: int) -> bool:
        """Tell whether a bone begins where another does, or just beside it."""
        return other_bone >= 0 and self.is_near(bone, self.heads[other_bone])

    def is_near(self, bone: int, point: Array) -> bool:
        """Tell whether a bone begins at a place (3,), or just beside it."""
        return bool(np.linalg.norm(self.heads[bone] - point) <= NEAR * self.height)

    # --- limbs by name

    def _limbs(self) -> list[NamedLimb]:
        """Return the arms and legs that bones' names describe, and set self.of_limbs to the indices of all
        bones that may belong to them.

        Only bones count whose names say a side, and that they are of an arm, a leg, a foot or a hand. End
        markers and control bones are left out. So are bones that move nothing, except a foot or hand if its
        limb, of the same side and place, has a bone that moves something and no other such foot or hand that
        does.

        Bones of one side that hang from each other form a tree, other bones between them passed over. A tree
        gives one limb for each foot or hand, else for each last bone. Feet or hands that hang elsewhere, and
        limbs in pieces, are then put together; legs without a foot may get one below them.
        """
        named = [
            bone
            for bone, label in enumerate(self.labels)
            if label.part in (*OF_LIMBS, *ENDS) and label.side and not (label.is_end or label.is_control)
        ]
        of_limbs = {bone for bone in named if self.moving[bone]}
        # a foot that moves nothing, as IK leads it, counts where the leg does, and there is no other
        moving = {self._parse(bone) for bone in of_limbs}
        for bone in [b for b in named if b not in of_limbs and self.labels[b].part in ENDS]:
            part, side, place = self._parse(bone)
            leg = LEG if part == FOOT else ARM
            if self._parse(bone) not in moving and any(s == (leg, side, place) for s in moving):
                of_limbs.add(bone)
        self.of_limbs = of_limbs
        trees: dict[int, list[int]] = {}
        for bone in sorted(of_limbs, key=lambda bone: len(self.above(bone))):
            kin = [
                b for b in self.above(bone) if b in of_limbs and self.labels[b].side == self.labels[bone].side
            ]
            trees.setdefault(kin[-1] if kin else bone, []).append(bone)
        limbs = self._joined([limb for bones in trees.values() for limb in self._chains(bones)])
        self._join_targets(limbs)
        return limbs

    def _parse(self, bone: int) -> tuple[str, str, frozenset[str]]:
        """Return what a name says: the part, the side, and which of several it is."""
        return self.labels[bone].part, self.labels[bone].side, self.labels[bone].place

    def _chains(self, bones: list[int]) -> list[NamedLimb]:
        """Return the limbs of one tree of bones: one for each foot or hand, else for each last bone.

        bones: the tree's indices, each below those that carry it. Of feet or hands that carry each other the
        upper one counts. Without any, the tree's last bones are ends, except twist bones; if nothing is left,
        the last of `bones` is.

        Ends with the same carrier, if that is in the tree, make one limb; otherwise each makes one.
        :meth:`_end_of` picks its `end`, perhaps a bone further below. `bones` of a limb are the bones of the
        tree above the group's first end, topmost first, and then the picked end: a foot or hand between these
        two is not among them. `side`, `place` and `legs` come from the group's first end by order in `bones`,
        even where another is picked. `is_paired` is not set yet.
        """
        in_tree = {*bones}
        named = [b for b in bones if self.labels[b].part in ENDS]
        ends = [b for b in named if not {*named} & {*self.above(b)}]
        if not ends:
            ends = [b for b in bones if not in_tree & {*self.below(b)[1:]} and not self.labels[b].is_partial]
        siblings: dict[int, list[int]] = collections.defaultdict(list)
        for end in ends or bones[-1:]:
            siblings[self.carriers[end]].append(end)
        limbs = []
        for carrier, beside in siblings.items():
            # of a hand of several palms, or a bone with its twist beside it, one counts
            for group in [beside] if carrier in in_tree else [[end] for end in beside]:
                end = self._end_of(group, in_tree)
                above = [b for b in reversed(self.above(group[0])) if b in in_tree]
                label = self.labels[group[0]]
                limbs.append(
                    NamedLimb(self._legs(above, group[0]), label.side, label.place, [*above, end], end)
                )
        return limbs

    def _legs(self, above: Sequence[int], end: int) -> float:
        """Return how much names speak for a leg, 1, rather than an arm, -1; 0 for neither.

        above: the limb's bones without the last, which is `end`. The end counts 0.75: 1 for a leg or foot, -1
        for an arm or hand, else 0. The others count 0.25: 1 if any of them is named as of a leg and none as
        of an arm, -1 the other way round. If both or neither are named, the end's value stands for theirs.
        """
        parts = {self.labels[bone].part for bone in above}
        chain = (LEG in parts) - (ARM in parts)
        part = self.labels[end].part
        last = (part in (LEG, FOOT)) - (part in (ARM, HAND))
        return 0.75 * last + 0.25 * (chain or last)

    def _joined(self, limbs: list[NamedLimb]) -> list[NamedLimb]:
        """Return the limbs with detached feet, hands and pieces put together; `limbs` and the lists of bones
        in it are changed.

        First, each limb that is only a foot or hand gets, before its own, the bones of a limb of its side and
        kind (leg or arm) that ends without one. Candidates of the same place by name are preferred, if there
        are any; among those, the one whose last bone's head is nearest to the head of the foot or hand.

        Then the bones of a limb that still has no end are put before another limb of its side: the first in
        `limbs` whose top bone's head is within 0.02 of the body's height of the tail of its last bone, as
        that was before implausible tails were shortened.

        The limb that gave its bones is removed from `limbs` each time. The one that got them keeps its
        `legs`, `side`, `place` and `end`. Last, a limb that still has no foot or hand is left out of the
        result if a limb of the same side, place and kind had one from the beginning.
        """
        whole = [limb for limb in limbs if any(self.labels[b].part in OF_LIMBS for b in limb.bones)]
        ended = [limb for limb in limbs if self.labels[limb.end].part in ENDS]
        detached = [limb for limb in ended if limb not in whole]
        open_ones = [limb for limb in whole if limb not in ended]
        for limb in detached:
            place, family = self.heads[limb.end], limb.legs > 0.0
            kin = [
                candidate
                for candidate in open_ones
                if candidate.side == limb.side and (candidate.legs > 0.0) == family
            ]
            # which of several limbs names may say, or where they are
            kin = [candidate for candidate in kin if candidate.place == limb.place] or kin
            kin.sort(key=lambda candidate: float(np.linalg.norm(self.heads[candidate.bones[-1]] - place)))
            for other in kin[:1]:
                limb.bones[:0] = other.bones
                open_ones.remove(other)
                limbs.remove(other)
        for upper in list(open_ones):
            # a limb may be in pieces, each of which hangs from the body
            gap = JOINED * self.height
            end = self.drawn[upper.bones[-1]]
            lower = [
                candidate
                for candidate in limbs
                if candidate is not upper
                and candidate.side == upper.side
                and np.linalg.norm(self.heads[candidate.top] - end) <= gap
            ]
            if lower:
                lower[0].bones[:0] = upper.bones
                open_ones.remove(upper)
                limbs.remove(upper)
        complete = {(limb.side, limb.place, limb.legs > 0.0) for limb in ended}
        pieces = [limb for limb in open_ones if (limb.side, limb.place, limb.legs > 0.0) in complete]
        return [limb for limb in limbs if limb not in pieces]

    def _join_targets(self, limbs: list[NamedLimb]) -> None:
        """Append a foot to each leg that ends without one, if a control target or a foot by shape lies below
        it; in place.

        limbs: the limbs, whose bones and end are changed. A target is a control bone of a leg or foot by
        name, with a side, that moves something and has its head within 0.12 of the body's height above the
        floor. A foot by shape may be at any height. Neither may be in a limb already, or hang from one. Each
        must be on the leg's side, or on none by name, and a target must also have the leg's place by name.
        Neither may be further beside the leg's end than half of the way down to it. The pairs with the least
        distance sideways come first; each leg and each foot is used once. An exported animal may have its
        paws on the targets that IK led its legs to.
        """
        open_ones = [limb for limb in limbs if limb.legs > 0.0 and self.labels[limb.end].part not in ENDS]
        carried = {bone for limb in limbs for each in limb.bones for bone in self.below(each)}
        ground = self.floor + ON_TARGET * self.height
        targets = {
            bone
            for bone, label in enumerate(self.labels)
            if label.is_control and label.side and label.part in (LEG, FOOT) and self.moving[bone]
            if self.heads[bone, 2] <= ground
        }
        shaped = {bone for bone, role in self.shaped.items() if role == FOOT}
        feet = sorted((targets | shaped) - carried)
        pairs = []
        for limb, foot in itertools.product(open_ones, feet):
            way = self.heads[foot] - self.heads[limb.end]
            aside = float(np.linalg.norm(way[:2]))
            label = self.labels[foot]
            is_alike = label.side in ("", limb.side) and (label.place == limb.place or foot in shaped)
            if is_alike and aside <= -BESIDE * way[2]:
                pairs.append((aside, limb.end, foot, limb))
        taken: set[int] = set()
        for _, end, foot, limb in sorted(pairs, key=lambda pair: pair[:3]):
            if taken.isdisjoint((end, foot)):
                taken |= {end, foot}
                limb.bones.append(foot)
                limb.end = foot

    def _end_of(self, group: list[int], limb: set[int]) -> int:
        """Return the foot or hand among bones side by side at a limb's end, or among what hangs from one.

        group: the bones side by side. limb: all bones of the tree. A bone of the group that is a foot or hand
        by its shape is returned at once. Otherwise the bone of the group that carries most is taken, of equal
        ones the lowest index. A bone by shape below it replaces it if it is no end marker and none of hair,
        things held or machines by name, and one of these holds: the taken bone is not named a foot or hand;
        it is named a hand and the lower one a toe (a paw); or the lower one is named a foot or toe and the
        animal stands on its toes.
        """
        shaped = [bone for bone in self.shaped if self.shaped[bone] in (FOOT, HAND)]
        for bone in shaped:
            if bone in group:
                return bone
        end = max(group, key=lambda bone: (len(self.below(bone)), -bone))
        carried = self.below(end)
        for bone in shaped:
            label = self.labels[bone]
            if bone in carried and label.part not in NO_LIMB and not label.is_end:
                named = self.labels[end].part in ENDS
                # a hand with toes is a paw
                is_paw = label.part == TOE and self.labels[end].part == HAND
                on_toes = label.part in (FOOT, TOE) and self._on_toes(end, limb)
                if not named or is_paw or on_toes:
                    return bone
        return end

    def _on_toes(self, foot: int, limb: set[int]) -> bool:
        """Tell whether a foot bone lies too high for a sole, so that the animal stands on its toes.

        foot: its index, one of `of_limbs`. limb: the bones of its tree. Too high is above 0.2 of the height
        of the highest head of a bone in `limb` that is named as of an arm or leg, both above the floor. For
        the foot's height the lowest head counts among all feet of the skeleton, on either side, with the same
        part and place by name, as the rest pose may be a stride; of such feet that carry each other only the
        topmost counts. Return False where no bone of `limb` is named as of an arm or leg.
        """
        legs = [bone for bone in limb if self.labels[bone].part in OF_LIMBS]
        top = max((float(self.heads[bone, 2]) for bone in legs), default=math.inf) - self.floor
        # the rest pose may be a stride
        part, _, place = self._parse(foot)
        alike = {i for i in self.of_limbs if self._parse(i)[::2] == (part, place)}
        both = [i for i in sorted(alike) if not alike & {*self.above(i)}]
        return float(self.heads[both, 2].min()) - self.floor > DIGITIGRADE * top
