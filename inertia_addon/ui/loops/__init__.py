# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops in the window: what is looked for, what was found, and making one."""
