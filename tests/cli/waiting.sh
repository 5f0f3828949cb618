#!/usr/bin/env bash
# Threads that wait for work sleep instead of spinning, unless the environment decides otherwise.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
[ -r /proc/self/environ ] || { echo "SKIPPED: this system has no /proc"; exit 77; }
boxes 3 >boxes.yaml

# environment_of ENVIRONMENT...: runs a long scene with it, and prints how its threads are told to wait.
environment_of() {
    rm -f long.nacre
    env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT "$@" "$nacre" run boxes.yaml -o long.nacre -f -q --steps 1000000 -t 2 >run.txt &
    local pid=$!
    for _ in $(seq 200); do
        [ -s long.nacre ] && break
        sleep 0.05
    done
    tr '\0' '\n' <"/proc/$pid/environ" | grep -E '^(OMP_WAIT_POLICY|GOMP_SPINCOUNT)=' | sort | tr '\n' ' '
    cat "/proc/$pid/comm"
    kill -TERM $pid
    wait $pid
}
name=$(basename "$nacre")
[ "$(environment_of A=1)" = "GOMP_SPINCOUNT=1000 $name" ] || fail "waiting threads spin: $(environment_of A=1)"
[ "$(environment_of OMP_WAIT_POLICY=active)" = "OMP_WAIT_POLICY=active $name" ] || fail "what the user decided is changed"
[ "$(environment_of GOMP_SPINCOUNT=7)" = "GOMP_SPINCOUNT=7 $name" ] || fail "what the user decided is changed"

# Arguments, exit codes and signals are as without it.
env -u OMP_WAIT_POLICY "$nacre" run "no such file.yaml" >out.txt 2>err.txt
[ $? = 6 ] || fail "the exit code of a missing file"
says err.txt "no such file.yaml"
finish
