# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators, one tool a file."""

from __future__ import annotations

from .cost.operators import joints
from .cost.operators.evaluate_clips import INERTIA_OT_evaluate_clips
from .cost.operators.find_meeting import INERTIA_OT_find_meeting
from .cost.operators.pick_meeting import INERTIA_OT_pick_meeting
from .cost.operators.save_map import INERTIA_OT_save_map
from .cost.operators.select_bone import INERTIA_OT_select_bone
from .cost.operators.step_pair import INERTIA_OT_step_pair
from .hops import operators as hops
from .root_motion import operators as root_motion
from .root_motion.drag_ramp import INERTIA_OT_drag_ramp
from .transition.operators.bake_transition import INERTIA_OT_bake_transition
from .transition.operators.complete_clips import INERTIA_OT_complete_clips
from .transition.operators.list_bones import INERTIA_OT_list_bones
from .transition.operators.load_recipe import INERTIA_OT_load_recipe
from .transition.operators.rebake import INERTIA_OT_rebake
from .transition.operators.set_blend_scale import INERTIA_OT_set_blend_scale
from .transition.operators.swap_actions import INERTIA_OT_swap_actions
from .transition.operators.use_assigned_action import INERTIA_OT_use_assigned_action
from .transition.operators.use_current_frame import INERTIA_OT_use_current_frame

CLASSES = (
    INERTIA_OT_bake_transition,
    INERTIA_OT_rebake,
    INERTIA_OT_load_recipe,
    INERTIA_OT_use_current_frame,
    INERTIA_OT_use_assigned_action,
    INERTIA_OT_swap_actions,
    INERTIA_OT_list_bones,
    INERTIA_OT_set_blend_scale,
    INERTIA_OT_find_meeting,
    INERTIA_OT_step_pair,
    INERTIA_OT_evaluate_clips,
    INERTIA_OT_complete_clips,
    INERTIA_OT_select_bone,
    INERTIA_OT_pick_meeting,
    INERTIA_OT_drag_ramp,
    INERTIA_OT_save_map,
    *joints.CLASSES,
    *root_motion.CLASSES,
    *hops.CLASSES,
)
