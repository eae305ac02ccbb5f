# The extension module. Checked against it by stubtest.
import os
from typing import Any, Literal, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Rmq",
    "__version__",
    "ansv",
    "devices",
    "info",
    "set_threads",
]
__version__: str

_Copy = bool | None
_Integers = ArrayLike
_Positions = NDArray[np.int32] | NDArray[np.int64]

# Range minima.
@final
class Rmq:
    def __new__(
        cls,
        array: ArrayLike,
        order: Literal["min", "max"] = "min",
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
    def argmin_pairs(self, queries: ArrayLike, out: NDArray[Any] | None = None) -> _Positions: ...
    def min_pairs(self, queries: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @property
    def order(self) -> Literal["min", "max"]: ...
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

# This machine.
def devices() -> list[dict[str, Any]]: ...
def info() -> dict[str, Any]: ...
def set_threads(n: int | None) -> None: ...
