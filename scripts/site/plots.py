"""Plots of the tables in docs/measurements, as SVG. A table, a row or a column that is not there any more is an error."""
import html
import re

from operations import tables

# Document; the first names of the table's columns; columns with labels; column with values; which rows; title. `None` as column
# of values: the row's other columns are the bars. Cells "a / b" are two bars.
ROWS = [
    ("jpeg.md", ["program", "seconds"], [0], "seconds", None, "35 JPEGs, rotate90, two cores: seconds"),
    ("augment.md", ["data set", "program", "outputs/s"], [0, 1], "outputs/s", None, "Eight variants with labels, two cores: outputs per second"),
    ("python-h200.md", ["shape", "type", "turn"], [0, 1], "PyTorch", ["rotate90"], "qturn.transform: times as fast as torch.rot90, H200"),
    ("ladder-h200.md", ["rung", "steps to write, read"], [0], "4096x4096", None, "Transposes of 4096 x 4096 floats, H200: GB/s"),
]
COLUMNS = [
    ("kernels-h200.md", ["shape", "orientation", "1 B"], ["4096x4096", "rotate90"], "rotate90 of 4096 x 4096 by pixel size, H200: % of a copy"),
    ("kernels-h100.md", ["shape", "orientation", "1 B"], ["4096x4096", "rotate90"], "rotate90 of 4096 x 4096 by pixel size, H100: % of a copy"),
    ("cpu-kernels.md", ["4000 x 3000", "1 B"], ["rotate90, % of memcpy"], "rotate90 of 4000 x 3000 by pixel size, one core: % of memcpy"),
    ("opencv-h200.md", ["type", "transpose", "flip 1"], ["8UC4"], "8UC4 on an H200: GB/s of cv::cuda (grey) and qturn"),
]
OURS, THEIRS = "#00897b", "#9e9e9e"
STYLE = ("<style>text { fill: #222 } .ground { fill: #fff } "
         "@media (prefers-color-scheme: dark) { text { fill: #ddd } .ground { fill: #1e2129 } }</style>")


def plain(cell):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)|[*`]", r"\1", cell).strip()


def numbers(cell):
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", cell)]


def svg(title, bars):
    """`bars`: label, values, and whether a single value is ours. Of two values the last is."""
    line, left = 20, 24 + 6.5 * max(len(label) for label, _, _ in bars)
    width = left + 500
    most = max(max(values) for _, values, _ in bars)
    y, parts = 34, []
    for label, values, ours in bars:
        for at, value in enumerate(values):
            colour = OURS if ours and at == len(values) - 1 else THEIRS
            length = (width - left - 70) * value / most
            parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="14" fill="{colour}"/>'
                         f'<text x="{left + length + 6:.1f}" y="{y + 12}">{value:g}</text>')
            if at == 0:
                parts.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{html.escape(label)}</text>')
            y += line if at == len(values) - 1 else 15
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y + 8}" width="{width}" height="{y + 8}" font-family="sans-serif" '
            f'font-size="12">{STYLE}<rect class="ground" width="100%" height="100%"/><text x="8" y="20" font-size="14" font-weight="bold">'
            f'{html.escape(title)}</text>{"".join(parts)}</svg>\n')


def table_of(text, columns, document):
    for table in tables(text):
        if table[0][:len(columns)] == columns:
            return table
    raise SystemExit(f"docs: {document} has no table that begins with {columns}")


def write(folder):
    """Draws the plots into `folder`, which holds copies of the documents, and shows each in its document before the first table, and the
    first on the home page."""
    def place(document, title, bars):
        if not bars:
            raise SystemExit(f"docs: no rows for the plot '{title}'")
        name = document.replace(".md", "-plot.svg")
        (folder / name).write_text(svg(title, bars))
        text = (folder / document).read_text()
        at = re.search(r"^\|", text, flags=re.M).start()
        (folder / document).write_text(f"{text[:at]}![{title}]({name})\n\n{text[at:]}")

    for document, columns, labels, value, only, title in ROWS:
        head, *rows = table_of((folder / document).read_text(), columns, document)
        at = head.index(value)
        bars = []
        for row in rows:
            found = numbers(row[at])
            if found and (only is None or any(word in row for word in only)):
                label = ", ".join(plain(row[column]) for column in labels)
                bars.append((label, found[:1], "qturn" in label or "qturn" in title))
        place(document, title, bars)
    for document, columns, begins, title in COLUMNS:
        head, *rows = table_of((folder / document).read_text(), columns, document)
        row = next((row for row in rows if row[:len(begins)] == begins), None)
        if row is None:
            raise SystemExit(f"docs: {document} has no row {begins}")
        bars = []
        for label, cell in list(zip(head, row))[len(begins):]:
            if " / " in cell and len(numbers(cell)) == 2:
                bars.append((plain(label), numbers(cell), True))
            elif len(numbers(cell)) == 1 and not label.startswith("bar") and label != "copy":
                bars.append((plain(label), numbers(cell), True))
        place(document, title, bars)
    document, *_, title = ROWS[0]
    home = folder.parents[1] / "README.md"
    before, heading, after = home.read_text().partition("\n## Results\n")
    home.write_text(f"{before}{heading}\n![{title}](docs/measurements/{document.replace('.md', '-plot.svg')})\n{after}")
