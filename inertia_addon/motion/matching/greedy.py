# SPDX-License-Identifier: GPL-3.0-or-later
"""The search of games, as a reference: it sees a second of the path, and never what it has cost so far.

Every tenth of a second the frame nearest to the pose and the wanted trajectory takes over, unless it is near
to the present one or that is nearer itself; as in D. Holden's controller (orangeduck/Motion-Matching).
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..arrays import Integers
from . import queries, targets, ways
from .database import Database
from .features import Features
from .how import How
from .moves import Moves, Rows
from .queries import Index
from .targets import Timed
from .ways import Join, Way

AROUND, REST = 1.0 / 3.0, 1.0 / 3.0
"""Seconds around the present frame that are no destination, and that a clip has to go on for: 20 frames of
60."""


def way(database: Database, features: Features, target: Timed, how: How | None = None) -> Way:
    """The way that a game's search goes along a target."""
    how = how or How()
    moves = Moves(database, features, target, how)
    index = queries.index(database, features, 1, REST)
    rows = moves.beginnings()
    rows = rows.at(np.zeros(1, np.int64))
    joins = [_join(rows, 0, -1)]
    for frame in range(0, target.frames, moves.step):
        found = _nearest(moves, index, rows, frame)
        if found is not None:
            left = int(rows.frame[0])
            rows = moved(moves, rows, np.array([found]))
            joins.append(_join(rows, frame, left))
        rows = dataclasses.replace(rows, frame=rows.frame + moves.step)
    return ways.assembled(database, joins, target.frames, 0.0)


def moved(moves: Moves, rows: Rows, entered: Integers) -> Rows:
    """Rows that have jumped to frames, and stand and face as they did."""
    angle, place = moves.placed(rows, entered)
    return dataclasses.replace(rows, frame=entered, angle=angle, place=place)


def _join(rows: Rows, frame: int, left: int) -> Join:
    x, y = rows.place[0].tolist()
    return Join(frame, left, int(rows.frame[0]), float(rows.angle[0]), (x, y))


def _nearest(moves: Moves, index: Index, rows: Rows, frame: int) -> int | None:
    """The frame to jump to, None to go on."""
    features, target = moves.features, moves.target
    ground, heading = (a[:, 0] for a in moves.world(rows, np.zeros(1, np.int64)))
    pace = np.zeros((1, len(features.later)))
    points, facing = target.wanted(frame, features.later, rows.progress, pace)
    asked = features.queries(rows.frame, *targets.seen_from(ground, heading, points, facing))
    reach = round(AROUND * moves.database.fps)
    place = int(queries.nearest(index, asked, 1, rows.frame, reach)[0, 0])
    if place < 0:
        return None
    goes_on = int(moves.database.last(rows.frame)[0] - rows.frame[0]) >= moves.step
    own, other = (
        float(np.round(np.sum((values.astype(float) - asked[0]) ** 2), 6))
        for values in (features.values[rows.frame[0]], features.values[index.frames[place]])
    )
    return None if goes_on and own <= other else int(index.frames[place])
