"""A page for each operation, with the turn of a drawn picture. Names and undoing turns come from the tables of docs/orientations.md,
edges from the table of docs/jpeg.md."""
import re

WIDTH, HEIGHT = 160, 120
# Where x, y goes, as SVG's matrix(a b c d e f): x' = a x + c y + e, y' = b x + d y + f.
MATRICES = {
    "identity": "1 0 0 1 0 0", "flop": f"-1 0 0 1 {WIDTH} 0", "rotate180": f"-1 0 0 -1 {WIDTH} {HEIGHT}",
    "flip": f"1 0 0 -1 0 {HEIGHT}", "transpose": "0 1 1 0 0 0", "rotate90": f"0 1 -1 0 {HEIGHT} 0",
    "transverse": f"0 -1 -1 0 {HEIGHT} {WIDTH}", "rotate270": f"0 -1 1 0 0 {WIDTH}"}
SAYS = {
    "rotate90": "A quarter turn clockwise.", "rotate180": "A half turn.", "rotate270": "A quarter turn counter-clockwise.",
    "flip": "Exchanges top and bottom.", "flop": "Exchanges left and right.",
    "transpose": "Mirrors across the main diagonal: rows become columns.", "transverse": "Mirrors across the other diagonal."}
PICTURE = f"""<rect width="{WIDTH}" height="{HEIGHT}" fill="#cfe8f7"/><rect y="84" width="{WIDTH}" height="36" fill="#8fbf7f"/>
<circle cx="132" cy="26" r="14" fill="#f6c445"/><rect x="30" y="58" width="52" height="44" fill="#b5523b"/>
<path d="M24 58 56 30 88 58Z" fill="#6b2f25"/><rect x="66" y="76" width="12" height="26" fill="#3d2019"/>
<rect x="36" y="68" width="14" height="14" fill="#fdf3c7"/><text x="104" y="112" font-family="sans-serif" font-weight="bold" font-size="40" fill="#333">F</text>"""


def drawn(operation):
    swaps = operation in ("transpose", "rotate90", "transverse", "rotate270")
    width, height = (HEIGHT, WIDTH) if swaps else (WIDTH, HEIGHT)
    # A turned picture is as large as the one before it.
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{1.2 * width:g}" height="{1.2 * height:g}">\n'
            f'<g transform="matrix({MATRICES[operation]})">{PICTURE}</g></svg>\n')


def before_and_after(before, says_before, after, says_after):
    """Two pictures, which fill the window when they are clicked, until the next click."""
    shown = [(before, says_before), (after, says_after)]
    return ('<div class="qturn-turn" markdown>\n' + "".join(f"[![{says}]({name}.svg)](#large-{name})\n" for name, says in shown) + "</div>\n\n" +
            "".join(f'[![{says}]({name}.svg)](#){{ .qturn-large #large-{name} }}\n' for name, says in shown))


def tables(text):
    """The tables of a document. Each is a list of rows; the first row has the names of the columns."""
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])] for line in block.splitlines()]
        yield [rows[0], *rows[2:]]


def page(operation, root):
    numbered, *others = [table for table in tables((root / "docs/orientations.md").read_text()) if table[0][0] == "n"]
    number, name, becomes, _, undone_by, also = next(row for row in numbered if row[1] == operation)
    undoing = next(row[1] for row in numbered if row[0] == undone_by)
    elsewhere = [(head, cell) for table in others for head, cell in zip(table[0][1:], next(r for r in table if r[0] == number)[1:])
                 if cell and not head.startswith("`irot`") and not head.startswith("`imir`") and head != "name"]
    edges = next(table for table in tables((root / "docs/jpeg.md").read_text()) if table[0][1:] == ["right edge", "lower edge"])
    marks = next(row for row in edges if operation in row[0].split(", "))[1:]
    needed = [edge for edge, mark in zip(("width", "height"), marks) if mark]
    lossless = ("always, because no edge moves to the left or to the top" if not needed else
                f"if the {' and the '.join(needed)} of the stored picture {'is a multiple' if len(needed) == 1 else 'are multiples'} of the block")
    accepted = f" Also called {', '.join(f'`{other}`' for other in also.split(', '))}." if also else ""
    constants = {"rotate90": "rotate(src, dst, cv::ROTATE_90_CLOCKWISE, stream)", "rotate180": "rotate(src, dst, cv::ROTATE_180, stream)",
                 "rotate270": "rotate(src, dst, cv::ROTATE_90_COUNTERCLOCKWISE, stream)", "flip": "flip(src, dst, 0, stream)",
                 "flop": "flip(src, dst, 1, stream)", "transpose": "transpose(src, dst, stream)",
                 "transverse": "transform(src, dst, qturn::Orientation::transverse, stream)"}
    return f"""# {operation}

{SAYS[operation]}{accepted} It is orientation {number}: AB/CD becomes {becomes}. `{undoing}` undoes it.

{before_and_after("identity", "before", operation, f"after {operation}")}
```
qturn {operation} photos -o turned
qturn {operation} photos --in-place
qturn {operation} a.jpg --in-place --tag-only
```

```cpp
// Or without a stream, on the CPU
qturn::transform(src, dst, qturn::Orientation::{operation}, stream);
qturn::opencv::{constants[operation]};
```

```python
# An array or a tensor
qturn.transform(x, "{operation}")

# A file in memory
qturn.turn(data, "{operation}").bytes
```

A JPEG is turned losslessly {lossless} ([where it cannot be](../docs/jpeg.md#where-a-turn-cannot-be-lossless---jpeg-edges)).

| elsewhere it is called | |
|---|---|
""" + "".join(f"| {head.replace(' *', '')} | {cell} |\n" for head, cell in elsewhere)


def upright():
    return """# upright

Makes the pixels upright, as the orientation tag says, and sets the tag to 1. So every program shows the picture right. Stored with the tag 6, and after
`upright`:

""" + before_and_after("rotate270", "as it is stored", "identity", "upright") + """
```
qturn upright photos -o turned
qturn upright photos --in-place
```

```python
qturn.turn(data, "upright").bytes
```

A picture that is upright already is copied byte for byte; in place it is not touched. A JPEG that cannot be turned losslessly is
[left as it is](../docs/jpeg.md#where-a-turn-cannot-be-lossless---jpeg-edges) in place. [Metadata](../docs/metadata.md) stays true.
"""


def write(folder, root):
    """Writes the pages and their pictures; gives their names, `upright` first."""
    folder.mkdir()
    for operation in MATRICES:
        (folder / f"{operation}.svg").write_text(drawn(operation))
    (folder / "upright.md").write_text(upright())
    for operation in SAYS:
        (folder / f"{operation}.md").write_text(page(operation, root))
    return ["upright", *SAYS]
