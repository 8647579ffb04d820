# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files belong together is told of whatever a file may hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from inertia_addon.errors import InertiaError
from inertia_addon.storage.contents import with_companions


def test_numbers_come_first_and_pictures_follow(tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    path.write_text(
        '{"images": [{"uri": "b%20c.png"}, {}], "buffers": [{"uri": "a.bin"}, {"uri": "data:,"}]}'
    )
    assert with_companions(path) == [path, tmp_path / "a.bin", tmp_path / "b c.png"]


@pytest.mark.parametrize(
    "text",
    [
        *("[1]", '"text"', "null", "{", "[" * 100_000, '{"images": null}', '{"images": [null]}'),
        *('{"images": [{"uri": null}]}', '{"buffers": [{"uri": 1}]}', '{"buffers": {"uri": []}}'),
    ],
)
def test_a_file_that_is_no_gltf_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.gltf"
    path.write_text(text)
    with pytest.raises(InertiaError, match="damaged"):
        with_companions(path)
