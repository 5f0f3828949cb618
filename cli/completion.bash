# bash completion of nacre, made by: nacre completion bash
_nacre()
{
    local word=${COMP_WORDS[COMP_CWORD]} options=''
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'new run view render check info repair export import plot study query pattern bench doctor completion help --help --version' -- "$word"))
        return
    fi
    case ${COMP_WORDS[1]} in
        new) options='--help -t --template -l --list -f --force' ;;
        run) options='--help -o --output -s --set -n --steps -u --until -r --resume -a --audit -e --expect --repair --every --frame-rate --store --merit -t --threads --rank-wait -f --force -j --json -q --quiet -v --verbose' ;;
        view) options='--help --no-open -p --port --host -o --output -s --set -n --steps --store -t --threads -f --force -q --quiet' ;;
        render) options='--help -o --output --frame --frames --every -s --size -n --samples --denoise --shutter --fps --position --target --azimuth --elevation --fov --zoom --aperture --focus --turntable --passes --preview --fit --background --hide --no-ground -t --threads -q --quiet' ;;
        check) options='--help --frames -p --paths -r --rate -a --animation -s --set -l --limit -t --threads -j --json -q --quiet' ;;
        info) options='--help -j --json -s --set --verify' ;;
        repair) options='--help -o --output -l --limit -p --pin --rounds -f --force -j --json -q --quiet' ;;
        export) options='--help -o --output --frames --every --poses --contacts --forces --joints --accelerations --no-recheck -q --quiet' ;;
        import) options='--help -o --output -m --meshes --up -a --animation --no-animation -r --rate --base --hold --repair -f --force -q --quiet' ;;
        plot) options='--help -o --output -p --panels -c --columns -b --body --log --frames --title --list -q --quiet' ;;
        study) options='--help -o --output --on -n --jobs -t --threads --scratch --plan -f --force --failed --format -x --x -y --y --by --mean -p --partition --account --time --memory --sbatch --per-task --detach --launcher --list --task -j --json -q --quiet' ;;
        query) options='--help' ;;
        pattern) options='--help -o --output -s --set --seed -e --explode -t --tolerance -j --json -q --quiet' ;;
        bench) options='--help -j --json -n --rounds -p --peers -q --queries --peer --boats --steps --scene --figure --spectra --scenes -c --compare -o --output' ;;
        doctor) options='--help -j --json' ;;
        completion) options='--help' ;;
        help) COMPREPLY=($(compgen -W 'new run view render check info repair export import plot study query pattern bench doctor completion' -- "$word"))
            return ;;
    esac
    case $word in
        -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        *) [ "${COMP_WORDS[1]}" = completion ] && COMPREPLY=($(compgen -W bash -- "$word")) ;;
    esac
}
complete -o default -F _nacre nacre
