# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs of all kinds have of a spec's fields."""

from __future__ import annotations

import re
from typing import Any

from ...settings.cost import Joints
from ...storage import places
from ..spec import schema, templates, validation
from ..spec.validation import Path
from .section import Request


def fields(
    request: Request, path: Path, values: dict[str, Any], stem: str, usual: str = schema.FORMATS[0]
) -> dict[str, Any]:
    """The fields that a job has of whatever kind it is. usual: the format when none is said."""
    formats = values.get("formats", (usual,))
    return {
        "inputs": request.inputs,
        "armature": values.get("armature"),
        "joints": values.get("joints", Joints.joints),
        "weights": tuple(sorted((bone, float(weight)) for bone, weight in values.get("weights", {}).items())),
        "outputs": tuple(f"{stem}.{kind}" for kind in formats),
        "where": validation.spoken_path(path),
        # of other formats it says nothing, and changes nothing
        "whole_file": "blend" in formats and bool(values.get("whole_file", False)),
    }


def stem(request: Request, values: dict[str, Any], usual: str, **parts: object) -> str:
    """The name of what a job writes, without its ending. usual: when none is said. parts: of names."""
    usual = ("{file}_" if request.each_file else "") + usual
    name = templates.fill(values.get("name", usual), {"file": request.inputs.name, **parts})
    # what some file system does not take; a hidden file's name would look like one that is being written
    plain = re.sub(r'[/\\:*?"<>|\x00-\x1f]', "_", name).strip(" .") or "_"
    return f"_{plain}" if places.is_reserved(plain) else plain


def as_floats(settings: dict[str, Any]) -> dict[str, Any]:
    """Numbers that a spec has as integers as the panel has them: a recipe does not tell 12 from 12.0."""
    return {name: _as_float(value) for name, value in settings.items()}


def _as_float(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_float(part) for name, part in value.items()}
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
