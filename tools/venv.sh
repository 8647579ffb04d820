#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes or renews a virtual environment and prints its folder.
#
#   tools/venv.sh            for the newest Blender that a Python found here can run
#   tools/venv.sh 4.2        for that Blender (the versions are in pyproject.toml)
#   tools/venv.sh lint       for ruff and mypy
#   tools/venv.sh site       for what makes a site of the pages
#   tools/venv.sh --list     the Blender versions that the Pythons found here can run, newest first
#   tools/venv.sh --apt 4.2  as root on Debian: installs the shared libraries that bpy lacks, too
#
# PYTHON=/path/to/python makes it look at that Python alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The Pythons that some bpy runs under, newest first.
versions=$(sed -n 's/.*{ python = "\([0-9.]*\)".*/\1/p' pyproject.toml | sort -t. -k1,1nr -k2,2nr -u)
newest=${versions%%$'\n'*}

# Where a Python of this version may be. One in the PATH may be a version manager's shim that can't run, so the
# manager's own folder is looked at too.
candidates() {
  if [ -n "${PYTHON:-}" ]; then
    type -P "$PYTHON" || true
    return
  fi
  local directory
  type -ap "python$1" python3 || true
  { echo "${PYENV_ROOT:-}"; tr : '\n' <<<"$PATH" | sed -n 's|/shims/*$||p'; echo "${HOME:-}/.pyenv"; } |
    while read -r directory; do compgen -G "$directory/versions/$1*/bin/python3" || true; done
}

# Only a Python that really runs tells its version.
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null </dev/null || true; }

pythons=()
others=
for version in $versions; do
  while read -r candidate; do
    here=$(version_of "$candidate")
    if [ "$here" = "$version" ]; then
      pythons+=(--python "$version=$candidate")
      break
    fi
    others="$others $here"
  done < <(candidates "$version")
done

if [ ${#pythons[@]} = 0 ]; then
  others=$(printf '%s\n' $others | sort -u | paste -s -d ' ' -)
  echo "Inertia's tests need Python $(echo $versions | sed 's/ / or /g'), and ${PYTHON:-this machine} offers" \
    "${others:-none that runs}; install one, or name it: PYTHON=/path/to/python$newest." >&2
  exit 1
fi
exec "${pythons[1]#*=}" tools/venv.py "${pythons[@]}" "$@"
