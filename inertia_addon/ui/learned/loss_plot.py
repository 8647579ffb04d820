# SPDX-License-Identifier: GPL-3.0-or-later
"""How the losses of a model fall while its networks are trained."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InertiaError
from ...motion.learned.model import STAGES
from ...motion.learned.training import SHARES
from ...plots.line_chart import ChartSeries, LineChart
from ...records import record
from ..overlay.layout import PlotSlot
from ..overlay.protocol import OverlayPlot
from ..shared import cache
from ..translations import translated
from . import models, training

if TYPE_CHECKING:
    from ...motion.arrays import Array
    from ...plots.theme import Theme

MISSING = "Train a model in the panel Learned to see how its losses fall."
NAMES = ("Poses", "Steps", "Jumps")
"""What a model learns in each stage, as an animator sees it."""
LEAST = 1e-6
"""No loss is drawn as a smaller part of its first one."""
HISTORY = "learned:history"


@record(frozen=True, eq=False)
class LossHistory:
    """How losses have fallen: (n, 4) of each noted moment its stage, step, the part of the stage that was
    done, and the loss."""

    moments: Array


def find_losses(armature: Any) -> LossHistory | None:
    """Return the losses of the training that goes on for the armature, else of the model in its file; None
    for none.

    `moments` of the result is (n, 4), in the order noted: stage (index in STAGES), step, the part of the
    stage that was done (0 to 1), and the loss. While a training goes on only its own losses count, None until
    the first is noted. It is None as well where no file is chosen, or there is no model in it that can be
    read, or one of another skeleton. The same object is returned while nothing is added or the file is not
    written anew.
    """
    job = training.find_running(armature)
    if job is not None:
        noted = job.training.noted
        key: Hashable = (job.began, len(noted))
    else:
        try:
            content = models.content(armature)
        except InertiaError:
            return None
        noted = [] if content is None else content.model.history.tolist()
        key = models.state(models.path_of(armature))
    if not noted:
        return None
    return cache.answer(
        HISTORY, armature, key, lambda: LossHistory(np.array(noted).reshape(-1, 4)), at_once=True
    )


def chart(losses: LossHistory) -> LineChart:
    """Return the chart of each stage's loss, in percent of its first one on a logarithmic scale, over the
    part of the training that is done, in percent.

    A series is a stage that has begun: along x from where its share of the training's time begins, and along
    y the logarithms to the base of ten of the percent, no lower than LEAST times the first loss. The plot's
    y_range goes from below the lowest value, or 50 percent if all are higher, to above 100 percent, whatever
    is higher; its x_range is all of the training.
    """
    series, moments = [], losses.moments
    for stage, name in enumerate(NAMES[: len(STAGES)]):
        rows = moments[moments[:, 0] == stage]
        if len(rows):
            along = 100.0 * (sum(SHARES[:stage]) + SHARES[stage] * rows[:, 2])
            parts = np.log10(np.maximum(rows[:, 3] / max(float(rows[0, 3]), 1e-12), LEAST)) + 2.0
            series.append(ChartSeries(translated(name), along, parts))
    title, aside = translated("Loss, % of the first"), translated("% of the training")
    lowest = min((float(np.min(each.ys)) for each in series), default=1.0)
    x_range, y_range = (0.0, 100.0), (min(lowest, float(np.log10(50.0))) - 0.05, 2.05)
    return LineChart(title=title, aside=aside, series=series, x_range=x_range, y_range=y_range, decades=True)


class LossPlot(OverlayPlot):
    """How far the networks have come, in the 3D View."""

    name = "losses"
    tool = "learned"
    needs_actions = False
    slot = PlotSlot.LOWER_LEFT

    def model(self, armature: Any, switches: Any) -> tuple[Any, str]:
        losses = find_losses(armature)
        return losses, "" if losses is not None else MISSING

    def chart(self, content: LossHistory, theme: Theme) -> LineChart:
        return chart(content)
