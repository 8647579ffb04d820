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
    HELP = "key what clips leave out"
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
        """Give them their keys."""
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
        """List them."""
        from ..blender.files import inventory

        outline = inventory.of_file()
        if work.armature is not None:
            name = work.armature.name
            outline["armatures"] = [entry for entry in outline["armatures"] if entry["name"] == name]
        return Done(self.label, outline)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return a table for each armature."""
        lines = [f"{', '.join(values['files'])}: {values['fps']:.6g} frames a second"]
        if not values["armatures"]:
            lines.append("no armature")
        for armature in values["armatures"]:
            modes = ", ".join(f"{count} {mode}" for mode, count in armature["rotation_modes"].items())
            count = len(armature["actions"])
            actions = f"{count} action{'s' * (count != 1)}"
            lines += ["", f"{armature['name']}: {armature['bones']} bones ({modes}), {actions}"]
            lines += _joints(armature)
            if count:
                header = ["action", "frames", "seconds", "root", "root motion", "slots"]
                lines += output.table([header, *map(_row, armature["actions"])], "  ")
            lines += [f"  note: {action['problem']}" for action in armature["actions"] if action["problem"]]
        return lines


def _joints(armature: dict[str, Any]) -> list[str]:
    """Return lines on an armature's joints: one with its hips, head, hands and feet, and how sure the
    least sure of them is; and one with the note that asks where one is not sure.
    """
    joints = [joint for joint in armature["joints"] if joint["role"] != "OTHER"]
    roles = [
        f"{role.lower()} {', '.join(joint['bone'] for joint in joints if joint['role'] == role)}"
        for role in dict.fromkeys(joint["role"] for joint in joints)
    ]
    sure = min((joint["confidence"] for joint in joints), default=1.0)
    lines = [f"  joints: {'; '.join(roles)} ({sure:.0%} sure)"] if roles else []
    return lines + [f"  note: {armature['note']}"] * bool(armature["note"])


def _row(action: dict[str, Any]) -> list[str]:
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
