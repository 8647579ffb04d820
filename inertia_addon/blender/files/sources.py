# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that many transitions are made from: read once, and as they were for each."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import bpy

from ...errors import InertiaError
from ...storage import contents, places, safe_write
from .. import files
from . import exporting, importing


class OpenSources:
    """Animation files that are open in Blender.

    What a transition is like must not depend on those made before it. So the file is read again for each;
    for what is imported, a copy that Blender reads much faster stands in.

    contents: digests by path, of the files and of all that they were read with. size: their bytes together.
    warnings: what a reader has to know of them. is_imported: whether Blender's importers made it, and not a
    .blend file.
    """

    def __init__(self, paths: Sequence[Path], scale: float = 1.0, fps: float | None = None) -> None:
        """Read files; see :func:`files.load` for the parameters and errors."""
        self._closing = contextlib.ExitStack()
        folder = self._closing.enter_context(safe_write.temporary_folder())
        try:
            stamps = {path: _stamp(path) for path in paths}
            files.load(paths, scale, fps)
            beside = _beside(paths)
            self.contents = contents.digests([*paths, *beside])
            self._stamps = {**{path: _stamp(path) for path in beside}, **stamps}
            self.warnings = importing.warnings(paths, scale, fps)
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
    """Changes when a file that is worked on changes; (0, 0) for none."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _beside(paths: Sequence[Path]) -> list[Path]:
    """What else was read: libraries of the open file, what a .gltf file names."""
    libraries = bpy.data.libraries
    found = {Path(bpy.path.abspath(library.filepath, library=library.parent)) for library in libraries}
    found |= {beside for path in paths for beside in files.with_companions(path)}
    return sorted({places.real(path) for path in found} - {places.real(path) for path in paths})
