# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of a crowd keep apart, though a model strays from what it is led along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from inertia_addon.blender.learned import crowd, follow
from inertia_addon.blender.learned.follow import LearnedPath
from inertia_addon.motion.learned.follow import FollowedPath
from inertia_addon.motion.matching import apart
from inertia_addon.motion.matching.engine import FPS
from inertia_addon.motion.matching.targets import Timed
from inertia_addon.motion.steps import Steps, finish
from inertia_addon.settings.matching import PathSettings
from tests.blender import wanderer


def walk_on(begins: float, ends: float) -> Timed:
    """A walk of four seconds along y, which comes from one place on x to another."""
    along = np.linspace(0.0, 1.0, round(4.0 * FPS))
    ground = np.column_stack([begins + (ends - begins) * along, 4.0 * along])
    return Timed(ground, np.zeros(len(along)), FPS)


def play_nearer_together(by: float) -> Any:
    """Return a model's part: who plays comes nearer to the others than it was led, half of `by` each."""

    def together(
        model: Any, asked: Sequence[tuple[PathSettings, Timed]], _file: str = ""
    ) -> Steps[list[LearnedPath]]:
        yield 1.0
        middle = np.mean([aim.ground[0, 0] for _, aim in asked])
        found = []
        for chosen, aim in asked:
            aside = np.sign(aim.ground[0, 0] - middle)
            ground = aim.ground - (0.5 * by * aside, 0.0)
            none = np.zeros((len(ground), 0))
            played = FollowedPath(none, none, ground, aim.facing, none > 0.0, np.zeros(0, np.int64))
            found.append(LearnedPath(model, chosen, aim, played))
        return found

    return together


@pytest.mark.parametrize(("strays", "keeps"), [(0.0, 0.6), (0.3, 0.6), (0.3, 0.0)])
def test_a_crowd_keeps_as_far_apart_as_it_should_though_it_strays(
    strays: float, keeps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "together", play_nearer_together(strays))
    chosen = wanderer.settings(points="none", apart=keeps)
    no_model: Any = None
    members = [crowd.Walker(no_model, chosen, target) for target in (walk_on(0.0, 0.0), walk_on(2.0, 0.5))]
    learned = finish(crowd.follow_all_steps(no_model, members))
    distance = apart.nearest([each.played.ground for each in learned])[0]
    # nobody is led around those who may come as near as they like
    assert distance >= keeps - 0.01 if keeps else distance == pytest.approx(0.5 - strays)
    assert [each.beside is None for each in learned] == [True, keeps == 0.0]
