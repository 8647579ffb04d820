# SPDX-License-Identifier: GPL-3.0-or-later
"""What one sees of a transition: its faults, each with a size, a bone and a frame."""
