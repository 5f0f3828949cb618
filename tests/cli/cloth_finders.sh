#!/usr/bin/env bash
# Cloth: both ways of finding contacts, and any number of threads, give the same bits on the coarse scenes.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# same SCENE STEPS OPTIONS...: one hash from four runs.
same() {
    local scene=$root/scenes/harmon/$1.yaml name=$1 steps=$2 hash finder threads
    shift 2
    expect 0 "$nacre" run "$scene" -o run.nacre -f -q --steps "$steps" --threads 1 "$@" --json
    hash=$(value out.txt hash)
    kicks=$((kicks + $(python3 -c 'import json; print(json.load(open("out.txt"))["cloth"]["contact_kicks"])')))
    while read -r finder threads; do
        expect 0 "$nacre" run "$scene" -o run.nacre -f -q --steps "$steps" --threads "$threads" \
            --set "world.acm.finder=$finder" "$@" --json
        [ "$(value out.txt hash)" = "$hash" ] || fail "$name: another hash with finder $finder and $threads threads"
    done <<<"speculative 2
speculative 8
kinetic 1"
}

# With contacts, or it would prove little.
kicks=0
same coarse_reef_knot 30
same coarse_bowline 24
same coarse_sludge 24
same coarse_curtains 16
same coarse_compactor 2
same coarse_nails_draped 3
same coarse_balls_on_nails 2 --set "bodies.2.bodies.small.position=[0.6, 1.4, 0.6]" # just above the nails
[ "$kicks" -gt 1000 ] || fail "$kicks contact kicks in all scenes"
finish
