# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation files as Blender data and back: which kinds there are, and who reads and writes them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from ...errors import InertiaError
from ...storage import contents, places, safe_write
from ...storage.file_kinds import GLTF, READABLE, SPOKEN_JOINED, USD, WRITABLE, are_joined
from ..data import actions
from . import exporting, importing, usd


def kind_of(path: Path, kinds: Sequence[str] = READABLE) -> str:
    """Return the kind of a file, from its name. Raise InertiaError for one that is not among the kinds."""
    suffix = path.suffix.lower()
    if suffix not in kinds:
        raise InertiaError(
            '"{file}" is no kind of file that Inertia knows; give {kinds}.',
            file=path.name,
            kinds=", ".join(kinds),
        )
    return suffix


def load(
    paths: Sequence[Path], scale: float = 1.0, fps: float | None = None, up: str | None = None
) -> tuple[str, ...]:
    """Read animation files in place of the file that is open.

    paths: one file, or several of one of the kinds that are JOINED: their clips become the actions of one
    armature, see :func:`joining.read`. scale: for the lengths of .bvh and .fbx files. fps: the frame rate of
    a .glb, .gltf or .usd file's keys; None finds it. up: the axis that points up in .bvh files, Y, Z, or AUTO
    or None to find it. Returns sentences on how they were joined. Raises InertiaError, and then what is
    open is undefined.
    """
    kinds = {kind_of(path) for path in paths}
    if len(paths) > 1 and not are_joined(paths):
        raise InertiaError(
            "Several files can be read at once only when all are {kinds} files.", kinds=SPOKEN_JOINED
        )
    for path in paths:
        places.check_read(path)
        if not path.is_file():
            raise InertiaError('There is no file "{path}".', path=path)
    # Blender takes a path that is not absolute as one from its own folder
    absolute = [path.resolve() for path in paths]
    kind = kinds.pop()
    if kind == ".blend":
        importing.open_blend(absolute[0])
        return ()
    if kind == ".bvh":
        return importing.import_bvh(absolute, scale, up)
    if kind in GLTF:
        return importing.import_gltf(absolute, fps)
    if kind in USD:
        return importing.import_usd(absolute, fps)
    return importing.import_fbx(absolute, scale)


def with_companions(path: Path) -> list[Path]:
    """Return a file, and the files beside it that are read with it: numbers, pictures, layers."""
    is_usd = path.suffix.lower() in USD
    return usd.with_companions(path) if is_usd else contents.with_companions(path)


def beside(paths: Sequence[Path] = ()) -> list[Path]:
    """Return what the open file is read with: libraries, pictures and all else that it names.

    paths: the files that were opened or imported, of which what .gltf files name is read too.
    """
    named = [Path(path) for path in bpy.utils.blend_paths(absolute=True)]
    named += [file for path in paths for file in with_companions(path)]
    return sorted({path.resolve() for path in named if path.is_file()} - {path.resolve() for path in paths})


def save(
    path: Path, armature: Any, result: str, slot: str, *, settled: bool = True, room: float | None = None
) -> None:
    """Write a file; an old one of that name stays whole until the new one is complete.

    A .blend holds everything that is open; with ``room`` what the result needs alone, which is all that
    is open then, compressed if it took more bytes than that. The other kinds hold the character with one
    animation: the action ``result`` with its slot, over its own frames, a key on each. settled: see
    :func:`safe_write.replace_safely`. Raises InertiaError with nothing left behind.
    """
    kind = kind_of(path, WRITABLE)
    if kind in USD:
        usd.check_there()
    places.check(path)
    # in no other's place
    places.check_apart(path, beside())
    if kind == ".blend":
        with safe_write.replace_safely(path, settled=settled) as temporary:
            if room is None:
                exporting.save_blend(temporary)
            else:
                exporting.save_lean(temporary, armature, actions.find(result), room)
        return
    action = actions.find(result)
    exporting.check_frames(path, armature, action, slot)
    safely = safe_write.replace_with_companions if kind == ".gltf" else safe_write.replace_safely
    with safely(path, settled=settled) as temporary:
        exporting.export(temporary, armature, action, slot)


class OpenSources:
    """Animation files that are open in Blender.

    What a transition is like must not depend on those made before it. So the file is read again for each;
    for what is imported, a copy that Blender reads much faster stands in.

    contents: digests by path, of the files and of all that they were read with. size: their bytes together.
    warnings: what a reader has to know of them. is_imported: whether importers made it, no .blend file.
    """

    def __init__(
        self, paths: Sequence[Path], scale: float = 1.0, fps: float | None = None, up: str | None = None
    ) -> None:
        """Read files; see :func:`load` for the parameters and errors."""
        self._closing = contextlib.ExitStack()
        folder = self._closing.enter_context(safe_write.temporary_folder())
        try:
            stamps = {path: _stamp(path) for path in paths}
            joined = load(paths, scale, fps, up)
            beside = _beside(paths)
            self.contents = contents.digests([*paths, *beside])
            self._stamps = {**{path: _stamp(path) for path in beside}, **stamps}
            self.warnings = (*joined, *importing.warnings(paths, scale, fps, up))
            self.size = sum(size for _, size in self._stamps.values())
            self._file = paths[0].resolve()
            self.is_imported = self._file.suffix.lower() != ".blend"
            if self.is_imported:
                self._file = folder / "imported.blend"
                exporting.save_blend(self._file)
        except BaseException:
            # an interrupt, too, leaves no folder behind
            self.close()
            raise
        self._fresh = not self.is_imported

    def renew(self) -> None:
        """Make what is open as it was read. Raises InertiaError when the files have changed since."""
        for path, stamp in self._stamps.items():
            if _stamp(path) != stamp:
                raise InertiaError('"{path}" has changed while it was worked on; run it again.', path=path)
        if not self._fresh:
            importing.open_blend(self._file)
        self._fresh = False

    def close(self) -> None:
        """Remove what was kept of the files."""
        self._closing.close()


def _stamp(path: Path) -> tuple[int, int]:
    """Return a value that changes when a file changes; (0, 0) for none."""
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def _beside(paths: Sequence[Path]) -> list[Path]:
    """Return what else was read: libraries of the open file, what a .gltf file names."""
    libraries = bpy.data.libraries
    files = {Path(bpy.path.abspath(library.filepath, library=library.parent)) for library in libraries}
    files |= {companion for path in paths for companion in with_companions(path)}
    return sorted({places.real(path) for path in files} - {places.real(path) for path in paths})
