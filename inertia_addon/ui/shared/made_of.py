# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's properties made of settings, and their values in the settings' units.

A setting has a property where it has a name for one. Angles are radians there, as all of Blender's are.
"""

from __future__ import annotations

import csv
import functools
import io
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...blender.data import compat
from ...errors import InertiaError
from ...settings import fields
from ..translations import OWN_CONTEXT
from . import cache

if TYPE_CHECKING:
    from ...settings.fields import Range, Setting

OPTIONS = {"SKIP_SAVE"}
"""Not animatable; and an operator starts from the object's settings, not from its last run."""
OVERRIDE = {"LIBRARY_OVERRIDABLE"}
"""A linked character's library override must be able to hold settings of its own."""
KEPT: dict[str, Any] = {"options": OPTIONS, "override": OVERRIDE}
"""What all that an object remembers has in common."""
IN_OTHER_SENSES = {
    *("Begin", "Close", "Continue", "Curve", "Cut", "Cycles", "Direction", "Distance", "End", "Extrapolate"),
    *("Fade", "Feet", "First", "Give Way", "Ground", "Height", "Last", "Method", "On", "Origin", "Pose"),
    *("Release", "Repeat", "Run (m/s)", "Slow (m/s)", "Speed", "Turn", "Turns", "Walk (m/s)"),
}
"""Names of settings that Blender's own interface has in another sense, and translates so."""
INSERTION = {*OVERRIDE, "USE_INSERTION"}
"""A library override's list can be added to; what it has from the linked file stays in it."""


def redraw(_own: Any, _context: Any) -> None:
    """Show what has changed, and have what depends on it searched: an update of properties."""
    cache.redraw()


def make_property(kind: Any, name: str, tip: str, **more: Any) -> Any:
    """Return a property of a kind that an object remembers."""
    return kind(name=name, description=tip, **KEPT, **more)


def a_file(name: str, tip: str, **more: Any) -> Any:
    """Return a property for a path that an object remembers; "//" begins one relative to the .blend file."""
    common = {**KEPT, "options": OPTIONS | compat.options_of_path()}
    return StringProperty(name=name, description=tip, subtype="FILE_PATH", **common, **more)


def plain(kind: Any, name: str, tip: str, **more: Any) -> Any:
    """Return a property that an operator does not remember from its last run, or that no override may set."""
    return kind(name=name, description=tip, options=OPTIONS, **more)


def an_action(name: str, tip: str, **more: Any) -> Any:
    return PointerProperty(name=name, description=tip, type=bpy.types.Action, override=OVERRIDE, **more)


def a_frame(name: str, tip: str, **more: Any) -> Any:
    """Return a property for a frame of the scene or of an action that an object remembers."""
    return make_property(FloatProperty, name, tip, **limits_of(fields.FRAME), **more)


def list_of(group: type, name: str, tip: str) -> Any:
    """Return a list of property groups that an object remembers."""
    return CollectionProperty(name=name, description=tip, type=group, override=INSERTION)


def limits_of(allowed: Range, factor: float = 1.0) -> dict[str, float]:
    """Return a range as arguments of Blender's properties: min and max, and soft_min and soft_max, a
    slider's; what the range leaves open is left out.

    factor: from the range's unit to the property's.
    """
    values = {
        "min": allowed.least,
        "max": allowed.most,
        "soft_min": allowed.soft_least,
        "soft_max": allowed.soft_most,
    }
    kind = int if allowed.whole else float
    return {name: kind(value * factor) for name, value in values.items() if value is not None}


def multiplier(allowed: Range) -> dict[str, Any]:
    """Return the options of a property that multiplies something, and is 1 unless it is set."""
    return {"default": 1.0, **limits_of(allowed), "step": 5, "precision": 2}


def names(record: Any) -> tuple[str, ...]:
    """Return the settings of a record that have properties."""
    return tuple(setting.field for setting in fields.settings(record).values() if setting.name)


