# SPDX-License-Identifier: GPL-3.0-or-later
"""What a character follows over the ground, and how: one frozen record for all who ask for it."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from ..errors import InertiaError
from ..records import record
from . import feet, fields, steering
from .fields import Range, again, setting
from .hops import HopSettings
from .steering import SteerSettings, Wish
from .transition import Blended, TransitionSettings

WHAT = "what to follow"
_what = functools.partial(setting, group=WHAT)
HOW = "how it is followed"
_how = functools.partial(setting, group=HOW)
_weight = functools.partial(_how, takes=Range(0, 100, soft_most=5), metavar="WEIGHT")
_part_weight = functools.partial(
    _weight, came_later=True, goes_with=("features", "AUTO", "POSITION_VELOCITY")
)

SPEEDS = (
    ("AUTO", "Automatic", "The target's own speed if it has a timing, otherwise that of the clips"),
    ("CLIPS", "From the Clips", "At the speed of the clips"),
    ("CONSTANT", "Constant", "The same speed all along the path"),
    ("TARGET", "The Target's", "When and how fast the target moves"),
)
FACINGS = (
    ("ALONG", "Along the Path", "Face where the path goes"),
    ("TARGET", "As the Target", "Face the way that the target faces"),
    ("FREE", "Free", "Face anywhere"),
)
ENDS = (
    ("AS_IT_COMES", "As It Comes", "In the middle of a step, if that is best"),
    ("STANDING", "Standing", "Standing still, if any clip does"),
)

UNITS = (
    ("M", "Metres", "Metres"),
    ("CM", "Centimetres", "Centimetres"),
    ("MM", "Millimetres", "Millimetres"),
    ("IN", "Inches", "Inches"),
    ("FT", "Feet", "Feet"),
)
METRES = {"M": 1.0, "CM": 0.01, "MM": 0.001, "IN": 0.0254, "FT": 0.3048}
TIMES = (
    ("S", "Seconds", "Seconds"),
    ("MS", "Milliseconds", "Milliseconds"),
    ("FRAMES", "Frames", "Frames of the scene"),
)

CURVE, OBJECT, POINTS = "CURVE", "OBJECT", "POINTS"

FEATURES = (
    (
        "AUTO",
        "Automatic",
        "Inertialization where the search looks ahead. Position and velocity where it is greedy, or where "
        "feet or hips have weights of their own. Each does best there",
    ),
    (
        "INERTIALIZATION",
        "Inertialization",
        "How far a blend would hold each joint away: one number made of its place and its velocity (Holden)",
    ),
    ("POSITION_VELOCITY", "Position and Velocity", "The place and the velocity of each joint by themselves"),
)

HOW_JOINS_BLEND = ("method", "quintic_start", "blend_frames", "half_life")
OF_JOINS = {
    *HOW_JOINS_BLEND,
    *("decomposition", "velocity", "difference", "guard", "guard_angle", "guard_length", "root"),
    *("blend_scales", "result", "step"),
    *("feet", "foot_release", "hips_drop", "toes", "toe_height", "locked_feet"),
}
"""The settings of a transition that each join has too."""
OF_MODELS = {
    *("curve", "target", "points", "points_unit", "points_time", "speed", "constant_speed", "facing", "warp"),
    *("first_frame", "ground", "obstacles", "keep_away", "apart", "goals"),
}
"""The settings that a model follows by, too; the others are of the search through clips."""

PART_WEIGHTS = (
    *("foot_position_weight", "foot_velocity_weight"),
    *("hip_position_weight", "hip_velocity_weight"),
)
"""The weights of the parts of a pose, beside the pose's own."""
WEIGHTS = ("pose_weight", *PART_WEIGHTS, "position_weight", "facing_weight")
"""All weights of features."""

OF_CROWDS = {"apart"}
"""The settings that mean nothing to one alone."""
NOT_OF_TAKES = {
    *("curve", "target", "points", "points_unit", "points_time", "speed", "constant_speed", "facing"),
    *("begins", "ends", "fixed", "greedy", "ahead_seconds", "width", "obstacles", "keep_away", "apart"),
    "goals",
}
"""The settings that mean nothing to who is steered: what is followed, and what its search does."""


