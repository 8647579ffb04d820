# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties that switch a limb between FK and IK."""

from __future__ import annotations

from typing import Any

import pytest

from inertia_addon.blender.data import limb_list


@pytest.mark.parametrize(
    ("bone", "switch", "path"),
    [
        ("A", "IK", 'pose.bones["A"]["IK"]'),
        ("A", 'a "b"', 'pose.bones["A"]["a \\"b\\""]'),
        ("", "IK", '["IK"]'),
        ("A", "constraints[0].influence", 'pose.bones["A"].constraints[0].influence'),
        ("", "data.show_axes", "data.show_axes"),
    ],
)
def test_a_switch_is_a_custom_number_or_the_rest_of_a_path(
    armature: Any, bone: str, switch: str, path: str
) -> None:
    for holder in (armature, armature.pose.bones["A"]):
        holder["IK"] = 1.0
        holder['a "b"'] = 1
        holder["named"] = "x"
    assert limb_list.switch_path(armature, bone, switch) == path
    assert limb_list.switches_of(armature, bone) == ["IK", 'a "b"']
