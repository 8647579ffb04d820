# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of an armature: how it is trained, what its file holds, and how far it is from the clips."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.evaluation import character as characters
from ...blender.learned import clips, files, recipes
from ...errors import InertiaError
from ...settings.learned import LearnSettings
from ..matching.properties import names_of
from ..shared import cache, made_of
from ..shared.made_of import a_file, redraw

if TYPE_CHECKING:
    from ...motion.learned.checking import ModelCheck
    from ...motion.learned.model_file import Content
    from ...motion.learned.usability import Usability

MODEL, DRAFT, CHECK = "learned:model", "learned:draft", "learned:check"
"""What is read of a model, and of a training that was stopped, and what was checked last, are kept under."""
SEEN = "learned:seen"
"""How a model was seen to play is kept under."""
SETTINGS = made_of.names(LearnSettings)


@made_of.properties(LearnSettings, update=redraw)
class LearnedProperties(bpy.types.PropertyGroup):
    """The model that the armature's actions become, and how it is trained."""

    model: a_file(
        "Model", "The .npz file of the model: an existing one, or a new one to train", update=redraw
    )


def path_of(armature: Any) -> Path:
    """Return the path of an armature's model file; .npz is appended to a name with another ending or none.

    // at the beginning stands for the folder of the open file; any other relative path, or // in a file that
    was never saved, gives one relative to the working directory. Raise InertiaError where none is chosen;
    whether there is a file is not looked at.
    """
    named = armature.inertia_learned.model
    if not named:
        raise InertiaError("Choose a file for the model: an existing one, or a new one to train.")
    return Path(bpy.path.ensure_ext(bpy.path.abspath(named), ".npz"))


def state(path: Path) -> Hashable:
    """Return a value that changes when a file is written anew: its path, time and size; None where there is
    none or it can't be read.
    """
    try:
        status = path.stat()
    except OSError:
        return None
    return str(path), status.st_mtime_ns, status.st_size


def content(armature: Any) -> Content | None:
    """Return what the file holds, None where it is still to be trained.

    Raise InertiaError for a file that is no model, or one of another skeleton.
    """
    path = path_of(armature)
    return None if state(path) is None else _answer(MODEL, armature, path)


def stopped(armature: Any) -> Content | None:
    """Return what the file holds from which a stopped training of the armature's model goes on; None where
    there is none.

    If there is a draft beside the model, only that counts; one that can't be read or is of another skeleton
    gives None. Else the model's own file counts, if its training was stopped. Raise InertiaError if no file
    is chosen, or, without a draft, if the file is no model or of another skeleton.
    """
    path = path_of(armature)
    draft = files.stopped_at(path)
    if draft == path:
        kept = content(armature)
    else:
        try:
            kept = _answer(DRAFT, armature, draft)
        except InertiaError:
            # the model itself is there all the same
            return None
    return kept if kept is not None and kept.held is not None else None


def _answer(name: str, armature: Any, path: Path) -> Content:
    def read() -> Content:
        try:
            content = files.load(path)
        except OSError as error:
            raise recipes.unreadable(path, error) from error
        with files.name_file_in_errors(str(path)):
            clips.check_fits(content.model, characters.read_character(armature))
        return content

    return cache.answer(name, armature, (state(path), cache.rig_key(armature)), read, at_once=True)


def trained(armature: Any) -> Content:
    """Return what the armature's model file holds, finished or not. Raise InertiaError if none is chosen,
    there is no file, or it is no model or of another skeleton.
    """
    kept = content(armature)
    if kept is None:
        raise InertiaError('There is no model "{file}" yet; train one.', file=path_of(armature).name)
    return kept


def clips_of(armature: Any) -> list[Any]:
    """Return the actions that a model is trained and compared with. Raise InertiaError for an empty list."""
    return [bpy.data.actions[name] for name in names_of(armature)]


def clips_state(armature: Any) -> Hashable:
    """Return what the clips that a model is compared with depend on."""
    return tuple(map(cache.action_state, clips_of(armature))), cache.rig_key(armature)


def check_of(armature: Any) -> ModelCheck | None:
    """Return how far the model is from the clips, if that was looked at since both became what they are."""
    return _recall(CHECK, armature)


def recall_usability(armature: Any) -> Usability | None:
    """Return how the model was seen to play these clips, if that was looked at since."""
    return _recall(SEEN, armature)


def _recall(name: str, armature: Any) -> Any:
    try:
        key = (state(path_of(armature)), clips_state(armature))
    except InertiaError:
        # there are no clips any more
        return None
    return cache.recall(name, armature, key)


def keep_check(
    armature: Any, path: Path, of_clips: Hashable, check: ModelCheck, usability: Usability | None
) -> None:
    """Keep how far a model is from clips, and how it was seen to play them."""
    cache.put(CHECK, armature, (state(path), of_clips), check)
    cache.put(SEEN, armature, (state(path), of_clips), usability)


def settings_from(armature: Any) -> LearnSettings:
    """Return how a model of the path's actions is trained. Raise InertiaError for an empty list of
    actions.
    """
    return LearnSettings(
        actions=names_of(armature),
        mirror=armature.inertia_path.mirror,
        root=armature.inertia.root,
        **made_of.values_of(armature.inertia_learned, LearnSettings, SETTINGS),
    )
