#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
#
# Print the folder with p4lang's tools for PATH, or nothing if there are none beside this checkout:
#
#     export PATH="$(.ci/reference.sh)${PATH:+:$PATH}"
#
# The tools lie in ../shared/reference. p4c's driver looks for its compilers beside itself, by symbolic links. Where the
# folder was copied by something that writes a link as a file with the link's target in it, the driver fails with
# "Permission denied". So the driver's folder is copied to build/reference, with links made anew.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$(realpath -m ../shared/reference)
[ -x "$tools/bin/p4c" ] || exit 0
mirror=$PWD/build/reference
rm -rf "$mirror"
mkdir -p "$mirror/bin" "$mirror/share"
cp -rL "$tools/share/p4c" "$mirror/share/" && chmod -R u+w "$mirror/share"
ln -s "$tools/lib" "$mirror/lib"
for tool in "$tools"/bin/*; do
    name=$(basename "$tool")
    if [ "$name" = p4c ]; then
        cp "$tool" "$mirror/bin/p4c"    # finds share/p4c beside the folder that it lies in
    else
        ln -s "$tool" "$mirror/bin/$name"
        [ ! -e "$mirror/share/p4c/$name" ] || ln -sf "$tool" "$mirror/share/p4c/$name"
    fi
done
echo "$mirror/bin"
