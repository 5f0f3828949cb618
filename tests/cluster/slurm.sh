#!/usr/bin/env bash
# nacre study --on slurm: the results of --on local, on a real Slurm that is started here; and that kills, cancelled and
# requeued tasks, a lost node daemon and a killed coordinator lose nothing.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
. "$root/tests/cluster/slurm.bash"
need munged slurmctld
trap 'slurm_stop; rm -rf "$scratch"' EXIT
slurm_start "$scratch/slurm" || { fail "Slurm does not start"; finish; }

study 50 4 20
expect 0 "$nacre" study study.yaml -o calm.nacre-study -n 2 -q
expect 0 "$nacre" study study.yaml -o slurm.nacre-study --on slurm --memory 100M --per-task 5 --sbatch=--exclusive=user
says err.txt "10 tasks"
settled slurm.nacre-study
expect 6 "$nacre" study study.yaml -o none.nacre-study --on slurm --partition moon -q
says err.txt "sbatch did not take the job"

# ---- films and other commands
need ffmpeg
film_alone
film_on slurm
# What was killed is run again, and what has ended is not.
printf '%s\n' 'echo x >>one; [ "$(wc -l <one)" -gt 1 ] || kill -9 $$' 'echo x >>two' |
    "$root/scripts/spread" --on slurm spread 2>err.txt || fail "a command that was killed did not end: $(cat err.txt)"
[ "$(cat one two | wc -l)" = 3 ] || fail "commands ran $(cat one two | wc -l) times instead of 3"

# ---- faults
study 10 20 80
expect 0 "$nacre" study study.yaml -o calm.nacre-study -n 2 -q --force
"$nacre" study study.yaml -o faults.nacre-study --on slurm -q &
coordinator=$!
# busy: the process of a worker, as soon as there is one.
busy() {
    for _ in $(seq 100); do
        worker=$(a_worker faults.runs)
        [ -n "$worker" ] && return
        sleep 0.1
    done
    fail "no worker started"
}
# A task in state RUNNING.
a_task() { squeue -h -r -t RUNNING -o %i | head -n 1; }
busy
kill -9 "$worker"
busy
kill -9 $(pgrep -P "$worker")
busy
scancel "$(a_task)"
busy
scontrol requeue "$(a_task)"
kill -9 $coordinator
{ wait $coordinator; } 2>/dev/null
kill -9 "$slurmd_one"
{ wait "$slurmd_one"; } 2>/dev/null
slurmd_start one
"$nacre" study study.yaml -o faults.nacre-study --on slurm -q &
coordinator=$!
sleep 1
kill -TERM $coordinator # it cancels its jobs
wait $coordinator
[ $? = 130 ] || fail "SIGTERM does not end a study with exit code 130"
[ -z "$(squeue -h)" ] || fail "jobs are left after a study was ended: $(squeue -h | head -n 3)"
expect 0 "$nacre" study study.yaml -o faults.nacre-study --on slurm --detach -q
expect 0 "$nacre" study cancel faults.nacre-study
[ -z "$(squeue -h)" ] || fail "jobs are left after cancel: $(squeue -h | head -n 3)"
expect 0 "$nacre" study study.yaml -o faults.nacre-study --on slurm -q
settled faults.nacre-study
attempts=$(sqlite3 faults.nacre-study 'select sum(attempts) from run')
[ "$attempts" -ge 13 ] || fail "10 runs with faults took only $attempts attempts: the kills hit nothing"
echo "slurm: $attempts attempts of 10 runs"
finish
