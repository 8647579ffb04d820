# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as files: read and written whole, trained with checkpoints, and for a game's controller.

A finished model is replaced by a finished one alone, and stays beside it as a backup: until then a training
is written down in a file of its own.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ...errors import InertiaError
from ...motion.learned import checking, engine_networks, model_file
from ...motion.learned.engine_networks import FILES
from ...motion.learned.material import Material
from ...motion.learned.model import Model, NoMotion
from ...motion.learned.model_file import Content
from ...motion.learned.training import Training, compressed
from ...motion.matching import engine
from ...storage import places, safe_write

CHECKPOINT = 45.0
"""Seconds between two times that a training is written down: a kill loses no more, and less than a minute."""


def load(path: Path) -> Content:
    """The model in a file, and what it takes to go on with it. Raises InertiaError, and OSError."""
    places.check_read(path, model_file.MOST_BYTES)
    with path.open("rb") as file:
        return model_file.read(file, path.name)


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Let what a model can't play name its file, where that is known."""
    try:
        yield
    except NoMotion as error:
        if not file:
            raise
        raise InertiaError(
            '"{file}" plays no motion that a character could make; take a whole copy, or train it anew.',
            file=Path(file).name,
        ) from error


def save(path: Path, model: Model, held: Mapping[str, Any] | None = None) -> None:
    """Write a model; an old file stays whole until the new one is."""
    content = model_file.to_bytes(model, held)
    with safe_write.replacing(path) as made:
        made.write_bytes(content)


def check_place(path: Path) -> None:
    """Raise InertiaError where a model is not to be written, as what is there is none."""
    if path.exists():
        places.check_replaceable(path)
        try:
            load(path)
        except InertiaError as error:
            raise InertiaError(
                '"{file}" is no model, and nothing is written over it; choose another name.', file=path.name
            ) from error


def draft_of(path: Path) -> Path:
    """Where a training is written down that is to replace a finished model."""
    return path.with_name(f"{places.tail(path.stem)}.learning{path.suffix}")


def stopped_at(path: Path) -> Path:
    """The file that a stopped training of a model goes on from."""
    draft = draft_of(path)
    return draft if draft.is_file() else path


def save_finished(path: Path, model: Model) -> None:
    """Write a model that is trained to its end; one that was there before stays as a backup, as .npz1.

    Raises InertiaError where what is there is no model.
    """
    check_place(path)
    if path.is_file() and load(path).held is None:
        with safe_write.replacing(path.with_name(path.name + "1")) as backup:
            shutil.copyfile(path, backup)
    save(path, model)
    safe_write.remove(draft_of(path))


def training(
    own: Training, path: Path, stopped: Callable[[], bool] = lambda: False
) -> Generator[float, None, Model]:
    """Train, and write down how far it has come every now and then and at the end; yields the part that is
    done.

    stopped: whether to stop, which is asked behind every step: then what it takes to go on is in the file, or
    beside it where it holds a finished model, see :func:`stopped_at`. Raises InertiaError as
    :func:`check_place` does.
    """
    check_place(path)
    is_kept = path.is_file() and load(path).held is None
    draft = draft_of(path) if is_kept else path
    kept = time.monotonic()
    for done in own.steps():
        if stopped():
            break
        if time.monotonic() - kept >= CHECKPOINT:
            save(draft, own.model(), own.held())
            kept = time.monotonic()
        yield done
    model = own.model()
    if own.done >= 1.0:
        save_finished(path, model)
    else:
        save(draft, model, own.held())
    return model


def taken_up(own: Training, path: Path) -> None:
    """Let a training go on from a file that one of the same clips and settings was written to on its way, if
    there is any."""
    try:
        content = load(path)
        if content.held is not None:
            own.resume(content.model, content.held)
    except (InertiaError, OSError):
        # it begins anew
        return


def save_for_engine(folder: Path, model: Model, material: Material) -> list[Path]:
    """Write the networks, and the latents and features of clips, as the controller of
    orangeduck/Motion-Matching reads them.

    material: what latents and features are of. All take their places when they are complete. Raises
    InertiaError for a network that is not trained.
    """
    latents = compressed(material, model.network("compressor"))
    material = checking.as_learned(model, material)
    contents = [
        *(engine_networks.network_bytes(model.network(name.removesuffix(".bin"))) for name in FILES[:3]),
        engine_networks.latent_bytes(latents),
        engine.features_bytes(material.features, material.offsets, material.scales),
    ]
    with ExitStack() as stack:
        for name, content in zip(FILES, contents, strict=True):
            stack.enter_context(safe_write.replacing(folder / name)).write_bytes(content)
    return [folder / name for name in FILES]
