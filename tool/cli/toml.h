/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of TOML 1.0: comments, tables of up to two names ([store."s3://bucket"]), and keys whose value is a string on
 * one line, a whole decimal number, true or false. Whatever is read means the same to every reader of TOML; everything
 * else of TOML is refused, with its line. Knows nothing of what the keys mean. Pure.
 *
 * Debian 12 has TOML libraries for C++, Go, Rust, Python and Perl, but none for C.
 */
#ifndef OSCOMMIT_TOOL_TOML_H
#define OSCOMMIT_TOOL_TOML_H

#include <stdbool.h>
#include <stddef.h>

enum toml_kind { TOML_STRING, TOML_NUMBER, TOML_BOOLEAN };

struct toml_value {
    enum toml_kind kind;
    const char *text; /* of a number its sign and digits; of a boolean "true" or "false" */
};

/* A false of either ends the reading. The strings are good for as long as the text is. */
struct toml_listener {
    bool (*table)(void *context, const char *name, const char *second, size_t line); /* `second` may be NULL */
    bool (*setting)(void *context, const char *key, const struct toml_value *value, size_t line);
    void *context;
};

/* What is wrong with the text, as an end of "line 7: ". */
struct toml_fault {
    size_t line; /* 0: nothing is */
    const char *sentence;
};

/* Reads `length` bytes with a NUL behind them, which it changes: its strings are decoded in place. UTF-8 is taken as it
 * is. False: *ret says why, or has line 0 where the listener ended it. */
bool toml_read(char *text, size_t length, const struct toml_listener *listener, struct toml_fault *ret);

#endif
