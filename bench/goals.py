# SPDX-License-Identifier: GPL-3.0-or-later
"""How figures are printed beside their goals."""


def least(value: float, least: float, unit: str = "") -> str:
    """A figure that should be no lower beside its goal."""
    return f"{value:.3g}{unit} (at least {least:g}{unit}: {'met' if value >= least else 'NOT MET'})"


def whether(value: float, most: float, unit: str = "") -> str:
    """A figure beside its goal."""
    return f"{value:.3g}{unit} (at most {most:g}{unit}: {'met' if value <= most else 'NOT MET'})"