def properties(
    record: Any,
    more: dict[str, dict[str, Any]] | None = None,
    only: Iterable[str] | None = None,
    **common: Any,
) -> Callable[[type], type]:
    """Return a class decorator that adds, as annotations, a Blender property for each setting of a record
    that has a name for one.

    A setting that may be None gets a switch ``use_NAME`` as well. more: further options of single properties,
    by the settings' names. only: the names of the settings that get a property; None for all. common:
    options of all properties. Settings with a name of earlier versions are stored under
    it, and also reached by the new one.
    """

    def give(cls: type) -> type:
        for name in names(record) if only is None else only:
            setting = fields.settings(record)[name]
            if setting.switch:
                label, tip = setting.switch
                options = {**KEPT, **common}
                cls.__annotations__[f"use_{name}"] = BoolProperty(name=label, description=tip, **options)
            options = {**keywords(setting), **common, **(more or {}).get(name, {})}
            cls.__annotations__[setting.stored] = _kind(setting)(**options)
            if setting.former:
                setattr(cls, name, _alias(setting.former))
        return cls

    return give


def _alias(stored: str) -> property:
    """Return a property by which scripts reach one that Blender's files keep under an earlier version's
    name.
    """
    return property(lambda group: getattr(group, stored), lambda group, value: setattr(group, stored, value))


def _kind(setting: Setting) -> Any:
    if setting.items:
        return EnumProperty
    if isinstance(setting.default, bool):
        return BoolProperty
    if setting.range is None:
        return StringProperty
    return IntProperty if setting.range.whole else FloatProperty


def keywords(setting: Setting) -> dict[str, Any]:
    """Return the options for the Blender property of a setting, in a new dict.

    There are always "name", "description" (the setting's tip), "options" ({"SKIP_SAVE"}, so that it can't be
    animated and operators don't remember it), "override" and, unless ``shown`` takes its place, "default".
    "translation_context" is there for names that Blender uses in another sense.

    A setting with choices has "items", and its ``usual`` as default. One with a range has "min" and "max"
    and, where it has them, "soft_min" and "soft_max"; its default is ``usual`` if that is a number, else
    ``start``, else 0. Angles (a range in degrees) have these in radians, and "subtype": "ANGLE". Any other
    setting has its own default. ``shown``, what the setting says of how it is shown, comes last and overrides
    all.
    """
    options = {"name": setting.name, "description": setting.tip, **KEPT}
    if setting.name in IN_OTHER_SENSES:
        options["translation_context"] = OWN_CONTEXT
    if setting.items:
        options |= {"items": setting.items, "default": setting.usual}
    elif setting.range is None:
        options["default"] = setting.default
    else:
        factor = math.radians(1.0) if _is_angle(setting) else 1
        default = setting.usual if isinstance(setting.usual, int | float) else setting.start
        options |= limits_of(setting.range, factor)
        options["default"] = (default or 0) * factor
    if _is_angle(setting):
        options["subtype"] = "ANGLE"
    return {**options, **setting.shown}


def _is_angle(setting: Setting) -> bool:
    return setting.range is not None and setting.range.unit == "degrees"


def values_of(data: Any, record: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the values of some settings by name, in the record's units, from a property group or an
    operator.

    None for a setting whose switch is off. Angles become degrees; numbers are rounded to the decimals of the
    setting's range, as Blender keeps 0.1 as 0.10000000149.
    """
    values = {}
    for name, switch, decimals, is_angle in _reads(record, tuple(names)):
        value = getattr(data, name) if switch is None or getattr(data, switch) else None
        if decimals is not None and isinstance(value, float):
            value = round(math.degrees(value) if is_angle else value, decimals)
        values[name] = value
    return values


@functools.cache
def _reads(record: Any, names: tuple[str, ...]) -> tuple[tuple[str, str | None, int | None, bool], ...]:
    """Return for each named setting how it is read: the property's name, its switch's name or None, the
    decimals of a number or None, and whether it is an angle. It is kept for the session.
    """
    reads = []
    for setting in (fields.settings(record)[name] for name in names):
        switch = f"use_{setting.field}" if setting.switch else None
        decimals = None if setting.range is None else setting.range.decimals
        reads.append((setting.field, switch, decimals, _is_angle(setting)))
    return tuple(reads)


def rounded(data: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return, by name, values of a property group or an operator, floats rounded to six decimals: of 0.1
    Blender keeps 0.10000000149.
    """
    values = {name: getattr(data, name) for name in names}
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in values.items()}


