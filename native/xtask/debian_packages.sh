# Sourced by ./run and ./check.

# bring_packages NAME...: installs the Debian packages that are missing, those of the build among them; without root,
# says what to type and ends. Elsewhere than on Debian and its relatives it does nothing.
bring_packages() {
    local names=("$@" libvulkan1 g++) missing=() name
    command -v javac >/dev/null || names+=(openjdk-17-jdk-headless)
    command -v mvn >/dev/null || names+=(maven)
    command -v dpkg-query apt-get >/dev/null || return 0
    for name in "${names[@]}"; do
        dpkg-query --show --showformat='${db:Status-Abbrev}\n' "$name" 2>/dev/null | grep -q '^ii' || missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    if ((EUID)); then
        echo "missing Debian packages; type: sudo apt-get install ${missing[*]}" >&2
        exit 1
    fi
    echo "installing ${missing[*]}" >&2
    local log
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    if ! { apt-get update && apt-get install --yes --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        echo "packages could not be installed; type: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    rm "$log"
}
