# SPDX-License-Identifier: Apache-2.0
"""Instructions as Python objects, against their layouts and against the command line."""

import json
import pickle
import subprocess

import pytest

import tileloom
from tileloom import CopyAtom, MmaAtom

MMAS = ["SM80_16x8x16_F16F16F16F16_TN", "SM80_16x8x16_F32F16F16F32_TN", "SM70_8x8x4_F16F16F16F16_TN",
        "SM80_16x8x8_F32TF32TF32F32_TN", "SM80_8x8x4_F64F64F64F64_TN", "SM80_16x8x32_S32S8S8S32_TN",
        "SM90_64x16x16_F32F16F16_RS"]  # fmt: skip


def ask(program, *arguments):
    shown = subprocess.run([program, "atom", *arguments, "--json"], capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)


def test_the_list_is_that_of_the_command_line(program):
    listed = ask(program, "list")["atoms"]
    assert tileloom.atoms() == [x["name"] for x in listed]
    assert tileloom.atoms(kind="mma") == [x["name"] for x in listed if x["kind"] == "mma"]
    assert tileloom.atoms(kind="copy") == [x["name"] for x in listed if x["kind"] == "copy"]
    for arch in ("V100", "sm_80", "H200"):
        assert tileloom.atoms(arch=arch) == [x["name"] for x in ask(program, "list", "--arch", arch)["atoms"]]


def test_every_instruction_has_the_card_of_the_command_line(program):
    listed = {x["name"]: x for x in ask(program, "list")["atoms"]}
    for name in tileloom.atoms():
        atom = tileloom.atom(name)
        card = listed[name]
        assert (atom.name, atom.ptx, atom.arch, atom.needs, atom.threads) == tuple(
            card[key] for key in ("name", "ptx", "arch", "needs", "threads")
        )
        if isinstance(atom, MmaAtom):
            assert list(atom.shape) == card["shape"]
            for letter in "ABCD":
                operand = getattr(atom, letter.lower())
                assert operand.type == card["types"][letter]
                assert operand.registers == card["registers"][letter]


@pytest.mark.parametrize("name", MMAS)
def test_operands_are_those_of_the_command_line(program, name):
    atom = MmaAtom(name)
    for shown in ask(program, "show", name)["operands"]:
        operand = atom.operand(shown["operand"])
        assert operand.name == shown["operand"]
        assert str(operand.tv) == shown["tv"]
        assert operand.shape == (shown["rows"], shown["columns"])
        assert operand.axes == (shown["row_name"], shown["column_name"])
        assert (operand.held_in == "registers") == ("register_bits" in shown)


@pytest.mark.parametrize("name", MMAS)
def test_who_holds_what(program, name):
    for operand in (MmaAtom(name).a, MmaAtom(name).d):
        shown = ask(program, "table", name, operand.name)["places"]
        for place in shown:
            i, j = place[operand.axes[0]], place[operand.axes[1]]
            assert operand.at(place["thread"], place["value"]) == (i, j)
            mine = operand.holds(place["lane"], place["warp"])[place["value"]]
            assert (mine.row, mine.column, mine.thread) == (i, j, place["thread"])
            assert (mine.register, mine.bits) == (place["register"], tuple(reversed(place["bits"])))
            assert mine.value in [h.value for h in operand.holders(i, j) if h.thread == mine.thread]


@pytest.mark.parametrize("name", MMAS)
def test_formulas_agree_with_the_layout(name):
    operand = MmaAtom(name).a
    formulas = {result: text.replace("/", "//") for result, text in operand.formulas.items()}
    row, column = operand.axes
    thread = "lane" if "lane" in formulas else "t"
    for t in range(0, operand.tv[0].size, 3):
        for v in range(operand.values):
            known = {thread: t, "v": v}
            i, j = (eval(formulas[axis], known) for axis in (row, column))
            assert (i, j) == operand.at(t, v)
            assert eval(formulas[thread], {row: i, column: j}) == t


def test_operands_behind_a_descriptor():
    atom = MmaAtom("wgmma m64n16k16 f16 ss")
    assert (atom.a.held_in, atom.a.values, atom.a.registers) == ("descriptor", 0, 0)
    with pytest.raises(tileloom.BadInput, match="expected an operand in registers") as caught:
        atom.a.where(0, 0)
    assert "RS" in caught.value.hint


def test_copies():
    copy = CopyAtom("ldmatrix x4")
    assert copy.destination.axes == ("row", "u")
    for row in range(32):
        assert {copy.destination.where(row, unit).lane for unit in range(8)} == {4 * (row % 8) + i for i in range(4)}
        assert copy.source_operand.where(row, 0).lane == row
    automatic = next(n for n in tileloom.atoms(kind="copy") if CopyAtom(n).kind == "automatic")
    assert CopyAtom(automatic)._repr_svg_() is None
    with pytest.raises(tileloom.BadInput):
        CopyAtom(automatic).svg()


@pytest.mark.parametrize("name", [*MMAS, "SM75_U32x4_LDSM_N"])
def test_objects(program, tmp_path, name):
    atom = tileloom.atom(name)
    assert eval(repr(atom)) == atom == pickle.loads(pickle.dumps(atom))
    assert hash(eval(repr(atom))) == hash(atom)
    assert atom != tileloom.atom("SM80_16x8x8_F16F16F16F16_TN")
    assert str(atom) == subprocess.run([program, "atom", "show", name], capture_output=True, text=True).stdout
    file = tmp_path / "picture.svg"
    subprocess.run([program, "draw", name, "-o", str(file)], check=True, capture_output=True)
    assert atom._repr_svg_() == atom.svg() == file.read_text()


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (["show", "m16n8k61 f16"], lambda: tileloom.atom("m16n8k61 f16")),
        (["where", MMAS[0], "E", "0", "0"], lambda: MmaAtom(MMAS[0]).operand("E")),
        (["where", MMAS[0], "A", "0", "16"], lambda: MmaAtom(MMAS[0]).a.where(0, 16)),
        (["holds", MMAS[0], "A", "--lane", "32"], lambda: MmaAtom(MMAS[0]).a.holds(32)),
        (["list", "--arch", "sm_81"], lambda: tileloom.atoms(arch="sm_81")),
    ],
)
def test_refusals_are_those_of_the_command_line(program, arguments, call):
    shown = subprocess.run([program, "atom", *arguments], capture_output=True, text=True)
    assert shown.returncode == 2
    with pytest.raises(tileloom.BadInput) as caught:
        call()
    first = shown.stderr.splitlines()[0]
    assert first.removeprefix("error: ").removeprefix("--") == caught.value.message
