#!/usr/bin/env bash
# The tests, on a fresh machine too.
#
#   ./test.sh              everything
#   ./test.sh quick        while you work: the CPU's engines on a part of the suites' sizes; no GPU, no command
#   ./test.sh ARGUMENTS    everything, with arguments for `cargo test`
#
# The GPU engines need a Vulkan driver; where there is none, Mesa's software renderer is installed from the system's
# packages. THALWEG_SKIP_GPU=1 leaves those tests out.
set -euo pipefail
cd "$(dirname "$0")"

if [ "${1:-}" = quick ]; then
    shift
    export THALWEG_QUICK=1
    exec cargo test -p thalweg-core -p thalweg-arrays -p thalweg-trees -p thalweg-text -p thalweg-fourier -p thalweg-geometry -p thalweg-graph -p thalweg-puzzle -p thalweg \
        --features thalweg/text,thalweg/fourier,thalweg/geometry,thalweg/graph,thalweg/puzzle --lib --tests "$@"
fi

has_vulkan() {
    case "$(uname -s)" in Linux) ;; *) return 0 ;; esac # Metal and DirectX come with the system.
    { ldconfig -p 2>/dev/null || /sbin/ldconfig -p; } | grep -q 'libvulkan\.so\.1' || return 1
    [ -n "${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-}" ] ||
        find /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d -name '*.json' 2>/dev/null | grep -q .
}

if [ "${THALWEG_SKIP_GPU:-}" != 1 ] && ! has_vulkan; then
    as_root=()
    [ "$(id -u)" = 0 ] || as_root=(sudo)
    echo "no Vulkan driver here: installing Mesa's software renderer"
    if command -v apt-get >/dev/null; then
        "${as_root[@]}" apt-get install -y --no-install-recommends mesa-vulkan-drivers libvulkan1 ||
            { "${as_root[@]}" apt-get update && "${as_root[@]}" apt-get install -y --no-install-recommends mesa-vulkan-drivers libvulkan1; }
    elif command -v dnf >/dev/null; then
        "${as_root[@]}" dnf install -y mesa-vulkan-drivers vulkan-loader
    elif command -v pacman >/dev/null; then
        "${as_root[@]}" pacman -S --noconfirm vulkan-swrast vulkan-icd-loader
    else
        echo "install a Vulkan driver (Mesa's lavapipe will do) and its loader, or set THALWEG_SKIP_GPU=1" >&2
        exit 1
    fi
fi

# The doc tests of the facade need every feature, which the workspace has switched on together.
exec cargo test --workspace "$@"
