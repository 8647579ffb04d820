# SPDX-License-Identifier: GPL-3.0-or-later
"""What there is in a file, and what its clips leave out."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from ..console import output
from ..records import record
from ..settings.fields import setting
from .task import Done, OutputOption, Task, Work


@record(frozen=True)
class CompleteTask(Task):
    """Clips that are given the keys that they leave out. actions: () for all that Inertia has not baked."""

    KIND = "complete"
    COMMAND = "complete"
    HELP = "key the channels that clips leave out"
    DESCRIPTION = """Give each clip one key on every channel of a bone that another clip keys and it does not.
The result is written as a .blend file.

Exporters that leave out constant channels mean the node's own transform, which an import puts into the
pose, where the next action that plays overwrites it. Inertia knows it from the import; completed clips
look right everywhere. The actions themselves are edited, in the file that is written.
Exit codes: 0 done, 1 failed, 2 wrong usage."""
    WRITES = (
        # other kinds of files hold a single clip
        OutputOption("-o", "OUT", "the .blend file to write", (".blend",), is_needed=True, is_in_place=True),
    )

    actions: tuple[str, ...] = setting(
        (),
        help="the clips (default: all of the armature's that Inertia has not baked)",
        key="action",
        metavar="ACTION",
    )

    @property
    def label(self) -> str:
        """The clips for a reader."""
        return ", ".join(self.actions) or "all clips"

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Give each clip of the open file one key on every number that it lacks of a bone's location,
        rotation or scale of which any of the clips keys a number.

        So a clip that keys x of a location gets y and z as well. Muted channels get none, nor does a rotation
        in another mode than the bone's present one. The key stands where the clip begins and holds what the
        channel shows there, so that the clip looks as before. The clips are the task's actions or, without
        any, all editable ones of the armature that Inertia has not baked; they are edited in place. bakes is
        ignored. values of the Done: "completed", for each clip that was given keys a dict of action, channels
        (how many) and bones (names). writes: "output" saves the file as .blend. Raise InertiaError, with the
        clips as they were, for a name that fits no action or a clip that can't be edited.
        """
        from ..blender import files
        from ..blender.data import actions, names
        from ..blender.transition import completing

        armature = work.armature
        clips = [actions.find(name) for name in names.resolve(self.actions, armature.name)]
        completed = completing.complete(
            armature, [(clip, "") for clip in clips or completing.library(armature)]
        )
        values = {"completed": [*map(dataclasses.asdict, completed)]}

        def write(path: Path) -> None:
            files.save(path, armature, "", "")

        return Done(self.label, values, writes={"output": write})

    @staticmethod
    def messages(values: dict[str, Any]) -> list[str]:
        """Say how many keys were given."""
        completed = values["completed"]
        count = sum(each["channels"] for each in completed)
        return [f"Keys given in {len(completed)} clips: {count}; it is written to {values['output']}."]


@record(frozen=True)
class InfoTask(Task):
    """The armatures of a file with the actions that fit them."""

    KIND = "info"
    OF_ONE_ARMATURE = False
    COMMAND = "info"
    HELP = "list a file's armatures and actions"
    DESCRIPTION = """\
List the armatures of a file with the actions that fit them: frames, slots, and how far the
root goes over the ground (along its way, and from where it begins to where it ends, in metres)."""

    @property
    def label(self) -> str:
        """The file for a reader."""
        return "file"

    def make(self, work: Work, *, bakes: bool) -> Done:
        """List the open file's armatures with the actions that fit them; only the work's armature if it has
        one.

        values of the Done: "fps", the scene's, and "armatures", a list in the order of their names of dicts:
        "name", "bones" (a number), "rotation_modes" (how many bones by mode, the most frequent first),
        "joints" (dicts of bone, role, weight and confidence, 0 to 1), "note" ("" where all joints are sure)
        and "actions". Each of these is a dict: "name", "slot" (identifier), "assigned", "start" and "end"
        (frames), "seconds" between them, "root", "moves" (whether it travels or turns), "distance" (along its
        way over the ground) and "displacement" (from beginning to end), both in metres, "slots" (dicts of
        identifier, id_type, start and end), "kind", such as "transition" or "loop", "" for what Inertia has
        not made, and "problem", why it can't be read, "" for none. An action with
        a problem has the frames of all its keys, slot and root "", assigned and moves False, and distances 0.

        bakes is ignored, and nothing is changed.
        """
        from ..blender.files import inventory

        outline = inventory.of_file()
        if work.armature is not None:
            name = work.armature.name
            outline["armatures"] = [entry for entry in outline["armatures"] if entry["name"] == name]
        return Done(self.label, outline)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: files and frame rate, then for each armature a blank line, a heading,
        its joints and a table of its actions.

        values: of make, with "files" (names). Without armatures a line says so; an armature without actions
        has no table. The table has the name (with " *" behind it if it is assigned), frames, seconds, root,
        root motion in metres ("" with a problem, "in place" without motion) and slots. A note on joints that
        are not sure follows these; notes on actions with a problem follow the table.
        """
        lines = [f"{', '.join(values['files'])}: {values['fps']:.6g} frames a second"]
        if not values["armatures"]:
            lines.append("no armature")
        for armature in values["armatures"]:
            modes = ", ".join(f"{count} {mode}" for mode, count in armature["rotation_modes"].items())
            count = len(armature["actions"])
            actions = f"{count} action{'s' * (count != 1)}"
            lines += ["", f"{armature['name']}: {armature['bones']} bones ({modes}), {actions}"]
            lines += _describe_joints(armature)
            if count:
                header = ["action", "frames", "seconds", "root", "root motion", "slots"]
                lines += output.table([header, *map(_make_row, armature["actions"])], "  ")
            lines += [f"  note: {action['problem']}" for action in armature["actions"] if action["problem"]]
        return lines


def _describe_joints(armature: dict[str, Any]) -> list[str]:
    """Return the lines on an armature's recognized joints, none to two, indented.

    The first lists each role but OTHER, in lower case, with its bones, and how sure the least sure of these
    joints is, in percent: "joints: hips Hips; foot Foot.L, Foot.R (90% sure)". It is left out if no joint has
    a role. The second is the armature's note, left out if it is "". armature: an entry of InfoTask's values;
    of it "joints" and "note" are read.
    """
    joints = [joint for joint in armature["joints"] if joint["role"] != "OTHER"]
    roles = [
        f"{role.lower()} {', '.join(joint['bone'] for joint in joints if joint['role'] == role)}"
        for role in dict.fromkeys(joint["role"] for joint in joints)
    ]
    sure = min((joint["confidence"] for joint in joints), default=1.0)
    lines = [f"  joints: {'; '.join(roles)} ({sure:.0%} sure)"] if roles else []
    return lines + [f"  note: {armature['note']}"] * bool(armature["note"])


def _make_row(action: dict[str, Any]) -> list[str]:
    motion = (
        f"{action['distance']:.2f} m, {action['displacement']:.2f} m away" if action["moves"] else "in place"
    )
    slots = ", ".join(slot["identifier"] for slot in action["slots"] if slot["identifier"])
    return [
        action["name"] + (" *" if action["assigned"] else ""),
        f"{action['start']:g} to {action['end']:g}",
        f"{action['seconds']:.3f}",
        action["root"],
        "" if action["problem"] else motion,
        slots,
    ]
