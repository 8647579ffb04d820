# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in the window: trained in the background, checked, and followed with."""

from __future__ import annotations

from ..room import Room, forgetting, handler, menu, pointer, separator, tool
from . import follow_operators, operators, panels, properties, training
from .loss_plot import LossPlot

LEARNED = menu(
    *("learned", "Learned", "A model that plays the actions without them"),
    tool("train_model", "PLAY", "Train Model", resume=False),
    tool("train_model", "FILE_REFRESH", "Go On Training", resume=True),
    tool("stop_training", "X"),
    tool("check_model", "CHECKMARK"),
    separator,
    tool("bake_model", "CURVE_PATH"),
    tool("bake_crowd", "COMMUNITY"),
    icon="OUTLINER_OB_POINTCLOUD",
)

ROOM = Room(
    modules=(operators, follow_operators),
    properties=properties.CLASSES,
    pointers=(pointer("inertia_learned", properties.LearnedProperties),),
    panels=panels.PARTS,
    plots=(LossPlot(),),
    menus=(LEARNED,),
    parts=(forgetting(training.forget), handler("load_pre", training.forget)),
)
