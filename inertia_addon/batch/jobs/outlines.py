# SPDX-License-Identifier: GPL-3.0-or-later
"""What inputs hold, and which names and frames of a job they do not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...blender.data import names
from ...errors import InertiaError
from ...settings.transition import OBJECT_ROOT, TransitionSettings
from ..spec import validation
from ..spec.validation import Path, SpecProblem
from .job import Job

Outline = dict[str, Any]
"""What inputs hold, see ``inventory.outline``; or ``error``, the sentence why they can't be read."""

UNREADABLE = "error"


def armature_of(name: str | None, outline: Outline) -> Outline | None:
    """Return the outline of the armature that is meant; None when there is none of that name, none at all, or
    several and no name.

    name: None for the only one there is; an exact match wins, else the only one that differs in case alone.
    outline: of inputs; that of unreadable ones, which has no armatures, gives None.
    """
    armatures = {armature["name"]: armature for armature in outline.get("armatures", ())}
    try:
        return armatures[names.choose_armature(name, list(armatures))]
    except InertiaError:
        return None


def armature_faults(path: Path, name: str | None, outline: Outline) -> Iterator[SpecProblem]:
    """Yield exactly one problem: that there is no armature of a name, at the field ``armature``, with the
    names there are, the closest first. Whether there is one is not looked at; call it where
    :func:`armature_of` returns None.

    path: of the entry. name: None where none was given. outline: of inputs that could be read.
    """
    armatures = [armature["name"] for armature in outline["armatures"]]
    value = "nothing" if name is None else validation.quoted(name)
    allowed = f"the armatures {listed(armatures)}" if armatures else "an armature in the file, which has none"
    yield SpecProblem((*path, "armature"), value, allowed, validation.close_names(name, armatures))


def action_of(armature: Outline, name: str | None) -> Outline | None:
    """Return the outline of one of an armature's actions, None where it has none of that name."""
    return next((action for action in armature["actions"] if action["name"] == name), None)


def find_action(
    path: Path, name: str, armature: Outline, outline: Outline, problems: list[SpecProblem]
) -> str | None:
    """Return the name of the action of the file that is meant; None when no action is, or several are.

    A name means the action of exactly that name, else the only one that an importer has named so for the
    armature, else, in the same order, the only one whose name differs in case alone. With an armature called
    Rig, "Walk" means Walk_Rig, as of a glTF file, or Rig|Walk|Layer, as of an FBX file. Any action of the
    file counts, also one that does not fit the armature.

    path: to the field. problems: gets a problem at it where None is returned, with the names of the
    armature's actions, or of all where it has none, those most alike first.
    """
    try:
        return names.choose_action(name, outline["actions"], armature["name"])
    except InertiaError:
        actions = [action["name"] for action in armature["actions"]] or outline["actions"]
        close = validation.close_names(name, outline["actions"])
        allowed = (
            f"the actions {listed(actions, close)}" if actions else "an action in the file, which has none"
        )
        problems.append(SpecProblem(path, validation.quoted(name), allowed, close))
        return None


def action_faults(
    named: Iterable[tuple[str, str]], path: Path, armature: Outline, outline: Outline
) -> list[SpecProblem]:
    """Return a problem for each action that the file does not have, in order, each at its field; [] for none.

    named: pairs of a field and an action's name, looked up as by :func:`find_action`; a field may recur.
    path: to the entry, in which the fields stand. armature, outline: what the armature and all inputs hold.
    """
    problems: list[SpecProblem] = []
    for field, name in named:
        find_action((*path, field), name, armature, outline, problems)
    return problems


def ends(
    settings: TransitionSettings, path: Path, armature: Outline, outline: Outline, problems: list[SpecProblem]
) -> dict[str, Outline]:
    """Return the outlines of the source and the destination, by "source" and "destination", as far as they
    are known.

    An end is left out that has a library (``source_library``, ``destination_library``), is no action of the
    armature, or has a slot in the settings other than that which was looked at. problems: gets a problem, at
    "source" or "destination", for each that the file lacks; an end with a library is not looked for. path: to
    the entry.
    """
    outlines = {}
    for side in ("source", "destination"):
        if getattr(settings, f"{side}_library"):
            continue
        name = find_action((*path, side), getattr(settings, side), armature, outline, problems)
        action = action_of(armature, name)
        if action is not None and getattr(settings, f"{side}_slot") in ("", action["slot"]):
            outlines[side] = action
    return outlines


def frame_fault(path: Path, frame: float, action: Outline, otherwise: str = "") -> Iterator[SpecProblem]:
    """Say that a frame is none of an action's, if so. otherwise: what else would be allowed."""
    if not action["start"] - 1e-3 <= frame <= action["end"] + 1e-3:
        yield SpecProblem(path, f"{frame:g}", frames_of(action) + otherwise)


def frames_of(action: Outline) -> str:
    """Say which frames an action has."""
    return f'a frame of "{action["name"]}", {action["start"]:g} to {action["end"]:g}'


def bone_faults(job: Job, settings: Any, path: Path, armature: Outline) -> Iterator[SpecProblem]:
    """Yield a problem for each bone that a job names and its armature does not have, at the field that names
    it. They come in this order: ``bones``, ``blend_scales``, ``weights``, ``root``, ``align_bone``.

    Names in ``bones``, behind the "!" of those left out, and in ``blend_scales`` may be patterns with * and ?
    as of file names, where case counts, and may name properties and shape keys that are blended by
    themselves. Names in the job's ``weights``, ``root`` and ``align_bone`` must be bones exactly; an empty
    name and the object as root are none. settings: the job's own, or those of its blend; fields that they
    lack are skipped. path: to the entry. armature: its outline, whose ``bones`` and, if there are any,
    ``channels`` count.
    """
    bones: list[str] = armature["bones"]
    chosen = [("bones", name.removeprefix(names.LEFT_OUT)) for name in getattr(settings, "bones", ())]
    chosen += [("blend_scales", name) for name, _ in getattr(settings, "blend_scales", ())]
    # properties and shape keys may be blended by themselves, too
    known = [*bones, *armature.get("channels", ())]
    named = [(field, name) for field, name in chosen if not any(names.fits(name, each) for each in known)]
    named += [("weights", name) for name, _ in job.weights]
    single = {name: getattr(settings, name, "") for name in ("root", "align_bone")}
    named += [(field, name) for field, name in single.items() if name not in ("", OBJECT_ROOT)]
    for field, name in named:
        if name not in bones:
            close = validation.close_names(name, bones)
            yield SpecProblem(
                (*path, field), validation.quoted(name), f"the bones {listed(bones, close)}", close
            )


def listed(names: list[str], first: Iterable[str] = ()) -> str:
    """List names in double quotes with commas between, ``first`` before the others, each once; twelve at
    most, then " and 3 more" for the rest.
    """
    ordered = list(dict.fromkeys([*first, *names]))
    shown = ", ".join(map(validation.quoted, ordered[:12]))
    return f"{shown} and {len(ordered) - 12} more" if len(ordered) > 12 else shown
