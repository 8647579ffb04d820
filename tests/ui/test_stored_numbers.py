# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever number a file has stored in a property, panels are drawn: with a sentence where it can't be."""

from __future__ import annotations

from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from tests.ui.recorder import context, drawn

GROUPS = ("inertia", "inertia_search", "inertia_root", "inertia_hops", "inertia_cost", "inertia_limbs")


@pytest.mark.brief(value=("nan",))
@pytest.mark.variants(6)
@pytest.mark.parametrize("value", ["1e38", "-1e38", "nan"])
@pytest.mark.parametrize("group", GROUPS)
def test_panels_are_drawn_whatever_is_stored(rig: Any, group: str, value: str) -> None:
    own = getattr(rig, group)
    numbers = [p.identifier for p in own.bl_rna.properties if p.type == "FLOAT"]
    every = [cls for cls in bpy.types.Panel.__subclasses__() if cls.__module__.startswith("inertia")]
    # the list of overlays stands in an editor, and has nothing of an object's
    shown = [panel for panel in every if getattr(panel, "bl_category", "") == "Inertia"]
    assert len(shown) > 5
    system = getattr(rig, "bl_system_properties_get", None)
    for name in numbers:
        setattr(own, name, own.bl_rna.properties[name].default)  # so that there is a group
        held = (rig if system is None else system())[group]
        held[name] = float(value)
        for panel in shown:
            if not hasattr(panel, "poll") or panel.poll(context()):
                drawn(panel)
        own.property_unset(name)
