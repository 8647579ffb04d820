# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``fit``: half-lives of the springs that would move a root as it was recorded."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import Any

from ...blender.data import names
from ...console import output, progress
from ...console.outputs import Output
from ...errors import InertiaError, UsageError
from ...settings import fields
from ...settings.root_motion import Settings
from .. import options

HELP = "fit spring half-lives to root motion"
DESCRIPTION = """Measure how fast the root of each action goes over the ground and turns, find its starts,
stops and turns, and fit the critically damped spring to each that would move it so.

Two estimates of a half-life stand side by side: by least squares over the whole ramp, with the interval
that holds it in 95 of 100 cases if the ramp is a spring with noise, and by the peak rate alone. Nothing
is written but the pictures and tables that are asked for."""

HEAD = ("", "frames", "from", "to", "half-life", "interval", "by peak", "residual", "explained", "")
"""What stands above the ramps."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    group = parser.add_argument_group("what")
    group.add_argument(
        "--action",
        dest="actions",
        nargs="+",
        action="extend",
        metavar="ACTION",
        help="the actions to measure (default: all that move the armature)",
    )
    group.add_argument(
        "--root",
        default="",
        metavar="BONE",
        help='the root bone, or "<object>" for the armature object (default: found)',
    )
    group.add_argument(
        "--forward",
        default="rest",
        metavar="AXIS",
        help="which side of the root is its front: rest (found from the rest pose), travel (where it goes), "
        "or one of its own axes: x, y, z, or minus-x, minus-y, minus-z (default: rest)",
    )
    group = parser.add_argument_group("measuring")
    options.add_all(group, Settings, *(one.field for one in fields.settings(Settings).values() if one.help))
    group.add_argument(
        "--estimator",
        type=fields.spoken,
        choices=("least-squares", "peak-rate"),
        default="least-squares",
        help="which half-life the text and the picture show first (default: least-squares)",
    )
    group = parser.add_argument_group("writing")
    said = "draw speed and facing with the fitted springs, as .png or .svg"
    options.add_path(group, "--plot", "PICTURE", said)
    options.add_path(group, "--csv", "CSV", "write a row for each ramp and turn")


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was measured as JSON values, and as lines."""
    settings = Settings(**options.given(Settings, arguments))
    axis = fields.spoken(arguments.forward).upper().replace("MINUS-", "-")
    paths = options.input_files(arguments)

    from ...blender.data import clip_store
    from ...blender.evaluation import joint_motion
    from ...blender.root_motion import measure as root_motion
    from ...blender.root_motion import values as root_motion_values
    from .. import session

    if axis not in root_motion.AXES:
        allowed = "rest, travel, x, y, z, minus-x, minus-y or minus-z"
        raise UsageError(f'--forward is "{arguments.forward}"; choose {allowed}.')
    wanted = (Output("--plot", arguments.plot, (".png", ".svg")), Output("--csv", arguments.csv, (".csv",)))
    file = session.load(arguments, paths, wanted)
    armature = session.armature(arguments)
    root = arguments.root
    if root and root != "<object>":
        root = names.choose_bone(root, list(armature.data.bones.keys()))
    query = root_motion.Query(root, axis)
    fits = []
    for action in _actions(arguments, armature):
        clip = clip_store.read(armature, action)
        steps = root_motion.reading(armature, clip, query)
        read = progress.finish(steps, f'reading "{action.name}"')
        fits.append((read, root_motion.measure(read, settings)))
    estimator = {
        "least-squares": root_motion_values.LEAST_SQUARES,
        "peak-rate": root_motion_values.CLOSED_FORM,
    }[arguments.estimator]
    values = {
        **file.as_dict(),
        "armature": armature.name,
        "estimator": estimator,
        "notes": [note for read, _ in fits for note in joint_motion.sampled(read.action, read.motion.frames)],
        "actions": [root_motion_values.of(read, measured, settings, query) for read, measured in fits],
    }
    values.update(_write(arguments, fits, values, estimator))
    return values, _lines(values)


def _actions(arguments: argparse.Namespace, armature: Any) -> list[Any]:
    """The actions that are meant. Raises InertiaError when there are none."""
    from ...blender.data import actions, clip_store, named

    if arguments.actions:
        chosen = named.found_names(arguments.actions, armature.name)
        return [actions.find(name) for name in dict.fromkeys(chosen)]
    found = clip_store.fitting(armature)
    if not found:
        raise InertiaError(f'No action of the file moves "{armature.name}"; give a file that has one.')
    return found


def _write(
    arguments: argparse.Namespace, fits: list[Any], values: dict[str, Any], estimator: str
) -> dict[str, Any]:
    """Write the picture and the table that were asked for; returns where they are."""
    from ...blender.files import picture_files, safe_write
    from ...blender.root_motion import picture as root_motion_picture
    from ...blender.root_motion import values as root_motion_values

    written = {}
    with ExitStack() as files:
        if arguments.csv is not None:
            path = files.enter_context(safe_write.replacing(arguments.csv))
            path.write_text(root_motion_values.as_csv(values["actions"]), encoding="utf-8")
            written["csv"] = str(arguments.csv.absolute())
        if arguments.plot is not None:
            picture_files.save(root_motion_picture.draw(fits, estimator), arguments.plot)
            written["plot"] = str(arguments.plot.absolute())
    return written


def _lines(values: dict[str, Any]) -> list[str]:
    lines = [f"{values['armature']}: half-lives in seconds, least squares (interval) and by peak rate"]
    lines += [f"note: {note}" for note in values["notes"]]
    for action in values["actions"]:
        lines += ["", f"{action['action']}: {_summary(action)}"]
        ramps = [(kind, ramp) for kind in ("speed", "turn") for ramp in action[f"{kind}_ramps"]]
        # strides and the like stand below what is asked for
        ramps.sort(key=lambda each: each[1]["is_other"])
        springs = sum(not ramp["is_other"] for _, ramp in ramps)
        rows = [_row(kind, ramp) for kind, ramp in ramps]
        if rows:
            table = ["  " + line for line in output.table([list(HEAD), *rows])]
            if springs < len(rows):
                table.insert(1 + springs, "  no springs:")
            lines += table
        if action["jumps_replaced"]:
            frames = ", ".join(f"{frame:g}" for frame in action["jumps_replaced"])
            lines.append(f"  left out: jumps at {frames}")
    lines += [f"{name}: {values[name]}" for name in ("plot", "csv") if name in values]
    return lines


def _summary(action: dict[str, Any]) -> str:
    parts = []
    if action["travels"]:
        parts.append(f"maximum speed {action['maximum_speed']:.3g} m/s for {action['sustained_seconds']:g} s")
    if action["turns"]:
        parts.append(f"turn {action['total_turn']:.3g} degrees")
    return ", ".join(parts) or f"{action['root']} neither travels nor turns"


def _row(kind: str, ramp: dict[str, Any]) -> list[str]:
    low, high = ramp["low_seconds"], ramp["high_seconds"]
    fitted = ramp["least_squares_seconds"] is not None
    return [
        kind,
        f"{ramp['start_frame']:.0f} to {ramp['end_frame']:.0f}",
        f"{ramp['before']:.3g}",
        f"{ramp['after']:.3g}",
        f"{ramp['least_squares_seconds']:.3f}" if fitted else "",
        f"{low or 0.0:.3f} to {'any' if high is None else f'{high:.3f}'}" if fitted else "",
        f"{ramp['closed_form_seconds']:.3f}",
        f"{ramp['residual']:.2g}" if fitted else "",
        f"{ramp['explained']:.1%}" if fitted else "",
        ramp["verdict"],
    ]
