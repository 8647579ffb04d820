# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a setting, stated once on the field of the record that holds it.

    half_life: float = setting(0.1, HALF_LIFE, "the time in which ...", name="Half-life", tip="...")

The command line's options, the fields of specs and Blender's properties are made of it; so is :func:`check`,
which refuses any other value in a sentence that names the setting, the value and what it takes.

Here, too, is which numbers a setting takes, and the ranges that settings of several features share.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Self

from ..errors import InertiaError, Sentence
from ..records import record, stated_fields

SETTING = "setting"
"""Where a field's metadata hold it."""

Items = tuple[tuple[str, str, str] | tuple[str, str, str, int], ...]
"""Choices: value, label, tooltip, and what Blender's files store where that is not its place."""


@record(frozen=True)
class Setting:
    """A setting, with all that is said of it.

    takes: numbers, or choices; None for names and switches. help: on the command line and in specs, without
    the default, which is added but where the text itself says it. key: its name there, and flag its option,
    where these are not the field's. metavar: what stands for the value. count: how many values a list takes,
    where that is fixed. off: the help of the option that switches it off. group: the title that it is listed
    under. label: what a sentence calls it. reads: whether it names a file that is read. former: its field in
    earlier versions, under which Blender's files keep it, and which options, specs and records take as well.
    came_later: whether records told nothing of it before; where it is at its default they still do not, so
    that a batch knows what earlier versions did. asked: what the panel, commands and specs ask for where
    nothing is named; None for the default, which is what earlier versions did.

    Of Blender's property, which it has where it has a name: name, tip: its label and tooltip; without a tip
    the help is it. shown: what else the property is told. switch: the name and the tooltip of the property
    that says whether it is set, where it may be None; and start: what it holds where there is no default.

    Of where it is drawn (`ui/shared/forms.py`): icon: before its value. apart: whether space is left above
    it. unset: what stands for its value while it is switched off. goes_with: the name of another property,
    and the values of that with which it counts; any but an empty one where none is named.
    """

    field: str
    default: Any
    kind: str
    takes: Range | Items | None
    help: str
    key: str = ""
    flag: str = ""
    metavar: str | tuple[str, ...] | None = None
    count: int = 0
    off: str = ""
    group: str = ""
    label: str = ""
    name: str = ""
    tip: str = ""
    reads: bool = False
    switch: tuple[str, str] | None = None
    start: float | None = None
    former: str = ""
    came_later: bool = False
    asked: str | float | None = None
    icon: str = "NONE"
    apart: bool = False
    unset: str = ""
    goes_with: tuple[Any, ...] = ()
    shown: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def range(self) -> Range | None:
        """The numbers that it takes, if it takes numbers."""
        return self.takes if isinstance(self.takes, Range) else None

    @property
    def items(self) -> Items:
        """The choices that it has, if it has any."""
        return self.takes if isinstance(self.takes, tuple) else ()

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of the choices."""
        return tuple(item[0] for item in self.items)

    def choice(self, word: str) -> str:
        """Return the choice that a word stands for in any form, see :func:`spoken`; else the word itself."""
        return {spoken(choice): choice for choice in self.choices}.get(spoken(word), word)

    @property
    def stored(self) -> str:
        """Blender's name of its property."""
        return self.former or self.field

    @property
    def usual(self) -> Any:
        """What the panel, commands and specs ask for where nothing is named."""
        return self.default if self.asked is None else self.asked

    @property
    def is_needed(self) -> bool:
        """Whether there is no default."""
        return self.default is dataclasses.MISSING

    @property
    def is_list(self) -> bool:
        """Whether it holds several values."""
        return isinstance(self.default, tuple)

    @property
    def has_pairs(self) -> bool:
        """Whether these are pairs of a name and a number."""
        return self.kind.startswith("tuple[tuple[")

    def describe(self, spell: Callable[[str], str] = str) -> str:
        """Return the help with " (default: ...)" behind it.

        The value named is `usual`: what is asked for where nothing is named, which may differ from the
        default. The help comes alone if it has "(default: " in it, if the setting takes neither numbers nor
        choices, or if its default is no text or number. spell: turns a choice into how it is written there;
        numbers are written with up to six digits.
        """
        if "(default: " in self.help or not self.takes or not isinstance(self.default, str | int | float):
            return self.help
        default = self.usual
        default = spell(default) if isinstance(default, str) else f"{default:g}"
        return f"{self.help} (default: {default})"


