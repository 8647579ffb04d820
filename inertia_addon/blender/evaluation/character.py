# SPDX-License-Identifier: GPL-3.0-or-later
"""A character: an armature as one task knows it, read once, with the rate and the units of its scene."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ...motion.skeleton.posing import Rig
from ...records import record
from ..data import rigs, scene
from ..data.actions import Clip
from . import influence

Found = TypeVar("Found")


@record(frozen=True, eq=False)
class Character:
    """An armature, handed on from the first function of a task to the last in its place.

    armature: the object itself, for what only Blender can show or write. fps: frames a second of the open
    scene. metres: how many metres a unit of that scene has. found: what was found of the armature, by what
    finds it, see :meth:`find_once`.
    """

    armature: Any
    fps: float
    metres: float
    found: dict[Callable[[Any], Any], Any] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def rig(self) -> Rig:
        """The armature by value, as it stood when this was first asked for. Raise InertiaError for one that
        stands at no finite place.
        """
        return rigs.read(self.armature)

    @property
    def size(self) -> float:
        """How large the character is, in metres; ``rig.size`` is the same in units of the scene."""
        return self.rig.size * self.metres

    @functools.cached_property
    def _read_bones(self) -> influence.Reads | None:
        """Which bones each bone reads; None where that is not known."""
        return influence.find_reads(self.armature)

    def movers(self, bones: Iterable[str]) -> frozenset[str] | None:
        """Return the bones whose channels may change where some bones are; None where that is not known. See
        :func:`influence.movers`.
        """
        return None if self._read_bones is None else influence.follow_reads(self._read_bones, bones)

    def find_once(self, find: Callable[[Any], Found]) -> Found:
        """Return what a function finds of the armature.

        The function is called once for this character, as all clips may have to be read for that, and its
        answer kept under the function itself: pass the same one each time. What it returns must refer to
        nothing in the file. Its errors get through and are not kept.
        """
        if find not in self.found:
            self.found[find] = find(self.armature)
        found: Found = self.found[find]
        return found

    def why_not_plain(self, clips: Iterable[Clip]) -> str:
        """Return why only Blender can pose the character in clips, as a sentence without full stop; "" where
        numpy can. See :func:`influence.why_not_plain`.
        """
        return influence.why_not_plain(self.armature, clips)

    def is_plain(self, clips: Iterable[Clip]) -> bool:
        """Tell whether numpy can pose the character in clips, without Blender playing them."""
        return not self.why_not_plain(clips)


def read_character(armature: Any) -> Character:
    """Return an armature object as a character, with the frame rate and the units of the open scene.

    armature: the object; what else plays an action beside it may be given, too. Nothing of it is read yet.
    """
    return Character(armature, scene.fps(), scene.metres_per_unit())
