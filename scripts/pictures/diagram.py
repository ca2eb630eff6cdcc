"""Boxes and arrows as SVG."""
from pictures.plot import head, text

FILL = {"plain": "#f3f4f6", "model": "#dbeafe", "run": "#d1fae5", "edge": "#fef3c7"}
LINE = {"plain": "#9ca3af", "model": "#2563eb", "run": "#059669", "edge": "#d97706"}


class Diagram:
    def __init__(self, title, width, height):
        self.size = (width, height)
        self.out = head(width, height)
        self.out.append('<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
                        '<path d="M0 0L10 5L0 10z" fill="#374151"/></marker></defs>')
        self.out.append(text(20, 26, title, font_weight="bold", font_size=15))

    def box(self, x, y, width, height, name, *lines, kind="plain", mono=True):
        self.out.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{FILL[kind]}" stroke="{LINE[kind]}"/>')
        top = y + height / 2 - 8 * len(lines) + 5
        style = {"font_family": "monospace"} if mono else {}
        self.out.append(text(x + width / 2, top, name, text_anchor="middle", font_weight="bold", **style))
        for i, line in enumerate(lines):
            self.out.append(text(x + width / 2, top + 16 * (i + 1), line, text_anchor="middle", font_size=11.5))

    def arrow(self, *points, words="", dx=6, dy=-5):
        path = "M" + "L".join(f"{x} {y}" for x, y in points)
        self.out.append(f'<path d="{path}" fill="none" stroke="#374151" stroke-width="1.3" marker-end="url(#tip)"/>')
        if words:
            self.out.append(text((points[0][0] + points[1][0]) / 2 + dx, (points[0][1] + points[1][1]) / 2 + dy, words, font_size=11.5))

    def words(self, x, y, line, **style):
        self.out.append(text(x, y, line, **{"font_size": 11.5, **style}))

    def svg(self):
        return "\n".join(self.out + ["</svg>\n"])
