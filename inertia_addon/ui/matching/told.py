# SPDX-License-Identifier: GPL-3.0-or-later
"""What an animator is told of a join of a path: what plays, why, and what else would have come of it."""

from __future__ import annotations

from typing import Any

from ...blender.data import scene
from ..shared import names, words
from ..shared.words import Line
from ..translations import translated

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
    """What a character does: ``Walk``, ``Turn left 90``. size: its height, as a part of a person's."""
    turn = leads["turn_deg"]
    if abs(turn) >= TURNS:
        degrees = f"{ROUND * round(abs(turn) / ROUND):.0f}"
        return translated("Turn left {0}" if turn > 0.0 else "Turn right {0}", degrees)
    if leads["speed_m_s"] < STANDS * size:
        return translated("Stop")
    runs = leads["speed_m_s"] ** 2 > FROUDE * GRAVITY * LEG * size
    return translated("Run" if runs else "Walk")


def reason(armature: Any, join: dict[str, Any]) -> tuple[Line, ...]:
    """Why a clip was chosen, and what going on would have done."""
    cost = words.displacement(join["displacement_m_s"])
    going_on, leads = join["going_on"], join["going_on_leads"]
    if going_on is None:
        return (words.line(ENDS, clip=names.action(armature, join["from"]["action"]), cost=cost),)
    saved = {part: going_on[part] - join["why"][part] for part in going_on}
    if sum(going_on.values()) <= join["cost"]:
        return (words.line(PAYS_OFF, cost=cost),)
    most = max(("path", "facing", "progress", "ahead"), key=lambda part: saved[part])
    if most in ("path", "ahead"):
        most = "turns" if abs(join["leads"]["turn_deg"]) >= TURNS else "path"
    found = [words.line(WHY[most], clip=names.action(armature, join["to"]["action"]), cost=cost)]
    if leads["away_m"] > join["leads"]["away_m"]:
        text = STRAIGHT if abs(leads["turn_deg"]) < TURNS else ONWARD
        found.append(words.line(text, away=scene.length_text(leads["away_m"])))
    return tuple(found)


def numbers(armature: Any, join: dict[str, Any]) -> str:
    """The numbers of the search, a row each."""
    rows = [f"{translated('Cost')}: {join['cost']:.2f}"]
    for part, label in PARTS_OF_COST.items():
        if part in join["why"]:
            text = f"{join['why'][part]:.2f}"
            if join["going_on"] is not None:
                text = translated("{0}, going on {1}", text, f"{join['going_on'][part]:.2f}")
            rows.append(f"{translated(label)}: {text}")
    rows.append(f"{translated('Most')}: {names.bone(armature, join['worst_joint'])}")
    return "\n".join(rows)