def setting(
    default: Any = dataclasses.MISSING, takes: Range | Items | None = None, help: str = "", **stated: Any
) -> Any:
    """Return a dataclass field that holds a setting; all that is stated of it is a dict in its metadata,
    under the key SETTING.

    default: without one the field must be given. takes: a range of numbers, or choices (value, label,
    tooltip); None for names and switches. help: for the command line and specs. stated: any other field of
    :class:`Setting`, such as ``name`` or ``label``; names that it does not have are passed on to Blender's
    property, in the dict under "shown".

    Nothing is checked here. A :class:`Record` with the field checks its value when it is made: against the
    choices, or against the range for a number, for all numbers of a tuple, and for those of (name, number)
    pairs; None passes a range only where it is the default.
    """
    shown = {name: stated.pop(name) for name in [*stated] if name not in Setting.__annotations__}
    metadata = {SETTING: {"takes": takes, "help": help, "shown": shown, **stated}}
    return dataclasses.field(default=default, metadata=metadata)


def again(record: Any, name: str, **stated: Any) -> Any:
    """Return a field that another record has, too. stated: what is said otherwise of it here."""
    field = stated_fields(record)[name]
    metadata = {SETTING: {**field.metadata[SETTING], **stated}}
    return dataclasses.field(default=field.default, metadata=metadata)


@functools.cache
def settings(record: Hashable) -> Mapping[str, Setting]:
    """Return the settings of a record's class, by their fields' names."""
    assert isinstance(record, type)
    return {
        name: _completed(field) for name, field in stated_fields(record).items() if SETTING in field.metadata
    }


def _completed(field: dataclasses.Field[Any]) -> Setting:
    """Return the setting that a field states, with what it leaves out filled in from name, range and help.

    The key is the field's name, and the label that name with spaces for underscores. The flag is "--", or
    "--no-" if `off` is stated, and the key with hyphens. The metavar is the range's unit in capitals, or
    None. `shown` is the range's, with what the field itself states over it. The tip is made of the help, by
    :func:`tip_of`, if Blender's property has a name; else it is "".
    """
    stated, name = field.metadata[SETTING], field.name
    takes, key = stated["takes"], stated.get("key") or name
    unit, shown = (takes.unit, takes.shown) if isinstance(takes, Range) else ("", {})
    implied = {
        "key": key,
        "shown": {**shown, **stated["shown"]},
        "flag": stated.get("flag") or ("--no-" if stated.get("off") else "--") + key.replace("_", "-"),
        "metavar": stated.get("metavar") or unit.upper() or None,
        "label": stated.get("label") or name.replace("_", " "),
        "tip": stated.get("tip") or (tip_of(stated["help"]) if stated.get("name") else ""),
    }
    return Setting(name, field.default, str(field.type), **{**stated, **implied})


def tip_of(help: str) -> str:
    """Return the tooltip of a setting that has none of its own: its help as a sentence, without a default."""
    return help[:1].upper() + help[1:].partition(" (default: ")[0]


def list_requests(record: Any) -> dict[str, Any]:
    """Return what the panel, commands and specs ask for where nothing is named, by the names of the fields of
    which that is not the default."""
    return {name: each.asked for name, each in settings(record).items() if each.asked is not None}


def range_of(record: Any, name: str) -> Range:
    """Return the range of numbers that a record's field takes."""
    allowed = settings(record)[name].range
    assert allowed is not None
    return allowed


