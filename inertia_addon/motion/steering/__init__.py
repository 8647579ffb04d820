# SPDX-License-Identifier: GPL-3.0-or-later
"""A character that goes where it is steered, with the clips of a set."""
