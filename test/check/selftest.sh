#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Shows that the checks can fail: each is given a tree that is in order, which it must accept, and then one violation
# after another, each of which it must refuse and name.
# usage: selftest.sh COMPILER OSCOMMIT
set -uo pipefail
checks=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
compiler=$1
oscommit=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
cases=0
licence='/* SPDX-License-Identifier: Apache-2.0 */'

# A tree in which every check finds something to look at and nothing to say.
fresh_tree() {
    rm -rf "$work/tree"
    mkdir -p "$work/tree"/{include,docs,tool,test/unit/commit,src/{base,commit,item,aws,http,s3,dynamo,local,client,guarded}}
    cd "$work/tree" || exit 1
    cp "$checks/../../.clang-format" .
    long=a_parameter_whose_name_is_so_long_that_the_next_one_goes_on_a_line_of_its_own
    printf '%s\nOS_API int os_one(void);\nOS_API const char *os_two(int a);\nOS_API int os_three(int %s,\n%20sint %s);\n' \
        "$licence" "$long" "" "$long" >include/oscommit.h
    printf '### R1. One\n\n* **R1.1** One, see R1.1.\n\n### E2. Two\n' >docs/rules.md
    printf '%s\n#include "commit/guard.h"\n\n#include <string.h>\n/* R1 */\n' "$licence" >src/commit/guard.c
    printf '%s\n#include "base/buf.h"\n' "$licence" >src/commit/guard.h
    printf '%s\n#include "item/item.h" /* E2 */\n' "$licence" >src/dynamo/item.c
    printf '%s\n#include "oscommit.h"\n' "$licence" >tool/main.c
    printf '#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\necho ready\n' >tool/run.sh
    chmod +x tool/run.sh
}

run_check() { # CHECK ARGUMENT...
    local check=$1
    shift
    if [[ -f $checks/$check.py ]]; then
        python3 -B "$checks/$check.py" "$@" >"$work/said" 2>&1
    else
        bash "$checks/$check.sh" "$@" >"$work/said" 2>&1
    fi
}

accepts() { # CHECK ARGUMENT...
    cases=$((cases + 1))
    if ! run_check "$@"; then
        echo "FAILED: $1 refuses what is in order: $(cat "$work/said")"
        failures=$((failures + 1))
    fi
}

# The check must fail, and what it says must contain the text.
refuses() { # TEXT CHECK ARGUMENT...
    local text=$1
    shift
    cases=$((cases + 1))
    if run_check "$@"; then
        echo "FAILED: $1 accepts what it should refuse ($text)"
        failures=$((failures + 1))
    elif ! grep -qF -- "$text" "$work/said"; then
        echo "FAILED: $1 refuses, but does not say \"$text\": $(cat "$work/said")"
        failures=$((failures + 1))
    fi
}

# A line more in a fresh tree, which the check must refuse with the text.
refuses_line() { # TEXT CHECK FILE LINE
    fresh_tree
    mkdir -p "$(dirname -- "$3")"
    [[ -f $3 ]] || printf '%s\n' "$licence" >"$3"
    printf '%s\n' "$4" >>"$3"
    refuses "$1" "$2" "$work/tree"
}

compile() { # NAME TEXT
    printf '%s\n' "$2" >"$work/$1.c"
    "$compiler" -O0 -c -w -fPIC -fvisibility=hidden "$work/$1.c" -o "$work/$1.o" || exit 1
}

# ------------------------------------------------------------------------------------------------------ layering

