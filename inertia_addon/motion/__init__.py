# SPDX-License-Identifier: GPL-3.0-or-later
"""The ideas, in numpy alone: rotations, decay curves, offsets, curves of keys."""
