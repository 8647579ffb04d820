# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps an armature from showing what its action says: drivers that fail, NLA tracks below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

from ...errors import Sentence
from ..data import rig
from . import influence

NAMED = 4
"""So many bones are named one by one."""


def describe(armature: Any, *, above_tracks: bool = True) -> Iterator[Sentence]:
    """Yield a sentence on each thing that keeps an armature from showing what its action says; none if all is
    well.

    There are at most three, in this order: one on all drivers that Python computes and that fail, as where
    scripts may not run; one on all other drivers that fail; and one if NLA tracks show through, which names
    the topmost of these alone, with the action's blend type and influence. The first two list what the
    drivers are on, sorted: bones, else data-blocks.

    above_tracks: whether a result plays above the NLA tracks, as an assigned action does; False leaves out
    the third. In the background the view layer may be updated, see :func:`find_failing_drivers`.
    """
    scripts, others = _name_by_kind(find_failing_drivers(armature))
    if scripts:
        yield Sentence(
            "Drivers on {driven} need Python scripts, which do not run here, so what they move stands "
            "still, and is judged standing still; allow scripts (Preferences > Save & Load > Auto Run "
            "Python Scripts, or --enable-autoexec), and open the file again.",
            driven=_list_names(scripts),
        )
    if others:
        yield Sentence(
            "Drivers on {driven} fail, so what they move stands still, and is judged standing still; "
            "correct them in the Drivers Editor.",
            driven=_list_names(others),
        )
    below = find_layers_below(armature) if above_tracks else ()
    if below:
        yield Sentence(
            'The action of "{armature}" is layered over the NLA track "{track}" ({blend}, influence '
            "{influence:.3g}), but Inertia plans and judges the action alone; mute the tracks below, or "
            "merge the layers into one action first.",
            armature=armature.name,
            track=below[-1],
            blend=str(armature.animation_data.action_blend_type).capitalize(),
            influence=float(armature.animation_data.action_influence),
        )


def find_layers_below(armature: Any) -> tuple[str, ...]:
    """Return the names of the NLA tracks that show through the assigned action, the lowest first; () for
    none.

    They do where the action's blend type is another than Replace, or its influence is below 1. Whether an
    action is assigned at all is not looked at. () where neither is so, where the NLA is off or there is no
    animation data, or where any track is soloed, which hides the action.

    Muted tracks and tracks without strips don't count; a track whose strips are all muted counts only if the
    influence is below 1.
    """
    animation = armature.animation_data
    if animation is None or not animation.use_nla:
        return ()
    if animation.action_blend_type == "REPLACE" and animation.action_influence >= 1.0:
        return ()
    if any(track.is_solo for track in animation.nla_tracks):
        return ()
    # what is mixed is mixed with the default values, too, where all strips are muted
    is_mixed = animation.action_influence < 1.0
    return tuple(
        track.name
        for track in animation.nla_tracks
        if not track.mute and any(is_mixed or not strip.mute for strip in track.strips)
    )


def find_failing_drivers(armature: Any) -> list[tuple[Any, Any]]:
    """Return the drivers that have a say in where an armature's bones are and that Blender can't compute, as
    (data-block, driver curve).

    They come in the order of :func:`_find_moving`; [] for none. What counts is ``is_valid`` of the curve's
    ``driver``, not of the curve itself. In the background the view layer is updated first if Python computes
    some of those that pass so far, as Blender finds out only then. Muted drivers don't count.
    """
    moving = list(_find_moving(armature))
    if bpy.app.background and any(_is_script(curve.driver) and curve.driver.is_valid for _, curve in moving):
        bpy.context.view_layer.update()
    return [(owner, curve) for owner, curve in moving if not curve.driver.is_valid]


def _find_moving(armature: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (data-block, driver curve) for each un-muted driver that has a say in where an armature's bones
    are, once each.

    On the armature object and its data these are the drivers of transforms, inheritance settings and
    constraints (:func:`influence.is_moving_path`), and of properties by whose very data path another driver
    of the same data-block reads. On any other data-block they are all of its drivers. Those data-blocks are
    the ones that drivers read, un-muted ones of whatever property, and of each object its parent, its data
    and the targets of its and its bones' constraints, at any remove.

    The object comes first and the drivers of one data-block together, in their order; the order of
    data-blocks otherwise says nothing.
    """
    waiting, known = [armature], set[Any]()
    while waiting:
        owner = waiting.pop()
        if owner is None or owner in known:
            continue
        known.add(owner)
        drivers = [curve for curve in rig.drivers(owner) if not curve.mute]
        targets = [each for curve in drivers for each in _targets(curve.driver)]
        read = {target.data_path for target in targets}
        # the armature itself has drivers of shapes and colours as well
        is_rig = owner in (armature, armature.data)
        waiting += [target.id for target in targets]
        yield from (
            (owner, curve)
            for curve in drivers
            if not is_rig or curve.data_path in read or influence.is_moving_path(curve.data_path)
        )
        if isinstance(owner, bpy.types.Object):
            waiting += [owner.parent, owner.data, *_find_targets(owner)]


def _targets(driver: Any) -> Iterator[Any]:
    return (target for variable in driver.variables for target in variable.targets)


def _find_targets(owner: Any) -> Iterator[Any]:
    """Yield the targets and pole targets of all constraints of an object and of its bones, those of Armature
    constraints among them, muted ones too; some are None, and one may come several times.
    """
    for holder in (owner, *(owner.pose.bones if owner.pose is not None else ())):
        for constraint in holder.constraints:
            yield getattr(constraint, "target", None)
            yield getattr(constraint, "pole_target", None)
            if constraint.type == "ARMATURE":
                yield from (each.target for each in constraint.targets)


def _is_script(driver: Any) -> bool:
    """Tell whether Python computes a driver: the usual expressions Blender computes itself."""
    return driver.type == "SCRIPTED" and not driver.is_simple_expression


def _name_by_kind(drivers: list[tuple[Any, Any]]) -> tuple[list[str], list[str]]:
    """Return the names of what drivers are on, in two sorted lists: those that Python scripts compute, and
    all others.

    drivers: (data-block, driver curve). A name is the bone's, else the data-block's, and comes once in a
    list.
    """
    names: tuple[list[str], list[str]] = ([], [])
    for owner, curve in drivers:
        name = rig.split_path(curve.data_path)[0] or str(owner.name)
        names[0 if _is_script(curve.driver) else 1].append(name)
    return (sorted(set(names[0])), sorted(set(names[1])))


def _list_names(names: list[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:NAMED])
    if len(names) <= NAMED:
        return shown
    return Sentence("{shown} and {count} more", shown=shown, count=len(names) - NAMED)
