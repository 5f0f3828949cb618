#!/usr/bin/env bash
# Interrupted runs resume to the same bits: after SIGINT, after SIGTERM, after kill -9.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
boxes 60 20 >boxes.yaml # 480 steps
expect 0 "$nacre" run boxes.yaml -o whole.nacre --json -q
hash=$(value out.txt hash)
# frames RUN: how many are stored so far; also while the run is being written.
frames() {
    "$nacre" info "$1" 2>/dev/null | awk '$1 == "frames" { n = $2 } END { print n + 0 }'
}

# interrupt SIGNAL RUN FRAMES OPTIONS: starts a run, sends the signal when so many frames are there, sets $code.
interrupt() {
    "$nacre" run boxes.yaml -o "$2" "${@:4}" >out.txt 2>err.txt &
    local child=$! tries=0
    until [ -e "$2" ] && [ "$(frames "$2")" -ge "${3:-30}" ]; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] && kill -0 $child 2>/dev/null || break
        sleep 0.01
    done
    kill "-$1" $child 2>/dev/null || fail "the run ended before signal $1 came"
    wait $child 2>/dev/null
    code=$?
}

for signal in INT TERM; do
    interrupt $signal "$signal.nacre"
    [ $code = 130 ] || fail "exit code $code after SIG$signal, wanted 130"
    says out.txt "interrupted"
    says err.txt "nacre run --resume $signal.nacre"
    [ "$(echo $signal.nacre*)" = $signal.nacre ] || fail "an interrupted run leaves more than one file"
    expect 0 "$nacre" info $signal.nacre --json
    json out.txt 'not d["finished"] and 1 < d["frames"] < 481'
    expect 0 "$nacre" run --resume $signal.nacre --json -q
    json out.txt 'd["status"] == "finished" and d["steps"] == 480 and d["frames"] == 481 and d["steps_here"] < 480'
    [ "$(value out.txt hash)" = "$hash" ] || fail "another hash after SIG$signal and resume"
done

for round in 1 2 3; do
    interrupt KILL kill.nacre $((round * 25))
    [ $code = 137 ] || fail "exit code $code after kill -9"
    stored=$(frames kill.nacre)
    expect 0 "$nacre" run boxes.yaml -o kill.nacre --resume --json -q
    json out.txt "d['frames'] == 481 and d['status'] == 'finished' and $stored > 1"
    [ "$(value out.txt hash)" = "$hash" ] || fail "another hash after kill -9 and resume"
    rm kill.nacre*
done

# A resumed run that is stopped before it comes to the end of what was stored loses nothing.
expect 0 "$nacre" run boxes.yaml -o behind.nacre --steps 100 -q
expect 0 "$nacre" run --resume behind.nacre --steps 120 -q
python3 - behind.nacre <<'PY' || fail "no older checkpoint to go back to"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("delete from checkpoint where frame = (select max(frame) from checkpoint)")
db.commit()
sys.exit(0 if db.execute("select count(*) from checkpoint").fetchone()[0] > 0 else 1)
PY
expect 0 "$nacre" run --resume behind.nacre --steps 110 --json -q
expect 0 "$nacre" run --resume behind.nacre --steps 480 --json -q
json out.txt 'd["frames"] == 481 and d["status"] == "finished"'
[ "$(value out.txt hash)" = "$hash" ] || fail "another hash after a stop among stored frames"

# Every stored frame is equal, bit by bit, not only the last state.
python3 - whole.nacre INT.nacre <<'PY' || fail "the frames of a resumed run differ from those of an uninterrupted one"
import sqlite3, sys
def rows(path):
    db = sqlite3.connect(path)
    return db.execute("select id, step, time, hash from frame order by id").fetchall()
a, b = rows(sys.argv[1]), rows(sys.argv[2])
sys.exit(0 if a == b and len(a) == 481 else 1)
PY

# A finished run: resuming does nothing, or makes it longer.
expect 0 "$nacre" run boxes.yaml -o short.nacre --steps 100 -q
expect 0 "$nacre" run --resume short.nacre --json -q
json out.txt 'd["steps_here"] == 0 and d["steps"] == 100 and d["status"] == "finished"'
expect 0 "$nacre" run --resume short.nacre --steps 480 --json -q
json out.txt 'd["steps_here"] == 380 and d["frames"] == 481'
[ "$(value out.txt hash)" = "$hash" ] || fail "another hash after a run was made longer"

