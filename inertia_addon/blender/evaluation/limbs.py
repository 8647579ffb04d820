# SPDX-License-Identifier: GPL-3.0-or-later
"""The limbs of a rig: what poses them by FK and by IK, what switches, and what their controls follow.

Two kinds of limbs are found, by what a property drives. Bones that are seen copy one of two others, of which
an IK constraint turns one, as Rigify's do; or they have the IK constraint themselves, which the property
takes away. An animator can list others, and other controls.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import bpy

from ...motion.skeleton.posing import Following
from ...records import record
from ..data import properties, rig, rigs
from ..data.limb_list import Switch, SwitchedLimb, listed
from .controls import Stage

COPYING = ("COPY_TRANSFORMS", "COPY_ROTATION", "COPY_LOCATION")
"""Constraints by which a bone that is seen goes where another one does."""
WHOLE = 1.0 - 1e-6
"""A constraint of this influence acts alone."""
MOST = 0.5
"""What carries this part of all bones carries the body."""


@record(frozen=True)
class IKChain:
    """The bones of the same armature that an acting IK constraint reaches for, "" for none.

    tip: the bone with the constraint. use_tail: whether its tail reaches, not its head.
    """

    target: str
    pole: str
    tip: str
    use_tail: bool


@record(frozen=True)
class Copy:
    """What a bone copies as a property chooses: one of several others, or one or nothing, as a paw's toe.

    of: all of these. whole: the one that it copies wholly now, "" for none. switch: the data path of what
    chooses.
    """

    of: tuple[str, ...]
    whole: str
    switch: str


class BoneRelations:
    """How an armature's bones go with each other, as its constraints are now.

    chains: for each bone that an acting IK constraint turns, what it reaches for. copies: for each bone that
    copies others, as a property chooses, these.
    """

    def __init__(
        self,
        armature: Any,
        evaluated: Any,
        named: Iterable[str] = (),
        read_following: Callable[[], Following] | None = None,
    ) -> None:
        """Read how the bones of an armature go with each other, as its constraints are now.

        evaluated: the armature as evaluated, whose constraints count. named: bones that are controls,
        whatever they look like, besides those of listed limbs. ``chains`` gets an :class:`IKChain` by each
        bone that an acting IK constraint turns, ``copies`` a :class:`Copy` by each bone that copies others as
        a property chooses, ``listed`` the FK and IK controls of the limbs that the animator has listed, and
        ``named`` these with the given ones. ``dependencies`` are read when they are first asked for, as the
        armature stands then. read_following: reads them, None for a function that reads the armature.
        """
        self.bones = armature.pose.bones
        self.evaluated = evaluated
        self.read_following = read_following or functools.partial(rigs.read_following, evaluated)
        self.chains = chains(evaluated)
        self.copies = _copies(armature, evaluated)
        self.listed = {name for limb in listed(armature) for name in (*limb.fk, *limb.ik)}
        self.named = self.listed | set(named)

    @functools.cached_property
    def dependencies(self) -> Following:
        """Who comes along with whom."""
        return self.read_following()

    @property
    def copy_sources(self) -> dict[str, str]:
        """Of the bones that copy one of several others those that copy one wholly, with that."""
        return {bone: copy.whole for bone, copy in self.copies.items() if copy.whole}

    def is_control(self, name: str) -> bool:
        """Tell whether an animator poses a bone: it has a shape, or is named as a control."""
        return name in self.named or self.bones[name].custom_shape is not None

    def turns_with(self, name: str, target: str) -> bool:
        """Tell whether a bone copies another one's rotation wholly."""
        return any(
            c.type in ("COPY_ROTATION", "COPY_TRANSFORMS")
            and c.subtarget == target
            and not c.mute
            and c.influence >= WHOLE
            for c in self.evaluated.pose.bones[name].constraints
        )

    def nearest(self, name: str) -> str:
        """Return the control that a bone is, else the first one among its parents; "" for none, or for a name
        of "".
        """
        bone = self.bones[name] if name else None
        while bone is not None and not self.is_control(bone.name):
            bone = bone.parent
        return "" if bone is None else str(bone.name)

    def leader(self, name: str) -> str:
        """Return the control that a bone is, hangs from, or else follows by constraints; "" for none, or for
        a name of "".

        Of several that it follows it is the one that the fewest others follow.
        """
        if control := self.nearest(name):
            return control
        leaders = (
            [lead for lead in self.dependencies.carriers_of(name) if self.is_control(lead)] if name else []
        )
        return min(leaders, key=self.dependencies.count, default="")

    def control_of(self, result: str, copied_bone: str) -> str:
        """Return the name of the control that poses a bone which another one copies; "" for none.

        result: the bone that copies, one of ``copies``, else KeyError; copied_bone: what it copies. Controls
        count that carry the copied bone, itself among them, but not the parent of the whole limb (the first
        bone above `result` that copies nothing). The copied bone is taken if it is one of these; else, if any
        of them is in an animator's list, only those count. Where the limb is posed by IK now, it is the one
        with which most bones come along (a foot's control, not its heel's); else the one with which the
        fewest do.
        """
        parent = self.bones[result].parent
        while parent is not None and parent.name in self.copies:
            parent = parent.parent
        carriers = [
            name
            for name in self.dependencies.carriers_of(copied_bone)
            if self.is_control(name) and (parent is None or not self.dependencies.follows(parent.name, name))
        ]
        if copied_bone in carriers:
            return copied_bone
        carriers = [name for name in carriers if name in self.listed] or carriers
        switched = [copy for copy in self.copies.values() if copy.switch == self.copies[result].switch]
        is_ik = any(copy.whole in self.chains for copy in switched)
        return (max if is_ik else min)(carriers, key=self.dependencies.count, default="")

    def poses(self, result: str) -> str:
        """Return what poses a bone by what it copies now, or ""."""
        copy = self.copies.get(result)
        return self.control_of(result, copy.whole) if copy is not None and copy.whole else ""

    def above(self, control: str) -> set[str]:
        """Return the names of a control and of the bones between it and the next control above, which may say
        what it follows.
        """
        bone, above = self.bones[control], {control}
        while bone.parent is not None and not self.is_control(bone.parent.name):
            bone = bone.parent
            above.add(bone.name)
        return above

    def beyond(self, end: str, first: str) -> str:
        """Return the control of a paw, whose heel is the limb's end; "" for none.

        It is the first of these that passes, of the heel's control and the bones between it and the next
        control above, in Blender's order: the control that one of them reaches for by IK, itself or the first
        one among that bone's parents; then the same of the parent of each. One that carries the parent of
        `first` is passed over, and so is `end` itself. end: the heel's control. first: the bone with which
        the limb begins. KeyError for a bone that does not exist.
        """
        # in the bones' order, as a set's is another one in each process
        carriers = self.above(end)
        above = [name for name in self.bones.keys() if name in carriers]
        reached = [self.nearest(self.chains[name].target) for name in above if name in self.chains]
        hung = [self.nearest(p.name) for name in above if (p := self.bones[name].parent) is not None]
        body = self.bones[first].parent
        for name in (*reached, *hung):
            if name and name != end and (body is None or not self.dependencies.follows(body.name, name)):
                return name
        return ""

    def planted(self, limb: SwitchedLimb) -> tuple[str, ...]:
        """Return the IK controls of a limb, in order, that stay in the world when the body is moved, as
        spaces are now.

        The body's controls are those that carry the parent of the limb's first shown bone and at least half
        of all bones; an IK control is planted if it does not come along with every one of them. Controls that
        an IK constraint itself turns are left out. Without a shown bone, its parent, or such body controls it
        is ().
        """
        parent, following = self.bones[limb.shown[0]].parent if limb.shown else None, self.dependencies
        body = [
            name
            for name in (following.carriers_of(parent.name) if parent is not None else ())
            if self.is_control(name) and following.count(name) >= MOST * len(following.names)
        ]
        free = (control for control in limb.ik if control not in self.chains)
        return tuple(name for name in free if not all(following.follows(name, carrier) for carrier in body))


