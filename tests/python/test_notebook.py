# SPDX-License-Identifier: Apache-2.0
"""examples/notebook/articles.ipynb gives the outputs that are committed with it, text and pictures.

`python tests/python/test_notebook.py --write` runs it and replaces them.
"""

import argparse
import copy
import difflib
import os
import pathlib
import re
import tempfile

import pytest

for needed in ("numpy", "ipykernel"):
    pytest.importorskip(needed)
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
jupyter_client = pytest.importorskip("jupyter_client")

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebook" / "articles.ipynb"
LARGEST = 1_000_000
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
OF_A_MACHINE = r"/(home|root|tmp|usr|opt)/|\bin \d+\.\d+ s\b|object at 0x"


def executed(notebook):
    """The notebook as a kernel of this Python runs it: with its packages, and with nothing of the user's settings."""
    with tempfile.TemporaryDirectory() as folder:
        settings = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
        specs = jupyter_client.kernelspec.KernelSpecManager(kernel_dirs=[])  # none that is installed: this Python
        sockets = {"transport": "ipc", "connection_file": os.path.join(folder, "k")}
        manager = jupyter_client.AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs, **sockets)
        client = nbclient.NotebookClient(notebook, km=manager, timeout=120, record_timing=False)
        environment = {**os.environ, **dict.fromkeys(settings, folder)}
        return client.execute(cwd=folder, env=environment, cleanup_kc=True)


def joined(outputs):
    """Outputs with each run of prints as one."""
    result = []
    for output in outputs:
        if result and output.output_type == "stream" == result[-1].output_type and output.name == result[-1].name:
            result[-1].text += output.text
        else:
            result.append(output)
    return result


def normal(notebook):
    """Without what changes from run to run and from machine to machine."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 4  # 4.5 wants a random id in each cell
    for cell in notebook.cells:
        cell.pop("id", None)
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    return notebook


def text_of(notebook):
    return nbformat.writes(notebook) + "\n"


def committed():
    return nbformat.read(NOTEBOOK, as_version=nbformat.NO_CONVERT)


def lines_of(cell):
    """What a cell shows, line by line."""
    for output in cell.outputs:
        if output.output_type == "stream":
            yield from (f"{output.name}: {line}" for line in output.text.splitlines())
        else:
            for kind, data in sorted(output.get("data", {}).items()):
                yield from (f"{kind}: {line}" for line in data.splitlines())


def differences(expected, found):
    """For each cell of code that shows something else, which and what."""
    pairs = [pair for pair in zip(expected.cells, found.cells, strict=True) if pair[0].cell_type == "code"]
    for number, (before, after) in enumerate(pairs, 1):
        lines = difflib.unified_diff([*lines_of(before)], [*lines_of(after)], "committed", "found", lineterm="", n=1)
        shown = [line if len(line) < 200 else line[:200] + " ..." for line in lines]
        if shown or before.outputs != after.outputs:
            yield "\n".join([f"cell [{number}], {before.source.splitlines()[0]}", *shown[:20]])


def test_outputs_are_those_committed():
    found = normal(executed(committed()))
    report = "\n".join(differences(committed(), found))
    assert not report, f"{report}\nif that is right: python tests/python/test_notebook.py --write"


def test_every_changed_output_is_named():
    notebook, changed = committed(), 0
    for number, cell in enumerate(notebook.cells):
        for place, output in enumerate(cell.get("outputs", [])):
            other = copy.deepcopy(notebook)
            shown = other.cells[number].outputs[place]
            if output.output_type == "stream":
                shown.text = shown.text[:-2] + "~\n"
            else:
                shown.data["image/svg+xml"] = shown.data["image/svg+xml"].replace("</svg>", "<g/></svg>")
            (named,) = differences(notebook, other)
            assert named.splitlines()[0].endswith(cell.source.splitlines()[0])
            changed += 1
    assert changed > 20


def test_the_file_is_in_normal_form():
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert text == text_of(normal(committed()))
    assert len(text) < LARGEST
    assert not re.search(OF_A_MACHINE, text)
    cells = committed().cells
    assert "SPDX-License-Identifier: Apache-2.0" in cells[0].source.splitlines()[0]
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [*range(1, len(code) + 1)]
    assert not any(output.output_type == "error" for cell in code for output in cell.outputs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Runs examples/notebook/articles.ipynb.")
    parser.add_argument("--write", action="store_true", required=True, help="replace the outputs in the file")
    parser.parse_args()
    NOTEBOOK.write_text(text_of(normal(executed(committed()))), encoding="utf-8")