fresh_tree
accepts layering "$work/tree"
refuses_line 'commit must not know http' layering src/commit/guard.c '#include "http/engine.h"'
refuses_line 'base must not know commit' layering src/base/buf.c '#include "commit/record.h"'
refuses_line 'dynamo must not know commit' layering src/dynamo/item.c '#  include "commit/guard.h"'
refuses_line 's3 must not know dynamo' layering src/s3/request.h '#include "dynamo/item.h"'
refuses_line 'say which folder' layering src/aws/sigv4.c '#include "sigv4.h"'
refuses_line 'say which folder' layering src/aws/sigv4.c '#include "../http/engine.h"'
refuses_line 'that library is for http' layering src/s3/request.c '#include <curl/curl.h>'
refuses_line 'does without' layering src/commit/guard.c '#include <time.h>'
refuses_line 'does without' layering src/lease/lease.c '#include <stdlib.h>'
refuses_line 'lease must not know commit' layering src/lease/lease.c '#include "commit/words.h"'
refuses_line 'does without' layering src/transaction/transaction.c '#include <time.h>'
refuses_line 'transaction must not know lease' layering src/transaction/transaction.c '#include "lease/lease.h"'
refuses_line 'tool must not know client' layering tool/main.c '#include "client/client.h"'
refuses_line 'say which folder of tool/cli' layering tool/cli/output.c '#include "options.h"'
refuses_line 'tool/cli must not know common' layering tool/cli/output.c '#include "common/copy.h"'
refuses_line 'tool/other has no place' layering tool/other/x.c '#include "oscommit.h"'
refuses_line 'through the public header' layering tool/main.c '#include <curl/curl.h>'
refuses_line 'lab/history must not know cli' layering lab/history/judge.c '#include "cli/output.h"'
refuses_line 'lab/report must not know race' layering lab/report/report.c '#include "race/race.h"'
refuses_line 'through the public header' layering lab/race/net.c '#include <openssl/evp.h>'
refuses_line 'opens a descriptor' layering src/local/file_list.c 'int fd = open("x", 0);'
refuses_line 'opens a descriptor' layering src/http/socket.c '    return socket(1, 2, 3);'
refuses_line 'through fd_above_standard' layering src/local/file_list.c '    return (int)syscall(SYS_openat2, fd);'
refuses_line 'commit must not know guarded' layering test/unit/commit/guard_test.c '#include "guarded/driver.h"'
fresh_tree
mkdir src/other
refuses 'has no place' layering "$work/tree"

# --------------------------------------------------------------------------------------------------- commit_purity

compile pure '#include <string.h>
int other(const char *a); int own(const char *a, const char *b) { return strcmp(a, b) + other(a); }'
compile other 'int other(const char *a) { return a[0]; }'
accepts commit_purity "$work/pure.o" "$work/other.o"
refuses 'needs other' commit_purity "$work/pure.o"
for call in 'malloc(1)' 'free(own)' 'clock_gettime(0, 0)' 'time(0)' 'gettimeofday(0, 0)' 'socket(0, 0, 0)' 'getenv("A")' \
    'open("a", 0)' 'pthread_self()' 'snprintf(0, 0, "%d", 1)' 'rand()'; do
    compile impure "int own(void) { return ($call, 1); }"
    refuses "needs ${call%%(*}" commit_purity "$work/impure.o"
done

# --------------------------------------------------------------------------------------------------------- circles

# Three files of two folders, of which low.c is said anew each time.
compile_parts() { # LOW-TEXT
    local part
    mkdir -p "$work"/oscommit_base.dir/base "$work"/oscommit_top.dir/top
    compile oscommit_base.dir/base/low "$1"
    compile oscommit_base.dir/base/high 'int low(void); int high(void) { return low(); }'
    compile oscommit_top.dir/top/user 'int high(void); int user(void) { return high(); } int helper(void) { return 1; }'
    parts=()
    for part in base.dir/base/low base.dir/base/high top.dir/top/user; do
        parts+=("$work/oscommit_$part.o")
    done
}
compile_parts 'int low(void) { return 1; }'
accepts circles "${parts[@]}"
compile_parts 'int high(void); int low(void) { return high(); }'
refuses 'a circle of 2 files: base/high base/low' circles "${parts[@]}"
refuses 'base/low needs high of base/high' circles "${parts[@]}"
compile_parts 'int user(void); int low(void) { return user(); }'
refuses 'a circle of 3 files: base/high base/low top/user' circles "${parts[@]}"
compile_parts 'int low(void) { return 1; }'
compile oscommit_base.dir/base/other 'int helper(void); int other(void) { return helper(); }'
refuses 'a circle of 2 folders: base top' circles "${parts[@]}" "$work/oscommit_base.dir/base/other.o"
refuses 'not an object of a part' circles "$work/oscommit_base.dir/base/low.c"
refuses 'nothing to look at' circles

