#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What can be told of the RPM packages without an RPM system: what they ask for is what Fedora, RHEL 9 and openSUSE provide, they
# lie where such a system looks, and the tool runs from there. The libraries below it are those of this machine.
#
#   rpm.sh PACKAGES WORK      as root, for rpm --root; scripts/check-packages.sh calls it
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=test/package/steps.sh
. "$here/steps.sh"
packages=$1 work=$2/rpm root=$2/rpm/root
mkdir -p "$root"

# From the provides of Fedora 37 to 43: libcurl.so.4 without a version of its symbols, for one.
asks_for_what_is_there() {
    local strange
    strange=$(rpm -qp --requires "$packages"/*.rpm | sort -u |
        grep -vE '^(libc\.so\.6\((GLIBC_2\.([0-9]|[12][0-9]|3[0-4])(\.[0-9]+)*)?\)|lib(crypto|ssl)\.so\.3\((OPENSSL_3\.0\.0)?\)|libjansson\.so\.4\((libjansson\.so\.4)?\)|(libcurl\.so\.4|libexpat\.so\.1|libsqlite3\.so\.0|liboscommit\.so\.[0-9.]+)\(\))\(64bit\)$' |
        grep -vE '^(/bin/sh|/usr/bin/pkg-config|rtld\(GNU_HASH\)|rpmlib\([A-Za-z]+\) <= .*|oscommit-libs = [0-9.]+|pkgconfig\((libcurl|libcrypto|sqlite3|expat|jansson)\))$')
    echo "$strange"
    [[ -z $strange ]]
}

is_installed() {
    rpm --root "$root" --initdb && rpm --root "$root" --nodeps --noscripts -i "$packages"/oscommit{,-libs,-devel}-[0-9]*.rpm &&
        rpm --root "$root" -V --nodeps oscommit oscommit-libs oscommit-devel
}

lies_where_it_is_looked_for() {
    [[ -e $(echo "$root"/usr/lib64/liboscommit.so.0.?) && -s $root/usr/lib64/pkgconfig/oscommit.pc && -x $root/usr/bin/oscommit ]] &&
        [[ ! -e $root/usr/lib/x86_64-linux-gnu && ! -e $root/usr/share/zsh/vendor-completions ]]
}

# rpm refuses a folder that another package has with other rights.
takes_no_folder_of_others() {
    local listed
    listed=$(rpm -qpl "$packages"/*.rpm) && [[ $listed == */usr/lib64/liboscommit.so.* ]] &&
        ! grep -xE '/usr|/usr/(bin|lib|lib64|include|share)|/usr/lib64/(cmake|pkgconfig)|/usr/share/(bash-completion|bash-completion/completions|doc|fish|fish/vendor_completions.d|licenses|man|man/man[1-8]|zsh|zsh/site-functions)' <<<"$listed"
}

embedded_store() {
    export PATH=$root/usr/bin:$PATH
    echo '{"rows": 42}' >"$work/report.json" &&
        oscommit init "$work/store" &&
        oscommit put "$work/report.json" "file://$work/store/2026/11.json" --if-absent &&
        ! oscommit put "$work/report.json" "file://$work/store/2026/11.json" --if-absent &&
        [[ $(oscommit get "file://$work/store/2026/11.json" -) == '{"rows": 42}' ]] &&
        oscommit race "file://$work/store/scratch" --writers 4 --keys 10 --updates 5
}

# Its folders are those of the package: the .pc file finds them from where it stands.
c_example() {
    # shellcheck disable=SC2046 # words
    PKG_CONFIG_PATH=$root/usr/lib64/pkgconfig cc -x c "$here/../../examples/publish.c" $(PKG_CONFIG_PATH=$root/usr/lib64/pkgconfig pkg-config --cflags --libs oscommit) -o "$work/publish" &&
        [[ $(LD_LIBRARY_PATH=$root/usr/lib64 "$work/publish" "file://$work/store") == committed* ]]
}

step "they ask for what RPM systems provide" asks_for_what_is_there
step "rpm installs them into a folder" is_installed
step "they lie where an RPM system looks" lies_where_it_is_looked_for
step "they take no folder of other packages" takes_no_folder_of_others
step "the tool writes to a folder and races there" embedded_store
step "the README's C program is built with them" c_example
step_summary
