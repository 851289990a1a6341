# bash completion for scalay. Made by scalay_pages from the option tables.
_scalay()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
    local subcommand=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$subcommand" = help ]; }; then
        words='help calibrate profile workload partition pattern map advise qr lu cholesky gemm redistribute show'
        [ "$subcommand" != help ] || words="$words layout"
        [ "$COMP_CWORD" -eq 2 ] || words="$words --help --version"
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    case "$subcommand $before" in
        'calibrate --seconds') words='' ;;
        'profile --kernel') words='' ;;
        'profile --sizes') words='' ;;
        'profile --refine') words='' ;;
        'profile --refine-step') words='' ;;
        'profile --threads') words='' ;;
        'profile --repetitions') words='' ;;
        'profile --precision') words='' ;;
        'profile --confidence') words='' ;;
        'profile --max-seconds') words='' ;;
        'profile --timeout') words='' ;;
        'profile --meter') words='' ;;
        'profile --static-power') words='' ;;
        'workload --size') words='' ;;
        'workload --comm-variant') words='exact atmost' ;;
        'workload --objective') words='time energy front total-front' ;;
        'workload --base-power') words='' ;;
        'workload --within-time') words='' ;;
        'workload --within-energy') words='' ;;
        'workload --method') words='' ;;
        'partition --size') words='' ;;
        'partition --speeds') words='' ;;
        'partition --areas') words='' ;;
        'partition --evaluate') words='' ;;
        'partition --inner') words='' ;;
        'partition --kernel') words='lu qr cholesky gemm' ;;
        'partition --shape') words='' ;;
        'partition --objective') words='volume time energy' ;;
        'partition --tile') words='' ;;
        'partition --tolerance') words='' ;;
        'partition --seed') words='' ;;
        'partition --budget') words='' ;;
        'partition --link-mode') words='serial parallel one-port' ;;
        'partition --broadcast') words='direct tree relay' ;;
        'partition --export') words='chameleon slate dplasma csv' ;;
        'pattern --processes') words='' ;;
        'pattern --kernel') words='lu qr cholesky gemm' ;;
        'pattern --speeds') words='' ;;
        'pattern --budget') words='' ;;
        'pattern --size') words='' ;;
        'pattern --tile') words='' ;;
        'pattern --export') words='chameleon slate dplasma csv text' ;;
        'map --from') words='' ;;
        'map --to') words='' ;;
        'map --processes') words='' ;;
        'map --bar') words='' ;;
        'map --objective') words='volume steps steps-volume volume-steps front time grid-volume canonical' ;;
        'map --grid') words='' ;;
        'map --seed') words='' ;;
        'map --budget') words='' ;;
        'map --ranks-per-node') words='' ;;
        'map --slice') words='' ;;
        'map --startup') words='' ;;
        'map --type') words='s d c z' ;;
        'map --export') words='chameleon slate dplasma csv' ;;
        'map --tile') words='' ;;
        'advise --from') words='' ;;
        'advise --kernel') words='qr lu cholesky gemm stencil' ;;
        'advise --type') words='s d c z' ;;
        'advise --times') words='' ;;
        'advise --processes') words='' ;;
        'advise --grid') words='' ;;
        'advise --nb') words='' ;;
        'advise --repeat') words='' ;;
        'advise --top') words='' ;;
        'qr --from') words='' ;;
        'qr --type') words='s d c z' ;;
        'qr --grid') words='' ;;
        'qr --nb') words='' ;;
        'qr --objective') words='volume steps steps-volume volume-steps canonical' ;;
        'qr --transport') words='auto shared mpi' ;;
        'qr --map') words='' ;;
        'qr --speeds') words='' ;;
        'qr --repeat') words='' ;;
        'lu --from') words='' ;;
        'lu --type') words='s d c z' ;;
        'lu --grid') words='' ;;
        'lu --nb') words='' ;;
        'lu --objective') words='volume steps steps-volume volume-steps canonical' ;;
        'lu --transport') words='auto shared mpi' ;;
        'lu --map') words='' ;;
        'lu --speeds') words='' ;;
        'lu --repeat') words='' ;;
        'cholesky --from') words='' ;;
        'cholesky --type') words='s d c z' ;;
        'cholesky --uplo') words='lower upper' ;;
        'cholesky --grid') words='' ;;
        'cholesky --nb') words='' ;;
        'cholesky --objective') words='volume steps steps-volume volume-steps canonical' ;;
        'cholesky --transport') words='auto shared mpi' ;;
        'cholesky --map') words='' ;;
        'cholesky --speeds') words='' ;;
        'cholesky --repeat') words='' ;;
        'gemm --from') words='' ;;
        'gemm --to') words='' ;;
        'gemm --nb') words='' ;;
        'gemm --type') words='s d c z' ;;
        'gemm --profile') words='' ;;
        'gemm --objective') words='time energy front-point' ;;
        'gemm --within-time') words='' ;;
        'gemm --within-energy') words='' ;;
        'gemm --shape') words='' ;;
        'gemm --transport') words='auto shared mpi' ;;
        'gemm --repeat') words='' ;;
        'redistribute --to') words='' ;;
        'redistribute --from') words='' ;;
        'redistribute --op') words='N T C' ;;
        'redistribute --type') words='s d c z i' ;;
        'redistribute --objective') words='volume steps steps-volume volume-steps canonical' ;;
        'redistribute --transport') words='auto shared mpi' ;;
        'redistribute --memory') words='' ;;
        'redistribute --repeat') words='' ;;
        *) words=- ;;
    esac
    if [ "$words" != - ]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    if [ "${word#-}" != "$word" ]; then
        case "$subcommand" in
            calibrate) words='--seconds --machine --json --quiet --help' ;;
            profile) words='--kernel --sizes --refine --refine-step --threads --repetitions --precision --confidence --max-seconds --timeout --no-group --meter --static-power --shared-meter --output --restart --plot --json --quiet --help' ;;
            workload) words='--profile --size --comm --comm-variant --objective --base-power --within-time --within-energy --knee --method --published --plot --json --quiet --help' ;;
            partition) words='--size --speeds --areas --from-workload --evaluate --inner --kernel --shape --objective --tile --exact-counts --tolerance --seed --budget --link-time --link-energy --link-mode --broadcast --export --plot --json --quiet --help' ;;
            pattern) words='--processes --kernel --speeds --budget --size --tile --export --plot --json --quiet --help' ;;
            map) words='--from --to --traffic --processes --bar --objective --grid --seed --budget --link-cost --nodes --ranks-per-node --distance --schedule --preemptive --slice --startup --machine --any-host --type --check --mapping --export --tile --plot --json --quiet --help' ;;
            advise) words='--from --kernel --type --times --back --processes --grid --nb --cores --nodes --node-types --profile --machine --any-host --calibrate --measure --repeat --top --json --quiet --help' ;;
            qr) words='--from --type --grid --nb --objective --transport --map --profile --speeds --machine --repeat --output-r --plot --json --quiet --help' ;;
            lu) words='--from --type --grid --nb --objective --transport --map --profile --speeds --machine --repeat --output --plot --json --quiet --help' ;;
            cholesky) words='--from --type --uplo --grid --nb --objective --transport --map --profile --speeds --machine --repeat --output --plot --json --quiet --help' ;;
            gemm) words='--from --to --nb --type --profile --measure --objective --within-time --within-energy --knee --shape --transport --compare --verify --machine --repeat --output --json --quiet --help' ;;
            redistribute) words='--to --from --op --type --objective --transport --memory --machine --repeat --output --plot --json --quiet --help' ;;
            show) words='--plot --json --quiet --help' ;;
            *) words= ;;
        esac
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$word"))
}
complete -F _scalay scalay
