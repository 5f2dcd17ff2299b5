"""Figures -> inline SVG: bars and latency curves, without a script or a style sheet."""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, _LEFT, _BAR, _GAP = 720, 130, 22, 10
COLOURS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d")


def stacked_bars(
    title: str, rows: Mapping[str, Mapping[str, float]], unit: str = ""
) -> str:
    """One bar an arm, one segment a part, the value of each in a tooltip."""
    parts = list(dict.fromkeys(part for row in rows.values() for part in row))
    colours = {part: COLOURS[n % len(COLOURS)] for n, part in enumerate(parts)}
    most = max((sum(row.values()) for row in rows.values()), default=0) or 1
    scale = (WIDTH - _LEFT - 90) / most
    shapes: list[str] = []
    for number, (name, row) in enumerate(rows.items()):
        top = 40 + number * (_BAR + _GAP)
        shapes.append(_text(_LEFT - 8, top + 15, name, anchor="end"))
        at = float(_LEFT)
        for part, value in row.items():
            width = value * scale
            tip = f"{part}: {value:g}{unit}"
            shapes.append(_rect(at, top, width, colours[part], tip))
            at += width
        total = f"{sum(row.values()):,.4g}".rstrip()
        shapes.append(_text(at + 6, top + 15, f"{total}{unit}"))
    bottom = 40 + len(rows) * (_BAR + _GAP)
    return _svg(title, bottom + 34, [*shapes, *_legend(colours, bottom + 14)])


def latency_curves(title: str, arms: Mapping[str, Sequence[float]]) -> str:
    """Share of requests answered within a time, on a logarithmic axis of seconds."""
    values = [max(v, 1e-4) for row in arms.values() for v in row]
    if not values:
        return ""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    across, down = WIDTH - _LEFT - 40, 260

    def x(seconds: float) -> float:
        return _LEFT + (math.log10(max(seconds, 1e-4)) - low) / (high - low) * across

    shapes = [_axis(x(10.0**power), down, power) for power in range(low, high + 1)]
    for share in (0, 50, 95, 100):
        y = 40 + down * (1 - share / 100)
        shapes.append(_text(_LEFT - 8, y + 4, f"{share} %", anchor="end"))
        shapes.append(_line(_LEFT, y, _LEFT + across, y))
    colours = {name: COLOURS[n % len(COLOURS)] for n, name in enumerate(arms)}
    for name, row in arms.items():
        ordered = sorted(row)
        points = " ".join(
            f"{x(v):.1f},{40 + down * (1 - (n + 1) / len(ordered)):.1f}"
            for n, v in enumerate(ordered)
        )
        shapes.append(
            f'<polyline points="{points}" fill="none" stroke="{colours[name]}"'
            ' stroke-width="2"/>'
        )
    return _svg(title, down + 110, [*shapes, *_legend(colours, down + 84)])


def _axis(x: float, down: int, power: int) -> str:
    label = f"{10.0**power:g} s"
    return _line(x, 40, x, 40 + down) + _text(x, down + 58, label, anchor="middle")


def _legend(colours: Mapping[str, str], top: float) -> list[str]:
    shapes: list[str] = []
    at = float(_LEFT)
    for name, colour in colours.items():
        shapes += [_rect(at, top, 12, colour, name, height=12)]
        shapes += [_text(at + 17, top + 11, name)]
        at += 30 + 7.2 * len(name)
    return shapes


def _svg(title: str, height: float, shapes: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img"'
        f' aria-label="{escape(title, quote=True)}">'
        f"{_text(0, 18, title, weight='bold')}{''.join(shapes)}</svg>"
    )


def _rect(
    x: float, y: float, width: float, colour: str, tip: str, *, height: int = _BAR
) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height}"'
        f' fill="{colour}"><title>{escape(tip)}</title></rect>'
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        ' stroke="currentColor" stroke-opacity="0.15"/>'
    )


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}"'
        f' fill="currentColor" font-size="13">{escape(text)}</text>'
    )
