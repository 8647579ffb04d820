# SPDX-License-Identifier: GPL-3.0-or-later
"""All plots that the overlays can show, in the order of their switches, from the bottom of a view upwards."""

from __future__ import annotations

from .cost.curve_plot import CostCurves, CostTimeline
from .cost.map_plot import CostMapPlot
from .cost.offsets_plot import BoneOffset
from .cost.world import Ghosts, Tint
from .feet.plots import FootprintPlot, FootTimeline
from .hops.hop_plot import HopPlot
from .learned.loss_plot import LossPlot
from .loops.map_plot import LoopMapPlot
from .matching.path_plot import PathPlot
from .overlay import protocol
from .pops.pop_plot import PopTimeline
from .root_motion.histogram_plot import SpeedHistogram
from .root_motion.plot import RootMotionPlot, RootTimeline

PLOTS = (
    *(CostCurves(), CostTimeline(), CostMapPlot(), BoneOffset(), Ghosts(), Tint()),
    *(RootMotionPlot(), RootTimeline(), SpeedHistogram(), HopPlot(), LoopMapPlot(), PopTimeline()),
    *(FootprintPlot(), FootTimeline(), PathPlot(), LossPlot()),
)

protocol.use(PLOTS)
