# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what names mean in the open file: armatures, and the actions of settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import bpy

from ...errors import InertiaError
from ...settings.hops import HopSettings
from ...settings.matching import PathSettings
from ...settings.transition import TransitionSettings
from . import actions, compat, names, rig


def find_armature(name: str | None) -> Any:
    """The armature object of a name, or the only one there is."""
    known = {found.name: found for found in rig.armatures()}
    return known[names.choose_armature(name, list(known))]


def with_found_names(settings: TransitionSettings, armature: str) -> TransitionSettings:
    """Settings with the names of the actions as the file has them."""
    found: dict[str, Any] = {}
    for field in ("source", "destination"):
        library = getattr(settings, field + "_library")
        known = [
            action.name
            for action in bpy.data.actions
            if not library or (action.library is not None and action.library.filepath == library)
        ]
        found[field] = names.choose_action(getattr(settings, field), sorted(known), armature)
    return dataclasses.replace(settings, **found)


def with_found_names_of_hops(settings: HopSettings, armature: str) -> HopSettings:
    """Settings of hops with the names of the actions, the clips between included, as the file has them."""
    return dataclasses.replace(
        settings,
        transition=with_found_names(settings.transition, armature),
        clips=found_names(settings.clips, armature),
        cycles=found_names(settings.cycles, armature),
    )


def with_found_names_of_path(settings: PathSettings, armature: str) -> PathSettings:
    """Settings of a path with the names of the actions, pinned, forbidden and wished ones, as the file has
    them."""

    def found(clip: str) -> str:
        return found_names([clip], armature)[0]

    return dataclasses.replace(
        settings,
        actions=found_names(settings.actions, armature),
        wishes=settings.wishes_by(found),
        moves=found_names(settings.moves, armature),
        cycles=found_names(settings.cycles, armature),
        speeds=tuple(f"{found(clip)}={speed:.10g}" for clip, speed in settings.speed_of.items()),
        pins=tuple(str(dataclasses.replace(pin, clip=found(pin.clip))) for pin in settings.pinned),
        fixed=tuple(str(dataclasses.replace(pin, clip=found(pin.clip))) for pin in settings.entered),
        bans=tuple(str(dataclasses.replace(ban, clip=found(ban.clip))) for ban in settings.banned),
    )


def found_names(given: Iterable[str], armature: str) -> tuple[str, ...]:
    """The names of actions as the file has them; "" is the only one of the armature."""
    known = sorted(action.name for action in bpy.data.actions)

    def chosen(name: str) -> str:
        return names.choose_action(name, known, armature) if name else names.only_action(_fitting(armature))

    return tuple(chosen(name) for name in given)


def _fitting(armature: str) -> list[str]:
    """The names of the actions that animate an armature."""
    found = []
    for action in bpy.data.actions:
        try:
            slot = actions.choose_slot(action, bpy.data.objects[armature])
        except InertiaError:
            continue
        if any(compat.curves(action, slot.identifier)):
            found.append(action.name)
    return sorted(found)
