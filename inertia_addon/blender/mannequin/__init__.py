# SPDX-License-Identifier: GPL-3.0-or-later
"""A person of 1.75 m with a few clips, made by formulas, for the guide and for trials.

Reading order: skeleton, maths, feet, pose, gaits, standing; then rig, body, character; recordings and street
add what pages of the guide are about.
"""