# Stopping on the way, more than once, changes nothing.
expect 0 "$nacre" run boxes.yaml -o parts.nacre --every 7 -q
whole=$(frames parts.nacre)
interrupt INT parts2.nacre 3 --every 7
expect 0 "$nacre" info parts2.nacre --json
stopped=$(value out.txt steps) # on a busy machine the signal comes late
for third in 1 2; do
    steps=$((stopped + (480 - stopped) * third / 3))
    expect 0 "$nacre" run --resume parts2.nacre --steps $steps --json -q
    json out.txt "d['steps'] == $steps and d['status'] == 'stopped' and d['steps_wanted'] == 480"
done
expect 0 "$nacre" run --resume parts2.nacre --json -q
json out.txt "d['status'] == 'finished' and d['frames'] == $whole"
[ "$(value out.txt hash)" = "$hash" ] || fail "another hash after stops on the way"

# Audits and expectations of a resumed run cover the frames stored before.
interrupt INT judged.nacre
expect 0 "$nacre" run --resume judged.nacre --expect --json -q
json out.txt 'd["audit"]["frames"] == 481 and d["expect"]["failed"] == 0 and d["audit"]["intersecting_pairs"] == 0'
crossing_run crossing.nacre 23
expect 1 "$nacre" run --resume crossing.nacre --steps 24 --audit --json -q
json out.txt 'd["audit"]["frames"] == 25 and d["audit"]["first_intersecting_frame"] == 12'

# What contact did before a run was stopped counts after it too.
crossing >crossing.yaml
expect 0 "$nacre" run crossing.yaml -o met.nacre --every 5 --json -q
python3 -c 'import json; print(json.load(open("out.txt"))["contact"])' >whole.txt
grep -q "'collisions': [1-9]" whole.txt || fail "the boxes did not collide: $(cat whole.txt)"
expect 0 "$nacre" run crossing.yaml -o met2.nacre --every 5 --steps 15 -q
expect 0 "$nacre" run --resume met2.nacre --steps 24 --json -q
python3 -c 'import json; print(json.load(open("out.txt"))["contact"])' >parts.txt
cmp -s whole.txt parts.txt || fail "contact of a resumed run: $(cat parts.txt), not $(cat whole.txt)"

# A run that does not come out as it is stored is a broken promise, exit code 5: here the checkpoint is that of
# another run, put in place with its checksum.
boxes 3 2 >three.yaml
expect 0 "$nacre" run three.yaml -o broken.nacre --steps 30 -q
expect 0 "$nacre" run three.yaml -o other.nacre --steps 24 -q --set 'bodies.0.spin=[0.1, 9, 0.2]'
python3 - <<'PY' || fail "the run file could not be changed"
import sqlite3
db = sqlite3.connect("broken.nacre")
db.execute("attach 'other.nacre' as other")
db.execute("delete from checkpoint")
db.execute("insert into checkpoint select * from other.checkpoint")
for table, key in ("frame", "id"), ("pose", "frame"):
    db.execute(f"delete from {table} where {key} = 24")
    db.execute(f"insert into {table} select * from other.{table} where {key} = 24")
db.commit()
PY
expect 5 "$nacre" run --resume broken.nacre --steps 40
says err.txt "broken.nacre: step 25"
says err.txt "This is a defect in Nacre."

# What cannot be resumed.
rm other.nacre
expect 2 "$nacre" run --resume short.nacre --set world.duration=3
expect 2 "$nacre" run --resume short.nacre --every 2
expect 2 "$nacre" run --resume short.nacre -o other.nacre
expect 2 "$nacre" run boxes.yaml --resume -o short.nacre --set world.friction=0.7
says err.txt "another scene"
expect 6 "$nacre" run --resume nothing.nacre
head -c 3000 short.nacre >cut.nacre
expect 3 "$nacre" run --resume cut.nacre
expect 0 "$nacre" run boxes.yaml --resume -o fresh.nacre --steps 5 --json
json out.txt 'd["steps"] == 5'
finish
