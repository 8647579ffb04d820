# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks as .onnx files, for who runs them with another library; needs the package onnx."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import numpy as np

from ...errors import InertiaError
from ...motion.learned.model import Model
from ...motion.learned.networks import Network
from ...storage import safe_write

FILES = ("decompressor.onnx", "stepper.onnx", "projector.onnx")
OPSET, FORMAT = 13, 8
"""Versions of the operators and of the files that any runtime of the last years reads."""


def check() -> None:
    """Raise InertiaError where the package onnx is not installed."""
    try:
        import onnx  # noqa: F401 (whether it is there)
    except ImportError as error:
        raise InertiaError(
            "Writing .onnx needs the Python package onnx, which is not installed here; install it, or write "
            ".bin files."
        ) from error


def save(folder: Path, model: Model) -> list[Path]:
    """Write the networks that play; all take their places when they are complete.

    Each has one input "x" (n, inputs) and one output "y" (n, outputs), normalised inside. Raises InertiaError
    for a network that is not trained.
    """
    contents = {name: to_bytes(model.network(name.removesuffix(".onnx"))) for name in FILES}
    with ExitStack() as stack:
        for name, content in contents.items():
            stack.enter_context(safe_write.replacing(folder / name)).write_bytes(content)
    return [folder / name for name in contents]


def to_bytes(network: Network) -> bytes:
    """A network as the content of an .onnx file."""
    from onnx import TensorProto, helper, numpy_helper

    held = {"mean_in": network.mean_in, "std_in": network.std_in}
    held |= {"mean_out": network.mean_out, "std_out": network.std_out}
    nodes = [helper.make_node("Sub", ["x", "mean_in"], ["x0"])]
    nodes.append(helper.make_node("Div", ["x0", "std_in"], ["h0"]))
    for i, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        held |= {f"w{i}": weight, f"b{i}": bias}
        is_last = i + 1 == len(network.weights)
        given = f"h{i + 1}" if is_last else f"a{i}"
        nodes.append(helper.make_node("Gemm", [f"h{i}", f"w{i}", f"b{i}"], [given]))
        if not is_last:
            nodes.append(helper.make_node("Elu" if network.smooth else "Relu", [given], [f"h{i + 1}"]))
    nodes.append(helper.make_node("Mul", [f"h{len(network.weights)}", "std_out"], ["y0"]))
    nodes.append(helper.make_node("Add", ["y0", "mean_out"], ["y"]))
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
        for name, size in (("x", network.sizes[0]), ("y", network.sizes[-1]))
    ]
    constants = [numpy_helper.from_array(np.asarray(a, np.float32), name) for name, a in held.items()]
    graph = helper.make_graph(nodes, "network", ends[:1], ends[1:], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="Inertia")
    made.ir_version = FORMAT
    content: bytes = made.SerializeToString()
    return content