FASTEST = 1000.0
"""Metres a second."""
MIRRORED = ",mirrored"
"""How the text of a pin ends that enters a clip's mirror image."""


@record(frozen=True)
class Pin:
    """A clip that is to be entered at a place: the clip's own frame, at so many seconds of a timed target or
    metres along a line. As text it is ``Jump@12=3.5``, or ``Jump@12=3.5,mirrored``."""

    at: float
    clip: str
    frame: float
    mirrored: bool = False

    def __str__(self) -> str:
        return f"{self.clip}@{self.frame:.10g}={self.at:.10g}{MIRRORED if self.mirrored else ''}"

    @classmethod
    def of(cls, text: str) -> Pin:
        """Return the pin that a text names: ACTION@FRAME=PLACE, such as Jump@12=3.5, with ",mirrored" behind
        it for the mirror image.

        ACTION becomes `clip`; FRAME, the action's own, becomes `frame`; PLACE becomes `at`, metres along the
        path, or seconds if the target is timed; `mirrored` says whether the ending was there. Numbers are
        floats. The last "=" counts, and the last "@" before it. Raise InertiaError for another text: no
        action, or a frame or place that is no finite number.
        """
        rest = text.removesuffix(MIRRORED)
        head, _, at = rest.rpartition("=")
        clip, _, frame = head.rpartition("@")
        if not clip or not all(math.isfinite(_number(number)) for number in (at, frame)):
            raise InertiaError(
                '"{text}" is not a pin; write ACTION@FRAME=PLACE, such as Jump@12=3.5, the place in '
                'metres along the path, or in seconds if the target is timed; append ",mirrored" for the '
                "mirror image.",
                text=text,
            )
        return cls(_number(at), clip, _number(frame), rest != text)


@record(frozen=True)
class Ban:
    """A clip that is not to be played, nor its mirror image, between two places, see :class:`Pin`; by
    default, anywhere. As text it is ``Turn=2:4.5``, in which both ends may be left out, or ``Turn``."""

    clip: str
    first: float = -math.inf
    last: float = math.inf

    def __str__(self) -> str:
        ends = [f"{end:.10g}" if math.isfinite(end) else "" for end in (self.first, self.last)]
        return f"{self.clip}={':'.join(ends)}"

    @classmethod
    def of(cls, text: str) -> Ban:
        """Return the ban that a text names: ACTION=FIRST:LAST, such as Jump=10:20.

        A text without "=", or with nothing before its last "=", is itself the action, banned anywhere:
        nothing is read from "=10:20". Otherwise what is before the last "=" becomes `clip`, and FIRST and
        LAST the floats `first` and `last`: metres along the path, or seconds if the target is timed. One that
        is left out becomes minus or plus infinity. Raise InertiaError if what is behind "=" has no colon, is
        not made of numbers, or has FIRST above LAST.
        """
        clip, _, span = text.rpartition("=")
        if not clip:
            return cls(text)
        first, colon, last = span.partition(":")
        ends = _number(first or "-inf"), _number(last or "inf")
        if not colon or not ends[0] <= ends[1]:
            raise InertiaError(
                '"{text}" does not say where a clip is forbidden; write ACTION=FIRST:LAST, such as '
                "Turn=2:4.5, in metres along the path, or in seconds if the target is timed.",
                text=text,
            )
        return cls(clip, ends[0], ends[1])


