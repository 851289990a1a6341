# cli_pages.sh SCALAY_PAGES SOURCE FOLDER: manual pages, completion files and the options in docs/cli.md are up to date.
# Build the target update_pages if they are not.
set -e
program=$1
source=$2
folder=$3
rm -rf "$folder"
sh "$source/scripts/pages" "$program" "$source" "$folder"
for page in "$folder"/docs/man/*.1 "$folder"/docs/cli.md "$folder"/src/cli/completion/*; do
  diff "$source/${page#"$folder"/}" "$page" | head -20 | sed "s:^:${page#"$folder"/}\: :" >&2
  cmp -s "$source/${page#"$folder"/}" "$page"
done

# bash: names of subcommands, options and choices complete.
completions()
{
  bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scalay; echo "${COMPREPLY[*]}"' \
    "$source/src/cli/completion/scalay.bash" "$@"
}
command -v bash >/dev/null || exit 0
[ "$(completions scalay part)" = partition ]
[ "$(completions scalay help lay)" = layout ]
[ "$(completions scalay map --obj)" = --objective ]
[ "$(completions scalay map --objective volume-)" = volume-steps ]
[ "$(completions scalay qr /dev/nul)" = /dev/null ]
! command -v zsh >/dev/null || zsh -n "$source/src/cli/completion/_scalay"
