# SPDX-License-Identifier: GPL-3.0-or-later
"""The joints of real rigs, as a person would name them who looks at the characters."""

from __future__ import annotations

WILD = {
    # the tail and the head sway above two strong legs, whose feet hang from the root
    "Trex": {
        "HIPS": {"Body"},
        "HEAD": {"Head"},
        "HAND": {"FrontFoot.L", "FrontFoot.R"},
        "FOOT": {"BackFoot.L", "BackFoot.R"},
        "OTHER": {"Tail5"},
    },
    # it flies, so that its legs end nowhere near the ground
    "Wasp": {
        "HIPS": {"Thorax"},
        "HEAD": {"Head"},
        "FOOT": {f"{leg}Leg3.{side}" for leg in ("Bottom", "Mid", "Top") for side in "LR"},
        "OTHER": {"Wing.L", "Wing.R"},
    },
    "dragon": {
        "HIPS": {"hips"},
        "HEAD": {"head"},
        "FOOT": {f"{end}_foot_{side}" for end in ("front", "back") for side in "lr"},
        "OTHER": {"tail_6", "wing_tip_l", "wing_tip_r"},
    },
    # the eight legs leave from the first bone of its spine
    "spider": {
        "HIPS": {"spine_1"},
        "HEAD": {"head"},
        "FOOT": {f"leg_{leg}_tip_{side}" for leg in "abcd" for side in "lr"},
    },
    # the arms end with the forearms; HEAD is a control bone
    "godot_player": {
        "HIPS": {"hip"},
        "HEAD": {"head"},
        "HAND": {"l-forearm", "r-forearm"},
        "FOOT": {"l-foot", "r-foot"},
    },
    "godot_enemy": {
        "HIPS": {"body"},
        "HEAD": {"eyes"},
        "FOOT": {f"{side}-{end}leg001" for side in "lr" for end in ("front", "back")},
    },
    # a body of two bones with sockets for a hat, a sword and a shield
    "greenman": {
        "HIPS": {"body_low"},
        "HEAD": {"body_up"},
        "HAND": {"hand_L", "hand_R"},
        "FOOT": {"leg_L", "leg_R"},
    },
    "KayKit_Rig_Medium": {
        "HIPS": {"hips"},
        "HEAD": {"head"},
        "HAND": {"wrist.l", "wrist.r"},
        "FOOT": {"foot.l", "foot.r"},
    },
}
HEURISTICS = ("BLENDER", "TEMPERANCE", "FORTUNE")

CHOSEN = {
    "Fox": {
        "HIPS": {"b_Hip_01"},
        "HEAD": {"b_Head_05"},
        "FOOT": {"b_RightHand_08", "b_LeftHand_011", "b_LeftFoot02_018", "b_RightFoot02_022"},
        "OTHER": {"b_Tail03_014"},
    },
    # the legs leave from Body; the feet hang from the root, and the hands are four palms each
    "RobotExpressive": {
        "HIPS": {"Body"},
        "HEAD": {"Head"},
        "HAND": {"Palm2.L", "Palm2.R"},
        "FOOT": {"Foot.L", "Foot.R"},
    },
    # with slots for props below the hands, and control bones that a glTF file does not tell from others
    "Knight": {
        "HIPS": {"hips"},
        "HEAD": {"head"},
        "HAND": {"wrist.l", "wrist.r"},
        "FOOT": {"foot.l", "foot.r"},
    },
    # the rest pose is a stride
    "pab": {
        "HIPS": {"Pelvis"},
        "HEAD": {"Head"},
        "HAND": {"Lefthand", "RightHand"},
        "FOOT": {"LeftFoot", "RightFoot"},
    },
    "cmu127": {
        "HIPS": {"root"},
        "HEAD": {"head"},
        "HAND": {"lwrist", "rwrist"},
        "FOOT": {"lfoot", "rfoot"},
    },
    "cmu131": {
        "HIPS": {"Hips"},
        "HEAD": {"Head"},
        "HAND": {"LeftWrist", "RightWrist"},
        "FOOT": {"LeftAnkle", "RightAnkle"},
    },
    "Mannequin": {
        "HIPS": {"hips"},
        "HEAD": {"head"},
        "HAND": {"hand.L", "hand.R"},
        "FOOT": {"foot.L", "foot.R"},
    },
}

RIGIFY = {
    "human": {
        "HIPS": {"DEF-spine"},
        "HEAD": {"DEF-spine.006"},
        "HAND": {"DEF-hand.L", "DEF-hand.R"},
        "FOOT": {"DEF-foot.L", "DEF-foot.R"},
    },
    "cat": {
        "HIPS": {"DEF-spine"},
        "HEAD": {"DEF-spine.006"},
        "FOOT": {"DEF-f_toe.L", "DEF-f_toe.R", "DEF-r_toe.L", "DEF-r_toe.R"},
        "OTHER": {"DEF-tail.004"},
    },
    # the feathers are no hands; its tail begins at the tip, where the spine's names do
    "bird": {
        "HIPS": {"DEF-spine.004"},
        "HEAD": {"DEF-head"},
        "FOOT": {"DEF-foot.L", "DEF-foot.R"},
        "OTHER": {"DEF-spine", "DEF-Wing.002.L", "DEF-Wing.002.R"},
    },
    # with a mane
    "horse": {
        "HIPS": {"DEF-spine.001"},
        "HEAD": {"DEF-head"},
        "FOOT": {"DEF-f_hoof.L", "DEF-f_hoof.R", "DEF-r_hoof.L", "DEF-r_hoof.R"},
        "OTHER": {"DEF-tail.004"},
    },
    "wolf": {
        "HIPS": {"DEF-spine.005"},
        "HEAD": {"DEF-spine.011"},
        "FOOT": {"DEF-front_toe.L", "DEF-front_toe.R", "DEF-toe.L", "DEF-toe.R"},
        "OTHER": {"DEF-spine.001"},
    },
    # its fins are no feet, though they hang lowest; two of them and the tail's are long
    "shark": {
        "HIPS": {"DEF-spine.003"},
        "HEAD": {"DEF-spine.007"},
        "OTHER": {"DEF-spine", "DEF-back_fin.T.002.Bk", "DEF-side_fin.L.001", "DEF-side_fin.R.001"},
    },
    "basic_quadruped": {
        "HIPS": {"DEF-spine.005"},
        "HEAD": {"DEF-spine.011"},
        "FOOT": {"DEF-front_toe.L", "DEF-front_toe.R", "DEF-toe.L", "DEF-toe.R"},
        "OTHER": {"DEF-spine.001"},
    },
}
