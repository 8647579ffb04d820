# SPDX-License-Identifier: GPL-3.0-or-later
"""A model as the content of a file: an .npz without pickles, in which every size is known beforehand.

``about`` is JSON text: the skeleton, the settings, notes. From it follows what arrays there are and how large
each is; nothing else is read, and nothing before its size was compared. The bytes depend on the model alone.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from ...errors import InertiaError
from ...records import record
from ...settings.learned import LearnSettings
from ..steering.fitted import LONGEST, SHORTEST, FittedGait
from . import networks
from .model import NETWORKS, STAGES, Model, ModelSkeleton
from .networks import Network, Numbers
from .usability import Usability

VERSION = 1
MOST_ABOUT = 8_000_000
"""An ``about`` that takes more bytes is none."""
MOST_BONES, MOST_FEET, MOST_FEATURES, MOST_NOTED = 10_000, 64, 1_000, 1_000_000
MOST_BYTES = 2_000_000_000
"""Nobody's networks are larger."""
MOST_POSES = 1_000_000_000
"""Nobody learns from more frames times bones: two months of somebody with a hundred bones."""
MOST_SECONDS = 1e9
MOST_LAYERS, MOST_WIDE = 64, 65536
"""No network has more layers, nor wider ones."""
MOST_RANGES = 1000
"""Speeds in more ranges, two ends each, are none."""
SIZES, MOST_PACE = (1e-4, 1e4), 1e3
"""How tall characters are, as parts of a person, and how fast they go, metres a second for each of these."""
NORMS = ("mean_in", "std_in", "mean_out", "std_out")
HELD = ("values", "mean", "square")
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_HEADER = re.compile(rb"\{'descr': '(.{3,12})', 'fortran_order': False, 'shape': \(([0-9, ]{0,60})\), \} *\n")
"""What numpy writes before the values of an array. Its own reader evaluates it as Python, and tries to mend
what it can't, so that whatever is spoilt may end in any error or warning."""


@record(frozen=True, eq=False)
class Content:
    """A model, and what it takes to go on with its training where that was stopped, see
    :meth:`training.Training.collect_state`."""

    model: Model
    held: Mapping[str, Any] | None = None


def to_bytes(model: Model, contents: Mapping[str, Any] | None = None) -> bytes:
    """Return the content of a model's file, a compressed .npz; the same model always gives the same bytes.

    It has an entry "about", a text of JSON, and one for each array: little-endian 32-bit floats, the history
    64-bit ones. contents: the state of a training that was stopped, the dict that
    :meth:`training.Training.collect_state` returns, to be stored too; None for none. Networks that the model
    does not have are left out.
    """
    trained = [name for name in NETWORKS if getattr(model, name) is not None]
    about = {
        "version": VERSION,
        "skeleton": dataclasses.asdict(model.skeleton),
        "settings": model.settings.as_dict(),
        "features": model.features,
        "clips": list(model.clips),
        "frames": model.frames,
        "pace": model.pace,
        "size": model.size,
        "gait": None if model.gait is None else dataclasses.asdict(model.gait),
        "networks": trained,
        "layers": {name: list(sizes) for name, sizes in model.layers.items()},
        "has_found_norms": model.has_found_norms,
        "noted": len(model.history),
        "terms": model.terms,
        "usability": None if model.usability is None else dataclasses.asdict(model.usability),
        "held": None if contents is None else {k: v for k, v in contents.items() if k not in HELD},
        "parameters": 0 if contents is None else len(contents["values"]),
    }
    arrays: dict[str, Numbers] = {"offsets": model.offsets, "scales": model.scales, "history": model.history}
    for name in trained:
        network = model.network(name)
        for i, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
            arrays |= {f"{name}_weights{i}": weight, f"{name}_biases{i}": bias}
        arrays |= {f"{name}_{norm}": getattr(network, norm) for norm in NORMS}
    if contents is not None:
        arrays |= {f"held_{name}": contents[name] for name in HELD}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as whole:
        _add(whole, "about", np.array(json.dumps(about)))
        for name, array in arrays.items():
            _add(whole, name, np.ascontiguousarray(array, "<f8" if name == "history" else "<f4"))
    return file.getvalue()


