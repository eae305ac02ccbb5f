# The extension module. Checked against it by stubtest.
import os
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._text import Bwt, Repeat
from ._trees import CartesianTree

__all__ = [
    "ChangingRmq",
    "Envelope",
    "Forest",
    "Graph",
    "Lz77",
    "Map",
    "Rmq",
    "SuffixArray",
    "__version__",
    "ansv",
    "bwt",
    "cartesian_tree",
    "compact",
    "compact_index",
    "convex_hull",
    "convolve",
    "convolve_exact",
    "correlate",
    "count",
    "count_solutions",
    "devices",
    "draw",
    "fft",
    "fft2",
    "fftn",
    "find_all",
    "fork",
    "gaussian",
    "generate",
    "ifft",
    "ifft2",
    "ifftn",
    "info",
    "inverse_bwt",
    "irfft",
    "irfft2",
    "irfftn",
    "longest_repeat",
    "lower_envelope",
    "lz77",
    "maximum_matching",
    "parse",
    "rank",
    "raster",
    "reduce",
    "rfft",
    "rfft2",
    "rfftn",
    "scan",
    "set_threads",
    "solve",
    "sort",
    "sort_by_key",
    "sort_index",
    "split",
    "upper_envelope",
    "verify_matching",
    "windows",
]
__version__: str

_Copy = bool | None
_Integers = ArrayLike
_Order = Literal["min", "max"]
_Positions = NDArray[np.int32] | NDArray[np.int64]

