# SPDX-License-Identifier: GPL-3.0-or-later
"""A character: an armature as one task knows it, read once, with the rate and the units of its scene."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import bpy

from ...errors import InertiaError
from ...motion.skeleton.posing import Rig
from ...records import record
from ..data import rigs, scene
from ..data.actions import Clip
from . import influence, playback
from .kept_frames import KeptFrames

Found = TypeVar("Found")


class HasToPlay(InertiaError):
    """Blender would have to play a character that may not be played, as where a panel is drawn.

    reason: why only Blender can tell where the joints are, a sentence without full stop.
    """

    def __init__(self, reason: str) -> None:
        super().__init__("Blender has to play the rig: {reason}.", reason=reason)
        self.reason = reason


@record(frozen=True)
class CharacterPoser:
    """What tells where a character is in some clips: numpy, by their keys, or Blender, which plays them.

    why_played: why only Blender can tell, as a sentence without full stop, see
    :func:`influence.why_not_plain`; "" where numpy can. is_playing: whether Blender plays them: it has to,
    may and can. why_not: why it can't where it has to and may, a sentence; "" otherwise.
    """

    why_played: str = ""
    is_playing: bool = False
    why_not: str = ""

    @property
    def is_played(self) -> bool:
        """Whether only Blender can tell, which takes about a millisecond a frame."""
        return bool(self.why_played)

    @property
    def step(self) -> float:
        """How many frames apart to look, where the finer the better: half a frame, a whole one where Blender
        plays.
        """
        return 1.0 if self.is_played else 0.5


@record(frozen=True, eq=False)
class Character:
    """An armature, handed on from the first function of a task to the last in its place.

    armature: the object itself, for what only Blender can show or write. fps: frames a second of the open
    scene. metres: how many metres a unit of that scene has. may_play: whether Blender may play the armature;
    where it may not, as while a panel is drawn, a plan takes what constraints do for none, and whatever looks
    at a clip that has to be played raises HasToPlay. found: what was found of the armature, by what finds it,
    see :meth:`find_once`. kept: what Blender has shown of it.
    """

    armature: Any
    fps: float
    metres: float
    may_play: bool = True
    found: dict[Callable[[Any], Any], Any] = dataclasses.field(default_factory=dict)
    kept: KeptFrames = dataclasses.field(default_factory=KeptFrames)

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

    def find_poser(self, clips: Iterable[Clip]) -> CharacterPoser:
        """Find what tells where the character is in clips, all of them the same way: numpy or Blender."""
        why_played = influence.why_not_plain(self.armature, clips)
        if not why_played or not self.may_play:
            return CharacterPoser(why_played)
        try:
            playback.check(self.armature, bpy.context.scene, bpy.context.view_layer)
        except InertiaError as error:
            return CharacterPoser(why_played, why_not=error.sentence)
        return CharacterPoser(why_played, is_playing=True)

    def check_may_play(self, clip: Clip) -> None:
        """Raise HasToPlay where the character may not be played, and a clip is about to be."""
        if not self.may_play:
            raise HasToPlay(self.find_poser((clip,)).why_played)

    def read_other(self, owner: Any) -> Character:
        """Return another object, of the same scene and time, as a character that may be played if this one
        may.
        """
        return dataclasses.replace(self, armature=owner, found={}, kept=KeptFrames())


def read_character(armature: Any, *, may_play: bool = True) -> Character:
    """Return an armature object as a character, with the frame rate and the units of the open scene.

    armature: the object; what else plays an action beside it may be given, too. Nothing of it is read yet.
    may_play: whether Blender may play it, see :class:`Character`.
    """
    return Character(armature, scene.fps(), scene.metres_per_unit(), may_play)
