# SPDX-License-Identifier: Apache-2.0
"""CuTe's own answers (tests/golden) from the Python objects, underscores included."""

import inspect
import json

import pytest

import tileloom
from tileloom import layout as lt


def lines(root, name):
    with open(root / "tests" / "golden" / name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def golden(root):
    found = lines(root, "layout.jsonl")
    assert len(found) == 1452
    return found


def text(value):
    """The value as CuTe prints it."""
    if isinstance(value, tuple):
        return "(" + ",".join(text(x) for x in value) + ")"
    if isinstance(value, lt.Static):
        return f"_{int(value)}"
    return str(value)


def ask(op, arguments):
    """The function of that name with objects as arguments, as CuTe answers."""
    objects = [tileloom.evaluate(a) for a in arguments]
    if op == "eval":
        return objects[0](objects[1])
    function = getattr(lt, op)
    takes_cute = "cute" in inspect.signature(function).parameters
    return function(*objects, **({"cute": True} if takes_cute else {}))


def test_results(golden):
    wrong = []
    for line in golden:
        if "result" not in line:
            continue
        answer = text(ask(line["op"], line["args"]))
        expected = line["result"].replace("_", "") if line["op"] == "eval" else line["result"]
        if answer != expected:
            wrong.append((line, answer))
    assert wrong == []


def test_results_by_text(golden):
    wrong = [x for x in golden if "result" in x and text(lt.call(x["op"], *x["args"], cute=True)) != x["result"]]
    assert wrong == []


def test_refusals(golden):
    refused = [line for line in golden if "error" in line]
    assert len(refused) > 50
    for line in refused:
        with pytest.raises(tileloom.BadInput):
            lt.call(line["op"], *line["args"], cute=True)


def test_printed_forms_of_tiled_mma_and_copy_come_back(root):
    count = 0
    for line in lines(root, "tiled.jsonl"):
        for value in line.get("result", {}).values():
            if ":" in value:
                assert str(tileloom.evaluate(value)) == value
                count += 1
    assert count > 500
