# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as files: read and written whole, and trained with checkpoints.

A finished model is replaced by a finished one alone, and stays beside it as a backup: until then a training
is written down in a file of its own. What is no model is never replaced.
"""

from __future__ import annotations

import dataclasses
import enum
import io
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import InertiaError
from ...motion.learned import judging, model_file
from ...motion.learned.model import Model, ModelError
from ...motion.learned.model_file import Content
from ...motion.learned.training import Training
from ...motion.steps import Steps, part, quietly
from ...storage import places, safe_write

CHECKPOINT = 45.0
"""Seconds between two times that a training is written down: a kill loses no more, and less than a minute."""


def load(path: Path) -> Content:
    """Read the model in a file, and what is needed to go on training it. Raise InertiaError, and OSError."""
    places.check_read(path, model_file.MOST_BYTES)
    with path.open("rb") as file:
        return model_file.read(file, path.name)


@contextmanager
def name_file_in_errors(file: str) -> Iterator[None]:
    """Have the body of a ``with`` name the file where a model can't be played: a ModelError becomes an
    InertiaError that begins with the file's name, without its folder.

    file: its path, "" where it is not known; then errors pass as they are.
    """
    try:
        yield
    except ModelError as error:
        if not file:
            raise
        raise InertiaError('"{file}": {why}', file=Path(file).name, why=error.sentence) from error


def save(path: Path, model: Model, contents: Mapping[str, Any] | None = None) -> None:
    """Write a model; an old file stays whole until the new one is. Raise InertiaError for a model that could
    not be read again, as its training has come to no numbers."""
    _write(path, _content(path, model, contents))


def _write(path: Path, content: bytes) -> None:
    with safe_write.replace_safely(path) as new:
        new.write_bytes(content)


def _content(path: Path, model: Model, contents: Mapping[str, Any] | None = None) -> bytes:
    content = model_file.to_bytes(model, contents)
    try:
        model_file.read(io.BytesIO(content), path.name)
    except InertiaError as error:
        raise InertiaError(
            'The training of "{file}" diverged, and nothing was written; train it again, more slowly or '
            "with other clips.",
            file=path.name,
        ) from error
    return content


def draft_of(path: Path) -> Path:
    """Return the path of the file for a training that is to replace a finished model."""
    return path.with_name(f"{places.tail(path.stem)}.learning{path.suffix}")


def backup_of(path: Path) -> Path:
    """Return the path to which a file is moved when another one takes its place, as Blender keeps a
    .blend1.
    """
    return path.with_name(path.name + "1")


def stopped_at(path: Path) -> Path:
    """Return the path of the file from which a stopped training of a model goes on."""
    draft = draft_of(path)
    return draft if draft.is_file() else path


class State(enum.Enum):
    """What is at the path of a model, or beside it."""

    NOTHING, STOPPED, FINISHED, OTHER = range(4)


def state_at(path: Path) -> State:
    """Return what is at a path: State.NOTHING, FINISHED for a finished model, STOPPED for one whose training
    was stopped, or OTHER for something else, such as what can't be read.
    """
    if not path.exists():
        return State.NOTHING
    try:
        return State.FINISHED if load(path).held is None else State.STOPPED
    except (InertiaError, OSError):
        return State.OTHER


def check_place(path: Path) -> None:
    """Raise InertiaError where a model is not to be written; else return None. Nothing is written.

    That is where something that is no model, or can't be replaced, is at `path`, at the path of its draft (an
    unfinished training), or at those of both their backups; and where a finished model is at that of the
    draft. Free paths pass.
    """
    places.check_replaceable(path)
    if state_at(path) is State.OTHER:
        raise InertiaError(
            '"{file}" is not a model and won\'t be overwritten; choose another name.', file=path.name
        )
    draft = draft_of(path)
    for beside in (draft, backup_of(path), backup_of(draft)):
        places.check_replaceable(beside)
        _check_beside(path, beside, state_at(beside))


def _check_beside(path: Path, beside: Path, kind: State) -> None:
    if kind is State.OTHER or (kind is State.FINISHED and beside == draft_of(path)):
        raise InertiaError(
            'The training of "{file}" needs the name "{other}", which something else has; move that away, '
            "or choose another name.",
            file=path.name,
            other=beside.name,
        )


def save_finished(path: Path, model: Model) -> None:
    """Write a model that is trained to its end; a finished one that was there before stays as a backup, in
    place of an older backup. A training that was stopped there is overwritten without one.

    Raise InertiaError, with nothing changed, where something that is no model, or can't be replaced, is at
    the path, at that of its draft or of a backup, for a finished model in the draft's place, and for a model
    that has come to no numbers. Raise it, too, where the disk refuses; the old model stays at its place then.
    """
    check_place(path)
    content = _content(path, model)
    if state_at(path) is State.FINISHED:
        _back_up(path, backup_of(path))
    _write(path, content)


def save_imported(path: Path, model: Model) -> None:
    """Write a model that comes from elsewhere to `path`, and keep a copy of what it replaces as a backup.

    A finished model is copied to :func:`backup_of` of `path`, the name with "1" appended; a stopped training
    to that of its draft (:func:`draft_of`). An older backup there is replaced. A draft beside `path` stays as
    it is.

    Raise InertiaError, with nothing changed, where `path`, its draft or one of their backups holds something
    that is no model or can't be replaced, where the draft's place holds a finished model, and for a model
    whose numbers are not finite. Raise it, too, where the disk refuses; `path` keeps what it held then, but
    the backup may have been written.
    """
    check_place(path)
    content = _content(path, model)
    if state_at(path) is State.STOPPED:
        _back_up(path, backup_of(draft_of(path)))
    elif state_at(path) is State.FINISHED:
        _back_up(path, backup_of(path))
    _write(path, content)


def _back_up(path: Path, backup: Path) -> None:
    with safe_write.replace_safely(backup) as copy:
        shutil.copyfile(path, copy)


class _Notes:
    """Writes down how far a training has come: in the model's own file, or beside it where that is not free.
    Another training that was stopped there is kept as a backup."""

    def __init__(self, training: Training, path: Path) -> None:
        check_place(path)
        self._training, self._path = training, path
        # who goes on with a training has learned something already
        self._is_anew = training.done == 0.0

    def write(self) -> None:
        """Write down how far the training has come: in the model's own file, or as a draft beside it where
        there is a draft already, or the model's place holds a finished model or what is none.

        What is there is looked at each time, as training takes long. At the first time, another training that
        was stopped in that place becomes a backup, if this one began anew. Raise InertiaError where the
        draft's place is not free, or the training has come to no numbers.
        """
        place, draft = self._path, draft_of(self._path)
        if state_at(draft) is not State.NOTHING or state_at(place) in (State.FINISHED, State.OTHER):
            place = draft
            _check_beside(self._path, draft, state_at(draft))
        self._keep_other(place)
        save(place, self._training.model(), self._training.collect_state())

    def end(self, model: Model) -> None:
        """Write the finished model to its place, then remove the draft.

        A finished model that was there is copied to its backup first. So is another training that was stopped
        at :func:`stopped_at`, if this one began anew and has written nothing yet; its backup is the draft's.

        Where the model can't be written, the draft stays, how far the training has come is written down by
        :meth:`write`, and the error (InertiaError or OSError) is raised again. If that fails as well, its own
        InertiaError is raised instead, with the first one as its context.
        """
        self._keep_other(stopped_at(self._path))
        try:
            save_finished(self._path, model)
        except (InertiaError, OSError):
            self.write()
            raise
        safe_write.remove(draft_of(self._path))

    def _keep_other(self, path: Path) -> None:
        if self._is_anew and state_at(path) is State.STOPPED:
            _back_up(path, backup_of(draft_of(self._path)))
        self._is_anew = False


def train(training: Training, path: Path, stopped: Callable[[], bool] = lambda: False) -> Steps[Model]:
    """Train, and write down how far it has come every 45 seconds and at the end; return the model; yields the
    part that is done.

    Trained to its end, the model is judged, takes its place at `path`, and a finished one that was there
    becomes a backup. stopped: asked behind every step; True stops: then what it takes to go on is in the
    file, or beside it where `path` holds a finished model (see :func:`stopped_at`), and the model is not
    judged. Raise InertiaError where something that is no model, or can't be replaced, is at `path` or at a
    name that is needed beside it, and if training has come to no numbers.
    """
    notes = _Notes(training, path)
    written = time.monotonic()
    for done in quietly(training.steps()):
        if stopped():
            break
        if time.monotonic() - written >= CHECKPOINT:
            notes.write()
            written = time.monotonic()
        yield done
    model = training.model()
    if training.done >= 1.0:
        seen = yield from part(quietly(judging.judge_steps(model, training.material)), 1.0, 1.0)
        model = dataclasses.replace(model, usability=seen)
        notes.end(model)
    else:
        notes.write()
    return model


def take_up(training: Training, path: Path) -> None:
    """Let a training go on, in place, from the stopped training that the file at exactly `path` holds, if it
    is of the same clips and settings; minutes and iterations may differ.

    Drafts beside it are not looked for; see :func:`stopped_at`. Any other thing at `path` is removed without
    a backup and without an error, and `training` stays as it was: a finished model, a training of other clips
    or settings, a file that can't be read, a folder with all that is in it. Nothing happens where nothing is
    there. Raise OSError for a file that can't be removed.
    """
    try:
        content = load(path)
        if content.held is not None:
            training.resume(content.model, content.held)
            return
    except (InertiaError, OSError):
        pass
    safe_write.remove(path)
