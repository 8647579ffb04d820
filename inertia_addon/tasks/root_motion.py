# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion: half-lives of the springs that would move a root as it was recorded."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..console import output
from ..errors import InertiaError, UsageError
from ..records import record
from ..settings import fields
from ..settings.fields import setting
from ..settings.root_motion import Settings
from ..storage import safe_write
from .task import AskedSettings, Done, OutputOption, Task, Work

HEAD = ("", "frames", "mode", "from", "to", "half-life", "interval", "by peak", "residual", "explained", "")
"""What stands above the measure."""
MODES_HEAD = ("mode", "top speed", "half-life", "starts", "stops", "turns")
"""What stands above the modes."""
MEASURING = "measuring"
ESTIMATORS = tuple((name, "", "") for name in ("LEAST_SQUARES", "PEAK_RATE"))


@record(frozen=True)
class FitTask(Task):
    """Springs that are fitted to the roots of actions. actions: () for all that move the armature. root,
    forward: see :class:`..blender.root_motion.measure.Query`."""

    KIND = "root motion"
    SETTINGS = Settings
    COMMAND = "fit"
    HELP = "fit spring half-lives to root motion"
    DESCRIPTION = """Measure how fast the root of each action goes over the ground and turns, find its starts,
stops and turns, and fit to each the critically damped spring that would move it so. Over all actions, report
for each mode, run, walk, strafe or back, its top speed and the half-lives of its speed and its turns.

Two estimates of a half-life stand side by side: by least squares over the whole ramp, with the interval that
holds it in 95 of 100 cases if the ramp is a spring with noise, and by the peak rate alone. The command writes
nothing but the pictures and tables that you ask for."""
    WRITES = (
        OutputOption(
            "--plot",
            "PICTURE",
            "draw speed, facing and how fast they change with the fitted springs, as .png or .svg",
            (".png", ".svg"),
        ),
        OutputOption("--csv", "CSV", "write a row for each ramp and turn", (".csv",)),
        OutputOption(
            "--modes",
            "CSV",
            "write a row for each mode, run, walk, strafe or back, with its top speed and its half-lives",
            (".csv",),
        ),
        OutputOption(
            "--histogram",
            "FILE",
            "count how long each speed, acceleration and turn rate lasts in all actions; drawn as .png or "
            ".svg, listed as .csv",
            (".png", ".svg", ".csv"),
        ),
    )

    actions: tuple[str, ...] = setting(
        (),
        help="the actions to measure (default: all that move the armature)",
        flag="--action",
        metavar="ACTION",
        group="what",
    )
    root: str = setting(
        "",
        help='the root bone, or "<object>" for the armature object (default: found)',
        metavar="BONE",
        group="what",
    )
    forward: str = setting(
        "rest",
        help="which side of the root is its front: rest (found from the rest pose), travel (where it goes), "
        "or one of its own axes: x, y, z, or minus-x, minus-y, minus-z (default: rest)",
        metavar="AXIS",
        group="what",
    )
    estimator: str = setting(
        "LEAST_SQUARES", ESTIMATORS, "which half-life the text and the picture show first", group=MEASURING
    )

    @classmethod
    def asks(cls) -> tuple[AskedSettings, ...]:
        """Return what its command asks for: what is measured, how, and last the estimator."""
        return (
            AskedSettings(cls, ("actions", "root", "forward")),
            AskedSettings(Settings, title=MEASURING),
            AskedSettings(cls, ("estimator",)),
        )

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the FitTask that the command's options ask for.

        Raise UsageError for a --forward that is none of rest, travel, x, y, z, minus-x, minus-y and minus-z,
        InertiaError for a number out of its range. Names of actions and bones are not looked at here.
        """
        from ..blender.root_motion import measure

        task = cls(Settings(**fields.parsed(Settings, values)), **fields.parsed(cls, values))
        if task.axis not in measure.AXES:
            allowed = "rest, travel, x, y, z, minus-x, minus-y or minus-z"
            raise UsageError(f'--forward is "{task.forward}"; choose {allowed}.')
        return task

    @property
    def axis(self) -> str:
        """The forward axis, as measurements name it."""
        return fields.spoken(self.forward).upper().replace("MINUS-", "-")

    @property
    def label(self) -> str:
        """The actions for a reader."""
        return ", ".join(self.actions) or "all actions"

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Measure the root motion of the actions, and return figures and the functions that write them.

        The actions are the task's, each once, in order, or all that fit the armature; bakes is ignored.
        values of the Done: "estimator" ("LEAST_SQUARES" or "CLOSED_FORM"); "notes" (on clips of which not
        every frame was read); "actions", a list with a dict for each, see :func:`measure.values`; "by_mode",
        a list with a dict for each mode, see :func:`modes.values`: "mode", "top_speed", and
        "speed_half_lives", "start_half_lives", "stop_half_lives" and "turn_half_lives", each with median,
        low, high (seconds) and count, None where there are none; and "histograms", a dict of actions and
        seconds (numbers) and, under "speed", "acceleration" and "turn_rate", a dict each of unit, edges,
        seconds (in each bin) and most_frequent (values).

        writes: "csv" (a table of ramps), "plot" (a picture), "modes" (a table), and "histogram", a table for
        .csv, else a picture; each replaces an old file safely. Raise InertiaError for unknown actions or
        bones, actions that can't be read, or where no action of the file fits.
        """
        from ..blender.data import actions, clip_store, names
        from ..blender.evaluation import joint_motion
        from ..blender.files import picture_files
        from ..blender.root_motion import histograms, measure, modes, picture
        from ..motion.root_motion import histogram

        armature, root = work.armature, self.root
        if root and root != "<object>":
            root = names.choose_bone(root, list(armature.data.bones.keys()))
        query = measure.Query(root, self.axis)
        if self.actions:
            chosen = [*map(actions.find, dict.fromkeys(names.resolve(self.actions, armature.name)))]
        elif not (chosen := clip_store.find_fitting(armature)):
            raise InertiaError(f'No action of the file moves "{armature.name}"; give a file that has one.')
        fits = []
        for action in chosen:
            steps = measure.read_motion_steps(work.character, clip_store.read(armature, action), query)
            read = work.run(steps, f'reading "{action.name}"')
            fits.append((read, measure.measure(read, self.settings)))
        estimator = measure.LEAST_SQUARES if self.estimator == "LEAST_SQUARES" else measure.CLOSED_FORM
        measures = [measure.values(read, measured, self.settings, query) for read, measured in fits]
        found = modes.values(modes.of_clips(fits, self.settings, estimator))
        counted = histogram.count_all([(read.motion, measured) for read, measured in fits])
        sampled = [joint_motion.describe_sampling(read.action, read.motion.frames) for read, _ in fits]

        def write_table(path: Path) -> None:
            with safe_write.replace_safely(path) as file:
                file.write_text(measure.as_csv(measures), encoding="utf-8")

        def write_modes(path: Path) -> None:
            with safe_write.replace_safely(path) as file:
                file.write_text(modes.as_csv(found), encoding="utf-8")

        def draw(path: Path) -> None:
            picture_files.save(picture.draw(fits, estimator), path)

        def write_histogram(path: Path) -> None:
            if path.suffix.lower() != ".csv":
                picture_files.save(histograms.draw(counted), path)
                return
            with safe_write.replace_safely(path) as file:
                file.write_text(histograms.as_csv(counted), encoding="utf-8")

        values = {
            "estimator": estimator,
            "notes": [*itertools.chain(*sampled)],
            "actions": measures,
            "by_mode": found,
            "histograms": histograms.values(counted),
        }
        writes = {"csv": write_table, "plot": draw, "modes": write_modes, "histogram": write_histogram}
        return Done(self.label, values, writes=writes)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the lines of the command's text: a heading with the armature's name, the notes, each action,
        the table of modes and the files written.

        values: of make, with "armature" and the paths of the written files under "plot", "csv", "modes" and
        "histogram", each where there is one. A note's line is "note: ...". An empty line comes before each
        action. It says its maximum speed in m/s, and for how many seconds that is held, if it travels, and
        its total turn in degrees if it turns; if it does neither, it says so. Then comes its table of ramps,
        if it has any: those of speed, then those of turns; ramps to which no spring is fitted stand last, in
        the same order, under "no springs:". Below it are the frames of jumps that were left out. The last
        lines are the files, such as "plot: path", in the order above.
        """
        lines = [f"{values['armature']}: half-lives in seconds, least squares (interval) and by peak rate"]
        lines += [f"note: {note}" for note in values["notes"]]
        for action in values["actions"]:
            parts = []
            if action["travels"]:
                sustained = f"for {action['sustained_seconds']:g} s"
                parts.append(f"maximum speed {action['maximum_speed']:.3g} m/s {sustained}")
            if action["turns"]:
                parts.append(f"turn {action['total_turn']:.3g} degrees")
            summary = ", ".join(parts) or f"{action['root']} neither travels nor turns"
            lines += ["", f"{action['action']}: {summary}"]
            ramps = [(kind, ramp) for kind in ("speed", "turn") for ramp in action[f"{kind}_ramps"]]
            # strides and the like stand below what is asked for
            ramps.sort(key=lambda ramp: ramp[1]["is_other"])
            springs = sum(not ramp["is_other"] for _, ramp in ramps)
            if ramps:
                table = output.table([HEAD, *(_make_row(kind, ramp) for kind, ramp in ramps)], "  ")
                if springs < len(ramps):
                    table.insert(1 + springs, "  no springs:")
                lines += table
            if action["jumps_replaced"]:
                frames = ", ".join(f"{frame:g}" for frame in action["jumps_replaced"])
                lines.append(f"  left out: jumps at {frames}")
        lines += _mode_lines(values["by_mode"], values["estimator"])
        files = ("plot", "csv", "modes", "histogram")
        lines += [f"{name}: {values[name]}" for name in files if name in values]
        return lines


def _mode_lines(modes: list[dict[str, Any]], estimator: str) -> list[str]:
    """Return the lines of the table of modes, below an empty line and a heading; [] without modes.

    modes: values of FitTask.make["by_mode"], dicts of which these keys are read, in the order of the columns
    (MODES_HEAD): "mode"; "top_speed", m/s; and "speed_half_lives", "start_half_lives", "stop_half_lives" and
    "turn_half_lives", each with "median", seconds, and "count", which is shown in brackets. A figure that is
    None is empty. estimator: "LEAST_SQUARES", or anything else for the peak rate; it is only named in the
    heading.
    """
    if not modes:
        return []
    fit = "least squares" if estimator == "LEAST_SQUARES" else "peak rate"
    rows = [MODES_HEAD]
    for mode in modes:
        speed = "" if mode["top_speed"] is None else f"{mode['top_speed']:.3g} m/s"
        spreads = [mode[f"{kind}_half_lives"] for kind in ("speed", "start", "stop", "turn")]
        rows.append((mode["mode"], speed, *map(_spread, spreads)))
    return ["", f"modes: median half-lives in seconds by {fit} (of how many)", *output.table(rows, "  ")]


def _spread(half_lives: dict[str, Any] | None) -> str:
    """Return a median with how many half-lives it is of."""
    return "" if half_lives is None else f"{half_lives['median']:.3f} ({half_lives['count']})"


def _make_row(kind: str, ramp: dict[str, Any]) -> list[str]:
    low, high = ramp["low_seconds"], ramp["high_seconds"]
    fitted = ramp["least_squares_seconds"] is not None
    return [
        kind,
        f"{ramp['start_frame']:.0f} to {ramp['end_frame']:.0f}",
        ramp["mode"],
        f"{ramp['before']:.3g}",
        f"{ramp['after']:.3g}",
        f"{ramp['least_squares_seconds']:.3f}" if fitted else "",
        f"{low or 0.0:.3f} to {'any' if high is None else f'{high:.3f}'}" if fitted else "",
        f"{ramp['closed_form_seconds']:.3f}",
        f"{ramp['residual']:.2g}" if fitted else "",
        f"{ramp['explained']:.1%}" if fitted else "",
        ramp["verdict"],
    ]
