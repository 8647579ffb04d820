# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: a character that is steered by what is wished of it, and kept as a path."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, Self

from ..records import record
from ..settings import matching, steering
from ..settings.fields import setting
from ..settings.matching import PathSettings
from ..settings.transition import TransitionSettings
from ..storage import places
from .paths import Path
from .task import JOINTS, Asked, Task, check_strips, misused, transition_of

WISHED = "what is wished"
MOST_BYTES = 16 * 1024**2
"""No file of wishes is larger."""


@record(frozen=True)
class _Asked:
    """What a command asks for in words of its own."""

    input: str = setting(help="the .csv file of wishes", metavar="FILE", reads=True, group=WISHED)
    start: str = setting(
        "0,0,0",
        help="where it begins, in metres, and where it faces then (default: 0,0,0)",
        metavar="X,Y,DEGREES",
        group=WISHED,
    )
    moves: tuple[str, ...] = setting(
        (),
        help="actions that are moves, such as a jump: they are played only where a row of wishes names them, "
        "as those are that one names anyway",
        metavar="ACTION",
        group=WISHED,
    )


@record(frozen=True)
class Take(Path):
    """One take: the way that its wishes steer, with all that a path has. input: the file that holds these, ""
    where the settings have them."""

    KIND = "take"
    COMMAND = "steer"
    HELP = "steer a character with its clips, and keep the take"
    DESCRIPTION = """Steer a character by a file of wishes, and write the file.

Each row of the .csv file says what is wished from a time on: the seconds, the velocity along x and y in
metres a second, and where to face in degrees from the x axis, or nothing to face where it goes; and, if any,
the action that is played then, once, as a move. The last row says when it ends. The character gets there as
its clips change their speed and turn, by springs that are fitted to them; clips are chosen a tenth of a
second at a time, without knowing what will be wished, and joined by inertialization. The same wishes make the
same take, a path like those of the command path.

Without -o nothing is baked or written, and what is said is what the take expects."""
    ASKS = (
        Asked(_Asked, ("input", "start", "moves"), optional=()),
        Asked(PathSettings, hidden=matching.NOT_OF_TAKES),
        Asked(TransitionSettings, matching.OF_JOINS),
        JOINTS,
    )

    input: str = ""

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """A take. Raises UsageError for what does not go together."""
        given = dict(values)
        file, blend = str(FilePath(given.pop("input")).absolute()), given.keys() & matching.OF_JOINS
        transition = transition_of(
            {name: given[name] for name in blend}, **matching.joined_by({"assign": True})
        )
        with misused():
            begins, moves = steering.start(given.pop("start", "0,0,0")), tuple(given.pop("moves", ()))
            # the file has others, which these stand for
            settings = PathSettings.steered(transition, given, ("0,0,0", "1,0,0"), begins, moves)
        check_strips(settings.strips, given["output"])
        return cls(settings, input=file)

    def found(self, armature: str) -> Self:
        """The take with its wishes, and the names of its actions as the file has them."""
        if not self.input:
            return super().found(armature)
        places.check_read(FilePath(self.input), MOST_BYTES)
        wishes = tuple(map(str, steering.read(FilePath(self.input))))
        settings = dataclasses.replace(self.settings, wishes=wishes)
        return dataclasses.replace(self, settings=settings, input="").found(armature)

    @property
    def label(self) -> str:
        """The take for a reader."""
        wished = self.settings.wished
        return f"take of {wished[-1].seconds - wished[0].seconds:g} s"