# -------------------------------------------------------------------------------------------------------- rule_ids

fresh_tree
accepts rule_ids "$work/tree"
refuses_line 'T3 of docs/rules.md' rule_ids docs/rules.md '### T3. Release'
refuses_line 'R9 is named by code' rule_ids src/commit/guard.c '/* R9 */'
refuses_line 'N4 is taken out by a mutant' rule_ids test/mutants/patches/a.patch 'Rule: N4'
refuses_line 'R1.2 is named' rule_ids docs/protocol.md 'See R1.2.'
refuses_line 'R1.3 is named' rule_ids src/commit/guard.c '/* R1.3 */'
refuses_line 'has twice: R1.1' rule_ids docs/rules.md '* **R1.1** One again.'
fresh_tree
: >src/dynamo/item.c
refuses 'E2 of docs/rules.md' rule_ids "$work/tree"

# ------------------------------------------------------------------------------------- pictures, counterexamples

# A tree with a picture that a document shows, a mutant, and a schedule that names both it and a test.
# shellcheck disable=SC2016 # backticks of Markdown
drawn_tree() {
    fresh_tree
    mkdir -p docs/pictures test/mutants/patches
    printf 'enum guard_state {\n    GUARD_NEW = 0,\n    GUARD_DONE\n};\n' >>src/commit/guard.h
    printf 'kind: boxes\ntitle: States\nwidth: 300\ncolumns: 200\ngaps:\nrow-gap: 9\nbox all 0 0 blue: All | NEW | DONE\n' >docs/pictures/states.txt
    printf '![States](pictures/states.svg)\n' >docs/protocol.md
    printf '\n## 12. Numbers\n\n| `MOST_S` |\n' >>docs/rules.md
    printf 'enum { MOST_S = 1 };\n' >>src/base/clock.c
    printf 'Rule: R1\nTakes out: One.\nUnit tests: unit_commit_\n\n--- a/src/a.c\n+++ b/src/a.c\n' >test/mutants/patches/R1-one.patch
    printf '* tests: `one_is_one`\n* mutants: `R1-one`\n' >docs/counterexamples.md
    printf 'one_is_one\n' >test/unit/commit/guard_test.c
    python3 -B "$checks/../../docs/pictures/draw.py" --folder docs/pictures >/dev/null
    python3 -B "$checks/../mutants/table.py" --root "$work/tree"
}

drawn_tree
accepts pictures "$work/tree"
echo '<!-- by hand -->' >>docs/pictures/states.svg
refuses 'states.svg is not what states.txt gives' pictures "$work/tree"
drawn_tree
cp docs/pictures/states.svg docs/pictures/other.svg
refuses 'other.svg has no text' pictures "$work/tree"
refuses 'other.svg is shown by no document' pictures "$work/tree"
drawn_tree
echo 'box wide 0 1 blue: a-word-that-is-much-too-long-for-a-box-of-this-width' >>docs/pictures/states.txt
refuses 'does not fit' pictures "$work/tree"
drawn_tree
sed -i 's/GUARD_DONE/GUARD_OVER/' src/commit/guard.h
refuses 'the state OVER stands in one of' pictures "$work/tree"

drawn_tree
accepts counterexamples "$work/tree"
sed -i 's/One/Two/' test/mutants/patches/R1-one.patch
refuses 'docs/mutants.md is out of date' counterexamples "$work/tree"
drawn_tree
# shellcheck disable=SC2016 # backticks of Markdown
echo '* tests: `two_is_one`' >>docs/counterexamples.md
refuses 'names two_is_one' counterexamples "$work/tree"
drawn_tree
# shellcheck disable=SC2016 # backticks of Markdown
echo '* mutants: `R1-two`' >>docs/counterexamples.md
refuses 'names R1-two' counterexamples "$work/tree"
drawn_tree
# shellcheck disable=SC2016 # backticks of Markdown
echo '| `LEAST_S` |' >>docs/rules.md
refuses 'names LEAST_S' counterexamples "$work/tree"