# Range minima.
@final
class Rmq:
    def __new__(
        cls,
        array: ArrayLike,
        order: _Order = "min",
        engine: str | None = None,
        device: str = "auto",
        copy: _Copy = None,
        keep_array: bool = True,
    ) -> Rmq: ...
    @classmethod
    def open(cls, path: str | os.PathLike[str], verify: bool = True) -> Rmq: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    @overload
    def argmin(self, start: int | None = None, stop: int | None = None, out: None = None) -> int: ...
    @overload
    def argmin(self, start: _Integers, stop: _Integers | None = None, out: NDArray[Any] | None = None) -> Any: ...
    @overload
    def argmin(self, start: _Integers | None, stop: _Integers, out: NDArray[Any] | None = None) -> Any: ...
    def min(
        self, start: _Integers | None = None, stop: _Integers | None = None, out: NDArray[Any] | None = None
    ) -> Any: ...
    @overload
    def argmax(self, start: int | None = None, stop: int | None = None, out: None = None) -> int: ...
    @overload
    def argmax(self, start: _Integers, stop: _Integers | None = None, out: NDArray[Any] | None = None) -> Any: ...
    @overload
    def argmax(self, start: _Integers | None, stop: _Integers, out: NDArray[Any] | None = None) -> Any: ...
    def max(
        self, start: _Integers | None = None, stop: _Integers | None = None, out: NDArray[Any] | None = None
    ) -> Any: ...
    def smallest(
        self,
        start: _Integers | None = None,
        stop: _Integers | None = None,
        k: int = 10,
        out: NDArray[Any] | None = None,
    ) -> _Positions: ...
    @overload
    def below(self, start: int | None, stop: int | None, threshold: Any) -> _Positions: ...
    @overload
    def below(self, start: _Integers, stop: _Integers | None, threshold: Any) -> Any: ...
    @overload
    def below(self, start: _Integers | None, stop: _Integers, threshold: Any) -> Any: ...
    def argmin_pairs(self, queries: ArrayLike, out: NDArray[Any] | None = None) -> _Positions: ...
    def min_pairs(self, queries: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @property
    def order(self) -> _Order: ...
    @property
    def engine(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def chosen(self) -> str: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def array(self) -> NDArray[Any] | None: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

@final
class ChangingRmq:
    def __new__(cls, array: ArrayLike, order: _Order = "min", device: str = "auto") -> ChangingRmq: ...
    def set(self, positions: _Integers, values: ArrayLike) -> None: ...
    def append(self, values: ArrayLike) -> None: ...
    def reserve(self, len: int) -> None: ...
    @overload
    def argmin(self, start: int | None = None, stop: int | None = None, out: None = None) -> int: ...
    @overload
    def argmin(self, start: _Integers, stop: _Integers | None = None, out: NDArray[Any] | None = None) -> Any: ...
    @overload
    def argmin(self, start: _Integers | None, stop: _Integers, out: NDArray[Any] | None = None) -> Any: ...
    def min(
        self, start: _Integers | None = None, stop: _Integers | None = None, out: NDArray[Any] | None = None
    ) -> Any: ...
    @overload
    def argmax(self, start: int | None = None, stop: int | None = None, out: None = None) -> int: ...
    @overload
    def argmax(self, start: _Integers, stop: _Integers | None = None, out: NDArray[Any] | None = None) -> Any: ...
    @overload
    def argmax(self, start: _Integers | None, stop: _Integers, out: NDArray[Any] | None = None) -> Any: ...
    def max(
        self, start: _Integers | None = None, stop: _Integers | None = None, out: NDArray[Any] | None = None
    ) -> Any: ...
    def smallest(
        self,
        start: _Integers | None = None,
        stop: _Integers | None = None,
        k: int = 10,
        out: NDArray[Any] | None = None,
    ) -> _Positions: ...
    @overload
    def below(self, start: int | None, stop: int | None, threshold: Any) -> _Positions: ...
    @overload
    def below(self, start: _Integers, stop: _Integers | None, threshold: Any) -> Any: ...
    @overload
    def below(self, start: _Integers | None, stop: _Integers, threshold: Any) -> Any: ...
    def argmin_pairs(self, queries: ArrayLike, out: NDArray[Any] | None = None) -> _Positions: ...
    def min_pairs(self, queries: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @property
    def order(self) -> _Order: ...
    @property
    def chosen(self) -> str: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def array(self) -> NDArray[Any]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

# Nearest smaller values.
_Relation = Literal["smaller", "not_larger", "greater", "not_smaller"]

@overload
def ansv(
    array: ArrayLike,
    side: Literal["both"] = "both",
    relation: _Relation = "smaller",
    *,
    engine: str | None = None,
    device: str = "auto",
    copy: _Copy = None,
) -> tuple[_Positions, _Positions]: ...
@overload
def ansv(
    array: ArrayLike,
    side: Literal["left", "right"],
    relation: _Relation = "smaller",
    *,
    engine: str | None = None,
    device: str = "auto",
    copy: _Copy = None,
) -> _Positions: ...

# Windows.
def windows(
    array: ArrayLike,
    width: list[int] | None,
    stride: list[int],
    starts: _Integers | None,
    ends: _Integers | None,
    *,
    order: str,
    values: bool,
    positions: bool,
    align: str,
    border: str,
    fill: object,
    engine: str | None = None,
    device: str = "auto",
    copy: _Copy = None,
) -> tuple[NDArray[Any] | None, _Positions | None]: ...

# Lists.
def rank(
    next: _Integers,
    weights: _Integers | None = None,
    *,
    direction: Literal["to_end", "from_head"] = "to_end",
    engine: str | None = None,
    device: str = "auto",
) -> NDArray[Any]: ...

# Forests.
@final
class Forest:
    def __new__(
        cls,
        parents: _Integers,
        *,
        engine: Literal["pointer_jumping", "euler_tour"] | None = None,
        lca_engine: Literal["inlabel", "euler_rmq", "naive"] | None = None,
        device: str = "auto",
        copy: _Copy = None,
    ) -> Forest: ...
    @property
    def parents(self) -> NDArray[Any]: ...
    @property
    def roots(self) -> _Positions: ...
    @property
    def depths(self) -> _Positions: ...
    @property
    def sizes(self) -> _Positions: ...
    @property
    def order(self) -> _Positions: ...
    @property
    def preorder(self) -> _Positions: ...
    @property
    def postorder(self) -> _Positions: ...
    @property
    def trees(self) -> _Positions: ...
    @property
    def children(self) -> tuple[_Positions, _Positions]: ...
    @overload
    def lca(self, x: int, y: int, out: None = None) -> int: ...
    @overload
    def lca(self, x: _Integers, y: _Integers, out: NDArray[Any] | None = None) -> Any: ...
    def lca_pairs(self, queries: ArrayLike, out: NDArray[Any] | None = None) -> _Positions: ...
    def subtree(
        self,
        values: ArrayLike,
        what: Literal["min", "max", "argmin", "argmax", "sum"] = "min",
        nodes: _Integers | None = None,
    ) -> Any: ...
    @property
    def engine(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def chosen(self) -> str: ...
    def __len__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...

def cartesian_tree(
    array: ArrayLike, order: _Order = "min", *, device: str = "auto", copy: _Copy = None
) -> CartesianTree: ...

# Primitives.
_Op = Literal["sum", "min", "max"]

def scan(
    array: ArrayLike, op: _Op = "sum", *, inclusive: bool = True, out: NDArray[Any] | None = None
) -> NDArray[Any]: ...
def reduce(array: ArrayLike, op: _Op = "sum") -> Any: ...
def compact(array: ArrayLike, mask: ArrayLike) -> NDArray[Any]: ...
def compact_index(mask: ArrayLike) -> _Positions: ...
def split(array: ArrayLike, mask: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]: ...
def sort(
    array: ArrayLike, order: _Order = "min", *, engine: str | None = None, device: str = "auto"
) -> NDArray[Any]: ...
def sort_index(
    array: ArrayLike, order: _Order = "min", *, engine: str | None = None, device: str = "auto"
) -> _Positions: ...
def sort_by_key(
    values: ArrayLike, keys: ArrayLike, order: _Order = "min", *, engine: str | None = None, device: str = "auto"
) -> NDArray[Any]: ...
def fork(counts: _Integers) -> tuple[_Positions, _Positions, _Positions]: ...

# Texts. (Whatever lends a buffer is a text, too, for which older Pythons have no type.)
_Text: TypeAlias = Any
_Patterns = list[Any] | tuple[Any, ...]

@final
class SuffixArray:
    def __new__(cls, text: _Text, *, device: str = "auto", copy: _Copy = None) -> SuffixArray: ...
    @property
    def positions(self) -> _Positions: ...
    @property
    def lcp(self) -> _Positions: ...
    @property
    def inverse(self) -> _Positions: ...
    def bwt(self) -> Bwt: ...
    @overload
    def find(self, pattern: _Patterns) -> list[_Positions]: ...
    @overload
    def find(self, pattern: _Text) -> _Positions: ...
    @overload
    def count(self, pattern: _Patterns) -> NDArray[np.int64]: ...
    @overload
    def count(self, pattern: _Text) -> int: ...
    @overload
    def range(self, pattern: _Patterns) -> NDArray[np.int64]: ...
    @overload
    def range(self, pattern: _Text) -> tuple[int, int]: ...
    @overload
    def lce(self, i: int, j: int, out: None = None) -> int: ...
    @overload
    def lce(self, i: _Integers, j: _Integers, out: NDArray[Any] | None = None) -> Any: ...
    def lce_pairs(self, pairs: ArrayLike, out: NDArray[Any] | None = None) -> _Positions: ...
    def longest_repeat(self) -> Repeat: ...
    @property
    def text(self) -> bytes | NDArray[Any]: ...
    @property
    def device(self) -> str: ...
    @property
    def chosen(self) -> str: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

def bwt(text: _Text, *, device: str = "auto") -> Bwt: ...
def inverse_bwt(symbols: _Text, primary: int) -> NDArray[np.uint8] | NDArray[np.uint32]: ...
def longest_repeat(text: _Text, *, device: str = "auto") -> Repeat: ...
def find_all(text: _Text, pattern: _Text, *, engine: str | None = None, device: str = "auto") -> _Positions: ...
def count(text: _Text, pattern: _Text, *, engine: str | None = None, device: str = "auto") -> int: ...

@final
class Lz77:
    @classmethod
    def open(cls, path: str | os.PathLike[str], verify: bool = True, max_length: int | None = None) -> Lz77: ...
    @classmethod
    def from_bytes(cls, data: _Text, verify: bool = True, max_length: int | None = None) -> Lz77: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def decode(self) -> bytes: ...
    @property
    def starts(self) -> _Positions: ...
    @property
    def lengths(self) -> _Positions: ...
    @property
    def sources(self) -> _Positions: ...
    @property
    def literals(self) -> NDArray[np.uint8]: ...
    @property
    def text_length(self) -> int: ...
    @property
    def chosen(self) -> str | None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> tuple[int, int, int]: ...
    def __iter__(self) -> Iterator[tuple[int, int, int]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

def lz77(
    text: _Text,
    *,
    engine: str | None = None,
    source: Literal["any", "leftmost", "nearest"] = "any",
    device: str = "auto",
) -> Lz77: ...

# thalweg.blur.
_Boundary = Literal["zero", "wrap", "reflect", "nearest"]

def gaussian(
    image: ArrayLike,
    sigma: float | tuple[float, float],
    boundary: _Boundary = "reflect",
    *,
    alpha: bool = False,
    engine: str | None = None,
    device: str = "auto",
) -> NDArray[Any]: ...

# thalweg.envelope.
@final
class Envelope:
    @property
    def starts(self) -> NDArray[np.float64]: ...
    @property
    def segments(self) -> _Positions: ...
    @property
    def side(self) -> Literal["lower", "upper"]: ...
    def exact_start(self, piece: int) -> Fraction | None: ...
    def __call__(self, x: ArrayLike, /) -> Any: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

def lower_envelope(segments: ArrayLike, *, engine: str | None = None, device: str = "auto") -> Envelope: ...
def upper_envelope(segments: ArrayLike, *, engine: str | None = None, device: str = "auto") -> Envelope: ...
def raster(
    segments: ArrayLike,
    start: int,
    stop: int,
    side: Literal["lower", "upper"] = "lower",
    *,
    engine: str | None = None,
    device: str = "auto",
) -> tuple[NDArray[np.float64], _Positions]: ...

# thalweg.fft.
_Norm = Literal["backward", "ortho", "forward"] | None
_Mode = Literal["full", "same", "valid"]

def fft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    out: NDArray[Any] | None = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def ifft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    out: NDArray[Any] | None = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def rfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def irfft(
    a: ArrayLike,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def fft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: NDArray[Any] | None = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def ifft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: NDArray[Any] | None = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def fftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: NDArray[Any] | None = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def ifftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    out: NDArray[Any] | None = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def rfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def irfft2(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def rfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def irfftn(
    a: ArrayLike,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm = None,
    *,
    device: str = "auto",
) -> NDArray[Any]: ...
def convolve(
    array: ArrayLike,
    kernel: ArrayLike,
    mode: _Mode = "full",
    boundary: _Boundary = "zero",
    *,
    engine: str | None = None,
    device: str = "auto",
) -> NDArray[Any]: ...
def correlate(
    array: ArrayLike,
    kernel: ArrayLike,
    mode: _Mode = "full",
    boundary: _Boundary = "zero",
    *,
    engine: str | None = None,
    device: str = "auto",
) -> NDArray[Any]: ...
def convolve_exact(
    array: ArrayLike,
    kernel: ArrayLike,
    mode: _Mode = "full",
    boundary: _Boundary = "zero",
    *,
    dtype: Literal["int64", "uint64", "object"] = "int64",
    correlate: bool = False,
    engine: str | None = None,
    device: str = "auto",
) -> NDArray[Any]: ...

# thalweg.hull.
def convex_hull(
    points: ArrayLike, boundary: bool = False, *, engine: str | None = None, device: str = "auto"
) -> _Positions: ...

# thalweg.matching.
def maximum_matching(
    edges: Any,
    nodes: int | None = None,
    *,
    engine: str | None = None,
    seed: int = 0,
    device: str = "auto",
) -> tuple[_Positions, NDArray[np.uint8]]: ...
def verify_matching(edges: Any, partners: ArrayLike, labels: ArrayLike) -> int: ...

# thalweg.path.
@final
class Map:
    def __new__(
        cls,
        cells: ArrayLike,
        costs: bool = False,
        moves: Literal[4, 8] = 8,
        *,
        engine: str | None = None,
        device: str = "auto",
        expected_queries: int = 0,
    ) -> Map: ...
    def lengths(self, start: _Integers, goal: _Integers) -> Any: ...
    def exact_lengths(self, start: _Integers, goal: _Integers) -> NDArray[np.int64]: ...
    def path(self, start: _Integers, goal: _Integers) -> _Positions | None: ...
    def paths(self, start: _Integers, goal: _Integers) -> tuple[NDArray[np.float64], _Positions, NDArray[np.int64]]: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def moves(self) -> Literal[4, 8]: ...
    @property
    def has_costs(self) -> bool: ...
    @property
    def engine(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def chosen(self) -> str: ...
    @property
    def cells(self) -> NDArray[np.bool_] | NDArray[np.uint32]: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

@final
class Graph:
    def __new__(cls, arcs: ArrayLike, weights: ArrayLike, nodes: int | None = None) -> Graph: ...
    @classmethod
    def from_csr(cls, indptr: ArrayLike, indices: ArrayLike, weights: ArrayLike) -> Graph: ...
    @overload
    def lengths(self, source: int, target: int, potentials: ArrayLike | None = None) -> int: ...
    @overload
    def lengths(self, source: _Integers, target: _Integers, potentials: ArrayLike | None = None) -> Any: ...
    def path(self, source: int, target: int, potentials: ArrayLike | None = None) -> _Positions | None: ...
    def paths(
        self, source: _Integers, target: _Integers, potentials: ArrayLike | None = None
    ) -> tuple[NDArray[np.int64], _Positions, NDArray[np.int64]]: ...
    @property
    def arcs(self) -> int: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

# thalweg.sudoku.
@overload
def solve(
    puzzles: str | bytes, limit: int = 2, *, engine: str | None = None, device: str = "auto"
) -> tuple[str, int]: ...
@overload
def solve(
    puzzles: list[str] | tuple[str, ...], limit: int = 2, *, engine: str | None = None, device: str = "auto"
) -> tuple[list[str], NDArray[np.uint32]]: ...
@overload
def solve(
    puzzles: NDArray[Any] | list[list[int]], limit: int = 2, *, engine: str | None = None, device: str = "auto"
) -> tuple[NDArray[np.uint8], Any]: ...
def count_solutions(puzzles: ArrayLike, limit: int = 2, *, engine: str | None = None, device: str = "auto") -> Any: ...
def generate(n: int, seed: int = 0) -> NDArray[np.uint8]: ...
def parse(text: str | bytes) -> NDArray[np.uint8]: ...
def draw(puzzle: ArrayLike) -> str: ...

# This machine.
def devices() -> list[dict[str, Any]]: ...
def info() -> dict[str, Any]: ...
def set_threads(n: int | None) -> None: ...
