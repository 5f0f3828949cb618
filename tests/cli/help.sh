#!/usr/bin/env bash
# Help, version, suggestions, and that the documentation has every option.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

commands="new run view render check info export import plot study query pattern bench doctor completion"
expect 0 "$nacre" --help
cp out.txt overview.txt
silent err.txt
for command in $commands; do
    says overview.txt "  $command "
    expect 0 "$nacre" "$command" --help
    cp out.txt long.txt
    silent err.txt
    says long.txt "nacre $command"
    says long.txt "--help"
    expect 0 "$nacre" "$command" -h
    cmp -s out.txt long.txt || fail "$command: -h and --help differ"
    expect 0 "$nacre" help "$command"
    cmp -s out.txt long.txt || fail "help $command and $command --help differ"
    expect 0 "$nacre" "$command" --no-such-option --help
    grep -n " $" long.txt && fail "$command --help: spaces at the end of a line"
    awk 'length > 110 { bad = 1 } END { exit bad }' long.txt || fail "$command --help: a line of more than 110 columns"
    # Every option of the help is in the command's section of the documentation.
    awk -v head="## nacre $command" 'index($0, "## ") == 1 { on = index($0, head) == 1 } on' \
        "$root/docs/command-line.md" >section.txt
    [ -s section.txt ] || fail "docs/command-line.md has no section on $command"
    for option in $(grep -oE -- '^ +(-., )?--[a-z-]+' long.txt | grep -oE -- '--[a-z-]+' | grep -v -- --help); do
        grep -qE -- "\`[^\`]*$option[ \`=]" section.txt ||
            fail "docs/command-line.md does not mention $option in the section on $command"
    done
done

# Without a command: the overview, as an error.
expect 2 "$nacre"
silent out.txt
cmp -s err.txt overview.txt || fail "the overview on stderr differs from --help"

expect 0 "$nacre" --version
says out.txt "nacre 0."
says out.txt "threads: "
says out.txt "simd: "
grep -qE 'gcc|clang' out.txt || fail "--version names no compiler"

# What is not there.
expect 2 "$nacre" rnu
says err.txt "Did you mean 'run'?"
expect 2 "$nacre" hlpe_me_please
says err.txt "there is no command"
expect 2 "$nacre" run --theads 2 x.yaml
says err.txt "Did you mean --threads?"
expect 2 "$nacre" run --xyzzyplugh x.yaml
says err.txt "nacre run --help"
expect 2 "$nacre" run -Z x.yaml
says err.txt "no option -Z"
expect 2 "$nacre" --threads 2
expect 2 "$nacre" help rnu

# Values.
expect 2 "$nacre" run x.yaml --threads many
says err.txt "--threads expects a whole number, but 'many' was given"
expect 2 "$nacre" run x.yaml --threads -1
says err.txt "must lie between"
expect 2 "$nacre" run x.yaml --until 1/0
expect 2 "$nacre" run x.yaml --threads
says err.txt "--threads needs a value"
expect 2 "$nacre" run x.yaml --audit=yes
says err.txt "takes no value"
expect 2 "$nacre" run
says err.txt "Usage: nacre run"
expect 2 "$nacre" run a.yaml b.yaml
says err.txt "b.yaml"
expect 2 "$nacre" run a.yaml --steps 3 --until 2
expect 2 "$nacre" run a.yaml --every 3 --frame-rate 2
expect 2 "$nacre" run a.yaml --resume --force
expect 2 "$nacre" run a.yaml --store tea
says err.txt "not 'tea'"
expect 2 "$nacre" check a.nacre --frames one:two
finish
