# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions in a chain are what they are when each is baked from the result of the former."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inertia_addon.blender.data import actions, clip_store, compat
from inertia_addon.blender.evaluation.character import read_character
from inertia_addon.blender.transition import bake
from inertia_addon.blender.transition.chain import Chain
from inertia_addon.motion.steps import finish
from inertia_addon.settings.transition import TransitionSettings
from tests.blender import builders, clips
from tests.blender.transition.test_companions import fight, fighter

Joins = list[tuple[str, float, float]]
"""Into which action, at which scene frame, and at which of its own frames."""


def asked(source: str, slot: str, join: tuple[str, float, float], **values: Any) -> TransitionSettings:
    name, cut, entry = join
    own = {"source": source, "source_slot": slot, "destination": name, "cut": cut, "destination_frame": entry}
    return TransitionSettings(**own, assign=False, feet="OFF", result="Part", **values)


def one_after_the_other(armature: Any, first: str, joins: Joins, **values: Any) -> Any:
    """The slow way: each result is an action that the next one reads."""
    name, slot = first, ""
    for join in joins:
        report = bake.bake_transition(armature, asked(name, slot, join, **values))
        name, slot = report.result, report.slot
    return actions.find(name)


def in_a_chain(armature: Any, first: str, joins: Joins, **values: Any) -> Any:
    chain = Chain(bpy.data.actions.new("Chain"))
    source = clip_store.read(armature, actions.find(first))
    for i, join in enumerate(joins):
        source = chain.clip(join[1]) if i else source
        own = asked(source.action.name, source.slot.identifier, join, **values)
        destination = clip_store.read(armature, actions.find(join[0]))
        chain.take(finish(bake.plan_clips_steps(read_character(armature), own, source, destination)))
    chain.write()
    return chain.action


def keys_of(action: Any) -> dict[tuple[str, str, int], np.ndarray[Any, Any]]:
    return {
        (slot.identifier, curve.data_path, curve.array_index): actions.read_keys(curve).points
        for slot in compat.slots(action)
        for curve in compat.curves(action, slot.identifier)
    }


def assert_alike(armature: Any, first: str, joins: Joins, **values: Any) -> None:
    slow = keys_of(one_after_the_other(armature, first, joins, **values))
    made = keys_of(in_a_chain(armature, first, joins, **values))
    assert made.keys() == slow.keys()
    for channel, points in slow.items():
        assert made[channel].shape == points.shape, channel
        np.testing.assert_allclose(made[channel], points, atol=1e-6, err_msg=str(channel))


STEPS = st.tuples(st.integers(0, 1), st.floats(4.0, 12.0), st.floats(2.0, 28.0))
METHODS = st.sampled_from(["QUINTIC", "CUBIC", "SPRING", "DEAD_BLENDING"])


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.floats(4.0, 12.0), st.floats(2.0, 28.0)), min_size=2, max_size=3
    ),
    st.sampled_from(["NONE", "POSITION_HEADING"]),
    METHODS,
)
@pytest.mark.skipif(not compat.has_slots(), reason="actions of this Blender have no slots")
def test_two_who_fight_on_and_on(steps: list[tuple[int, float, float]], alignment: str, method: str) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig, _ = fighter("Rig"), fighter("Foe", (2.0, 0.0), 1.0)
    path = builders.bone_path("Root", "")
    ways = [(0.0, 0.0), (1.0, 0.4)], [(0.0, 0.0), (0.3, 1.0)]
    for name, way, turn in zip(("Go", "Turn"), ways, (0.4, 1.3), strict=True):
        fight(name, {"path": path, "way": way, "turn": turn}, {"path": path, "way": way, "turn": -turn})
    cut, joins = 5.0, Joins()
    for which, wait, entry in steps:
        cut += wait
        joins.append((("Go", "Turn")[which], cut, entry))
    assert_alike(rig, "Go", joins, alignment=alignment, method=method)


@pytest.mark.variant_of("tests/blender/transition/test_chain.py::test_two_who_fight_on_and_on")
@pytest.mark.parametrize("method", ["QUINTIC", "SPRING"])
def test_chains_of_real_clips_are_as_their_bakes(method: str, data_dir: Path) -> None:
    armature, names = clips.load("Knight", data_dir)
    longest = [name for name in names if actions.find(name).frame_range[1] > 24.0][:9]
    joins = [(name, 12.0 + 9.5 * i, 3.25 + i) for i, name in enumerate(longest[1:])]
    assert_alike(armature, longest[0], joins, method=method)
