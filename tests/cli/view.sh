#!/usr/bin/env bash
# nacre view: serves a run at a free port of loopback, answers what it knows, and refuses cleanly whatever else is asked.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
. "$root/tests/tools/need.sh"
boxes 3 >boxes.yaml
expect 0 "$nacre" run boxes.yaml -q
"$nacre" view boxes.nacre --no-open -q >probe.txt 2>&1 &
probe=$!
sleep 0.5
kill $probe 2>/dev/null
wait $probe
if grep -q 'built without' probe.txt; then
    if [ "${NACRE_REQUIRE_ALL:-0}" = 1 ]; then
        echo "FAIL: $(cat probe.txt)"
        exit 1
    fi
    echo "SKIPPED: $(cat probe.txt)"
    exit 77
fi

expect 6 "$nacre" view absent.nacre --no-open
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >mesh.obj
expect 2 "$nacre" view mesh.obj --no-open
says err.txt "mesh"
expect 2 "$nacre" view boxes.nacre --no-open --host example.org
says err.txt "IPv4"
expect 2 "$nacre" view boxes.nacre --no-open --set world.timestep=1
expect 2 "$nacre" view boxes.nacre --no-open --port 70000

# serve ARGUMENTS...: starts the server in the background; its address is in $url, its process in $server.
serve() {
    rm -f url.txt serve_err.txt
    "$nacre" view "$@" --no-open >url.txt 2>serve_err.txt &
    server=$!
    for _ in $(seq 200); do
        [ -s url.txt ] 2>/dev/null && break
        kill -0 $server 2>/dev/null || break
        sleep 0.05
    done
    url=$(head -n 1 url.txt)
    [ -n "$url" ] || fail "no address: $(cat serve_err.txt)"
}

# stop CODE: Ctrl-C ends it, with this exit code.
stop() {
    kill -INT $server
    wait $server
    local code=$?
    [ "$code" = "$1" ] || fail "the server ended with $code, wanted $1: $(cat serve_err.txt)"
}

serve boxes.nacre
case $url in http://127.0.0.1:*/) ;; *) fail "address $url" ;; esac
python3 "$root/tests/tools/hostile.py" "$url" || fail "hostile requests"
kill -0 $server || fail "the server did not survive"
stop 0

# A run that grows: a question that waits for new frames is answered when there are some, or after two seconds; many
# that wait hold up nobody.
boxes 2 100000 >long.yaml
"$nacre" run long.yaml -q >run.txt 2>&1 &
runner=$!
for _ in $(seq 100); do
    [ -s long.nacre ] && [ "$(sqlite3 long.nacre 'select count(*) from frame' 2>/dev/null || echo 0)" -gt 3 ] && break
    sleep 0.05
done
kill -INT $runner
wait $runner
serve long.nacre
cat >wait.py <<'PY'
import json, subprocess, sys, threading, time, urllib.request
url, nacre = sys.argv[1:]
def ask(after):
    begin = time.monotonic()
    head = json.load(urllib.request.urlopen(f"{url}api/head?after={after}", timeout=20))
    return head["frames"], time.monotonic() - begin
