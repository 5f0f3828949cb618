#!/usr/bin/env bash
# nacre study --on mpi: the results of --on local, also when a rank is killed.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
need mpirun "$(dirname "$nacre")/nacre-mpi"
# As root, and more ranks than processors: both are fine here.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_orte_tmpdir_base="$scratch"
need ffmpeg
film_alone
film_on local
film_on mpi --launcher "mpirun -n 3"
printf 'echo %d; test %d != 2\n' 1 1 2 2 3 3 | "$root/scripts/spread" --on mpi --jobs 2 spread 2>err.txt
[ $? = 1 ] || fail "a command that fails is not told"
says err.txt "3 ended, 1 of them with an error"
[ "$(cat spread/1.log spread/3.log)" = "1
3" ] || fail "commands did not run"
study 8 20 40
expect 0 "$nacre" study study.yaml -o calm.nacre-study -n 2 -q
expect 0 "$nacre" study study.yaml -o mpi.nacre-study --on mpi -n 3 -q
settled mpi.nacre-study
[ "$(sqlite3 mpi.nacre-study 'select sum(attempts) from run')" = 8 ] || fail "runs were made more than once"
"$nacre" study study.yaml -o faults.nacre-study --on mpi -n 2 -q 2>err.txt &
coordinator=$!
for _ in $(seq 200); do
    worker=$(a_worker faults.runs)
    [ -n "$worker" ] && break
    sleep 0.05
done
rank=$(ps -o ppid= -p "${worker:-1}" | tr -d ' ')
[ -n "$worker" ] && [ "$(cat "/proc/$rank/comm")" = nacre-mpi ] && kill -9 "$rank" || fail "no rank was killed"
wait $coordinator || fail "the study did not go on after the loss of a rank: $(head -n 3 err.txt)"
settled faults.nacre-study
expect 6 "$nacre" study study.yaml -o none.nacre-study --on mpi --launcher "no-such-launcher -n 2" -q
says err.txt "is MPI installed?"
finish
