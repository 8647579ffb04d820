# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender is told of the extension: one list, gone through forwards and then backwards."""

from __future__ import annotations

from .blender.data import compat
from .cli import program
from .ui import keys, menus, operators, panels, translations
from .ui import plots as plots  # the overlays show what is listed there
from .ui.cost import joint_list, search
from .ui.feet import drag_contact
from .ui.feet import panels as feet_panels
from .ui.feet import properties as feet
from .ui.hops import properties as hops
from .ui.judging import live
from .ui.learned import properties as learned
from .ui.learned import training
from .ui.library import properties as library
from .ui.loops import properties as loops
from .ui.matching import properties as matching
from .ui.matching import searching
from .ui.overlay import gizmo, handlers
from .ui.overlay import panels as overlay_panels
from .ui.pops import properties as pops
from .ui.root_motion import gizmo as root_motion_gizmo
from .ui.root_motion import panels as root_motion_panels
from .ui.root_motion import properties as root_motion
from .ui.shared import cache, first_poses, groups, long_work
from .ui.shared.parts import Part, classes, forgetting, handler, pointer
from .ui.transition import limb_list, presets, preview_operators, previewing
from .ui.transition import properties as transition
from .ui.travel import properties as travel

GROUPS = (
    pointer(
        *("Object", "inertia", transition.TransitionProperties),
        *("Inertia", "The settings of the armature's next transition"),
    ),
    pointer(
        *("PoseBone", "inertia", transition.BoneProperties),
        *("Inertia", "How the bone takes part in transitions"),
    ),
    pointer(
        *("Object", "inertia_limbs", limb_list.LimbsProperties),
        *("Inertia Limbs", "Which of the armature's limbs go between FK and IK, and how"),
    ),
    pointer(
        *("Object", "inertia_cost", joint_list.CostProperties),
        *("Inertia Cost", "Which joints count in the cost of the armature's transitions"),
    ),
    pointer(
        *("Object", "inertia_search", search.SearchProperties),
        *(
            "Inertia Search",
            "Where the armature's best pairs of frames are searched, and those that were found",
        ),
    ),
    pointer(
        *("Object", "inertia_root", root_motion.RootMotionProperties),
        *("Inertia Root Motion", "What of the armature's root motion is measured, and how"),
    ),
    pointer(
        *("Object", "inertia_feet", feet.FeetProperties),
        *("Inertia Feet", "Which legs the armature has, and when its feet count as planted"),
    ),
    pointer(
        *("Object", "inertia_hops", hops.HopsProperties),
        *("Inertia Hops", "Where the armature's hops are searched, and those that were found"),
    ),
    pointer(
        *("Object", "inertia_pops", pops.PopsProperties),
        *("Inertia Pops", "How the armature's pops are found and smoothed, and those that were found"),
    ),
    pointer(
        *("Object", "inertia_loops", loops.LoopsProperties),
        *("Inertia Loops", "Where the armature's loops are looked for, and those that were found"),
    ),
    pointer(
        *("Object", "inertia_path", matching.PathProperties),
        *("Inertia Path", "What the armature follows with its actions, and how"),
    ),
    pointer(
        *("Object", "inertia_learned", learned.LearnedProperties),
        *("Inertia Learned", "The model that the armature's actions become, and how it is trained"),
    ),
    pointer(
        *("Object", "inertia_travel", travel.TravelProperties),
        *("Inertia Travel", "How the armature's actions travel that stay in place"),
    ),
    pointer(
        *("Object", "inertia_library", library.LibraryProperties),
        *("Inertia Library", "The armature's list of transitions, with what became of each"),
    ),
    pointer(
        *("Scene", "inertia_overlay", overlay_panels.OverlayProperties),
        *("Inertia Overlays", "Which overlays of the coming transition the scene shows"),
        override=False,
    ),
)
"""What objects, bones and scenes remember."""

HANDLERS = (
    handler("save_pre", previewing.on_save),
    *(handler(moment, previewing.on_saved) for moment in ("save_post", "save_post_fail")),
    *(handler(moment, previewing.on_exit) for moment in compat.EXIT_MOMENTS),
    handler("frame_change_post", previewing.on_frame),
    handler("load_post", previewing.on_load),
    *(handler(moment, previewing.on_new_state) for moment in ("undo_post", "redo_post")),
    handler("save_pre", groups.on_save),
    handler("depsgraph_update_pre", first_poses.on_update),
    handler("frame_change_pre", first_poses.on_update),
    handler("load_post", first_poses.on_load),
    handler("depsgraph_update_post", cache.on_depsgraph_update),
    handler("load_post", cache.forget),
    handler("load_post", searching.forget),
    handler("load_pre", live.forget),
    handler("load_pre", training.forget),
    *(handler(moment, long_work.give_up) for moment in ("undo_pre", "redo_pre", "load_pre")),
    *(handler(moment, live.begin_again) for moment in ("undo_pre", "redo_pre")),
    *(handler(moment, cache.look_again) for moment in ("undo_post", "redo_post")),
    *(handler(moment, handlers.on_new_state) for moment in ("load_post", "undo_post", "redo_post")),
)
"""What looks at the file, and when."""

PARTS = (
    Part(translations.attach, translations.detach),
    *classes(
        transition.CLASSES, limb_list.CLASSES, joint_list.CLASSES, search.CLASSES, root_motion_panels.CLASSES
    ),
    *classes(root_motion.CLASSES, hops.CLASSES, loops.CLASSES, matching.CLASSES, learned.CLASSES),
    *classes(library.CLASSES, pops.CLASSES, travel.CLASSES),
    *classes(overlay_panels.properties(), feet.CLASSES, feet_panels.CLASSES),
    *GROUPS,
    *classes(operators.CLASSES, menus.CLASSES, overlay_panels.CLASSES, presets.CLASSES, panels.CLASSES),
    *classes(keys.CLASSES),
    preview_operators.BUTTON,
    *classes(gizmo.CLASSES, root_motion_gizmo.CLASSES, drag_contact.GIZMOS),
    Part(menus.attach, menus.detach),
    Part(keys.attach, keys.detach),
    Part(presets.attach, presets.detach),
    forgetting(groups.names_of.cache_clear),
    forgetting(first_poses.on_load),
    forgetting(long_work.give_up),
    forgetting(previewing.forget),
    forgetting(searching.forget),
    forgetting(live.forget),
    forgetting(training.forget),
    forgetting(cache.stop),
    *HANDLERS,
    Part(handlers.begin, handlers.end),
    Part(program.register, program.unregister),
)
"""Everything, in an order in which each part finds what it needs."""

_registered: list[Part] = []


def register() -> None:
    """Register every part; when one fails, none stays."""
    unregister()
    try:
        for part in PARTS:
            part.register()
            _registered.append(part)
    except BaseException:
        # whatever it was, it is raised again
        unregister()
        raise


def unregister() -> None:
    """Take back what was registered, last first."""
    while _registered:
        _registered.pop().unregister()
