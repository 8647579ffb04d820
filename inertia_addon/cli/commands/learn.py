# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``learn``: a set of actions becomes a model that plays without them."""

from __future__ import annotations

import argparse
import dataclasses
import time
from pathlib import Path
from typing import Any

from ...console import interrupts, output, progress
from ...console.outputs import Output, make_folders
from ...errors import InertiaError, UsageError
from ...settings.learned import LearnSettings
from .. import options

HELP = "learn a set of actions: a model that plays without them"
DESCRIPTION = """Learn a set of actions, and write a model: four small networks that play without the clips.

FILE... -o model.npz trains, for --minutes, on one core or as many as numpy uses. What has been learned is
written down every now and then, and Ctrl-C keeps it; with --resume the training goes on from there, with the
same clips and settings. A finished model stays until another one is finished, and then as model.npz1;
until then the training is kept as model.learning.npz. What is no model is never written over.

--check says how far a model is from the clips of FILE..., or a folder of networks that a game plays, beside
the files that the command database has written; --bin and --onnx write a model's networks for games.
docs/learned.md says what the networks are, what they cost, and when that pays."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    options.add_input(parser)
    options.add_record(parser, LearnSettings)
    group = parser.add_argument_group("which joints")
    options.add_joints(group, "joints", "weights")
    group = parser.add_argument_group("what to do")
    options.add_path(group, "-o", "OUT", "train, and write the model to this .npz file")
    options.add_switch(group, "--resume", "go on with the training that was stopped, in the file of -o")
    options.add_read(
        group,
        "--check",
        metavar="MODEL",
        help="check a model, or a folder of a game's networks, on the actions in place of training one",
    )
    options.add_path(group, "--bin", "DIR", "write the networks, and the actions' latents, as .bin files")
    options.add_path(group, "--onnx", "DIR", "write the networks as .onnx files; needs the package onnx")


def _settings(arguments: argparse.Namespace) -> LearnSettings:
    """What is asked for. Raises UsageError."""
    if (arguments.output is None) == (arguments.check is None):
        raise UsageError("Give -o to train a model, or --check with a model to look at.")
    if arguments.resume and arguments.output is None:
        raise UsageError("--resume goes on with the file of -o; give it.")
    try:
        return LearnSettings.of(vars(arguments))
    except InertiaError as error:
        raise UsageError(str(error)) from error


def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[str]]:
    """Run the command; returns what was learned, or how good it is, as JSON values and as lines."""
    settings = _settings(arguments)
    paths = options.input_files(arguments)

    from ...blender.data import named
    from ...blender.learned import clips, engine_files, files, onnx_files
    from ...motion.learned import checking
    from .. import session

    if arguments.onnx is not None:
        onnx_files.check()
    checked_path: Path | None = arguments.check
    is_folder = checked_path is not None and checked_path.is_dir()
    if is_folder and arguments.bin is not None:
        raise UsageError("--bin is of a model in a file; what is in a folder are such networks already.")
    # whoever goes on with a model, or checks it, wants to know that it is none before all clips are read
    known = files.load(files.stopped_at(arguments.output)) if arguments.resume else None
    if checked_path is not None and not is_folder:
        files.load(checked_path)
    read = session.load(arguments, paths, _wanted(arguments))
    armature = session.armature(arguments)
    settings = dataclasses.replace(settings, actions=named.found_names(settings.actions, armature.name))
    model = None if checked_path is None else clips.model_of(checked_path, armature)
    if model is not None and not is_folder:
        settings = dataclasses.replace(settings, mirror=model.settings.mirror, root=model.settings.root)
    weights = session.joint_weights(arguments, armature)
    notes: list[str] = []
    material, skeleton = progress.finish(clips.reading(armature, settings, weights, notes), "reading")
    for note in notes:
        output.say(f"note: {note}")
    values: dict[str, Any] = {
        **read.as_dict(),
        "armature": armature.name,
        "clips": list(material.names),
        "frames": material.frames,
        "notes": notes,
    }
    latents = None
    if model is None:
        model, trained = _trained(arguments, settings, material, skeleton, known)
        values |= trained
    elif is_folder:
        latents = engine_files.latents(arguments.check, model, material)
    lines: list[str] = []
    if checked_path is not None or values.get("done") == 1.0:
        with files.naming(str(checked_path or arguments.output)):
            clips.check_legs(model, skeleton)
            checked = progress.finish(checking.steps(model, material, latents), "checking")
        values["check"] = dataclasses.asdict(checked)
        lines += _table(checked)
    values |= {"model_bytes": model.bytes(), "terms": model.terms}
    written = [files.stopped_at(arguments.output)] if arguments.output else []
    make_folders(*(folder for folder in (arguments.bin, arguments.onnx) if folder is not None))
    if arguments.bin is not None:
        written += files.save_for_engine(arguments.bin, model, material)
    if arguments.onnx is not None:
        written += onnx_files.save(arguments.onnx, model)
    values["written"] = [str(path.absolute()) for path in written]
    return values, [*lines, *(f"written: {path}" for path in values["written"])]


def _wanted(arguments: argparse.Namespace) -> list[Output]:
    """What is to be written."""
    from ...blender.learned import files, onnx_files
    from ...motion.learned.engine_networks import FILES

    wanted = [Output("-o", arguments.output, (".npz",), replaces=files.check_place)]
    for flag, folder, names, ending in (
        ("--bin", arguments.bin, FILES, ".bin"),
        ("--onnx", arguments.onnx, onnx_files.FILES, ".onnx"),
    ):
        if folder is not None:
            wanted += [Output(flag, folder / name, (ending,), makes_folder=True) for name in names]
    return wanted


def _trained(
    arguments: argparse.Namespace, settings: LearnSettings, material: Any, skeleton: Any, known: Any
) -> tuple[Any, dict[str, Any]]:
    """Train; returns the model, and what there is to tell. Ctrl-C ends the training, and keeps it."""
    from ...blender.learned import files
    from ...motion.learned.model import STAGES
    from ...motion.learned.training import Training

    training = Training(material, settings, skeleton)
    if known is not None:
        if known.held is None:
            raise InertiaError(
                f'"{arguments.output.name}" has been trained to its end; leave out --resume to begin anew.'
            )
        training.resume(known.model, known.held)
    asked: list[int] = []
    began = time.monotonic()
    with interrupts.taken_by(lambda number, _: asked.append(number)):
        steps = files.training(training, arguments.output, lambda: bool(asked))
        model = progress.finish(steps, "learning")
    if asked:
        at = files.stopped_at(arguments.output)
        output.say(f'Stopped; what has been learned is kept in "{at}", and --resume goes on from there.')
    stage = (*STAGES, "")[training.stage]
    said = {"done": training.done, "stage": stage, "seconds": time.monotonic() - began}
    return model, said


def _table(checked: Any) -> list[str]:
    """How far a model is from clips, for a reader."""
    rows = [["clip", "frames", "joints cm", "at 99 %", "rotations deg", "contacts %"]]
    rows += [
        [
            each.clip,
            str(each.frames),
            f"{each.joints_cm:.2f}",
            f"{each.joints_p99_cm:.2f}",
            f"{each.rotations_deg:.2f}",
            f"{100.0 * each.contacts:.1f}",
        ]
        for each in (*checked.clips, checked.whole)
    ]
    lines = output.table(rows)
    if checked.drift_cm is not None:
        drifts = ", ".join(
            f"{far:.1f} cm after {frames} (ground {checked.root_drift_cm[frames]:.1f})"
            for frames, far in checked.drift_cm.items()
        )
        lines += ["", f"Steps stray by {drifts} frames."]
    if checked.projector_cm is not None:
        lines.append(
            f"Projections are {checked.projector_cm:.1f} cm from the frame that is truly nearest; any frame "
            f"is {checked.random_cm:.1f} cm away."
        )
    return lines
