# SPDX-License-Identifier: GPL-3.0-or-later
"""Models: a set of actions is learned, and plays without them."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..console import interrupts, output
from ..console.output_files import Output, make_folders
from ..errors import InertiaError, UsageError
from ..records import record
from ..settings import fields
from ..settings.fields import setting
from ..settings.learned import LearnSettings
from ..storage import safe_write
from .task import JOINTS, AskedSettings, Done, OutputOption, Task, Work, misused


@record(frozen=True)
class LearnTask(Task):
    """A model that is learned."""

    KIND = "model"
    SETTINGS = LearnSettings

    @property
    def label(self) -> str:
        """The model for a reader."""
        return f"model of {', '.join(self.settings.actions) or 'all actions'}"

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Train a model and write it to each of the work's outputs; a finished model that is there stays as a
        backup.

        bakes is ignored. If the work's draft file holds an interrupted training of the same clips and
        settings, the training goes on from there; any other draft is removed, and so is the draft once the
        outputs are written. An output that exists and is no model is refused first. values of the Done:
        "settings", "clips" (names), "frames", "model_bytes", "terms" (the last losses), "check" (how far it
        is from its clips) and "usability" (a dict, None if not known). Its only note, if any, says that the
        model is not usable. writes does nothing more. Raise InertiaError for clips that can't be used, a
        model that is no motion, or files that can't be written.
        """
        from ..blender.learned import clips, files
        from ..motion.learned import checking, judging
        from ..motion.learned.training import Training

        for path in work.outputs:
            files.check_place(path)
        draft = work.draft()
        steps = clips.read_material_steps(work.armature, self.settings, work.weights())
        material, skeleton = work.run(steps, "playing")
        training = Training(material, self.settings, skeleton)
        files.take_up(training, draft)
        model = work.run(files.train(training, draft), "learning")
        with files.name_file_in_errors(work.outputs[0].name):
            checked = checking.check(model, material)
        work.count("checking")
        for path in work.outputs:
            files.save_finished(path, model)
        safe_write.remove(draft)
        values = {
            "settings": self.settings.as_dict(),
            "clips": list(material.names),
            "frames": material.frames,
            "model_bytes": model.bytes(),
            "terms": model.terms,
            "check": dataclasses.asdict(checked),
            "usability": _usability(model, model.usability),
        }
        notes = (
            () if model.usability is None or model.usability.is_usable else (str(judging.describe(model)),)
        )
        return Done(self.label, values, writes={"output": lambda path: None}, notes=notes)

    def event(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return joints_cm, rotations_deg and contacts of the whole check, how far the model is from its
        clips, and "is_usable", None if that was not looked at.
        """
        whole, seen = values["check"]["whole"], values["usability"]
        figures = {name: whole[name] for name in ("joints_cm", "rotations_deg", "contacts")}
        return {**figures, "is_usable": None if seen is None else seen["is_usable"]}


def _usability(model: Any, usability: Any) -> dict[str, Any] | None:
    """Return how usable a model is, as JSON values; None if usability is None, for not known.

    usability: as it was judged. Keys: "is_usable"; its fields, "drift_cm", "random_cm" and the speeds
    "skate", "own_skate" and "still" (metres a second); "skate_times", how many times what is allowed the feet
    skate; "minutes_more" to train (None where nothing says) and "said", a sentence.
    """
    from ..motion.learned import judging

    if usability is None:
        return None
    return {
        "is_usable": usability.is_usable,
        **dataclasses.asdict(usability),
        "skate_times": usability.times,
        "minutes_more": judging.minutes_more(model, usability),
        "said": str(judging.describe(model, usability)),
    }


TO_DO = "what to do"


@record(frozen=True)
class LearnOrCheckTask(LearnTask):
    """A model that is learned, from where a training has come to if it resumes; or one, or a folder of a
    game's networks, that is checked."""

    COMMAND = "learn"
    HELP = "learn a set of actions: make a model that plays without them"
    DESCRIPTION = """Learn a set of actions, and write a model: four small networks that play without the
clips.

FILE... -o model.npz trains, for --minutes, on one core or as many as numpy uses. The training is saved every
now and then, and Ctrl-C keeps it; with --resume it goes on from there, with the same clips and settings. A
finished model stays until another one is finished, and is then renamed to model.npz1; until then the training
is kept as model.learning.npz. A file that is not a model is never overwritten.

Then the command says whether the model is usable: whether it plays as its clips do, or drifts and glides, and
for how many minutes more it should learn. With --gate, a model that is not usable ends with exit code 1.

--check says that of a finished model, too, and how far it is from the clips of FILE...; it also takes a
folder of networks that a game plays, beside the files that the command database has written. --bin and --onnx
write a model's networks for games. --networks FOLDER -o model.npz writes such a folder as a model, which the
panel takes, too. docs/learned.md says what the networks are, what they cost, and when they pay."""
    ASKS = (AskedSettings(LearnSettings), JOINTS)
    WRITES = (
        OutputOption("-o", "OUT", "train, and write the model to this .npz file", (".npz",)),
        OutputOption(
            "--bin", "DIR", "write the networks, and the actions' latents, as .bin files", (".bin",)
        ),
        OutputOption(
            "--onnx", "DIR", "write the networks as .onnx files; needs the package onnx", (".onnx",)
        ),
    )

    resume: bool = setting(
        default=False, help="go on with the training that was stopped, in the file of -o", group=TO_DO
    )
    check: str = setting(
        "",
        help="check a model, or a folder of a game's networks, on the actions in place of training one",
        metavar="MODEL",
        reads=True,
        group=TO_DO,
    )

    networks: str = setting(
        "",
        help="write the model of -o from a folder of a game's networks, in place of training one",
        metavar="DIR",
        reads=True,
        group=TO_DO,
    )

    gate: bool = setting(
        default=False,
        help="exit with 1 if the model is not yet usable; it is written all the same",
        group=TO_DO,
    )

    @classmethod
    def of_options(cls, values: Mapping[str, Any]) -> Task:
        """Return the LearnOrCheckTask that the command's options ask for.

        values: by option name; "output" must be there, None without -o. Raise UsageError unless exactly one
        of -o and --check is given; for --resume without -o; for --networks without -o or with --resume,
        --gate, --bin or --onnx; and for settings that are out of range.
        """
        of_task = fields.parsed(cls, values)
        if (values["output"] is None) == ("check" not in of_task):
            raise UsageError("Give -o to train a model, or --check with a model to look at.")
        if "resume" in of_task and values["output"] is None:
            raise UsageError("--resume goes on with the file of -o; give it.")
        if "networks" in of_task:
            others = any(name in of_task for name in ("resume", "gate"))
            others |= any(values.get(name) is not None for name in ("bin", "onnx"))
            if values["output"] is None or others:
                raise UsageError(
                    "--networks takes a folder into the file of -o, and nothing else is done with it."
                )
        with misused():
            return cls(LearnSettings.of(dict(values)), **of_task)

    @property
    def _is_folder(self) -> bool:
        return bool(self.check) and Path(self.check).is_dir()

    def outputs(self, wanted: Mapping[str, Path]) -> list[Output]:
        """Return the files that the command is to write, and refuse what can be refused before clips are
        read.

        wanted: paths by name, "output", "bin" and "onnx", only those given. The first Output is the model of
        -o (path None without), which replaces nothing but a model. With "bin" or "onnx" one for each of the
        fixed names BIN_FILES or ONNX_FILES of :mod:`engine_files` follows, in that folder, which is made
        later if it is not there; which of the two kinds comes first is not fixed. Nothing is written here.

        Raise InertiaError for --onnx without its package, for --resume if the training has come to its end,
        and for a --check file that is no model or has no Compressor; UsageError for --bin if --check names a
        folder of networks, which is not looked into here; OSError for a model that is not there.
        """
        from ..blender.learned import engine_files, files

        if "onnx" in wanted:
            engine_files.check_onnx()
        if self._is_folder and "bin" in wanted:
            raise UsageError("--bin is for a model in a file; a folder holds such networks already.")
        if self.resume:
            _stopped(wanted["output"])
        if self.check and not self._is_folder:
            with files.name_file_in_errors(self.check):
                files.load(Path(self.check)).model.network("compressor")
        model, *_ = super().outputs(wanted)
        names = {"bin": engine_files.BIN_FILES, "onnx": engine_files.ONNX_FILES}
        within = [
            Output(f"--{kind}", wanted[kind] / name, (f".{kind}",), makes_folder=True)
            for kind in names.keys() & wanted.keys()
            for name in names[kind]
        ]
        return [dataclasses.replace(model, replaces=files.check_place), *within]

    def make(self, work: Work, *, bakes: bool) -> Done:
        """Train a model, or check one, and write it and the engine's files as asked for; with --networks,
        import a folder instead.

        bakes is ignored. A model from a file is checked with its own mirror and root settings. Notes are said
        on standard error before the work and kept in values["notes"]. values of the Done: "clips" (names),
        "frames", "model_bytes", "terms", "written" (absolute paths); for a training "done" (0.0 to 1.0),
        "stage" ("" at the end) and "seconds"; for a check or a training that has come to its end, "check" (a
        dict) and "usability" (a dict or None); with a gate "over_gates". All files are written here: writes
        is empty. Raise InertiaError for a model, clips or folders that can't be used or written, OSError for
        a model that can't be read.
        """
        if self.networks:
            return self._imported(work)
        from ..blender.learned import clips, engine_files, files, follow
        from ..motion.learned import checking, judging
        from ..motion.learned import material as materials

        armature, settings, path = work.armature, self.settings, work.wanted.get("output")
        model = clips.model_of(Path(self.check), work.character) if self.check else None
        if model is not None and not self._is_folder:
            settings = dataclasses.replace(settings, mirror=model.settings.mirror, root=model.settings.root)
        notes: list[str] = [] if model is None else [*follow.warnings_of(model)]
        steps = clips.read_material_steps(armature, settings, work.weights(), notes)
        material, skeleton = work.run(steps, "reading")
        if model is None and not settings.iterations and not self.resume:
            notes += filter(None, [materials.short_of_time(material.frames, settings.minutes)])
        for note in notes:
            output.say(f"note: {note}")
        values: dict[str, Any] = {"clips": list(material.names), "frames": material.frames, "notes": notes}
        latents = None
        if model is None:
            assert path is not None
            model, trained = self._trained(work, material, skeleton, path)
            values |= trained
        elif self._is_folder:
            latents = engine_files.latents(Path(self.check), model, material)
        if self.check or values["done"] == 1.0:
            with files.name_file_in_errors(self.check or str(path)):
                clips.check_legs(model, skeleton)
                checked = work.run(checking.steps(model, material, latents), "checking")
            values["check"] = dataclasses.asdict(checked)
            seen = model.usability
            if self.check:
                seen = work.run(judging.judge_steps(model, material, latents), "judging")
            values["usability"] = _usability(model, seen)
        values |= {"model_bytes": model.bytes(), "terms": model.terms}
        written = [files.stopped_at(path)] if path else []
        make_folders(*(work.wanted[kind] for kind in ("bin", "onnx") if kind in work.wanted))
        if "bin" in work.wanted:
            written += engine_files.save_bin(work.wanted["bin"], model, material)
        if "onnx" in work.wanted:
            written += engine_files.save_onnx(work.wanted["onnx"], model)
        values["written"] = [str(file.absolute()) for file in written]
        values |= self._gated(values.get("usability"))
        return Done(self.label, values)

    def _imported(self, work: Work) -> Done:
        """Read a folder of a game's networks and write it as a model to the file of -o; what model was there
        stays as a backup.

        values of the Done: "frames" (a number); "notes", the model's warnings, also said on standard error;
        "offsets_found", a bool, whether offsets and scales of features had to be found by what the networks
        play, as no file said them; "speeds_m_s", ranges [low, high] of its speeds ([] if not known);
        "model_bytes"; and "written", the absolute path of the model in a list. Raise InertiaError if it is no
        folder, its networks do not fit the armature, or the file can't be written.
        """
        from ..blender.learned import clips, files, follow

        path, folder = work.wanted["output"], Path(self.networks)
        if not folder.is_dir():
            raise InertiaError(f'"{folder}" is not a folder; name the one that holds the networks.')
        model = clips.model_of(folder, work.character)
        notes = [*follow.warnings_of(model)]
        for note in notes:
            output.say(f"note: {note}")
        files.save_imported(path, model)
        values = {
            "frames": model.frames,
            "notes": notes,
            "offsets_found": model.has_found_norms,
            "speeds_m_s": [] if model.gait is None else [list(each) for each in model.gait.speeds],
            "model_bytes": model.bytes(),
            "written": [str(path.absolute())],
        }
        return Done(self.label, values)

    def _gated(self, usability: dict[str, Any] | None) -> dict[str, Any]:
        """Return {"over_gates": [...]}: empty if the model is usable, else one entry with the label and the
        measure "usability"; {} without a gate.

        usability: of _usability; None, for not known, does not pass. A model that fails is reported on
        standard error, too.
        """
        if not self.gate:
            return {}
        if usability is not None and usability["is_usable"]:
            return {"over_gates": []}
        said = "It is not known whether it is usable." if usability is None else usability["said"]
        output.say(f"gate: {self.label}: {said}")
        return {"over_gates": [{"label": self.label, "measure": "usability"}]}

    def _trained(self, work: Work, material: Any, skeleton: Any, path: Path) -> tuple[Any, dict[str, Any]]:
        """Train, writing the training to a file now and then; return (model, told).

        path: the file of -o; an unfinished training is kept there, or beside it where a finished model has
        the place. told: "done" (0.0 to 1.0), "stage" (its name, "" at the end) and "seconds", the wall time
        of this call. Ctrl-C, or a request to terminate, stops the training, which is kept; a message says
        where, and the model is returned as it is. Raise InertiaError if a training that is to be resumed is
        finished or does not fit, or if a file can't be written; OSError if there is none to resume.
        """
        from ..blender.learned import files
        from ..motion.learned.model import STAGES
        from ..motion.learned.training import Training

        training = Training(material, self.settings, skeleton)
        if self.resume:
            training.resume(*_stopped(path))
        signals: list[int] = []
        began = time.monotonic()
        with interrupts.taken_by(lambda number, _: signals.append(number)):
            model = work.run(files.train(training, path, lambda: bool(signals)), "learning")
        if signals:
            kept = files.stopped_at(path)
            output.say(
                f'Stopped; what has been learned is kept in "{kept}", and --resume goes on from there.'
            )
        stage = (*STAGES, "")[training.stage]
        return model, {"done": training.done, "stage": stage, "seconds": time.monotonic() - began}

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """Return the command's text: a table of the check, speeds in m/s, whether the model is usable, and
        the files written.

        values: of make. Each part but the files is left out where there is nothing on it.
        """
        table = _table(values["check"]) if "check" in values else []
        if values.get("speeds_m_s"):
            from ..motion.matching import coverage

            table.append(f"It goes at {coverage.spoken(values['speeds_m_s'])} m/s.")
        if values.get("usability"):
            table += ["", values["usability"]["said"]]
        return [*table, *(f"written: {path}" for path in values["written"])]


def _stopped(path: Path) -> tuple[Any, Any]:
    """Load a training that was stopped; return its model and the state from which it goes on.

    path: the file of -o; the draft beside it is read if there is one. Raise InertiaError if what is there is
    no model or was trained to its end, OSError if there is no file.
    """
    from ..blender.learned import files

    stopped = files.load(files.stopped_at(path))
    if stopped.held is None:
        raise InertiaError(f'"{path.name}" has been trained to its end; leave out --resume to start again.')
    return stopped.model, stopped.held


def _table(checked: dict[str, Any]) -> list[str]:
    """Return the lines of a table with a row for each clip and a last one, "all", for all of them.

    checked: a ModelCheck as a dict. Columns are the frames, the joints' distance in cm (mean and 99th
    percentile), the rotations' in degrees, and how many percent of the contacts are right. Below it stand how
    far the joints stray, and in brackets the ground, in cm after so many steps, for each number of these; and
    how far jumps are from the nearest frame, and any frame is, in cm. Each is left out where it is None.
    """
    rows = [["clip", "frames", "joints cm", "at 99 %", "rotations deg", "contacts %"]]
    for clip in (*checked["clips"], checked["whole"]):
        figures = [f"{clip[name]:.2f}" for name in ("joints_cm", "joints_p99_cm", "rotations_deg")]
        rows.append([clip["clip"], str(clip["frames"]), *figures, f"{100.0 * clip['contacts']:.1f}"])
    lines = output.table(rows)
    if checked["drift_cm"] is not None:
        drifts = ", ".join(
            f"{far:.1f} cm after {frames} (ground {checked['root_drift_cm'][frames]:.1f})"
            for frames, far in checked["drift_cm"].items()
        )
        lines += ["", f"Steps stray by {drifts} frames."]
    if checked["projector_cm"] is not None:
        lines.append(
            f"Jumps are {checked['projector_cm']:.1f} cm from the frame that is truly nearest; any "
            f"frame is {checked['random_cm']:.1f} cm away."
        )
    return lines
