# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds contacts, adds and removes them at the current frame, and edits the list of legs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ...blender.data import compat, result_kinds, scene
from ...blender.feet import bake, contacts, legs
from ...blender.judging import locked_feet, verdict
from ...errors import InertiaError
from ...motion.feet import contacts as foot_contacts
from ...motion.feet import legs as motion_legs
from ...motion.steps import Steps, finish
from ...settings.feet import Locking, LockSettings
from ..shared import cache, character, forms, tool, words
from ..shared.long_work import LongWork
from ..shared.made_of import plain, rounded
from ..shared.row_list import ClearsRows, RemovesRow
from ..shared.tool import Tool
from ..transition import previewing, results
from ..transition.operators import poll_assigned
from . import shown as feet
from .properties import KEPT, LEGS, MORE

if TYPE_CHECKING:
    from ...blender.feet.bake import LockReport
    from ...blender.judging.verdict import Verdict
    from ...motion.feet.contacts import Span

NEW_SECONDS = 0.2
"""How long a contact is that is added at a frame, if there is room."""


class INERTIA_OT_find_contacts(LongWork, bpy.types.Operator):
    bl_idname = "inertia.find_contacts"
    bl_label = "Find Contacts"
    bl_description = (
        "Find when each foot is planted in the action that is shown. Rigs with constraints or drivers are "
        "played once, frame by frame. ESC stops it; the scene stays as it is"
    )
    # what it finds is kept beside the file, so there is nothing to undo
    bl_options = {"REGISTER"}
    needs = (tool.poll_armature,)

    def work(self, context: Any) -> Steps[None]:
        self.stands_on(feet.chosen(context.object))
        shown = yield from feet.find_steps(context.object)
        number = sum(map(len, shown.contacts.spans))
        self.say("{count} found in {action}.", count=words.count(number, "contact"), action=shown.action)


class OfFoot(Tool):
    """What is done to the contacts of a foot at the current frame."""

    needs = (tool.poll_settings, feet.poll_shown)
    nothing = ""
    foot: plain(StringProperty, "Foot", "The foot's bone; empty for all feet")

    def act(self, context: Any) -> set[str] | None:
        shown = feet.contacts_of(context.object)
        names = [leg.name for leg in shown.contacts.legs]
        if self.foot and self.foot not in names:
            raise InertiaError('"{foot}" is not one of the feet in use.', foot=self.foot)
        frame = float(context.scene.frame_current_final)
        wanted = [self.foot] if self.foot else names
        done = [self.change(context.object, shown, foot, frame) for foot in wanted]
        if not any(done):
            self.say(self.nothing, "WARNING")
            return {"CANCELLED"}
        return None

    def change(self, armature: Any, planted: feet.ContactsView, foot: str, frame: float) -> bool:
        """Do it to a foot; whether there was anything to do."""
        raise NotImplementedError


def at_frame(planted: feet.ContactsView, foot: str, frame: float) -> Span | None:
    """Return the span of a foot in which a frame lies, in whichever repetition of a cycle; None for none."""
    spans, period = planted.contacts.spans[planted.contacts.index(foot)], planted.contacts.period or 0.0
    frames = (frame, frame - period, frame + period)
    return next((span for span in spans if any(map(span.holds, frames))), None)


class INERTIA_OT_add_contact(OfFoot, bpy.types.Operator):
    bl_idname = "inertia.add_contact"
    bl_label = "Add Contact"
    bl_description = "Plant the foot for a fifth of a second around the current frame"
    nothing = "The foot is planted at the current frame already"

    def change(self, armature: Any, planted: feet.ContactsView, foot: str, frame: float) -> bool:
        if at_frame(planted, foot, frame) is not None:
            return False
        action_contacts = planted.contacts
        first, last = action_contacts.clip
        if not first <= frame <= last:
            raise InertiaError(
                "Frame {frame} lies outside the clip, which lasts from frame {first} to {last}; go to one "
                "of its frames.",
                frame=words.number(frame),
                first=words.number(first),
                last=words.number(last),
            )
        half = round(scene.to_frames(0.5 * NEW_SECONDS))
        spans = action_contacts.at(action_contacts.index(foot), first, last)
        low = max([first, *(span.end + 1.0 for span in spans if span.end < frame)])
        high = min([last, *(span.start - 1.0 for span in spans if span.start > frame)])
        start, end = max(frame - half, min(low, frame)), min(frame + half, max(high, frame))
        feet.put(armature, foot, None, foot_contacts.Span(start, end))
        return True


class INERTIA_OT_remove_contact(OfFoot, bpy.types.Operator):
    bl_idname = "inertia.remove_contact"
    bl_label = "Remove Contact"
    bl_description = "Remove the whole contact of the foot at the current frame"
    nothing = "The foot is not planted at the current frame"

    def change(self, armature: Any, planted: feet.ContactsView, foot: str, frame: float) -> bool:
        span = at_frame(planted, foot, frame)
        if span is not None:
            feet.put(armature, foot, span, None)
        return span is not None


class INERTIA_OT_reset_contacts(Tool, bpy.types.Operator):
    bl_idname = "inertia.reset_contacts"
    bl_label = "Find Contacts Again"
    bl_description = "Discard the edited contacts of this action, and find them from the motion again"
    needs = (
        tool.poll_settings,
        tool.need(
            lambda context: contacts.STORED in feet.chosen(context.object),
            "No contacts of this action were edited",
        ),
    )

    def act(self, context: Any) -> None:
        contacts.store(feet.chosen(context.object), {})
        cache.redraw()


