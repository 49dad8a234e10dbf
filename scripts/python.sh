#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of the Python package, installs it into a virtual environment of its own, checks its types and its
# binary interface, and runs its tests. The last line says how many tests passed and failed.
#
#   scripts/python.sh [--no-install] [PYTEST-ARGUMENT...]
#
# Tests that need a server are skipped, unless the servers' environment is there (scripts/servers.sh); with
# OSCOMMIT_REQUIRE_SERVERS=1 they fail then.
# OSCOMMIT_BUILD_DIR  where to build [build/python]
# PYTHON              which Python [python3]
set -euo pipefail

# shellcheck source=scripts/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
root=$(cd -- "$scripts_dir/.." && pwd)
out=${OSCOMMIT_BUILD_DIR:-$root/build}/python
python=${PYTHON:-python3}
# As tried: another release may come with other rules, and is then a change of its own.
duckdb=1.5.5
packages=(scikit-build-core==1.1.2 ninja==1.13.2 pytest==9.2.0 pytest-asyncio==1.5.0 pytest-xdist==3.8.0 fsspec==2026.9.0 pyiceberg==0.12.0 pyarrow==26.0.1 "duckdb==$duckdb" "duckdb-extension-avro==$duckdb" "duckdb-extension-httpfs==$duckdb" "duckdb-extension-iceberg==$duckdb" mypy==2.4.1 abi3audit==0.0.26)

case ${1:-} in
--no-install) shift ;;
--help | -h)
    sed -n '3,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit
    ;;
*) install_packages build python ;;
esac

venv=$out/venv
installed=$venv/packages.txt
if [[ ! -e $installed || $(<"$installed") != "${packages[*]}" ]]; then
    rm -rf "$venv"
    "$python" -m venv "$venv" || die "Python cannot make a virtual environment (Debian: python3-venv)."
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"
    echo "${packages[*]}" >"$installed"
fi

say "Building the wheel"
rm -rf "$out/wheel"
"$venv/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$out/wheel" \
    --config-settings=build-dir="$out/build" "$root" </dev/null
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$out"/wheel/*.whl

say "Checking types and binary interface"
"$venv/bin/abi3audit" --strict --summary "$out"/wheel/*.whl
(cd -- "$root/python" && "$venv/bin/python" -m mypy --cache-dir "$out/mypy" --config-file "$root/pyproject.toml" -p oscommit)

# Elsewhere than in python/, where `import oscommit` would find the sources.
cd -- "$root"
status=0
"$venv/bin/python" -B -m pytest -q -n 4 -p no:cacheprovider -o faulthandler_timeout=100 --junit-xml "$out/tests.xml" "$@" </dev/null || status=$?
"$venv/bin/python" - "$out/tests.xml" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
count = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
failed = count["failures"] + count["errors"]
print(f"{count['tests'] - failed - count['skipped']} passed, {failed} failed, {count['skipped']} skipped")
PYTHON
exit "$status"
