# SPDX-License-Identifier: GPL-3.0-or-later
"""Results that are one action rewritten: written, noted with their recipe, and assigned, all in one way."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ...errors import InertiaError, Sentence
from ...records import record
from ...settings.fields import Record
from . import actions, compat, recipe, scene, stretches, unkeyed
from .stretches import BakedCurve, Rewritten

Settings = TypeVar("Settings", bound=Record)


@record(frozen=True, kw_only=True)
class Report:
    """What was made of an action, which is as it was.

    frame_range: of the result, and keys: how many it has. baked_curves: what could not be cut exactly.
    not_assigned_because: a sentence, "" where it is assigned or was not to be. settings: JSON values.
    """

    result: str
    armature: str
    slot: str
    assigned: bool
    not_assigned_because: str
    fps: float
    frame_range: tuple[float, float]
    keys: int
    baked_curves: tuple[BakedCurve, ...] = ()
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain JSON values."""
        return dataclasses.asdict(self)


def not_assignable(thing: Any) -> str:
    """Why a result can't be assigned to an object, "" where it can."""
    if not thing.is_editable:
        return Sentence(
            '"{armature}" is linked from another file, so the result was not assigned; make a library '
            "override of the armature to use it.",
            armature=thing.name,
        )
    if thing.animation_data is not None and thing.animation_data.use_tweak_mode:
        return Sentence(
            '"{armature}" has a strip in tweak mode, so the result was not assigned; leave tweak mode in '
            "the NLA Editor to use it.",
            armature=thing.name,
        )
    return ""


def check_into(into: Any | None, source: Any) -> None:
    """Raise InertiaError for an earlier result that can't be made anew of an action; None for a new one."""
    if into is not None and not into.is_editable:
        raise InertiaError(
            '"{action}" is linked from another file and can\'t be updated; make a new one.',
            action=into.name,
        )
    if into is not None and into == source:
        raise InertiaError('"{action}" cannot be its own source; make a new one.', action=into.name)


def write(
    armature: Any,
    kind: str,
    settings: Any,
    parts: Sequence[Rewritten],
    suffix: str,
    into: Any | None = None,
    completed: Callable[[Any], None] = lambda made: None,
    bones: Iterable[str] | None = None,
) -> Report:
    """Write a rewritten action with its recipe, and assign it if the settings say so, or don't say.

    kind: of the recipe. settings: a record with ``result``, the new action's name; "" for the source's with a
    suffix. parts: slots of the source, the armature's first. into: an earlier result to make anew in place;
    None for a new action. completed: does what else is to be done with the new action. bones: that had a say,
    see :func:`recipe.rewriting_digest`. Raises InertiaError as :func:`check_into` does, with the file as it
    was.
    """
    clip = parts[0].clip
    check_into(into, clip.action)
    plays = getattr(settings, "assign", True)
    standing = unkeyed.of(armature) if plays else {}
    before = compat.assigned(armature)[0]
    if before != into:
        recipe.keep(before)
    made = stretches.write(parts, settings.result or f"{clip.action.name} {suffix}", into)
    completed(made)
    digest = recipe.rewriting_digest(clip, bones)
    recipe.note_rewriting(made, kind, settings.as_dict(), armature, clip.action, digest, bones)
    reason = not_assignable(armature) if plays else ""
    if plays and not reason:
        unkeyed.keep(armature)
        unkeyed.settle(armature, standing, {*clip.curves, *parts[0].curves})
        compat.assign(armature, made, clip.slot.identifier)
    return Report(
        result=made.name,
        armature=armature.name,
        slot=clip.slot.identifier,
        assigned=plays and not reason,
        not_assigned_because=reason,
        fps=scene.fps(),
        frame_range=(clip.start, clip.end),
        keys=actions.key_count(made),
        baked_curves=parts[0].baked,
        settings=settings.as_dict(),
    )


def settings_of(action: Any, kind: str, record: type[Settings]) -> Settings:
    """The settings that an action was made with, its source by its present name; raises InertiaError."""
    source, values = recipe.rewriting(action, kind)
    named = {"action": source.name, "result": action.name}
    if "library" in values:
        named["library"] = source.library.filepath if source.library else ""
    with recipe.reading(action):
        return record.from_dict({**values, **named})
