"""What the pictures of all games are drawn with: a canvas, colours, suits, the back of a card.

Fonts lack suit glyphs, so suits are drawn as polygons. Pillow comes with the extra ``render``.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Any, Final

import numpy as np
import numpy.typing as npt

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError as error:
    raise ImportError(
        "pictures need Pillow, which comes with the extra 'render': pip install 'kuns-env[render]'"
    ) from error

Color = tuple[int, int, int]
Point = tuple[float, float]
Lines = list[tuple[str, int, Color]]
"""Text, size and colour of each line."""

FINER: Final = 2
"""A picture is drawn so many times larger and then reduced: Pillow's lines have hard edges."""
BACK_INSETS: Final = (7 / 40, 12 / 40, 17 / 40)
"""Where the crossed lines on the back of a card begin, in widths of the card."""
BACK_INSET: Final = 9 / 58
"""The same in heights."""
LINE: Final = 20
"""Height of a line of `write_lines`."""

FLOOR: Final = (24, 28, 36)
FELT: Final = (28, 96, 72)
RIM: Final = (92, 62, 40)
SHADE: Final = (18, 62, 48)
PAPER: Final = (250, 248, 240)
BACK: Final = (62, 84, 150)
BACK_LINES: Final = (104, 126, 190)
INK: Final = (30, 30, 34)
RED: Final = (200, 32, 44)
LIGHT: Final = (240, 240, 236)
SOFT: Final = (176, 194, 186)
GOLD: Final = (250, 204, 84)
WON: Final = (136, 226, 130)
LOST: Final = (250, 142, 126)

SMALL, NORMAL, LARGE, HUGE = 14, 17, 22, 32


class Canvas:
    """A picture in the making, in coordinates of its final size.

    Args:
        size: width and height.
        fill: its ground.
    """

    def __init__(self, size: tuple[int, int], fill: Color = (0, 0, 0)) -> None:
        self._image = Image.new("RGB", (size[0] * FINER, size[1] * FINER), fill)
        self._draw = ImageDraw.Draw(self._image)

    def box(
        self,
        corners: tuple[float, float, float, float],
        fill: Color,
        radius: float = 0,
        outline: Color | None = None,
        width: int = 0,
    ) -> None:
        """Fill a rectangle with rounded corners."""
        places = [corner * FINER for corner in corners]
        self._draw.rounded_rectangle(places, radius * FINER, fill, outline, width * FINER)

    def frame(
        self, corners: tuple[float, float, float, float], color: Color, radius: float, width: int
    ) -> None:
        """Draw the outline of a rectangle with rounded corners."""
        places = [corner * FINER for corner in corners]
        self._draw.rounded_rectangle(places, radius * FINER, None, color, width * FINER)

    def disc(self, middle: Point, radius: float, fill: Color) -> None:
        """Fill a circle."""
        x, y = middle
        self._draw.ellipse(
            [place * FINER for place in (x - radius, y - radius, x + radius, y + radius)], fill
        )

    def polygon(self, points: list[Point], fill: Color) -> None:
        """Fill a polygon."""
        self._draw.polygon([(x * FINER, y * FINER) for x, y in points], fill)

    def line(self, start: Point, end: Point, fill: Color) -> None:
        """Draw a thin line."""
        self._draw.line([place * FINER for place in (*start, *end)], fill, FINER)

    def text(self, place: Point, text: str, size: int, fill: Color, anchor: str = "lm") -> None:
        """Write ``text``; the anchor is Pillow's: ``lm`` is left and middle."""
        self._draw.text((place[0] * FINER, place[1] * FINER), text, fill, font(size * FINER), anchor)

    def write_lines(self, corner: Point, lines: Lines) -> None:
        """Write lines one below the other, the first with some room below it."""
        for i, (text, size, color) in enumerate(lines):
            self.text((corner[0], corner[1] + LINE * (i + 1) + (LINE / 4 if i else 0)), text, size, color)

    def pixels(self) -> npt.NDArray[np.uint8]:
        """Return the picture in its final size."""
        return np.asarray(self._image.reduce(FINER), np.uint8).copy()


@lru_cache
def font(size: int) -> Any:
    """Return the font that comes with Pillow."""
    return ImageFont.load_default(size)


def mix(color: Color, other: Color, share: float) -> Color:
    """Return a colour that is by ``share`` the other one.

    >>> mix((0, 0, 0), (100, 200, 50), 0.5)
    (50, 100, 25)
    """
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(color, other, strict=True))
    return red, green, blue


def heart(middle: Point, size: float, up: int = 1) -> list[Point]:
    """Return the outline of a heart; with ``up`` -1 it stands on its head."""
    x, y = middle
    steps = [2 * pi * i / 40 for i in range(40)]
    return [
        (
            x + size * sin(t) ** 3,
            y - up * size * (13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)) / 16,
        )
        for t in steps
    ]


def draw_suit(canvas: Canvas, suit: str, middle: Point, size: float, color: Color) -> None:
    """Draw a suit, ``2 * size`` high."""
    x, y = middle
    if suit == "d":
        canvas.polygon([(x, y - size), (x + 0.76 * size, y), (x, y + size), (x - 0.76 * size, y)], color)
    elif suit == "h":
        canvas.polygon(heart(middle, size), color)
    else:
        stem = [(x, y), (x + 0.42 * size, y + size), (x - 0.42 * size, y + size)]
        canvas.polygon(stem, color)
        if suit == "s":
            canvas.polygon(heart((x, y - 0.1 * size), 0.92 * size, -1), color)
        else:
            for where in (
                (x, y - 0.5 * size),
                (x - 0.48 * size, y + 0.2 * size),
                (x + 0.48 * size, y + 0.2 * size),
            ):
                canvas.disc(where, 0.46 * size, color)


def draw_back(canvas: Canvas, corner: Point, size: tuple[float, float], dim: float = 0.0) -> None:
    """Draw a card that lies face down; ``dim`` is how far its colours go towards the felt."""
    x, y = corner
    width, height = size
    canvas.box((x, y, x + width, y + height), mix(BACK, SHADE, dim), 5, mix(PAPER, SHADE, dim), 2)
    lines = mix(BACK_LINES, SHADE, dim)
    inset_y = height * BACK_INSET
    for share in BACK_INSETS:
        inset = width * share
        canvas.line((x + inset, y + inset_y), (x + width - inset, y + height - inset_y), lines)
        canvas.line((x + width - inset, y + inset_y), (x + inset, y + height - inset_y), lines)
