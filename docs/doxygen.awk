# SPDX-License-Identifier: Apache-2.0
# Shows the comments of the public header to Doxygen: the page of conventions as the file's, a comment on lines of its own
# as what follows, and one behind a member as that member's. Headings (/* -----) and the licence are for readers of the
# file. A line that begins with a code and two blanks becomes an item of a list, which ends where the indentation does.
NR == 1 { next }
NR == 2 && $0 == "/*" { print "/** @file oscommit.h"; next }
/^\/\* -----/ { heading = 1 }
heading {
    if (/\*\//)
        heading = 0
    print
    next
}
{
    text = with_code($0)
    if (text ~ /^ *\/\* /)
        sub(/\/\* /, "/** ", text)
    else if (match(text, /[;,{] *\/\* /))
        text = substr(text, 1, RSTART) " /**< " substr(text, RSTART + RLENGTH)
    indentation = match(text, /^ \* +[^ ]/) ? RLENGTH : 0
    if (match(text, /^ \*  +(any other code|UNKNOWN again|(OS_)?[A-Z][A-Z_]+(, (OS_)?[A-Z_]+)*( \.\.\.)?)(  |$)/)) {
        code = substr(text, RSTART, RLENGTH)
        rest = substr(text, RSTART + RLENGTH)
        sub(/^ *\* */, "", code)
        sub(/ +$/, "", code)
        sub(/^ +/, "", rest)
        text = substr(text, 1, indentation - 1) "- <b>" code "</b>" (rest == "" ? "" : ": " rest)
        inside = indentation
    } else if (inside && indentation && indentation < inside) {
        print " *"
        inside = 0
    } else if (!indentation)
        inside = 0
    print text
}

# What stands between backticks, as code.
function with_code(line) {
    while (match(line, /`[^`]+`/))
        line = substr(line, 1, RSTART - 1) "<tt>" substr(line, RSTART + 1, RLENGTH - 2) "</tt>" substr(line, RSTART + RLENGTH)
    return line
}
