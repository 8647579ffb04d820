# SPDX-License-Identifier: GPL-3.0-or-later
"""A mannequin and its clips. Reading order: skeleton, maths, feet, pose, clips; then rig, body, picture."""
