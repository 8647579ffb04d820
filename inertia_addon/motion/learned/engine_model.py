# SPDX-License-Identifier: GPL-3.0-or-later
"""What a game plays: networks, latents and models in the layout of orangeduck/Motion-Matching.

All numbers are little-endian; each array follows its own sizes as 32-bit integers. A network: the inputs'
mean and deviation, the outputs' mean and deviation, then how many layers there are, and of each its weights
(inputs, outputs) and its biases. All hidden layers go through ReLU. Latents: frames, numbers a frame, and
these. Features are those of the database, see :mod:`matching.engine`.

Such files name no skeleton, so that they are taken for an armature's whose numbers they fit. What else a
model knows is found by playing: the features beside them are projected, and decompressed. Where these are
missing, they are found by playing, too, see :mod:`.observing`.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...settings.learned import LearnSettings
from . import checking, observing, play
from .material import LEAST_FRAMES, pace_of, size_of
from .model import TRAJECTORY, Model, ModelError, ModelSkeleton
from .model_file import MOST_LAYERS, MOST_WIDE
from .networks import MOST, Network, Numbers
from .tree import tree

PLAYED = ("decompressor", "stepper", "projector")
FEATURES = "features.bin"
LATENTS = "latent.bin"
NEEDED = tuple(f"{name}.bin" for name in PLAYED)
"""The files that a model takes."""
FILES = (*NEEDED, LATENTS, FEATURES)
"""The networks that play, the latents, and the features of the same frames."""
MOST_LATENTS = 512
"""No model has more numbers that stand for what features don't say."""
LOOKED_AT = 2000
"""So many frames, at most, say how fast and how tall the character is."""


def network_bytes(network: Network) -> bytes:
    """Return the content of a network's .bin file.

    In this order: the inputs' mean and deviation, the outputs' mean and deviation, the number of layers, then
    of each layer the weights (inputs, outputs) and the biases. Numbers are little-endian, 32-bit floats and
    integers; each array follows its own sizes, one or two integers. Whether layers go through ELU or ReLU is
    not stored.
    """
    parts = [_vector(each) for each in (network.mean_in, network.std_in, network.mean_out, network.std_out)]
    parts.append(struct.pack("<I", len(network.weights)))
    for weight, bias in zip(network.weights, network.biases, strict=True):
        parts += [latent_bytes(weight), _vector(bias)]
    return b"".join(parts)


def latent_bytes(latents: Numbers) -> bytes:
    """Return what latent.bin holds, or that of any table. latents: (frames, latents)."""
    return struct.pack("<II", *latents.shape) + np.ascontiguousarray(latents, "<f4").tobytes()


def _vector(values: Numbers) -> bytes:
    return struct.pack("<I", len(values)) + np.ascontiguousarray(values, "<f4").tobytes()


def network(content: bytes, name: str) -> Network:
    """Return the network that the content of a .bin file holds; its hidden layers go through ReLU.

    name: how errors call the file. Raise ModelError if the content is cut off or too long, has no layers or
    more than 64, or one wider than 65,536, sizes that do not fit each other, numbers that are not finite or
    beyond 1e6, or an input deviation that is not above 0.
    """
    reader = _Reader(content)
    try:
        norms = reader.numbers(1), reader.numbers(1), reader.numbers(1), reader.numbers(1)
        (layers,) = reader.sizes(1)
        if not 0 < layers <= MOST_LAYERS:
            raise ValueError("no layers")
        weights, biases = [], []
        for _ in range(layers):
            weights.append(reader.numbers(2))
            biases.append(reader.numbers(1))
        _check_layers(weights, biases, norms)
        if reader.left:
            raise ValueError("more than a network")
    except (ValueError, struct.error) as error:
        raise ModelError(
            '"{file}" is not a network of this layout, or is incomplete; use a complete copy.', file=name
        ) from error
    return Network(tuple(weights), tuple(biases), *norms)


def read_latents(content: bytes, name: str) -> Numbers:
    """Read the latents (frames, latents) of a .bin, see :func:`network`."""
    return _arrays(content, name, 2)[0]