def find(stage: Stage, keyed: Iterable[str] = (), paths: Iterable[str] = ()) -> tuple[SwitchedLimb, ...]:
    """Return the limbs of a rig that a property switches between FK and IK, those that its animator has
    listed first.

    Each :class:`SwitchedLimb` has the data path of the property (``switch``), its values for FK and IK
    (``fk_value``, ``ik_value``), the controls of either (``fk``, ``ik``), the bones that are ``shown``, and
    in ``spaces`` what else decides what the controls follow, found for listed limbs, too. stage: the armature
    as a frame shows it. A property may switch a limb if it is a bool, int or float of the object and drives a
    constraint of a bone that copies or reaches by IK. keyed: bones that are controls though they have no
    shape. paths: such properties that may switch limbs though they drive nothing, as they are a constraint's
    own. All are set to their least values at once, then to their greatest, to ask Blender what that shows;
    afterwards all is as before. A listed limb replaces what is found of the same switch, but takes its
    ``shown`` bones over; of one that is not found they are ().
    """
    named = listed(stage.armature)
    driven = _driven(stage.armature)
    for path in paths:
        bone, rest = rig.split_path(path)
        if constraint := _CONSTRAINT.match(rest):
            driven.setdefault(path, []).append((bone or "", bpy.utils.unescape_identifier(constraint[1])))
    ends = {path: _ends(stage.armature, path) for path in driven if _may_switch(stage, path, driven[path])}
    readings = []
    # both say who follows whom when they are asked, of the one armature that there is, as it stands
    read_following = functools.cache(lambda: rigs.read_following(stage.evaluated))
    for side in (0, 1):
        with stage.switched({path: values[side] for path, values in ends.items()}):
            readings.append(BoneRelations(stage.armature, stage.evaluated, keyed, read_following))
    stage.settle()
    switched = (_limb(path, ends[path], driven[path], readings) for path in ends)
    limbs = {limb.switch: limb for limb in switched if limb is not None}
    for limb in named:
        shown = limbs[limb.switch].shown if limb.switch in limbs else ()
        limbs[limb.switch] = dataclasses.replace(limb, shown=shown)
    first = [limb.switch for limb in named]
    ordered = sorted(limbs.values(), key=lambda limb: limb.switch not in first)
    return tuple(dataclasses.replace(limb, spaces=_spaces(limb, driven, readings[0])) for limb in ordered)


