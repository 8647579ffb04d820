# SPDX-License-Identifier: GPL-3.0-or-later
"""What a transition is made from: one frozen record for the button, the command line and spec files."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import Any, Self

from ..errors import InertiaError
from ..records import record
from . import feet as of_feet
from . import fields, methods
from .fields import Record, again, setting
from .methods import Method

_what = functools.partial(setting, group="what")
_how = functools.partial(setting, group="how it blends")
_moves = functools.partial(setting, group="what moves")
FEET = "feet"
LOCKED = ("feet", "AUTO", "LOCK")
"""With what goes how feet are locked."""
HAS_OFFSET = ("method", *methods.CURVES)
"""With what goes of what the offset is made: dead blending has none."""
_result = functools.partial(setting, group="the new action")

DECOMPOSITIONS = (
    ("ROTATION_VECTOR", "All Axes", "Carry the whole velocity of a bone over the cut"),
    (
        "AXIS_ANGLE",
        "Along the Offset",
        "Carry only the part that runs towards the destination or away from it, as games do",
    ),
)
VELOCITIES = (
    ("RELATIVE", "Relative", "The source's velocity less the destination's, so the motion goes on as it was"),
    ("SOURCE", "Source Only", "The source's velocity alone, as if the destination stood still at the cut"),
)
DIFFERENCES = (
    (
        "CENTRAL",
        "Both Sides",
        "From the frames on both sides of the cut, which is nearest to how the clips move",
    ),
    (
        "BACKWARD",
        "Last Two Frames",
        "From the cut and the frame before it, like a game, which knows only what it has shown",
    ),
)
GUARDS = (
    ("OFF", "Off", "Let everything swing as far as its speed takes it, and report what exceeds the limits"),
    ("LIMIT", "Limit", "Shorten a bone's blend where it would swing further than the limits"),
    ("STRICT", "Strict", "Forbid any swing: what moves away from where it has to go is stopped at the cut"),
)
ALIGNMENTS = (
    (
        "AUTO",
        "Automatic",
        "Position and heading if the root travels, turns or stands in another place, otherwise none",
    ),
    (
        "NONE",
        "None",
        "Leave the destination where it was animated; the character glides there within the blend",
    ),
    ("POSITION", "Position", "Move the destination on the ground to where the source's root is at the cut"),
    (
        "HEADING",
        "Heading",
        "Turn the destination, where its root stands, to face the same way as the source's root at the cut",
    ),
    (
        "POSITION_HEADING",
        "Both",
        "Move the destination to where the source's root is at the cut, and turn it to face the same way",
    ),
)
CYCLES = (
    (
        "AUTO",
        "Automatic",
        "A cycle where the action or its curves say so, or where its end flows into its beginning",
    ),
    ("ON", "Cycle", "Play it over and over: after its end it starts again, and if it travels it keeps going"),
    ("OFF", "Once", "Play it once: it begins and ends with its keys"),
)
GO_ON = (
    (
        "ONCE",
        "To Its End",
        "End with the destination, or, if it is a cycle, with the cycle in which the blend ends",
    ),
    ("CYCLES", "More Cycles", "Go on for some more cycles of the destination"),
    ("SCENE_END", "To the Scene's End", "Go on with cycles of the destination until the scene ends"),
    (
        "WHOLE_CYCLE",
        "A Whole Cycle",
        "End with the destination, or, if it is a cycle, with the first cycle that plays whole after the "
        "blend",
    ),
)

ENTERED = (
    (
        "AUTO",
        "Automatic",
        "Where it looks best by the verdict: a cycle at its best phase, any other clip at its first good "
        "frame",
    ),
    ("FIRST", "First Frame", "At the destination's first frame, however that looks"),
)

OBJECT_ROOT = "<object>"
"""As ``TransitionSettings.root``: the armature object itself carries the character."""


BLEND_SECONDS = 0.4
"""About how long a blend takes unless it is said."""


def usual_blend_frames(fps: float) -> float:
    """Return how many frames a blend takes unless it is said: as many whole ones as are nearest to 0.4 s."""
    return float(max(1, math.floor(BLEND_SECONDS * fps + 0.5)))


@record(frozen=True)
class TransitionSettings(Record):
    """Everything that decides what a transition looks like.

    Frames are scene frames and may be fractional, times are in seconds, angles in degrees and lengths in
    metres. ``*_library`` is a path as Blender stores it, "" for actions of this file; ``*_slot`` an
    identifier, "" for the slot in use, else the one that bears the armature's name, else the first that fits.
    Neither decomposition, velocity nor guard mean anything to DEAD_BLENDING. The alignment AUTO is
    POSITION_HEADING when the root moves, or stands apart in the two clips, else NONE. The bones that don't
    take part, and with them the object and its properties, keep playing the source. What is no cycle goes on
    as ONCE says. blend_scales come on top of what the pose bones themselves say.
    """

    source: str = _what(help="the action that plays first", metavar="ACTION")
    destination: str = _what(help="the action that takes over", metavar="ACTION")
    cut: float = _what(
        takes=fields.FRAME,
        help="the scene frame at which the destination takes over",
        metavar="FRAME",
        name="Cut",
        tip="The scene frame at which the destination takes over from the source",
        start=1.0,
    )
    destination_frame: float | None = _what(
        None,
        fields.FRAME,
        "the destination's own frame that is shown at the cut (default: where it looks best; of hops and "
        "gaps its first)",
        metavar="FRAME",
        name="Destination Frame",
        switch=(
            "Choose the Destination Frame",
            "Enter the destination at a frame of your choice; otherwise where it looks best, or at its first",
        ),
        start=1.0,
    )
    enter_at: str = _what(
        "FIRST",
        ENTERED,
        "where the destination is entered if no frame of it is named",
        name="Enter at",
        tip="Where the destination is entered, unless you choose a frame of it",
        asked="AUTO",
        came_later=True,
    )
    source_library: str = _what(
        "",
        help="the file that the source is linked from, as Blender stores it, when two share the name",
        metavar="PATH",
        reads=True,
    )
    destination_library: str = _what("", help="the same for the destination", metavar="PATH", reads=True)
    source_slot: str = _what(
        "",
        help="the source's slot, such as OBRig (default: as Blender chooses); before Blender 4.4 there is "
        "none",
        metavar="SLOT",
        name="Source Slot",
        tip="The source's slot to play; empty for the one that the armature would use",
    )
    destination_slot: str = _what(
        "",
        help="the destination's slot",
        metavar="SLOT",
        name="Destination Slot",
        tip="The destination's slot to play; empty for the one that the armature would use",
    )
    source_cycle: str = _what(
        "AUTO",
        CYCLES,
        "whether the source is a cycle, so that the cut may lie in any of its repetitions",
        name="Source Cycle",
        tip="Whether the source repeats, so the cut may lie in any of its repetitions",
    )
    destination_cycle: str = _what(
        "AUTO",
        CYCLES,
        "whether the destination is a cycle, so that it may be entered at any of its frames",
        name="Destination Cycle",
        tip="Whether the destination repeats, so it may be entered at any of its frames",
    )
    source_scale: float = _what(
        1.0,
        fields.TIME_SCALE,
        "how far the source is stretched in time, about its first key: 2 plays it at half speed; frames "
        "are those of the scaled clip",
        metavar="FACTOR",
        label="source's scale",
        name="Source Scale",
        tip="How far the source is stretched in time, as a strip's scale: 2 plays it at half speed. Its "
        "first frame stays where it is",
    )
    destination_scale: float = _what(
        1.0,
        fields.TIME_SCALE,
        "the same for the destination",
        metavar="FACTOR",
        label="destination's scale",
        name="Destination Scale",
        tip="How far the destination is stretched in time, as a strip's scale: 2 plays it at half speed. "
        "Its first frame stays where it is",
    )
    go_on: str = _what(
        "ONCE",
        GO_ON,
        "how long a destination that is a cycle goes on",
        name="Continue",
        asked="WHOLE_CYCLE",
    )
    go_on_cycles: int = _what(
        1,
        fields.CYCLES,
        "extra cycles (with --go-on cycles)",
        label="number of cycles",
        name="Cycles",
        goes_with=("go_on", "CYCLES"),
        tip="How many more cycles of the destination follow",
    )
    method: str = _how(
        "QUINTIC",
        methods.METHOD_ITEMS,
        "how the difference at the cut decays; --half-life alone means spring, "
        "--extrapolation-half-life dead-blending",
        name="Method",
        tip="The curve along which the difference between the two poses fades",
    )
    quintic_start: str = _how(
        "SOFT",
        methods.QUINTIC_START_ITEMS,
        "how the quintic begins: softly, a third of it cubic; without a jump in acceleration; or with a "
        "jerk of zero",
        name="Start",
        goes_with=("method", "QUINTIC"),
        tip="How the quintic leaves the source's pose",
    )
    blend_frames: float | None = _how(
        None,
        fields.BLEND_FRAMES,
        "how long a blend takes, in frames; not of the spring (default: the whole frames nearest to 0.4 s)",
        label="blend time",
        name="Blend Time",
        goes_with=("method", *methods.TIMED),
        tip="How long the difference takes to fade, in frames; about 0.4 s until it is set",
        start=BLEND_SECONDS * 30.0,
    )
    suggest_blend_time: bool = _how(
        default=False,
        help="take the blend time, or the spring's half-life, that looks best by the verdict: of 0.1 to 1 s",
        came_later=True,
    )
    half_life: float = _how(
        0.1,
        fields.HALF_LIFE,
        "the time in which the spring halves the difference, in seconds",
        label="half-life",
        name="Half-life",
        goes_with=("method", "SPRING"),
        tip="The spring's half-life, in seconds: smaller is quicker; after four of them 3 % of the "
        "difference is left",
    )
    extrapolation_half_life: float = _how(
        0.25,
        fields.HALF_LIFE,
        "the time in which the source's velocity halves after the cut under dead blending, in seconds",
        label="extrapolation's half-life",
        name="Slows Down in",
        goes_with=("method", "DEAD_BLENDING"),
        tip="The time, in seconds, in which the source's velocity halves as it goes on after the cut",
    )
    match_lengths: bool = _how(
        default=False,
        help="of two cycles: let the destination begin at the speed that makes its cycle as long as the "
        "source's, and reach its own by the end of the blend",
        name="Match Lengths",
        tip="Start a destination that is a cycle at the pace of the source's cycle, and let it reach its "
        "own pace by the end of the blend, so that a walk's steps become a run's",
    )
    step: int = _how(
        0,
        fields.STEP,
        "how many frames a pose is held while it blends, as clips on twos hold it: 1 moves on each frame "
        "(default: 0, as the destination does)",
        metavar="FRAMES",
        label="step",
        name="Step",
        tip="How many frames each pose is held in the blend, with constant keys: 2 for animation on twos, 1 "
        "to move on each frame; 0 holds and changes poses as the destination does",
        came_later=True,
    )
    decomposition: str = _how(
        "ROTATION_VECTOR",
        DECOMPOSITIONS,
        "which part of a rotation decays: all three directions, or the angle about a fixed axis",
        name="Rotation",
        goes_with=HAS_OFFSET,
        tip="Which part of a bone's velocity is carried over the cut",
    )
    velocity: str = _how(
        "RELATIVE",
        VELOCITIES,
        "the velocity at the cut: that of the difference, or the source's alone",
        name="Velocity",
        goes_with=HAS_OFFSET,
        tip="Which velocity the difference between the two poses, the offset, starts with",
    )
    difference: str = _how(
        "CENTRAL",
        DIFFERENCES,
        "which frames velocities at the cut are taken from",
        name="Velocity From",
        goes_with=HAS_OFFSET,
        tip="Which frames the velocities at the cut are taken from",
    )
    guard: str = _how(
        "OFF",
        GUARDS,
        "what to do about a difference that swings past zero or grows",
        name="Overshoot",
        goes_with=HAS_OFFSET,
        tip="What to do where the difference between the two poses would swing past the destination, or "
        "grow, before it fades, such as that of an arm that was moving fast the other way",
    )
    guard_angle: float = _how(
        20.0,
        fields.ANGLE,
        "how far a rotation may swing or grow under --guard limit, else without a report, in degrees",
        name="Angle",
        goes_with=("guard", "LIMIT"),
        tip="How far a rotation may swing beyond its offset at the cut, or past the destination "
        "(scripts: in radians, as all of Blender's angles)",
    )
    guard_length: float = _how(
        0.05,
        fields.LENGTH,
        "how far a location may swing or grow under --guard limit, else without a report, in metres",
        name="Distance (m)",
        goes_with=("guard", "LIMIT"),
        tip="How far a location may swing beyond its offset at the cut, or past the destination, in metres",
    )
    alignment: str = _moves(
        "AUTO",
        ALIGNMENTS,
        "how the destination is moved to where the source is at the cut; auto moves and turns it when the "
        "root travels or stands elsewhere",
        name="Align Root",
        tip="How the destination is moved so that it continues from where the source is",
    )
    align_height: bool = _moves(
        default=False,
        help="move the destination up or down, too, to where the source's root is at the cut",
        name="Height",
        tip="Also move the destination up or down to where the source is, such as from a stair onto the "
        "ground",
    )
    align_bone: str = _moves(
        "",
        help="the bone by which the destination is aligned, such as a foot that has to stay where it is "
        "(default: the root)",
        metavar="BONE",
        name="Align by",
        tip="The bone that moves to where the source has it, such as a planted foot that has to stay; empty "
        "for the root",
    )
    root: str = _moves(
        "",
        help=f'the root bone, or "{OBJECT_ROOT}" for the armature object (default: found)',
        metavar="BONE",
        name="Root",
        tip=f"The bone that carries the character over the ground, or {OBJECT_ROOT} for the armature object "
        "itself; leave empty to detect it",
    )
    warp_to: str = _moves(
        "",
        help="warp the destination's root motion so that the root arrives there: x and y of the world in "
        "metres, and the facing in degrees from the x axis, if it counts; write --warp-to=-1,2",
        metavar="X,Y[,DEGREES]",
        name="Warp to Place",
        tip="The place that the destination arrives at, by its root motion alone: X and Y in metres and, if "
        "it counts, the facing in degrees from the X axis, separated by commas. Empty for none",
        came_later=True,
    )
    warp_object: str = _moves(
        "",
        help="warp the destination's root motion so that the root arrives where this object is, facing as it "
        "does: along its -y axis",
        metavar="OBJECT",
        name="Warp to",
        tip="The object that the destination arrives at, by its root motion alone: its travel leads there, "
        "and its poses stay. Empty for no warp",
        came_later=True,
    )
    warp_heading: bool = _moves(
        default=True,
        off="arrive at the place of the warp, and face whichever way",
        help="whether to face as the object does on arrival, along its -y axis (default: true)",
        name="Facing",
        tip="Also face as the object does on arrival: along its -Y axis, Blender's front",
        came_later=True,
    )
    warp_height: bool = _moves(
        default=False,
        help="arrive at the height of --warp-object, too, with the root",
        name="Its Height",
        goes_with=("warp_object",),
        tip="Also bring the root to the object's height on arrival, such as up a step",
        came_later=True,
    )
    warp_at: float | None = _moves(
        None,
        fields.FRAME,
        "the destination's own frame at which it arrives (default: its last)",
        metavar="FRAME",
        label="arrival",
        name="Arrives at",
        unset="The Last Frame",
        switch=(
            "Choose the Arrival",
            "Arrive at a frame of the destination of your choice; otherwise at its last",
        ),
        start=1.0,
        came_later=True,
    )
    warp_from: float | None = _moves(
        None,
        fields.FRAME,
        "the destination's own frame from which the warp is spread (default: where the blend ends)",
        metavar="FRAME",
        label="start of the warp",
        name="Warp from",
        unset="The Blend's End",
        switch=(
            "Choose Where the Warp Begins",
            "Spread the warp from a frame of the destination of your choice; otherwise from the blend's end",
        ),
        start=1.0,
        came_later=True,
    )
    warp_until: float | None = _moves(
        None,
        fields.FRAME,
        "the destination's own frame up to which the warp is spread (default: the arrival)",
        metavar="FRAME",
        label="end of the warp",
        name="Warp until",
        unset="The Arrival",
        switch=(
            "Choose Where the Warp Ends",
            "Spread the warp up to a frame of the destination of your choice; otherwise up to the arrival",
        ),
        start=1.0,
        came_later=True,
    )
    bones: tuple[str, ...] = _moves(
        (),
        help="only these bones, properties and shape keys take part, by names or patterns such as finger*; ! "
        "before one leaves it out; the others go on playing the source (default: all)",
        metavar="NAME",
    )
    blend_scales: tuple[tuple[str, float], ...] = _moves(
        (),
        fields.BLEND_SCALE,
        "multiply the blend time or half-life of a bone, a property or a shape key, by name or pattern, in "
        "place of what the file says: 0 cuts at once, 2 takes twice as long",
        metavar="NAME=FACTOR",
        flag="--blend-scale",
        label="blend scale",
    )
    feet: str = setting(
        "AUTO",
        of_feet.LOCKING,
        "how planted feet are kept from skating: auto plans the transition with feet locked and unlocked, "
        "and uses what looks better",
        name="Feet",
        tip="How planted feet are kept from skating in the window",
        group=FEET,
    )
    foot_release: float = again(of_feet.Locking, "foot_release", group=FEET, goes_with=LOCKED)
    foot_radius: float = again(of_feet.Locking, "foot_radius", group=FEET, goes_with=LOCKED)
    hips_drop: float = again(of_feet.Locking, "hips_drop", group=FEET, goes_with=LOCKED)
    step_height: float = again(of_feet.Locking, "step_height", group=FEET, goes_with=LOCKED)
    toes: str = again(of_feet.Locking, "toes", group=FEET, goes_with=LOCKED)
    toe_height: float = again(of_feet.Locking, "toe_height", group=FEET)
    locked_feet: tuple[str, ...] = again(of_feet.Locking, "locked_feet", group=FEET)
    result: str = _result(
        "",
        help='the new action\'s name (default: "Source to Destination")',
        metavar="NAME",
        name="Name",
        tip='The new action\'s name; empty for "Source to Destination"',
    )
    shift: float = _result(
        0.0,
        fields.FRAME,
        "by how many frames the result plays later than the source is keyed, as the source's strip does",
        metavar="FRAMES",
        label="plays later by",
        name="Plays Later",
        tip="By how many frames the result plays later than the source is keyed, as the source's strip does",
    )
    strips: bool = _result(
        default=False,
        help="make strips of the NLA, which only a .blend file holds: the two actions' own, an offset on top",
        name="As NLA Strips",
        tip="Make strips in the NLA Editor in place of a new action: the two actions' own, so edits of "
        "these live on, and above them one that holds just the offset",
    )
    key_tolerance: float = _result(
        0.0,
        fields.TOLERANCE,
        "how far the result's curves may differ from the blend, so that the window needs fewer keys: in "
        "degrees, centimetres, and hundredths of scales and values (default: 0, a key on every frame, as "
        "strips always have)",
        metavar="AMOUNT",
        name="Key Tolerance",
        tip="How far rotations (degrees), locations (centimetres), and scales and other values (hundredths) "
        "may differ from the blend, so that the window needs fewer keys: with 0.5 a bone is at most "
        "half a degree away; 0 keeps a key on every frame, as strips always do",
    )
    assign: bool = _result(
        default=True,
        help="whether the new action is assigned to the armature (default: true)",
        off="do not assign the new action to the armature",
        name="Assign the Result",
        tip="Let the new action animate the armature; the one that did so before stays in the file",
    )
    assign_others: bool = _result(
        default=False,
        help="assign the new action to the other characters and objects that it has slots for, too; before "
        "Blender 4.4 there are none",
        name="Assign to Others",
        goes_with=("assign",),
        tip="Let the new action animate the other characters and objects of the two actions, too",
    )
    extrapolate: bool = _moves(
        default=False,
        help="let the cut lie outside the clips' keys",
        name="Extrapolate",
        tip="Let the cut and the destination frame lie outside the actions' own frames",
    )

    smooth_jump: bool = _how(
        default=False,
        help="smooth a jump in pose or velocity of one action, named as both the source and the "
        "destination, at the cut: only what jumps there is changed",
    )

    @property
    def decay(self) -> Method | None:
        """The curve along which offsets decay; None for dead blending, where it is the source that fades."""
        return None if self.method == "DEAD_BLENDING" else Method[self.curve]

    @property
    def curve(self) -> str:
        """What the decay curve, or what there is in its place, is called."""
        return self.quintic_start if self.method == "QUINTIC" else self.method

    def frames(self, fps: float) -> float:
        """Return the blend time, in frames."""
        return usual_blend_frames(fps) if self.blend_frames is None else self.blend_frames

    def seconds(self, fps: float) -> float:
        """Return the blend time, or the half-life of SPRING, in seconds."""
        return self.half_life if methods.length(self.method) == "half_life" else self.frames(fps) / fps

    def blend_seconds(self, fps: float) -> float:
        """Return how long a blend lasts, in seconds."""
        return methods.blend_seconds(self.decay, self.seconds(fps))

    @property
    def warps(self) -> bool:
        """Whether the destination's root motion is warped."""
        return bool(self.warp_to or self.warp_object)

    @property
    def warp_place(self) -> tuple[float, float, float | None] | None:
        """Return where the destination arrives, as `warp_to` says: x and y in metres, and the facing in
        degrees from the x axis, None for any; None where `warp_to` is "".

        The text has two or three finite numbers with commas between them. The third is the facing; it counts
        only if `warp_heading` is set. Raise InertiaError for another text, and where `warp_object` names an
        object, too.
        """
        if not self.warp_to:
            return None
        if self.warp_object:
            raise InertiaError("The warp leads to a place and to an object; name one of them.")
        try:
            x, y, *facing = map(float, self.warp_to.split(","))
            is_place = len(facing) <= 1 and all(map(math.isfinite, (x, y, *facing)))
        except ValueError:
            is_place = False
        if not is_place:
            raise InertiaError(
                '"{text}" is not a place to warp to; write x and y in metres, and the facing in degrees if '
                'it counts, such as "2,0.5,90".',
                text=self.warp_to,
            )
        return x, y, facing[0] if facing and self.warp_heading else None

    def without_warp(self) -> TransitionSettings:
        """Return these settings without a warp, for what is made of several transitions."""
        return dataclasses.replace(self, **NO_WARP)

    @property
    def locking(self) -> of_feet.Locking:
        """How feet are locked."""
        return of_feet.Locking.of(self)

    def ends(self) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
        """Return the name, the library's file and the slot of the source and of the destination."""
        return (
            (self.source, self.source_library, self.source_slot),
            (self.destination, self.destination_library, self.destination_slot),
        )


NO_WARP = {
    name: each.default
    for name, each in fields.settings(TransitionSettings).items()
    if name.startswith("warp_")
}
"""The settings of a warp where there is none."""


@record(frozen=True)
class Blended(Record):
    """What is asked for of what is made of transitions. transition: how each of these blends."""

    transition: TransitionSettings

    NESTED = {"transition": TransitionSettings}

    @classmethod
    def of(cls, transition: TransitionSettings, values: Mapping[str, Any]) -> Self:
        """Return the settings of values by their names on the command line and in specs."""
        return cls(transition, **fields.parsed(cls, values))
