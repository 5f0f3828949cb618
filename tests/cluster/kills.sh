#!/usr/bin/env bash
# Random kills of the coordinator, of workers and of runs: every run ends up done once, with the hash it has without.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
kills=$(awk -v e="${NACRE_EFFORT:-1}" 'BEGIN { printf "%d", 10 * (e > 0 ? e : 1) + 0.5 }')
echo "kills: $kills, seed $seed (NACRE_SEED)"
study 12 20 60
expect 0 "$nacre" study study.yaml -o calm.nacre-study -n 2 -q
made=0
round=0
while [ "$made" -lt "$kills" ]; do
    round=$((round + 1))
    rm -rf faults.*
    coordinator=
    for _ in $(seq 2000); do
        if [ -z "$coordinator" ] || ! kill -0 "$coordinator" 2>/dev/null; then
            [ -n "$coordinator" ] && { wait "$coordinator" 2>/dev/null; code=$?; [ $code = 0 ] && break; }
            "$nacre" study study.yaml -o faults.nacre-study -n 2 -q &
            coordinator=$!
        fi
        sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
        [ "$made" -lt "$kills" ] || { wait "$coordinator"; break; }
        victim=
        case $((RANDOM % 4)) in
        0) victim=$coordinator ;;
        1) victim=$(a_worker faults.runs) ;;
        *) worker=$(a_worker faults.runs); [ -n "$worker" ] && victim=$(pgrep -P "$worker" | head -n 1) ;;
        esac
        [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && made=$((made + 1))
    done 2>/dev/null
    expect 0 "$nacre" study faults.nacre-study -n 2 -q
    settled faults.nacre-study
    [ "$round" -lt 1000 ] || { fail "no kills"; break; }
done
echo "kills: $made in $round studies of 12 runs, up to $(sqlite3 faults.nacre-study 'select max(attempts) from run') attempts of a run"
finish
