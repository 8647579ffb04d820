# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertia for scripts: each command as a function, in the file that is open.

    from inertia_addon import api

    api.read("clips.blend")
    made = api.bake(source="Walk", destination="Run", cut=24)
    print(made.action, made.values["verdict"]["rating"])
    api.write("out.blend", made)

A function is called as its command, and takes its settings by the names and with the values that specs have
for them; ``help(api.bake)`` lists them. As on the command line, a part of an action's or a bone's name does
where only one has it. Nothing is saved until :func:`write` is called. What can't be done raises InertiaError,
and leaves the file as it was.

VERSION counts as semantic versions do. Within a major version nothing that is described here goes, or changes
what it means. What is to go warns with a DeprecationWarning until the next major version.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .console import output_files
from .errors import InertiaError
from .records import record
from .settings import fields
from .settings.fields import Setting
from .tasks import every
from .tasks.task import Done, Task, Work

VERSION = (1, 1)
"""Major and minor: the minor counts up with what is added."""

_COMMANDS: dict[str, type[Task]] = {}


def _add_command(task: type[Task]) -> None:
    if task.COMMAND:
        _COMMANDS[task.COMMAND] = task


every.open_door(_add_command)
RESULT = "report"
"""The file that a command writes with what a result has as values."""
OPEN = Path("open.blend")
"""What stands for the file that is open as the one that takes an action."""

__all__ = [
    "VERSION",
    "InertiaError",
    "Result",
    "commands",
    "read",
    "settings",
    "write",
    "run",
    "register",
    *sorted(_COMMANDS),
]


@record(frozen=True)
class Result:
    """What came of a call.

    action: the name of the action that was made, or of a take that needs nothing, "" where there is none.
    slot: that of it which holds it.
    armature: the name of the object. values: all that there is to tell, as JSON values: what ``--json`` has.
    notes: what a reader has to know at once.
    """

    action: str
    slot: str
    armature: str
    values: Mapping[str, Any]
    notes: tuple[str, ...]


def commands() -> tuple[str, ...]:
    """Return the names of the functions that are commands."""
    return tuple(sorted(_COMMANDS))


def register(task: type[Task]) -> None:
    """Have a task of a script's own be a command, a list of specs and a function here, as Inertia's are.

    task: a class as those in ``inertia_addon/tasks``; see ``examples/extend``. Registering one of the same
    KIND again replaces it. Raise InertiaError for the name of a command of Inertia's own.
    """
    every.add_task(task)


def settings(command: str) -> tuple[str, ...]:
    """Return the names of a command's settings, then those of the files besides animations that it can write,
    as fields of specs have them.

    Raise InertiaError for an unknown command.
    """
    task = _task(command)
    return tuple(_settings(task)) + tuple(_files(task))


def read(
    *paths: str | Path, scale: float = 1.0, fps: float | None = None, up: str | None = None
) -> tuple[str, ...]:
    """Read animation files in place of the file that is open; return the names of all actions that are there
    then.

    paths: one .blend, .bvh, .fbx, glTF (.glb, .gltf, .vrm, .vrma) or USD file, or several of one skeleton,
    all of one of these kinds but .blend. scale: factor on the lengths in .bvh and .fbx files. fps: of a glTF
    or USD file's keys; None finds it. up: the axis that points up in .bvh files, "y" or "z"; None finds it.
    Options that a kind does not have are ignored. Raise InertiaError for files that don't exist, can't be
    read or don't belong together, what is open is undefined then; KeyError without any path.
    """
    import bpy

    from .blender import files

    files.load([Path(path) for path in paths], scale, fps, up)
    return tuple(action.name for action in bpy.data.actions)


def write(path: str | Path, result: Result) -> Path:
    """Write a file of the kind that its name says; return its absolute path. An old one stays whole until the
    new one is complete.

    result: of a call, whose armature, action and slot count. A .blend file holds everything that is open, and
    the result's action is not looked at; a .glb, .gltf, .fbx, .usd or .bvh file holds the character with that
    action alone. Raise InertiaError, with nothing left behind, where the armature is gone or the file can't
    be written, and, but for a .blend, where the result has no action or that is gone.
    """
    from .blender import files
    from .blender.data import names, scene

    armature = names.find_armature(result.armature)
    with scene.use_scene_of(armature):
        files.save(Path(path), armature, result.action, result.slot)
    return Path(path).absolute()


