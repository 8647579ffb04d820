#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes or renews a virtual environment and prints its folder.
#
#   tools/venv.sh            for the newest Blender that a Python found here can run
#   tools/venv.sh 4.2        for that Blender (the versions are in pyproject.toml)
#   tools/venv.sh lint       for ruff and mypy
#   tools/venv.sh --list     the Blender versions that the Pythons found here can run, newest first
#   tools/venv.sh --apt 4.2  as root on Debian: installs the shared libraries that bpy lacks, too
#
# PYTHON=/path/to/python makes it look at that Python alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t versions < <(sed -n 's/.*{ python = "\([0-9.]*\)".*/\1/p' pyproject.toml | sort -Vru)

# A python in the PATH may be a version manager's shim that can't run, so its siblings are looked at too.
candidates() {
  if [ -n "${PYTHON:-}" ]; then
    type -P "$PYTHON" || true
    return
  fi
  local version directory
  for version in "${versions[@]}"; do type -ap "python$version" || true; done
  type -ap python3 || true
  IFS=: read -ra path <<<"$PATH"
  for directory in "${PYENV_ROOT:-}" "${path[@]%/shims}" "${HOME:-}/.pyenv"; do
    for version in "${versions[@]}"; do
      compgen -G "$directory/versions/$version*/bin/python3" || true
    done
  done
}

declare -A found=()
seen=
while read -r candidate; do
  # Only a Python that really runs tells its version.
  version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null </dev/null) || continue
  seen="$seen $version"
  for wanted in "${versions[@]}"; do
    if [ "$version" = "$wanted" ]; then found[$version]=${found[$version]:-$candidate}; fi
  done
done < <(candidates)

pythons=()
for version in "${versions[@]}"; do
  if [ -n "${found[$version]:-}" ]; then pythons+=(--python "$version=${found[$version]}"); fi
done
if [ ${#pythons[@]} = 0 ]; then
  wanted=$(printf ' or %s' "${versions[@]}")
  here=$(printf '%s\n' $seen | sort -Vu | paste -sd' ')
  echo "Inertia's tests need Python${wanted# or}, and this ${PYTHON:+PYTHON=$PYTHON }offers" \
    "${here:-none that runs}; install one, or name it: PYTHON=/path/to/python${versions[0]}." >&2
  exit 1
fi
exec "${pythons[1]#*=}" tools/venv.py "${pythons[@]}" "$@"
