# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones are hips, head, hands and feet, where shape, names, place, use and clips are weighed together.

Each says something of a bone: its shape what :mod:`.body_shape` takes it for, its name what :mod:`.naming`
reads, its place how low or high it is, the rig whether it moves anything, and clips whether it walks on the
ground. The sum of what speaks for a role, less what speaks against it, decides, and how sure that is
comes of the same sum.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..arrays import Array, Flags
from . import naming
from .naming import ARM, FINGER, GROWN, HELD, LEG, MACHINE, TOE, Label
from .roles import FOOT, HAND, HEAD, HIPS, OTHER

# What each piece of evidence is worth, as log odds.
NAMED = 2.0
"""A name that says so, or something else."""
SHAPED = 1.5
"""A shape that says so, or something else."""
LOW = 1.0
"""A limb that ends on the ground, or, against a foot, far from it."""
LYING = 1.0
"""Limbs below a spine that lies are legs, hands or not; below one that stands they may be arms."""
WALKS = 1.5
"""A bone that is the lowest of the body for a part of the time in the clips, or never is."""
PAIRED = 0.5
"""A limb with its mirror image on the other side."""
CARRIES = 1.5
"""Hips that carry all legs, or don't."""
ABOVE = 1.0
"""A head above the hips, or below them."""
DOUBT = 1.0
"""What speaks for a bone has to outweigh this ..."""
NAMELESS = 1.0
"""... and this, too, where no name of the skeleton says anything, so that its shape is all there is."""

OF_LIMBS, ENDS = (LEG, ARM), (naming.FOOT, naming.HAND)
"""What limbs are called, and what they end with."""

NO_LIMB = (GROWN, HELD, MACHINE)
"""What is no end of a limb, nor a head, whatever its shape."""

ON_GROUND, OFF_GROUND = 0.12, 0.35
"""Ends of limbs that are no higher, or higher, as parts of the body's height."""
NEAR = 0.05
"""Bones begin at the same place that are no further apart than this part of the body's height."""
DIGITIGRADE = 0.2
"""What stands on its toes has its foot bones higher than this part of the height of its legs."""
LIES = 0.5
"""A spine lies that rises by less than this part of its length."""
WALKED = 0.15
"""What walks is the lowest for so much of the time; what is so a tenth as often doesn't."""


@dataclasses.dataclass(frozen=True)
class Shaped:
    """What the shape of a skeleton says: the role of bones, by index."""

    roles: dict[int, str]


