# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between Blender's versions, as each of them would have it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from inertia_addon.blender.data import compat


@pytest.mark.parametrize(("version", "encodes"), [((4, 2, 0), True), ((4, 5, 3), True), ((5, 0, 0), False)])
def test_a_texture_shows_the_colours_that_it_is_given(
    version: tuple[int, ...], *, encodes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the transfer function of IEC 61966-2-1, with which a Blender before 5.0 encodes once more."""
    monkeypatch.setattr(compat, "bpy", SimpleNamespace(app=SimpleNamespace(version=version)))
    colours = np.linspace(0.0, 1.0, 101)
    told = compat.texture_colours(colours)
    shown = np.where(told <= 0.0031308, 12.92 * told, 1.055 * told ** (1.0 / 2.4) - 0.055)
    np.testing.assert_allclose(shown if encodes else told, colours, atol=1e-4)
