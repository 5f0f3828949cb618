#!/usr/bin/env bash
# The completion script: up to date in the repository, valid, and completing what it should.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 0 "$nacre" completion bash
cp out.txt nacre.bash
cmp -s nacre.bash "$root/cli/completion.bash" ||
    fail "cli/completion.bash is not what 'nacre completion bash' prints: regenerate it"
bash -n nacre.bash || fail "bash does not read the script"
expect 2 "$nacre" completion fish
expect 2 "$nacre" completion

# offers WORDS...: what bash would offer for the last word.
offers() {
    bash -c '. ./nacre.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nacre; printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
[ "$(offers nacre ru)" = run ] || fail "nacre ru<tab>: $(offers nacre ru)"
offers nacre run --th | grep -qx -- --threads || fail "nacre run --th<tab> does not offer --threads"
offers nacre check --th | grep -qx -- --threads || fail "nacre check --th<tab> does not offer --threads"
offers nacre new --th | grep -q -- . && fail "nacre new --th<tab> offers something"
[ "$(offers nacre completion b)" = bash ] || fail "nacre completion b<tab>"
[ "$(offers nacre help exp)" = export ] || fail "nacre help exp<tab>"
[ -z "$(offers nacre run sce)" ] || fail "nacre run sce<tab> offers words instead of files"
finish