class Record:
    """What all frozen records of settings have in common, which are made of fields by :func:`setting`.

    NESTED: the fields that are such records themselves.
    """

    NESTED: ClassVar[Mapping[str, type[Record]]] = {}

    def __post_init__(self) -> None:
        """Raise InertiaError for the first value that its field does not take: choices of all fields first,
        then numbers. Texts and switches are not checked.
        """
        record: Any = type(self)
        chosen, counted = _checked(record)
        for name, each in chosen:
            value = getattr(self, name)
            if value not in each.choices:
                raise InertiaError(
                    "{field} is {value!r}; choose one of {allowed}.",
                    field=name,
                    value=value,
                    allowed=", ".join(map(spoken, each.choices)),
                )
        for name, each in counted:
            _check_numbers(each, getattr(self, name))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON values by the fields' names, for recipes, reports and spec files;
        nested records as dictionaries, too.

        Tuples become lists, and tuples of (name, number) pairs a dictionary. Settings marked ``came_later``
        are left out where they are at their default.
        """
        record: Any = type(self)
        values = to_json(self)
        for name in self.NESTED:
            values[name] = getattr(self, name).as_dict()
        for name, each in settings(record).items():
            if each.has_pairs:
                values[name] = dict(values[name])
            if each.came_later and getattr(self, name) == each.default:
                del values[name]
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the record of which :meth:`as_dict` made these values.

        Raise InertiaError for an unknown field.
        """
        nested = {name: record.from_dict(values[name]) for name, record in cls.NESTED.items()}
        return cls(**from_json(cls, values) | nested)


def check(record: Any, name: str, value: object) -> None:
    """Raise InertiaError for the first number of a value that a record's field does not take.

    record: the class. value: a number; of lists and pairs every number counts. Fields that take no range, and
    None where it is the default, pass.
    """
    _check_numbers(settings(record)[name], value)


def _check_numbers(stated: Setting, value: object) -> None:
    """Raise InertiaError for the first number of a value that a setting's range does not hold.

    stated: the setting. value: a number; for a list a tuple of numbers, or of (name, number) pairs, whose
    message names the pair; a lone number is taken for a list, too. Nothing is checked for a setting without a
    range, such as a choice, nor is None where it is the default.
    """
    if stated.range is None or (value is None and stated.default is None):
        return
    numbers = value if stated.is_list and isinstance(value, tuple) else (value,)
    for entry in numbers:
        # a pair's name tells its number from the field's others
        within, number = entry if stated.is_list and isinstance(entry, tuple) else ("", entry)
        if not stated.range.holds(number):
            label = Sentence(stated.label + ' of "{name}"', name=within) if within else stated.label
            stated.range.check(label, number)


@functools.cache
def _checked(record: Hashable) -> tuple[list[tuple[str, Setting]], list[tuple[str, Setting]]]:
    """Return the settings of a record's class that are choices, and those that are numbers: records are made
    by the thousand, and most settings are neither."""
    each = settings(record).items()
    return [(name, one) for name, one in each if one.items], [
        (name, one) for name, one in each if one.range is not None
    ]


def from_json(record: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values by the names of a record's fields, with lists and tables as the tuples that it
    holds.

    record: the class. values: by the fields' names; former names are taken, too, unless the present name is
    there. A choice may be written as the record has it or as specs do ("POSITION_HEADING",
    "position-heading"), in any case; other texts stay. A list becomes a tuple, and so do those in it. A dict
    becomes a tuple of (name, value) pairs whose values stay as they are; so does one of a nested record,
    which is not read. Whether values are allowed is not looked at, and fields that are missing stay so. Raise
    InertiaError for the first, by the alphabet, of the names that are no field's, a former one beside the
    present one among them.
    """
    names = {field.name for field in dataclasses.fields(record)}
    values = renamed(record, values)
    for name in sorted(set(values) - names):
        raise InertiaError(
            "Unknown setting {unknown!r}; the settings are {known}.",
            unknown=name,
            known=", ".join(sorted(names)),
        )
    chosen = {name: each for name, each in settings(record).items() if each.items}
    return {
        name: chosen[name].choice(value) if isinstance(value, str) and name in chosen else _tuples(value)
        for name, value in values.items()
    }


def renamed(record: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the present names of a record's settings; given may be those of earlier versions. A
    former name stays where the present one is given, too.
    """
    now = {each.former: each.key for each in settings(record).values() if each.former}
    return {name if now.get(name, name) in values else now.get(name, name): values[name] for name in values}


def to_json(record: Any) -> dict[str, Any]:
    """Return a record's values, and those of the records in it, as JSON has them: lists in place of
    tuples.
    """

    def listed(values: list[tuple[str, Any]]) -> dict[str, Any]:
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values}

    return dataclasses.asdict(record, dict_factory=listed)


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(value.items())
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value


