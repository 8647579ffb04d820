# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones are paired with those on the other side by their names, however these say so."""

from __future__ import annotations

import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.motion.matching import mirror

LEFT_AND_RIGHT = [
    ("thigh.L", "thigh.R"),
    ("DEF-thigh.L.001", "DEF-thigh.R.001"),
    ("hand_l", "hand_r"),
    ("L_Hand", "R_Hand"),
    ("l.hand", "r.hand"),
    ("Bip001 L Thigh", "Bip001 R Thigh"),
    ("J_Bip_L_UpperLeg", "J_Bip_R_UpperLeg"),
    ("mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"),
    ("left_hand", "right_hand"),
    ("Character1_LeftFoot", "Character1_RightFoot"),
    ("LEFTARM", "RIGHTARM"),
    ("lfoot", "rfoot"),
    ("HandL", "HandR"),
    ("hand-l", "hand-r"),
    ("Hand:L", "Hand:R"),
    ("main gauche", "main droite"),
    ("Bras_Gauche", "Bras_Droit"),
    ("Hand links", "Hand rechts"),
    ("左足首", "右足首"),
    ("Левая кисть", "Правая кисть"),
]


@pytest.mark.parametrize("names", LEFT_AND_RIGHT, ids=lambda names: names[0])
def test_sides_are_known_by_name(names: tuple[str, str]) -> None:
    found = mirror.partners(["hips", *names, "arm.L", "arm.R", "lower", "Root"])
    assert found.tolist() == [0, 2, 1, 4, 3, 5, 6]


def test_names_without_sides_are_refused() -> None:
    with pytest.raises(InertiaError, match="which are left and which are right"):
        mirror.partners(["hips", "leg1", "leg2", "arm.L", "arm.R"])
