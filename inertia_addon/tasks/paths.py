# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths: a character that follows one with its clips, or with a model, and a crowd of those."""

from __future__ import annotations

import dataclasses
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Self

from ..console import output
from ..errors import InertiaError
from ..settings.learned import CrowdSettings
from ..settings.matching import PathSettings
from ..storage import contents
from .task import Done, Task, words

if TYPE_CHECKING:
    from .work import Work


def followed(settings: PathSettings) -> str:
    """What is followed, for a reader and in names."""
    return settings.curve or settings.target or FilePath(settings.points).stem


def digest_of(file: str) -> str:
    """The digest of a file beside the inputs; "" for none."""
    return contents.digest(FilePath(file)) if file else ""


def check_same(file: str, digest: str) -> None:
    """Raise InertiaError where a file beside the inputs is not what it was. digest: "" where none was."""
    if digest and contents.digest(FilePath(file)) != digest:
        raise InertiaError(
            f'"{FilePath(file).name}" has changed since it was looked at; run it with --resume.'
        )


@dataclasses.dataclass(frozen=True)
class Path(Task):
    """One path, followed. points_digest: of its file of points, "" without."""

    KIND = "path"
    SETTINGS = PathSettings
    TOLD = ("path_rms_m", "path_max_m", "cuts")
    SUMMARY = ("settings", "frame_range", "joins", "quality", "searched", "warnings")

    points_digest: str = ""

    @property
    def label(self) -> str:
        """The path for a reader."""
        return f"path along {followed(self.settings)}"

    def placeless(self) -> Self:
        """The path with its file of points by its name alone."""
        points = FilePath(self.settings.points).name
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, points=points))

    def found(self, armature: str) -> Self:
        """The path, with the names of its actions as the file has them."""
        from ..blender.data import named

        return dataclasses.replace(self, settings=named.with_found_names_of_path(self.settings, armature))

    def make(self, work: Work, bakes: bool) -> Done:
        """Search its way, and bake, measure and judge it if asked to."""
        check_same(self.settings.points, self.points_digest)
        from ..blender.judging import verdict
        from ..blender.matching import bake, quality, search, stock
        from ..blender.matching import followed as courses

        armature, settings = work.armature, self.settings
        course = courses.course(settings)
        analysed = work.run(stock.analysing(armature, settings, work.weights()), "analysing")
        found = work.run(search.searching(analysed, settings, course), "searching")
        searched, joins = search.figures(found), search.joins(found)
        values = {"settings": settings.as_dict(), **searched, "joins": joins, "warnings": [*found.warnings]}
        if not bakes:
            return Done(self.label, values, notes=found.warnings)
        report = work.run(bake.baking(armature, found), "baking")
        measured = work.run(quality.measuring(armature, found, report), "measuring")
        values |= {
            **report.as_dict(),
            **measured.as_dict(),
            "joins": quality.told(joins, measured.verdicts),
            "searched": searched,
            "quality": measured.figures(),
            "warnings": [*found.warnings, *report.warnings],
        }
        return Done(report.result, values, report, verdict.measures(measured.verdicts), found.warnings)

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """How near the path is kept, how smooth joins are, and each of them."""
        displaced = 1000.0 * values["displacement_m_s_per_second"]
        lines = [f"{_kept(values, 'joins')}; joins cost {displaced:.1f} mm s a second"]
        lines += words(values).get("verdict", [])
        rows = [["frame", "from", "to", "cost", "path", "facing", "join", "ahead", "worst joint", "verdict"]]
        for join in values["joins"]:
            parts = [f"{join['why'][name]:.2f}" for name in ("path", "facing", "join", "ahead")]
            ends = _spoken(join["from"]), _spoken(join["to"])
            (seen, *_) = words(join).get("verdict", [""])
            rows.append(
                [f"{join['frame']:g}", *ends, f"{join['cost']:.2f}", *parts, join["worst_joint"], seen]
            )
        return [*lines, "", *output.table(rows)] if len(rows) > 1 else lines


def _spoken(place: dict[str, Any]) -> str:
    return f"{place['action']} {place['frame']:g}{' mirrored' if place['mirrored'] else ''}"


