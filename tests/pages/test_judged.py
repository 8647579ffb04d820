# SPDX-License-Identifier: GPL-3.0-or-later
"""The page that plays what was judged: names stay names, and nothing but its own script runs."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inertia_addon.pages import judged
from inertia_addon.pages.judged import DrawnSkeleton, JudgedPage
from inertia_addon.pages.tracks import PointTrack, decode_points

EVIL = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "\u202e$data <!--",
    "a\nb\u2028",
)


def make_page(name: str, bone: str) -> JudgedPage:
    """Make a page of one bone, with names wherever one may stand."""
    points = np.zeros((3, 2, 3))
    points[:, 1, 2] = 1.0
    fault = {"id": "pop", "words": f"{bone} pops", "bone": bone, "level": "poor", "frame": 2.0, "first": 1.0}
    foot = {"foot": bone, "spans": [[1, 2]], "skate_m": 0.1, "skate_speed": None, "penetration_p95_m": None}
    values: dict[str, Any] = {
        "action": name,
        "faults": [fault | {"last": 2.0}],
        "feet": [foot],
        "notes": [name],
    }
    values |= {"start": 1.0, "end": 3.0, "cycle": False, "pop": None, "pop_frame": None, "verdict": None}
    values["could_not_judge"] = [{"id": "seam", "reason": name}]
    skeleton = DrawnSkeleton(2, ((0, 1),), (bone,), ("L",), {bone: 0}, 0)
    own = (PointTrack(name, 1.0, 1.0, points),)
    return JudgedPage(name, 30.0, skeleton, own[0], own, values, {"pop": {"what": "a jump"}}, (name,))


class Elements(html.parser.HTMLParser):
    """Counts the elements of a page, and keeps its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def held_by(page: str) -> dict[str, Any]:
    """Return what a page holds as JSON."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    values: dict[str, Any] = json.loads(text)
    return values


@given(st.sampled_from(EVIL) | st.text(max_size=30), st.sampled_from(EVIL) | st.text(max_size=30))
def test_render_page_escapes_all_names(name: str, bone: str) -> None:
    plain = Elements(judged.render_page(make_page("Walk", "foot.L")))
    page = Elements(judged.render_page(make_page(name, bone)))
    assert page.tags == plain.tags
    assert page.handlers == []


def test_render_page_lets_its_own_script_run_alone() -> None:
    page = judged.render_page(make_page("Walk", "foot.L"))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert re.findall(r"https?://", page) == []
    assert "innerHTML" not in script


def test_render_page_holds_points_as_they_are() -> None:
    page = make_page("Walk", "foot.L")
    held = held_by(judged.render_page(page))
    read = decode_points(held["result"]["points"], 2, held["grain"])
    assert read == pytest.approx(page.result.points, abs=0.5 * held["grain"])
    assert (held["version"], held["result"]["first"], held["result"]["count"]) == (1, 1.0, 3)
    assert held["skeleton"]["joints"] == [["foot.L", 0]]


def test_ten_seconds_of_65_bones_beside_their_clips_take_300_kilobytes() -> None:
    seconds, bones = np.arange(300)[:, None] / 30.0, np.arange(82)
    # all bones swing by 30 cm, 1.5 times a second, and tremble by 1 mm
    swings = 0.3 * np.sin(9.4 * seconds + bones) + np.random.default_rng(1).normal(0.0, 0.001, (300, 82))
    points = np.stack([1.4 * seconds + swings, 0.5 * swings, 1.0 + 0.5 * swings], axis=-1)
    names = tuple(f"bone.{i:02}" for i in bones)
    skeleton = DrawnSkeleton(
        82,
        tuple((i, i + 1) for i in range(81)),
        names[:-1],
        ("",) * 81,
        {name: i for i, name in enumerate(names)},
        0,
    )
    track = PointTrack("Walk to Run", 1.0, 1.0, points)
    values = make_page("Walk", names[0]).values
    page = JudgedPage("Rig", 30.0, skeleton, track, (track,), values, {})
    assert len(judged.render_page(page).encode()) < 300_000
