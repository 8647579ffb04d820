# SPDX-License-Identifier: GPL-3.0-or-later
"""The translations are complete, none is left over, and sentences are translated with what is in them."""

from __future__ import annotations

import re
from typing import Any

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed here")

from hypothesis import given, settings
from hypothesis import strategies as st

from inertia_addon.blender.hop_settings import HopSettings
from inertia_addon.blender.meetings import Search
from inertia_addon.blender.settings import TransitionSettings
from inertia_addon.motion.errors import InertiaError
from inertia_addon.motion.root_motion import Settings
from inertia_addon.settings import ranges
from inertia_addon.ui import cache, panels, translations, wrap
from inertia_addon.ui.overlay import plot
from inertia_addon.ui.translations import PLACE, zh_hans
from tests.ui import texts
from tests.ui.recorder import context, drawn

KNOWN = {**zh_hans.LABELS, **zh_hans.TOOLTIPS, **zh_hans.SENTENCES}
WORDS = re.compile(r"[a-z]{2}")

NAMES_OF_DATA = {"{0} root motion", "Cost of {0} to {1}"}
"""Of files and images, which stay what they are when Blender's language changes."""
NOT_SHOWN = NAMES_OF_DATA | {
    *("by bone", "over cut", "over destination", "root motion ", "root motion {0}", "time overlay"),
    *("hop curves", "root histograms", "root plots"),  # what is kept in the cache
    *("SpaceDopeSheetEditor", "SpaceGraphEditor", "SpaceView3D", "RegionInfo", "Fill"),  # classes
    *("Inertia Plots", "Inertia Ramps", "Inertia Ramps in Time"),  # groups of gizmos
    *("Press Evaluate Clips", "Press Measure Actions"),  # how sentences begin
    *("Baked", "Rebaked", "measured action", "single-frame jump"),  # by which a text is chosen
    "Savitzky-Golay, degree {0}",  # written into files
}
COMPLETED = {
    "The bone that carries the character over the ground, or {0} for the armature object itself; "
    "empty has it found",
    "The root's own {0} axis",
}
"""Templates of texts that are registered, and so looked for, when they are complete."""
RECORDS = (TransitionSettings, HopSettings, Search, Settings)
"""The settings that the interface has."""
DOMAIN = ("preflight", "plain", "alignment", "root_motion_values")
"""The modules below the interface whose sentences it shows, beside their errors."""


def is_for_reading(text: str) -> bool:
    """Whether a string looks like words for an animator."""
    bare = PLACE.sub("", text)
    return bool(WORDS.search(bare)) and (" " in bare.strip() or re.match(r"[A-Z][a-z]", bare) is not None)


def test_all_that_is_registered_is_translated() -> None:
    labels, tips = texts.registered()
    assert labels - {*zh_hans.LABELS} == set()
    assert tips - {*zh_hans.TOOLTIPS} == set()


def test_all_that_is_written_in_the_interface_is_translated() -> None:
    missing = {
        text: name
        for name, strings in texts.modules("ui")
        for text in {*strings.every, *strings.marked}
        if is_for_reading(text) and text not in KNOWN and text not in NOT_SHOWN | COMPLETED
    }
    assert missing == {}


def test_errors_and_warnings_from_below_are_translated() -> None:
    missing = {}
    for name, strings in texts.modules("blender", "motion", "settings", "storage"):
        shown = strings.every if any(part in name for part in DOMAIN) else strings.marked
        for text in shown:
            if is_for_reading(text) and " " in text and text not in KNOWN and text not in NOT_SHOWN:
                missing[text] = name
    assert missing == {}


def test_numbers_of_things_are_translated() -> None:
    nouns = {noun for _, strings in texts.modules("ui") for noun in strings.counted}
    assert {f"{{0}} {noun}{end}" for noun in nouns for end in ("", "s")} - {*KNOWN} == set()


def test_no_translation_is_left_over() -> None:
    used: set[str] = set.union(*texts.registered())
    for _, strings in texts.modules("ui", "blender", "motion", "settings", "storage"):
        used |= strings.every | {f"{{0}} {noun}{end}" for noun in strings.counted for end in ("", "s")}
    for record in RECORDS:
        for allowed, label in ranges.ranges(record).values():
            used |= {label, allowed.unit}
    assert {*KNOWN} - used == set()


def test_no_text_is_translated_twice() -> None:
    parts = (zh_hans.LABELS, zh_hans.TOOLTIPS, zh_hans.SENTENCES)
    assert sum(map(len, parts)) == len(KNOWN)


def test_translations_have_the_places_of_their_source() -> None:
    assert {
        text: to for text, to in KNOWN.items() if sorted(PLACE.findall(text)) != sorted(PLACE.findall(to))
    } == {}


def test_translations_end_as_their_source() -> None:
    marks = {".": "。", ":": "："}
    assert {
        text: to
        for text, to in KNOWN.items()
        if (text[-1] in marks or to[-1] in marks.values()) and to[-1] != marks.get(text[-1])
    } == {}


