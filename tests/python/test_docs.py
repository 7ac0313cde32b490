# SPDX-License-Identifier: Apache-2.0
"""What users read: docstrings and their examples, the type stubs, the blocks of docs/python.md."""

import ast
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re

import pytest

import tileloom
from tileloom import _tileloom

OPTIONAL = ("_torch_ops",)  # modules that import torch


def modules():
    for info in pkgutil.walk_packages(tileloom.__path__, "tileloom."):
        if not info.name.endswith(OPTIONAL):
            yield importlib.import_module(info.name)


def documented():
    """All docstrings with examples: (name, text)."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    seen = set()
    for module in [tileloom, *modules()]:
        for test in finder.find(module, module.__name__, globs=dict(vars(module))):
            if test.examples and test.docstring not in seen:
                seen.add(test.docstring)
                yield test
    for name, text, owner in bound():
        examples = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
        if examples.examples:
            yield examples
        del owner


def bound():
    """Everything public in the compiled module: (name, docstring, object)."""
    for name, thing in vars(_tileloom).items():
        if name.startswith("_"):
            continue
        if inspect.isclass(thing):
            yield name, thing.__doc__ or "", thing
            for member, value in vars(thing).items():
                if not member.startswith("_") or member in ("__call__", "__getitem__", "__matmul__"):
                    yield f"{name}.{member}", value.__doc__ or "", value
        elif callable(thing):
            yield name, thing.__doc__ or "", thing


EXAMPLES = list(documented())


def test_there_are_examples():
    assert len(EXAMPLES) > 60


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_examples(example):
    said = []
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert "".join(said) == ""


def test_everything_public_has_a_docstring():
    missing = [name for name, text, _ in bound() if not re.sub(r"^\w+\(.*\n?", "", text).strip()]
    for module in [tileloom, *modules()]:
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if (inspect.isfunction(thing) or inspect.isclass(thing)) and not inspect.getdoc(thing):
                missing.append(f"{module.__name__}.{name}")
    assert missing == []


def functions_of(tree):
    """Every function in a syntax tree, with the class that it stands in."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield None, node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name, f) for f in node.body if isinstance(f, ast.FunctionDef))


def unannotated(function):
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [a for a in (arguments.vararg, arguments.kwarg) if a]
    return [a.arg for a in every if a.annotation is None and a.arg not in ("self", "cls")] + (
        [] if function.returns else ["return"]
    )


def test_every_signature_is_annotated():
    package = pathlib.Path(tileloom.__file__).parent
    sources = [p for p in package.rglob("*.py*") if p.suffix in (".py", ".pyi")]
    assert package / "_tileloom.pyi" in sources
    found = {}
    for source in sources:
        for owner, function in functions_of(ast.parse(source.read_text(encoding="utf-8"))):
            missing = unannotated(function)
            if missing and not any(isinstance(d, ast.Name) and d.id == "overload" for d in function.decorator_list):
                found[f"{source.name}: {owner}.{function.name}"] = missing
    assert found == {}


def test_the_stub_says_what_the_module_has():
    stub = ast.parse((pathlib.Path(tileloom.__file__).parent / "_tileloom.pyi").read_text(encoding="utf-8"))
    names = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert {name for name, _, _ in bound() if "." not in name} <= names
    assert "CppFunction" not in ast.dump(stub)
    assert any(isinstance(node, ast.AnnAssign) and node.target.id == "__version__" for node in stub.body)


def blocks(root):
    """The python blocks of the manual; those that need torch or a GPU say so in their first line."""
    text = (root / "docs" / "python.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_manual_runs(root, tmp_path, monkeypatch):
    pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    found = blocks(root)
    assert len(found) > 5
    scope = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(verbose=False)
    for number, block in enumerate(found, 1):
        if re.match(r"# needs (torch|a GPU)", block):
            continue
        if ">>>" not in block:
            exec(compile(block, f"docs/python.md, block {number}", "exec"), scope)
            continue
        example = doctest.DocTestParser().get_doctest(block, scope, f"docs/python.md, block {number}", None, 0)
        said = []
        runner.run(example, out=said.append, clear_globs=False)
        scope.update(example.globs)
        assert "".join(said) == ""
