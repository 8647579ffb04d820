# SPDX-License-Identifier: GPL-3.0-or-later
"""Registering and taking it back, twice, and after a failure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon import registration
from inertia_addon.ui import keys, rooms, translations
from inertia_addon.ui.room import Registration
from inertia_addon.ui.transition import panels
from tests.conftest import registered_classes, registered_handlers


@pytest.fixture(autouse=True)
def registered_again(registered: None) -> Iterator[None]:
    yield
    registration.register()


def entries() -> int:
    """How often the menus have Inertia's entry."""
    draws = [draw for menu in rooms.menus_with_entries() for draw in menu._dyn_ui_initialize()]
    return draws.count(rooms.draw_entry)


def offered_keys() -> int:
    """How many keys the preferences offer."""
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    return sum(keys.is_own(item) for keymap in keymaps for item in keymap.keymap_items)


def has_translations() -> bool:
    """Whether Blender has Inertia's translations: it takes none of that name again then."""
    try:
        bpy.app.translations.register(translations.NAME, {})
    except ValueError:
        return True
    bpy.app.translations.unregister(translations.NAME)
    return False


def state() -> dict[str, Any]:
    return {
        "classes": sorted(registered_classes(bpy)),
        "handlers": sorted(registered_handlers(bpy)),
        "entries": entries(),
        "properties": ["inertia" in t.bl_rna.properties for t in (bpy.types.Object, bpy.types.PoseBone)],
        "operators": sorted(dir(bpy.ops.inertia)),
        "translations": has_translations(),
        "keys": offered_keys(),
        "presets": bpy.utils.preset_paths(panels.PRESETS),
    }


NOTHING = {
    "classes": [],
    "handlers": [],
    "entries": 0,
    "properties": [False, False],
    "operators": [],
    "translations": False,
    "keys": 0,
    "presets": [],
}


def test_registration_twice_is_once() -> None:
    before = state()
    assert before["entries"] == len(rooms.menus_with_entries())
    registration.register()
    assert state() == before


def test_registration_goes_off_and_on() -> None:
    before = state()
    for _ in range(2):
        registration.unregister()
        assert state() == NOTHING
        registration.register()
        assert state() == before


def test_registration_goes_off_twice() -> None:
    registration.unregister()
    registration.unregister()
    assert state() == NOTHING


@pytest.mark.parametrize("position", [0, 5, len(registration.PARTS) - 1])
def test_a_failure_leaves_nothing_registered(position: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("on purpose")

    parts = list(registration.PARTS)
    parts[position] = Registration(fail, fail)
    monkeypatch.setattr(registration, "PARTS", tuple(parts))
    with pytest.raises(RuntimeError, match="on purpose"):
        registration.register()
    assert state() == NOTHING


def test_settings_saved_in_a_file_wait_for_the_extension(rig: Any) -> None:
    rig.inertia.blend_frames = 7.0
    registration.unregister()
    registration.register()
    assert bpy.data.objects["Rig"].inertia.blend_frames == 7.0
