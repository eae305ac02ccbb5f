"""Sudokus, against a plain search."""

from __future__ import annotations


import numpy as np
import pytest
from conftest import INTEGERS, is_refused, works_everywhere
from hypothesis import given
from hypothesis import strategies as st
from thalweg.sudoku import count_solutions, draw, generate, parse, solve

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def search(cells, limit):
    """The smallest solution, and how many there are up to a limit, cell by cell."""
    cells = list(cells)
    units = [
        {j for j in range(81) if j // 9 == i // 9 or j % 9 == i % 9 or (j // 27, j % 9 // 3) == (i // 27, i % 9 // 3)}
        - {i}
        for i in range(81)
    ]
    if any(cells[i] and cells[i] in (cells[j] for j in units[i]) for i in range(81)):
        return None, 0
    first, count = None, 0

    def fill(i):
        nonlocal first, count
        while i < 81 and cells[i]:
            i += 1
        if i == 81:
            first, count = first or list(cells), count + 1
            return
        for digit in range(1, 10):
            if digit not in (cells[j] for j in units[i]) and count < limit:
                cells[i] = digit
                fill(i + 1)
                cells[i] = 0

    fill(0)
    return first, count


def digits(text):
    return [0 if c == "." else int(c) for c in text]


@given(st.integers(0, 2**32), st.sets(st.integers(0, 80), max_size=35), st.sampled_from([None, "bands", "exact_cover"]))
def test_against_a_search(seed, blanks, engine):
    # A grid with digits and bands exchanged, and some cells taken away.
    rng = np.random.default_rng(seed)
    grid = np.array(digits(SOLVED)).reshape(3, 3, 9)[rng.permutation(3)].reshape(9, 9)
    puzzle = np.append(0, rng.permutation(9) + 1)[grid].ravel()
    puzzle[list(blanks)] = 0
    if seed % 5 == 0:
        puzzle[rng.integers(81)] = rng.integers(1, 10)
    want, count = search(puzzle.tolist(), 10)
    solution, got = solve(puzzle, limit=10, engine=engine)
    assert got == count == count_solutions(puzzle, 10, engine=engine)
    assert solution.tolist() == (want or [0] * 81)


@pytest.mark.parametrize("dtype", [*INTEGERS, ">i4"])
def test_shapes_and_dtypes(dtype):
    one = np.array(digits(EASY), dtype)
    want = np.array(digits(SOLVED), "u1")
    for shape in [(81,), (9, 9), (1, 81), (1, 9, 9), (1, 1, 81)]:
        puzzles = one.reshape(shape)
        puzzles.flags.writeable = False
        solutions, counts = solve(puzzles)
        assert solutions.shape == shape and solutions.dtype == np.uint8
        assert np.array_equal(solutions, want.reshape(shape))
        if len(shape) == 1 or shape == (9, 9):
            assert counts == 1 and isinstance(counts, int)
        else:
            outer = shape[:-2] if shape[-1] == 9 else shape[:-1]
            assert counts.dtype == np.uint32 and counts.shape == outer
    two = np.stack([one, one * 0])
    solutions, counts = solve(np.asfortranarray(two), limit=7)
    assert counts.tolist() == [1, 7] and np.array_equal(solutions[0], want)
    assert solutions[1, :18].tolist() == [*range(1, 10), 4, 5, 6, 7, 8, 9, 1, 2, 3]
    assert np.array_equal(solve(two[::-1])[0], solve(two)[0][::-1])


def test_none():
    for nothing in ([], np.zeros((0, 81), "u1"), np.zeros((0, 9, 9), "i8")):
        solutions, counts = solve(nothing)
        assert solutions.size == 0 and counts.shape == (0,) == count_solutions(nothing).shape


def test_texts():
    assert solve(EASY) == (SOLVED, 1) == solve(EASY.encode()) == solve(EASY.replace(".", "0"))
    solutions, counts = solve([EASY, "1" * 81, EASY.replace(".", "_") + " # easy"])
    assert solutions == [SOLVED, "." * 81, SOLVED] and counts.tolist() == [1, 0, 1]
    assert count_solutions((EASY, "." * 81)).tolist() == [1, 2]
    for bad, element in [(EASY[1:], 0), (EASY + "\n" + EASY, 0), ("", 0), ([EASY, "x" * 81], 1), ([EASY, 3], 1)]:
        with pytest.raises(ValueError, match=f"puzzle {element}") as raised:
            solve(bad)
        assert raised.value.element == element


def test_parsing_and_drawing():
    text = f"# two\r\n{EASY}\r\n\n{SOLVED},easy"
    for read in (text, text.encode()):
        puzzles = parse(read)
        assert puzzles.dtype == np.uint8 and puzzles.shape == (2, 9, 9)
        assert puzzles[0].ravel().tolist() == digits(EASY)
    assert parse("").shape == (0, 9, 9)
    with pytest.raises(ValueError, match="line 2: 2 cells"):
        parse(EASY + "\n12")
    with pytest.raises(TypeError, match="str or bytes"):
        parse(3)
    assert draw(EASY) == draw(puzzles[0]) and draw(EASY).splitlines()[1] == "│ 5 3 . │ . 7 . │ . . . │"
    for bad in (puzzles, np.full(81, 10, "u1")):
        with pytest.raises(ValueError, match="puzzle"):
            draw(bad)


def test_generated():
    puzzles = generate(20, seed=3)
    assert puzzles.shape == (20, 9, 9) and puzzles.dtype == np.uint8
    assert np.array_equal(puzzles, generate(20, 3)) and not np.array_equal(puzzles, generate(20, 4))
    assert (count_solutions(puzzles) == 1).all() and generate(0).shape == (0, 9, 9)
    for puzzle in puzzles[:2]:
        for place in np.argwhere(puzzle)[:5]:
            fewer = puzzle.copy()
            fewer[tuple(place)] = 0
            assert count_solutions(fewer) == 2


@pytest.mark.parametrize(
    "ask, error, message, element",
    [
        (lambda: solve(np.full((3, 81), [[1], [9], [10]], "u1")), ValueError, "puzzle 2: cell 0 is 10", 2),
        (lambda: solve(np.full((2, 81), [[0], [-1]])), ValueError, "puzzle 1: cell 0 is -1", 1),
        (lambda: solve(np.full((2, 9, 9), 256)), ValueError, "puzzle 0: cell 0 is 256", 0),
        (lambda: solve(np.zeros((2, 80))), ValueError, "puzzles: shape", None),
        (lambda: solve(np.zeros((9, 9))), TypeError, "integers", None),
        (lambda: solve(np.zeros((9, 9), bool)), TypeError, "integers", None),
        (lambda: solve(EASY, limit=0), ValueError, "limit", None),
        (lambda: solve(EASY, engine="guess"), ValueError, "unknown sudoku engine", None),
    ],
)
def test_refused(ask, error, message, element):
    is_refused(ask, error, message, element)


def work():
    assert solve([EASY] * 50)[0] == [SOLVED] * 50
    assert (count_solutions(generate(20)) == 1).all()


def test_on_threads_and_after_forks():
    works_everywhere(work)
