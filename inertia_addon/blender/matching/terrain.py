# SPDX-License-Identifier: GPL-3.0-or-later
"""How the ground rises and falls along a way."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.feet.ground import Ground
from ...motion.skeleton.posing import Rig
from ...motion.smoothing import smooth
from ...settings.feet import Locking
from ...settings.matching import PathSettings
from ..data import scene
from ..feet import ground

SECONDS = 0.2
"""The standard deviation of the Gaussian over time that heights are smoothed by: a body takes stairs as a
slope."""


def asked(settings: PathSettings) -> Locking:
    """How feet are locked along a path, and on what."""
    own = Locking.of(settings.transition)
    names = ("ground", "ground_height", "ground_object")
    return Locking(**{**vars(own), **{name: getattr(settings, name) for name in names}})


def rises(rig: Rig, carries: bool, settings: PathSettings, way: Array, fps: float) -> Array | None:
    """How much higher than the clips' floor the ground is along a way (frames,), metres, smoothed over time.

    carries: whether what carries the rig can take it along any way. way: (frames, 2) metres, fps of
    them a second. None where the clips' own floor is meant. Raises InertiaError for an object that is gone or
    no mesh, one that is nowhere near, and a rig that can't be carried there.
    """
    if settings.ground == "CLIP":
        return None
    if not carries:
        raise InertiaError(
            '"{armature}" is moved by constraints, so it can\'t be put on a ground object; follow the path '
            "without one, and lock the feet of the result on it.",
            armature=rig.name,
        )
    metres = scene.metres_per_unit()
    floor = float(rig.world[2, 3])
    if settings.ground == "PLANE":
        return np.full(len(way), settings.ground_height - floor * metres)
    sample = ground.mesh(settings.ground_object, ground.ABOVE / metres)
    heights, here = np.empty(len(way)), floor
    for i, (x, y) in enumerate((way / metres).tolist()):
        # from where the ground was last on, so that a bridge or a storey above is none
        (heights[i],), _ = sample(np.array([[x, y, here]]))
        here = heights[i] if np.isfinite(heights[i]) else here
    known = np.flatnonzero(np.isfinite(heights))
    if not len(known):
        raise InertiaError(
            'The path is nowhere above or below "{name}"; move one of them, or choose another ground.',
            name=settings.ground_object,
        )
    # beyond the ground's edge it goes on as high as there
    heights = np.interp(np.arange(len(way)), known, heights[known])
    return np.asarray(smooth((heights - floor) * metres, SECONDS * fps))


def below(armature: Any, settings: Locking, heights: Array, risen: Array) -> Ground | None:
    """What feet stand on.

    heights: (plants,) of feet where the clips have them, and risen: the same once the character is raised,
    metres. Raises InertiaError, as above.
    """
    found = ground.of(armature, settings)
    if found is None or not heights.size:
        return found
    metres = scene.metres_per_unit()
    # feet are as high above their ground as they are above the clips' floor
    floor = found.floor + (float(risen.min()) - float(heights.min())) / metres
    return Ground(found.sample, floor)