def run(command: str, armature: Any = None, *, bakes: bool = True, **asked: Any) -> Result:
    """Do what a command does, in the file that is open, and return what came of it.

    The :class:`Result` has the new action's name and the identifier of its slot, both "" without one, the
    armature's name, "" without one, ``values`` and ``notes``, a tuple of sentences. ``values`` is what
    ``--json`` has. Each file that was asked for and written stands in it, too, at the top and by its own
    name, as the list of the paths written, as texts; a file that the task did not write is absent.

    armature: an object or its name, None for the only one in the file, or for none where the command needs
    none. bakes: whether an action is made, if the command and its settings can have one; else what is found
    is only told. asked: its settings, and paths of files to write. Raise InertiaError, with the file as it
    was, for an unknown command or setting, one that is missing or takes something else, a command that always
    makes an action with bakes False, and where the command fails. Raise TypeError for a path that is neither
    text nor Path, None among them.
    """
    import bpy

    from .blender.data import names, scene
    from .blender.evaluation import playback

    task = _task(command)
    values, files = _values(task, command, asked)
    taking = [each for each in task.writes() if each.is_baked]
    if not bakes and any(each.is_needed for each in taking):
        raise InertiaError("The command {command} always makes an action; leave bakes out.", command=command)
    baked = [each.name for each in taking if bakes and task.makes_action(values)]
    values |= dict.fromkeys(baked, OPEN)
    name = getattr(armature, "name", armature)
    owner = names.find_armature(name) if name is not None or task.OF_ONE_ARMATURE else None
    work, notes = _work(owner, values, files)
    job = task.of_options(values)
    # before there is an action, so that none is left where a file can't be written
    output_files.check(job.outputs(files), [Path(bpy.data.filepath)] if bpy.data.filepath else [])
    with scene.use_scene_of(owner):
        with playback.enable(owner):
            job = job.resolved(owner.name if owner is not None else "")
            done: Done = job.perform(work, bakes=bool(baked))
        written = {
            file: [str(each) for each in (done.writes[file](path) or [path.absolute()])]
            for file, path in files.items()
            if file in done.writes
        }
    report = done.report
    return Result(
        "" if report is None else report.result,
        "" if report is None else report.slot,
        "" if owner is None else owner.name,
        {**done.values, **written},
        (*notes, *done.notes),
    )


def _work(armature: Any, values: Mapping[str, Any], files: Mapping[str, Path]) -> tuple[Work, list[str]]:
    """Return (the Work that a script lends to a task, a list of notes). The list is empty at first. It gets
    the sentence on doubtful joints, if there is one, whenever the task asks for the joints' weights.

    values: the command's options. ``weights`` counts; without any, ``joints`` does, "stored" if it is
    missing. files: the paths of files to write, by name; they tell the task which are wanted. Nothing is
    judged for a script.
    """
    from .blender.evaluation import joints

    notes: list[str] = []

    class ScriptWork(Work):
        def weights(self) -> dict[str, float]:
            asked = values.get("weights", ()), values.get("joints", "stored")
            weights, note = joints.resolve_weights(armature, *asked)
            notes.extend([note] if note else [])
            return weights

    return ScriptWork(armature, is_judged=False, wanted=files), notes


def _task(command: str) -> type[Task]:
    if command not in _COMMANDS:
        raise InertiaError(
            'There is no command "{command}", but {known}.', command=command, known=", ".join(commands())
        )
    return _COMMANDS[command]


def _settings(task: type[Task]) -> dict[str, Setting]:
    """Return the settings of a task's command by their names."""
    every = (setting for group in task.asks() for setting in group.settings())
    return {setting.key: setting for setting in every if setting.help or setting.off}


def _files(task: type[Task]) -> list[str]:
    """Return the files that a task's command writes besides animations, by their names."""
    return [each.name for each in task.writes() if not each.is_baked and each.name != RESULT]


