# SPDX-License-Identifier: GPL-3.0-or-later
"""A way along a path as the panel and the overlay show it: by value, as nothing that is kept refers into the
file; and what an animator is told of its joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...blender.data import scene
from ...blender.matching import search
from ...motion.matching import targets
from ...records import record
from ..overlay import in_view
from ..shared import labels, words
from ..translations import translated

if TYPE_CHECKING:
    from ...blender.learned.recipes import ModelWay
    from ...motion.arrays import Array, Integers


@record(frozen=True, eq=False)
class PathView:
    """What was found along a path.

    points: (n, 3) of the world, where the character should be, one for each frame; errors: (n,) metres, how
    far away it will be; way: (n, 3), where. begins: the clip and
    its frame with which it begins. marks: (joins, 3), where clips take over, and pins: (pins, 3).
    joins, figures: as commands tell them. asked: the speeds that the path asks for, "" without a timing; had:
    those of the clips. is_timed: whether places on the path are seconds, not metres; length: the last one.
    size: the character's height, as a part of a person's. ghosts: (n, joints, 3) of the world, the character
    on each frame, from the scene's frame ``first`` on, in steps of ``step``; joined: (m, 2), which joints
    are.
    """

    points: Array
    errors: Array
    way: Array
    length: float
    size: float
    is_timed: bool = True
    begins: dict[str, Any] = field(default_factory=dict)
    marks: Array = field(default_factory=lambda: np.zeros((0, 3)))
    pins: Array = field(default_factory=lambda: np.zeros((0, 3)))
    joins: tuple[dict[str, Any], ...] = ()
    figures: dict[str, Any] = field(default_factory=dict)
    asked: str = ""
    had: str = ""
    warnings: tuple[str, ...] = ()
    ghosts: Array = field(default_factory=lambda: np.zeros((0, 0, 3)))
    joined: Integers = field(default_factory=lambda: np.zeros((0, 2), int))
    first: float = 0.0
    step: float = 1.0

    def ghost_at(self, frame: float) -> Array | None:
        """Return the ends (2 m, 3) of the lines from joint to joint on a frame of the scene; None beyond
        the way.
        """
        i = round((frame - self.first) / self.step)
        return self.ghosts[i, self.joined].reshape(-1, 3) if 0 <= i < len(self.ghosts) else None

    def index_at(self, seconds: float) -> int:
        """Return the index of the join that is nearest to a time; -1 where there are none."""
        if not self.joins:
            return -1
        return int(np.argmin(np.abs(np.array([join["seconds"] for join in self.joins]) - seconds)))


def of(plan: search.PathPlan) -> PathView:
    """Return the view of a way that was found, by value: nothing in it refers into the file.

    Places and joints are in the world's units, at the height of the ground. pins are the places of pinned
    clips and of goals that lie within the path's length. joins and figures are as commands tell them; asked
    is "" for a path without a timing.
    """
    wanted, away = plan.errors
    warped, base = plan.warped, plan.stock.database
    way = warped.ground
    asked_at = [pin.at for pin in plan.settings.pinned] + [goal.seconds for goal in plan.settings.aimed]
    pinned = [plan.at(place) for place in asked_at if place <= plan.length]
    pins = np.array(pinned).reshape(-1, 2)
    asked, had = plan.speeds
    frames = [join.frame for join in plan.way.joins[1:]]
    heights = np.zeros(len(way)) if plan.rises is None else plan.rises
    below = [int(np.argmin(np.linalg.norm(wanted - pin, axis=1))) for pin in pins]
    floor = float(plan.stock.rig.world[2, 3])
    return PathView(
        _in_world(wanted, heights, floor),
        away,
        _in_world(way, heights, floor),
        plan.length,
        base.size,
        isinstance(plan.target, targets.Timed),
        search.describe_beginning(plan),
        _in_world(way[frames], heights[frames], floor),
        _in_world(pins, heights[below], floor),
        tuple(search.joins(plan)),
        search.figures(plan),
        "" if asked is None else speeds_text([asked]),
        speeds_text(had),
        plan.warnings,
        in_view.joint_places(base, warped.flat, way, warped.heading, floor)
        + _in_world(0.0 * way, heights, 0.0)[:, None],
        in_view.joined_pairs(plan.stock.rig.bones, base.joints),
        plan.settings.first_frame,
        plan.stock.step,
    )


def by_model(route: ModelWay, floor: float) -> PathView:
    """Return what there is to show of a way that a model goes. floor: its height in the world."""
    flat, away = np.zeros(len(route.ground)), np.linalg.norm(route.ground - route.wanted, axis=1)
    points, line = (_in_world(ground, flat, floor) for ground in (route.wanted, route.ground))
    return PathView(points, away, line, route.seconds, route.size)


def _in_world(ground: Array, heights: Array, floor: float) -> Array:
    """Lift points (n, 2) of the ground, metres, to points (n, 3) of the world, in its units.

    heights: (n,) metres above the floor. floor: its height in the world.
    """
    metres = scene.metres_per_unit()
    return np.column_stack([ground / metres, floor + heights / metres])


def speeds_text(ranges: Sequence[tuple[float, float]]) -> str:
    """List ranges of speeds: ``0.9-1.3, 3.0 m/s``."""
    texts = [f"{a:.1f}" if f"{a:.1f}" == f"{b:.1f}" else f"{a:.1f}-{b:.1f}" for a, b in ranges]
    return f"{', '.join(texts)} m/s"


# --- a join in words

STANDS = 0.3
"""Who moves slower, in metres a second for a person, stands."""
FROUDE, LEG, GRAVITY = 0.5, 0.9, 9.81
"""Who walks begins to run where speed squared over gravity and the length of a leg, of a person in metres, is
so large (R. McN. Alexander, "Optimization and gaits in the locomotion of vertebrates", 1989)."""
TURNS, ROUND = 30.0, 15.0
"""What turns more than so many degrees is a turn, told in steps of so many."""
PARTS_OF_COST = {
    "path": "Off the Path",
    "facing": "Facing Aside",
    "join": "Cost of the Join",
    "ahead": "Ahead",
    "progress": "Getting on",
}
"""What the parts of a cost are called."""
WHY = {
    "turns": 'Here because "{clip}" turns with the path; costs {cost}.',
    "path": 'Here because "{clip}" stays on the path; costs {cost}.',
    "facing": 'Here because "{clip}" faces along the path; costs {cost}.',
    "progress": 'Here because "{clip}" moves along the path faster; costs {cost}.',
}
"""Why a clip was chosen, by what it saves most of."""
ENDS = 'Here because "{clip}" ends; costs {cost}.'
PAYS_OFF = "Here although going on would be nearer now: it pays off later, or was asked for; costs {cost}."
STRAIGHT, ONWARD = (
    "Going straight would leave the path by {away}.",
    "Going on would leave the path by {away}.",
)


def gait(leads: dict[str, float], size: float) -> str:
    """Return what a character does, in Blender's language.

    For a turn of 30 degrees or more it is a text such as "Turn left 90", to the nearest 15 degrees. Else it
    is "Stop" below 0.3 m/s times `size`, "Run" above about 2.1 m/s times the square root of `size` (a Froude
    number of 0.5 for a leg of 0.9 m times `size`), and "Walk" between. leads: with "turn_deg", positive to
    the left, and "speed_m_s". size: its height, as a part of a person's.
    """
    turn = leads["turn_deg"]
    if abs(turn) >= TURNS:
        degrees = f"{ROUND * round(abs(turn) / ROUND):.0f}"
        return translated("Turn left {0}" if turn > 0.0 else "Turn right {0}", degrees)
    if leads["speed_m_s"] < STANDS * size:
        return translated("Stop")
    runs = leads["speed_m_s"] ** 2 > FROUDE * GRAVITY * LEG * size
    return translated("Run" if runs else "Walk")


def reason(armature: Any, join: dict[str, Any]) -> tuple[words.PanelLine, ...]:
    """Return one or two lines for the panel on why a clip was chosen at a join.

    join: as commands tell it, see :func:`search.joins`. The first line, in English here, ends with the
    displacement, as in "costs 7 mm s":

    - If going_on is None: "Here because ... ends", of the clip that is left.
    - If the parts of going_on add up to no more than the join's cost: "Here although going on
      would be nearer now".
    - Else what the join saves most of against going on, of the clip that is entered: "faces along
      the path", "moves along the path faster", or, for the path and what lies ahead, "stays on
      the path", which is "turns with the path" where the join leads into 30 degrees or more.

    Only in the last case is there a second line, if going on leads further away from the path than the join
    does: how far, in the scene's unit, by "going straight", or by "going on" where that turns by 30 degrees
    or more.
    """
    cost = words.displacement(join["displacement_m_s"])
    going_on, leads = join["going_on"], join["going_on_leads"]
    if going_on is None:
        return (words.line(ENDS, clip=labels.action(armature, join["from"]["action"]), cost=cost),)
    saved = {part: going_on[part] - join["why"][part] for part in going_on}
    if sum(going_on.values()) <= join["cost"]:
        return (words.line(PAYS_OFF, cost=cost),)
    most = max(("path", "facing", "progress", "ahead"), key=lambda part: saved[part])
    if most in ("path", "ahead"):
        most = "turns" if abs(join["leads"]["turn_deg"]) >= TURNS else "path"
    lines = [words.line(WHY[most], clip=labels.action(armature, join["to"]["action"]), cost=cost)]
    if leads["away_m"] > join["leads"]["away_m"]:
        text = STRAIGHT if abs(leads["turn_deg"]) < TURNS else ONWARD
        lines.append(words.line(text, away=scene.length_text(leads["away_m"])))
    return tuple(lines)


def numbers(armature: Any, join: dict[str, Any]) -> str:
    """Return the numbers of the search at a join as text, a row each, in Blender's language.

    The first row is "Cost: 1.20". Then comes each part that `why` has, in the order "Off the Path", "Facing
    Aside", "Cost of the Join", "Ahead", "Getting on", as "Ahead: 0.31, going on 0.55", or without the latter
    number where going_on is None, as the clip before ended there. The last is "Most: " with the joint that is
    displaced most. Costs have no unit and two decimals.

    join: as commands tell it, see :func:`search.joins`; going_on has the parts that `why` has.
    """
    rows = [f"{translated('Cost')}: {join['cost']:.2f}"]
    for part, label in PARTS_OF_COST.items():
        if part in join["why"]:
            text = f"{join['why'][part]:.2f}"
            if join["going_on"] is not None:
                text = translated("{0}, going on {1}", text, f"{join['going_on'][part]:.2f}")
            rows.append(f"{translated(label)}: {text}")
    rows.append(f"{translated('Most')}: {labels.bone(armature, join['worst_joint'])}")
    return "\n".join(rows)
