# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition is made from: one frozen record for the button, the command line and spec files."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..errors import InertiaError
from . import limits, methods, ranges
from .methods import Method

DECOMPOSITIONS = ("ROTATION_VECTOR", "AXIS_ANGLE")
VELOCITIES = ("RELATIVE", "SOURCE")
GUARDS = ("OFF", "LIMIT", "STRICT")
ALIGNMENTS = ("AUTO", "NONE", "POSITION", "POSITION_HEADING")

CHOICES = {
    "method": methods.METHODS,
    "quintic_start": methods.QUINTIC_STARTS,
    "decomposition": DECOMPOSITIONS,
    "velocity": VELOCITIES,
    "guard": GUARDS,
    "alignment": ALIGNMENTS,
}

OBJECT_ROOT = "<object>"
"""As ``TransitionSettings.root``: the armature object itself carries the character."""


BLEND_SECONDS = 0.4
"""How long a blend takes unless it is said."""


@dataclasses.dataclass(frozen=True)
class TransitionSettings:
    """Everything that decides what a transition looks like.

    Frames are scene frames and may be fractional, times are in seconds, angles in degrees and
    lengths in metres: the units that the panel and the command line show.

    source, destination: names of the two actions; ``*_library`` is the path of the file they are
        linked from, as Blender stores it ("" for actions of this file).
    source_slot, destination_slot: slot identifiers such as ``OBRig`` ("" lets Inertia choose as
        Blender would: the slot in use, else the one that bears the armature's name, else the first
        that fits).
    cut: the scene frame at which the destination takes over.
    destination_frame: the destination's own frame shown at the cut; None for its first frame.
    blend_frames: the blend time of all methods but SPRING, in frames; None for BLEND_SECONDS at any rate.
    half_life: the half-life of SPRING, in seconds.
    extrapolation_half_life: of DEAD_BLENDING: in how many seconds the source's velocity halves after the
        cut. Neither decomposition, velocity nor guard mean anything to it.
    guard_angle, guard_length: how far an offset may grow or swing past zero under LIMIT; what goes further is
        reported under any guard.
    alignment: AUTO is POSITION_HEADING when the root moves, or stands elsewhere in one clip than in
        the other, else NONE.
    root: a bone's name, ``OBJECT_ROOT``, or "" to have it found.
    bones: the bones that take part; () for all. The other bones, and with them the object and its
        properties, keep playing the source.
    blend_scales: (bone, multiplier) pairs on top of what the pose bones themselves say; 0 cuts at
        once, 2 decays twice as long.
    result: the new action's name; "" for "Source to Destination".
    assign: whether the result is assigned to the armature.
    extrapolate: whether the cut may lie outside the clips.
    """

    source: str
    destination: str
    cut: float = ranges.number(limits.FRAME)
    destination_frame: float | None = ranges.number(limits.FRAME, None)
    source_library: str = ""
    destination_library: str = ""
    source_slot: str = ""
    destination_slot: str = ""
    method: str = "QUINTIC"
    quintic_start: str = "SOFT"
    blend_frames: float | None = ranges.number(limits.BLEND_FRAMES, None, "blend time")
    half_life: float = ranges.number(limits.HALF_LIFE, 0.1, "half-life")
    extrapolation_half_life: float = ranges.number(limits.HALF_LIFE, 0.25, "extrapolation's half-life")
    decomposition: str = "ROTATION_VECTOR"
    velocity: str = "RELATIVE"
    guard: str = "OFF"
    guard_angle: float = ranges.number(limits.ANGLE, 20.0)
    guard_length: float = ranges.number(limits.LENGTH, 0.05)
    alignment: str = "AUTO"
    root: str = ""
    bones: tuple[str, ...] = ()
    blend_scales: tuple[tuple[str, float], ...] = ranges.number(limits.BLEND_SCALE, (), "blend scale")
    result: str = ""
    assign: bool = True
    extrapolate: bool = False

    def __post_init__(self) -> None:
        for field, allowed in CHOICES.items():
            value = getattr(self, field)
            if value not in allowed:
                raise InertiaError(
                    "{field} is {value!r}; choose one of {allowed}.",
                    field=field,
                    value=value,
                    allowed=", ".join(allowed),
                )
        ranges.check(self)

    @property
    def decay(self) -> Method | None:
        """The curve along which offsets decay; None for dead blending, where it is the source that fades."""
        return None if self.method == "DEAD_BLENDING" else Method[self.curve]

    @property
    def curve(self) -> str:
        """What the decay curve, or what there is in its place, is called."""
        return self.quintic_start if self.method == "QUINTIC" else self.method

    def frames(self, fps: float) -> float:
        """The blend time, in frames."""
        return BLEND_SECONDS * fps if self.blend_frames is None else self.blend_frames

    def seconds(self, fps: float) -> float:
        """The blend time, or the half-life of SPRING, in seconds."""
        return self.half_life if methods.length(self.method) == "half_life" else self.frames(fps) / fps

    def ends(self) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
        """Of the source and of the destination: the name, the library's file, and the slot."""
        return (
            (self.source, self.source_library, self.source_slot),
            (self.destination, self.destination_library, self.destination_slot),
        )

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain JSON values, for recipes, reports and spec files."""
        values = dataclasses.asdict(self)
        values["bones"] = list(self.bones)
        values["blend_scales"] = dict(self.blend_scales)
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> TransitionSettings:
        """The inverse of :meth:`as_dict`; raises InertiaError for a field that does not exist."""
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise InertiaError(
                "Unknown setting {unknown!r}; the settings are {known}.",
                unknown=unknown[0],
                known=", ".join(sorted(known)),
            )
        values = dict(values)
        values["bones"] = tuple(values.get("bones", ()))
        scales = values.get("blend_scales", ())
        values["blend_scales"] = tuple(scales.items() if isinstance(scales, dict) else map(tuple, scales))
        return cls(**values)
