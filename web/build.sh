#!/usr/bin/env bash
# Builds the viewer's page into a C file: web/build.sh OUTPUT.c
# Where there is no npm, or its registry cannot be reached, the C file holds an empty page (and is dated so that the next
# build tries again): `nacre view` then says what to install.
set -u
output=${1:?usage: web/build.sh OUTPUT.c}
cd "$(dirname "$0")" || exit 1
mkdir -p "$(dirname "$output")"

without_page() {
    echo "The viewer's page is left out: $1" >&2
    printf '#include "view/view.h"\nconst unsigned char nc_view_page[] = {0};\nconst size_t nc_view_page_size = 0;\n' >"$output"
    touch -d '2000-01-01' "$output"
    exit 0
}

command -v node >/dev/null && command -v npm >/dev/null || without_page "npm is absent (Debian: apt-get install npm)"

# What the build needs, at the versions of the lock file. The tests' packages are left alone where they are there.
is_installed() {
    cmp -s package-lock.json node_modules/.nacre-lock || cmp -s package-lock.json node_modules/.nacre-lock-full
}
install() {
    exec 9>.install-lock # two builds of one clone take turns
    command -v flock >/dev/null && flock 9
    is_installed && return
    local log
    log=$(mktemp)
    if ! npm ci --omit=dev --no-audit --no-fund --ignore-scripts >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        rm -f "$log"
        without_page "npm could not install what web/package.json asks for"
    fi
    rm -f "$log"
    cp package-lock.json node_modules/.nacre-lock
    exec 9>&-
}
if ! is_installed; then
    [ -w . ] || without_page "npm has nothing installed in web/, and it cannot be written"
    install
fi
node build.mjs "$output"
