#!/usr/bin/env bash
# mpirun -n N nacre run: the state hash of one process, for any number of ranks and threads and after a resume with other
# numbers; cloth is refused; a rank that is killed, or does not answer, ends the run, which goes on where it was.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
need mpirun "$(dirname "$nacre")/nacre-ranks.so"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_orte_tmpdir_base="$scratch" OMPI_MCA_btl_vader_single_copy_mechanism=none
hash_of() { grep -o 'state hash [0-9a-f]*' "$1"; }
# on RANKS THREADS ARGUMENT...: a run on ranks.
on() { local n=$1 t=$2; shift 2; mpirun -n "$n" "$nacre" run -t "$t" -q -v "$@" </dev/null >out.txt 2>err.txt; }
# check SCENE STEPS NUMBERS...: on "ranks x threads" each; then the first half on one number, the second on another.
check() {
    local scene=$root/scenes/$1.yaml steps=$2 want x
    shift 2
    "$nacre" run "$scene" -t 1 -q -v -f -o one.nacre -n "$steps" >one.txt 2>err.txt || fail "$scene: $(head -n 3 err.txt)"
    want=$(hash_of one.txt)
    for x in "$@"; do
        on "${x%x*}" "${x#*x}" "$scene" -f -o ranks.nacre -n "$steps" || fail "$scene on $x: $(head -n 3 err.txt)"
        [ "$(hash_of out.txt)" = "$want" ] || fail "$scene on $x: $(hash_of out.txt), not $want"
        [ "${x%x*}" = 1 ] || says out.txt "ranks: ${x%x*};"
    done
    on 3 1 "$scene" -f -o parts.nacre -n $((steps / 2)) || fail "$scene, first half: $(head -n 3 err.txt)"
    "$nacre" run --resume parts.nacre -t 2 -q -n $((steps * 3 / 4)) >out.txt 2>err.txt || fail "$scene, alone: $(head -n 3 err.txt)"
    on 2 1 --resume parts.nacre -n "$steps" || fail "$scene, the rest: $(head -n 3 err.txt)"
    [ "$(hash_of out.txt)" = "$want" ] || fail "$scene resumed with other numbers: $(hash_of out.txt), not $want"
    echo "world: $scene: $want"
}
more=
awk -v e="${NACRE_EFFORT:-1}" 'BEGIN { exit !(e > 1) }' && more="1x1 1x2 2x2 3x1 3x2 4x2"
check english/fig13_boats_100 24 2x1 4x1 $more
check english/fig10_chains 4 2x1 $more
check su/window_ball 16 2x1 3x2 $more
check erleben/fig20_tower 8 2x2 $more
check tight/planetary 8 2x1 $more
check tests/emit_hopper 40 3x1 $more

# The audit is shared, too; and only rank 0 writes and prints.
on 3 1 "$root/scenes/english/fig13_boats_100.yaml" -f -o ranks.nacre -n 6 --audit || fail "audited: $(head -n 3 err.txt)"
says out.txt "audits: per step"
[ "$(grep -c 'state hash' out.txt)" = 1 ] || fail "more than one rank prints"

on 2 1 "$root/scenes/cookbook/cloth.yaml" -f -o cloth.nacre && fail "cloth is not refused"
says err.txt "simulated by one process"

# ---- faults
scene=$root/scenes/english/fig13_boats_100.yaml
"$nacre" run "$scene" -t 1 -q -v -f -o one.nacre -n 120 >one.txt
frames() { sqlite3 lost.nacre 'select count(*) from frame' 2>/dev/null || echo 0; }
# started COUNT: waits until lost.nacre has more frames than that, and finds a rank that is not the first.
started() {
    for _ in $(seq 1000); do
        [ "$(frames)" -gt "$1" ] && break
        sleep 0.05
    done
    rank=$(pgrep -P "$job" | tail -n 1)
    [ -n "$rank" ] || fail "no rank was found"
}
mpirun -n 3 "$nacre" run "$scene" -t 1 -q -f -o lost.nacre -n 120 </dev/null >out.txt 2>err.txt &
job=$!
started 4
kill -9 "$rank"
wait $job && fail "a run goes on without one of its ranks"
before=$(frames)
mpirun -n 2 "$nacre" run --resume lost.nacre -t 1 -q -n 120 --rank-wait 2 </dev/null >out.txt 2>err.txt &
job=$!
started $((before + 2))
kill -STOP "$rank"
wait $job
code=$?
kill -CONT "$rank" 2>/dev/null
[ $code != 0 ] || fail "a run goes on with a rank that does not answer"
says err.txt "has not answered for 2 s"
expect 0 "$nacre" run --resume lost.nacre -t 1 -q -v -n 120
[ "$(hash_of out.txt)" = "$(hash_of one.txt)" ] || fail "after faults: $(hash_of out.txt), not $(hash_of one.txt)"
# SIGTERM ends a run in order.
rm -f lost.nacre*
mpirun -n 2 "$nacre" run "$scene" -t 1 -f -o lost.nacre -n 100000 </dev/null >out.txt 2>err.txt &
job=$!
started 4
kill -TERM "$(pgrep -P "$job" | head -n 1)"
wait $job
says err.txt "To continue: nacre run --resume"
finish
