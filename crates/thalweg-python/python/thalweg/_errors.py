"""What goes wrong. Every error is a `thalweg.Error`, and the built-in exception that fits it."""

from __future__ import annotations

__all__ = [
    "DeviceError",
    "DtypeError",
    "Error",
    "FileError",
    "FormatError",
    "InputError",
    "MissingFileError",
    "OutOfMemoryError",
    "QueryError",
]


class Error(Exception):
    """Anything that this package raises."""


class QueryError(Error, IndexError):
    """A query that is outside the array, forest or text."""

    row: int | None = None
    """Which query of the batch, from 0; in row-major order where batches have several dimensions."""


class InputError(Error, ValueError):
    """Links, options or values that do not work."""

    element: int | None = None
    """Which element is wrong, from 0, where it is one."""


class DtypeError(Error, TypeError):
    """An array of a type that cannot be used, and what to do about it."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class FormatError(FileError, ValueError):
    """A file that does not hold what its format demands."""


class OutOfMemoryError(Error, MemoryError):
    """The system refused the memory."""


class DeviceError(Error, RuntimeError):
    """A GPU that is not there, fails, or cannot do what was asked."""