frames, _ = ask(0)
assert ask(frames - 1)[1] < 1, "it waits although there is more"
same, waited = ask(frames)
assert same == frames and 1.5 < waited < 6, (same, frames, waited)
answers = []
waiting = [threading.Thread(target=lambda: answers.append(ask(frames))) for _ in range(30)]
for thread in waiting: thread.start()
time.sleep(0.3)
_, waited = ask(0)
assert waited < 2, f"whoever does not wait waited {waited} s"
for thread in waiting: thread.join()
assert len(answers) == 30 and sum(waited < 1.5 for _, waited in answers) >= 20, answers
# The run goes on: the answer comes with its next frame.
runner = subprocess.Popen([nacre, "run", "--resume", "long.nacre", "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    deadline = time.monotonic() + 30
    while (more := ask(frames))[0] == frames and time.monotonic() < deadline: pass
    assert more[0] > frames and more[1] < 2.5, (more, frames)
finally:
    runner.send_signal(2)
    runner.wait()
PY
python3 wait.py "$url" "$nacre" || fail "waiting for new frames"
stop 0

# A second server at a port that is taken says so.
serve boxes.nacre
port=${url##*:}
expect 6 "$nacre" view boxes.nacre --no-open --port "${port%/}"
says err.txt "port"
stop 0

# Beyond loopback only by an explicit flag, and then with a warning.
serve boxes.nacre --host 0.0.0.0
says serve_err.txt "warning: everyone"
stop 0

# A scene that is refused is shown with what touches and overlaps, and the exit code says that it cannot start.
cat >refused.yaml <<SCENE
nacre: 1
shapes: {ground: {generate: plane, size: 10}, crate: {generate: box}}
bodies:
  - {name: floor, shape: ground, type: static}
  - {name: low, shape: crate, position: [0, 0.5, 0]}
  - {name: high, shape: crate, position: [0.1, 1.46, 0.1], rotation: {axis: [0, 1, 0], angle: 20}}
SCENE
serve refused.yaml -o kept-not.nacre
says serve_err.txt "starts intersecting"
cat >refused.py <<'PY'
import json, sys, urllib.request
def ask(what): return json.load(urllib.request.urlopen(sys.argv[1] + "api/" + what))
head, refusal = ask("head"), ask("refusal")
assert head["refused"] and head["frames"] == 1 and head["bodies"] == 3, head
assert refusal["command"] == "nacre repair refused.yaml -o repaired.yaml" and refusal["count"] == 2, refusal
touching, overlapping = refusal["pairs"]
assert (touching["a"], touching["b"], touching["kind"], touching["depth"]) == (0, 1, "touching", 0), touching
assert (overlapping["a"], overlapping["b"], overlapping["kind"]) == (1, 2, "overlapping") and abs(overlapping["depth"] - 0.04) < 1e-3, overlapping
assert overlapping["direction"] == [0, -1, 0] and 'apart when "high" moves up' in overlapping["text"], overlapping
for pair in refusal["pairs"]:
    assert pair["partsA"] and pair["partsB"] and all(len(part) == 9 for part in pair["partsA"] + pair["partsB"]), pair
PY
python3 refused.py "$url" || fail "what is told of a refused scene"
stop 4
[ ! -e kept-not.nacre ] || fail "a refused scene left a run file"
serve boxes.nacre
python3 -c 'import sys, urllib.request, urllib.error
try: urllib.request.urlopen(sys.argv[1] + "api/refusal")
except urllib.error.HTTPError as error: sys.exit(error.code != 404)
sys.exit(1)' "$url" || fail "a run has a refusal"
stop 0

# A scene is simulated while it is served; its run is temporary, or kept with --output.
export TMPDIR=$scratch/temporary
mkdir "$TMPDIR"
serve boxes.yaml
# Only a page of this server may pause and restart, and only what is simulated here.
cat >command.py <<'PY'
import json, sys, time, urllib.error, urllib.request
url = sys.argv[1]
def head(): return json.load(urllib.request.urlopen(url + "api/head"))
def post(path, **headers):
    try:
        return urllib.request.urlopen(urllib.request.Request(url + path, data=b"", headers=headers)).status
    except urllib.error.HTTPError as error:
        return error.code
own = url.rstrip("/")
if len(sys.argv) > 2:
    assert post("api/restart", Origin=own) == 403 and "generation" not in head()
    sys.exit()
assert head()["controls"] and not head()["paused"] and head()["generation"] == 1
for headers, wanted in [({}, 403), ({"Origin": "http://example.org"}, 403), ({"Origin": own, "Sec-Fetch-Site": "cross-site"}, 403)]:
    assert post("api/pause", **headers) == wanted, headers
assert post("api/head", Origin=own) == 405 and post("", Origin=own) == 405
assert not head()["paused"]
assert post("api/pause", Origin=own) == 200 and head()["paused"]
assert post("api/continue", Origin=own) == 200 and not head()["paused"]
assert post("api/restart", Origin=own) == 200
end = time.monotonic() + 20
while head()["generation"] != 2:
    assert time.monotonic() < end, head()
    time.sleep(0.05)
PY
python3 command.py "$url" || fail "requests of a page"
[ "$(ls "$TMPDIR" | wc -l)" = 1 ] || fail "no temporary folder"
for _ in $(seq 100); do
    python3 -c 'import json, sys, urllib.request; d = json.load(urllib.request.urlopen(sys.argv[1] + "api/head")); sys.exit(not (d["finished"] and d["frames"] == 25))' "$url" && break
    sleep 0.1
done || fail "the run was not completed"
stop 0
[ "$(ls "$TMPDIR" | wc -l)" = 0 ] || fail "left behind: $(ls -R "$TMPDIR")"
serve boxes.yaml -o kept.nacre
sleep 0.5
stop 0
expect 0 "$nacre" info kept.nacre
expect 2 "$nacre" view boxes.yaml -o kept.nacre --no-open
says err.txt "exists"
serve kept.nacre
python3 command.py "$url" run || fail "a run file cannot be restarted"
stop 0
finish
