# SPDX-License-Identifier: GPL-3.0-or-later
"""A take on the way: what was wished by hand makes the same take as a file of it does."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest

from inertia_addon.motion.steering import session as sessions
from inertia_addon.motion.steering import steering
from inertia_addon.motion.steering.session import Session
from inertia_addon.motion.steps import finish
from inertia_addon.settings.steering import Wish, rows
from tests.motion.made_up_walks import FPS
from tests.motion.steering.test_steering import leaps, led

PLACE = np.array([2.0, -1.0])


def steered(session: Session, *pressed: tuple[float, float, float]) -> Session:
    """Velocities, each for so many seconds."""
    for x, y, seconds in pressed:
        session.wish(x, y)
        for _ in range(round(seconds * FPS)):
            session.step()
    return session


def from_file(session: Session) -> list[tuple[int, float, float]]:
    """The moments that the rows of a session make, as a file has them."""
    asked = sessions.Wishes.of(rows(map(str, session.rows())), FPS)
    return shown(finish(sessions.steps(led(), asked, PLACE, 0.5)))


def shown(moments: list[steering.Moment]) -> list[tuple[int, float, float]]:
    return [(one.flat, *one.ground.tolist()) for one in moments]


def test_wishes_make_the_same_take() -> None:
    session = steered(Session(led(), PLACE, 0.5), (1.37, 0.0, 0.9), (0.0, 1.37, 0.6), (0.0, 0.0, 0.5))
    assert session.seconds == pytest.approx(2.0, abs=1.0 / FPS)
    assert from_file(session) == shown(session.moments)


def test_a_session_that_goes_back_and_wishes_something_else_has_a_take_of_that() -> None:
    session = steered(Session(led(), PLACE, 0.5), (1.37, 0.0, 1.0), (0.0, 1.37, 1.0))
    session.back(1.3)
    assert session.seconds == pytest.approx(0.7, abs=1.0 / FPS)
    steered(session, (0.0, -1.37, 1.0))
    assert not any(row.y > 0.0 for row in session.rows())
    assert from_file(session) == shown(session.moments)
    session.back(100.0)
    assert len(session.moments) == 1
    assert session.rows()[0] == Wish(0.0, 0.0, 0.0)


def test_a_take_is_continued_from_its_middle() -> None:
    first = steered(Session(led(), PLACE, 0.5), (1.37, 0.0, 1.0), (0.0, 1.37, 0.8))
    asked = sessions.Wishes.of(first.rows(), FPS)
    again = Session.resume(led(), asked, first.moments[: round(0.8 * FPS)])
    steered(again, (0.0, 0.0, 0.7))
    assert [row for row in again.rows() if row.y > 0.0] == []
    assert from_file(again) == shown(again.moments)


def test_a_session_that_goes_back_further_than_is_kept_is_where_the_take_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sessions, "RECENT", 10)
    monkeypatch.setattr(sessions, "EVERY", 16)
    pressed = (1.37, 0.0, 0.9), (0.0, 1.37, 0.8), (0.0, 0.0, 0.4)
    session = steered(Session(led(), PLACE, 0.5), *pressed)
    whole = finish(sessions.steps(led(), sessions.Wishes.of(session.rows(), FPS), PLACE, 0.5))
    assert len(session.moments) == 10
    for _ in range(4):
        session.back(0.5)
        assert shown([session.now]) == shown([whole[session.frames - 1]])
    session.back(100.0)
    assert shown(session.moments) == shown(whole[:1])
    steered(session, *pressed)
    assert from_file(session)[-10:] == shown(session.moments)


def test_a_take_needs_no_more_memory_as_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "RECENT", 16)
    session, turns = Session(led(), PLACE, 0.5), itertools.cycle([(1.37, 0.0), (0.0, 1.37), (0.0, 0.0)])

    def for_a_while() -> int:
        """Return what is in use after two seconds more."""
        for x, y in itertools.islice(turns, 2):
            steered(session, (x, y, 1.0))
        return tracemalloc.get_traced_memory()[0]

    steered(session, (0.0, 0.0, sessions.RECENT / FPS))
    tracemalloc.start()
    try:
        first, second = for_a_while(), for_a_while()
    finally:
        tracemalloc.stop()
    # a moment takes about two kilobytes, and there are 60 of them
    assert second - first < 30_000


def test_a_move_is_kept_with_what_was_wished() -> None:
    own = leaps()
    session = steered(Session(own, PLACE, 0.5), (1.37, 0.0, 0.8))
    session.move("leap")
    steered(session, (1.37, 0.0, 0.8), (0.0, 0.0, 1.0))
    assert [row.move for row in session.rows() if row.move] == ["leap"]
    asked = sessions.Wishes.of(rows(map(str, session.rows())), FPS)
    assert shown(finish(sessions.steps(own, asked, PLACE, 0.5))) == shown(session.moments)
    assert "leap" in {own.database.place(each.flat)[0].name for each in session.moments}