def features(content: bytes, name: str, *, without_norms: bool = False) -> tuple[Numbers, Numbers, Numbers]:
    """Return the features that the content of a .bin file holds.

    Parameters
    ----------
    content
        Of the whole file.
    name
        How errors call the file.
    without_norms
        The file has neither offsets nor scales; zeros and ones are returned.

    Returns
    -------
    tuple[Numbers, Numbers, Numbers]
        Values (frames, columns), offsets and scales (columns,), float32. A scale of 0 is
        returned as 1.

    Raises
    ------
    ModelError
        The content is damaged or empty, has a negative scale, or sizes that do not fit.
    """
    if without_norms:
        (values,) = _arrays(content, name, 2)
        offsets, scales = np.zeros(values.shape[1:], np.float32), np.ones(values.shape[1:], np.float32)
    else:
        values, offsets, scales = _arrays(content, name, 2, 1, 1)
    if not values.shape[1] == len(offsets) == len(scales) or not values.size or scales.min() < 0.0:
        raise _damaged(name)
    # what is the same on all frames has none
    return values, offsets, np.where(scales > 0.0, scales, np.float32(1.0))


def _arrays(content: bytes, name: str, *dimensions: int) -> list[Numbers]:
    """Return the arrays, float32, of which the content of a .bin file consists, in their order.

    dimensions: for each array how many axes it has; it stands in the content behind as many sizes. name: how
    errors call the file. Raise ModelError if the content ends too early or goes on behind the last array, or
    holds a number that is not finite or beyond 1e6.
    """
    reader = _Reader(content)
    try:
        arrays = [reader.numbers(count) for count in dimensions]
    except (ValueError, struct.error) as error:
        raise _damaged(name) from error
    if reader.left or not all(np.all(np.abs(each) <= MOST) for each in arrays):
        raise _damaged(name)
    return arrays


def _damaged(name: str) -> ModelError:
    return ModelError('"{file}" is damaged or incomplete; use a complete copy.', file=name)


def _check_layers(weights: Sequence[Numbers], biases: Sequence[Numbers], norms: Sequence[Numbers]) -> None:
    """Raise ValueError for layers that can't be those of a network; return nothing.

    weights: by layer, (inputs, outputs); biases: (outputs,); norms: the inputs' mean and deviation, then the
    outputs'. They can't be if their sizes do not fit each other, if there are no inputs or a layer is wider
    than 65,536, if a number is not finite or beyond 1e6, or if an input's deviation is not above 0.
    """
    sizes = [len(weights[0]), *(weight.shape[1] for weight in weights)]
    fits = [len(norm) for norm in norms] == [sizes[0], sizes[0], sizes[-1], sizes[-1]]
    fits &= [len(weight) for weight in weights] == sizes[:-1]
    fits &= [len(bias) for bias in biases] == sizes[1:]
    if not fits or not all(np.all(np.abs(each) <= MOST) for each in (*weights, *biases, *norms)):
        raise ValueError("layers that don't fit")
    if not sizes[0] or max(sizes) > MOST_WIDE or float(norms[1].min()) <= 0.0:
        raise ValueError("no deviation")


