# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties by their data paths, those that a user or a rig has added among them.

A custom property is read from what holds it: resolved as a path, a number whose values have names would
be a name, which can't be written back.
"""

from __future__ import annotations

import re
from typing import Any

import bpy

from . import rig

UNLIMITED = 1e6
"""What spans more was never limited by anybody."""
_CUSTOM = re.compile(r'(.*)\["((?:[^"\\]|\\.)*)"\]$', re.DOTALL)


def find(owner: Any, path: str) -> tuple[Any, str, bool]:
    """Return what holds a property, the property's name there, and whether it is a custom one.

    owner: a data-block, or the object that is carried where the path begins with a carrier's prefix, see
    :func:`rig.split_holder`. path: a data path from it. A custom property is named unescaped, to be read as
    ``holder[name]``; any other as an attribute. Raise LookupError if there is no such property, or its
    carrier is gone.
    """
    prefix, _, inner = rig.split_holder(path)
    if prefix:
        owner, path = rig.holder_of(owner, path), inner
        if owner is None:
            raise LookupError(path)
    custom = _CUSTOM.match(path)
    holder_path, name = custom.groups() if custom else path.rpartition(".")[::2]
    try:
        if custom is None:
            owner.path_resolve(path)
        holder = owner.path_resolve(holder_path) if holder_path else owner
        if custom is not None:
            name = bpy.utils.unescape_identifier(name)
            holder[name]
    except (ValueError, TypeError) as error:  # so Blender says that there is none, or that none can be
        raise LookupError(path) from error
    return holder, name, custom is not None


def read(owner: Any, path: str) -> Any | None:
    """Return the value of a property by its data path, an array as a tuple; None where there is no such
    property.

    Texts and sets (of an enum flag) are returned as they are. A choice gives its identifier, a custom one its
    number.
    """
    try:
        holder, name, custom = find(owner, path)
    except LookupError:
        return None
    value = holder[name] if custom else holder.path_resolve(name)
    return value if isinstance(value, str | set) or not hasattr(value, "__len__") else tuple(value)


def write(owner: Any, path: str, value: Any) -> None:
    """Set a property, in place, to a value.

    value: an array's as a tuple of as many numbers, a choice's as its identifier, a custom choice's as its
    number. A tuple is written into a custom array, which keeps its kind of numbers; any other value replaces
    a custom property's. After a change of a custom property, nothing is tagged for an update here. Raise
    LookupError where there is no such property, and whatever Blender raises where it refuses the value.
    """
    holder, name, custom = find(owner, path)
    if not custom:
        setattr(holder, name, value)
    elif isinstance(value, tuple):
        holder[name][:] = value  # a new array would be of another kind of numbers
    else:
        holder[name] = value


def animate(owner: Any, path: str, index: int, value: float) -> None:
    """Set a property, or one number of it, to what an F-curve says, as Blender's own animation does.

    index: the element of an array (IndexError beyond its end), ignored otherwise. A choice is set by its
    number, rounded; a whole number or a switch gets the value rounded. No key is made. Raise LookupError
    where there is no such property, or no choice of that number, and whatever Blender raises where it
    refuses.
    """
    holder, name, custom = find(owner, path)
    prop = None if custom else holder.bl_rna.properties[name]
    now = holder[name] if custom else getattr(holder, name)
    if prop is not None and prop.type == "ENUM":
        names = {item.value: item.identifier for item in prop.enum_items}
        setattr(holder, name, names[round(value)])
    elif hasattr(now, "__len__") and not isinstance(now, str):
        now[index] = _as(now[index], value)
    elif custom:
        holder[name] = _as(now, value)
    else:
        setattr(holder, name, _as(now, value))


def _as(now: Any, value: float) -> bool | int | float:
    """Return a number as the kind of number that stands there now."""
    return type(now)(round(value)) if isinstance(now, bool | int) else value


def limits(owner: Any, path: str) -> tuple[float, float]:
    """Return the (least, greatest) value that a number is offered in panels: its soft limits.

    (0.0, 1.0) for a switch or choice, and where the limits span a million or more, as nobody has set them.
    Those of a custom property are the hard ones. Raise LookupError where there is no such property, and
    whatever Blender raises for a custom one without settings.
    """
    holder, name, custom = find(owner, path)
    if not custom:
        prop = holder.bl_rna.properties[name]
        least, most = (prop.soft_min, prop.soft_max) if prop.type in ("FLOAT", "INT") else (0.0, 1.0)
    else:
        settings = holder.id_properties_ui(name).as_dict()
        least, most = settings.get("min", 0.0), settings.get("max", 1.0)
    return (least, most) if most - least < UNLIMITED else (0.0, 1.0)
