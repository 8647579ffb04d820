# SPDX-License-Identifier: GPL-3.0-or-later
"""Simplified Chinese, with the words that Blender's own interface has for the same things.

Words: source 源, destination 目标, cut 切点, window 过渡区间, offset 偏移, blend time 混合时间, half-life 半衰期,
displacement 位移量, clip 片段, cost 代价, meeting 衔接, joint 关节, hop 中转, trigger 触发,
ramp 变速段, turn 转向, root motion 根运动.
"""

from __future__ import annotations

from . import labels, sentences, settings, tooltips

LABELS = {**settings.LABELS, **labels.LABELS}
TOOLTIPS = {**settings.TOOLTIPS, **tooltips.TOOLTIPS}
SENTENCES = {**settings.SENTENCES, **sentences.SENTENCES}
