# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of tasks, and what their doors lend them.

A task is a record of what is asked for. A command's options, and the list of a spec with its schema, are made
of what its class states, so that a feature is one file here. What needs Blender is imported where it is done:
specs and options do without.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from ..console.output_files import Output
from ..errors import InertiaError, UsageError
from ..records import record
from ..settings import fields, methods
from ..settings.cost import Joints
from ..settings.fields import Record
from ..settings.transition import TransitionSettings
from ..storage import file_kinds

if TYPE_CHECKING:
    from ..blender.data import compat
    from ..blender.data.actions import Clip
    from ..blender.data.report import Report
    from ..blender.data.roots import Root
    from ..blender.evaluation.character import Character
    from ..blender.evaluation.joint_motion import JointMotion
    from ..motion.cycles.cycle import Cycle
    from ..motion.skeleton.posing import Rig
    from ..motion.steps import Steps

Result = TypeVar("Result")

LISTED = "json"
"""The kind of file that holds what a task has found out, not an action."""


@record(frozen=True, eq=False)
class Done:
    """What came of a task.

    label: of what was made or looked at, for gates. values: all that there is to tell, as JSON values.
    report: of the action that was baked, None for none. measured: what gates judge, by measure. notes:
    sentences that a reader has to know at once. writes: what writes each of the task's files that hold no
    action, by :attr:`Written.name`, in a batch "output"; returns the files, None for the one given.
    """

    label: str
    values: dict[str, Any]
    report: Report | None = None
    measured: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    notes: tuple[str, ...] = ()
    writes: Mapping[str, Callable[[Path], list[Path] | None]] = dataclasses.field(default_factory=dict)


