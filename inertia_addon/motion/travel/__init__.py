# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel: the way over the ground that the feet of a clip in place tell of."""
