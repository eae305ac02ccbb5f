#!/usr/bin/env bash
# The tests, on a fresh machine too.
#
#   ./test.sh              everything
#   ./test.sh quick        while you work: the CPU's engines on a part of the suites' sizes; no GPU, no command
#   ./test.sh ARGUMENTS    everything, with arguments for `cargo test`
#
# The GPU engines need a Vulkan driver; where there is none, Mesa's software renderer is installed from the system's
# packages. THALWEG_SKIP_GPU=1 leaves those tests out. Rays (RMQ's engine `ray`) need a renderer that traces them: where
# the installed one does not, a newer Mesa is taken from the system's backports and run beside it, under target/mesa.
# The Python package is tested in an environment of its own, under target; THALWEG_SKIP_PYTHON=1 leaves that out.
# `thalweg-mpi`, a workspace of its own, needs MPI and libclang, which are installed from the system's packages if they can be; where
# not, or with THALWEG_SKIP_MPI=1, it is left out, and it is said so.
# The page of `thalweg view` is tested in Chromium; where that is not, and cannot be installed, or with THALWEG_SKIP_BROWSER=1,
# those tests are left out, and it is said so.
set -euo pipefail
cd "$(dirname "$0")"

if [ "${1:-}" = quick ]; then
    shift
    export THALWEG_QUICK=1
    exec cargo test -p thalweg-core -p thalweg-arrays -p thalweg-trees -p thalweg-parts -p thalweg-text -p thalweg-fourier -p thalweg-geometry -p thalweg-graph -p thalweg-puzzle -p thalweg \
        --features thalweg/text,thalweg/fourier,thalweg/geometry,thalweg/graph,thalweg/puzzle --lib --tests "$@"
fi

has_vulkan() {
    case "$(uname -s)" in Linux) ;; *) return 0 ;; esac # Metal and DirectX come with the system.
    # Not by pipes: folders that are missing, and who writes on when grep has seen enough, fail.
    case "$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p)" in *libvulkan.so.1*) ;; *) return 1 ;; esac
    [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}$(
        find /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d -name '*.json' 2>/dev/null
    )" ]
}

has_mpi() {
    command -v mpicc >/dev/null && command -v mpiexec >/dev/null &&
        [ -n "${LIBCLANG_PATH:-}$(find /usr/lib /usr/lib64 /usr/local/lib -name 'libclang*.so*' 2>/dev/null)" ]
}

has_python() {
    local name
    for name in "${THALWEG_PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 python3.10; do
        "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && return
    done
    return 1
}

# install WHAT VARIABLE apt-packages dnf-packages pacman-packages: from the system's packages, if there is a way.
install() {
    local what=$1 variable=$2 as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    echo "no $what here: installing it from the system's packages"
    if command -v apt-get >/dev/null; then
        "${as_root[@]}" apt-get install -y --no-install-recommends $3 ||
            { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends $3; }
    elif command -v dnf >/dev/null; then
        "${as_root[@]}" dnf install -y $4
    elif command -v pacman >/dev/null; then
        "${as_root[@]}" pacman -S --noconfirm $5
    else
        echo "install $what, or set $variable=1" >&2
        exit 1
    fi
}

if [ "${THALWEG_SKIP_GPU:-}" != 1 ] && ! has_vulkan; then
    install "Vulkan driver (Mesa's lavapipe will do)" THALWEG_SKIP_GPU "mesa-vulkan-drivers libvulkan1" \
        "mesa-vulkan-drivers vulkan-loader" "vulkan-swrast vulkan-icd-loader"
fi
if [ "${THALWEG_SKIP_PYTHON:-}" != 1 ] && ! has_python; then
    install "Python 3.10 with venv" THALWEG_SKIP_PYTHON "python3 python3-venv" python3 python
fi

if [ "${THALWEG_SKIP_BROWSER:-}" = 1 ]; then
    echo "NOT TESTED: the page of thalweg view in a browser: THALWEG_SKIP_BROWSER=1"
elif ! command -v chromedriver >/dev/null; then
    (install "Chromium and its driver" THALWEG_SKIP_BROWSER "chromium chromium-driver" "chromium chromedriver" chromium) ||
        { export THALWEG_SKIP_BROWSER=1; echo "NOT TESTED: the page of thalweg view in a browser: Chromium could not be installed"; }
fi

# Unpacks the software renderer of a newer Mesa under target/mesa, if Debian's backports have one, and prints the name of
# its manifest. Nothing is installed.
newer_mesa() {
    local folder="$PWD/target/mesa" codename mirror options
    [ -s "$folder/manifest.json" ] && { echo "$folder/manifest.json"; return; }
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
    codename=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || return 1
    mirror=$(grep -rhoE 'https?://[^ ]*/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1)
    [ -n "$mirror" ] || return 1
    mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
    echo "deb $mirror $codename-backports main" >"$folder/sources.list"
    options=(-qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/lists"
        -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=)
    (cd "$folder" && apt-get "${options[@]}" update && apt-get "${options[@]}" download mesa-vulkan-drivers) >&2 || return 1
    dpkg -x "$folder"/mesa-vulkan-drivers_*.deb "$folder/root" || return 1
    local library manifest
    library=$(find "$folder/root" -name libvulkan_lvp.so) manifest=$(find "$folder/root" -name 'lvp_icd*.json')
    [ -n "$library" ] && [ -n "$manifest" ] || return 1
    sed "s#\"library_path\": *\"[^\"]*\"#\"library_path\": \"$library\"#" "$manifest" >"$folder/manifest.json"
    echo "$folder/manifest.json"
}

# The doc tests of the facade need every feature, which the workspace has switched on together.
cargo test --workspace "$@"

[ $# -eq 0 ] || exit 0
if [ "${THALWEG_SKIP_MPI:-}" = 1 ]; then
    echo "NOT TESTED: thalweg-mpi: THALWEG_SKIP_MPI=1"
elif has_mpi || { (install "MPI (MPICH) and libclang" THALWEG_SKIP_MPI "mpich libmpich-dev libclang-dev" "mpich mpich-devel clang-devel" "openmpi clang") && has_mpi; }; then
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
    THALWEG="$CARGO_TARGET_DIR/debug/thalweg" cargo test --locked --manifest-path crates/thalweg-mpi/Cargo.toml
else
    echo "NOT TESTED: thalweg-mpi: MPI could not be installed"
fi

[ "${THALWEG_SKIP_GPU:-}" != 1 ] || exit 0
# With the whole workspace, whose features are compiled already. Says by itself whether the device of the tests traces rays.
rays() { cargo test -q --workspace --test rmq -- --exact the_device_traces_rays --ignored >/dev/null 2>&1; }
if ! rays; then
    if manifest=$(newer_mesa) && export VK_DRIVER_FILES="$manifest" VK_ICD_FILENAMES="$manifest" && rays; then
        echo "rays, and atomics of 64 bits: once more, on the software renderer of a newer Mesa"
        cargo test --workspace --test rmq -- ray_
        cargo test --workspace --test tree -- forests_
    else
        echo "NOT TESTED: tracing of rays (RMQ's engine ray): no renderer here does it, and there is none in the system's backports"
    fi
fi