def find_steering_paths(armature: Any) -> set[str]:
    """Return the paths of properties of the armature that its constraints are driven by, or that are
    listed.
    """
    return {*_driven(armature), *(limb.switch for limb in listed(armature))}


def chains(evaluated: Any) -> dict[str, IKChain]:
    """Return, for each bone that an acting IK constraint turns, an :class:`IKChain`, by the bone's name: the
    ``target`` bone, the ``pole`` bone, ``tip``, the bone with the constraint, and ``use_tail``, whether its
    tail reaches.

    Without ``use_tail`` the chain begins at the tip's parent, so that the tip itself is not in it. evaluated:
    the evaluated armature. Constraints act unless they are muted or have no influence, even without a target;
    a target or pole that is no bone of the armature is "". Of several constraints on a bone the last one in
    the order of Blender's bones counts.
    """
    chained: dict[str, IKChain] = {}
    for tip in evaluated.pose.bones:
        for constraint in tip.constraints:
            if constraint.type != "IK" or constraint.mute or constraint.influence == 0.0:
                continue
            chain = IKChain(
                _own(evaluated, constraint.target, constraint.subtarget),
                _own(evaluated, constraint.pole_target, constraint.pole_subtarget),
                tip.name,
                bool(constraint.use_tail),
            )
            chained |= {bone.name: chain for bone in rigs.turned_by(tip, constraint)}
    return chained


