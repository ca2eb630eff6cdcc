"""A plot of shares (0 to 1) against a load, as SVG."""

COLOURS = ["#d97706", "#2563eb", "#059669", "#b91c1c", "#7c3aed"]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 860, 330, 64, 40, 48


def text(px, py, words, **style):
    attributes = "".join(f' {k.replace("_", "-")}="{v}"' for k, v in style.items())
    return f'<text x="{px:.1f}" y="{py:.1f}"{attributes}>{words}</text>'


def head(width, height):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="13" fill="#374151">',
            f'<rect width="{width}" height="{height}" fill="white"/>']


def share_plot(title, x_title, lines, tick, right=165):
    """`lines`: {label: [(load, share), ...]}; labels stand on the right, in the order given."""
    most = max(load for points in lines.values() for load, _ in points)

    def x(load):
        return LEFT + load / most * (WIDTH - LEFT - right)

    def y(share):
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    out = head(WIDTH, HEIGHT) + [text(LEFT, 24, title, font_weight="bold")]
    for percent in (0, 25, 50, 75, 100):
        py = y(percent / 100)
        out.append(f'<path d="M{LEFT} {py:.1f}H{WIDTH - right}" stroke="#e5e7eb"/>')
        out.append(text(LEFT - 8, py + 4, f"{percent} %", text_anchor="end"))
    ticks = int(most / tick + 1e-9)
    for i in range(ticks + 1):
        out.append(text(x(i * tick), HEIGHT - BOTTOM + 20, f"{i * tick:g}", text_anchor="middle"))
    out.append(text((LEFT + WIDTH - right) / 2, HEIGHT - 8, x_title, text_anchor="middle"))
    for row, (colour, (label, points)) in enumerate(zip(COLOURS, lines.items())):
        line = " ".join(f"{x(load):.1f},{y(share):.1f}" for load, share in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        py = TOP + 24 * (1 + row)
        out.append(f'<path d="M{WIDTH - right + 12} {py - 4}h18" stroke="{colour}" stroke-width="2.5"/>')
        out.append(text(WIDTH - right + 36, py, label))
    out.append("</svg>\n")
    return "\n".join(out)
