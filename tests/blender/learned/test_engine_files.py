# SPDX-License-Identifier: GPL-3.0-or-later
"""What other programs are given of a model: networks that give them what they give here."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx, an optional extra, is not installed")
from onnx.reference import ReferenceEvaluator

from inertia_addon.blender.learned import engine_files
from inertia_addon.motion.learned.networks import Network


@pytest.mark.parametrize("is_smooth", [False, True])
def test_an_onnx_file_takes_and_gives_what_its_network_does(*, is_smooth: bool) -> None:
    random, sizes = np.random.default_rng(3), (5, 7, 6, 4)
    weights = tuple(random.normal(size=pair) for pair in itertools.pairwise(sizes))
    biases = tuple(random.normal(size=size) for size in sizes[1:])
    means = [random.normal(size=size) for size in (sizes[0], sizes[-1])]
    deviations = [random.uniform(0.5, 2.0, size) for size in (sizes[0], sizes[-1])]
    network = Network(weights, biases, means[0], deviations[0], means[1], deviations[1], is_smooth)
    made = onnx.load_from_string(engine_files.onnx_bytes(network))
    onnx.checker.check_model(made, full_check=True)
    ends = [end.type.tensor_type.shape.dim[1].dim_value for end in (*made.graph.input, *made.graph.output)]
    assert ends == [sizes[0], sizes[-1]]
    inputs = random.normal(size=(3, sizes[0])).astype(np.float32)
    (found,) = ReferenceEvaluator(made).run(None, {"x": inputs})
    np.testing.assert_allclose(found, network(inputs), rtol=1e-4, atol=1e-4)
