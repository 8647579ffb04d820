# SPDX-License-Identifier: GPL-3.0-or-later
"""Random chains of features, each made of what the one before has made: what was there stays as it was, and
what can't be done is said.

``INERTIA_CHAINS=300`` tries so many, ``INERTIA_CHAINS=17:18`` the one of that seed.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from inertia_addon import api
from inertia_addon.blender.data import actions
from inertia_addon.errors import InertiaError
from tests.blender.results import kinds

FIRST, LAST = (
    map(int, (text if ":" in text else f"0:{text}").split(":"))
    if (text := os.environ.get("INERTIA_CHAINS", ""))
    else (0, 4)
)
FEATURES = ("transition", "hop", "fill", "loop", "path", "travel", "feet", "fewer keys", "update")
BEGINS_AS_BEFORE = ("transition", "hop", "fill")
"""The features whose result begins as its source does."""


@pytest.fixture
def walker(fresh_file: None) -> Any:
    return kinds.character()


def begins(name: str) -> dict[tuple[str, int], float]:
    """What the bones above the legs show on an action's first frame."""
    action = bpy.data.actions[name]
    first = action.frame_range[0]
    upper = [
        each for each in kinds.curves_of(action) if any(f'"{b}"' in each.data_path for b in ("hips", "chest"))
    ]
    return {(each.data_path, each.array_index): each.evaluate(first) for each in upper}


def try_feature(armature: Any, feature: str, source: str, folder: Path) -> str:
    """Make a result of a source, or make that anew, and return its name; the source's own if it says why not.

    Assert that nothing else has changed, and that it begins as the source does where it has to.
    """
    others = [each.name for each in bpy.data.actions if feature != "update" or each.name != source]
    before = {name: actions.contents(bpy.data.actions[name]) for name in others}
    try:
        if feature == "update":
            return str(api.update(armature, action=source).values["updated"][0]["result"])
        made = kinds.MADE[feature](armature, source, folder)
    except InertiaError:
        return source
    finally:
        assert {name: actions.contents(bpy.data.actions[name]) for name in others} == before
    assert made not in others
    if feature in BEGINS_AS_BEFORE:
        was, now = begins(source), begins(made)
        for address in was.keys() & now.keys():
            np.testing.assert_allclose(now[address], was[address], atol=1e-4, err_msg=f"{feature} {address}")
    return made


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_chains_of_features_leave_their_sources_as_they_were(walker: Any, tmp_path: Path, seed: int) -> None:
    chance, name = random.Random(seed), "Walk"
    features = chance.choices(FEATURES, k=chance.randint(2, 5))
    for feature in features:
        name = try_feature(walker, feature, name, tmp_path)
    frames = [*map(round, bpy.data.actions[name].frame_range)]
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        assert np.isfinite(np.array([bone.matrix for bone in walker.pose.bones])).all(), features
