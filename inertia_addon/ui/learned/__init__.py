# SPDX-License-Identifier: GPL-3.0-or-later
"""Models in the window: trained in the background, checked, and followed with."""
