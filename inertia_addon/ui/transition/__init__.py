# SPDX-License-Identifier: GPL-3.0-or-later
"""The transition itself, as the animator sees it: properties, panel and operators."""
