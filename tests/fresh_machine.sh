#!/bin/bash
# Run the README's commands on a machine that has nothing: Debian 12 as debootstrap makes it, in a folder.
#
#   tests/fresh_machine.sh [demo] [test]        (both if none is named)
#
# Needs root, debootstrap and the network; for `demo` also xvfb and x11-utils. What is tested is the last commit.
# The folder gets this machine's way to the package registries: apt's sources, proxies, pip's index, certificates.
# What runs in it runs in namespaces of its own and ends with this script.
set -euo pipefail

repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
display_pid=
certificates=/etc/host-certificates.crt
release=bookworm
registry_variables='^(PIP_(INDEX_URL|EXTRA_INDEX_URL|PROXY|TRUSTED_HOST|DEFAULT_TIMEOUT)|(https?|no|HTTPS?|NO)_(proxy|PROXY))='

clean_up() {
    test -z "$display_pid" || kill "$display_pid" || true
    rm -rf --one-file-system "$folder"
}
trap clean_up EXIT

make_machine() {
    local sources
    sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
        grep " $release") || { echo "apt on this machine knows no Debian $release; run apt-get update" >&2; exit 1; }
    debootstrap --variant=minbase "$release" "$folder/base" "$(echo "$sources" | awk -v r="$release" '$3 == r { print $2; exit }')" \
        > "$folder/log" || { cat "$folder/log" >&2; exit 1; }
    echo "$sources" > "$folder/base/etc/apt/sources.list"
    apt-config dump | grep -E '^Acquire::(https?|Check)' > "$folder/base/etc/apt/apt.conf.d/99host" || true
    cp /etc/resolv.conf /etc/hosts "$folder/base/etc"
    grep -q localhost "$folder/base/etc/hosts" || echo '127.0.0.1 localhost' >> "$folder/base/etc/hosts"
    # Under a name of its own, for the package ca-certificates writes its own bundle.
    cp /etc/ssl/certs/ca-certificates.crt "$folder/base$certificates"
    git clone -q "$repository" "$folder/base/llamachat"
}

# Run a shell command in a fresh copy of the machine, with those variables of this one that lead to the registries.
# Does not return: to be called in a subshell.
on_machine() {
    local index settings=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
    settings+=("PIP_CERT=$certificates" "SSL_CERT_FILE=$certificates")
    index=$(python3 -m pip config get global.index-url 2> /dev/null || true)
    test -z "$index" || settings+=("PIP_INDEX_URL=$index")
    mapfile -t -O "${#settings[@]}" settings < <(env | grep -E "$registry_variables|^DISPLAY=")
    rm -rf --one-file-system "$folder/machine"
    cp -a "$folder/base" "$folder/machine"
    exec unshare --mount --pid --fork --kill-child --mount-proc="$folder/machine/proc" \
        bash -c 'mount -t devpts devpts "$0/dev/pts" -o ptmxmode=666,newinstance; ln -sf pts/ptmx "$0/dev/ptmx"; exec "$@"' \
        "$folder/machine" chroot "$folder/machine" /usr/bin/env -i "${settings[@]}" /bin/bash -euo pipefail -c "cd /llamachat; $1"
}

run_test() {
    (on_machine "$("$repository/tests/readme_command.sh" test)")
}

# Open the window on a display of this machine, until it is there and the built-in engine runs.
run_demo() {
    local number=$((RANDOM % 1000 + 100)) demo_pid
    Xvfb ":$number" -screen 0 1280x800x24 2> /dev/null &
    display_pid=$!
    export DISPLAY=":$number"
    on_machine "$("$repository/tests/readme_command.sh" demo)" > "$folder/demo.log" 2>&1 &
    demo_pid=$!
    for _ in $(seq 450); do
        sleep 2
        if xwininfo -root -tree 2> /dev/null | grep -q '"llamachat' && engine_runs; then
            echo "demo: the window is open and the engine runs"
            kill "$demo_pid"
            return
        fi
        kill -0 "$demo_pid" 2> /dev/null || break
    done
    tail -n 30 "$folder/demo.log" >&2
    echo "demo: FAILED, no window or no engine" >&2
    return 1
}

engine_runs() {
    local pid
    for pid in $(pgrep -f llamachat.engines.embedded_llama); do
        test "$(readlink "/proc/$pid/root")" != "$folder/machine" || return 0
    done
    return 1
}

make_machine
test "$#" -gt 0 || set -- demo test
for name; do
    echo "== $name on a fresh machine"
    "run_$name"
done
