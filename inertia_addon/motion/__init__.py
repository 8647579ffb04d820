# SPDX-License-Identifier: GPL-3.0-or-later
"""The ideas, in numpy alone: a room for each, and rotations for all."""