def parsed(record: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values, by the settings' names on the command line or in specs, by the names of a record's
    fields.

    record: the class. values: by the settings' `key`. Names that it does not have are left out, former names
    among them, and settings that are not given stay so. A choice is a text, which may be written as the
    command line does; a text that is none of the choices stays. A list becomes a tuple, and so does one value
    that stands for a list of one. A number becomes an int for a setting of whole numbers, its fraction cut
    off, else a float; numbers in pairs stay as they are. Whether values are allowed is not looked at.

    Raise ValueError or TypeError for what is no number, None among it, where the setting has a range, and
    OverflowError where that is of whole numbers and the value is infinite.
    """
    converted = {}
    for each in settings(record).values():
        if each.key not in values:
            continue
        value = values[each.key]
        if each.items:
            value = each.choice(value)
        elif each.is_list:
            value = tuple(value) if isinstance(value, list | tuple) else (value,)
        if each.range is not None and not each.has_pairs:
            kind = int if each.range.whole else float
            value = tuple(map(kind, value)) if each.is_list else kind(value)
        converted[each.field] = value
    return converted


def spoken(choice: str) -> str:
    """Write a choice as the command line and specs do; both take any case, and underscores, too."""
    return choice.lower().replace("_", "-")


def worded(record: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values by the names of a record's fields, with choices as specs have them."""
    chosen = {name for name, each in settings(record).items() if each.items}
    return {name: spoken(value) if name in chosen else value for name, value in values.items()}


@record(frozen=True)
class Range:
    """The numbers from ``least`` to ``most``, these two included.

    unit: of the numbers, in words. whole: whether there is nothing between 1 and 2. soft_least, soft_most: as
    far as a slider goes; typed numbers may go further. decimals: as many are kept of what Blender's
    properties hold, where 0.1 is 0.10000000149. shown: what else these are told, unless a setting says so.
    """

    least: float
    most: float
    unit: str = ""
    whole: bool = False
    soft_least: float | None = None
    soft_most: float | None = None
    decimals: int = 6
    shown: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)

    def holds(self, value: object) -> bool:
        """Tell whether something is one of these numbers."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return self.least <= value <= self.most and not (self.whole and value != math.floor(value))

    def check(self, label: str, value: object) -> None:
        """Raise InertiaError, in a sentence about ``label``, unless a number is one of these."""
        if not self.holds(value):
            raise InertiaError(
                "The {label} is {value}; give {allowed}.",
                label=label,
                value=spoken_value(value),
                allowed=self.words,
            )

    @property
    def words(self) -> str:
        """Return a part of a sentence that says which numbers are taken, such as "a whole number of frames
        from 0 to 12".

        Both ends belong to it. Without a unit, " of frames" is left out; for numbers that need not be whole,
        "whole" is: "a number from 0 to 12".
        """
        ends = {"least": spoken_value(self.least), "most": spoken_value(self.most)}
        if self.unit and self.whole:
            return Sentence("a whole number of {unit} from {least} to {most}", unit=self.unit, **ends)
        if self.unit:
            return Sentence("a number of {unit} from {least} to {most}", unit=self.unit, **ends)
        if self.whole:
            return Sentence("a whole number from {least} to {most}", **ends)
        return Sentence("a number from {least} to {most}", **ends)


def spoken_value(value: object) -> str:
    """Return a value as a sentence shows it: an int of fewer than 16 digits in full, any other number with
    seven digits at most.

    A text or a switch is as Python writes it, such as 'Walk' or True; anything else, None among it, is "no
    number".
    """
    if isinstance(value, str | bool):
        return repr(value)
    if not isinstance(value, int | float):
        return "no number"
    if isinstance(value, int) and abs(value) < 10**15:
        return str(value)
    try:
        return f"{value:.7g}"
    except OverflowError:
        # a whole number beyond what a float holds
        return f"{'-' * (value < 0)}1e+{int(math.log10(abs(value)))}"


SHOWN_FRAME: dict[str, Any] = {"step": 100, "precision": 2}
"""How Blender's properties show frames."""
SHOWN_TIME: dict[str, Any] = {"unit": "TIME_ABSOLUTE", "step": 1, "precision": 3}
"""Likewise short times in seconds."""
IN_TENTHS: dict[str, Any] = {"step": 10, "precision": 2}
IN_HUNDREDTHS: dict[str, Any] = {"step": 1, "precision": 3}
WHOLE_FRAMES: dict[str, Any] = {"step": 100, "precision": 1}
"""Likewise what is dragged in such steps."""

