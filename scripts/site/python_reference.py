"""The Python reference, from the sources: documentation strings of Python, and those that nanobind gets in C++."""
import ast
import re

MODULES = {"qturn": ["_decode.py", "_arrays.py", "_labels.py"], "qturn.torch": ["_loading.py"], "qturn.torchvision": ["torchvision.py"],
           "qturn.albumentations": ["albumentations.py"], "qturn.ray": ["ray.py"]}
BOUND = re.compile(r'nb::sig\(\s*((?:"[^"]*"\s*)+)\),\s*R"\((.*?)\)"', re.S)
MEMBERS = re.compile(r'\.def_(?:prop_)?ro\(\s*"(\w+)",.*?(?:R"\(([^"].*?)\)"|"([^"]*[.])")\)', re.S)


def in_lines(signature, width=80):
    """A signature as a page has room for it: as many arguments in a line as fit."""
    if len(signature) <= width:
        return signature
    name, arguments, result = re.match(r"(.*?\()(.*)(\).*)", signature).groups()
    # A comma within brackets or quotes does not end an argument.
    *lines, line = [name, ""]
    for argument in re.findall(r"(?:[^,\[('\"]|\[[^\]]*\]+|\([^)]*\)|'[^']*'|\"[^\"]*\")+", arguments):
        longer = f"{line}, {argument.strip()}" if line else f"    {argument.strip()}"
        if len(longer) < width:
            line = longer
        else:
            lines.append(f"{line},")
            line = f"    {argument.strip()}"
    return "\n".join([*lines, line + result] if len(line + result) < width else [*lines, line, result])


def entry(signature, documentation):
    body = "\n".join(line.strip() and line for line in documentation.strip().splitlines())
    name = re.match(r"(?:class |def )?(\w+)", signature)[1]
    # An indented paragraph, such as the rest of an argument's description, goes on with its line.
    body = re.sub(r"\n +", " ", re.sub(r"^    ", "", body, flags=re.M))
    body = re.sub(r"^([\w*]+(?:, [\w*]+)*): ", r"\n* `\1`: ", body, flags=re.M)
    body = re.sub(r"(?<!`)\*\*(\w+)(?!\w*`)", r"`**\1`", body)
    return f"### {name}\n\n```python\n{in_lines(signature)}\n```\n\n{body}\n\n"


def of_python(path, public):
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name not in public:
            continue
        arguments = node
        if isinstance(node, ast.ClassDef):
            arguments = next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"), None)
        documentation = ast.get_docstring(node)
        if documentation and arguments:
            yield entry(f"{node.name}({ast.unparse(arguments.args).removeprefix('self, ')})", documentation)


def of_cpp(path):
    for signature, documentation in BOUND.findall(path.read_text()):
        signature = "".join(re.findall(r'"([^"]*)"', signature)).removeprefix("def ")
        if not signature.startswith(("_", "followed")):
            yield entry(signature, documentation)


def write(path, root):
    folder = root / "plugins/python"
    public = re.findall(r'"(\w+)"', re.search(r"__all__ = \[(.*?)\]", (folder / "qturn/__init__.py").read_text(), re.S)[1])
    public += ["BatchDecoder", "CenterCrop", "RandomOrientation", "RandomResizedCrop", "augment", "collate"]
    text = "# Python reference\n\n[The guide](../plugins/python/README.md) has examples. `help(qturn)` shows the same.\n\n"
    for module, files in MODULES.items():
        text += f"## {module}\n\n" + "".join("".join(of_python(folder / "qturn" / file, public)) for file in files)
        if module == "qturn":
            text += "".join("".join(of_cpp(folder / file)) for file in ("pictures.cpp", "samples.cpp"))
            members = MEMBERS.findall((folder / "pictures.cpp").read_text())
            text += "### Turned\n\nWhat `turn()` returns.\n\n| member | |\n|---|---|\n" + "".join(
                f"| `{name}` | {' '.join((long or short).split())} |\n" for name, long, short in members) + "\n"
    for name in ("decode", "decode_batch", "transform", "to_planar", "turn_boxes", "turn", "check", "turn_labels", "augment", "BatchDecoder"):
        if f"\n### {name}\n" not in text:
            raise SystemExit(f"docs: the Python reference lacks {name}()")
    path.write_text(text)
