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
    """Return the ending of a file's name in lower case, such as ".fbx". Raise InertiaError for one that is
    not among `kinds`.
    """
    suffix = path.suffix.lower()
    if suffix not in kinds:
        raise InertiaError(
            '"{file}" is not a kind of file that Inertia reads; give {kinds}.',
            file=path.name,
            kinds=", ".join(kinds),
        )
    return suffix


def load(
    paths: Sequence[Path], scale: float = 1.0, fps: float | None = None, up: str | None = None
) -> tuple[str, ...]:
    """Read animation files in place of the file that is open; return sentences, in a tuple, on .bvh files
    whose frames take no time and then on how several files were joined. It is () where there is nothing to
    say, and always for a .blend.

    paths: one file, or several that are all .bvh, all .fbx, all .glb, .gltf, .vrm or .vrma, or all USD: their
    clips become the actions of one armature. scale: factor on the lengths of .bvh and .fbx files. fps: the
    frame rate of a glTF or USD file's keys; None finds it. up: the axis that points up in .bvh files, Y, Z,
    or AUTO or None to find it, in any case. An option that a kind of file does not have is ignored.

    Raise InertiaError, with the open file as it was, for no known or mixed kinds, for several .blend files,
    and for files that don't exist or are no plain files. Raise InertiaError for files that can't be read, are
    damaged, or have different skeletons; what is open is undefined then. KeyError without any path.
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
    """Return what the open file is read with, absolute paths, sorted: libraries, pictures and all else that
    it names, as far as it is there.

    paths: the files that were opened or imported, which are not among it; what .gltf files of them name is.
    Raise InertiaError for a damaged .gltf file.
    """
    named = [Path(path) for path in bpy.utils.blend_paths(absolute=True)]
    named += [file for path in paths for file in with_companions(path)]
    return sorted({path.resolve() for path in named if path.is_file()} - {path.resolve() for path in paths})


def save(
    path: Path, armature: Any, result: str, slot: str, *, settled: bool = True, room: float | None = None
) -> None:
    """Write a file of the kind that its name says; an old one of that name stays whole until the new one is
    complete.

    A .blend holds everything that is open, and `result` is not looked for; with `room` (bytes) only what the
    armature and the result need, compressed if it took more than `room`: the open file is stripped to that,
    for good, before it is written. The other kinds hold the character with one animation: the action named
    `result` with its slot (identifier), over its own frames, a key on each; a .gltf gets a .bin and a folder
    of pictures beside it. settled: whether to wait until the content is on the disk, so that a power cut
    can't lose it.

    Raise InertiaError, with no new file left behind and an old one as it was, for an ending of another kind,
    a path that can't be written or that is a file which the open one is read with, and where Blender fails or
    has no USD. But for a .blend without `room`, also for an action that does not exist; but for any .blend,
    for one without a key for the character; but for .blend and .bvh, for one that begins before frame 0.
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
        """Read files in place of what is open, as :func:`load` does: the same parameters, and the same errors
        get through.

        ``contents`` then holds digests by path, SHA-256 in hexadecimal, "" for a file that is missing: of the
        files, by the text of the path as given, and of all that was read with them, by the real path.
        ``size`` is their bytes together, ``warnings`` a tuple of sentences on how files were joined and on
        what is doubtful, ``is_imported`` whether the first is no .blend. What was imported is saved as a
        .blend in a temporary folder, which :meth:`close` removes; any failure here, or an interrupt, removes
        it, too. OSError gets through where a file can't be read for its digest.
        """
        self._closing = contextlib.ExitStack()
        folder = self._closing.enter_context(safe_write.temporary_folder())
        try:
            stamps = {path: _stamp(path) for path in paths}
            joined = load(paths, scale, fps, up)
            beside = _find_files_beside(paths)
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
        """Make what is open as it was read: the .blend file, or the copy of what was imported, is opened
        again.

        Nothing is opened at the first call where it was a .blend. Raise InertiaError when any of the files
        has changed since, or can't be opened.
        """
        for path, stamp in self._stamps.items():
            if _stamp(path) != stamp:
                raise InertiaError('"{path}" was changed in the meantime; run the command again.', path=path)
        if not self._fresh:
            importing.open_blend(self._file)
        self._fresh = False

    def close(self) -> None:
        """Remove what was kept of the files."""
        self._closing.close()


def _stamp(path: Path) -> tuple[int, int]:
    """Return (modification time in nanoseconds, size in bytes), which changes when a file changes; (0, 0) for
    one that is not there or can't be looked at.
    """
    try:
        stat = path.stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def _find_files_beside(paths: Sequence[Path]) -> list[Path]:
    """Return the real paths, sorted, of what else was read: libraries of the open file, the buffers and
    pictures that a .gltf names, and the layers and pictures that a USD file names.

    Each path comes once, and the given ones are left out. Libraries, and what a .gltf names, are in it even
    where they are missing. Raise InertiaError for a .gltf that is damaged.
    """
    libraries = bpy.data.libraries
    files = {Path(bpy.path.abspath(library.filepath, library=library.parent)) for library in libraries}
    files |= {companion for path in paths for companion in with_companions(path)}
    return sorted({places.real(path) for path in files} - {places.real(path) for path in paths})