FRAME = Range(-1_048_574, 1_048_574, decimals=4, shown=SHOWN_FRAME)
"""A frame of the scene: Blender's own time goes as far."""
WHOLE_FRAME = Range(FRAME.least, FRAME.most, whole=True)
SPAN_FRAMES = Range(0, 1_048_574, "frames")
"""A number of frames."""
BLEND_FRAMES = Range(0.01, 100_000, "frames", soft_least=1, soft_most=60, decimals=4, shown=SHOWN_FRAME)
"""How long a blend takes: more than an hour of a film."""
HALF_LIFE = Range(0.001, 60, "seconds", soft_least=0.01, soft_most=1, shown=SHOWN_TIME)
TIME_SCALE = Range(0.01, 100, soft_least=0.25, soft_most=4, shown={"precision": 3})
"""How many times as long as it is keyed a clip takes."""
BLEND_SCALE = Range(0, 100, soft_most=4)
STEP = Range(0, 12, "frames", whole=True, soft_most=4)
PART = Range(0, 1, shown={"subtype": "FACTOR", "precision": 2})
"""How much of something counts."""
DISTANCE = Range(0, 100, "metres", shown={"step": 5, "precision": 2})
"""How far things stay apart."""
WEIGHT = Range(0, 1000, soft_most=2)
"""What a joint counts in costs."""
SKATE_WEIGHT = Range(0, 1000, "seconds", soft_most=2, shown=IN_TENTHS)
"""What a metre that planted feet skate counts in costs."""
SWITCH_VALUE = Range(-10_000, 10_000)
"""With which value a property shows FK or IK."""
ANGLE = Range(0, 3600, "degrees", soft_most=180, decimals=5)
LENGTH = Range(0, 10_000, "metres", soft_most=1, shown=IN_HUNDREDTHS)
TOLERANCE = Range(0, 45, soft_most=2, decimals=5, shown=IN_TENTHS)
"""How far a curve may go from what it stands for, in degrees and centimetres."""
WINDOW = Range(0, 60, "seconds", soft_most=2, shown={"step": 5, "precision": 2})
"""A window over which something is smoothed or held."""
KEEP_FRAMES = Range(SPAN_FRAMES.least, SPAN_FRAMES.most, "frames", soft_most=100, shown=WHOLE_FRAMES)
"""How much of the destination a search leaves."""
SEEN_TIME = Range(0, 60, "seconds", soft_most=2, shown=SHOWN_TIME)
"""How long a clip is seen by itself before or behind a transition."""
APART_FRAMES = Range(SPAN_FRAMES.least, SPAN_FRAMES.most, "frames", soft_most=50, shown=WHOLE_FRAMES)
"""How near pairs of frames are neighbours."""
CONTACT_SPEED = Range(0.001, 100, "leg lengths a second", soft_least=0.05, soft_most=1, shown=IN_HUNDREDTHS)
"""How fast a planted foot may be."""
CONTACT_HEIGHT = Range(0.001, 10, "leg lengths", soft_least=0.01, soft_most=0.2, shown=IN_HUNDREDTHS)
CONTACT_TIME = Range(0, 60, "seconds", soft_most=0.5, shown=SHOWN_TIME)
"""How long a contact is at least, or what parts two."""
RELEASE = Range(0.05, 5, "seconds", soft_least=0.1, soft_most=0.5, shown=SHOWN_TIME)
"""How long a foot takes from where it is held to its own path; less pops."""
LEG_PART = Range(0, 2, "leg lengths", soft_most=0.5, shown=IN_HUNDREDTHS)
TOE_HEIGHT = Range(0, 0.2, "leg lengths", soft_most=0.05, shown=IN_HUNDREDTHS)
STEP_HEIGHT = Range(0, 10, soft_most=3, shown=IN_TENTHS)
"""How high steps are, times as high as usual."""
GROUND_HEIGHT = Range(-10_000, 10_000, "metres", soft_least=-2, soft_most=2, shown=IN_HUNDREDTHS)
LISTED = Range(1, 10_000, whole=True, soft_most=50)
"""How many of the best to list, or which of them."""
LISTED_OR_NONE = Range(0, LISTED.most, whole=True)
CYCLES = Range(1, 1000, "cycles", whole=True, soft_most=20)
"""How many more cycles a result plays."""
JOBS = Range(1, 256, whole=True)
"""How many processes work at once."""
