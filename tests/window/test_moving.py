# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads in a real window: their travel moves to the root bone and to the object, and names with a prefix
are those of the character."""

from __future__ import annotations

import numpy as np
import pytest

from tests.window.pictures import Seen, need_pictures

pytestmark = pytest.mark.window

PARTS = ("moving",)
WAY = 0.04 * 60.0
"""How far the walk goes, metres."""


def test_the_hips_carry_the_travel_at_first(seen: Seen) -> None:
    hips = seen.state["hips"]
    assert np.ptp(hips["hips"], axis=0).max() == pytest.approx(WAY, abs=0.05)
    assert np.ptp(hips["root"], axis=0).max() < 1e-6


@pytest.mark.parametrize("carrier", ["root", "object"])
def test_a_press_moves_it_and_the_world_sees_the_same(seen: Seen, carrier: str) -> None:
    before, after = seen.state["hips"], seen.state[carrier]
    assert after["assigned"] != before["assigned"]
    assert np.ptp(after[carrier], axis=0).max() == pytest.approx(WAY, abs=0.1)
    for part in ("hips", "foot.L"):
        np.testing.assert_allclose(after[part], before[part], atol=1e-4)


def test_a_clip_with_a_prefix_is_joined(seen: Seen) -> None:
    joined = seen.state["joined"]
    assert joined["assigned"] == "Walk to Run of a download"
    assert not any("x1:" in path for path in joined["paths"])
    # it runs behind the blend, faster than the walk
    assert np.ptp(np.array(joined["hips"])[1:], axis=0).max() > 1.2 * 0.04 * 31.0


@pytest.mark.parametrize("name", ["root", "object", "pair", "joined"])
def test_the_panel_was_drawn(seen: Seen, name: str) -> None:
    need_pictures(seen.folder)
    assert (seen.folder / f"{name}.png").stat().st_size > 20_000
