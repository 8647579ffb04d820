# SPDX-License-Identifier: GPL-3.0-or-later
"""What a test sees of a Blender that was driven: what its steps noted, and the pictures that they took."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray


class Seen(NamedTuple):
    """What the steps noted, and the folder of their pictures."""

    state: Any
    folder: Path


def need_pictures(folder: Path) -> None:
    """Skip the test where no pictures could be taken."""
    if not any(folder.glob("*.png")):
        pytest.skip("ImageMagick's import is not installed beside this Blender, so there are no pictures")


def changed(folder: Path, before: str, after: str, box: list[int]) -> NDArray[np.bool_]:
    """Which pixels of a part of the window differ between two pictures."""
    image = pytest.importorskip("matplotlib.image", reason="matplotlib is not installed here")
    need_pictures(folder)
    left, top, right, bottom = box
    pictures = [image.imread(folder / f"{name}.png")[top:bottom, left:right, :3] for name in (before, after)]
    return np.abs(pictures[0] - pictures[1]).max(axis=2) > 0.02


def spread(mask: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Where changed pixels lie: left, top, right and bottom as parts of the whole."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    height, width = mask.shape
    return columns[0] / width, rows[0] / height, columns[-1] / width, rows[-1] / height