class INERTIA_OT_fill_legs(Tool, bpy.types.Operator):
    bl_idname = "inertia.fill_legs"
    bl_label = "List Legs"
    bl_description = (
        "List the legs that are found, to change them. Legs that are on the list already stay as they are"
    )
    needs = (tool.poll_settings, tool.poll_armature)

    def act(self, context: Any) -> None:
        armature = context.object
        detected = legs.detected(armature)
        motion_legs.check_found(detected, armature.name)
        listed = {item.foot for item in armature.inertia_feet.legs}
        fresh = [leg for leg in detected if leg.name not in listed]
        for leg in fresh:
            LEGS.add(armature, **legs.row_of(armature, leg))
        self.say("{count} listed", count=words.count(len(fresh), "leg"))
        cache.redraw()


class INERTIA_OT_add_leg(Tool, bpy.types.Operator):
    bl_idname = "inertia.add_leg"
    bl_label = "Add Leg"
    bl_description = "Add a leg to the list, with the active bone as its foot; then choose its hip and foot"

    def act(self, context: Any) -> None:
        bone = character.active_bone(context.object)
        LEGS.add(context.object, foot=bone.name if bone else "")


class INERTIA_OT_remove_leg(RemovesRow, bpy.types.Operator):
    bl_idname = "inertia.remove_leg"
    bl_label = "Remove Leg"
    bl_description = "Remove the chosen leg from the list"
    needs = LEGS.needs_active
    listed, spared = LEGS, "This leg comes from the linked file; it is no longer used"


class INERTIA_OT_clear_legs(ClearsRows, bpy.types.Operator):
    bl_idname = "inertia.clear_legs"
    bl_label = "Clear List of Legs"
    bl_description = "Remove all legs from the list, and detect them automatically"
    needs = LEGS.needs_rows
    listed = LEGS


SHOWN = ("foot_release", "hips_drop", *KEPT)
"""The settings that the redo panel has."""
VERDICT = "feet:verdict"
"""What the verdict on the action whose feet were locked last is kept under."""
NEEDS = (tool.poll_settings, tool.poll_armature, poll_assigned)


@forms.redone(Locking, SHOWN, MORE)
class INERTIA_OT_lock_feet(Tool, bpy.types.Operator):
    bl_idname = "inertia.lock_feet"
    bl_label = "Lock Feet"
    bl_description = (
        "Make a new action from the assigned one, in which each foot stands still while it is planted. "
        "Only legs and hips change, and only where feet skate; the action itself stays unchanged"
    )
    needs = NEEDS

    def act(self, context: Any) -> None:
        previewing.end(stay=True)
        action, slot = compat.assigned(context.object)
        assert action is not None
        settings = LockSettings(action.name, slot, **rounded(self, SHOWN))
        tell(self, context, finish(bake.lock_action_steps(context.object, settings)))


def tell(operator: Tool, context: Any, report: LockReport) -> None:
    """Report what locking feet has made, sentence by sentence, through an operator; judge it, and keep the
    verdict for the panel.

    In this order: how far feet move while they are planted, in the new action and before, the sums over all
    feet in cm to a tenth whatever the scene's unit, as in 'Planted feet move 0.3 cm in "Walk.001", 12.0 cm
    before.'; the verdict's first sentence, if it could be judged; the report's notes. These are INFO.

    If the action was not assigned, the first is a WARNING, and why not is reported last, as another. It works
    on the context's active object, for which the verdict is kept under VERDICT, with the new action's name as
    the key; None where it could not be judged, as Blender would have to play the rig.
    """
    armature = context.object
    seen = locked_feet.judge_report(armature, report)
    cache.put(VERDICT, armature, report.result, seen)
    reason = report.not_assigned_because
    before, after = (100.0 * sum(foot.stance_m for foot in feet) for feet in (report.before, report.after))
    operator.say(
        'Planted feet move {after:.1f} cm in "{result}", {before:.1f} cm before.',
        "WARNING" if reason else "INFO",
        after=after,
        result=report.result,
        before=before,
    )
    if seen is not None:
        operator.say(verdict.sentences(seen)[0])
    for note in report.notes:
        operator.say(note)
    if reason:
        operator.say(reason, "WARNING")


def recall_verdict(armature: Any, action: Any | None) -> Verdict | None:
    """Return the verdict on an action whose feet were locked since the file was opened."""
    seen: Verdict | None = None if action is None else cache.recall(VERDICT, armature, action.name)
    return seen


def changed(_armature: Any, action: Any) -> str:
    """Return an English sentence that says that an action's contacts were edited since its feet were locked;
    "" if not.

    They count as edited if any foot's edited contacts (STORED) differ from those by which it is held (HELD),
    or it has no held ones; edits that equal these do not. An action that was never locked thus counts as
    edited with any contacts stored. "" also if edits can't be read; held contacts that can't be read count as
    none. The armature is not used.
    """
    with contextlib.suppress(InertiaError):  # the panel on feet says why
        if contacts.stored_and_held(action) != contacts.read_held(action):
            return "Contacts were edited since it was baked."
    return ""


results.add(
    result_kinds.FEET, results.ResultKind("Locked Feet", tell, changed=changed, verdict=recall_verdict)
)
