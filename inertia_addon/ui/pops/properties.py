# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature remembers of its pops: how they are found and smoothed, and those that were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ...blender.data import scene
from ...settings.pops import WHOLE_POSE, PopSettings
from ...settings.transition import OBJECT_ROOT
from ..shared import forms, labels, made_of
from ..shared.drawing import at_end
from ..shared.found_list import FoundList, FoundRows
from ..shared.made_of import a_frame, an_action, list_of, make_property, plain
from ..shared.showing_bones import show_bone
from ..translations import OWN_CONTEXT, translated

if TYPE_CHECKING:
    from ...blender.pops.search import FoundPops

KINDS = (
    ("STEP", "Step", "A jump that stays"),
    ("SPIKE", "Spike", "One frame out of place"),
    ("STRETCH", "Stretch", "Several frames out of place"),
)
CHANNELS = (
    ("ROTATION", "Rotation", "The bone turns"),
    ("LOCATION", "Location", "The bone moves"),
    ("POSE", "All Bones", "All bones jump at once"),
)
ICONS = {"STEP": "IPO_CONSTANT", "SPIKE": "IPO_ELASTIC", "STRETCH": "IPO_BACK"}


class PopProperties(bpy.types.PropertyGroup):
    """A pop that was found."""

    bone: make_property(StringProperty, "Bone", "The bone that jumps")
    channel: make_property(EnumProperty, "Channel", "Which part of it jumps", items=CHANNELS)
    kind: make_property(
        EnumProperty, "Kind", "What it looks like", translation_context=OWN_CONTEXT, items=KINDS
    )
    first: a_frame(
        "First",
        "The last frame before a step; otherwise the first frame out of place",
        translation_context=OWN_CONTEXT,
    )
    last: a_frame(
        "Last",
        "The first frame after a step; otherwise the last frame out of place",
        translation_context=OWN_CONTEXT,
    )
    size: make_property(FloatProperty, "Size", "How far it jumps: degrees, or metres")
    times: make_property(FloatProperty, "Times", "How many times the usual motion it is")
    chosen: plain(BoolProperty, "Smooth", "Smooth this pop", default=True)

    @property
    def pop_name(self) -> str:
        """How settings name it."""
        return f"{self.bone}@{self.first:g}"


def go_there(pops: Any, context: Any) -> None:
    """Show the frame of the pop that is active in the list, and select its bone alone, which becomes the
    active one; an update function.

    pops: an armature's inertia_pops. The pop's frame is its last if its kind is STEP, else its first; it is
    one of the action, and the scene goes to where it shows that, between whole frames if need be. Nothing
    happens without an active pop. Where the armature has no bone of the pop's name, the frame is shown and
    the selection stays.
    """
    if not 0 <= pops.active < len(pops.found):
        return
    pop, armature = pops.found[pops.active], pops.id_data
    show_bone(context, armature, pop.bone, pop.last if pop.kind == "STEP" else pop.first)


@made_of.properties(PopSettings)
class PopsProperties(bpy.types.PropertyGroup):
    """How the armature's pops are found and smoothed, and those that were found."""

    action: an_action("Action", "The action in which the listed pops were found")
    found: list_of(PopProperties, "Pops", "The pops that were found, by frame")
    active: plain(
        IntProperty,
        "Pop",
        "The pop of the list that is looked at: a click shows its frame and selects its bone",
        update=go_there,
    )


class INERTIA_UL_pops(FoundRows, bpy.types.UIList):
    def describe(self, armature: Any, item: Any) -> tuple[str, str]:
        return named(armature, item), ICONS[item.kind]

    def draw_more(self, row: Any, item: Any) -> None:
        at_end(row, f"{item.times:.0f} x", active=False)


OPTIONS = forms.popover(
    "pop_options",
    "Pop Options",
    "Which pops are found, and how they are smoothed, in a popover.",
    "inertia_pops",
    PopSettings,
)
FOUND = FoundList(
    group="inertia_pops",
    rows="INERTIA_UL_pops",
    find=("find_pops", "VIEWZOOM"),
    mend=("smooth_pops", "SMOOTHCURVE"),
    options=OPTIONS,
    of_other='The pops of "{action}" are listed; find those of the assigned action.',
    nothing="Nothing pops in the assigned action.",
)


def named(armature: Any, item: Any) -> str:
    """Return the name of what pops."""
    special = {OBJECT_ROOT: translated("Object"), WHOLE_POSE: translated("Whole Pose")}
    return special.get(item.bone) or labels.bone(armature, item.bone)


def size_text(item: Any) -> str:
    """Format how far a pop jumps."""
    return scene.length_text(item.size) if item.channel == "LOCATION" else f"{item.size:.0f}°"


def keep(armature: Any, pops: FoundPops) -> None:
    """List the pops that were found in an action in `inertia_pops.found`, in their order, in place of those
    before.

    Each gets bone, channel and kind, both in upper case, first and last (frames), size (degrees, or metres
    for a location) and times (the usual); all are ticked to be smoothed (`chosen`). `active` becomes -1, for
    none, without its update, so that no frame is shown and no bone selected. `inertia_pops.action` becomes
    the action that they are of. Windows are redrawn.
    """
    listed = FOUND.begin_anew(armature, pops.clip.action)
    for pop in pops.pops:
        item = listed.add()
        item.bone, item.channel, item.kind = pop.bone, pop.channel.upper(), pop.kind.upper()
        item.first, item.last, item.size, item.times = pop.first, pop.last, pop.size, pop.times


def settings_from(armature: Any, **more: Any) -> PopSettings:
    """Return the settings of pops that an armature's properties ask for, of the assigned action; see
    :func:`made_of.of_assigned`.
    """
    settings: PopSettings = made_of.of_assigned(armature, "inertia_pops", PopSettings, **more)
    return settings


CLASSES = (PopProperties, PopsProperties, INERTIA_UL_pops)
