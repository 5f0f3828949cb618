#!/usr/bin/env bash
# Runs one scene with the exact audit on and judges its `expect` block: scene.sh NACRE SCENE
# A first line `# test: steps=N` bounds the run; without it the scene runs to its end.
# `exit=N` on that line is the exit code it must end with, for scenes that show an error.
set -u
nacre=$1 scene=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
options=() wanted=0
for word in $(sed -n '1s/^# *test: *//p' "$scene"); do
    case $word in
    steps=*) options+=(--steps "${word#steps=}") ;;
    bits=*) ;; # for scene_bits.sh
    exit=*) wanted=${word#exit=} ;;
    *) echo "$scene:1: a test line has steps=N, bits=N and exit=N, not $word"; exit 1 ;;
    esac
done
"$nacre" run "$scene" -o "$scratch/run.nacre" --audit --expect "${options[@]}"
got=$?
if [ $got != "$wanted" ]; then
    echo "$scene: exit code $got, wanted $wanted"
    exit 1
fi
