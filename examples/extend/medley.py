# SPDX-License-Identifier: GPL-3.0-or-later
"""A feature of your own in one file: clips in a row, each entered where it is most like the one before.

python examples/extend/medley.py medley clips.blend --action Walk --clips Idle Walk -o out.blend
"""

import itertools
import sys
from pathlib import Path

import bpy

sys.path.append(str(Path(__file__).resolve().parents[2]))

from inertia_addon import api
from inertia_addon.blender.hops import bake
from inertia_addon.blender.hops.search import FoundHop
from inertia_addon.cli import program
from inertia_addon.records import record
from inertia_addon.settings.fields import FRAME, Record, setting
from inertia_addon.settings.hops import HopSettings
from inertia_addon.settings.transition import TransitionSettings
from inertia_addon.tasks.task import ClipTask, Done, InSpecs, verdict_lines

BLEND = 10


@record(frozen=True)
class MedleySettings(Record):
    """What is asked for: options, fields of specs and arguments in Python are made of it."""

    action: str = setting(help="the action to begin with", metavar="ACTION")
    clips: tuple[str, ...] = setting((), help="the actions that follow, two or more", metavar="ACTION")
    stay: float = setting(20.0, FRAME, help="how many frames each plays before the next begins")


@record(frozen=True)
class MedleyTask(ClipTask):
    """Actions that are played one after the other."""

    KIND = COMMAND = "medley"
    SETTINGS = MedleySettings
    HELP = "play actions one after the other, each entered where it fits best"
    DESCRIPTION = "Make one new action of several, and write the file."
    IN_SPECS = InSpecs("medleys", "medley", "actions that are played in a row", "some actions in a row")
    STEM = "{action}_medley"

    def make(self, work, *, bakes):
        """Search for where each clip is entered, and bake the row as a hop, which has verdicts and Update."""
        if len(self.settings.clips) < 2:
            raise api.InertiaError("Name two actions or more that follow.")
        names, stay = (self.settings.action, *self.settings.clips), self.settings.stay
        cuts, entries = [work.clip(names[0], "").start + stay], []
        for ends in itertools.pairwise(names):
            asked = {"source": ends[0], "destination": ends[1], "range": (cuts[-1], cuts[-1]), "best": 1}
            best = api.cost(work.armature, **asked, keep_frames=stay + BLEND).values["best"][0]
            entries.append(best["destination_frame"])
            cuts.append(entries[-1] + stay)
        joins = len(names) - 1
        row = FoundHop(
            trigger=cuts[0],
            clips=names[1:-1],
            entries=tuple(entries[:-1]),
            exits=tuple(cuts[1:-1]),
            stays=(0, *[int(stay) - BLEND] * (joins - 1)),
            blends=(BLEND,) * joins,
            parts=(0.0,) * joins,
            waiting=0.0,
            cost=0.0,
        )
        ends = TransitionSettings(names[0], names[-1], cuts[0], entries[-1], result=f"{names[0]} medley")
        report = bake.bake_hop(work.armature, HopSettings(ends, clips=row.clips), row)
        return Done(report.result, report.as_dict(), report)

    @staticmethod
    def lines(values):
        """Return what the command says."""
        return [f'"{values["result"]}" is written to {values["output"]}.', *verdict_lines(values)]


class MEDLEY_OT_bake(bpy.types.Operator):
    bl_idname, bl_label, bl_options = "medley.bake", "Bake Medley", {"REGISTER", "UNDO"}
    clips: bpy.props.StringProperty(name="Clips", description="The actions that follow, with commas between")

    def execute(self, context):
        """Do what the command does, of the assigned action, which has every name that it takes there."""
        action = context.object.animation_data.action.name
        api.run("medley", context.object, action=action, clips=self.clips.split(","))
        return {"FINISHED"}


class MEDLEY_PT_panel(bpy.types.Panel):
    bl_label, bl_space_type, bl_region_type, bl_category = "Medley", "VIEW_3D", "UI", "Inertia"

    def draw(self, _context):
        """Draw the button; what it takes is in the redo panel."""
        self.layout.operator("medley.bake")


api.register(MedleyTask)
for cls in (MEDLEY_OT_bake, MEDLEY_PT_panel):
    bpy.utils.register_class(cls)

if __name__ == "__main__":
    sys.exit(program.main(sys.argv[1:]))
