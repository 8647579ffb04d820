# SPDX-License-Identifier: GPL-3.0-or-later
"""How far planted feet will skate in transitions, for many meetings of two clips at once.

While a foot stands in the destination, all that moves it over the ground is what is left of its offset, in
closed form. Its way is that between a few times while it stands: where it swings out and back it would seem
to stay between two. Feet turn back as offsets of joints do, not limb by limb as in :mod:`prediction`, and
are in character space, see :mod:`character`.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..decay import decay
from ..decay.decay import Method

STEPS = 4
"""The way of a foot is looked at in so many parts of the time that it stands."""


def carried(
    source: tuple[Array, Array],
    destination: tuple[Array, Array],
    times: tuple[Array, Array],
    method: Method,
    seconds: float,
) -> Array:
    """How far a foot is carried over the ground (n, m), metres, from n cuts to m frames of the destination.

    source, destination: the foot's positions and velocities (n, 3) and (m, 3), Z up. times: seconds after the
    cut (m,) from which, and to which, it stands. seconds: the blend time, or the half-life of SPRING.
    """
    x, v = (here[:, None] - there for here, there in zip(source, destination, strict=True))
    made = decay.make(method, x, v, seconds)
    axes = [tuple(np.ascontiguousarray(each[..., axis]) for each in (x, v)) for axis in range(2)]
    found = np.zeros(x.shape[:2])
    before = made.weights(times[0])
    for t in np.linspace(*times, STEPS + 1)[1:]:
        after = made.weights(t)
        p, q = (late - early for late, early in zip(after, before, strict=True))
        found += np.sqrt(sum((p * place + q * rate) ** 2 for place, rate in axes))
        before = after
    return found
