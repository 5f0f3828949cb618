#!/usr/bin/env bash
# Numbers that only cost time change no bit: effort.sh PLAIN PERTURBED SCENES
# PLAIN and PERTURBED are hash_scenes without and with NC_PERTURB_EFFORT (src/base/effort_constants.h). The second one runs
# on three threads, since many of the numbers say what a thread takes at a time.
set -u
plain=$1 perturbed=$2 scenes=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMP_WAIT_POLICY=passive # tests share the machine: waiting threads sleep

# A pile, chains, a wall of bricks, mechanisms, grips and scripts, bodies that rest, break, jam, and are stacked by vsp.
runs=(
    english/fig13_boats_100 60
    english/fig10_chains 6
    tight/chain_sagging_20 20
    tight/gears 20
    tight/bolt 6
    tight/drum 20
    tight/gripper_friction 40
    tests/kinematic_script 40
    tests/jam_stop 30
    tests/failsafe 20
    shells/stack 20
    shells/rings_on_hook 50
    shells/needle_and_plates 30
    su/fig04_wall 30
    erleben/fig09_stack 30
)
arguments=()
for ((k = 0; k < ${#runs[@]}; k += 2)); do
    arguments+=("$scenes/${runs[k]}.yaml" "${runs[k + 1]}")
done
"$plain" 1 "${arguments[@]}" >"$scratch/plain.txt" || exit 1
"$perturbed" 3 "${arguments[@]}" >"$scratch/perturbed.txt" || exit 1
if ! cmp -s "$scratch/plain.txt" "$scratch/perturbed.txt"; then
    echo "FAIL: a number of src/base/effort_constants.h changes results; it belongs in src/base/model_constants.h. First difference:"
    diff "$scratch/plain.txt" "$scratch/perturbed.txt" | sed -n '2p;/^>/{p;q}'
    exit 1
fi
echo "$(wc -l <"$scratch/plain.txt") steps of $((${#runs[@]} / 2)) scenes: the same hashes with all effort constants changed"
