# SPDX-License-Identifier: GPL-3.0-or-later
"""Why each clip of a way was chosen, and what else could have been."""

from __future__ import annotations

import dataclasses

import numpy as np

from ...records import record
from ..arrays import Array, Integers
from .moves import Moves, Options, Rows
from .targets import NEAR, wrapped
from .ways import Join, Warp, Way

LOOKED_AT = 32
"""So many of the frames that are nearest by features are compared."""
APART_SECONDS = 0.3
"""Frames of a clip that are nearer to each other are no two choices."""


@record(frozen=True)
class Choice:
    """What may play from a join on.

    clip, mirrored, frame: of its own. parts: what the search says of it, by what: "path" and "facing" in
    the next step, "ahead" behind that, "join", and "progress" along a line, which is a reward.
    displacement: metre seconds. away, turn, speed: how far from the path it leads at most, metres, how far it
    turns, radians, to the left, and how fast it goes, metres a second, in the time that is looked ahead.
    """

    clip: str
    mirrored: bool
    frame: float
    parts: dict[str, float]
    displacement: float
    away: float
    turn: float
    speed: float

    @property
    def cost(self) -> float:
        """All parts together."""
        return sum(self.parts.values())


@record(frozen=True)
class Reason:
    """Of a join of a way: what was chosen, which joint adds most to its displacement, what going on would
    have cost (None where the clip ends), and the next best choices, the best first."""

    frame: int
    left: tuple[str, bool, float] | None
    chosen: Choice
    worst_joint: str
    going_on: Choice | None
    others: tuple[Choice, ...]


def reasons_of(moves: Moves, way: Way, warp: Warp | None = None, count: int = 3) -> tuple[Reason, ...]:
    """The reasons of all joins but the beginning. warp: by which the character had been moved when it came
    there; None for not at all. count: how many other choices are told."""
    return tuple(
        _reason(moves, _row(before, join, warp), join, count)
        for before, join in zip(way.joins, way.joins[1:], strict=False)
    )


def _reason(moves: Moves, rows: Rows, join: Join, count: int) -> Reason:
    base = moves.database
    candidates = moves.candidates(rows, join.frame, LOOKED_AT)[0]
    entered = np.concatenate([[join.left, join.entered], candidates[candidates >= 0]])
    goes_on = base.last(np.array([join.left]))[0] - join.left >= moves.step
    parent = np.zeros(len(entered), np.int64)
    jumped = np.arange(len(entered)) > 0
    played = moves.played(rows, parent, jumped, entered, parent, join.frame)
    leads = _leads(moves, rows, played, join.frame)
    displaced = moves.displacements(np.full(len(entered), join.left), entered) * jumped
    choices = [_choice(moves, played, i, displaced[i], leads[i]) for i in range(len(entered))]
    order = np.lexsort((entered, np.array([round(choice.cost, 9) for choice in choices]))).tolist()
    apart = APART_SECONDS * base.fps
    taken = [join.entered]
    others: list[Choice] = []
    for i in order:
        same = base.part[entered[i]] == base.part[taken]
        if i < 2 or np.any(same & (np.abs(entered[i] - np.array(taken)) < apart)) or len(others) == count:
            continue
        taken.append(int(entered[i]))
        others.append(choices[i])
    source, frame = base.place(join.left)
    by_joint = moves.by_joint(np.array([join.left]), np.array([join.entered]))[0] * base.weights
    return Reason(
        join.frame,
        (source.name, source.mirrored, frame),
        choices[1],
        base.joints[int(np.argmax(by_joint))],
        choices[0] if goes_on else None,
        tuple(others),
    )


def _row(before: Join, join: Join, warp: Warp | None) -> Rows:
    """The hypothesis that came to a join."""
    one: Integers = np.zeros(1, np.int64)
    angle, place = np.array([before.angle]), np.array([before.place])
    if warp is not None:
        motion, turn = warp.matrices()[join.frame], warp.turn[join.frame]
        angle, place = angle + turn, place @ motion[:2, :2].T + motion[:2, 3]
    return Rows(
        np.array([join.left]),
        angle,
        place,
        np.zeros(1),
        one,
        np.array([join.progress]),
        one,
        one,
    )


def _leads(moves: Moves, rows: Rows, played: Options, frame: int) -> Array:
    """Where options lead in the time that is looked ahead (options, 3): away, turn and speed of a choice."""
    later = np.concatenate([moves.now, moves.step + moves.ahead])
    before = rows.at(played.parent)
    led = dataclasses.replace(before, frame=played.entered, angle=played.angle, place=played.place)
    ground, heading = moves.world(led, later)
    error = moves.target.error(ground, heading, frame, later, before.progress)
    away = NEAR * moves.target.size * np.sqrt(error.position.max(axis=1))
    gone = np.linalg.norm(np.diff(ground, axis=1), axis=-1).sum(axis=1)
    seconds = max(int(later[-1] - later[0]), 1) / moves.database.fps
    return np.column_stack([away, wrapped(heading[:, -1] - heading[:, 0]), gone / seconds])


def _choice(moves: Moves, played: Options, i: int, displaced: float, leads: Array) -> Choice:
    source, frame = moves.database.place(int(played.entered[i]))
    parts = {name: float(values[i]) for name, values in played.parts.items()}
    return Choice(source.name, source.mirrored, frame, parts, float(displaced), *leads.tolist())