# ------------------------------------------------------------------------------------------------------ sentences

# A tree with a table of what is said, what does it, and its tests.
# shellcheck disable=SC2016 # backticks of Markdown
said_tree() {
    fresh_tree
    printf '| what it says | here | tests |\n|---|---|---|\n| one | `os_one` | `unit_commit_guard`: `one_is_one`, `checked` |\n' >docs/leases.md
    printf '| two | none: nobody wants it | |\n| three | `os_two` | `model_tiny`; `two_is_two` |\n' >>docs/leases.md
    printf '#include "guard.h"\n\nTEST_WITH(guard, one_is_one)\n' >test/unit/commit/guard_test.c
    printf '    {"it is checked",\n     checked},\n' >test/unit/commit/guard.h
    printf 'TEST(two_is_two)\n' >test/unit/commit/two_test.c
    printf 'add_test(NAME model_tiny COMMAND explore)\n' >test/CMakeLists.txt
}

# A row more, which the check must refuse with the text.
refuses_row() { # TEXT ROW
    said_tree
    printf '%s\n' "$2" >>docs/leases.md
    refuses "$1" sentences "$work/tree"
}

said_tree
accepts sentences "$work/tree"
# shellcheck disable=SC2016 # backticks of Markdown
{
    refuses_row 'names the test three_is_three, which is nowhere' '| a | `os_one` | `three_is_three` |'
    refuses_row 'which unit_commit_guard does not have' '| a | `os_one` | `unit_commit_guard`: `two_is_two` |'
    refuses_row 'names os_four, which the code does not have' '| a | `os_four` | `one_is_one` |'
    refuses_row 'has no test, and no reason' '| a | `os_one` | |'
    refuses_row 'has no test, and no reason' '| a | `os_one` | the same |'
}

# --------------------------------------------------------------------------------------------------------- exports

public='__attribute__((visibility("default")))'
link_library() { # TEXT
    compile exported "$1"
    "$compiler" -shared "$work/exported.o" -o "$work/liba.so"
    rm -f "$work/liba.a"
    ar rc "$work/liba.a" "$work/exported.o"
}
fresh_tree
three="$public int os_one(void) { return 1; } $public int os_two(void) { return 1; } $public int os_three(void) { return 1; }"
link_library "$three"
accepts exports include/oscommit.h "$work/liba.so" "$work/liba.a"
link_library "$public int os_one(void) { return 1; } $public int os_three(void) { return 1; }"
refuses 'lacks os_two' exports include/oscommit.h "$work/liba.so"
link_library "$three $public int os_four(void) { return 1; }"
refuses 'shows os_four' exports include/oscommit.h "$work/liba.so"
link_library "$three int inside(void) { return 1; }"
refuses 'liba.a shows inside' exports include/oscommit.h "$work/liba.so" "$work/liba.a"

link_library "$three"
compile exported "$public int oscommit_sigv2_module(void) { return 1; }" && "$compiler" -shared "$work/exported.o" -o "$work/libm.so"
accepts exports include/oscommit.h "$work/liba.so" "$work/liba.a" "$work/libm.so"
refuses 'instead of oscommit_sigv2_module alone' exports include/oscommit.h "$work/liba.so" "$work/liba.a" "$work/liba.so"

# ---------------------------------------------------------------------------------------------------------- linked

