#!/usr/bin/env bash
# On a terminal there is progress and colour; NO_COLOR, TERM=dumb, --quiet and pipes are respected.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
boxes 200 20 >boxes.yaml

# on_terminal COMMAND...: its output on a terminal of its own, in tty.txt.
on_terminal() {
    python3 - "$@" <<'PY' >/dev/null
import os, pty, sys
out = open("tty.txt", "wb")
def read(fd):
    data = os.read(fd, 4096)
    out.write(data)
    return data
status = pty.spawn(sys.argv[1:], read)
out.close()
sys.exit(os.waitstatus_to_exitcode(status))
PY
}
export TERM=xterm
unset NO_COLOR
on_terminal "$nacre" run boxes.yaml --force || fail "run on a terminal: exit code $?"
grep -qa "ETA" tty.txt || fail "no ETA on a terminal"
grep -qa "200 bodies" tty.txt || fail "no body count on a terminal"
grep -qa "step .*/480" tty.txt || fail "no step count on a terminal"
on_terminal "$nacre" run boxes.yaml --force --quiet
grep -qa "ETA" tty.txt && fail "progress with --quiet"
on_terminal "$nacre" check boxes.nacre
grep -qa "frames/s  ETA" tty.txt || fail "no progress of a check on a terminal"
on_terminal "$nacre" check boxes.nacre --quiet
grep -qa "ETA" tty.txt && fail "progress of a check with --quiet"
on_terminal "$nacre" export boxes.nacre -o boxes.usda
grep -qa "frames/s  ETA" tty.txt || fail "no progress of an export on a terminal"
on_terminal "$nacre" export boxes.nacre -o boxes.usda --quiet
grep -qa "ETA" tty.txt && fail "progress of an export with --quiet"
on_terminal "$nacre" run --help
grep -qa $'\033\\[1m' tty.txt || fail "no bold headings on a terminal"
NO_COLOR=1 on_terminal "$nacre" run --help
grep -qa $'\033' tty.txt && fail "colour with NO_COLOR"
TERM=dumb on_terminal "$nacre" run --help
grep -qa $'\033' tty.txt && fail "colour on a dumb terminal"
on_terminal "$nacre" nonsense && fail "an unknown command is exit code 0"
grep -qa $'\033\\[31mnacre:' tty.txt || fail "an error is not red on a terminal"
NO_COLOR=1 on_terminal "$nacre" nonsense
grep -qa $'\033' tty.txt && fail "a red error with NO_COLOR"
expect 0 "$nacre" run boxes.yaml --force
grep -qa $'[\r\033]' out.txt err.txt && fail "progress or colour in pipes"
finish
