# SPDX-License-Identifier: GPL-3.0-or-later
"""The registered extension, and a rig with two actions chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from inertia_addon import registration
from inertia_addon.ui.shared import cache
from tests.ui.rigs import brief_training, make_action, make_rig


@pytest.fixture(scope="package", autouse=True)
def registered() -> Iterator[None]:
    """The extension, registered for these tests only."""
    registration.register()
    yield
    registration.unregister()


@pytest.fixture(autouse=True)
def trained_briefly() -> Iterator[None]:
    """Models learn for moments, here alone."""
    with brief_training():
        yield


@pytest.fixture
def no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everything computed anew at once, however slow the machine is."""
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)


@pytest.fixture
def rig(fresh_file: None) -> Any:
    """A rig with the actions Walk and Run, chosen as source and destination, and Idle, assigned.

    Run is entered at its first frame, so that no other one is looked for, which takes longest of a bake.
    """
    rig = make_rig()
    walk, run = make_action(rig, "Walk", 0.4), make_action(rig, "Run", 0.9, (5, 50))
    make_action(rig, "Idle", 0.1)
    rig.inertia.source, rig.inertia.destination = walk, run
    rig.inertia.cut = 20.0
    rig.inertia.use_destination_frame, rig.inertia.destination_frame = True, 5.0
    return rig
