# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys and the mouse wish: as the view is turned, and as fast as was asked for."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy", reason="bpy is not installed here")

from mathutils import Euler

from inertia_addon.settings.steering import Hand
from inertia_addon.ui.steering import pressed
from inertia_addon.ui.steering.pressed import Pressed


@pytest.mark.parametrize("pitch", [0.0, 0.6, 1.2, 1.5707])
@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.5])
def test_up_is_away_from_the_eye_or_up_the_screen(pitch: float, yaw: float) -> None:
    axes = np.array(Euler((pitch, 0.0, yaw)).to_matrix())
    up, right = (pressed.on_ground(lean, axes) for lean in ((0.0, 1.0), (1.0, 0.0)))
    assert up == pytest.approx((-np.sin(yaw), np.cos(yaw)), abs=1e-6)
    assert right == pytest.approx((np.cos(yaw), np.sin(yaw)), abs=1e-6)


def test_keys_lean_the_stick_by_one() -> None:
    held = Pressed({pressed.FORWARD, pressed.RIGHT})
    assert np.hypot(*held.lean()) == pytest.approx(1.0)
    assert Pressed({pressed.LEFT, pressed.RIGHT}).lean() == (0.0, 0.0)
    hand = Hand(walk=1.0, run=3.0, slow=0.5)
    speeds = [Pressed(shift=shift, ctrl=ctrl).speed(hand) for shift, ctrl in ((0, 0), (1, 0), (0, 1))]
    assert speeds == [1.0, 3.0, 0.5]
    sticks = [Pressed(shift=shift, ctrl=ctrl).length() for shift, ctrl in ((0, 0), (1, 0), (0, 1))]
    assert sticks == [1.0, 2.0, 0.5]


def test_a_facing_turns_while_its_key_is_held_and_stays_so() -> None:
    held = Pressed({pressed.FACE_LEFT})
    held.turn(0.5, 30.0)
    held.held.clear()
    held.turn(0.5, 200.0)
    assert held.facing == pytest.approx(30.0 + 0.5 * pressed.TURN)
    held.stop()
    assert held.facing is None


def test_the_mouse_wishes_more_the_further_it_is_away() -> None:
    speeds = [float(np.hypot(*pressed.towards(np.array([far, far]), 3.0))) for far in (0.1, 1.0, 2.0, 9.0)]
    assert speeds == sorted(speeds)
    assert speeds[0] == 0.0
    assert speeds[-1] == pytest.approx(3.0)
    nearly = [pressed.towards(np.array([2.0, 2.0 + shaken]), 3.0).tolist() for shaken in (0.0, 0.005)]
    assert nearly[0] == nearly[1]


def test_arrows_steer_whatever_the_preferences_say() -> None:
    found = pressed.meanings({**pressed.KEYS, pressed.FORWARD: "I"})
    assert found["I"] == found["UP_ARROW"] == pressed.FORWARD
    assert "W" not in found
