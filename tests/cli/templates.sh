#!/usr/bin/env bash
# nacre new --template: every template is the scene of its name, runs as it is, and things touch in it.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 0 "$nacre" new --list
cp out.txt list.txt
silent err.txt
[ "$(wc -l <list.txt)" -ge 13 ] || fail "fewer than 13 templates"
for file in "$root"/scenes/cookbook/*.yaml "$root"/scenes/demo/start.yaml; do
    grep -qE "^$(basename "$file" .yaml) " list.txt || fail "$file is no template"
done

# Steps in which something touches: frames of cloth are longer, and what falls into the bowl of `start` falls farther.
steps=24
for name in $(awk '{print $1}' list.txt); do
    mkdir "$name" && cd "$name" || exit 1
    expect 0 "$nacre" new --template "$name"
    says err.txt "nacre run $name.yaml"
    says err.txt "nacre view $name.nacre"
    source=$root/scenes/cookbook/$name.yaml
    [ "$name" != start ] || source=$root/scenes/demo/start.yaml
    sed '1{/^# test:/d}' "$source" | cmp -s - "$name.yaml" || fail "$name.yaml is not $source without its test line"
    [ "$name" != cloth ] || steps=6
    [ "$name" != start ] || steps=60
    expect 0 "$nacre" run "$name.yaml" --steps $steps --json -q
    json out.txt 'd["contact"]["contacts"] + d["contact"]["collisions"] > 0'
    expect 0 "$nacre" check "$name.nacre"
    steps=24
    cd ..
done

# Meshes go beside the scene. One that is there and the same is no obstacle; another one is not overwritten.
mkdir beside
expect 0 "$nacre" new beside/first.yaml -t cradle
cmp -s beside/pendulum.obj "$root/scenes/cookbook/pendulum.obj" || fail "the mesh is not that of the cookbook"
expect 0 "$nacre" new beside/second.yaml -t cradle
echo mine >beside/pendulum.obj
expect 6 "$nacre" new beside/third.yaml -t cradle
[ ! -e beside/third.yaml ] || fail "a scene was written without its mesh"
[ "$(cat beside/pendulum.obj)" = mine ] || fail "new overwrote a mesh"
expect 0 "$nacre" new beside/third.yaml -t cradle --force
cmp -s beside/pendulum.obj "$root/scenes/cookbook/pendulum.obj" || fail "--force did not write the mesh"

expect 2 "$nacre" new --template dominos
says err.txt "Did you mean 'dominoes'?"
expect 2 "$nacre" new --template xyzzy
says err.txt "nacre new --list"
[ ! -e dominos.yaml ] || fail "a misspelt template wrote a file"
finish
