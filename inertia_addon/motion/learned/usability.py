# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a model is usable, by how it was seen to play, in a sentence; and for how long it should learn."""

from __future__ import annotations

import math

import numpy as np

from ...errors import Sentence
from ...records import record
from ..arrays import Array

FRAMES = 30
"""A model plays so many frames of a window of its clips, half a second."""
DRIFTS = 0.2
"""A usable model drifts no further than this part of what random frames are apart, ..."""
SKATES = 1.5
"""... and its toes go no more times as fast as the clips' own."""
STILL = 0.05
"""Toes that go so fast, metres a second of a person, may as well stand: nobody skates slower."""
BEGUN = 0.1
"""How the loss falls is seen from this part of a stage on: before that, it falls from nowhere."""
LEAST_NOTED = 5
"""Fewer moments say nothing of how it falls."""
SLOPES = (0.1, 1.0)
"""The loss falls with such a power of the time, at least and at most: slower or quicker is not believed."""
LEAST_MINUTES = 2
"""No estimate is of fewer minutes."""
MOST_TIMES = 30.0
"""No estimate goes further than so many times the time that was spent."""


@record(frozen=True)
class Usability:
    """How a model plays windows of its clips.

    drift_cm: the mean distance of joints, seen from the character's ground, from where the clip has them
    after ``FRAMES`` frames, and random_cm that of any two frames of the clips. skate: how fast the lowest toe
    goes over the ground, metres a second, the mean over all frames, and own_skate: that of the clips. still:
    how fast a toe may go that stands, metres a second.
    """

    drift_cm: float
    random_cm: float
    skate: float
    own_skate: float
    still: float

    @property
    def times(self) -> float:
        """How many times as fast as the clips' own its toes go."""
        return max(self.skate, self.still) / max(self.own_skate, self.still)

    @property
    def excess(self) -> float:
        """How many times too large the worse of drift and skate is; at most 1 for a usable model."""
        drift = self.drift_cm / max(DRIFTS * self.random_cm, 1e-9)
        # what its toes do that the clips' do not
        return max(drift, (self.times - 1.0) / (SKATES - 1.0))

    @property
    def is_usable(self) -> bool:
        """Whether it plays as its clips do, rather than glide or drift."""
        return self.excess <= 1.0


def minutes_more(usability: Usability, history: Array, minutes: float) -> int | None:
    """Return for how many more whole minutes a model should learn to become usable; None if that is unknown.

    The excess of drift or skating is assumed to fall as a power of time, as the training's loss did.

    Parameters
    ----------
    usability
        How the model was seen to play.
    history : (n, 4)
        Of each noted moment the stage's number, its step, the part of it that was done, and
        the loss.
    minutes
        For how long it has learned.

    Returns
    -------
    int | None
        At least 2. None if the losses say nothing, the model is usable already or its
        figures are not finite, or it would take more than 30 times as long.
    """
    slopes = [_slope(history[history[:, 0] == stage]) for stage in (0, 1)]
    known = [slope for slope in slopes if slope is not None]
    if not known or usability.is_usable or not math.isfinite(usability.excess):
        return None
    times = usability.excess ** (1.0 / min(max(min(known), SLOPES[0]), SLOPES[1]))
    if times > MOST_TIMES:
        return None
    return max(LEAST_MINUTES, math.ceil((times - 1.0) * minutes))


def _slope(noted: Array) -> float | None:
    """Return the power of the time with which a stage's loss falls, fitted to logarithms: loss ~ done^-power;
    negative for a loss that rises.

    noted: (n, 4), the moments of the stage, as :func:`minutes_more` takes them. Only those behind the first
    tenth of the stage (BEGUN) with a loss above 0 count. None if fewer than LEAST_NOTED of them do, or if
    they span less than a tenth of the stage.
    """
    done, losses = noted[:, 2], noted[:, 3]
    counts = (done > BEGUN) & (losses > 0.0)
    if np.count_nonzero(counts) < LEAST_NOTED or np.ptp(done[counts]) < BEGUN:
        return None
    return float(-np.polyfit(np.log(done[counts]), np.log(losses[counts]), 1)[0])


def sentence(usability: Usability, more: int | None) -> Sentence:
    """Return a sentence that says whether a model is usable, and why.

    It begins "Usable:", or "Not yet usable: learn about N minutes more." if `more` is known, and otherwise
    "Not yet usable: learn longer." In each case it tells how many centimetres it drifts in 30 frames, beside
    how far random frames are apart, and how many times as fast as the clips' own the toes skate, all with one
    digit behind the point. Its values are "drift", "frames", "random" and "times", and "minutes" if that is
    told.

    more: how many minutes more it should learn; None where that is not known. It is ignored for a model that
    is usable.
    """
    figures = {
        "drift": f"{usability.drift_cm:.1f}",
        "frames": FRAMES,
        "random": f"{usability.random_cm:.1f}",
        "times": f"{usability.times:.1f}",
    }
    if usability.is_usable:
        return Sentence(
            "Usable: it drifts {drift} cm in {frames} frames (random frames {random} cm), and toes skate "
            "{times} times the clips' own.",
            **figures,
        )
    if more is None:
        return Sentence(
            "Not yet usable: learn longer. It drifts {drift} cm in {frames} frames (random frames {random} "
            "cm), and toes skate {times} times the clips' own.",
            **figures,
        )
    return Sentence(
        "Not yet usable: learn about {minutes} minutes more. It drifts {drift} cm in {frames} frames (random "
        "frames {random} cm), and toes skate {times} times the clips' own.",
        minutes=more,
        **figures,
    )