class Work:
    """How a task works behind one of its doors, which lends it the armature that is meant in the open file.

    is_judged: whether gates look at what it makes. wanted: the files that it is to write, by the names of
    :class:`OutputOption`. outputs: in a batch, those of a kind of its own. shares: whether others come behind
    who may need the same of the file, so that all joints are evaluated.
    """

    outputs: tuple[Path, ...] = ()
    shares = False

    def __init__(self, armature: Any, *, is_judged: bool, wanted: Mapping[str, Path] | None = None) -> None:
        self.armature, self.is_judged, self.wanted = armature, is_judged, wanted or {}

    @property
    def character(self) -> Character:
        """The armature as it stands now, for functions that take a character."""
        from ..blender.evaluation.character import read_character

        return read_character(self.armature)

    def run(self, steps: Steps[Result], label: str) -> Result:
        """Run steps to their end and return their result; then call count with the label, once.

        steps: a generator that yields how far it is, which is not told here. label: what is done, such as
        "searching". Whatever the steps raise gets through, mostly InertiaError; nothing is counted then.
        """
        from ..motion.steps import finish

        result = finish(steps)
        self.count(label)
        return result

    def count(self, label: str) -> None:
        """Take note that something is done."""

    def draft(self) -> Path:
        """Return the file in which long work keeps what is half done, for the run that takes it up."""
        raise NotImplementedError

    def weights(self) -> dict[str, float]:
        """Return the weights of the joints that count, by bone."""
        raise NotImplementedError

    def reading(self, action: Any, slot: compat.Slot) -> Steps[Clip]:
        """Read a slot of an action."""
        from ..blender.data import actions

        return actions.read_clip_steps(action, slot)

    def evaluated(self, character: Character, clip: Clip, root: Root) -> Steps[JointMotion]:
        """Evaluate a clip on its whole frames."""
        from ..blender.evaluation import joint_motion

        return joint_motion.whole(character, clip, root)

    def find_cycle(self, rig: Rig, root: Root, clip: Clip, choice: str) -> Cycle | None:
        """Find the cycle that a clip is, None for none; see :func:`cycles.find_cycle`."""
        from ..blender.evaluation import cycles

        return cycles.find_cycle(rig, root, clip, choice)

    def make_once(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """Make something; it may be kept under a key for later tasks."""
        return make()

    def clip(self, name: str, slot: str, library: str = "") -> Clip:
        """Return the clip of an action, read for the work's armature.

        name: of the action. slot: identifier, "" for the one that fits. library: the file it is linked from,
        "" for the open file. Raise InertiaError if there is no such action or slot, or it can't be read.
        """
        from ..blender.data import actions, clip_store
        from ..motion.steps import finish

        action = actions.find(name, library)
        return finish(clip_store.read_stored_steps(self.armature, action, slot, self.reading))


@record(frozen=True)
class AskedSettings:
    """The settings of a record that a command asks for.

    only: those alone, in the order of a tuple; None for all but those that are hidden. optional: what need
    not be given though it has no default; None for all. title: of the options' group, in place of the
    settings' own. extends: whether lists that are given one after the other add up.
    """

    record: Any
    only: Collection[str] | None = None
    hidden: Collection[str] = ()
    optional: Collection[str] | None = None
    title: str = ""
    extends: bool = True

    def settings(self) -> list[fields.Setting]:
        """Return the settings that the command asks for.

        If only is a tuple, these alone, in its order; hidden does not count then. Otherwise in the record's
        order: those in only (all if None) without those that are hidden. Raise KeyError for a name in a tuple
        that is no setting.
        """
        settings = fields.settings(self.record)
        if isinstance(self.only, tuple):
            return [settings[name] for name in self.only]
        wanted = settings if self.only is None else self.only
        return [each for name, each in settings.items() if name in wanted and name not in self.hidden]


@record(frozen=True)
class OutputOption:
    """A file that a command writes, or a folder. flag, metavar, help: its option. endings: of the file.

    is_needed: whether it must be given. is_baked: whether it takes the new action. is_in_place: whether
    it may be the .blend file that is read.
    """

    flag: str
    metavar: str
    help: str
    endings: tuple[str, ...] = ()
    is_needed: bool = False
    is_baked: bool = False
    is_in_place: bool = False

    @property
    def name(self) -> str:
        """What it is called in results."""
        return "output" if self.flag == "-o" else self.flag.removeprefix("--")


JOINTS = AskedSettings(Joints, title="which joints")
"""Which joints count."""


def make_result_option(*, is_needed: bool) -> OutputOption:
    """Return the file that takes a new action."""
    help = "the .blend, .glb, .gltf, .fbx or .bvh file to write"
    return OutputOption("-o", "OUT", help, file_kinds.WRITABLE, is_needed, is_baked=True, is_in_place=True)


REPORT = OutputOption("--report", "FILE", "write what --json shows to a .json file as well", (".json",))

PAGE = OutputOption(
    "--html",
    "FILE",
    "write an .html page of one file that plays what was judged, with its faults on a timeline",
    (".html",),
)


def verdict_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sentences of a verdict, if there is one.

    Reports of earlier versions, and of rigs that can't be judged, have none.
    """
    verdict = values.get("verdict")
    return {} if verdict is None else {"verdict": verdict["words"]}


def verdict_lines(values: Mapping[str, Any]) -> list[str]:
    """Return the sentences of a verdict, [] without one."""
    return verdict_of(values).get("verdict", [])


def headline(values: Mapping[str, Any], before: str = "") -> str:
    """Return the first sentence of a verdict, "" without one. before: what stands in front of it."""
    return "".join(before + sentence for sentence in verdict_lines(values)[:1])


@record(frozen=True)
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


@record(frozen=True)
class Searching:
    """How what a task works on is found where its settings do not name it. record: the search's settings,
    with "first" and "last" of the range. finds, between: the help of a spec's fields "find" and "range"."""

    record: type[Record]
    finds: str
    between: str


@record(frozen=True)
class Nothing(Record):
    """The settings of what has none."""


@record(frozen=True)
class Task(abc.ABC):
    """A feature, asked for.

    KIND: what tells its jobs from others, for a reader too. SETTINGS: the class of its settings. EVENT,
    SUMMARY: which of the values of :class:`Done` an event and the summary of a batch have, None for all.

    Of its command: COMMAND, its name, "" where there is none; HELP, DESCRIPTION; ASKS, WRITES: its options,
    the fields of the task itself among them; GATES: the measures that it limits, None where none is;
    OF_ONE_ARMATURE: whether it is about one armature, which its results name. NESTED: the classes of the
    records that it has beside its settings.
    """

    KIND: ClassVar[str]
    SETTINGS: ClassVar[type[Record]] = Nothing
    EVENT: ClassVar[tuple[str, ...]] = ()
    SUMMARY: ClassVar[tuple[str, ...] | None] = None
    COMMAND: ClassVar[str] = ""
    HELP: ClassVar[str]
    DESCRIPTION: ClassVar[str]
    ASKS: ClassVar[tuple[AskedSettings, ...]] = ()
    WRITES: ClassVar[tuple[OutputOption, ...]] = ()
    GATES: ClassVar[tuple[str, ...] | None] = None
    OF_ONE_ARMATURE: ClassVar[bool] = True
    NESTED: ClassVar[Mapping[str, type[Record]]] = {}

    settings: Any

    @classmethod
    def asks(cls) -> tuple[AskedSettings, ...]:
        """Return what its command asks for; a task's own fields come last, under their own titles."""
        of_task = AskedSettings(cls, extends=False)
        return (*cls.ASKS, of_task) if of_task.settings() else cls.ASKS

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the task that a command's options ask for, by their names. Raise UsageError."""
        settings = cls.SETTINGS(**fields.parsed(cls.SETTINGS, values))
        return cls(settings, **fields.parsed(cls, values))

    @classmethod
    def writes(cls) -> tuple[OutputOption, ...]:
        """Return the files that its command writes."""
        return cls.WRITES

    @classmethod
    def makes_action(cls, values: Mapping[str, Any]) -> bool:
        """Return whether options, by their names, ask for an action where one can be made or left out."""
        return True

    def outputs(self, wanted: Mapping[str, Path]) -> list[Output]:
        """Return what its command is to write. wanted: paths, by the names of :class:`OutputOption`.

        Raise UsageError for what it can't write.
        """
        return [
            Output(file.flag, wanted.get(file.name), file.endings, file.is_in_place) for file in self.writes()
        ]

    @property
    def armature(self) -> str | None:
        """The armature that is meant, if the task itself names it."""
        return None

    @property
    @abc.abstractmethod
    def label(self) -> str:
        """What is asked for, for a reader."""

    def resolved(self, armature: str) -> Self:
        """Return the task with names of actions as the file has them. Raise InertiaError."""
        from ..blender.data import names

        return dataclasses.replace(self, settings=names.resolve_settings(self.settings, armature))

    @abc.abstractmethod
    def make(self, work: Work, *, bakes: bool) -> Done:
        """Do it. bakes: whether an action is to be written. Raise InertiaError with the file as it was."""

    def perform(self, work: Work, *, bakes: bool) -> Done:
        """Do the task by its method make, and add to its warnings and notes what keeps the armature from
        showing its action.

        These are drivers that fail or may not run and, unless the settings have strips on, NLA tracks that
        show through. They are added both to values["warnings"] and to the notes of the Done that is returned,
        each sentence once; without any it is the Done of make itself. Nothing is added if work.armature is
        None. bakes: whether an action is to be written. Whatever make raises gets through, mostly
        InertiaError.
        """
        from ..blender.evaluation import hindrances

        done = self.make(work, bakes=bakes)
        if work.armature is None:
            return done
        warnings, notes = list(done.values.get("warnings", ())), list(done.notes)
        # strips lie on the tracks below as they are
        is_layer = not dataclasses.asdict(self.settings).get("strips", False)
        for text in map(str, hindrances.describe(work.armature, above_tracks=is_layer)):
            warnings += [text] * (text not in warnings)
            notes += [text] * (text not in notes)
        if notes == list(done.notes) and warnings == list(done.values.get("warnings", ())):
            return done
        return dataclasses.replace(done, values={**done.values, "warnings": warnings}, notes=tuple(notes))

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return lines on what came of it. values: of :class:`Done`; "output" is the file that was
        written.
        """
        return []

    @staticmethod
    def messages(values: dict[str, Any]) -> list[str]:
        """Return what a command says of it as messages, whether or not its result is asked for as JSON."""
        return []

    def places(self) -> dict[str, str]:
        """Return where the files are that it reads beside the inputs, by what its result calls them."""
        return {}

    def event(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return what an event of a batch says of it. values: of :class:`Done`."""
        return {**{name: values[name] for name in self.EVENT}, **verdict_of(values)}

    def summary(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return what the summary of a batch says of it: the values named in SUMMARY and the verdict's
        sentences, or, with None, the settings and all values. Reports of earlier versions lack some of it.
        """
        if self.SUMMARY is None:
            return {"settings": self.settings.as_dict(), **values}
        return {**{name: values[name] for name in self.SUMMARY if name in values}, **verdict_of(values)}

    def placeless(self) -> Self:
        """Return the task with files by their names alone: where they are does not count."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """Return what the task is known by, as JSON values."""
        return {**fields.to_json(self), "settings": self.settings.as_dict()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the task of which :meth:`as_dict` made these values."""
        records = {"settings": cls.SETTINGS, **cls.NESTED}
        held = {
            name: record.from_dict(values[name])
            for name, record in records.items()
            if values[name] is not None
        }
        return cls(**{**fields.from_json(cls, values), **held})


def transition_of(values: Mapping[str, Any], **defaults: Any) -> TransitionSettings:
    """Return the TransitionSettings that options stand for.

    values: by option name; they go before defaults, and names that are no settings are ignored. Without a
    method, half_life means SPRING and extrapolation_half_life DEAD_BLENDING. Raise UsageError for half_life
    or extrapolation_half_life with another method, for blend_frames with SPRING, and for values that are out
    of range or don't go together.
    """
    settings = methods.completed(fields.parsed(TransitionSettings, {**defaults, **values}))
    foreign = methods.foreign(settings, settings.get("method"))
    if "half_life" in foreign:
        method = fields.spoken(settings["method"])
        raise UsageError(f"--half-life is for --method spring; {method} takes --blend-frames.")
    if "blend_frames" in foreign:
        raise UsageError("--blend-frames is for the other methods; spring takes --half-life.")
    if "extrapolation_half_life" in foreign:
        raise UsageError("--extrapolation-half-life is for --method dead-blending.")
    with misused():
        return TransitionSettings(**settings)


@contextlib.contextmanager
def misused() -> Iterator[None]:
    """Raise what options can't ask for as a UsageError."""
    try:
        yield
    except InertiaError as error:
        raise UsageError(str(error)) from error


def usual_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return, by name, the values that commands give to settings whose option is not given, where these
    differ from the record's defaults.

    values: the options that were given, by name; of these only "destination_frame" counts: with it "enter_at"
    is left out, as that would choose another frame.
    """
    usual = fields.list_requests(TransitionSettings)
    if "destination_frame" in values:
        del usual["enter_at"]
    return usual


def check_strips(*, strips: bool, output: Path | None) -> None:
    """Raise UsageError for strips in a file that can hold none."""
    if strips and output is not None and output.suffix.lower() != ".blend":
        raise UsageError("Only a .blend file holds strips of the NLA; write one, or leave --strips out.")


@record(frozen=True)
class ClipTask(Task):
    """What is done with one action of an armature.

    HIDDEN: the settings that neither commands nor specs have by these names. SEARCH: how it finds what it
    works on. REPORTS: whether it writes what it tells into a file, and PLAYS: whether a page that plays it.
    IN_SPECS: how specs ask for it. STEM: the usual name of what is written, with the action's in braces.

    BAKES: whether it writes an action: always, never, or where it is asked to (None). LISTS: whether specs
    may have what it tells as a file. COUNTS_JOINTS: whether some joints count. OF_RESULTS: whether it is
    about what Inertia has made, which "all" means in specs then.
    """

    HIDDEN: ClassVar[Collection[str]] = ()
    SEARCH: ClassVar[Searching | None] = None
    GATES: ClassVar[tuple[str, ...] | None] = ()
    REPORTS: ClassVar[bool] = False
    PLAYS: ClassVar[bool] = False
    IN_SPECS: ClassVar[InSpecs]
    STEM: ClassVar[str]
    BAKES: ClassVar[bool | None] = True
    LISTS: ClassVar[bool] = False
    COUNTS_JOINTS: ClassVar[bool] = False
    OF_RESULTS: ClassVar[bool] = False

    @classmethod
    def asks(cls) -> tuple[AskedSettings, ...]:
        """Return what the command asks for, in order: the settings without the hidden ones, those of the
        search without its range, the task's own fields, and the joints that count; each group only where the
        class has it.
        """
        searching = (
            () if cls.SEARCH is None else (AskedSettings(cls.SEARCH.record, hidden=("first", "last")),)
        )
        settings = AskedSettings(cls.SETTINGS, hidden=cls.HIDDEN, optional=())
        of_task = AskedSettings(cls)
        return (settings, *searching, *[of_task] * bool(of_task.settings()), *[JOINTS] * cls.COUNTS_JOINTS)

    @classmethod
    def writes(cls) -> tuple[OutputOption, ...]:
        """Return the files that its command writes: the result if it bakes, then a report and a page if it
        has them.
        """
        action = () if cls.BAKES is False else (make_result_option(is_needed=bool(cls.BAKES)),)
        return (*action, *[REPORT] * cls.REPORTS, *[PAGE] * cls.PLAYS)

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Self:
        """Return the task that options or the fields of a spec ask for.

        Raise InertiaError if they don't go together.
        """
        return cls(cls.SETTINGS(**fields.parsed(cls.SETTINGS, values)))

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Self:
        """Return the task that a command's options ask for. Raise UsageError, for what a spec can't say,
        too.
        """
        with misused():
            return cls.of_values(values)

    @property
    def label(self) -> str:
        """What is asked for, for a reader."""
        return f"{self.KIND} of {self.settings.action}"

    @property
    def stem(self) -> str:
        """The usual name of what is written, with the action's in braces."""
        return self.STEM
