#!/usr/bin/env bash
# Random kills of workers, of runs, of the coordinator and of slurmd, and random scancel, while a study runs on Slurm: every
# run ends up done once, with the results it has without faults. 3 kills; 30 and more by NACRE_EFFORT.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
. "$root/tests/cluster/slurm.bash"
need munged slurmctld
trap 'slurm_stop; rm -rf "$scratch"' EXIT
slurm_start "$scratch/slurm" || { fail "Slurm does not start"; finish; }
kills=$(awk -v e="${NACRE_EFFORT:-1}" 'BEGIN { printf "%d", 3 * (e > 0 ? e : 1) + 0.5 }')
echo "slurm_kills: $kills, seed $seed (NACRE_SEED)"
study 10 20 80
expect 0 "$nacre" study study.yaml -o calm.nacre-study -n 2 -q
names=(worker run coordinator slurmd scancel)
counts=(0 0 0 0 0)
made=0 rounds=0 coordinator=
start() {
    "$nacre" study study.yaml -o faults.nacre-study --on slurm -q 2>>study.log &
    coordinator=$!
}
# strike KIND: true when it hit something.
strike() {
    local worker task
    case $1 in
    0) worker=$(a_worker faults.runs) && [ -n "$worker" ] && kill -9 "$worker" ;;
    1) worker=$(a_worker faults.runs) && [ -n "$worker" ] && kill -9 "$(pgrep -P "$worker" | head -n 1)" ;;
    2) kill -9 "$coordinator" ;;
    3)
        local node=one
        [ $((RANDOM % 2)) = 0 ] && node=two
        local -n daemon=slurmd_$node
        kill -9 "$daemon" && { wait "$daemon" || true; } && slurmd_start $node
        ;;
    4) task=$(squeue -h -r -t RUNNING -o %i | shuf -n 1 --random-source=<(seeded)) && [ -n "$task" ] && scancel "$task" ;;
    esac 2>/dev/null
}
while [ "$made" -lt "$kills" ] && [ "$rounds" -lt 200 ]; do
    rounds=$((rounds + 1))
    rm -rf faults.*
    start
    for _ in $(seq 600); do
        sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
        if ! kill -0 "$coordinator" 2>/dev/null; then # it was killed, or the study is over
            { wait "$coordinator"; code=$?; } 2>/dev/null
            [ $code = 0 ] && break
            start
        fi
        [ "$made" -lt "$kills" ] || continue
        kind=$((RANDOM % 5))
        strike $kind && { made=$((made + 1)); counts[kind]=$((counts[kind] + 1)); }
    done 2>/dev/null
    { wait "$coordinator"; } 2>/dev/null
    expect 0 "$nacre" study study.yaml -o faults.nacre-study --on slurm -q
    settled faults.nacre-study
done
[ "$made" -ge "$kills" ] || fail "only $made of $kills kills hit something"
for kind in 0 1 2 3 4; do printf '%s %d, ' "${names[kind]}" "${counts[kind]}"; done
echo "in $rounds studies of 10 runs, the last with $(sqlite3 faults.nacre-study 'select sum(attempts) from run') attempts"
finish