def _kept(values: dict[str, Any], joins: str) -> str:
    """How near a path is kept, and by how many joins. joins: what they are called."""
    heading = values["heading_deg"]
    aside = "" if heading is None else f"; facing {heading:.1f} degrees aside"
    near = f"path {100.0 * values['path_rms_m']:.1f} cm rms, {100.0 * values['path_max_m']:.1f} cm at most"
    return f"{values['seconds']:.1f} s, {values['cuts']} {joins}; {near}{aside}"


@dataclasses.dataclass(frozen=True)
class Follow(Path):
    """A path, followed with a model. model: its file, with its digest."""

    KIND = "path with a model"
    # reports of earlier versions have no joins
    SUMMARY = ("settings", "model", "frame_range", "cut_frames", "joins", "warnings")

    model: str = ""
    model_digest: str = ""

    def placeless(self) -> Self:
        """The path with its files by their names alone."""
        return dataclasses.replace(super().placeless(), model=FilePath(self.model).name)

    def found(self, armature: str) -> Self:
        """The path itself: it names no actions."""
        return self

    def make(self, work: Work, bakes: bool) -> Done:
        """Follow it, and bake and judge that if asked to."""
        check_same(self.settings.points, self.points_digest)
        check_same(self.model, self.model_digest)
        from ..blender.judging import verdict
        from ..blender.learned import bake, clips, follow, judged
        from ..blender.matching import followed as courses

        armature, settings = work.armature, self.settings
        model = clips.model_of(FilePath(self.model), armature)
        steps = follow.following(model, settings, courses.course(settings), self.model)
        found = work.run(steps, "following")
        told = {"settings": settings.as_dict(), "model": FilePath(self.model).name, "warnings": []}
        if not bakes:
            return Done(self.label, {**told, **follow.figures(found)})
        report = work.run(bake.baking(armature, found), "baking")
        verdicts = work.run(judged.of_report(armature, settings, report), "measuring")
        told |= {**report.as_dict(), **follow.figures(found), **judged.told(report, verdicts)}
        return Done(report.result, told, report, verdict.measures(verdicts))

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """How the model has followed its path."""
        return [_kept(values, "projections"), *words(values).get("verdict", [])]


@dataclasses.dataclass(frozen=True)
class Crowd(Task):
    """A crowd, with one model. model: its file, with its digest."""

    KIND = "crowd"
    SETTINGS = CrowdSettings
    SUMMARY = ("settings", "model", "crowd")

    model: str = ""
    model_digest: str = ""

    @property
    def label(self) -> str:
        """The crowd for a reader."""
        return f"crowd of {len(self.settings.crowd)}"

    def placeless(self) -> Self:
        """The crowd with its model by its name alone."""
        return dataclasses.replace(self, model=FilePath(self.model).name)

    def make(self, work: Work, bakes: bool) -> Done:
        """Have all of them follow their paths, and bake and judge that if asked to."""
        check_same(self.model, self.model_digest)
        from ..blender.judging import verdict
        from ..blender.learned import clips, crowd, follow, judged

        model = clips.model_of(FilePath(self.model), work.armature)
        those = crowd.walkers(self.settings, model)
        told = {"settings": self.settings.as_dict(), "model": FilePath(self.model).name}
        if not bakes:
            asked = [(one.settings, one.target) for one in those]
            found = work.run(follow.together(model, asked, self.model), "following")
            figures = [crowd.figures(*both) for both in zip(those, found, strict=True)]
            return Done(self.label, {**told, "crowd": figures})
        made = work.run(crowd.baking(model, those, self.model), "baking")
        verdicts = [
            work.run(judged.of_report(one.armature, one.settings, report), "measuring")
            for one, (_, report) in zip(those, made, strict=True)
        ]
        each = [
            {**report.as_dict(), **crowd.figures(one, found), **judged.told(report, seen)}
            for one, (found, report), seen in zip(those, made, verdicts, strict=True)
        ]
        whole = crowd.whole([report for _, report in made])
        measured = verdict.measures([one for seen in verdicts for one in seen])
        return Done(self.label, {**told, **whole.as_dict(), "crowd": each}, whole, measured)

    def told(self, values: dict[str, Any]) -> dict[str, Any]:
        """How near each one's path is kept."""
        return {"path_rms_m": {one["armature"]: one["path_rms_m"] for one in values["crowd"]}}

    @staticmethod
    def lines(values: dict[str, Any]) -> list[str]:
        """How each one has followed its path."""
        return [
            f"{one['armature']} along {one['followed']}: {' '.join(Follow.lines(one))}"
            for one in values["crowd"]
        ]