@record(frozen=True)
class Goal:
    """A place to be at, in metres along the path, at a time, in seconds; and a facing there, in degrees from
    the x axis, None for where the path goes. As text it is ``6=5``, or ``6=5,90``."""

    at: float
    seconds: float
    facing: float | None = None

    def __str__(self) -> str:
        facing = "" if self.facing is None else f",{self.facing:.10g}"
        return f"{self.at:.10g}={self.seconds:.10g}{facing}"

    @classmethod
    def of(cls, text: str) -> Goal:
        """Return the goal that a text names: METRES=SECONDS, such as 6=5, or METRES=SECONDS,DEGREES, such as
        6=5,90.

        METRES becomes `at`, along the path; SECONDS becomes `seconds`; DEGREES becomes `facing`, from the x
        axis, None where no comma is given. The first "=" counts, and the first comma behind it. Raise
        InertiaError for another text, an empty facing behind a comma among it, numbers that are not finite,
        and a negative place or time.
        """
        at, _, rest = text.partition("=")
        seconds, comma, facing = rest.partition(",")
        goal = cls(_number(at), _number(seconds), _number(facing) if comma else None)
        numbers = goal.at, goal.seconds, goal.facing or 0.0
        if not all(map(math.isfinite, numbers)) or min(goal.at, goal.seconds) < 0.0:
            raise InertiaError(
                '"{text}" is not a goal; write METRES=SECONDS, such as 6=5 to be 6 m along the path after '
                '5 s; append a facing in degrees, such as ",90".',
                text=text,
            )
        return goal


