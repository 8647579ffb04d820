# SPDX-License-Identifier: GPL-3.0-or-later
"""A model is steered: it goes where it is wished to, and a moment is all that comes after it."""

from __future__ import annotations

import dataclasses
import functools
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.motion.learned import steered
from inertia_addon.motion.learned.follow import EVERY
from inertia_addon.motion.learned.steered import Steered, SteeredMoment
from inertia_addon.motion.matching.engine import FPS
from inertia_addon.motion.matching.targets import wrapped
from inertia_addon.motion.steering import session
from inertia_addon.motion.steering.fitted import FittedGait
from inertia_addon.motion.steering.session import Session
from inertia_addon.motion.steps import finish
from inertia_addon.settings.steering import SteerSettings, Wish, rows
from tests.motion.made_up_moves import model

PLACE = np.array([2.0, -1.0])
PRESSED = ((1.2, 0.0, 1.6), (0.0, 1.2, 1.4), (0.0, 0.0, 0.5))


@functools.cache
def led() -> Steered:
    return Steered(dataclasses.replace(model(), gait=FittedGait(0.27, 0.3, ((0.0, 1.3),))))


def taken(*pressed: tuple[float, float, float]) -> list[SteeredMoment]:
    """A take by velocities, each for so many seconds."""
    found, at = [], 0.0
    for x, y, seconds in pressed:
        found.append(Wish(at, x, y).rounded)
        at += seconds
    asked = session.Wishes.of((*found, Wish(at, 0.0, 0.0)), FPS)
    return finish(session.steps(led(), asked, PLACE, 0.5))


def shown(moments: list[SteeredMoment]) -> list[list[float]]:
    return [
        [*each.ground.tolist(), each.heading, *each.shown.pose.rotations.ravel().tolist()] for each in moments
    ]


def steer(own: Session[SteeredMoment], *pressed: tuple[float, float, float]) -> Session[SteeredMoment]:
    for x, y, seconds in pressed:
        own.wish(x, y)
        for _ in range(round(seconds * FPS)):
            own.step()
    return own


def test_a_model_goes_and_faces_where_it_is_wished_to() -> None:
    moments = taken(*PRESSED[:2], (-1.2, 0.0, 2.0))
    ground, heading = np.array([each.ground for each in moments]), np.array([m.heading for m in moments])
    for end, way in ((1.6, (1.2, 0.0)), (3.0, (0.0, 1.2)), (5.0, (-1.2, 0.0))):
        last = round(end * FPS)
        going = (ground[last] - ground[last - 30]) * FPS / 30
        # the clips walk at 0.8 to 1.2 m/s
        assert going == pytest.approx(way, abs=0.35)
        assert abs(wrapped(heading[last] - np.arctan2(way[1], way[0]))) < 0.25
    own, aim = steered.take(led(), moments)
    near = SteerSettings().clamp_distance * led().model.size
    assert np.linalg.norm(own.ground - aim.ground, axis=1).max() <= near + 1e-6
    assert 0 < len(own.projected) < len(moments) / FPS * 4.0


def test_a_model_is_drawn_by_no_more_than_half_of_its_own_way() -> None:
    moments = _whole()
    for before, after in itertools.pairwise(moments):
        own = float(np.linalg.norm(after.ahead.player.root[0] - before.shown.ground))
        gone = float(np.linalg.norm(after.ground - before.ground))
        assert gone <= (1.0 + SteerSettings().adjust_part) * own + 1e-5


@settings(deadline=None, max_examples=4)
@given(st.integers(1, 209))
def test_a_moment_is_all_that_comes_after_it(frame: int) -> None:
    moments = _whole()
    asked = session.Wishes.of((*_wishes(), Wish(3.5, 0.0, 0.0)), FPS)
    now = moments[frame - 1]
    for later in range(frame, min(frame + 25, len(moments))):
        now = led().step(now, asked.at(later))
    assert shown([now]) == shown([moments[min(frame + 24, len(moments) - 1)]])


def test_a_wish_that_a_filter_smooths_is_not_new_and_one_let_go_is_decided_anew() -> None:
    own = Steered(dataclasses.replace(model(), gait=led().gait), answer=SteerSettings(filter_half_life=0.1))
    now = own.begin(PLACE, 0.5, Wish(0, 0, 0))
    for _ in range(4):
        now = own.step(now, Wish(0, 0.5, 0.0))
    assert now.point.asked == pytest.approx([0.5 * (1.0 - 0.5 ** (4 / FPS / 0.1)), 0.0], abs=1e-6)
    assert now.thought is None
    now = own.step(now, Wish(0, 1.25, 0.0))
    assert now.point.asked.tolist() == [1.25, 0.0]
    assert now.point.velocity == pytest.approx([1.25, 0.0], abs=1e-6)
    # on the way to another pose, or going on for less than that costs
    assert now.due == now.frame + EVERY


def _wishes() -> list[Wish]:
    return [Wish(0.0, 1.2, 0.0).rounded, Wish(1.6, 0.0, 1.2).rounded, Wish(3.0, 0.0, 0.0)]


@functools.cache
def _whole() -> list[SteeredMoment]:
    return taken(*PRESSED)


def test_wishes_make_the_same_take_and_going_back_leads_to_where_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "RECENT", 16)
    own = steer(Session(led(), PLACE, 0.5), (1.2, 0.0, 0.6), (0.0, 1.2, 0.5), (0.0, 0.0, 0.2))
    asked = session.Wishes.of(rows(map(str, own.rows())), FPS)
    whole = finish(session.steps(led(), asked, PLACE, 0.5))
    assert shown([own.now]) == shown([whole[own.now.frame]])
    for _ in range(3):
        own.back(0.4)
        assert shown([own.now]) == shown([whole[own.now.frame]])
    own.back(100.0)
    assert own.frames == 1


def test_a_model_that_does_not_say_how_its_clips_go_walks_at_its_pace() -> None:
    own = Steered(model())
    assert own.gait.speeds == ((0.0, model().pace),)
    assert np.linalg.norm(own.gait.attainable(np.array([9.0, 0.0]))) == pytest.approx(model().pace)
