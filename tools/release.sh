#!/usr/bin/env bash
# Writes holonom-VERSION-TARGET.tar.gz: the program, its completions, manual pages and licences. The same commit gives
# the same archive. Needs cargo and GNU tar.
#
#   tools/release.sh [FOLDER]             builds the program; the archive goes to FOLDER, else to target/
#   HOLONOM=PROGRAM tools/release.sh …    packs this one
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-target}

if [ -z "${HOLONOM:-}" ]; then
    cargo build --release --locked
    HOLONOM=${CARGO_TARGET_DIR:-target}/release/holonom
fi
version=$("$HOLONOM" --version | cut -d' ' -f2)
target=$(rustc -vV | sed -n 's/^host: //p')
name=holonom-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir -p "$root"/{completions,man/man1,licences}

install -m 755 "$HOLONOM" "$root/holonom"
"$HOLONOM" completions bash >"$root/completions/holonom.bash"
"$HOLONOM" completions zsh >"$root/completions/_holonom"
"$HOLONOM" completions fish >"$root/completions/holonom.fish"
"$HOLONOM" man --quiet "$root/man/man1"
"$HOLONOM" schema >"$root/schema.json"
cp README.md CHANGELOG.md LICENSE "$root"

# what is built in: a line a crate, and the texts of its licence as it came
sources=${CARGO_HOME:-$HOME/.cargo}/registry/src
cargo tree --locked --edges normal --prefix none --format '{p}|{l}' | sed 's/ (\*)$//; s/ (proc-macro)//' | sort -u |
    while IFS='|' read -r crate licence; do
        case $crate in *"("*) continue ;; esac
        echo "$crate: ${licence% (\*)}" >>"$root/licences/crates.txt"
        for text in "$sources"/*/"${crate/ v/-}"/{LICEN[CS]E,COPYING,UNLICENSE}*; do
            if [ -f "$text" ]; then cp "$text" "$root/licences/${crate/ v/-}.$(basename "$text")"; fi
        done
    done

mkdir -p "$folder"
made=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
chmod -R u=rwX,go=rX "$root"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$made" -cf - "$name" | gzip -n9 >"$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