def _number(text: str) -> float:
    """Read a number; return NaN for a text that is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def speeds_of(texts: Iterable[str]) -> dict[str, float]:
    """Return speeds, metres a second, by their clips, of texts such as ``Walk=1.3``.

    The last "=" of a text counts, and of several texts for a clip the last. Raise InertiaError for a text
    without a clip, or with a speed that is no number, 0 or below, or above 1000.
    """
    speeds = {}
    for text in texts:
        clip, _, speed = text.rpartition("=")
        if not clip or not 0.0 < _number(speed) <= FASTEST:
            raise InertiaError(
                '"{text}" is not a clip\'s speed; write ACTION=SPEED, such as Walk=1.3, in metres per '
                "second.",
                text=text,
            )
        speeds[clip] = _number(speed)
    return speeds


@record(frozen=True)
class PathSettings(Blended):
    """Everything that decides how a path is followed.

    transition: how each join blends; its two actions, its cut and its alignment mean nothing. One of curve,
    target and points names what is followed: points are a file's. Or wishes, see :class:`.steering.Wish`, say
    how it is steered, from a place and a facing on: start, x and y in metres, and degrees. moves: the clips
    that are played only where a wish names them, as are all that one does. steer: how wishes are answered.
    faithful: by how much the clips' own motion counts more than the path: the costs of joins are 22 to 2200
    times the displacement in metre seconds.
    """

    actions: tuple[str, ...] = _what(
        (), help="the actions to go along it with (default: all that fit the armature)", metavar="ACTION"
    )
    curve: str = _what("", help="the curve object to follow", metavar="NAME")
    target: str = _what("", help="the animated object to follow, when and where it moves", metavar="OBJECT")
    points: str = _what(
        "",
        help="a .csv file of points to follow, whose header names the columns: x, y, and maybe time, z "
        "(ignored) and heading (degrees from the x axis); without a header x and y, or time, x and y",
        metavar="FILE",
        reads=True,
    )
    points_unit: str = _what("M", UNITS, "the unit of the points' places", label="unit of points")
    points_time: str = _what("S", TIMES, "the unit of the points' times", label="time of points")
    mirror: bool = _what(
        default=False,
        help="use the actions' mirror images, too",
        name="Mirror Images",
        tip="Use each clip's mirror image, too, which doubles the clips to choose from. Bones are paired by "
        "their names",
    )
    speed: str = _what(
        "AUTO",
        SPEEDS,
        "how fast: at the speed of the clips, at a constant speed, or with the target's own timing, which "
        "is the default if it has one",
        name="Speed",
        tip="How quickly the character goes along the path",
    )
    constant_speed: float = _what(
        1.4,
        Range(0.05, 50, "metres per second", soft_most=10, shown=fields.IN_TENTHS),
        "the constant speed",
        metavar="SPEED",
        name="Metres per Second",
        goes_with=("speed", "CONSTANT"),
        tip="The same speed all along the path, in metres per second",
    )
    facing: str = _what(
        "ALONG",
        FACINGS,
        "which way the character faces",
        name="Facing",
        tip="Which way the character faces on the path",
    )
    begins: str = _what("AS_IT_COMES", ENDS, "how it begins", name="Begin", tip="How the character begins")
    ends: str = _what(
        "AS_IT_COMES",
        ENDS,
        "how it ends, where the speed is from the clips",
        name="End",
        tip="How the character ends, where its speed is that of the clips",
    )
    cycles: tuple[str, ...] = again(HopSettings, "cycles", group=WHAT)
    find_cycles: bool = again(
        HopSettings, "find_cycles", group=WHAT, off="only clips that are named are cycles"
    )
    bends: float = _what(
        45.0,
        Range(0, 180, "degrees a second"),
        "how far clips that go straight may be bent, in degrees per second, if they are in place or no clip "
        "turns; 0 for not at all",
        metavar="DEGREES",
        name="Bends",
        tip="How far clips that go straight may be bent, in degrees per second, if they are in place or no "
        "clip of the set turns",
        precision=0,
    )
    speeds: tuple[str, ...] = _what(
        (),
        help="how fast clips in place go, if you know better than their feet, or they fly, swim or have no "
        "legs: ACTION=SPEED, such as Walk=1.3, in metres per second",
        metavar="ACTION=SPEED",
    )
    pins: tuple[str, ...] = _what(
        (),
        help="clips to enter at set places on the path: ACTION@FRAME=PLACE, such as Jump@12=3.5, in metres "
        "along it, or in seconds if the target is timed; Jump@12=3.5,mirrored for the mirror image",
        metavar="ACTION@FRAME=PLACE",
    )
    bans: tuple[str, ...] = _what(
        (),
        help="clips to forbid on a part of the path: ACTION=FIRST:LAST, such as Turn=2:4.5, either of "
        "which may be left out; ACTION alone forbids it everywhere",
        metavar="ACTION=FIRST:LAST",
    )
    fixed: tuple[str, ...] = _what(
        (),
        help="clips that are entered one after the other from the beginning on, with nothing else between "
        "them: ACTION@FRAME=SECONDS, such as Jump@12=3.5, in seconds of the result; the path is searched "
        "from the last one on",
        metavar="ACTION@FRAME=SECONDS",
    )
    goals: tuple[str, ...] = _what(
        (),
        help="places to be at in time: METRES=SECONDS, such as 6=5 to be 6 m along the path after 5 s, and "
        "6=5,90 to face 90 degrees from the x axis there; name a place twice to have the character "
        "wait there",
        metavar="METRES=SECONDS",
        came_later=True,
    )
    faithful: float = _how(
        0.5,
        fields.PART,
        "0 is faithful to the path, 1 to the clips: higher values give fewer and smoother joins",
        name="True to Clips",
        tip="0 is faithful to the path, 1 to the clips: higher values give fewer and smoother joins, and "
        "the character swerves wider",
    )
    warp: bool = _how(
        default=True,
        off="keep the drift instead of moving the root smoothly towards the path",
        name="Warp to the Path",
        tip="Remove the remaining drift by moving the root smoothly towards the path",
    )
    ground: str = again(feet.Locking, "ground", group=HOW)
    ground_height: float = again(feet.Locking, "ground_height", group=HOW)
    ground_object: str = again(feet.Locking, "ground_object", group=HOW)
    obstacles: str = _how(
        "",
        help="the collection of obstacles, which the path goes around",
        metavar="COLLECTION",
        name="Obstacles",
        tip="The collection whose objects the path goes around",
        came_later=True,
    )
    keep_away: float = _how(
        0.4,
        fields.DISTANCE,
        "how far from obstacles the path stays, in metres",
        label="distance to obstacles",
        name="Keep Away",
        came_later=True,
    )
    apart: float = _how(
        0.5,
        fields.DISTANCE,
        "how far the hips of any two of a crowd stay apart, in metres; 0 lets each go as it would alone",
        label="distance to each other",
        name="Keep Apart",
        came_later=True,
    )
    greedy: bool = _how(
        default=False,
        help="search as games do, without looking ahead, to compare; needs a speed that is known before",
    )
    ahead_seconds: float = _how(
        0.75,
        Range(0, 5, "seconds"),
        "how far the search looks ahead",
        label="look-ahead",
        name="Look Ahead",
        tip="How far the search looks ahead along each clip before it chooses",
        **fields.SHOWN_TIME,
    )
    shortest_seconds: float = _how(
        0.3,
        Range(0, 60, "seconds", soft_most=5),
        "the shortest time between two joins",
        label="time between joins",
        name="Between Joins",
        **fields.SHOWN_TIME,
    )
    width: int = _how(
        48,
        Range(1, 1000, whole=True, soft_most=200),
        "how many hypotheses the search follows",
        metavar="N",
        name="Ways Followed",
        tip="How many ways the search follows at once: more take longer, but may find a better one",
    )
    features: str = _how(
        "AUTO",
        FEATURES,
        "how the search compares poses",
        name="Compare by",
        tip="How poses are compared where a clip may be entered",
        came_later=True,
    )
    pose_weight: float = _weight(
        0.5,
        help="how much the pose counts in the features",
        name="Pose",
        tip="How much the pose counts when frames are compared, its velocity included",
    )
    foot_position_weight: float = _part_weight(
        1.0,
        help="how much the places of the feet count beside the pose's own weight, where poses are compared "
        "by position and velocity",
        name="Feet",
        tip="How much the places of the feet count when frames are compared, beside the pose's own "
        "weight. Other weights than 1 compare poses by position and velocity",
    )
    foot_velocity_weight: float = _part_weight(
        1.0,
        help="how much the velocities of the feet count, likewise",
        name="Feet's Velocity",
        tip="How much the velocities of the feet count when frames are compared, beside the pose's own "
        "weight. Other weights than 1 compare poses by position and velocity",
    )
    hip_position_weight: float = _part_weight(
        1.0,
        help="how much the place of the hips counts, likewise",
        name="Hips",
        tip="How much the place of the hips counts when frames are compared, beside the pose's own "
        "weight. Other weights than 1 compare poses by position and velocity",
    )
    hip_velocity_weight: float = _part_weight(
        1.0,
        help="how much the velocity of the hips counts, likewise",
        name="Hips' Velocity",
        tip="How much the velocity of the hips counts when frames are compared, beside the pose's own "
        "weight. Other weights than 1 compare poses by position and velocity",
    )
    position_weight: float = _weight(
        1.0,
        help="how much the way ahead counts in the features",
        name="Way Ahead",
        tip="How much the clip's way in the next second counts when frames are compared",
    )
    facing_weight: float = _weight(
        1.5,
        help="how much the facing ahead counts in the features",
        name="Facing Ahead",
        tip="How much the clip's facing in the next second counts when frames are compared",
    )
    first_frame: float = _how(
        1.0,
        Range(-1_048_574, 1_048_574, "frames", decimals=4),
        "the frame that the result begins at",
        name="First Frame",
        **fields.SHOWN_FRAME,
    )
    strips: bool = _how(
        default=False,
        help="play the result as strips of the NLA, one for each clip, which only a .blend file holds",
        name="As NLA Strips",
        tip="Lay the result out as strips in the NLA Editor in place of assigning it: one for each clip, "
        "with its joins, to be retimed or replaced",
    )
    wishes: tuple[str, ...] = ()
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    moves: tuple[str, ...] = ()
    steer: SteerSettings = dataclasses.field(default_factory=SteerSettings)

    NESTED = {**Blended.NESTED, "steer": SteerSettings}

    def __post_init__(self) -> None:
        super().__post_init__()
        followed = [name for name in (self.curve, self.target, self.points, self.wishes) if name]
        if len(followed) != 1:
            raise InertiaError(
                "Give one thing to follow: a curve, a target or a file of points; {count} are given.",
                count=len(followed),
            )
        if not self.points and (self.points_unit, self.points_time) != ("M", "S"):
            raise InertiaError("Only a file of points takes a unit; give a file, or leave out the unit.")
        if self.features == "INERTIALIZATION" and self.has_part_weights:
            raise InertiaError(
                "Feet and hips have weights of their own only where poses are compared by position and "
                "velocity; choose that, or leave these weights at 1."
            )
        _ = self.pinned, self.banned, self.entered, self.speed_of, self.wished, self.aimed
        self.steer.check(self.wished)

    @property
    def metres(self) -> float:
        """A unit of the points' places."""
        return METRES[self.points_unit]

    @property
    def seconds(self) -> float | None:
        """A unit of the points' times; None for frames."""
        return {"S": 1.0, "MS": 0.001, "FRAMES": None}[self.points_time]

    @property
    def pinned(self) -> tuple[Pin, ...]:
        """The pins, by value. Raises InertiaError for a text that is none."""
        return tuple(map(Pin.of, self.pins))

    @property
    def banned(self) -> tuple[Ban, ...]:
        """The bans, likewise."""
        return tuple(map(Ban.of, self.bans))

    @property
    def entered(self) -> tuple[Pin, ...]:
        """What is fixed, by value, each at its seconds. Raises InertiaError for a text that is none."""
        return tuple(map(Pin.of, self.fixed))

    @property
    def aimed(self) -> tuple[Goal, ...]:
        """The goals, by value. Raises InertiaError for a text that is none."""
        return tuple(map(Goal.of, self.goals))

    @property
    def wished(self) -> tuple[Wish, ...]:
        """What is wished, by value, () of what follows something. Raises InertiaError for what is no take."""
        return steering.rows(self.wishes) if self.wishes else ()

    @property
    def moved(self) -> tuple[str, ...]:
        """The clips that are played only where a wish names them."""
        return tuple(dict.fromkeys((*self.moves, *(wish.move for wish in self.wished if wish.move))))

    def wishes_by(self, name: Callable[[str], str]) -> tuple[str, ...]:
        """Return the wishes with other names of their moves. name: of a clip its present one."""
        rows = zip(self.wishes, self.wished, strict=True)
        return tuple(
            str(dataclasses.replace(wish, move=name(wish.move))) if wish.move else text for text, wish in rows
        )

    @property
    def speed_of(self) -> dict[str, float]:
        """The speeds of clips in place, metres a second. Raises InertiaError for a text that is none."""
        return speeds_of(self.speeds)

    @property
    def has_part_weights(self) -> bool:
        """Whether feet or hips have weights of their own."""
        return any(getattr(self, name) != 1.0 for name in PART_WEIGHTS)

    @property
    def cost(self) -> float:
        """What a metre second of displacement costs in the search."""
        return float(22.0 * 100.0**self.faithful)

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON values by the fields' names, without what would tell old settings
        from equal new ones.

        Left out are `moves` and `fixed` where they are empty; `wishes`, `start` and `moves` if there are no
        wishes; `steer` if all of it is at its defaults; and each setting marked ``came_later`` that is at its
        default.
        """
        values = super().as_dict()
        # what is not steered is known by what it was before anything could be
        unsaid = {name for name in ("moves", "fixed") if not values[name]}
        unsaid |= set() if self.wishes else {"wishes", "start", "moves"}
        unsaid |= set() if values["steer"] else {"steer"}
        return {name: value for name, value in values.items() if name not in unsaid}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the settings that :meth:`as_dict` made a dict of; raises InertiaError for a field that
        does not exist.
        """
        return super().from_dict({"steer": {}, **values})

    @classmethod
    def steered(
        cls,
        transition: TransitionSettings,
        options: Mapping[str, Any],
        wishes: tuple[str, ...],
        start: tuple[float, float, float],
        moves: tuple[str, ...] = (),
    ) -> PathSettings:
        """Return the settings of a take, as :meth:`of` does, without what a take has none of (NOT_OF_TAKES),
        such as what is followed, even if it is among the options.
        """
        values = {
            name: value for name, value in fields.parsed(cls, options).items() if name not in NOT_OF_TAKES
        }
        steer = SteerSettings(**fields.parsed(SteerSettings, options))
        return cls(transition, **values, wishes=wishes, start=start, moves=moves, steer=steer)


def joined_by(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a transition whose two ends mean nothing, with those that are given."""
    return {"source": "", "destination": "", "cut": 0.0, **values}