compile linked "int linked(void) { return 1; }"
"$compiler" -shared "$work/linked.o" -Wl,--no-as-needed -lcrypto -o "$work/libl.so"
"$compiler" -shared "$work/linked.o" -Wl,--no-as-needed -ljansson -o "$work/libj.so"
accepts linked "$work/libl.so" "$work/libj.so" "$work/libl.so"
accepts linked "$work/libl.so" "$work/libl.so" "$work/libl.so"
refuses 'libl.so is not linked with libs3' linked "$work/libl.so" "$work/libj.so" "$work/libl.so" "$work/libl.so"
"$compiler" -shared "$work/linked.o" -Wl,--no-as-needed -lssl -o "$work/libl.so"
refuses 'libl.so is linked with libssl' linked "$work/libl.so" "$work/libj.so" "$work/libj.so"
refuses 'libl.so is linked with libssl' linked "$work/libj.so" "$work/libl.so" "$work/libj.so"

# ------------------------------------------------------------------------------------------------------- hardening

processor=$(uname -m)
guarded='#include <string.h>
int copy(char *to, size_t size, const char *from); int copy(char *to, size_t size, const char *from)
{ char copy[40]; memcpy(copy, from, size); memcpy(to, copy, sizeof(copy)); return to[0]; }
#ifdef PROGRAM
int main(int argc, char **argv) { return copy(argv[0], (size_t)argc, argv[0]); }
#endif'
case $processor in
x86_64) marked=-fcf-protection=full ;;
aarch64) marked=-mbranch-protection=standard ;;
*) marked= ;;
esac
# A hardened build, with one more flag, or two; and a program that is linked otherwise.
harden() { # COMPILER-FLAG LINKER-FLAG [PROGRAM-FLAG]
    rm -rf "$work/hard" && mkdir "$work/hard"
    # shellcheck disable=SC2054 # the linker's commas
    local link=(-Wl,-z,relro,-z,now,-z,noexecstack ${2:+"$2"}) flags=(-O2 -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    [[ -z $marked ]] || flags+=("$marked")
    flags+=(${1:+"$1"})
    printf '%s\n' "$guarded" >"$work/guarded.c"
    "$compiler" "${flags[@]}" -fPIC -shared "${link[@]}" "$work/guarded.c" -o "$work/hard/liba.so" &&
        "$compiler" "${flags[@]}" -DPROGRAM "${3:--pie}" "${link[@]}" "$work/guarded.c" -o "$work/hard/a" &&
        "$compiler" "${flags[@]}" -c "$work/guarded.c" -o "$work/guarded.o" && ar rc "$work/hard/liba.a" "$work/guarded.o" ||
        echo "FAILED: the compiler refuses $*"
}
hardened=(hardening "$work/hard" "$processor" Release "$work/hard/liba.so" "$work/hard/a" "$work/hard/liba.a")
harden "" ""
accepts "${hardened[@]}"
# shellcheck disable=SC2016 # the loader's word
harden "" '-Wl,-rpath,$ORIGIN/../lib:/usr/lib'
accepts "${hardened[@]}"
for path in /usr/lib: :/usr/lib /usr/lib::/lib; do
    harden "" "-Wl,-rpath,$path"
    refuses 'looks for libraries in "", which is the working directory' "${hardened[@]}"
done
harden "" -Wl,-rpath,lib
refuses 'looks for libraries in "lib"' "${hardened[@]}"
harden "" -Wl,-z,execstack
refuses 'the stack may be executed' "${hardened[@]}"
harden "" -Wl,-z,norelro
refuses 'no relro segment' "${hardened[@]}"
harden "" -Wl,-z,lazy
refuses 'symbols are bound late' "${hardened[@]}"
harden -fno-stack-protector ""
refuses 'no stack protector' "${hardened[@]}"
harden -U_FORTIFY_SOURCE ""
refuses '_FORTIFY_SOURCE is not in effect' "${hardened[@]}"
harden "" "" -no-pie
refuses 'not position independent' "${hardened[@]}"
if [[ -n $marked ]]; then
    harden "${marked%=*}=none" ""
    refuses "compiled without $marked" "${hardened[@]}"
fi

# ------------------------------------------------------------------------------------------------------------ site

if command -v doxygen >/dev/null; then
    rm -rf "$work/site" && mkdir "$work/site"
    cp -r "$checks"/../../{docs,include,README.md,SECURITY.md,CONTRIBUTING.md,CHANGELOG.md} "$work/site"
    accepts site "$work/site"
    printf '\n[none](rules.md#no-such-rule) [nor](nothing.html)\n<a href="nowhere.html">nowhere</a>\n' >>"$work/site/docs/stores.md"
    echo '# New' >"$work/site/docs/new.md"
    refuses 'no-such-rule' site "$work/site"
    refuses 'page_stores.html links to "nowhere.html", which is not there' site "$work/site"
    refuses 'docs/new.md is not in the list of pages' site "$work/site"
fi

# ------------------------------------------------------------------------------------------------------------ pages

# shellcheck disable=SC2016 # fences of blocks
fence='```'
rm -rf "$work/pages" && mkdir -p "$work/pages"/{docs,test}
(
    cd "$work/pages" || exit 1
    printf '| who uses it | begin with |\n|---|---|\n| all | [a](docs/a.md) |\n\n[b](docs/b.md)\n' >README.md
    printf '%ssh\ntrue\n%s\n' "$fence" "$fence" >docs/a.md
    echo '"""Runs: docs/a.md docs/c.md"""' >test/a_test.py
)
accepts pages "$work/pages"
printf '%s\ntrue\n%s\n' "$fence" "$fence" >>"$work/pages/docs/a.md"
refuses 'docs/a.md: line 4 opens a block' pages "$work/pages"
echo '"""Runs: docs/a.md.old"""' >"$work/pages/test/a_test.py"
refuses 'none says "Runs: docs/a.md"' pages "$work/pages"

# ------------------------------------------------------------------------------------------------------------ docs

rm -rf "$work/documents" && mkdir "$work/documents"
cp -r "$checks"/../../{docs,include,examples,cmake,README.md,SECURITY.md,CHANGELOG.md} "$work/documents"
mkdir "$work/documents/bench" && echo '# Benchmarks' >"$work/documents/bench/README.md"
accepts docs "$work/documents" "$oscommit"
printf '\n[none](nothing.md) [nor](rules.md#no-such-rule) [bench](../bench/README.md)\n' >>"$work/documents/docs/stores.md"
refuses 'links to nothing.md, which is not there' docs "$work/documents" "$oscommit"
refuses 'links to rules.md#no-such-rule: there is no such heading' docs "$work/documents" "$oscommit"
refuses 'is installed, and links to ../bench/README.md, which is not' docs "$work/documents" "$oscommit"

# --------------------------------------------------------------------------------------------------------- figures

fresh_figures() {
    fresh_tree
    printf 'explorer\tshort\t2026-11-23\t0123abc\t7 states\n' >docs/figures.tsv
    printf '<!-- written by scripts/figures.sh -->\n<!-- end of the figures -->\n' >docs/verification.md
    "$checks/../../scripts/figures.sh" --root "$work/tree"
}
fresh_figures
accepts figures "$work/tree"
echo 'TEST(one_more)' >test/unit/commit/more_test.c
refuses 'is not up to date' figures "$work/tree"
fresh_figures
sed -i 's/7 states/8 states/' docs/verification.md
refuses 'is not up to date' figures "$work/tree"
fresh_figures
sed -i 's/2026-11-23/yesterday/' docs/figures.tsv
refuses 'has the day "yesterday"' figures "$work/tree"

# ----------------------------------------------------------------------------------------------------- size_limits

fresh_tree
accepts size_limits "$work/tree"
refuses_line '501 lines' size_limits src/base/long.c "$(yes '/* */' | head -n 500)"
refuses_line 'long.rs has 501 lines' size_limits rust/long.rs "$(yes '/* */' | head -n 500)"
body=$(yes '    a++;' | head -n 68)
fresh_tree
printf '%s\nint f(int a)\n{\n%s\n}\n' "$licence" "$(tail -n 67 <<<"$body")" >src/base/long.c
accepts size_limits "$work/tree"
refuses_line 'a function of 71 lines' size_limits src/base/long.c "$(printf 'int f(int a)\n{\n%s\n}' "$body")"
branches=$(yes '    if (a) a++;' | head -n 15)
refuses_line 'a complexity of 16' size_limits src/base/forked.c "$(printf 'int f(int a)\n{\n%s\n    return a;\n}' "$branches")"
seven='int a, const char *b, int (*c)(int, int, int), int d, int e, int f, int g'
fresh_tree
printf '%s\nint f(%s)\n{\n}\nint os_f(%s, int h)\n{\n}\n' "$licence" "$seven" "$seven" >src/base/wide.c
accepts size_limits "$work/tree"
refuses_line 'wide.c:2: f has 8 parameters' size_limits src/base/wide.c "$(printf 'static bool f(%s,\n    int h)\n{\n}' "$seven")"
refuses_line 'f has 8 parameters' size_limits tool/cli/wide.c "__attribute__((format(printf, 1, 2))) $(printf 'int f(%s, ...)\n{\n}' "$seven")"
refuses_line 'f has 8 parameters' size_limits lab/race/wide.c "$(printf 'struct a *f(%s, int h)\n{\n}' "$seven")"
# 35 fields: 30 of them in lines of their own, an enum, two names in a line, a comment, and two in a struct inside.
many=$(yes '    int a;' | head -n 30)
many+=$'\n    enum { ONE, TWO } b;\n    int c, d; /* int e; */\n    struct {\n        int f;\n        char g[2][3];\n    } h;'
fresh_tree
printf '%s\nstruct a {\n%s\n};\n' "$licence" "$many" >src/base/wide.h
accepts size_limits "$work/tree"
refuses_line 'struct a has 36 fields' size_limits src/base/wide.h "$(printf 'struct a {\n%s\n    int i;\n};' "$many")"
refuses_line 'union b has 36' size_limits lab/race/wide.h "$(printf 'union b {\n%s\n    int (*i)(int, int);\n};' "$many")"
fresh_tree
for part in {1..11}; do
    printf '%s\n%s\n' "$licence" "$(yes '/* */' | head -n 499)" >"src/http/$part.c"
done
accepts size_limits "$work/tree"
printf '%s\n' "$licence" >src/http/12.c
refuses '5501 lines' size_limits "$work/tree"

# ----------------------------------------------------------------------------------------------- format, shell, spdx

fresh_tree
accepts format "$work/tree"
refuses_line 'guard.c:6 is not formatted' format src/commit/guard.c 'int  f(void);'
fresh_tree
accepts shell "$work/tree"
# shellcheck disable=SC2016 # the tree's script is to expand it
refuses_line 'SC2086' shell tool/run.sh 'rm $1'
fresh_tree
chmod -x tool/run.sh
refuses 'not executable' shell "$work/tree"
fresh_tree
accepts spdx "$work/tree"
fresh_tree
echo 'int f(void);' >src/base/buf.h
refuses 'src/base/buf.h does not name its licence' spdx "$work/tree"
fresh_tree
mkdir rust
echo 'fn f() {}' >rust/lib.rs
refuses 'rust/lib.rs does not name its licence' spdx "$work/tree"

# --------------------------------------------------------------------------------------------------------- the manual

fresh_tree
cp -r "$checks"/../../{include,examples,packaging} "$work/tree/"
cp -r "$checks/../../docs/man" "$work/tree/docs/"
echo 'os_undescribed 0.1.0' >>packaging/symbols
refuses 'os_undescribed has no page' manual "$work/tree"

# ------------------------------------------------------------------------------------------------ nothing to look at

rm -rf "$work/empty"
mkdir -p "$work/empty"/{src,docs,tool}
touch "$work/empty/docs/rules.md"
touch "$work/empty/README.md"
for check in layering rule_ids size_limits format shell spdx pages sentences; do
    refuses 'nothing to look at' "$check" "$work/empty"
done

((failures == 0)) || exit 1
echo "checks: $cases cases, each as expected"
