# For the scripts of this folder: what those of tests/cli share, and a study whose runs take a moment.
. "$(dirname "${BASH_SOURCE[0]}")/../cli/common.bash"
. "$root/tests/tools/need.sh"

# study COUNT BOXES SECONDS: study.yaml with so many runs of so many boxes.
study() {
    boxes "$2" "$3" >boxes.yaml
    cat >study.yaml <<STUDY
nacre_study: 1
title: Boxes under some gravity
scene: boxes.yaml
parameters: {world.gravity.1: {from: -1, to: -9, count: $1}}
measure: {low: select min(y) from pose, energy: kinetic}
STUDY
}
# rows FILE: what of every run must be the same, wherever and however it was made.
rows() { sqlite3 "$1" 'select number, status, hash, steps, low, energy, exit_code from run order by number'; }
# settled FILE: every run is done once, and nothing is left lying about.
settled() {
    [ "$(sqlite3 "$1" "select count(*) = max(number) and sum(status = 'done') = count(*) from run")" = 1 ] ||
        fail "$1: not every run is done: $(sqlite3 "$1" 'select status, count(*) from run group by status')"
    [ "$(rows "$1")" = "$(rows calm.nacre-study)" ] || fail "$1: other results than without faults"
    ls "${1%.nacre-study}.runs/locks" "${1%.nacre-study}.runs/results" | grep '[0-9]' && fail "$1: locks or results are left"
}
# a_worker FOLDER: the process of a worker that has started its run; empty when there is none.
a_worker() {
    local lock pid
    for lock in $(ls "$1"/locks 2>/dev/null | shuf --random-source=<(seeded)); do
        pid=$(tail -n 1 "$1/locks/$lock" 2>/dev/null | cut -d ' ' -f 3)
        [ -n "$pid" ] && pgrep -P "$pid" >/dev/null && { echo "$pid"; return; }
    done
}
seed=${NACRE_SEED:-1}
seeded() { openssl enc -aes-256-ctr -pass pass:"$seed$RANDOM" -nosalt </dev/zero 2>/dev/null; }
RANDOM=$seed
# film_on WHERE OPTION...: a film of boxes.nacre, its frames rendered there, is that of one process.
film_on() {
    local where=$1
    shift
    NACRE=$nacre "$root/scripts/film" boxes.nacre "$where.mp4" --on "$where" --per-task 3 "$@" -- --size 64x48 --samples 1 --threads 1 ||
        fail "no film --on $where"
    cmp "$where.mp4" alone.mp4 || fail "the film made --on $where is another one"
    [ ! -e "$where.mp4.frames" ] || fail "frames of a film are left"
}
film_alone() {
    boxes 3 10 >boxes.yaml
    expect 0 "$nacre" run boxes.yaml -q -f -o boxes.nacre -n 11
    expect 0 "$nacre" render boxes.nacre -o alone.mp4 --size 64x48 --samples 1 --threads 1 -q
}
