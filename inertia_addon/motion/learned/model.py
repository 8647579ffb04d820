# SPDX-License-Identifier: GPL-3.0-or-later
"""A model: the networks that play a character's clips, and what is known of them."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from ...errors import InertiaError
from ...records import record
from ...settings.learned import LearnSettings
from ..arrays import Array, Floats
from ..steering.fitted import FittedGait
from .material import RowLayout
from .networks import Network, Numbers
from .usability import Usability

TRAJECTORY = 12
"""So many features, the last ones, say where the character goes: three places and three directions."""
HIDDEN = {"compressor": 3, "decompressor": 2, "stepper": 2, "projector": 4}
"""How many hidden layers each network has."""
NETWORKS = tuple(HIDDEN)
STAGES = {
    "decompressor": ("compressor", "decompressor"),
    "stepper": ("stepper",),
    "projector": ("projector",),
}
"""What is trained one after the other, and which networks each time."""


class ModelError(InertiaError):
    """A model can't be played: a sentence that who knows its file completes with that."""


class NoMotion(ModelError):
    """What networks give is no motion of a character."""

    def __init__(self) -> None:
        super().__init__(
            "The model plays motion that no character could make; use a complete copy, or train it again."
        )


@record(frozen=True)
class ModelSkeleton:
    """The skeleton that a model is of: its bones' names and parents, -1 for none; the feet whose contacts it
    tells; the bone that carries the character, "" for the object itself."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    feet: tuple[str, ...]
    root: str = ""


@record(frozen=True, eq=False)
class Model:
    """Networks, the skeleton that they play, and where they come from.

    A network that is not trained is None. offsets, scales: (columns,) of features: (value - offset) / scale.
    clips, frames: names of what was learned, and how much it was. pace: the speed that it has most of while
    it moves, metres a second. size: the character's height, as a part of a person's. gait: how the clips
    change their speed and turn, None where that is not known. history: (n, 4), of each noted moment which
    stage, its step, the part that was done, and the loss. terms: the last loss of each by term, "stage.term".
    usability: how it was seen to play when it was trained, None where that is not known. has_found_norms:
    whether offsets and scales were found by what the networks play, as nothing said them.
    """

    skeleton: ModelSkeleton
    settings: LearnSettings
    offsets: Floats
    scales: Floats
    clips: tuple[str, ...]
    frames: int
    pace: float
    size: float
    gait: FittedGait | None = None
    compressor: Network | None = None
    decompressor: Network | None = None
    stepper: Network | None = None
    projector: Network | None = None
    history: Array = dataclasses.field(default_factory=lambda: np.zeros((0, 4)))
    terms: dict[str, float] = dataclasses.field(default_factory=dict)
    usability: Usability | None = None
    has_found_norms: bool = False

    @property
    def rows(self) -> RowLayout:
        """What the Decompressor's rows hold."""
        return RowLayout(len(self.skeleton.names), len(self.skeleton.feet))

    @property
    def features(self) -> int:
        """How many features there are."""
        return len(self.offsets)

    @property
    def latents(self) -> int:
        """How many numbers stand for what features don't say."""
        return self.settings.latent

    def network(self, name: str) -> Network:
        """Return one of the model's networks by its name: "compressor", "decompressor", "stepper" or
        "projector".

        Raise ModelError if the model does not have it, as it is not trained or, of the Compressor, as it
        comes from a game's files. Another name raises AttributeError.
        """
        network: Network | None = getattr(self, name)
        if network is None and name == "compressor":
            raise ModelError(
                "The model comes from a game's networks, which have no Compressor; check the folder that "
                "they are in, with latent.bin."
            )
        if network is None:
            raise ModelError(
                "The model's {name} is not trained, as its training was stopped; continue the training.",
                name=name,
            )
        return network

    @functools.cached_property
    def motion_network(self) -> Network:
        """What of the Decompressor says how the simulation bone moves."""
        return self.network("decompressor").take_outputs(self.rows.root)

    @functools.cached_property
    def pose_network(self) -> Network:
        """What of the Decompressor says where bones are and how they are turned."""
        return self.network("decompressor").take_outputs(slice(0, self.rows.turns.stop))

    @property
    def sizes(self) -> dict[str, tuple[int, ...]]:
        """The sizes of each network's layers, as they are trained."""
        return sizes(self.rows, self.features, self.settings)

    @property
    def layers(self) -> dict[str, tuple[int, ...]]:
        """The sizes of the hidden layers of networks that have others, as a game's may."""
        held = {name: network.sizes for name in NETWORKS if (network := getattr(self, name)) is not None}
        return {name: found[1:-1] for name, found in held.items() if found != self.sizes[name]}

    def bytes(self) -> int:
        """Return what the networks that play take, in bytes."""
        played = filter(None, (self.decompressor, self.stepper, self.projector))
        return sum(array.nbytes for network in played for array in (*network.weights, *network.biases))


def sizes(rows: RowLayout, features: int, settings: LearnSettings) -> dict[str, tuple[int, ...]]:
    """Return the sizes of networks' layers, as they are trained.

    Parameters
    ----------
    rows
        The layout of the Decompressor's rows.
    features
        How many features there are.
    settings
        They say how many latents there are, and how wide hidden layers are.

    Returns
    -------
    dict[str, tuple[int, ...]]
        By network ("compressor", "decompressor", "stepper", "projector"), inputs first,
        outputs last.
    """
    state = features + settings.latent
    ends = {
        "compressor": (rows.inputs, settings.latent),
        "decompressor": (state, rows.size),
        "stepper": (state, state),
        "projector": (features, state),
    }
    return {name: (a, *[settings.hidden] * HIDDEN[name], b) for name, (a, b) in ends.items()}


def both(features: Numbers, latents: Numbers) -> Numbers:
    """Return features and latents side by side (..., features + latents), as networks take them."""
    return np.concatenate([features, latents], axis=-1)
