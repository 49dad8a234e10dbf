/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values, what is wrong with them, and their size. Played here and on DynamoDB Local
 * (test/integration/attribute_agrees_test.c).
 */
#ifndef OSCOMMIT_TEST_UNIT_ATTRIBUTE_VALUE_CASES_H
#define OSCOMMIT_TEST_UNIT_ATTRIBUTE_VALUE_CASES_H

#include <stdbool.h>
#include <stddef.h>

struct value_case {
    const char *name; /* the value, as case_json has it */
    size_t size;
    const char *fault; /* the sentence about it as the attribute "a"; NULL: it is well formed */
    /* DynamoDB Local takes it, or fails over it, and gives something else back. In the service's protocol S, N and B are
     * strings, BOOL and NULL booleans (API Reference, AttributeValue). */
    bool local_is_lax;
};

#define TWICE "a: the set has an element twice."
#define TYPE                                                                                                          \
    "the value is not a JSON object whose only member is its type, such as {\"S\":\"text\"}; the types are S, N, B, " \
    "BOOL, NULL, L, M, SS, NS and BS."
#define STRINGS "S, N and B, and the elements of SS, NS and BS, are JSON strings."
#define BASE64  "a: the text of a B is not base64 (RFC 4648, with padding)."
#define EMPTY   "a set has at least one element; leave the attribute out instead."
#define NAME    "the name of an attribute has 1 to 65535 bytes."

static const struct value_case value_cases[] = {
    {"{'S':''}", 0, NULL, false},
    {"{'S':'abc'}", 3, NULL, false},
    {"{'S':'\xc3\xa4\xf0\x9f\x98\x80'}", 6, NULL, false},
    {"{'S':'a\\u0000b'}", 3, NULL, false},
    {"{'B':''}", 0, NULL, false},
    {"{'B':'YWJj'}", 3, NULL, false},
    {"{'B':'YWI='}", 2, NULL, false},
    {"{'B':'+/8='}", 2, NULL, false},
    {"{'N':'0'}", 1, NULL, false},
    {"{'N':'1'}", 2, NULL, false},
    {"{'N':'-1'}", 3, NULL, false},
    {"{'N':'10'}", 2, NULL, false},
    {"{'N':'100'}", 2, NULL, false},
    {"{'N':'12e3'}", 3, NULL, false},
    {"{'N':'123'}", 3, NULL, false},
    {"{'N':'12345'}", 4, NULL, false},
    {"{'N':'-123'}", 4, NULL, false},
    {"{'N':'0.1'}", 2, NULL, false},
    {"{'N':'0.12'}", 2, NULL, false},
    {"{'N':'0.123'}", 3, NULL, false},
    {"{'N':'1.2'}", 3, NULL, false},
    {"{'N':'0.001'}", 2, NULL, false},
    {"{'N':'1e-130'}", 2, NULL, false},
    {"{'N':'1e125'}", 2, NULL, false},
    {"{'N':'99999999999999999999999999999999999999'}", 20, NULL, false},
    {"{'N':'-99999999999999999999999999999999999999'}", 21, NULL, false},
    {"{'N':'9.9999999999999999999999999999999999999'}", 21, NULL, false},
    {"{'BOOL':false}", 1, NULL, false},
    {"{'NULL':true}", 1, NULL, false},
    {"{'L':[]}", 3, NULL, false},
    {"{'M':{}}", 3, NULL, false},
    {"{'L':[{'S':'a'},{'S':'b'}]}", 7, NULL, false},
    {"{'M':{'x':{'S':'a'},'yy':{'S':'b'}}}", 10, NULL, false},
    {"{'L':[{'L':[{'S':'a'}]}]}", 9, NULL, false},
    {"{'SS':['a','bc']}", 3, NULL, false},
    {"{'SS':['']}", 0, NULL, false},
    {"{'NS':['1','23']}", 4, NULL, false},
    {"{'BS':['YQ==','Yg==']}", 2, NULL, false},
    {"{}", 0, "a: " TYPE, false},
    {"{'S':'x','N':'1'}", 0, "a: " TYPE, false},
    {"{'X':'1'}", 0, "a: " TYPE, true},
    {"{'s':'1'}", 0, "a: " TYPE, true},
    {"[]", 0, "a: " TYPE, true},
    {"{'L':[{'S':'x'},{}]}", 0, "a[1]: " TYPE, false},
    {"{'M':{'x':{'L':[{'N':'1'},{'N':''}]}}}", 0,
     "a.x[1]: the number \"\" is not a decimal number, such as -12.5 or 1e3.", false},
    {"{'N':'1e126'}", 0, "a: the number \"1e126\" is too large: DynamoDB's numbers end below 1E+126.", false},
    {"{'N':'1e-131'}", 0, "a: the number \"1e-131\" is too near to zero: the smallest magnitude of DynamoDB is 1E-130.",
     false},
    {"{'N':'999999999999999999999999999999999999999'}", 0,
     "a: the number \"999999999999999999999999999999999999999\" has more than 38 significant digits.", false},
    {"{'N':'1\\u0000'}", 0, "a: the number \"1\" is not a decimal number, such as -12.5 or 1e3.", false},
    {"{'N':1}", 0, "a: " STRINGS, true},
    {"{'S':1}", 0, "a: " STRINGS, true},
    {"{'S':null}", 0, "a: " STRINGS, false},
    {"{'B':'YQ'}", 0, BASE64, true},
    {"{'B':'YR=='}", 0, BASE64, true},
    {"{'B':'YWJ='}", 0, BASE64, true},
    {"{'B':'Y==='}", 0, BASE64, true},
    {"{'B':'===='}", 0, BASE64, true},
    {"{'B':'YQ==YQ=='}", 0, BASE64, true},
    {"{'B':'YQ==\\n'}", 0, BASE64, true},
    {"{'B':'_-A='}", 0, BASE64, true},
    {"{'BOOL':'true'}", 0, "a: a BOOL is true or false.", true},
    {"{'NULL':false}", 0, "a: a NULL is true.", false},
    {"{'L':{}}", 0, "a: an L is a JSON array of values.", true},
    {"{'M':[]}", 0, "a: an M is a JSON object of values by their names.", true},
    {"{'M':{'':{'S':'x'}}}", 0, "a.\"\": " NAME, false},
    {"{'SS':'a'}", 0, "a: SS, NS and BS are JSON arrays of strings.", true},
    {"{'SS':[]}", 0, "a: " EMPTY, false},
    {"{'NS':[]}", 0, "a: " EMPTY, false},
    {"{'L':[{'BS':[]}]}", 0, "a[0]: " EMPTY, false},
    {"{'SS':['a','b','a']}", 0, TWICE, false},
    {"{'NS':['10','2','1e1']}", 0, TWICE, false},
    {"{'BS':['YQ==','YQ==']}", 0, TWICE, false},
    {"{'NS':['1','x']}", 0, "a[1]: the number \"x\" is not a decimal number, such as -12.5 or 1e3.", false},
    {"{'SS':['a',1]}", 0, "a[1]: " STRINGS, true},
};

#endif
