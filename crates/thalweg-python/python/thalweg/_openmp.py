"""How OpenMP's threads wait for each other.

Suffixes are sorted by OpenMP's threads. By default these spin while they wait, and where cores have other work as well, they
burn the time that it needs: two busy cores took 47 s for what takes them 2.7 s alone. OpenMP reads how long they spin when
it is loaded, which is when the extension module is; so it is told for as long as that takes, unless somebody has told it.
"""

from __future__ import annotations

import os

_is_told = "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ
if not _is_told:
    os.environ["GOMP_SPINCOUNT"] = "1000"


def restore() -> None:
    """Leaves the environment as it was, for the processes that are started from here."""
    if not _is_told:
        os.environ.pop("GOMP_SPINCOUNT", None)