def test_translations_are_chinese() -> None:
    same = {text for text, to in KNOWN.items() if not any(letter >= plot.WIDE_FROM for letter in to)}
    assert same == {"CSV", "JSON", "Inertia"}


@pytest.fixture
def in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if Blender was in Chinese; Blender as a module has no languages."""

    entries = translations.entries("zh_HANS")

    def look_up(text: str) -> str:
        return entries.get((translations.OWN_CONTEXT, text)) or entries.get(("*", text), text)

    monkeypatch.setattr(translations, "language", lambda: "zh_HANS")
    monkeypatch.setattr(translations, "interface", look_up)


def test_in_english_nothing_changes() -> None:
    text = '"Rig" has no bone "hips"; choose another root.'
    assert translations.sentence(text) == text
    assert translations.translated("{0} to {1}", 3, 4) == "3 to 4"


def test_names_in_a_sentence_stay_as_they_are(in_chinese: None) -> None:
    found = translations.sentence('"Select an armature" has no bone "the object"; choose another root.')
    assert found == "“Select an armature”没有骨骼“the object”；请选择其他根。"


@pytest.mark.parametrize("record", RECORDS)
def test_what_a_setting_takes_is_said_in_chinese(in_chinese: None, record: Any) -> None:
    for allowed, label in ranges.ranges(record).values():
        with pytest.raises(InertiaError) as refused:
            allowed.check(f'{label} of "A"' if label == "blend scale" else label, 1e30)
        found = translations.sentence(str(refused.value))
        assert not WORDS.search(found.replace("1e+30", "")), found


def test_a_sentence_in_a_sentence_is_translated(in_chinese: None) -> None:
    found = translations.sentence(
        'Press Evaluate Clips to see costs, as Blender has to play them: "hips" has a constraint, "IK".'
    )
    assert found == "请按“求值片段”以查看代价，因为必须由 Blender 播放它们：“hips”有约束“IK”。"


def test_what_has_no_template_stays_as_it_is(in_chinese: None) -> None:
    for text in ("", "No space left on device", "Walk to Run"):
        assert translations.sentence(text) == text


def test_labels_have_the_sense_they_have_here(in_chinese: None) -> None:
    assert translations.translated("Cut") == "切点"
    assert translations.translated("Feet") == "脚"


def test_values_of_several_words_stay_together(in_chinese: None) -> None:
    error = 'The destination frame 90 lies outside of "Run", which runs from frame 5 to 50; choose a frame '
    error += "inside, or allow to extrapolate."
    assert translations.sentence(error).startswith("目标帧 90 位于“Run”之外")


NAMES = {"Walk", "Run", "Idle", "Rig", "hips", "spine", "hand", "to", "CSV", "JSON"}
"""Of the rig, its bones and actions, what joins two of these to a new name, and kinds of files."""


@pytest.mark.parametrize("situation", ["chosen", "baked", "nothing"])
def test_panels_have_no_english_left(
    rig: Any, situation: str, in_chinese: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Blender translates itself is taken to be: it is in the labels."""
    monkeypatch.setattr(cache, "CHEAP_SECONDS", 60.0)
    cache.forget()
    rig.data.bones.active = rig.data.bones["spine"]
    rig.pose.bones["hips"].inertia.blend_scale = 0.5
    if situation == "baked":
        bpy.ops.inertia.bake_transition()
        bpy.ops.inertia.find_hops()
    elif situation == "nothing":
        rig.inertia.destination = None
    left = {}
    for panel in panels.CLASSES:
        if hasattr(panel, "poll") and not panel.poll(context()):
            continue
        found = drawn(panel)
        for text in {*found.texts, *found.pressed} - {*zh_hans.LABELS}:
            words = set(re.findall(r"[A-Za-z]{2,}", text)) - NAMES
            if words and not text.startswith("inertia."):
                left[text] = panel.bl_label
    assert left == {}


VALUES = st.text("abcXYZ019._-", min_size=1, max_size=8)


@settings(max_examples=15, deadline=None)
@given(values=st.lists(VALUES, min_size=8, max_size=8))
@pytest.mark.parametrize("template", [text for text in zh_hans.SENTENCES if len(PLACE.sub("", text)) > 12])
def test_the_template_of_a_sentence_is_found_again(template: str, values: list[str]) -> None:
    found = translations.origin(template.format(*values))
    assert found is not None
    assert found[0] == template
    assert [value for value, _ in found[1]] == [values[int(place)] for place in PLACE.findall(template)]


def test_chinese_is_broken_between_its_letters() -> None:
    text = zh_hans.SENTENCES[
        "The file has no action of an object yet: animate the armature, or append actions."
    ]

    def measure(line: str) -> float:
        return plot.width_of(line, 1.0)

    lines = wrap.wrap(text, 8.0, measure)
    assert "".join(lines) == text
    assert len(lines) > 3
    assert max(map(measure, lines)) <= 9.0  # a closing mark goes with its letter
    assert not any(line[0] in "，。：；" for line in lines)


def test_blanks_between_words_and_chinese_stay() -> None:
    assert wrap.wrap("已由 Inertia 烘焙", 100.0, len) == ["已由 Inertia 烘焙"]
