# SPDX-License-Identifier: GPL-3.0-or-later
"""What a take still needs after it was captured or generated: found, listed, and mended as one new action."""
