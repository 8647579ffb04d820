# SPDX-License-Identifier: GPL-3.0-or-later
"""Models: a set of actions is learned, and plays without them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from ..settings.learned import LearnSettings
from ..storage import safe_write
from .task import Done, Task

if TYPE_CHECKING:
    from .work import Work


@dataclasses.dataclass(frozen=True)
class Learn(Task):
    """A model that is learned."""

    KIND = "model"
    SETTINGS = LearnSettings

    @property
    def label(self) -> str:
        """The model for a reader."""
        return f"model of {', '.join(self.settings.actions) or 'all actions'}"

    def found(self, armature: str) -> Self:
        """The model, with the names of its actions as the file has them."""
        from ..blender.data import named

        actions = named.found_names(self.settings.actions, armature)
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, actions=actions))

    def make(self, work: Work, bakes: bool) -> Done:
        """Train it; a run that comes behind one that was killed goes on from where that had come."""
        from ..blender.learned import clips, files
        from ..motion.learned import checking
        from ..motion.learned.training import Training

        for path in work.outputs:
            files.check_place(path)
        draft = work.draft()
        steps = clips.reading(work.armature, self.settings, work.weights())
        material, skeleton = work.run(steps, "playing")
        own = Training(material, self.settings, skeleton)
        files.taken_up(own, draft)
        model = work.run(files.training(own, draft), "learning")
        with files.naming(work.outputs[0].name):
            checked = checking.check(model, material)
        work.count("checking")
        for path in work.outputs:
            files.save_finished(path, model)
        safe_write.remove(draft)
        values = {
            "settings": self.settings.as_dict(),
            "clips": list(material.names),
            "frames": material.frames,
            "model_bytes": model.bytes(),
            "terms": model.terms,
            "check": dataclasses.asdict(checked),
        }
        return Done(self.label, values, save=lambda path: None)

    def told(self, values: dict[str, Any]) -> dict[str, Any]:
        """How far it is from its clips."""
        whole = values["check"]["whole"]
        return {name: whole[name] for name in ("joints_cm", "rotations_deg", "contacts")}
