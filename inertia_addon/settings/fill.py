# SPDX-License-Identifier: GPL-3.0-or-later
"""What a gap between two actions is filled with: one frozen record for all who ask for it."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import InertiaError
from ..records import record
from . import fields
from .fields import Range, again, setting
from .fill_wishes import KeyPose, Touch, Waypoint
from .matching import PathSettings, joined_by
from .transition import Blended, TransitionSettings

OF_GAPS = {
    *("source", "source_slot", "destination", "destination_slot", "cut", "destination_frame"),
    *("method", "quintic_start", "blend_frames", "half_life", "root", "blend_scales", "result", "step"),
    *("feet", "foot_release", "hips_drop", "toes", "toe_height", "locked_feet", "shift"),
}
"""The settings of a transition that both ends of a gap have too."""
OF_SETS = ("actions", "mirror", "cycles", "find_cycles", "speeds", "faithful")
"""The settings that a gap's clips and a path's have."""

STOOD_FOR = {"destination", "destination_slot", "cut", "destination_frame", "gap_frames"}
"""What is not asked for where two keys of one action say where the gap is."""
KEYS = "fill the source between its keys on these two frames; what comes before and after them stays"

GOALS = (
    (
        "AUTO",
        "Automatic",
        "A later frame of the source's own action stays where it is. Any other destination is placed where "
        "the source's motion leads",
    ),
    ("LEAD", "Where It Leads", "Place the destination where the source's motion leads"),
    ("OWN", "Its Own Place", "Leave the destination where its own keys stand"),
)
"""Where a destination is arrived at for which no place is asked."""
CHOOSERS = (
    (
        "JUDGE",
        "The Judge",
        "Fill the gap without clips, too, and take what the judge finds better",
    ),
    ("COST", "Their Cost", "Take the clips that cost least, even where the gap looks better without any"),
)
"""What says which of several fills is the best."""
CHOICES = 3
"""So many unlike fills are found, at most."""

_gap = functools.partial(setting, group="the gap")
_set = functools.partial(again, PathSettings, group="the clips")


@record(frozen=True)
class FillSettings(Blended):
    """Everything that decides how a gap is filled.

    transition: the two actions, the frame at which the source is left (its cut), the destination's own frame
    that is arrived at, and how the joins blend.
    """

    gap_frames: float = _gap(
        30.0,
        Range(1, 2400, "frames", soft_most=600, shown=fields.WHOLE_FRAMES),
        "how many frames after the cut the destination takes over, up to 10 s",
        label="gap",
        name="Gap",
    )
    at: str = _gap(
        "",
        help="where the destination is arrived at, in metres, and the facing there in degrees (default: as "
        "the goal says)",
        metavar="X,Y,DEGREES",
    )
    goal: str = _gap(
        "OWN",
        GOALS,
        "where the destination is arrived at if no place is named: where the source's motion leads, or where "
        "its own keys stand; auto leaves only a later frame of the source's own action there",
        name="Goal",
        tip="Where the destination begins, unless you choose a place",
        asked="AUTO",
        came_later=True,
    )
    through: tuple[str, ...] = _gap(
        (),
        help="the poses that are shown on the way: frames at which the source's own is, or "
        "ACTION@FRAME=FRAME for that of an action at its frame, such as Reach@12=40",
        metavar="POSE",
        came_later=True,
    )
    waypoints: tuple[str, ...] = _gap(
        (),
        help="the places on the ground that the character is at on the way: FRAME=X,Y in metres, and a "
        "facing in degrees if you like, such as 40=1.5,2,90",
        metavar="WAYPOINT",
        came_later=True,
    )
    touches: tuple[str, ...] = _gap(
        (),
        help="the points that bones touch on the way: BONE@FRAME=X,Y,Z in metres, such as "
        "hand.R@40=0.3,0.2,1.4",
        metavar="TOUCH",
        came_later=True,
    )
    use_library: bool = _gap(
        default=True,
        flag="--no-library",
        off="use no clips: each bone leads from pose to pose with the velocities of both, and feet step over "
        "once",
        name="With Clips",
        tip="Fill the gap with clips that lead there. Otherwise each bone leads from pose to pose with the "
        "velocities of both, and feet step over once",
    )
    actions: tuple[str, ...] = _set("actions")
    mirror: bool = _set("mirror")
    cycles: tuple[str, ...] = _set("cycles")
    find_cycles: bool = _set("find_cycles")
    speeds: tuple[str, ...] = _set("speeds")
    faithful: float = _gap(
        0.7,
        fields.PART,
        "0 keeps to a smooth curve between both ends, 1 to the clips: higher values give smoother joins",
        label="faithful to clips",
        name="True to Clips",
    )
    posture: float = _gap(
        1.0,
        fields.PART,
        "0 plays clips in their own posture; 1 keeps the posture of both ends, the more the clips differ "
        "from it",
        label="keep posture",
        name="Keep Posture",
        tip="0 plays clips in their own posture. 1 keeps the posture of both ends, the more the clips "
        "differ from it",
        came_later=True,
    )
    choose_by: str = _gap(
        "COST",
        CHOOSERS,
        "what says which fill is the best: the judge, who also sees the gap without clips; or the cost of "
        "clips, of which the cheapest are taken even where it looks better without any",
        name="Best by",
        goes_with=("obstacles", ""),
        tip="What says which fill is the best",
        asked="JUDGE",
        came_later=True,
    )
    choice: int = _gap(
        1,
        Range(1, CHOICES, whole=True),
        "which of three different fills to take; the best is the first",
        metavar="NUMBER",
        name="Choice",
        tip="Which of three different fills to take. The best is the first",
        came_later=True,
    )
    obstacles: str = again(
        PathSettings,
        "obstacles",
        group="the gap",
        help="the collection of obstacles, which the way from one end to the other goes around",
        tip="The collection whose objects the way from one end to the other goes around",
    )
    keep_away: float = again(PathSettings, "keep_away", group="the gap")
    strips: bool = again(PathSettings, "strips", group="the gap")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.transition.decay is None or self.transition.method == "SPRING":
            raise InertiaError(
                "A fill has to end on its frame, and springs and dead blending never end; choose the method "
                "quintic or cubic."
            )
        if self.obstacles and not self.use_library:
            raise InertiaError("Only clips lead around obstacles; use clips, or name no obstacles.")
        _ = self.place, self.key_poses, self.listed_waypoints, self.listed_touches

    @property
    def place(self) -> tuple[float, float, float] | None:
        """Return where the destination is arrived at, as ``at`` says: x and y in metres, and the facing there
        in degrees; None where ``at`` is "".

        Raise InertiaError for a text other than three finite numbers with commas between them.
        """
        if not self.at:
            return None
        try:
            x, y, facing = map(float, self.at.split(","))
        except ValueError:
            x = y = facing = math.nan
        if not math.isfinite(x + y + facing):
            raise InertiaError(
                '"{text}" is not a place to arrive at; write x and y in metres and the facing in degrees, '
                "such as 1.5,0,90.",
                text=self.at,
            )
        return x, y, facing

    @property
    def key_poses(self) -> tuple[KeyPose, ...]:
        """Return the poses that are shown on the way, read from the texts in `through`, by rising frame.

        Raise InertiaError for a text that is no key pose, for one on a frame that is not between the cut and
        the arrival, and for two on one frame.
        """
        poses = sorted(map(KeyPose.of, self.through), key=lambda pose: pose.frame)
        self._check_frames([pose.frame for pose in poses])
        return tuple(poses)

    @property
    def listed_waypoints(self) -> tuple[Waypoint, ...]:
        """The places that the character is at on the way, by frame.

        Raise InertiaError for a text that is none, for one that is not between the cut and the arrival, and
        for two on one frame.
        """
        waypoints = sorted(map(Waypoint.of, self.waypoints), key=lambda waypoint: waypoint.frame)
        self._check_frames([waypoint.frame for waypoint in waypoints])
        return tuple(waypoints)

    @property
    def listed_touches(self) -> tuple[Touch, ...]:
        """The points that bones touch on the way, by frame.

        Raise InertiaError for a text that is none, for one that is not between the cut and the arrival, and
        for two of one bone on one frame.
        """
        touches = sorted(map(Touch.of, self.touches), key=lambda touch: touch.frame)
        for bone in {touch.bone for touch in touches}:
            self._check_frames([touch.frame for touch in touches if touch.bone == bone])
        return tuple(touches)

    def _check_frames(self, wished: Sequence[float]) -> None:
        """Raise InertiaError unless frames of wishes of one kind, sorted, differ and lie between the cut and
        the arrival.
        """
        frames = [self.transition.cut, *wished, self.arrival]
        for frame, before, after in zip(wished, frames, frames[2:], strict=False):
            if not before < frame < after:
                raise InertiaError(
                    "A pose, waypoint or touch on the way can't be shown at {frame:g}; each takes a frame of "
                    "its own between {cut:g} and {arrival:g}.",
                    frame=frame,
                    cut=self.transition.cut,
                    arrival=self.arrival,
                )

    def with_pose_actions(self, name_now: Callable[[str], str]) -> FillSettings:
        """Return the settings with other names of the actions of poses on the way.

        name_now: takes a name, and returns that in its place.
        """
        poses = map(KeyPose.of, self.through)
        named = (
            dataclasses.replace(each, action=name_now(each.action)) if each.action else each for each in poses
        )
        return dataclasses.replace(self, through=tuple(map(str, named)))

    @property
    def chosen_goal(self) -> str:
        """Return where the destination is arrived at: "PLACE" if ``at`` names a place, else the goal, "LEAD"
        for where the source's motion leads or "OWN" for where its own keys stand.

        The goal AUTO is OWN if source and destination have the same name and a destination frame is given
        that is later than the cut; else LEAD.
        """
        blend = self.transition
        if self.at:
            return "PLACE"
        if self.goal != "AUTO":
            return self.goal
        is_later = blend.destination_frame is not None and blend.destination_frame > blend.cut
        return "OWN" if blend.source == blend.destination and is_later else "LEAD"

    @classmethod
    def between_keys(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values, by their names on the command line and in specs, with the gap that "keys" names
        stated as both of its ends.

        "keys" are two frames of the source. What lies between them is filled anew: the first becomes "cut",
        the second "destination_frame", their distance "gap_frames", and the source, and its slot if that is
        given, is the destination, too. "keys" itself is left out. Without it, or where it is empty, the other
        values are returned as they are.

        Raise InertiaError without keys if "destination" or "cut" is missing; with them for any value that
        they stand in place of, and unless the second frame is later.
        """
        ends = {name: value for name, value in values.items() if name != "keys"}
        if not values.get("keys"):
            if missing := [name for name in ("destination", "cut") if name not in ends]:
                raise InertiaError(
                    "Name the {missing}, or two keys of the source.", missing=" and the ".join(missing)
                )
            return ends
        first, last = values["keys"]
        if taken := sorted(STOOD_FOR & {*ends}):
            raise InertiaError(
                "The keys say where the gap is; leave {names} away.",
                names=", ".join(name.replace("_", " ") for name in taken),
            )
        if not last > first:
            raise InertiaError(
                "No gap lies between the keys at {first:g} and {last:g}; name the earlier one first.",
                first=first,
                last=last,
            )
        ends |= {"cut": first, "destination_frame": last, "gap_frames": last - first}
        also = {"source": "destination", "source_slot": "destination_slot"}
        return ends | {other: ends[name] for name, other in also.items() if name in ends}

    @property
    def tries_without(self) -> bool:
        """Whether a gap that clips fill is filled without them, too, and the judge decides. Around obstacles
        only clips lead.
        """
        return self.use_library and self.choose_by == "JUDGE" and not self.obstacles

    @property
    def arrival(self) -> float:
        """The scene frame at which the destination is arrived at."""
        return self.transition.cut + self.gap_frames

    @classmethod
    def of(cls, transition: TransitionSettings, values: Mapping[str, Any]) -> FillSettings:
        """Return the settings that values by their names on the command line and in specs stand for."""
        return cls(transition, **{**fields.list_requests(cls), **fields.parsed(cls, values)})

    def of_set(self, actions: tuple[str, ...]) -> PathSettings:
        """Return the settings by which a set of actions is analysed and searched.

        actions: the names, () for all that fit. The clips' settings mirror, cycles, find_cycles, speeds and
        faithful are those from here. So are method, quintic_start, root, feet and blend_frames in the
        result's `transition`, whose source and destination are "" and whose cut is 0. All else is at its
        default, but for the wishes, which are the placeholders "0,0,0" and "1,0,0", as nothing is followed.
        """
        shared = {name: getattr(self, name) for name in OF_SETS} | {"actions": actions}
        blend = {name: getattr(self.transition, name) for name in ("method", "quintic_start", "root", "feet")}
        blend["blend_frames"] = self.transition.blend_frames
        # nothing is followed, which this stands for
        return PathSettings(TransitionSettings(**joined_by(blend)), **shared, wishes=("0,0,0", "1,0,0"))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON values."""
        values = super().as_dict()
        # what is no strips is known by what it was before it could be
        return values if self.strips else {name: values[name] for name in values if name != "strips"}