@dataclasses.dataclass
class Limb:
    """A leg or an arm, as names tell.

    legs: how much they speak for a leg, from 1 to -1, an arm. bones: its own, the topmost first. end: its
    foot or hand.
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


@dataclasses.dataclass(frozen=True)
class Weighed:
    """A bone with its role, and how sure that is, from 0 to 1."""

    bone: int
    role: str
    confidence: float


class Weighing:
    """A skeleton, and all that is known of it.

    names: (n,). carriers: (n,) what each bone hangs from, control bones passed over, -1 for none. heads,
    tails: (n, 3) at rest, Z up. drawn: (n, 3) the tails as they were before what is implausible was
    shortened. moving: (n,) which move something. shaped: what the shape says. walked: (n,) for which part of
    the time each bone is the lowest in the clips, None where unknown.
    """

    def __init__(
        self,
        names: Sequence[str],
        carriers: Sequence[int],
        heads: Array,
        tails: Array,
        drawn: Array,
        moving: Flags,
        shaped: Shaped,
        walked: Array | None = None,
    ) -> None:
        self.labels: list[Label] = [naming.label(name) for name in names]
        self.names, self.carriers = names, carriers
        self.heads, self.tails, self.drawn = heads, tails, drawn
        self.moving, self.walked = moving, walked
        self.shaped = shaped
        self.children: list[list[int]] = [[] for _ in names]
        for bone, carrier in enumerate(carriers):
            if carrier >= 0:
                self.children[carrier].append(bone)
        body = [bone for bone in np.flatnonzero(moving).tolist() if not self._is_apart(bone)]
        ends = np.concatenate([heads[body or slice(None)], tails[body or slice(None)]])[:, 2]
        self.floor, top = float(ends.min()), float(ends.max())
        self.height = max(top - self.floor, 1e-9)
        self.is_nameless = not any(label.part for label in self.labels)
        self.of_limbs: set[int] = set()
        self.limbs = self._limbs()
        sides = {(limb.legs > 0.0, limb.place, limb.side) for limb in self.limbs}
        for limb in self.limbs:
            other = "L" if limb.side == "R" else "R"
            limb.is_paired = (limb.legs > 0.0, limb.place, other) in sides

    def weighed(self) -> list[Weighed]:
        """The bones that count, with their roles: hips, head, then limbs, then others."""
        ends = self._ends()
        feet = [one.bone for one in ends if one.role == FOOT]
        hips = self._hips(feet, [one.bone for one in ends if one.role == HAND])
        head = self._head(hips, {one.bone for one in ends})
        found = {one.bone: one for one in (*hips, *head, *ends)}
        taken = self._within(found)
        for bone, role in self.shaped.roles.items():
            label = self.labels[bone]
            if role == OTHER and bone not in taken and label.part not in (*NO_LIMB, FINGER):
                found.setdefault(bone, Weighed(bone, role, self.sureness(SHAPED)))
        return [*found.values()]

    def sureness(self, odds: float) -> float:
        """How sure, from 0 to 1, what speaks for something makes it, less what speaks against it."""
        return 1.0 / (1.0 + math.exp(DOUBT + NAMELESS * self.is_nameless - odds))

    def is_body(self, found: Iterable[Weighed]) -> bool:
        """Whether there is a pair of limbs by names among bones that were found."""
        ends = {one.bone for one in found if one.role in (FOOT, HAND)}
        return any(limb.is_paired and limb.end in ends for limb in self.limbs)

    # --- trees

    def above(self, bone: int) -> list[int]:
        """What carries a bone, the nearest first."""
        found = []
        while (bone := self.carriers[bone]) >= 0:
            found.append(bone)
        return found

    def below(self, bone: int) -> list[int]:
        """A bone and all that it carries."""
        found = [bone]
        for one in found:
            found.extend(self.children[one])
        return found

    def _within(self, bones: Iterable[int]) -> set[int]:
        """All that limbs which end with some of the bones carry: no others are there."""
        ends = {*bones}
        return {
            bone for limb in self.limbs if limb.end in ends for one in limb.bones for bone in self.below(one)
        }

    def _is_apart(self, bone: int) -> bool:
        """Whether a bone is no part of the body: a control that hangs from a root."""
        return self.labels[bone].is_control and not self.labels[bone].part

    # --- limbs by name

    def _limbs(self) -> list[Limb]:
        """The arms and legs that names tell of: trees of bones of a side, each with its foot or hand."""
        named = [
            bone
            for bone, label in enumerate(self.labels)
            if label.part in (*OF_LIMBS, *ENDS) and label.side and not (label.is_end or label.is_control)
        ]
        own = {bone for bone in named if self.moving[bone]}
        # a foot that moves nothing, as IK leads it, counts where the leg does, and there is no other
        moving = {self._said(bone) for bone in own}
        for bone in [b for b in named if b not in own and self.labels[b].part in ENDS]:
            part, side, place = self._said(bone)
            leg = LEG if part == naming.FOOT else ARM
            if self._said(bone) not in moving and any(s == (leg, side, place) for s in moving):
                own.add(bone)
        self.of_limbs = own
        trees: dict[int, list[int]] = {}
        for bone in sorted(own, key=lambda bone: len(self.above(bone))):
            kin = [b for b in self.above(bone) if b in own and self.labels[b].side == self.labels[bone].side]
            trees.setdefault(kin[-1] if kin else bone, []).append(bone)
        return self._joined([limb for bones in trees.values() for limb in self._chains(bones)])

    def _said(self, bone: int) -> tuple[str, str, frozenset[str]]:
        """What a name says: the part, the side, and which of several it is."""
        return self.labels[bone].part, self.labels[bone].side, self.labels[bone].place

    def _chains(self, bones: list[int]) -> list[Limb]:
        """The limbs of a tree of bones, its top first: one for each foot or hand, or for each last bone."""
        own = {*bones}
        named = [b for b in bones if self.labels[b].part in ENDS]
        ends = [b for b in named if not {*named} & {*self.above(b)}]
        if not ends:
            ends = [b for b in bones if not own & {*self.below(b)[1:]} and not self.labels[b].is_partial]
        siblings: dict[int, list[int]] = collections.defaultdict(list)
        for end in ends or bones[-1:]:
            siblings[self.carriers[end]].append(end)
        limbs = []
        for carrier, beside in siblings.items():
            # of a hand of several palms, or a bone with its twist beside it, one counts
            for group in [beside] if carrier in own else [[end] for end in beside]:
                end = self._end_of(group, own)
                above = [b for b in reversed(self.above(group[0])) if b in own]
                label = self.labels[group[0]]
                limbs.append(Limb(self._legs(above, group[0]), label.side, label.place, [*above, end], end))
        return limbs

    def _legs(self, above: Sequence[int], end: int) -> float:
        """How much names speak for a leg, rather than an arm: from 1 to -1."""
        said = {self.labels[bone].part for bone in above}
        chain = (LEG in said) - (ARM in said)
        part = self.labels[end].part
        last = (part in (LEG, naming.FOOT)) - (part in (ARM, naming.HAND))
        return 0.75 * last + 0.25 * (chain or last)

    def _joined(self, limbs: list[Limb]) -> list[Limb]:
        """Limbs, those whose feet or hands hang elsewhere put together with these."""
        whole = [limb for limb in limbs if any(self.labels[b].part in OF_LIMBS for b in limb.bones)]
        ended = [limb for limb in limbs if self.labels[limb.end].part in ENDS]
        detached = [limb for limb in ended if limb not in whole]
        open_ones = [limb for limb in whole if limb not in ended]
        for limb in detached:
            place, family = self.heads[limb.end], limb.legs > 0.0
            kin = [one for one in open_ones if one.side == limb.side and (one.legs > 0.0) == family]
            # which of several limbs names may say, or where they are
            kin = [one for one in kin if one.place == limb.place] or kin
            kin.sort(key=lambda one: float(np.linalg.norm(self.heads[one.bones[-1]] - place)))
            for other in kin[:1]:
                limb.bones[:0] = other.bones
                open_ones.remove(other)
                limbs.remove(other)
        for upper in list(open_ones):
            # a limb may be in pieces, each of which hangs from the body
            gap = 0.02 * self.height
            end = self.drawn[upper.bones[-1]]
            lower = [
                one
                for one in limbs
                if one is not upper
                and one.side == upper.side
                and np.linalg.norm(self.heads[one.top] - end) <= gap
            ]
            if lower:
                lower[0].bones[:0] = upper.bones
                open_ones.remove(upper)
                limbs.remove(upper)
        complete = {(limb.side, limb.place, limb.legs > 0.0) for limb in ended}
        pieces = [limb for limb in open_ones if (limb.side, limb.place, limb.legs > 0.0) in complete]
        return [limb for limb in limbs if limb not in pieces]

    def _end_of(self, group: list[int], limb: set[int]) -> int:
        """The foot or the hand among bones that end a limb beside each other, or of what hangs from one."""
        shaped = [bone for bone in self.shaped.roles if self.shaped.roles[bone] in (FOOT, HAND)]
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
                is_paw = label.part == TOE and self.labels[end].part == naming.HAND
                on_toes = label.part in (naming.FOOT, TOE) and self._on_toes(end, limb)
                if not named or is_paw or on_toes:
                    return bone
        return end

    def _on_toes(self, foot: int, limb: set[int]) -> bool:
        """Whether a foot bone of a limb is too high for a sole: that of what stands on its toes."""
        legs = [bone for bone in limb if self.labels[bone].part in OF_LIMBS]
        top = max((float(self.heads[bone, 2]) for bone in legs), default=math.inf) - self.floor
        # the rest pose may be a stride
        part, _, place = self._said(foot)
        alike = {i for i in self.of_limbs if self._said(i)[::2] == (part, place)}
        both = [i for i in sorted(alike) if not alike & {*self.above(i)}]
        return float(self.heads[both, 2].min()) - self.floor > DIGITIGRADE * top

    # --- what limbs are

    def _ends(self) -> list[Weighed]:
        """The feet and hands: those of limbs by name, and what the shape has beside them."""
        found: dict[int, Weighed] = {}
        by_shape = {bone: role for bone, role in self.shaped.roles.items() if role in (FOOT, HAND)}
        lies = self._lies()
        for limb in self.limbs:
            carried = {bone for one in limb.bones for bone in self.below(one)}
            roles = {by_shape.pop(bone) for bone in carried & {*by_shape}}
            odds = NAMED * limb.legs
            odds += SHAPED * ((FOOT in roles) - (HAND in roles)) + self._ground(limb.end)
            if limb.legs < 0.0 and FOOT in roles:
                odds += LYING if lies else -LYING
            role, size = (FOOT, odds) if odds > 0.0 else (HAND, -odds)
            found[limb.end] = Weighed(limb.end, role, self.sureness(size + PAIRED * limb.is_paired))
        named = {one.role for one in found.values()}
        for bone, role in by_shape.items():
            if self._is_limb_by_shape(bone, role in named):
                odds = SHAPED + PAIRED + (abs(self._ground(bone)) if role == FOOT else 0.0)
                found.setdefault(bone, Weighed(bone, role, self.sureness(odds)))
        return sorted(found.values(), key=lambda one: (one.role != HAND, one.bone))

    def _is_limb_by_shape(self, bone: int, is_named: bool) -> bool:
        """Whether what the shape takes for the end of a limb may be one, going by names.

        is_named: whether names tell of others that have its role, so that it should be named like them.
        """
        label = self.labels[bone]
        if label.part in (*NO_LIMB, FINGER, HIPS, HEAD):
            return False
        kin = (LEG, ARM, naming.FOOT, naming.HAND)
        return not is_named or any(self.labels[one].part in kin for one in (bone, *self.above(bone)))

    def _ground(self, end: int) -> float:
        """What the place of a limb's end, and how it moves in clips, say for a foot."""
        below = self.below(end)
        low = min(float(self.heads[below, 2].min()), float(self.tails[below, 2].min()))
        part = (low - self.floor) / self.height
        odds = LOW if part <= ON_GROUND else -LOW if part > OFF_GROUND else 0.0
        if self.walked is not None:
            share = float(self.walked[below].max())
            odds += WALKS if share >= WALKED else -WALKS if share < 0.1 * WALKED else 0.0
        return odds

    def _lies(self) -> bool:
        """Whether the spine lies, by where legs and arms begin."""
        tops = {
            is_leg: [self.heads[o.top] for o in self.limbs if (o.legs > 0.0) == is_leg] for is_leg in (0, 1)
        }
        if not all(tops.values()):
            return True
        way = np.mean(tops[0], axis=0) - np.mean(tops[1], axis=0)
        return bool(way[2] < LIES * np.linalg.norm(way))

    # --- the middle

    def _hips(self, feet: Sequence[int], hands: Sequence[int]) -> list[Weighed]:
        """The hips: what is called so, and what carries the legs, which may be two bones."""
        legs = [limb for limb in self.limbs if limb.end in {*feet}]
        tops = [limb.top for limb in legs if self.labels[limb.top].part in OF_LIMBS]
        carried = [set(self.above(top)) for top in tops]
        fork = next((b for b in (self.above(tops[0]) if tops else ()) if all(b in c for c in carried)), -1)
        candidates = {b for b, role in self.shaped.roles.items() if role == HIPS} | {fork} - {-1}
        called = {
            b
            for b, label in enumerate(self.labels)
            if label.part == HIPS and not label.side and self.moving[b]
        }
        candidates |= called
        above = self.heads[tops].mean(axis=0) if tops else np.full(3, np.inf)
        # of legs that hang from a root the body begins where they do
        level = {
            b
            for b, label in enumerate(self.labels)
            if label.part == naming.SPINE and not label.side and self.moving[b] and self._is_near(b, above)
        }
        candidates |= level
        limbs = {bone for limb in self.limbs for bone in limb.bones} | {*hands}
        odds: dict[int, float] = {}
        for bone in candidates:
            label = self.labels[bone]
            named = label.part == HIPS and not label.is_end
            wrong = label.side or label.part in (*NO_LIMB, FINGER, naming.TAIL) or bone in limbs
            half = (label.part == naming.SPINE and not called) - (label.part == naming.ROOT)
            sums = NAMED * (named + 0.5 * half - 2.0 * bool(wrong)) + SHAPED * (
                self.shaped.roles.get(bone) == HIPS
            )
            if tops:
                # they leave from the hips, and not from further up the tree
                carries = 0.5 * all(bone in c for c in carried) + 0.5 * self._same_place(bone, fork)
                carries = carries or 0.5 * (bone in level)
                sums += CARRIES * carries if carries else -CARRIES
            elif self.shaped.roles.get(bone) == HIPS:
                sums += CARRIES * any(bone in self.above(foot) for foot in (*feet, *hands))
            sums -= LOW * (float(self.heads[bone, 2]) - self.floor < 0.05 * self.height and bool(feet))
            odds[bone] = sums - LOW * label.is_control - NAMED * (not self.moving[bone])
        best = self._best(HIPS, odds)
        for one in best:
            # of two that are called hips the one below may carry the legs alone
            for above in self.above(one.bone):
                if self.labels[above].part == HIPS and above in odds and self._same_place(above, one.bone):
                    return [dataclasses.replace(one, bone=above)]
        return best

    def _same_place(self, bone: int, other: int) -> bool:
        """Whether a bone begins where another one does, or at most a bit beside it."""
        return other >= 0 and self._is_near(bone, self.heads[other])

    def _is_near(self, bone: int, place: Array) -> bool:
        """Whether a bone begins at a place (3,), or at most a bit beside it."""
        return bool(np.linalg.norm(self.heads[bone] - place) <= NEAR * self.height)

    def _head(self, hips: Sequence[Weighed], ends: set[int]) -> list[Weighed]:
        """The head: what is called so, else what the shape says, but for what grows on it."""
        taken = ends | {one.bone for one in hips}
        named = [
            b
            for b, label in enumerate(self.labels)
            if label.part == HEAD and not (label.side or label.is_end or label.is_control) and self.moving[b]
        ]
        named = [b for b in named if not {*named} & {*self.above(b)}]
        candidates = {*named}
        shaped = [bone for bone, role in self.shaped.roles.items() if role == HEAD]
        limbs = {bone for limb in self.limbs for bone in limb.bones}
        for bone in shaped:
            # what grows on a head hangs from it
            way = [b for b in (bone, *self.above(bone)) if self.labels[b].part not in NO_LIMB]
            free = [b for b in way[:1] if b not in taken | limbs]
            candidates |= {*free} if bone in free or not named else set()
            if not free and not named:
                candidates.add(bone)
        middle = float(self.heads[hips[0].bone, 2]) if hips else self.floor
        odds: dict[int, float] = {}
        for bone in candidates - taken:
            sums = NAMED * (bone in named) + SHAPED * (bone in shaped)
            rise = (float(self.heads[bone, 2]) - middle) / self.height
            sums += ABOVE if rise > 0.0 else -ABOVE if rise < -OFF_GROUND else 0.0
            grown = self.labels[bone].part in NO_LIMB
            odds[bone] = sums - NAMED * (bone in limbs) - DOUBT * grown
        return self._best(HEAD, odds)

    def _best(self, role: str, odds: dict[int, float]) -> list[Weighed]:
        """The bone that most speaks for, as a list; () where nothing does. Another as good is a doubt."""
        order = sorted(odds, key=lambda bone: (-odds[bone], bone))
        if not order:
            return []
        best, sums = order[0], odds[order[0]]
        rest = [odds[bone] for bone in order[1:] if not self._same_place(bone, best)]
        doubt = max(0.0, 1.0 - (sums - rest[0])) if rest else 0.0
        return [Weighed(best, role, self.sureness(sums - doubt))]
