# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks as files of other programs: the .bin files that a game plays, read and written, and .onnx files,
for who runs them with another library; these need the package onnx."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InertiaError
from ...motion.learned import checking, engine_model
from ...motion.learned.engine_model import FEATURES, LATENTS, NEEDED, PLAYED
from ...motion.learned.material import Material
from ...motion.learned.model import Model, ModelSkeleton
from ...motion.learned.networks import Network, Numbers
from ...motion.learned.training import compressed
from ...motion.matching import engine
from ...storage import safe_write
from ..evaluation.character import read_character
from ..feet import legs as leg_list
from ..matching import files as matching_files
from . import posing

MOST_BYTES = 2_000_000_000
"""Nobody's files are larger."""
BIN_FILES = engine_model.FILES
ONNX_FILES = tuple(f"{name}.onnx" for name in PLAYED)
OPSET, FORMAT = 13, 8
"""Versions of the operators and of the files that any runtime of the last years reads."""


def load(folder: Path, armature: Any) -> Model:
    """Return the networks and features in a folder of .bin files as a model for an armature.

    Needed are decompressor.bin, stepper.bin and projector.bin. features.bin may be missing, or lack the
    features' offsets and scales: they are then found from what the networks play. latent.bin is read only
    where features.bin is missing, and may be missing too. The model has no Compressor. Raise InertiaError for
    needed files that are missing, for files that are too large, damaged, or of another skeleton, and where no
    hips with two feet are found while offsets and scales are missing; OSError where they can't be read.
    """
    names, parents = posing.bones_of(armature)
    feet = tuple(names[leg.foot] for leg in leg_list.of_armature(armature))
    contents = {name: _read(folder, name) for name in NEEDED}
    others = [name for name in (FEATURES, LATENTS) if (folder / name).is_file()]
    # of the latents only their number is asked for, where no features tell it
    contents |= {name: _read(folder, name) for name in others[:1]}
    bones = matching_files.features_of(read_character(armature)) if engine_model.lacks_norms(contents) else ()
    return engine_model.read(contents, ModelSkeleton(names, parents, feet), bones)


def latents(folder: Path, model: Model, material: Material) -> Numbers:
    """Return the latents of a material's frames (frames, latents) from a folder, once they are checked to be
    of these clips.

    model: that of the folder's networks. The folder's features must be those of the material, in the model's
    scale; if the folder came without offsets and scales of its features, only the number of frames is
    checked. Raise InertiaError for files that are missing or damaged and for the latents of other clips;
    OSError where they can't be read.
    """
    values = engine_model.read_latents(_read(folder, LATENTS), LATENTS)
    is_same = len(values) == material.frames
    if is_same and not model.has_found_norms:
        features, _, _ = engine_model.features(_read(folder, FEATURES), FEATURES)
        is_same = engine_model.same_features(features, checking.as_learned(model, material).features)
    if not is_same:
        raise InertiaError(
            'The networks in "{folder}" were trained on other clips; use those that its database was '
            "written from, with their mirror images if it has them.",
            folder=folder.name,
        )
    return values


def _read(folder: Path, name: str) -> bytes:
    path = folder / name
    if not path.is_file():
        raise InertiaError(
            '"{folder}" has no "{file}"; a folder of networks needs {needed}, and "{features}" of their '
            'database beside them; to be checked it needs "{latents}", too.',
            folder=folder.name,
            file=name,
            needed=", ".join(NEEDED),
            features=FEATURES,
            latents=LATENTS,
        )
    if path.stat().st_size > MOST_BYTES:
        raise InertiaError('"{file}" is larger than such a file can be.', file=name)
    return path.read_bytes()


def save_bin(folder: Path, model: Model, material: Material) -> list[Path]:
    """Write the networks that play, then the latents and the features of clips, into a folder, as the
    controller of orangeduck/Motion-Matching reads them: decompressor.bin, stepper.bin, projector.bin,
    latent.bin and features.bin. Return their paths in this order.

    material: what latents and features are of; the features are written in the model's own scale. The model
    needs its Compressor, too, which finds the latents. The folder has to exist. All take their places when
    they are complete, in place of old ones. Raise InertiaError, with nothing written, for a network that is
    not trained and for a model without Compressor, as game files give it. Raise InertiaError where a file
    can't be written, too; others may have been replaced by then.
    """
    values = compressed(material, model.network("compressor"))
    material = checking.as_learned(model, material)
    contents = [
        *(engine_model.network_bytes(model.network(name)) for name in PLAYED),
        engine_model.latent_bytes(values),
        engine.features_bytes(material.features, material.offsets, material.scales),
    ]
    return _write(folder, dict(zip(BIN_FILES, contents, strict=True)))


def save_onnx(folder: Path, model: Model) -> list[Path]:
    """Write the networks that play as .onnx; all take their places when they are complete. Each has one input
    "x" (n, inputs) and one output "y" (n, outputs), normalised inside. Raise InertiaError for a network that
    is not trained."""
    contents = [onnx_bytes(model.network(name)) for name in PLAYED]
    return _write(folder, dict(zip(ONNX_FILES, contents, strict=True)))


def _write(folder: Path, contents: Mapping[str, bytes]) -> list[Path]:
    with ExitStack() as stack:
        for name, content in contents.items():
            stack.enter_context(safe_write.replace_safely(folder / name)).write_bytes(content)
    return [folder / name for name in contents]


def check_onnx() -> None:
    """Raise InertiaError where the package onnx is not installed."""
    try:
        import onnx  # noqa: F401 (whether it is there)
    except ImportError as error:
        raise InertiaError(
            "Writing .onnx needs the Python package onnx, which is not installed here; install it, or write "
            ".bin files."
        ) from error


def onnx_bytes(network: Network) -> bytes:
    """Return a network as the content of an .onnx file (float32, operators of version 13).

    It has one input "x" (n, inputs) and one output "y" (n, outputs), in the network's own units: means and
    deviations are inside. Between layers stands ELU for a network that is ``smooth``, else ReLU, behind the
    last none. ImportError where the package onnx is not installed, see :func:`check_onnx`.
    """
    from onnx import TensorProto, helper, numpy_helper

    constants = {name: getattr(network, name) for name in ("mean_in", "std_in", "mean_out", "std_out")}
    nodes = [helper.make_node("Sub", ["x", "mean_in"], ["x0"])]
    nodes.append(helper.make_node("Div", ["x0", "std_in"], ["h0"]))
    for i, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        constants |= {f"w{i}": weight, f"b{i}": bias}
        is_last = i + 1 == len(network.weights)
        output = f"h{i + 1}" if is_last else f"a{i}"
        nodes.append(helper.make_node("Gemm", [f"h{i}", f"w{i}", f"b{i}"], [output]))
        if not is_last:
            nodes.append(helper.make_node("Elu" if network.smooth else "Relu", [output], [f"h{i + 1}"]))
    nodes.append(helper.make_node("Mul", [f"h{len(network.weights)}", "std_out"], ["y0"]))
    nodes.append(helper.make_node("Add", ["y0", "mean_out"], ["y"]))
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
        for name, size in (("x", network.sizes[0]), ("y", network.sizes[-1]))
    ]
    tensors = [numpy_helper.from_array(np.asarray(a, np.float32), name) for name, a in constants.items()]
    graph = helper.make_graph(nodes, "network", ends[:1], ends[1:], tensors)
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], producer_name="Inertia")
    model.ir_version = FORMAT
    content: bytes = model.SerializeToString()
    return content