def _values(
    task: type[Task], command: str, asked: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Path]]:
    """Return (the options by name, as a task's class takes them, the paths of files to write by name). The
    paths of files that are asked for stand in both, as Path.

    asked: values by the settings' or files' names in specs; a former name is taken with a DeprecationWarning,
    and of both names the last one given counts. Each file that the task can write, the result among them, is
    None among the options unless it is asked for; the result can't be asked for here. Optional settings that
    are missing are absent; a needed ``action`` that is missing becomes "", which means the only one. Raise
    InertiaError for an unknown name, any other needed setting that is missing, and a setting's value of
    another kind; TypeError for a file's path that is neither text nor Path, None among them.
    """
    known, files = _settings(task), _files(task)
    former = {setting.former: setting.key for setting in known.values() if setting.former}
    values: dict[str, Any] = {each.name: None for each in task.writes()}
    for name, value in asked.items():
        if name in former:
            warnings.warn(f"{command}: {name} is called {former[name]} now", DeprecationWarning, stacklevel=4)
        key = former.get(name, name)
        if key not in known and key not in files:
            raise InertiaError(
                'The command {command} has no setting "{name}", but {known}.',
                command=command,
                name=name,
                known=", ".join([*known, *files]),
            )
        values[key] = Path(value) if key in files else _plain(command, known[key], value)
    wanted = {name: values[name] for name in files if values[name] is not None}
    for group in task.asks():
        for setting in group.settings():
            can_lack = group.optional is None or setting.field in group.optional or not setting.is_needed
            if not can_lack and setting.key not in values:
                if setting.field != "action":
                    raise InertiaError(
                        'The command {command} needs the setting "{name}".', command=command, name=setting.key
                    )
                values[setting.key] = ""  # the only one
    return values, wanted


def _plain(command: str, setting: Setting, value: Any) -> Any:
    """Return a value as options have it: lists as lists, also of a single value; a mapping of pairs as a list
    of (name, number), any other value of pairs as it is; paths as texts.

    Raise InertiaError for a value, or an item of a list, that is no text, number or switch where the setting
    takes that; None is none of them. Pairs are not checked here, nor whether a number is in its range.
    """
    if setting.has_pairs:
        return list(value.items()) if isinstance(value, Mapping) else value
    is_many = setting.is_list and not isinstance(value, str)
    values = list(value) if is_many and isinstance(value, Iterable) else [value]
    values = [str(each) if isinstance(each, Path) else each for each in values]
    is_switch = isinstance(setting.default, bool)
    kind: Any = bool if is_switch else numbers.Real if setting.range is not None else str
    for each in values:
        if not isinstance(each, kind) or (kind is numbers.Real and isinstance(each, bool)):
            raise InertiaError(
                'The setting "{name}" of {command} takes {kind}, not {value}.',
                name=setting.key,
                command=command,
                kind={bool: "True or False", str: "a text"}.get(kind, "a number"),
                value=repr(each),
            )
    return values if setting.is_list else values[0]


def _function(command: str) -> Callable[..., Result]:
    """Return the function of a command, which calls :func:`run`: it takes an armature, None without, and by
    keyword `bakes`, True without, and the settings and files.

    Its name is the command's, and its help lists the settings with their defaults, and the files that it may
    write. KeyError for an unknown command.
    """

    def call(armature: Any = None, *, bakes: bool = True, **asked: Any) -> Result:
        return run(command, armature, bakes=bakes, **asked)

    task = _COMMANDS[command]
    helps = {
        key: setting.describe(fields.spoken) or f"False to {setting.off}"
        for key, setting in _settings(task).items()
    } | dict.fromkeys(_files(task), "a file to write")
    call.__name__ = call.__qualname__ = command
    call.__doc__ = f"""{task.HELP[:1].upper()}{task.HELP[1:]}.

armature: an object or its name, None for the only one in the file. bakes: whether an action is
made. Returns a Result. Raises InertiaError, with the file as it was.

""" + "\n".join(["Settings:", *(f"    {key}: {help}" for key, help in helps.items())])
    return call


def __getattr__(name: str) -> Callable[..., Result]:
    if name not in _COMMANDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _function(name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_COMMANDS})
