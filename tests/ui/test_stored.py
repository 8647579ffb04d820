# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file stores of results and hops may be anything: panels and operators say so in a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.blender.data import recipe
from inertia_addon.ui import panels
from inertia_addon.ui.hops.panels import draw_hops
from inertia_addon.ui.shared import cache
from tests.ui.recorder import context, drawn, drawn_by
from tests.ui.rigs import keys_of, make_action

GARBAGE: tuple[Any, ...] = (5, "", "[]", "{}", '{"settings": 1}', '{"settings": {"cut": []}}', "[" * 9999)
WAY = {
    "trigger": 20.0,
    "clips": ["Idle"],
    "entries": [1.0],
    "exits": [9.0],
    "stays": [0, 2],
    "blends": [6, 6],
    "parts": [0.5, 0.5],
    "waiting": 0.0,
    "cost": 1.0,
}
SPOILED: tuple[dict[str, Any], ...] = (
    {"clips": 5},
    {"entries": []},
    {"exits": ["x"]},
    {"stays": [0, 1e300]},
    {"blends": [0, 6]},
    {"cost": float("nan")},
    {"trigger": None},
    {"more": 1},
)


def draw_all() -> str:
    where = context()
    shown = [panel for panel in panels.CLASSES if not hasattr(panel, "poll") or panel.poll(where)]
    return " ".join(drawn(panel).text for panel in shown)


@pytest.mark.parametrize("key", [recipe.RECIPE, recipe.SOURCE])
def test_a_result_with_a_damaged_recipe_is_refused_and_stays(rig: Any, key: str) -> None:
    bpy.ops.inertia.bake_transition()
    action = rig.animation_data.action
    keys = keys_of(action)
    for stored in GARBAGE:
        action[key] = stored
        draw_all()
        for operator in (bpy.ops.inertia.rebake, bpy.ops.inertia.load_recipe):
            with pytest.raises(
                RuntimeError, match=r"^Error: (The recipe of|The cut is|.* is gone)"
            ) as caught:
                operator()
            assert "Traceback" not in str(caught.value)
        assert keys_of(action) == keys


@pytest.fixture
def hop(rig: Any) -> Any:
    """A rig that plays a baked hop."""
    bpy.data.actions.remove(bpy.data.actions["Idle"])
    make_action(rig, "Jog", 0.3, (1, 40))
    rig.inertia.blend_frames, rig.inertia.cut = 6.0, 12.0
    assert bpy.ops.inertia.find_hops(every=True) == {"FINISHED"}
    assert bpy.ops.inertia.bake_hop() == {"FINISHED"}
    return rig


def test_a_baked_hop_with_a_damaged_recipe_is_refused_and_stays(hop: Any) -> None:
    action = hop.animation_data.action
    keys = keys_of(action)
    for stored in (*GARBAGE, '{"settings": {"transition": {}}, "way": {"clips": "x"}}'):
        action[recipe.HOP] = stored
        draw_all()
        with pytest.raises(RuntimeError, match=r"^Error: The recipe of .* can't be read") as caught:
            bpy.ops.inertia.rebake()
        assert "Traceback" not in str(caught.value)
        assert keys_of(action) == keys


def test_hops_that_are_listed(rig: Any) -> None:
    item = rig.inertia_hops.ways.add()
    for stored in (*map(str, GARBAGE), *(json.dumps({**WAY, **one}) for one in SPOILED)):
        item.way = stored
        assert "This hop can't be read" in drawn_by(draw_hops).text, stored
        with pytest.raises(RuntimeError, match=r"^Error: This hop can't be read; press Find Hops again\.$"):
            bpy.ops.inertia.bake_hop()


def test_a_good_one_is_listed(rig: Any) -> None:
    rig.inertia_hops.ways.add().way = json.dumps(WAY)
    assert "can't be read" not in draw_all()


def test_a_weight_that_cannot_be_read_is_found_anew(hop: Any) -> None:
    found = json.loads(hop.inertia_hops.found_weight)
    spoiled = (json.dumps({**found, "weight": weight}) for weight in ("x", -1.0, None))
    for stored in (*map(str, GARBAGE), '{"for": 1}', '{"weight": "x"}', *spoiled):
        cache.forget()
        hop.inertia_hops.found_weight = stored
        assert bpy.ops.inertia.find_hops(every=True) == {"FINISHED"}
        assert json.loads(hop.inertia_hops.found_weight) == found, stored
