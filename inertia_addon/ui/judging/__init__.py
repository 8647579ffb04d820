# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on the coming transition, judged anew between redraws whenever something has changed."""
