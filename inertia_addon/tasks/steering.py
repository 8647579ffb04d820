# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: a character that is steered with its clips, or with a model, and kept as a path."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, Self

from ..errors import UsageError
from ..records import record
from ..settings import matching, steering
from ..settings.fields import again, setting
from ..settings.matching import PathSettings
from ..settings.transition import TransitionSettings
from ..storage import places
from .paths import FollowTask, PathAsked, PathTask, check_of_model
from .task import JOINTS, AskedSettings, Task, check_strips, misused, transition_of

WISHED = "the wishes"
MOST_BYTES = 16 * 1024**2
"""No file of wishes is larger."""


@record(frozen=True)
class _Asked:
    """What a command asks for in words of its own."""

    input: str = setting(help="the .csv file of wishes", metavar="FILE", reads=True, group=WISHED)
    start: str = setting(
        "0,0,0",
        help="where it begins, in metres, and its facing there (default: 0,0,0)",
        metavar="X,Y,DEGREES",
        group=WISHED,
    )
    moves: tuple[str, ...] = setting(
        (),
        help="actions that are moves, such as a jump: they play only where a row of wishes names them, as "
        "do all actions that a row names",
        metavar="ACTION",
        group=WISHED,
    )
    model: str = again(
        PathAsked,
        "model",
        help="steer with a model that the command learn has written, or with a folder of a game's networks",
    )


@record(frozen=True)
class _SteerTask(Task):
    """What wishes steer. input: the file that holds these, "" where the settings have them."""

    input: str = ""

    def resolved(self, armature: str) -> Self:
        """Return the task with its wishes read from its file, and the names of its actions as the open file
        has them.

        input of the result is "". Without an input only the names are resolved. armature: its name. Raise
        InertiaError for a file that can't be read, is larger than 16 MiB or has no wishes, and for names that
        fit no action.
        """
        if not self.input:
            return super().resolved(armature)
        file = FilePath(self.input)
        places.check_read(file, MOST_BYTES)
        settings = dataclasses.replace(self.settings, wishes=tuple(map(str, steering.read(file))))
        return dataclasses.replace(self, settings=settings, input="").resolved(armature)

    @property
    def label(self) -> str:
        """The take for a reader."""
        wished = self.settings.wished
        return f"take of {wished[-1].seconds - wished[0].seconds:g} s"


@record(frozen=True)
class TakeTask(_SteerTask, PathTask):
    """One take: the way that its wishes steer, with all that a path has."""

    KIND = "take"
    COMMAND = "steer"
    HELP = "steer a character with its clips, and keep the take"
    DESCRIPTION = """Steer a character by a file of wishes, and write the file.

Each row of the .csv file says what is wished from a time on: the seconds, the velocity along x and y in
metres a second, and where to face in degrees from the x axis, or nothing to face where it goes; and, if any,
the action that then plays once, as a move. The last row says when the take ends. The character gets there as
its clips change their speed and turn, by springs that are fitted to them. Clips are chosen a tenth of a
second at a time, without knowing the later wishes, and joined by inertialization. The same wishes make the
same take, a path like those of the command path.

With --model a model that the command learn has written plays instead of the clips, by the springs of the
clips that it has learned.

Without -o nothing is baked or written, and the command reports what the take expects."""
    ASKS = (
        AskedSettings(_Asked, ("input", "start", "moves"), optional=()),
        AskedSettings(PathSettings, hidden=matching.NOT_OF_TAKES),
        AskedSettings(steering.SteerSettings),
        AskedSettings(TransitionSettings, matching.OF_JOINS),
        JOINTS,
        AskedSettings(_Asked, ("model",)),
    )

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the task that options ask for: a TakeTask, or a TakeWithModelTask with --model.

        values: by option name; "input" and "output" are always there. The file of wishes is not read: two
        placeholder wishes stand in the settings, and its absolute path in input. The new action is assigned
        by default. Raise UsageError for --moves or options of the clip search with --model, a wrong --start,
        --strips with an output that is no .blend file (without a model only), and settings that are out of
        range.
        """
        options = dict(values)
        model = options.pop("model", None)
        if model is not None:
            check_of_model(values)
            if "moves" in options:
                raise UsageError("--moves are clips; leave it out with --model.")
        file, blend = str(FilePath(options.pop("input")).absolute()), options.keys() & matching.OF_JOINS
        transition = transition_of(
            {name: options[name] for name in blend}, **matching.joined_by({"assign": True})
        )
        with misused():
            start, moves = steering.start(options.pop("start", "0,0,0")), tuple(options.pop("moves", ()))
            # the file has others, which these stand for
            settings = PathSettings.steered(transition, options, ("0,0,0", "1,0,0"), start, moves)
        if model is not None:
            return TakeWithModelTask(settings, model=str(FilePath(model).absolute()), input=file)
        check_strips(strips=settings.strips, output=options["output"])
        return cls(settings, input=file)


@record(frozen=True)
class TakeWithModelTask(_SteerTask, FollowTask):
    """One take that a model plays."""

    KIND = "take with a model"
