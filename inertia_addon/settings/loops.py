# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loop is searched and made with: frozen records for the panel, the command line and spec files."""

from __future__ import annotations

import functools

from ..errors import InertiaError
from ..records import record
from . import fields, methods
from .fields import Range, Record, again, setting
from .methods import Method
from .transition import TransitionSettings

_where = functools.partial(setting, group="where to look")
HOW = "how it closes"
_how = functools.partial(setting, group=HOW)
_result = functools.partial(setting, group="the new action")

BLEND = 0.75
"""What differs fades over so much of the loop, unless it is said: over all of it joints would be led half as
far again from where they were, and over less the end of the blend would show."""
SHORTEST_SECONDS, LONGEST_SECONDS, APART_SECONDS = 0.4, 1.7, 0.2
"""As long are loops, and so far are they from each other, unless it is said."""

LENGTH_FRAMES = Range(2, 1_048_574, "frames", soft_most=300, decimals=4, shown=fields.SHOWN_FRAME)
"""What is no longer, in frames, is a pose."""

CLOSES = (
    ("SHARED", "Shared", "Both ends move half-way towards each other, so each changes least"),
    ("START", "At the Start", "The end stays as it is, and the beginning sets out from it"),
    ("END", "Towards the End", "The beginning stays as it is, and the end arrives in it"),
)
SHARES = {"SHARED": 0.5, "START": 1.0, "END": 0.0}
"""Which part of the difference the start takes."""

TRAVELS = (
    ("AUTO", "Automatic", "Keep the root's travel if it leads anywhere; otherwise stay in place"),
    ("KEEP", "Keep", "Keep the root's travel, however short"),
    ("NONE", "In Place", "Bring the root back to where the loop begins"),
)
REPEATS = (
    (
        "MARKED",
        "Marked",
        "One cycle, marked as such: Inertia, exporters and game engines play it over and over",
    ),
    (
        "MODIFIERS",
        "Cycles Modifiers",
        "One cycle that Blender itself plays over and over, by a modifier on each curve, with an offset "
        "where the character travels",
    ),
    ("KEYED", "Keyed", "As many cycles as you like, one after the other, as keys"),
)


