# SPDX-License-Identifier: GPL-3.0-or-later
"""How a way through a set of clips is searched, and what an animator may ask of it."""

from __future__ import annotations

from ...records import record
from ...settings.matching import Ban, Pin
from ..decay.decay import Method


@record(frozen=True)
class How:
    """How a way is searched.

    method, seconds: how transitions blend, by which a join's displacement is known exactly. cost: of a metre
    second of displacement, of a person; join: of each join beside it, and again: of one within a clip, which
    goes on much as before, and shows all the same. step: seconds between two decisions.
    width: how many hypotheses are kept; jumps: how many frames each may jump to. ahead: seconds. shortest:
    seconds between two joins. cell: metres, and same: seconds: of hypotheses that are nearer to each other in
    place and in their clip only the best is kept; 0 keeps all. reach: a jump to a frame that is nearer than
    so many seconds is none. rest: the seconds that a clip goes on for, at least, when it is entered. every:
    each so many frames are looked at, and of ``apart`` of these in a row only the nearest. pins, bans: what
    the animator asks for. fixed: the clips that are entered from the beginning on, each at its seconds;
    nothing else is, until the last of them. start_standing: begin where one stands still, if any clip does.
    moves: the clips that are played only when whoever steers asks for them.
    """

    method: Method = Method.SOFT
    seconds: float = 0.4
    cost: float = 220.0
    join: float = 0.0
    again: float = 0.3
    step: float = 0.1
    width: int = 48
    jumps: int = 8
    ahead: float = 0.75
    shortest: float = 0.3
    cell: float = 0.08
    same: float = 0.05
    reach: float = 1.0 / 6.0
    rest: float = 0.2
    every: int = 2
    apart: int = 5
    pins: tuple[Pin, ...] = ()
    bans: tuple[Ban, ...] = ()
    fixed: tuple[Pin, ...] = ()
    start_standing: bool = False
    moves: tuple[str, ...] = ()
