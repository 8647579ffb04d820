# SPDX-License-Identifier: GPL-3.0-or-later
"""Bends of clips: what a database knows of them, and the clips whose root is moved so."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ...motion.arrays import Array
from ...motion.curves import stretches as curvelib
from ...motion.matching import bends
from ...motion.matching.database import Source
from ...motion.matching.warp import Warp
from ..data import scene
from ..data.actions import Clip
from . import stock as stocks
from .stock import Stock


def clip(armature: Any, stock: Stock, source: Source) -> Clip:
    """The clip of a source, bent as that is, before it is mirrored."""
    straight = stock.clip(source.name)
    frames = curvelib.whole_frames(straight.start, straight.end)
    turn, before, after = _motions(stock, source, frames)
    metres = scene.metres_per_unit()
    motions = Warp(before / metres, turn, (after - before) / metres).matrices()
    return stocks.moved(armature, stock.rig, stock.root, straight, frames, motions)


def at(stock: Stock, source: Source, frame: float) -> tuple[float, Array, Array]:
    """How far a source is turned at a frame of its clip, radians, and where its root is on the ground then,
    straight on (2,) and bent (2,), metres; mirrored, if it is."""
    turn, before, after = _motions(stock, source, np.array([frame]))
    side = np.array([1.0, -1.0 if source.mirrored else 1.0])
    return float(turn[0] * side[1]), before[0] * side, after[0] * side


def _motions(stock: Stock, source: Source, frames: Array) -> tuple[Array, Array, Array]:
    """The same at frames (n,), not mirrored: (n,), (n, 2) and (n, 2)."""
    base = stock.database
    i = base.sources.index(dataclasses.replace(source, mirrored=False, bend=0.0))
    ground = base.ground[base.starts[i] : base.stops[i]]
    turn, after = bends.bent(ground, base.fps, source.bend)
    where, known = (frames - source.first) / source.step, np.arange(len(ground))
    columns = [np.interp(where, known, column) for column in (turn, *ground.T, *after.T)]
    return columns[0], np.stack(columns[1:3], axis=1), np.stack(columns[3:], axis=1)
