# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program without a window says and hears: results, messages, progress, outputs and signals."""
