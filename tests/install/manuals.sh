#!/bin/sh
# manuals.sh SCALAY RUN FOLDER VERSION: each manual page names the options that --help names, and no others, and is well formed.
set -e
scalay=$1
run=$2
folder=$3
version=$4

# The words that begin with two dashes in what a command explains or in a page's OPTIONS section.
helped() { "$@" --help | grep -oE '^ +(scalay )?--[a-z-]+' | grep -oE '\-\-[a-z-]+' | sort -u; }
documented() { sed -n '/^\.SH OPTIONS/,/^\.SH EXIT\|^\.SH LAYOUTS/p' "$1" | sed 's:\\::g' | grep -E '^\.BI? --' |
    grep -oE '\-\-[a-z-]+' | sort -u; }

commands=$("$scalay" --help | sed -n '/^Subcommands /,/^$/s/^  \([a-z]\{1,\}\)[* ].*/\1/p')
[ -n "$commands" ]
for command in $commands; do
    page=$folder/scalay-$command.1
    helped "$scalay" "$command" >helped.txt
    documented "$page" >documented.txt
    grep -q . helped.txt
    diff helped.txt documented.txt
done
printf '%s\n' --help --version >helped.txt
documented "$folder/scalay.1" >documented.txt
diff helped.txt documented.txt
helped "$run" >helped.txt
documented "$folder/scalay-run.1" >documented.txt
grep -q . helped.txt
diff helped.txt documented.txt
for command in $commands; do grep -q "scalay..$command (1)" "$folder/scalay.1"; done

for page in "$folder"/*.1; do
    grep -q "^\.TH .*\"ScaLAY $version\"" "$page"
    command -v man >/dev/null || continue
    LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -E UTF-8 -l "$page" 2>warnings.txt >/dev/null
    cat warnings.txt
    [ ! -s warnings.txt ]
done
