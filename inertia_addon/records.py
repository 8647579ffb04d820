# SPDX-License-Identifier: GPL-3.0-or-later
"""Dataclasses whose methods are compiled when they are first needed.

Blender imports an extension whenever it starts. Python compiles the methods of a dataclass as its module is
imported: that took half of the time, and a session uses few of these classes.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = ["record", "stated_fields"]

_FIELDS = "__dataclass_fields__"
_COMPLETING = threading.RLock()

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:

    def record(cls: type | None = None, /, **options: bool) -> type | Callable[[type], type]:
        """Make a class a dataclass once it has an instance or its fields are looked at.

        options: those of ``dataclasses.dataclass`` but slots, which needs a new class.
        """
        return _Pending(cls, options).cls if cls else lambda each: _Pending(each, options).cls


def stated_fields(cls: type) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a dataclass by their names, those of its bases first, and compile nothing: of a
    record that is still to be compiled, only what is stated by ``dataclasses.field`` is a field already.
    """
    found: dict[str, dataclasses.Field[Any]] = {}
    for base in reversed(cls.__mro__):
        fields = vars(base).get(_FIELDS, {})
        found |= fields.stated if isinstance(fields, _Pending) else fields
    return found


class _Pending:
    """What stands for the fields of a class until these are looked at."""

    def __init__(self, cls: Any, options: dict[str, bool]) -> None:
        self.cls, self._options = cls, options
        self.stated = {
            name: value for name, value in vars(cls).items() if isinstance(value, dataclasses.Field)
        }
        for name, field in self.stated.items():
            field.name, field.type = name, cls.__annotations__[name]
            # a default is an attribute of the class, as of any dataclass
            if field.default is dataclasses.MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, field.default)

        def first(instance: Any, *values: Any, **named: Any) -> None:
            self._complete()
            cls.__init__(instance, *values, **named)

        cls.__init__ = first
        setattr(cls, _FIELDS, self)

    def __get__(self, instance: object, owner: type) -> dict[str, dataclasses.Field[Any]]:
        self._complete()
        fields: dict[str, dataclasses.Field[Any]] = getattr(self.cls, _FIELDS)
        return fields

    def _complete(self) -> None:
        with _COMPLETING:
            if vars(self.cls)[_FIELDS] is not self:
                return
            for name, field in self.stated.items():
                setattr(self.cls, name, field)
            delattr(self.cls, _FIELDS)
            dataclasses.dataclass(self.cls, **{**self._options, "init": False})
            # made of a subclass: threads that ask for instances meanwhile find an __init__, and wait in it
            names = {"__doc__": "", "__qualname__": self.cls.__qualname__}
            child: Any = type(self.cls.__name__, (self.cls,), names)
            options = {**self._options, "repr": False, "eq": False, "order": False}
            self.cls.__init__ = dataclasses.dataclass(child, **options).__init__
