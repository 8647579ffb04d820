# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that are read when they are first used: a start of Blender needs few of the extension's.

Once :func:`read_lazily` was called, ``from ..blender.hops import search`` only notes where the module lies,
and the first look into it, such as ``search.ranked``, reads it. ``from ..blender.hops.search import ranked``
looks into it at once. So what a start reads takes modules, and names only where it needs them to define what
it holds itself; types go below TYPE_CHECKING. And it has numpy from here, as Blender starts without it.
``tests/ui/test_start.py`` says which modules these are.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["is_read", "np", "read_contents", "read_lazily"]

_UNREAD = "__unread__"
"""Under which name a module that is still to be read holds what reads it."""
_WITHOUT_READING = {
    *("__class__", "__dict__", "__spec__", "__name__", "__package__", "__path__", "__file__", "__loader__"),
}
"""What is known of a module before it is read: Python asks for that when the module is imported again, and
Blender and others of all modules that there are."""
_READING = threading.RLock()


class LazyModule(ModuleType):
    """A module that is still to be read. What looks into it, from whichever thread, first has it read."""

    def __getattribute__(self, name: str) -> Any:
        names = object.__getattribute__(self, "__dict__")
        if name in _WITHOUT_READING:
            return ModuleType.__getattribute__(self, name)
        with _READING:
            loader = names.pop(_UNREAD, None)
            # while it is read it looks into itself, and there is none any more
            if loader is not None:
                try:
                    loader.exec_module(self)
                except BaseException:
                    names[_UNREAD] = loader
                    raise
                object.__setattr__(self, "__class__", ModuleType)
        return ModuleType.__getattribute__(self, name)


class _LazyLoader(Loader):
    """Puts off what another loader does.

    Python's own ``importlib.util.LazyLoader`` reads a package as soon as one of its modules is imported, and
    before Python 3.12.3 lets two threads read a module at once.
    """

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return LazyModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self._loader
        if type(module) is LazyModule:
            vars(module)[_UNREAD] = self._loader
        else:  # one that was read is read again
            self._loader.exec_module(module)


class _LazyFinder:
    """Finds the modules of a package as Python does, to be read lazily."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        if not name.startswith(self.package + "."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _LazyLoader(spec.loader)
        return spec


def read_lazily(package: str) -> None:
    """Have modules of a package that are imported from now on be read when they are first used.

    package: its dotted name, which an installed extension has below that of its repository.
    """
    # one of an earlier version of the extension, which was updated while Blender runs, makes room
    others = [finder for finder in sys.meta_path if getattr(finder, "package", None) != package]
    sys.meta_path[:] = [_LazyFinder(package), *others]


def read_contents(module: ModuleType) -> dict[str, Any]:
    """Return what a module holds, by name, and read it for that."""
    # an own name, for which it has to be read
    getattr(module, "__all__", None)
    return vars(module)


def is_read(module: ModuleType) -> bool:
    """Tell whether somebody has used a module."""
    return type(module) is not LazyModule


class _LazyNumpy(ModuleType):
    """Stands for numpy, and imports it when it is first used."""

    def __getattr__(self, name: str) -> Any:
        import numpy

        # from then on it costs no more than numpy itself
        vars(self).update(vars(numpy))
        return getattr(numpy, name)


if TYPE_CHECKING:
    import numpy as np
else:
    np = _LazyNumpy("numpy")
