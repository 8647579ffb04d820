# SPDX-License-Identifier: GPL-3.0-or-later
"""What a filled gap is asked to show on its way: poses, places on the ground, and bones at a point.

Each is a line of text on the command line, in specs and in recipes.
"""

from __future__ import annotations

import math

from ..errors import InertiaError
from ..records import record


@record(frozen=True)
class KeyPose:
    """A pose that is shown on the way: of an action at its own frame, on a frame of the scene.

    action: "" for the source. As text it is ``Reach@12=40``, or ``40`` for the source's own at that frame.
    """

    frame: float
    action: str
    own_frame: float

    def __str__(self) -> str:
        return (
            f"{self.action}@{self.own_frame:.10g}={self.frame:.10g}" if self.action else f"{self.frame:.10g}"
        )

    @classmethod
    def of(cls, text: str) -> KeyPose:
        """Return the key pose that a text names: ``ACTION@OWN_FRAME=FRAME``, or ``FRAME`` alone for the
        source's own, with both frames the same and action "".

        An action's name may hold both signs: the last "=", and the last "@" before it, count. Raise
        InertiaError for another text, and for a frame that is no finite number.
        """
        head, equals, frame = text.rpartition("=")
        action, _, own_frame = head.rpartition("@") if equals else ("", "", frame)
        try:
            pose = cls(float(frame), action, float(own_frame))
        except ValueError:
            pose = cls(math.nan, "", math.nan)
        if not math.isfinite(pose.frame + pose.own_frame) or bool(equals) != bool(action):
            raise InertiaError(
                '"{text}" is no pose on the way; write FRAME for the source\'s own, or '
                "ACTION@FRAME=FRAME, such as Reach@12=40.",
                text=text,
            )
        return pose


@record(frozen=True)
class Waypoint:
    """A place on the ground that the character is at on the way, on a frame of the scene.

    place: x and y in metres of the world, of the root. facing: degrees, 0 along X and 90 along Y; None for as
    it comes. As text it is ``40=1.5,2`` or ``40=1.5,2,90``.
    """

    frame: float
    place: tuple[float, float]
    facing: float | None

    def __str__(self) -> str:
        numbers = self.place if self.facing is None else (*self.place, self.facing)
        return f"{self.frame:.10g}=" + ",".join(f"{number:.10g}" for number in numbers)

    @classmethod
    def of(cls, text: str) -> Waypoint:
        """Return the waypoint that a text names. Raise InertiaError for another text, and for a number that
        is not finite.
        """
        frame, _, place = text.partition("=")
        try:
            at, x, y, *facing = float(frame), *map(float, place.split(","))
        except ValueError:
            at, x, y, facing = math.nan, math.nan, math.nan, []
        if not math.isfinite(at + x + y + sum(facing)) or len(facing) > 1:
            raise InertiaError(
                '"{text}" is no waypoint; write FRAME=X,Y in metres, and the facing in degrees if you like, '
                "such as 40=1.5,2,90.",
                text=text,
            )
        return cls(at, (x, y), facing[0] if facing else None)


@record(frozen=True)
class Touch:
    """A bone whose head is at a point on the way, on a frame of the scene.

    point: metres of the world. As text it is ``hand.R@40=0.3,0.2,1.4``.
    """

    frame: float
    bone: str
    point: tuple[float, float, float]

    def __str__(self) -> str:
        return f"{self.bone}@{self.frame:.10g}=" + ",".join(f"{number:.10g}" for number in self.point)

    @classmethod
    def of(cls, text: str) -> Touch:
        """Return the touch that a text names.

        A bone's name may hold both signs: the last "=", and the last "@" before it, count. Raise InertiaError
        for another text, and for a number that is not finite.
        """
        head, _, point = text.rpartition("=")
        bone, _, frame = head.rpartition("@")
        try:
            at, (x, y, z) = float(frame), map(float, point.split(","))
        except ValueError:
            at = x = y = z = math.nan
        if not math.isfinite(at + x + y + z) or not bone:
            raise InertiaError(
                '"{text}" is no touch; write BONE@FRAME=X,Y,Z in metres, such as hand.R@40=0.3,0.2,1.4.',
                text=text,
            )
        return cls(at, bone, (x, y, z))
