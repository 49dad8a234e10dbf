/* SPDX-License-Identifier: Apache-2.0 */
/* The parse of json_read beside jansson's own: they take the same texts, and for the same. */
#include "support/test.h"
#include "syntax/json_reader.h"

#include <stdint.h>
#include <string.h>

static json_t *read_by_jansson(const char *text, size_t len)
{
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (json_is_object(root))
        return root;
    json_decref(root);
    return NULL;
}

/* json_equal takes 1 and 1.0 for different, and NaN is none of JSON. */
static bool check_same(const char *text, size_t len)
{
    json_t *wanted = read_by_jansson(text, len);
    json_t *found = json_reader_run(text, len);
    if ((found == NULL) != (wanted == NULL) || (found != NULL && json_equal(found, wanted) == 0))
        fail_msg("%s, and jansson %s: %.*s", found != NULL ? "it is read" : "it is refused",
                 wanted != NULL ? "reads it" : "refuses it", (int)len, text);
    char *order = found != NULL ? json_dumps(found, JSON_COMPACT) : NULL;
    char *wanted_order = wanted != NULL ? json_dumps(wanted, JSON_COMPACT) : NULL;
    if (order != NULL)
        assert_string_equal(order, wanted_order);
    free(order);
    free(wanted_order);
    json_decref(found);
    json_decref(wanted);
    return order != NULL;
}

static const struct {
    const char *name; /* the value of a member */
} values[] = {
    {"0"},
    {"-0"},
    {"00"},
    {"-"},
    {"+1"},
    {"1."},
    {".5"},
    {"1.5"},
    {"1e"},
    {"1e5"},
    {"1E+5"},
    {"1e-5"},
    {"1e+"},
    {"-1.25e-3"},
    {"1.0"},
    {"9223372036854775807"},
    {"9223372036854775808"},
    {"-9223372036854775808"},
    {"-9223372036854775809"},
    {"1e308"},
    {"1e309"},
    {"1e-400"},
    {"0.1000000000000000055511151231257827021181583404541015625"},
    {"1 2"},
    {"1x"},
    {"true"},
    {"truex"},
    {"tru"},
    {"True"},
    {"false"},
    {"null"},
    {"nul"},
    {"NaN"},
    {"Infinity"},
    {"\"\""},
    {"\"a"},
    {"\"\\\""},
    {"\"\\\\\""},
    {"\"\\/\\b\\f\\n\\r\\t\\\"\""},
    {"\"\\x\""},
    {"\"\\U0041\""},
    {"\"\\u0041\""},
    {"\"\\u004\""},
    {"\"\\u004g\""},
    {"\"\\u00e9\\u20AC\""},
    {"\"\\ud83c\\udf88\""},
    {"\"\\ud83c\""},
    {"\"\\ud83cx\""},
    {"\"\\ud83c\\n\""},
    {"\"\\ud83c\\u0041\""},
    {"\"\\udf88\""},
    {"\"\\udbff\\udfff\""},
    {"\"\\u0000\""},
    {"\"a\\u0000b\""},
    {"\"\n\""},
    {"\"\\\n\""},
    {"\"\x7f\""},
    {"\"\xc3\xa9\""},
    {"\"\xc3\""},
    {"\"\xc3\\u00a9\""},
    {"\"\\u00c3\xa9\""},
    {"\"\xed\xa0\x80\""},
    {"\"\xf4\x90\x80\x80\""},
    {"\"\xc0\xaf\""},
    {"'a'"},
    {"[]"},
    {"[1,2,]"},
    {"[,1]"},
    {"[1 2]"},
    {"[1,[2,{}],\"\"]"},
    {"[1"},
    {"[1}"},
    {"{}"},
    {"{\"a\":1,\"b\":2}"},
    {"{\"a\":1,\"a\":2}"},
    {"{\"a\":1,\"\\u0061\":2}"},
    {"{\"a\":1,}"},
    {"{\"a\" : 1 , \"b\" :\t[ ]\r\n}"},
    {"{\"a\"}"},
    {"{\"a\":}"},
    {"{a:1}"},
    {"{1:1}"},
    {"{\"a\":1 \"b\":2}"},
    {"{\"\":1}"},
    {"{\"\\u0000\":1}"},
    {"{\"a\\n\":1}"},
    {"{\"\xc3\xa9\":1}"},
    {"{\"\xff\":1}"},
    {"{\"a\":1]"},
    {"\v1"},
    {"\xc2\xa0"
     "1"},
    {"/* */1"},
};

TEST_ROWS(values, a_value_is_what_jansson_says_it_is)
{
    char text[256];
    snprintf(text, sizeof(text), "{\"v\":%s}", row->name);
    (void)check_same(text, strlen(text));
    snprintf(text, sizeof(text), " {\"v\" : [ %s ] } ", row->name);
    (void)check_same(text, strlen(text));
    for (size_t len = 0; len < strlen(text); len++)
        (void)check_same(text, len);
}

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1103515245U + 12345U;
    return *seed >> 8;
}

/* Up to three bytes are put in, taken out or written over. */
TEST(texts_with_a_byte_changed_are_taken_or_refused_alike)
{
    static const char sample[] = " {\"a\":[1,-2.5e3,true,null,{\"\\u00e9\xc3\xa9\":\"x\\ny\\u0000\\ud83c\\udf88\"}],"
                                 "\"b\":{\"c\":{},\"d\":[[],\"\"]}, "
                                 "\"e\" : 1234567890123456789, \"f\":9007199254740993}\n";
    static const char bytes[] = "{}[]\",:\\u0019-+.eE \n\t/abtfn\x80\xc3\xff";
    enum { TRIES = 60000, SIZE = sizeof(sample) };
    uint32_t seed = 1;
    size_t taken = 0;
    for (int i = 0; i < TRIES; i++) {
        char text[SIZE + 8];
        size_t len = SIZE - 1;
        memcpy(text, sample, len);
        for (uint32_t k = next(&seed) % 3 + 1; k > 0; k--) {
            size_t at = next(&seed) % len;
            uint32_t kind = next(&seed) % 3;
            if (kind == 0)
                memmove(text + at, text + at + 1, --len - at);
            else if (kind == 1 && len < sizeof(text))
                memmove(text + at + 1, text + at, len++ - at);
            text[at] = kind == 0 ? text[at] : bytes[next(&seed) % (sizeof(bytes) - 1)];
        }
        taken += check_same(text, len) ? 1 : 0;
    }
    assert_in_range(taken, TRIES / 100, TRIES - TRIES / 100);
}

/* jansson passes over one behind a word. */
TEST(a_raw_nul_is_refused_wherever_it_stands)
{
    static const char sample[] = "{\"a\":[1,true,null,{\"b\":\"x\"}],\"c\":0.5}";
    for (size_t at = 0; at <= sizeof(sample) - 1; at++) {
        char text[sizeof(sample) + 1];
        memcpy(text, sample, at);
        text[at] = '\0';
        memcpy(text + at + 1, sample + at, sizeof(sample) - at);
        assert_null(json_reader_run(text, sizeof(sample)));
    }
}