def _own(evaluated: Any, target: Any, bone: str) -> str:
    """Return a constraint's target bone if it is a bone of the armature itself, else ""."""
    is_own = target is not None and target.name == evaluated.name and bone in evaluated.pose.bones
    return bone if is_own else ""


_CONSTRAINT = re.compile(r'constraints\["((?:[^"\\]|\\.)*)"\]\.')
Driven = dict[str, list[tuple[str, str]]]
"""By the data paths of properties, the constraints that they drive: bone and name."""


def _driven(armature: Any) -> Driven:
    """Return which properties of the armature object drive constraints: by the data path that a driver reads,
    (bone, constraint name) of each constraint that it drives any property of, once for each; bone "" for the
    object.

    Muted drivers count, too; what they read of other data-blocks, and of the armature's data, does not.
    """
    by: Driven = {}
    for curve in rig.drivers(armature):
        bone, rest = rig.split_path(curve.data_path)
        constraint = _CONSTRAINT.match(rest)
        if constraint is None:
            continue
        for variable in curve.driver.variables:
            for target in variable.targets:
                if target.id == armature and target.data_path:
                    name = bpy.utils.unescape_identifier(constraint[1])
                    by.setdefault(target.data_path, []).append((bone or "", name))
    return by


def _type_of(bones: Any, bone: str, name: str) -> str:
    """Return the type of a bone's constraint, "" if there is no such constraint."""
    constraint = bones[bone].constraints.get(name) if bone in bones else None
    return "" if constraint is None else str(constraint.type)


def _may_switch(stage: Stage, path: str, by: Iterable[tuple[str, str]]) -> bool:
    """Tell whether a property drives constraints by which limbs are switched."""
    if type(properties.read(stage.armature, path)) not in (bool, int, float):
        return False
    return any(_type_of(stage.armature.pose.bones, *each) in (*COPYING, "IK") for each in by)


def _ends(armature: Any, path: str) -> tuple[Any, Any]:
    """Return the least and the greatest value of a property."""
    least, most = properties.limits(armature, path)
    kind: Any = type(properties.read(armature, path))
    return kind(least), kind(most)


def _copies(armature: Any, evaluated: Any) -> dict[str, Copy]:
    """Return what bones copy by Copy Transforms constraints from bones of the same armature, as a
    :class:`Copy` by bone name.

    Only bones count that have a constraint whose influence is driven, and of their constraints those that are
    not muted; bones without one are left out. ``of`` has the copied bones, one for each constraint, in their
    order. ``whole`` is the bone that the last constraint with any influence copies, if that influence is 1;
    else "". ``switch`` is the data path of the property that drives a constraint of the bone, the last that
    is found of several, "" where none does.
    """
    driven = (curve.data_path for curve in rig.drivers(armature) if ".influence" in curve.data_path)
    by_property = {bone: path for path, by in _driven(armature).items() for bone, _ in by}
    copies = {}
    for name in dict.fromkeys(rig.split_path(path)[0] or "" for path in driven):
        bone = evaluated.pose.bones.get(name)
        of = [
            (c.subtarget, c.influence)
            for c in (() if bone is None else bone.constraints)
            if c.type == "COPY_TRANSFORMS" and not c.mute and _own(evaluated, c.target, c.subtarget)
        ]
        if of:
            # the last that acts decides, where it is whole
            acting = [(target, influence) for target, influence in of if influence > 1.0 - WHOLE]
            last, influence = acting[-1] if acting else ("", 0.0)
            whole = last if influence >= WHOLE else ""
            copies[name] = Copy(tuple(target for target, _ in of), whole, by_property.get(name, ""))
    return copies


