# SPDX-License-Identifier: GPL-3.0-or-later
"""What an armature remembers of its take: how it is finished, and what was found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ...settings.finish import KINDS, FinishSettings
from ..shared import forms, labels, made_of
from ..shared.found_list import FoundList, FoundRows
from ..shared.made_of import a_frame, an_action, list_of, make_property, plain
from ..shared.showing_bones import show_bone
from ..transition.pickers import picker
from ..transition.properties import animates_objects
from ..translations import OWN_CONTEXT, sentence, translated

if TYPE_CHECKING:
    from ...blender.finish.findings import TakeFindings

SHOWN = ("feet", "foot_release", "hips_drop")
"""The settings of how a take is mended that the panel's options and the redo panel have."""
LABELS = (
    ("POSE", "Pose in Front", "The take begins with a pose that is no part of it"),
    ("CHANNELS", "Channels", "Only other actions key these channels, and what they leave shows"),
    ("JITTER", "Jitter", "The body trembles"),
    ("POP", "Pop", "A bone jumps"),
    ("FLOOR", "Tilted Floor", "The floor that feet stand on is not level"),
    ("SEAM", "Seam", "The take halts and goes on, or turns at once"),
    ("SINK", "Below Floor", "A foot stands below the floor"),
    ("FLOAT", "Above Floor", "A foot stands above the floor"),
    ("SKATE", "Skate", "A foot skates while it stands"),
    ("LIMB", "Turned Over", "A limb turns over; Inertia lists it and leaves it to you"),
)
ICONS = {
    **{"POSE": "ARMATURE_DATA", "CHANNELS": "KEYFRAME", "JITTER": "FORCE_TURBULENCE", "POP": "IPO_ELASTIC"},
    **{"FLOOR": "MESH_PLANE", "SEAM": "PAUSE", "SINK": "TRIA_DOWN", "FLOAT": "TRIA_UP"},
    **{"SKATE": "MOD_DYNAMICPAINT", "LIMB": "FILE_REFRESH"},
}
assert [key for key, _, _ in LABELS] == [kind.upper() for kind in KINDS]


INTO_TIP = "The action into which the assigned take is inserted"


class FindingProperties(bpy.types.PropertyGroup):
    """Something that was found in a take."""

    kind: make_property(EnumProperty, "Kind", "What it is", translation_context=OWN_CONTEXT, items=LABELS)
    bone: make_property(StringProperty, "Bone", "The bone that it is about")
    finding: make_property(StringProperty, "Finding", "How settings name it")
    text: make_property(StringProperty, "Text", "What was found, in a sentence")
    first: a_frame("First", "The first frame on which it shows", translation_context=OWN_CONTEXT)
    last: a_frame("Last", "The last frame on which it shows", translation_context=OWN_CONTEXT)
    is_mended: make_property(BoolProperty, "Mended", "Whether Finish Take can mend it")
    chosen: plain(BoolProperty, "Mend", "Mend this finding", default=True)


def go_there(take: Any, context: Any) -> None:
    """Show the first frame of the finding that is active in the list, and select its bone alone, if it has
    one; an update function. Nothing happens without an active finding.

    take: an armature's inertia_finish.
    """
    if not 0 <= take.active < len(take.found):
        return
    finding, armature = take.found[take.active], take.id_data
    show_bone(context, armature, finding.bone, finding.first)


@made_of.properties(FinishSettings)
class FinishProperties(bpy.types.PropertyGroup):
    """How the armature's take is finished, and what was found in it."""

    action: an_action("Action", "The take that was looked at")
    into: an_action("Into", INTO_TIP, poll=animates_objects)
    into_name: picker("into", "Into", INTO_TIP)
    found: list_of(FindingProperties, "Findings", "What was found in the take, by frame")
    active: plain(
        IntProperty,
        "Finding",
        "The finding that is looked at: a click shows its frame and selects its bone",
        update=go_there,
    )


class INERTIA_UL_findings(FoundRows, bpy.types.UIList):
    def describe(self, armature: Any, item: Any) -> tuple[str, str]:
        text = translated(next(label for key, label, _ in LABELS if key == item.kind))
        if item.bone and armature.pose.bones.get(item.bone):
            text = f"{text}: {labels.bone(armature, item.bone)}"
        return text, ICONS[item.kind]


OPTIONS = forms.popover(
    "finish_options",
    "Finish Options",
    "What is found in a take, and how it is mended, in a popover.",
    "inertia_finish",
    FinishSettings,
    ("strictness", *SHOWN),
)
FOUND = FoundList(
    group="inertia_finish",
    rows="INERTIA_UL_findings",
    find=("find_faults", "VIEWZOOM"),
    mend=("finish_take", "CHECKMARK"),
    options=OPTIONS,
    of_other='The findings of "{action}" are listed; look at the assigned action.',
    nothing="Nothing is to be mended in the assigned action.",
)


def keep(armature: Any, take_findings: TakeFindings) -> None:
    """List what was found in a take in `inertia_finish.found`, in place of what was listed, in order.

    Each row gets the finding's kind in upper case, bone, name (`finding`), sentence in Blender's language
    (`text`), first and last frame and is_mended; all are ticked (`chosen`). None is active then.
    `inertia_finish.action` becomes the take. Windows are redrawn.
    """
    listed = FOUND.begin_anew(armature, take_findings.clip.action)
    for finding in take_findings.findings:
        item = listed.add()
        item.kind, item.bone, item.finding = finding.kind.upper(), finding.bone, finding.name
        item.text = sentence(finding.words)
        item.first, item.last, item.is_mended = finding.first, finding.last, finding.is_mended


def settings_from(armature: Any, **more: Any) -> FinishSettings:
    """Return the settings that an armature's properties ask for, of the assigned action; see
    :func:`made_of.of_assigned`.
    """
    # where a take is put is asked for by its own button
    more = {"at": None, **more}
    settings: FinishSettings = made_of.of_assigned(armature, "inertia_finish", FinishSettings, **more)
    return settings


CLASSES = (FindingProperties, FinishProperties, INERTIA_UL_findings)