class _Reader:
    """Takes arrays from bytes, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    @property
    def left(self) -> int:
        """How many bytes there still are."""
        return len(self._content) - self._at

    def sizes(self, count: int) -> tuple[int, ...]:
        sizes = struct.unpack_from(f"<{count}I", self._content, self._at)
        self._at += 4 * count
        return sizes

    def numbers(self, dimensions: int) -> Numbers:
        shape = self.sizes(dimensions)
        count = math.prod(shape)
        if 4 * count > self.left:
            raise ValueError("cut off")
        numbers = np.frombuffer(self._content, "<f4", count, self._at).reshape(shape)
        self._at += 4 * count
        return numbers.astype(np.float32)


def read(contents: Mapping[str, bytes], skeleton: ModelSkeleton, bones: Sequence[int] = ()) -> Model:
    """Return the model of a game's files, for a skeleton; it has no Compressor.

    Hidden layers go through ReLU. The pace, the size and the gait are found by playing.

    Parameters
    ----------
    contents
        The files' contents by the names in FILES. The three networks are needed; LATENTS
        and FEATURES may be missing. LATENTS only tells how many frames there are, and is not
        read if FEATURES is there.
    skeleton
        The one that the networks are said to be of.
    bones
        The indices of the left foot, the right foot and the hips; needed if
        :func:`lacks_norms`, as the features' offsets and scales are then found by playing, and
        has_found_norms is set.

    Returns
    -------
    Model
        It has as many features as the Projector has inputs, and as many latents as the
        Projector has outputs beyond these, 1 to 512. Its frames are as many as FEATURES has, or
        else LATENTS, or else 600. It names no clips.

    Raises
    ------
    InertiaError
        A file is damaged, the files do not fit each other or the skeleton, offsets and scales
        are not found, or the files play no motion.
    KeyError
        A network's file is missing. Networks are read in the order Decompressor, Stepper,
        Projector, so that one damaged earlier raises first.
    """
    networks: dict[str, Any] = {name: network(contents[f"{name}.bin"], f"{name}.bin") for name in PLAYED}
    columns, whole = networks["projector"].sizes[0], networks["projector"].sizes[-1]
    known, offsets, scales = None, np.zeros(columns, np.float32), np.ones(columns, np.float32)
    lacks = lacks_norms(contents)
    if FEATURES in contents:
        known, offsets, scales = features(contents[FEATURES], FEATURES, without_norms=lacks)
    latent = whole - len(offsets)
    if not 0 < latent <= MOST_LATENTS:
        raise _no_fit()
    # how wide hidden layers are, for who reads it
    hidden = int(np.clip(max(networks["decompressor"].sizes[1:-1], default=256), 4, 4096))
    settings = LearnSettings(latent=latent, hidden=hidden)
    frames = _count_frames(contents, known)
    model = Model(skeleton, settings, offsets, scales, (), frames, 1.0, 1.0, **networks)
    _check_fit(model)
    step = 1 if known is None else max(1, -(-len(known) // LOOKED_AT))
    some = None if known is None else known[::step]
    if lacks:
        norms = observing.find_norms(model, bones, some)
        model = dataclasses.replace(model, offsets=norms.offsets, scales=norms.scales, has_found_norms=True)
    with np.errstate(all="ignore"):
        states = observing.find_states(model) if some is None else networks["projector"](some)
        rows = networks["decompressor"](states)
        joints = checking.placed(model.rows, tree(skeleton.parents), rows)
        pace, size = pace_of(rows[:, model.rows.root_velocity]), size_of(joints[:, :, 1])
    play.check_size(pace, size)
    model = dataclasses.replace(model, pace=pace, size=size)
    return dataclasses.replace(model, gait=observing.find_gait(model, None if lacks else some, step))


def lacks_norms(contents: Mapping[str, bytes]) -> bool:
    """Tell whether files lack the features' offsets and scales: as FEATURES is missing, or ends behind the
    features.

    A file that is damaged counts as having them, so that reading it says so.
    """
    content = contents.get(FEATURES)
    if content is None:
        return True
    reader = _Reader(content)
    try:
        reader.numbers(2)
    except (ValueError, struct.error):
        return False
    return not reader.left


def _count_frames(contents: Mapping[str, bytes], named: Numbers | None) -> int:
    """Return how many frames the networks have learned from: as few as can be where no file tells."""
    if named is not None:
        return len(named)
    return len(read_latents(contents[LATENTS], LATENTS)) if LATENTS in contents else LEAST_FRAMES


def _check_fit(model: Model) -> None:
    """Raise ModelError if a model's networks do not fit its skeleton, its features or each other; return
    nothing.

    The Decompressor must give as many numbers as the skeleton's bones and feet take, all inputs and outputs
    must be as wide as features and latents say, and there must be more than 12 features. A missing
    Decompressor, Stepper or Projector raises ModelError, too.
    """
    bones, feet, columns = len(model.skeleton.names), len(model.skeleton.feet), model.features
    whole = columns + model.latents
    ends = {name: (model.network(name).sizes[0], model.network(name).sizes[-1]) for name in PLAYED}
    if ends["decompressor"][1] != model.rows.size:
        raise ModelError(
            "The networks were trained with another skeleton: they give {given} numbers for a pose, and the "
            "armature's {bones} bones and {feet} feet take {wanted}; choose the armature that they were "
            "trained with.",
            given=ends["decompressor"][1],
            bones=bones,
            feet=feet,
            wanted=model.rows.size,
        )
    wanted = {
        "decompressor": (whole, model.rows.size),
        "stepper": (whole, whole),
        "projector": (columns, whole),
    }
    if ends != wanted or columns <= TRAJECTORY:
        raise _no_fit()


def _no_fit() -> ModelError:
    return ModelError(
        "The networks don't fit each other or their features; take files that were trained together."
    )


def same_features(features: Numbers, other_features: Numbers) -> bool:
    """Tell whether two sets of normalised features are those of the same frames."""
    return features.shape == other_features.shape and bool(np.allclose(features, other_features, atol=1e-2))