def _limb(
    path: str, values: tuple[Any, Any], by: Iterable[tuple[str, str]], readings: Sequence[BoneRelations]
) -> SwitchedLimb | None:
    """Return the limb that the property at `path` switches, None if it switches none.

    values: the property's least and greatest value. readings: the bones' relations at each of them. by:
    (bone, constraint name) of the constraints that it drives. It is a limb if its IK acts at exactly one of
    both values, which is ``ik_value``; the other one is ``fk_value``. Where bones copy others, they are
    ``shown``, ``fk`` are the controls that pose them, and in ``ik`` the end's control (of a paw the paw's)
    comes first, then the pole's, then others. Where the seen bones have the IK constraint themselves, ``fk``
    and ``shown`` are those that it turns and those with driven constraints, and ``ik`` the controls of its
    target and pole. ``fk`` and ``shown`` come from the body outwards. A control that is not found is left
    out.
    """
    bones = readings[0].bones

    def from_above(names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: len(bones[name].parent_recursive))

    copying = from_above(name for name, copy in readings[0].copies.items() if copy.switch == path)
    if copying:
        reached = [
            [
                name
                for name in copying
                if name in reading.copies and reading.copies[name].whole in reading.chains
            ]
            for reading in readings
        ]
    else:
        tips = {bone for bone, name in by if _type_of(bones, bone, name) == "IK"}
        reached = [
            [name for name, chain in reading.chains.items() if chain.tip in tips] for reading in readings
        ]
    if bool(reached[0]) == bool(reached[1]):
        return None
    ik = 0 if reached[0] else 1
    on_ik, on_fk, solved = readings[ik], readings[1 - ik], reached[ik]
    ik_value, fk_value = float(values[ik]), float(values[1 - ik])
    if not copying:
        chain = on_ik.chains[solved[0]]
        shown = tuple(from_above({*solved, *(bone for bone, _ in by)}))
        posed = [on_ik.leader(bone) for bone in (chain.target, chain.pole)]
        return SwitchedLimb(path, fk_value, ik_value, shown, _named(posed), shown)
    fk = [on_fk.poses(name) for name in copying]
    ends = [on_ik.poses(name) for name in copying if name not in solved]
    beyond = [on_ik.beyond(end, copying[0]) for end in ends[:1] if end]
    ends = [name for name in (*beyond, *ends) if name]
    chained = [on_ik.copies[name].whole for name in solved]
    reaching = (c for tip in {on_ik.chains[name].tip for name in chained} for c in bones[tip].constraints)
    poles = [on_ik.nearest(constraint.pole_subtarget) for constraint in reaching if constraint.type == "IK"]
    bases = [name for name in chained if on_ik.is_control(name)]
    controls = _named([*ends[:1], *poles, *bases, *ends[1:]])
    return SwitchedLimb(path, fk_value, ik_value, _named(fk), controls, tuple(copying))


def _named(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in order, each once, without ""."""
    return tuple(dict.fromkeys(name for name in names if name))


def _spaces(limb: SwitchedLimb, driven: Driven, reading: BoneRelations) -> tuple[Switch, ...]:
    """Return the properties that decide what the controls of a limb follow, each once with each of its
    controls, as :class:`Switch` (data path, control); the limb's own switch is left out.

    They drive a constraint of a control or of a bone between it and the next control above, other than one
    that only scales or limits a distance; or the IK constraint of a bone that the limb's shown bones copy,
    which counts for the second of its IK controls, the pole's. driven: which constraints each property
    drives, as (bone, name). reading: the bones' relations.
    """
    controls = {control: reading.above(control) for control in (*limb.fk, *limb.ik)}
    chained = {name for shown in limb.shown if shown in reading.copies for name in reading.copies[shown].of}
    spaces = {}
    for path, by in driven.items():
        for bone, name in by if path != limb.switch else ():
            kind = _type_of(reading.bones, bone, name)
            for control, above in controls.items():
                if bone in above and kind not in ("", *rigs.UNMOVED):
                    spaces[path, control] = Switch(path, control)
            if bone in chained and kind == "IK":
                # an IK constraint with a pole or without one
                spaces |= {(path, pole): Switch(path, pole) for pole in limb.ik[1:2]}
    return tuple(spaces.values())
