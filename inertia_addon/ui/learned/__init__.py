# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in the window: trained in the background, checked, and followed with."""

from __future__ import annotations

from ..overlay.switches import PlotSwitch
from ..room import END, Room, menu, once_read, pointer, separator, tool
from . import loss_plot, models, operators, panels, training

LEARNED = menu(
    "learned",
    "Learned",
    "A model that learns the actions and plays without them",
    tool("train_model", "PLAY", "Train Model", resume=False),
    tool("train_model", "FILE_REFRESH", "Go On Training", resume=True),
    tool("stop_training", "X"),
    tool("import_networks", "IMPORT"),
    tool("check_model", "CHECKMARK"),
    separator,
    tool("bake_model", "CURVE_PATH"),
    tool("bake_crowd", "COMMUNITY"),
    icon="OUTLINER_OB_POINTCLOUD",
)

PLOTS = (
    PlotSwitch(
        "losses",
        "Losses",
        "In the 3D View: how the losses of the model fall while its networks are trained",
        lambda: loss_plot.LossPlot(),
    ),
)

ROOM = Room(
    modules=(operators,),
    properties=(models.LearnedProperties,),
    pointers=(pointer("inertia_learned", models.LearnedProperties),),
    panels=panels.PARTS,
    plots=PLOTS,
    menus=(LEARNED,),
    parts=(*once_read(training, lambda: training.forget(), END, "load_pre"),),
)
