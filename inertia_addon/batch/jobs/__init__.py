# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of jobs, one a file: its record, its part of a spec, how it is made of that, and how it is done.

One more is a file like ``hops`` and its line in ``kinds``. What a spec asks for is checked without Blender:
what needs it is imported where it is done.
"""
