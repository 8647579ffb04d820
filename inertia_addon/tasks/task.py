# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of tasks. A task is a record of what is asked for, which knows what its doors say of it.

A command's options, and the list of a spec with its schema, are made of what the class states; so that a
feature is one file here. What needs Blender is imported where it is done: specs and options do without.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ..errors import InertiaError, UsageError
from ..settings import fields
from ..settings.fields import Record

if TYPE_CHECKING:
    from ..blender.transition.report import Made
    from .work import Work

LISTED = "json"
"""The kind of file that holds what a task has found out, not an action."""


@dataclasses.dataclass(frozen=True, eq=False)
class Done:
    """What came of a task.

    label: of what was made or looked at, for gates. values: all that there is to tell, as JSON values.
    report: of the action that was baked, None for none. measured: what gates judge, by measure. notes:
    sentences that a reader has to know at once. save: writes it into a file, where that is of a kind of its
    own.
    """

    label: str
    values: dict[str, Any]
    report: Made | None = None
    measured: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    save: Callable[[Path], object] | None = None


def words(values: dict[str, Any]) -> dict[str, Any]:
    """The words of a verdict, if there is one: reports of earlier versions, and of rigs that can't be judged,
    have none."""
    seen = values.get("verdict")
    return {} if seen is None else {"verdict": seen["words"]}


@dataclasses.dataclass(frozen=True)
class InSpecs:
    """How specs ask for a task: the name of their list, and one of its entries for a reader.

    description, entry: of the list, and of one of its tables. usual: the outputs' names, where these are not
    the task's STEM alone.
    """

    name: str
    spoken: str
    description: str
    entry: str
    usual: str = ""


@dataclasses.dataclass(frozen=True)
class Searching:
    """How what a task works on is found where its settings do not name it. record: the search's settings,
    with "first" and "last" of the range. lists, finds, between: the help of --find N, of a spec's field
    "find", and of both ranges."""

    record: type[Record]
    lists: str
    finds: str
    between: str


@dataclasses.dataclass(frozen=True)
class Task(abc.ABC):
    """A feature, asked for.

    KIND: what tells its jobs from others, for a reader too. SETTINGS: the class of its settings. TOLD,
    SUMMARY: what of what there is to tell an event and the summary of a batch have, None for all.
    """

    KIND: ClassVar[str]
    SETTINGS: ClassVar[type[Record]]
    TOLD: ClassVar[tuple[str, ...]]
    SUMMARY: ClassVar[tuple[str, ...] | None] = None

    settings: Any

    @property
    @abc.abstractmethod
    def label(self) -> str:
        """What is asked for, for a reader."""

    def found(self, armature: str) -> Self:
        """The task, with names of actions as the file has them. Raises InertiaError."""
        return self

    @abc.abstractmethod
    def make(self, work: Work, bakes: bool) -> Done:
        """Do it. bakes: whether an action is to be written. Raises InertiaError with the file as it was."""

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """What came of it, for a reader. values: of :class:`Done`; "output" is the file that was written."""
        return []

    def told(self, values: dict[str, Any]) -> dict[str, Any]:
        """What an event of a batch says of it. values: of :class:`Done`."""
        return {**{name: values[name] for name in self.TOLD}, **words(values)}

    def summary(self, values: dict[str, Any]) -> dict[str, Any]:
        """What the summary of a batch says of it; reports of earlier versions don't say all of it."""
        if self.SUMMARY is None:
            return {"settings": self.settings.as_dict(), **values}
        return {**{name: values[name] for name in self.SUMMARY if name in values}, **words(values)}

    def placeless(self) -> Self:
        """The task with files by their names alone: where they are does not count."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """What it is known by, as JSON values."""
        return {**fields.plain(self), "settings": self.settings.as_dict()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The inverse of :meth:`as_dict`."""
        return cls(**{**fields.known(cls, values), "settings": cls.SETTINGS.from_dict(values["settings"])})


@dataclasses.dataclass(frozen=True)
class ClipTask(Task):
    """What is done with one action of an armature.

    HIDDEN: the settings that neither commands nor specs have by these names. SEARCH: how it finds what it
    works on. HELP, DESCRIPTION, SWITCHES: of its command, the last by their flags. GATES: the measures that
    this limits. REPORTS: whether it writes what it tells into a file. IN_SPECS: how specs ask for it. STEM:
    the usual name of what is written, with the action's in braces.

    BAKES: whether it writes an action: always, never, or where it is asked to (None). LISTS: whether specs
    may have what it tells as a file. COUNTS_JOINTS: whether some joints count.
    """

    HIDDEN: ClassVar[Collection[str]] = ()
    SEARCH: ClassVar[Searching | None] = None
    HELP: ClassVar[str]
    DESCRIPTION: ClassVar[str]
    SWITCHES: ClassVar[Mapping[str, str]] = {}
    GATES: ClassVar[tuple[str, ...]] = ()
    REPORTS: ClassVar[bool] = False
    IN_SPECS: ClassVar[InSpecs]
    STEM: ClassVar[str]
    BAKES: ClassVar[bool | None] = True
    LISTS: ClassVar[bool] = False
    COUNTS_JOINTS: ClassVar[bool] = False

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """What options or the fields of a spec ask for. Raises InertiaError for what does not go together."""
        return cls(cls.SETTINGS(**fields.given(cls.SETTINGS, values)))

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Self:
        """What a command's options ask for. Raises UsageError, for what a spec can't say, too."""
        try:
            return cls.of(values)
        except InertiaError as error:
            raise UsageError(str(error)) from error

    @property
    def label(self) -> str:
        """What is asked for, for a reader."""
        return f"{self.KIND} of {self.settings.action}"

    @property
    def stem(self) -> str:
        """The usual name of what is written, with the action's in braces."""
        return self.STEM

    def found(self, armature: str) -> Self:
        """The task, with the action's name as the file has it. Raises InertiaError."""
        from ..blender.data import named

        (name,) = named.found_names([self.settings.action], armature)
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, action=name))
