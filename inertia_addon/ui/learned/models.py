# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of an armature as its file holds it, and how far it is from the clips."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import bpy

from ...blender.learned import clips, files, recipes
from ...errors import InertiaError
from ...motion.learned.checking import ModelCheck
from ...motion.learned.model_file import Content
from ..matching.properties import names_of
from ..shared import cache

MODEL, DRAFT, CHECK = "learned:model", "learned:draft", "learned:check"
"""What is read of a model, and of a training that was stopped, and what was checked last, are kept under."""


def path_of(armature: Any) -> Path:
    """The file of an armature's model. Raises InertiaError where none is chosen."""
    named = armature.inertia_learned.model
    if not named:
        raise InertiaError("Choose a file for the model: an existing one, or a new one to train.")
    return Path(bpy.path.ensure_ext(bpy.path.abspath(named), ".npz"))


def state(path: Path) -> Hashable:
    """Tells a file from itself before it was written anew; None where there is none."""
    try:
        own = path.stat()
    except OSError:
        return None
    return str(path), own.st_mtime_ns, own.st_size


def content(armature: Any) -> Content | None:
    """What the file holds, None where it is still to be trained.

    Raises InertiaError for a file that is no model, or one of another skeleton.
    """
    path = path_of(armature)
    there = state(path)
    if there is None:
        return None
    key = (there, cache.rig_key(armature))
    return cache.answer(MODEL, armature, key, lambda: _read(armature, path), at_once=True)


def stopped(armature: Any) -> Content | None:
    """What a training that was stopped goes on from; None where none was that the armature could go on with.

    Raises InertiaError as :func:`content` does.
    """
    path = path_of(armature)
    draft = files.stopped_at(path)
    if draft == path:
        kept = content(armature)
    else:
        key = (state(draft), cache.rig_key(armature))
        try:
            kept = cache.answer(DRAFT, armature, key, lambda: _read(armature, draft), at_once=True)
        except InertiaError:
            # the model itself is there all the same
            return None
    return kept if kept is not None and kept.held is not None else None


def _read(armature: Any, path: Path) -> Content:
    try:
        found = files.load(path)
    except OSError as error:
        raise recipes.unreadable(path, error) from error
    with files.naming(str(path)):
        clips.check_fits(found.model, armature)
    return found


def trained(armature: Any) -> Content:
    """What the file holds. Raises InertiaError as :func:`content` does, and where there is none."""
    found = content(armature)
    if found is None:
        raise InertiaError('There is no model "{file}" yet; train one.', file=path_of(armature).name)
    return found


def clips_of(armature: Any) -> list[Any]:
    """The actions that a model is trained with, and compared with. Raises InertiaError for an empty list."""
    return [bpy.data.actions[name] for name in names_of(armature)]


def clips_state(armature: Any) -> Hashable:
    """What the clips that a model is compared with depend on."""
    return tuple(map(cache.action_state, clips_of(armature))), cache.rig_key(armature)


def check_of(armature: Any) -> ModelCheck | None:
    """How far the model is from the clips, if that was looked at since both became what they are."""
    try:
        key = (state(path_of(armature)), clips_state(armature))
    except InertiaError:
        # there are no clips any more
        return None
    return cache.known(CHECK, armature, key)


def keep_check(armature: Any, path: Path, of_clips: Hashable, found: ModelCheck) -> None:
    """Keep how far a model is from clips."""
    cache.put(CHECK, armature, (state(path), of_clips), found)
