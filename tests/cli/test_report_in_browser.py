# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of ``matrix`` in a real browser, opened from disk."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.pages.browser import seen_in

pytest.importorskip("bpy", reason="bpy is not installed here")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here to open the report in"),
]


def shown(page: Path, script: str) -> list[list[str]]:
    """The table's cells after a script ran, as the browser has them."""
    opened = page.with_name("opened.html")
    opened.write_text(
        page.read_text(encoding="utf-8").replace("</body>", f"<script>{script}</script></body>")
    )
    words = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={page.parent / 'browser'}",
        "--dump-dom",
    ]
    done = subprocess.run(
        [str(BROWSER), *words, opened.as_uri()], capture_output=True, text=True, timeout=120, check=False
    )
    body = re.search(r'<tbody id="rows">(.*?)</tbody>', done.stdout, re.DOTALL)
    assert body is not None, done.stderr
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", body[1])]


def test_a_report_lists_sorts_and_filters(rig_file: Path, tmp_path: Path, inertia: Any) -> None:
    import bpy

    from tests.batch.small_rig import key

    bpy.ops.wm.open_mainfile(filepath=str(rig_file))
    key(bpy.data.objects["Rig"], "Sneak & Hide", 35, 0.02)
    bpy.ops.wm.save_as_mainfile(filepath=str(rig_file))
    assert inertia("matrix", rig_file, "-o", tmp_path / "out").code == 0
    page = tmp_path / "out" / "matrix.html"
    rows = shown(page, "")
    assert len(rows) == 6
    costs = [float(row[4]) for row in rows]
    assert costs == sorted(costs)
    press = "document.querySelector('th[data-key={}] button').click();"
    turned = [float(row[4]) for row in shown(page, press.format("cost"))]
    assert turned == costs[::-1]
    names = [row[0] for row in shown(page, press.format("source"))]
    assert names == sorted(names)
    assert "Sneak &amp; Hide" in names
    find = (
        "document.getElementById('filter').value = 'walk > run'; document.getElementById('filter').oninput();"
    )
    assert [row[:2] for row in shown(page, find)] == [["Walk", "Run"]]


def test_a_click_on_a_cell_plays_the_pair(rig_file: Path, tmp_path: Path, inertia: Any) -> None:
    assert inertia("matrix", rig_file, "-o", tmp_path / "out").code == 0
    script = """
    const area = byId("overview").getBoundingClientRect(), [left, top, width, height] = place.box;
    const hidden = byId("pair").hidden, scale = area.width / place.size[0];
    const [column, row] = [place.names.indexOf("Run"), place.names.indexOf("Walk")];
    byId("overview").dispatchEvent(new MouseEvent("click", {
      clientX: area.left + scale * (left + (column + 0.5) * width / place.names.length),
      clientY: area.top + scale * (top + (row + 0.5) * height / place.names.length),
    }));
    // at the cut the result still shows the source's pose
    const before = rowAt(pair.source, pair.cut), at = pairRow(pair.cut);
    const apart = Math.max(...at.map((value, i) => Math.abs(value - before[i])));
    return [hidden, byId("pair").hidden, byId("pair-title").textContent, apart < 1e-9];
    """
    assert seen_in(tmp_path / "out" / "matrix.html", script) == [True, False, "Walk to Run", True]
