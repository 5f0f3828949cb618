# A Slurm cluster of this machine alone: `. slurm.bash` and then slurm_start FOLDER, slurm_stop. Its own munged, slurmctld
# and two slurmd, on loopback, all files below FOLDER; processes are ended by their ids. No root is needed: all of them run as the user.
slurm_pids=()

# free_ports N: so many TCP ports that nobody listens at.
free_ports() {
    python3 - "$1" <<'PY'
import socket, sys
taken = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in taken:
    s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in taken])
PY
}

slurm_configure() {
    local ports host
    read -ra ports <<<"$(free_ports 4)"
    host=$(hostname -s)
    cat >"$slurm/slurm.conf" <<CONF
ClusterName=nacre
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool-%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd-%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd-%n.log
# No cgroups: processes are found by their parents.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PreemptType=preempt/none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=10000,bf_interval=1
SchedulerType=sched/backfill
MinJobAge=5
KillWait=3
SlurmdTimeout=10
InactiveLimit=0
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=2 RealMemory=1000
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=2 RealMemory=1000
PartitionName=all Nodes=one,two Default=YES MaxTime=INFINITE State=UP
CONF
}

# slurmd_start NODE: in the foreground of a process of ours, whose id goes to slurmd_NODE.
slurmd_start() {
    SLURM_CONF=$slurm/slurm.conf slurmd -D -N "$1" >>"$slurm/slurmd-$1.out" 2>&1 &
    slurm_pids+=($!)
    declare -g "slurmd_$1=$!"
}

slurm_start() {
    slurm=$1
    mkdir -p "$slurm/state" && chmod 755 "$slurm"
    dd if=/dev/urandom of="$slurm/munge.key" bs=128 count=1 status=none && chmod 400 "$slurm/munge.key"
    munged -F --force --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" --pid-file="$slurm/munged.pid" \
        --log-file="$slurm/munged.log" --seed-file="$slurm/munged.seed" --num-threads=2 >"$slurm/munged.out" 2>&1 &
    slurm_pids+=($!)
    slurm_configure
    export SLURM_CONF=$slurm/slurm.conf
    for _ in $(seq 50); do [ -S "$slurm/munge.socket" ] && break; sleep 0.1; done
    slurmctld -D -c >"$slurm/slurmctld.out" 2>&1 &
    slurm_pids+=($!)
    slurmctld=$!
    slurmd_start one
    slurmd_start two
    for _ in $(seq 100); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && return 0
        sleep 0.1
    done
    echo "slurm: the two nodes are not ready:"
    sinfo 2>&1 | head -n 4
    tail -n 5 "$slurm"/*.out "$slurm"/*.log 2>/dev/null
    return 1
}

slurm_stop() {
    local pid
    # Of this Slurm only, never of one that the machine has.
    [ -n "${slurm:-}" ] && [ "${SLURM_CONF:-}" = "$slurm/slurm.conf" ] && scancel -u "$(id -un)" 2>/dev/null
    for pid in $(printf '%s\n' "${slurm_pids[@]}" | tac); do kill "$pid" 2>/dev/null; done
    for _ in $(seq 50); do
        for pid in "${slurm_pids[@]}"; do kill -0 "$pid" 2>/dev/null && { sleep 0.1; continue 2; }; done
        break
    done
    for pid in "${slurm_pids[@]}"; do kill -9 "$pid" 2>/dev/null; done
    wait 2>/dev/null
    slurm_pids=()
}
