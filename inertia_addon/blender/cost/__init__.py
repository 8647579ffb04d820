# SPDX-License-Identifier: GPL-3.0-or-later
"""What transitions cost: before they are baked, where the best ones lie, and measured afterwards."""
