# SPDX-License-Identifier: GPL-3.0-or-later
"""How the losses of a model fall while its networks are trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.arrays import Array
from ...motion.learned.model import STAGES
from ...motion.learned.training import SHARES
from ...plots.line_chart import LineChart, Series
from ...plots.theme import Theme
from ..overlay.layout import Slot
from ..overlay.protocol import OverlayPlot
from ..shared import cache
from ..translations import translated
from . import models, training

MISSING = "Train a model in the panel Learned to see how its losses fall."
NAMES = ("Decompressor", "Stepper", "Projector")
"""What the stages are called."""
HISTORY = "learned:history"


def history_of(armature: Any) -> Array | None:
    """The noted moments (n, 4) of the training that goes on, or of the model that there is.

    Of each its stage, step, the part of the stage that was done, and the loss. The same object while nothing
    is added.
    """
    job = training.going(armature)
    if job is None:
        try:
            held = models.content(armature)
        except InertiaError:
            return None
        return None if held is None or not len(held.model.history) else held.model.history
    noted = job.own.noted
    if not noted:
        return None
    key = (job.began, len(noted))
    return cache.answer(HISTORY, armature, key, lambda: np.array(noted).reshape(-1, 4), at_once=True)


def chart(history: Array) -> LineChart:
    """Each stage's loss as a part of its first one, over the part of the training that is done."""
    series = []
    for stage, name in enumerate(NAMES[: len(STAGES)]):
        own = history[history[:, 0] == stage]
        if len(own):
            along = 100.0 * (sum(SHARES[:stage]) + SHARES[stage] * own[:, 2])
            losses = 100.0 * own[:, 3] / max(float(own[0, 3]), 1e-12)
            series.append(Series(translated(name), along, losses))
    title, aside = translated("Loss, % of the first"), translated("% of the training")
    return LineChart(title=title, aside=aside, series=series, x_range=(0.0, 100.0))


class LossPlot(OverlayPlot):
    """How far the networks have come, in the 3D View."""

    name = "losses"
    label = "Losses"
    description = "In the 3D View: how the losses of the model fall while its networks are trained"
    needs_actions = False
    slot = Slot.LOWER_LEFT

    def model(self, armature: Any, own: Any) -> tuple[Any, str]:
        found = history_of(armature)
        return found, "" if found is not None else MISSING

    def chart(self, shown: Any, theme: Theme) -> LineChart:
        return chart(shown)