def _add(whole: zipfile.ZipFile, name: str, array: Any) -> None:
    content = io.BytesIO()
    np.lib.format.write_array(content, array, allow_pickle=False)
    # an entry without a date, so that equal models are equal bytes
    whole.writestr(zipfile.ZipInfo(name + ".npy"), content.getvalue(), zipfile.ZIP_DEFLATED, 1)


def read(file: IO[bytes], name: str) -> Content:
    """Return the content of a model's file: the model, and as `held` the state of its training or None.

    The state is a dict as :meth:`training.Training.collect_state` returns it. Arrays are float32, the model's
    history float64.

    file: open for reading bytes, at its beginning, seekable; it is not closed. name: how errors call the
    file. Raise InertiaError, always with the same text, if it can't be read, is no model, is of another
    version, or is damaged in any way.
    """
    try:
        with zipfile.ZipFile(file) as whole:
            return _read_model(whole)
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError),
        *(ValueError, TypeError, KeyError, IndexError, OverflowError, struct.error, RecursionError),
        *(AttributeError, MemoryError),
    ) as error:
        raise InertiaError(
            '"{file}" is not a model, or is incomplete; use a complete copy, or train it again.', file=name
        ) from error


def _read_model(whole: zipfile.ZipFile) -> Content:
    about = json.loads(_describe(whole))
    if about["version"] != VERSION:
        raise ValueError("another version")
    model = _begun(about)
    # files of earlier versions don't say: theirs are all as they are trained
    layers = about.get("layers", {})
    trained: dict[str, Any] = {
        name: _network(whole, name, _sizes(model, name, layers))
        for name in NETWORKS
        if name in about["networks"]
    }
    columns = (model.features,)
    noted = _whole(about["noted"], 0, MOST_NOTED)
    model = dataclasses.replace(
        model,
        **trained,
        offsets=_array(whole, "offsets", columns),
        scales=_array(whole, "scales", columns),
        history=_history(whole, noted),
    )
    if about["held"] is None:
        return Content(model)
    count, plain = _whole(about["parameters"], 0, MOST_BYTES // 4), about["held"]
    stage = _whole(plain["stage"], 0, len(STAGES))
    names = (*STAGES.values(), ())[stage]
    if not {*itertools.chain(*[*STAGES.values()][: stage + 1])} <= {*trained}:
        raise ValueError("fewer networks")
    if count != sum(networks.count(model.sizes[name]) for name in names):
        raise ValueError("another number of parameters")
    arrays = {name: _array(whole, f"held_{name}", (count,), most=math.inf) for name in HELD}
    if count and arrays["square"].min() < 0.0:
        raise ValueError("no sum of squares")
    held = {
        "stage": stage,
        "steps": _whole(plain["steps"], 0, 2**53),
        "seconds": _number(plain["seconds"], 0.0, MOST_SECONDS),
        "sums": {_text(name): _number(value) for name, value in plain["sums"].items()},
    }
    return Content(model, held | arrays)


def _history(whole: zipfile.ZipFile, noted: int) -> Any:
    """Return the noted moments (noted, 4), float64: the stage's number in STAGES, from 0, steps, the part
    that was done, 0 to 1, and the loss.

    Raise ValueError for a number that is negative or not finite, a stage above 2, more than 2**53 steps or a
    part above 1 (a loss has no limit), or an entry of another size, type or shape; KeyError without the
    entry, struct.error if it is cut off. That stages and steps are whole is not checked.
    """
    moments = _array(whole, "history", (noted, 4), "<f8", most=math.inf)
    most = [len(STAGES) - 1, 2**53, 1.0, math.inf]
    if not (np.all(moments >= 0.0) and np.all(moments <= most)):
        raise ValueError("no moments")
    return moments


def _opened(whole: zipfile.ZipFile, name: str, least: int, most: int) -> io.BytesIO:
    """Return the bytes of an entry, positioned at their beginning.

    name: the entry's, without ".npy". least, most: the unpacked size that it may have, in bytes, both
    included. Raise ValueError for another size, or if it is packed in a way that is not of PACKED; KeyError
    without such an entry.
    """
    info = whole.getinfo(name + ".npy")
    if not least <= info.file_size <= most or info.compress_type not in PACKED:
        raise ValueError("another size")
    with whole.open(info) as file:
        return io.BytesIO(file.read(most))


def _describe(whole: zipfile.ZipFile) -> str:
    content = _opened(whole, "about", 0, MOST_ABOUT)
    kind, shape = _header(content)
    if shape != () or not kind.startswith("<U"):
        raise ValueError("no text")
    return content.read().decode("utf-32-le").rstrip("\0")


def _header(content: IO[bytes]) -> tuple[str, tuple[int, ...]]:
    """Return the type, such as "<f4", and the shape of an array's values, which follow in the content.

    Raise ValueError for another format, struct.error for content that ends.
    """
    if content.read(8) != b"\x93NUMPY\x01\x00":
        raise ValueError("another format")
    (length,) = struct.unpack("<H", content.read(2))
    match = _HEADER.fullmatch(content.read(length))
    if match is None:
        raise ValueError("no header")
    return match[1].decode("ascii"), tuple(int(part) for part in match[2].split(b",") if part.strip())


def _array(
    whole: zipfile.ZipFile,
    name: str,
    shape: tuple[int, ...],
    kind: str = "<f4",
    *,
    deviation: bool = False,
    most: float = networks.MOST,
) -> Any:
    """Return an array of an entry that must have a shape and a type, with numbers no further from 0 than
    `most`; it is a copy in the machine's byte order.

    name: the entry's, without ".npy". kind: the type, with its byte order. deviation: all must be above zero.
    Raise ValueError for any other array, and for one of more than MOST_BYTES; KeyError without such an entry.
    """
    size = int(np.prod(shape, dtype=object)) * np.dtype(kind).itemsize
    if size > MOST_BYTES:
        raise ValueError("another size")
    content = _opened(whole, name, size, size + 1024)
    if _header(content) != (kind, shape):
        raise ValueError("another shape")
    values = np.frombuffer(content.read(size), kind).reshape(shape)
    if not (np.isfinite(values).all() and np.all(np.abs(values) <= most)):
        raise ValueError("no numbers")
    if deviation and values.size and values.min() <= 0.0:
        raise ValueError("no deviation")
    return values.astype(kind[1:])


def _sizes(model: Model, name: str, layers: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the sizes of a network's layers, inputs first, outputs last.

    name: "compressor", "decompressor", "stepper" or "projector"; KeyError is raised for another. layers: by
    name, the sizes of hidden layers, of networks that are as a game has them; the others have those of the
    settings, see :attr:`Model.sizes`, which are not checked. Inputs and outputs are the model's in any case.
    Raise ValueError for 64 hidden layers or more, or a size that is no integer from 1 to 65,536.
    """
    first, *hidden, last = model.sizes[name]
    if name in layers:
        if len(layers[name]) >= MOST_LAYERS:
            raise ValueError("too many layers")
        hidden = [_whole(size, 1, MOST_WIDE) for size in layers[name]]
    return (first, *hidden, last)


def _network(whole: zipfile.ZipFile, name: str, sizes: tuple[int, ...]) -> Network:
    weights, biases = [], []
    for i, (rows, columns) in enumerate(itertools.pairwise(sizes)):
        weights.append(_array(whole, f"{name}_weights{i}", (rows, columns)))
        biases.append(_array(whole, f"{name}_biases{i}", (columns,)))
    norms = [
        _array(whole, f"{name}_{norm}", (size,), deviation=norm == "std_in")
        for norm, size in zip(NORMS, (sizes[0], sizes[0], sizes[-1], sizes[-1]), strict=True)
    ]
    mean_in, std_in, mean_out, std_out = norms
    return Network(tuple(weights), tuple(biases), mean_in, std_in, mean_out, std_out, name == "compressor")


def _begun(about: Mapping[str, Any]) -> Model:
    """Return the model of `about` without its arrays: its offsets and scales are zeros (features,), its
    history is empty, and it has no networks.

    about: "skeleton", a dict of "names", "parents" (each before its children, -1 for none), "feet" and
    "root"; "features", how many there are, 13 to 1000; "settings", "terms", "clips", "frames", "size",
    "pace"; and "gait", "usability" and "has_found_norms", which may be missing, as earlier versions don't
    have them. Other keys are ignored. Bones are 1 to 10,000, feet at most 64.

    Raise ValueError for numbers that none of these can be, whole ones that are no int included, and for
    settings that are not valid; TypeError for texts and other values of another type; KeyError for what is
    missing.
    """
    skeleton = about["skeleton"]
    names = tuple(map(_text, skeleton["names"]))
    parents = tuple(_whole(parent, -1, i - 1) for i, parent in enumerate(skeleton["parents"]))
    feet = tuple(map(_text, skeleton["feet"]))
    if not 0 < len(names) <= MOST_BONES or len(parents) != len(names) or len(feet) > MOST_FEET:
        raise ValueError("no skeleton")
    columns = np.zeros(_whole(about["features"], 13, MOST_FEATURES), np.float32)
    terms = {_text(name): _number(value) for name, value in about["terms"].items()}
    size = _number(about["size"], *SIZES)
    pace = _number(about["pace"], 0.0, MOST_PACE * size)
    # models of earlier versions don't say
    gait = _gait(about["gait"], MOST_PACE * size) if about.get("gait") is not None else None
    try:
        settings = LearnSettings.from_dict(about["settings"])
    except InertiaError as error:
        raise ValueError("other settings") from error
    return Model(
        ModelSkeleton(names, parents, feet, _text(skeleton["root"])),
        settings,
        columns,
        columns,
        tuple(map(_text, about["clips"])),
        _whole(about["frames"], 0, MOST_POSES // len(names)),
        pace,
        size,
        gait,
        terms=terms,
        # nor do these say how they were seen to play
        usability=_usability(about["usability"]) if about.get("usability") is not None else None,
        has_found_norms=bool(about.get("has_found_norms", False)),
    )


def _gait(values: Mapping[str, Any], most: float) -> FittedGait:
    """Return the gait that stored values describe: half-lives in seconds, and ranges of speeds.

    values: "speed_seconds", "turn_seconds", and "speeds", a list of (low, high). most: the highest speed that
    is possible, metres a second. Raise ValueError for half-lives outside of 0.15 to 0.6 s, and for no ranges,
    more than 1000 ends of them, or ends that fall from one to the next (equal ones may follow each other);
    KeyError for missing values, TypeError for other types.
    """
    lasting = [_number(values[name], SHORTEST, LONGEST) for name in ("speed_seconds", "turn_seconds")]
    ends = [_number(end, 0.0, most) for low, high in values["speeds"] for end in (low, high)]
    if not ends or len(ends) > MOST_RANGES or ends != sorted(ends):
        raise ValueError("no ranges of speeds")
    return FittedGait(lasting[0], lasting[1], tuple(zip(ends[::2], ends[1::2], strict=True)))


def _usability(values: Mapping[str, Any]) -> Usability:
    """Return how the model was seen to play."""
    names = (field.name for field in dataclasses.fields(Usability))
    return Usability(**{name: _number(values[name], 0.0) for name in names})


def _whole(value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError("no such number")
    return value


def _number(value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    number = float(value)
    if not (math.isfinite(number) and least <= number <= most):
        raise ValueError("no such number")
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    # what can't be written can't be told, either
    value.encode()
    return value
