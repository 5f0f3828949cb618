#!/usr/bin/env bash
# The page's TypeScript has no errors, and its lock file names no place to download from.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/tools/need.sh"
need node "$root/web/node_modules/typescript"
cd "$root/web" || exit 1
node node_modules/typescript/bin/tsc --noEmit || exit 1
if grep -n '"resolved"' package-lock.json; then
    echo "web/package-lock.json names download addresses: npm install --omit-lockfile-registry-resolved"
    exit 1
fi
