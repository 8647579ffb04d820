# SPDX-License-Identifier: GPL-3.0-or-later
"""What a path notes of the clips that it plays."""

from __future__ import annotations

import dataclasses
import json

from inertia_addon.blender.matching.recipes import PlayedClip

PLAYED = PlayedClip("Walk", True, 12.0, 4.0, 0.5, (1.0, -2.0), 0.25, (0.1, 0.2, 0.3))


def test_a_played_clip_comes_back_from_what_is_noted_of_it() -> None:
    noted = json.loads(json.dumps(dataclasses.asdict(PLAYED)))
    assert PlayedClip.from_dict(noted, {}) == PLAYED
    assert PlayedClip.from_dict(noted, {"Walk": "Stroll"}).action == "Stroll"


def test_a_played_clip_of_an_earlier_version_is_neither_bent_nor_moved() -> None:
    noted = dataclasses.asdict(PLAYED)
    del noted["bend"], noted["moved"]
    plain = dataclasses.replace(PLAYED, bend=0.0, moved=(0.0, 0.0, 0.0))
    assert PlayedClip.from_dict(noted, {}) == plain
