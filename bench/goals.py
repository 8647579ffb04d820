# SPDX-License-Identifier: GPL-3.0-or-later
"""How figures are printed beside their goals."""


def whether(value: float, most: float, unit: str = "") -> str:
    """A figure beside its goal."""
    return f"{value:.3g}{unit} (at most {most:g}{unit}: {'met' if value <= most else 'NOT MET'})"