@record(frozen=True)
class LoopSearch(Record):
    """Which stretches of an action may be found. first, last: both ends lie between them; None for the
    action's own."""

    first: float | None = _where(
        None,
        fields.FRAME,
        "the first frame that a loop may begin at (default: the action's own)",
        label="first frame",
        metavar="FRAME",
        name="Look From",
        tip="The first frame that a loop may begin at",
        unset="The whole action",
        switch=("Search a Range", "Look for loops between two frames only; otherwise in the whole action"),
        start=1.0,
    )
    last: float | None = _where(
        None,
        fields.FRAME,
        "the last frame that a loop may end with (default: the action's own)",
        label="last frame",
        metavar="FRAME",
        name="To",
        tip="The last frame that a loop may end with",
        goes_with=("use_first",),
        start=250.0,
    )
    shortest_frames: float | None = _where(
        None,
        LENGTH_FRAMES,
        "how long a loop is at least (default: 0.4 s at any frame rate)",
        label="shortest loop",
        name="Lengths",
        tip="The shortest loop, in frames",
        unset="0.4 to 1.7 s",
        switch=("Set the Lengths", "Set how long loops may be; otherwise 0.4 to 1.7 s"),
        start=12.0,
    )
    longest_frames: float | None = _where(
        None,
        LENGTH_FRAMES,
        "how long a loop is at most (default: 1.7 s at any frame rate)",
        label="longest loop",
        name="To",
        goes_with=("use_shortest_frames",),
        tip="The longest loop, in frames",
        start=51.0,
    )
    apart_frames: float | None = _where(
        None,
        fields.APART_FRAMES,
        "of two loops whose ends both are nearer than this only the better one is listed (default: 0.2 s)",
        label="distance of neighbours",
    )
    by_feet: bool = _where(
        default=True,
        help="all feet land equally often, and at least once; in a clip that only stands, all stay planted",
        off="let feet land as often as they like",
        name="Feet Land Equally",
        tip="Find only stretches in which all feet land equally often, and at least once, as in a walk; in "
        "an action without any, such as standing, those in which all feet stay planted. Switch it off "
        "for anything else",
    )
    sub_frames: bool = _where(
        default=False,
        help="let loops end between two frames where that costs less",
        name="Between Frames",
        tip="Let loops end between two frames where that costs less. Blender and Inertia repeat them "
        "exactly; a game that plays whole frames does not",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for low, high, least, most in (
            ("first frame", "last frame", self.first, self.last),
            ("shortest loop", "longest loop", self.shortest_frames, self.longest_frames),
        ):
            if least is not None and most is not None and least > most:
                raise InertiaError(
                    "The {low} is {least:g} and the {high} {most:g}; swap the two.",
                    low=low,
                    least=least,
                    high=high,
                    most=most,
                )

    def lengths(self, fps: float) -> tuple[float, float]:
        """Return the shortest and the longest loop, in frames."""
        shortest = SHORTEST_SECONDS * fps if self.shortest_frames is None else self.shortest_frames
        longest = LONGEST_SECONDS * fps if self.longest_frames is None else self.longest_frames
        return shortest, max(shortest, longest)

    def apart(self, fps: float) -> float:
        """Return how near loops are neighbours, in frames."""
        return APART_SECONDS * fps if self.apart_frames is None else self.apart_frames


@record(frozen=True)
class LoopSettings(Record):
    """Everything that decides what a loop looks like.

    action, slot, library: as in a transition. start, end: the stretch, in frames of the action; None for its
    first and its last. blend_frames: None for BLEND of the loop. turn: None for what the character turns.
    """

    action: str = setting(help="the action that should loop", metavar="ACTION")
    start: float | None = setting(
        None, fields.FRAME, "the loop's first frame (default: the action's)", metavar="FRAME"
    )
    end: float | None = setting(
        None,
        fields.FRAME,
        "the loop's last frame, on which the next cycle begins (default: the action's)",
        metavar="FRAME",
    )
    library: str = setting(
        "", help="the file that the action is linked from, as Blender stores it", reads=True
    )
    slot: str = setting("", help="the action's slot (default: as Blender chooses)", metavar="SLOT")
    closes: str = _how(
        "SHARED", CLOSES, "where the loop makes up for the difference between its ends", name="Close"
    )
    method: str = _how(
        "QUINTIC",
        methods.CURVE_ITEMS,
        "how the difference decays; --half-life alone means spring",
        name="Method",
        tip="The curve along which the difference between both ends fades",
    )
    quintic_start: str = again(
        TransitionSettings,
        "quintic_start",
        group=HOW,
        tip="How the quintic leaves the pose where both ends meet",
        goes_with=("method", "QUINTIC"),
    )
    blend_frames: float | None = again(
        TransitionSettings,
        "blend_frames",
        group=HOW,
        help="how long it takes to fade, in frames; not of the spring (default: three quarters of the loop)",
        tip="How long the difference takes to fade, in frames",
        unset="3/4 of the loop",
        switch=("Set the Blend Time", "Set how long it takes to fade; otherwise three quarters of the loop"),
        start=12.0,
    )
    half_life: float = again(TransitionSettings, "half_life", group=HOW)
    travel: str = _how(
        "AUTO",
        TRAVELS,
        "what happens to the root's travel",
        name="Travel",
        apart=True,
        tip="What happens to the root's travel from the start to the end",
    )
    turn: float | None = _how(
        None,
        Range(-180, 180, "degrees", decimals=4),
        "how far the character turns in each cycle, counter-clockwise (default: as in the action, if that "
        "is more than 12 degrees; less is the sway of its hips)",
        name="Turn",
        unset="As it does",
        tip="How far the character turns in each cycle, in degrees, counter-clockwise",
        switch=(
            "Set the Turn",
            "Set how far the character turns in each cycle; otherwise it turns as it does in the action, if "
            "by more than 12 degrees, as less is the sway of its hips",
        ),
        start=0.0,
    )
    root: str = again(TransitionSettings, "root", group=HOW, icon="BONE_DATA")
    lock_feet: bool = _how(
        default=False,
        help="keep planted feet still, across the seam, too: closing a loop makes them skate",
        name="Lock Feet",
        apart=True,
        tip="Keep planted feet still, across the seam, too: closing a loop makes them skate. Feet that "
        "constraints move can't be locked",
    )
    repeat: str = _result("MARKED", REPEATS, "how the loop repeats", name="Repeat")
    cycles: int = _result(
        4,
        fields.CYCLES,
        "how many cycles are keyed with --repeat keyed",
        label="number of cycles",
        name="Cycles",
        goes_with=("repeat", "KEYED"),
        tip="How many cycles are keyed",
    )
    result: str = _result(
        "",
        help='the new action\'s name (default: "Action loop")',
        metavar="NAME",
        name="Name",
        tip='The new action\'s name; empty for "Action loop"',
    )
    assign: bool = again(TransitionSettings, "assign")

    @property
    def decay(self) -> Method:
        """The curve along which what differs decays."""
        return Method[self.quintic_start if self.method == "QUINTIC" else self.method]

    def seconds(self, fps: float, period: float) -> float:
        """Return the blend time, or the half-life of SPRING, of a loop of some period; all in seconds."""
        if methods.length(self.method) == "half_life":
            return self.half_life
        return BLEND * period if self.blend_frames is None else self.blend_frames / fps