def of_assigned(armature: Any, group: str, record: Any, **more: Any) -> Any:
    """Return the settings of a record that an armature's properties ask for, of the assigned action.

    group: the object's property group. record: a class with action, library ("" for an action of this file)
    and slot, which are those that are assigned. more: values by the settings' names that replace the
    properties'. Raise AssertionError without an assigned action, InertiaError for values that are out of
    range.
    """
    action, slot = compat.assigned(armature)
    assert action is not None
    library = action.library.filepath if action.library is not None else ""
    values = values_of(getattr(armature, group), record, names(record))
    return record(action.name, library, slot, **{**values, **more})


def put(data: Any, record: Any, name: str, value: Any) -> None:
    """Set one setting in a property group or an operator, given in the record's units: the inverse of
    :func:`values_of`.

    Angles are given in degrees and set in radians; anything else is set as it is. If the setting has a
    switch, a value turns it on and None turns it off; without a switch None changes nothing. Raise
    InertiaError, before anything is set, for a number out of range, which a file may hold: Blender would take
    the nearest.
    """
    fields.check(record, name, value)
    setting = fields.settings(record)[name]
    if setting.switch:
        setattr(data, f"use_{name}", value is not None)
    if value is not None:
        setattr(data, name, math.radians(value) if _is_angle(setting) else value)


def start_from(operator: Any, group: Any, record: Any, names: Iterable[str]) -> None:
    """Set an operator's properties that were not given to the values that an object's group has, so that a
    redo starts from all of them.

    group: the object's group. A setting counts as given if it or its switch is. Raise InertiaError for a
    stored number out of range.
    """
    for name, value in values_of(group, record, names).items():
        switch = [f"use_{name}"] if fields.settings(record)[name].switch else []
        if not any(map(operator.properties.is_property_set, [name, *switch])):
            put(operator, record, name, value)


def names_to_text(names: Iterable[str]) -> str:
    """Join names to comma separated text; a name that holds a comma is quoted."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(list(names))
    return line.getvalue()


def text_to_names(text: str) -> tuple[str, ...]:
    """Split a text of names at its commas: the inverse of :func:`names_to_text`; blanks don't matter."""
    rows = csv.reader([text], skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def scales_to_text(scales: Iterable[tuple[str, float]]) -> str:
    """Write (name, multiplier) pairs as text: the inverse of :func:`text_to_scales`."""
    return names_to_text(f"{name}={scale:.6g}" for name, scale in scales)


def text_to_scales(text: str) -> tuple[tuple[str, float], ...]:
    """Return the (name, multiplier) pairs of a text such as ``hand.L=0.5, head=2``, in order; () for a blank
    one.

    Entries are separated by commas; an entry with a comma in its name stands in double quotes. Blank entries,
    as behind a last comma, are skipped. The last equals sign of an entry counts, blanks around name and
    number don't. Any number is taken, whatever its range, inf and nan among them, and an empty name; a name
    may come twice. Raise InertiaError, which names the entry, for one without equals sign or number.
    """
    scales = []
    for entry in text_to_names(text):
        name, equals, number = entry.rpartition("=")
        try:
            scales.append((name.strip(), float(number)))
        except ValueError:
            equals = ""
        if not equals:
            raise InertiaError(
                '"{entry}" is not a blend scale; write bone=number, such as hand.L=0.5.', entry=entry
            )
    return tuple(scales)
