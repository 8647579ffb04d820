# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in the window: trained in the background, checked, and followed with."""

from __future__ import annotations

from ..room import Room, forget_at_end, handler, menu, pointer, separator, tool
from . import models, operators, panels, training
from .loss_plot import LossPlot

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

ROOM = Room(
    modules=(operators,),
    properties=(models.LearnedProperties,),
    pointers=(pointer("inertia_learned", models.LearnedProperties),),
    panels=panels.PARTS,
    plots=(LossPlot(),),
    menus=(LEARNED,),
    parts=(forget_at_end(training.forget), handler("load_pre", training.forget)),
)
