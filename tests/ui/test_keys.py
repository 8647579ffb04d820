# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys in the preferences, which are off until they are switched on, and the pie menu."""

from __future__ import annotations

import types
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon.ui import keys
from tests.ui.recorder import Recorder, context


class Pie(Recorder):
    def menu_pie(self) -> Recorder:
        return self


def test_every_key_is_off_and_calls_what_there_is(rig: Any) -> None:
    offered = [
        (keymap.name, item)
        for keymap in bpy.context.window_manager.keyconfigs.addon.keymaps
        for item in keymap.keymap_items
        if keys.is_own(item) and item.idname not in (keys.STOPS[2], keys.DRAGS[2])
    ]
    assert len(offered) == len(keys.MODES) * len(keys.KEYS)
    assert {name for name, _ in offered} == {name for name, _ in keys.MODES}
    for _, item in offered:
        assert not item.active
        module, _, function = item.idname.partition(".")
        assert getattr(getattr(bpy.ops, module), function).get_rna_type()
    assert len({(name, item.type) for name, item in offered}) == len(offered)


@pytest.mark.parametrize("row", [keys.STOPS, keys.DRAGS], ids=["stops", "drags"])
def test_a_key_that_passes_on_what_it_has_no_use_for_is_on(rig: Any, row: tuple[str, ...]) -> None:
    mode, space, operator, key = row
    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps[mode]
    (item,) = [item for item in keymap.keymap_items if keys.is_own(item)]
    assert keymap.space_type == space
    assert (item.idname, item.type, item.active) == (operator, key, True)
    assert not bpy.ops.inertia.stop_training.poll()


def test_the_pie_has_eight_places(rig: Any) -> None:
    pie = Pie()
    keys.INERTIA_MT_pie.draw(types.SimpleNamespace(layout=pie), context())
    assert len(pie.pressed) == 8
    assert {"inertia.bake_transition", "inertia.rebake", "inertia.find_meeting"} <= pie.operators
