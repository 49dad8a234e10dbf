/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions, and whether they hold. Played here and on DynamoDB Local (test/integration/attribute_agrees_test.c). */
#ifndef OSCOMMIT_TEST_UNIT_ATTRIBUTE_CONDITION_CASES_H
#define OSCOMMIT_TEST_UNIT_ATTRIBUTE_CONDITION_CASES_H

#include "case_reading.h"

#define EQUALS      CONDITION_EQUALS
#define DIFFERS     CONDITION_DIFFERS
#define IS_BELOW    CONDITION_IS_BELOW
#define IS_AT_MOST  CONDITION_IS_AT_MOST
#define IS_ABOVE    CONDITION_IS_ABOVE
#define IS_AT_LEAST CONDITION_IS_AT_LEAST
#define IS_BETWEEN  CONDITION_IS_BETWEEN
#define BEGINS_WITH CONDITION_BEGINS_WITH
#define CONTAINS    CONDITION_CONTAINS
#define EXISTS      CONDITION_EXISTS
#define IS_ABSENT   CONDITION_IS_ABSENT
#define ONE         "{'N':'1'}"
#define TREE        "{'a':{'M':{'b':{'L':[{'N':'1'},{'M':{'c':{'S':'x'}}}]},'s':{'SS':['p','q']}}}}"
#define A_IS(value) "{'a':" value "}"
#define ON_A(...)                    \
    {                                \
        {                            \
            __VA_ARGS__, .path = "a" \
        }                            \
    }
#define ON(p, ...)                 \
    {                              \
        {                          \
            __VA_ARGS__, .path = p \
        }                          \
    }
#define FIVE "{'N':'5'}"

static const struct condition_case condition_cases[] = {
    /* no attribute, no item */
    {"none = 1", FAILS, "{}", ON_A(EQUALS, ONE)},
    {"no item = 1", FAILS, NULL, ON_A(EQUALS, ONE)},
    {"none <> 1", HOLDS, "{}", ON_A(DIFFERS, ONE)},
    {"no item <> 1", HOLDS, NULL, ON_A(DIFFERS, ONE)},
    {"none < 1", FAILS, "{}", ON_A(IS_BELOW, ONE)},
    {"none <= 1", FAILS, "{}", ON_A(IS_AT_MOST, ONE)},
    {"none > 1", FAILS, "{}", ON_A(IS_ABOVE, ONE)},
    {"none >= 1", FAILS, NULL, ON_A(IS_AT_LEAST, ONE)},
    {"none between 1 and 5", FAILS, "{}", ON_A(IS_BETWEEN, ONE, FIVE)},
    {"none begins with nothing", FAILS, "{}", ON_A(BEGINS_WITH, "{'S':''}")},
    {"none contains nothing", FAILS, "{}", ON_A(CONTAINS, "{'S':''}")},
    {"none exists", FAILS, "{}", ON_A(EXISTS)},
    {"no item exists", FAILS, NULL, ON_A(EXISTS)},
    {"none is absent", HOLDS, "{}", ON_A(IS_ABSENT)},
    {"no item is absent", HOLDS, NULL, ON_A(IS_ABSENT)},
    {"NULL exists", HOLDS, A_IS("{'NULL':true}"), ON_A(EXISTS)},
    {"NULL is absent", FAILS, A_IS("{'NULL':true}"), ON_A(IS_ABSENT)},
    /* numbers */
    {"1.0 = 1", HOLDS, A_IS("{'N':'1.0'}"), ON_A(EQUALS, ONE)},
    {"1.0 <> 1", FAILS, A_IS("{'N':'1.0'}"), ON_A(DIFFERS, ONE)},
    {"10e-1 >= 1", HOLDS, A_IS("{'N':'10e-1'}"), ON_A(IS_AT_LEAST, ONE)},
    {"1 < 1", FAILS, A_IS(ONE), ON_A(IS_BELOW, ONE)},
    {"1 <= 1", HOLDS, A_IS(ONE), ON_A(IS_AT_MOST, ONE)},
    {"1 > 1", FAILS, A_IS(ONE), ON_A(IS_ABOVE, ONE)},
    {"-2 < -1", HOLDS, A_IS("{'N':'-2'}"), ON_A(IS_BELOW, "{'N':'-1'}")},
    {"9 < 10", HOLDS, A_IS("{'N':'9'}"), ON_A(IS_BELOW, "{'N':'10'}")},
    {"0 > -1e-130", HOLDS, A_IS("{'N':'0'}"), ON_A(IS_ABOVE, "{'N':'-1e-130'}")},
    {"9007199254740993 > 9007199254740992", HOLDS, A_IS("{'N':'9007199254740993'}"),
     ON_A(IS_ABOVE, "{'N':'9007199254740992'}")},
    /* texts and bytes */
    {"b > B", HOLDS, A_IS("{'S':'b'}"), ON_A(IS_ABOVE, "{'S':'B'}")},
    {"ab > a", HOLDS, A_IS("{'S':'ab'}"), ON_A(IS_ABOVE, "{'S':'a'}")},
    {"empty < a", HOLDS, A_IS("{'S':''}"), ON_A(IS_BELOW, "{'S':'a'}")},
    {"a NUL b = a", FAILS, A_IS("{'S':'a\\u0000b'}"), ON_A(EQUALS, "{'S':'a'}")},
    {"U+1F600 > U+FFFF, by UTF-8", HOLDS, A_IS("{'S':'\xf0\x9f\x98\x80'}"), ON_A(IS_ABOVE, "{'S':'\xef\xbf\xbf'}")},
    {"ff > 01", HOLDS, A_IS("{'B':'/w=='}"), ON_A(IS_ABOVE, "{'B':'AQ=='}")},
    {"no bytes < 00", HOLDS, A_IS("{'B':''}"), ON_A(IS_BELOW, "{'B':'AA=='}")},
    {"00 < 0000", HOLDS, A_IS("{'B':'AA=='}"), ON_A(IS_BELOW, "{'B':'AAA='}")},
    {"+ (f8) < / (fc), letters of base64", HOLDS, A_IS("{'B':'+A=='}"), ON_A(IS_BELOW, "{'B':'/A=='}")},
    {"bytes =", HOLDS, A_IS("{'B':'/w=='}"), ON_A(EQUALS, "{'B':'/w=='}")},
    /* other types */
    {"S 1 = N 1", FAILS, A_IS("{'S':'1'}"), ON_A(EQUALS, ONE)},
    {"S 1 <> N 1", HOLDS, A_IS("{'S':'1'}"), ON_A(DIFFERS, ONE)},
    {"S 1 <= N 1", FAILS, A_IS("{'S':'1'}"), ON_A(IS_AT_MOST, ONE)},
    {"S 1 >= N 1", FAILS, A_IS("{'S':'1'}"), ON_A(IS_AT_LEAST, ONE)},
    {"B = S", FAILS, A_IS("{'B':'YQ=='}"), ON_A(EQUALS, "{'S':'YQ=='}")},
    {"M < S", FAILS, A_IS("{'M':{}}"), ON_A(IS_BELOW, "{'S':'x'}")},
    {"true = true", HOLDS, A_IS("{'BOOL':true}"), ON_A(EQUALS, "{'BOOL':true}")},
    {"true <> false", HOLDS, A_IS("{'BOOL':true}"), ON_A(DIFFERS, "{'BOOL':false}")},
    {"NULL = NULL", HOLDS, A_IS("{'NULL':true}"), ON_A(EQUALS, "{'NULL':true}")},
    {"BOOL < BOOL", REFUSED, A_IS("{'BOOL':true}"), ON_A(IS_BELOW, "{'BOOL':true}")},
    {"L >= L", REFUSED, A_IS("{'L':[]}"), ON_A(IS_AT_LEAST, "{'L':[]}")},
    {"S < SS", REFUSED, A_IS("{'S':'x'}"), ON_A(IS_BELOW, "{'SS':['a']}")},
    {"none < NULL", REFUSED, NULL, ON_A(IS_BELOW, "{'NULL':true}")},
    /* documents and sets */
    {"SS in another order", HOLDS, A_IS("{'SS':['a','b']}"), ON_A(EQUALS, "{'SS':['b','a']}")},
    {"SS with one less", FAILS, A_IS("{'SS':['a','b']}"), ON_A(EQUALS, "{'SS':['a']}")},
    {"SS with another", FAILS, A_IS("{'SS':['a','b']}"), ON_A(EQUALS, "{'SS':['a','c']}")},
    {"NS by value", HOLDS, A_IS("{'NS':['1','2']}"), ON_A(EQUALS, "{'NS':['2.0','1e0']}")},
    {"BS in another order", HOLDS, A_IS("{'BS':['YQ==','Yg==']}"), ON_A(EQUALS, "{'BS':['Yg==','YQ==']}")},
    {"NS is no SS", FAILS, A_IS("{'NS':['1']}"), ON_A(EQUALS, "{'SS':['1']}")},
    {"L in order, numbers by value", HOLDS, A_IS("{'L':[{'N':'1'},{'S':'2'}]}"),
     ON_A(EQUALS, "{'L':[{'N':'1.00'},{'S':'2'}]}")},
    {"L in another order", FAILS, A_IS("{'L':[{'N':'1'},{'S':'2'}]}"), ON_A(EQUALS, "{'L':[{'S':'2'},{'N':'1'}]}")},
    {"L with one more", FAILS, A_IS("{'L':[{'N':'1'}]}"), ON_A(EQUALS, "{'L':[{'N':'1'},{'N':'1'}]}")},
    {"M in another order", HOLDS, A_IS("{'M':{'x':{'N':'1'},'y':{'S':'2'}}}"),
     ON_A(EQUALS, "{'M':{'y':{'S':'2'},'x':{'N':'1.0'}}}")},
    {"M with another name", FAILS, A_IS("{'M':{'x':{'N':'1'}}}"), ON_A(EQUALS, "{'M':{'y':{'N':'1'}}}")},
    {"M with one more", FAILS, A_IS("{'M':{'x':{'N':'1'}}}"), ON_A(EQUALS, "{'M':{'x':{'N':'1'},'y':{'N':'1'}}}")},
    {"[] = []", HOLDS, A_IS("{'L':[]}"), ON_A(EQUALS, "{'L':[]}")},
    {"[] = {}", FAILS, A_IS("{'L':[]}"), ON_A(EQUALS, "{'M':{}}")},
    /* BETWEEN */
    {"3 between 1 and 5", HOLDS, A_IS("{'N':'3'}"), ON_A(IS_BETWEEN, ONE, FIVE)},
    {"1 between 1 and 5", HOLDS, A_IS(ONE), ON_A(IS_BETWEEN, ONE, FIVE)},
    {"5.0 between 1 and 5", HOLDS, A_IS("{'N':'5.0'}"), ON_A(IS_BETWEEN, ONE, FIVE)},
    {"0.9 between 1 and 5", FAILS, A_IS("{'N':'0.9'}"), ON_A(IS_BETWEEN, ONE, FIVE)},
    {"5.1 between 1 and 5", FAILS, A_IS("{'N':'5.1'}"), ON_A(IS_BETWEEN, ONE, FIVE)},
    {"1 between 1 and 1", HOLDS, A_IS(ONE), ON_A(IS_BETWEEN, ONE, ONE)},
    {"b between a and c", HOLDS, A_IS("{'S':'b'}"), ON_A(IS_BETWEEN, "{'S':'a'}", "{'S':'c'}")},
    {"N between S", FAILS, A_IS(ONE), ON_A(IS_BETWEEN, "{'S':'0'}", "{'S':'2'}")},
    {"between 5 and 1", REFUSED, A_IS("{'N':'3'}"), ON_A(IS_BETWEEN, FIVE, ONE)},
    {"between N and S", REFUSED, A_IS(ONE), ON_A(IS_BETWEEN, ONE, "{'S':'5'}")},
    {"between BOOL", REFUSED, A_IS(ONE), ON_A(IS_BETWEEN, "{'BOOL':true}", "{'BOOL':true}")},
    /* begins_with */
    {"abc begins with ab", HOLDS, A_IS("{'S':'abc'}"), ON_A(BEGINS_WITH, "{'S':'ab'}")},
    {"abc begins with nothing", HOLDS, A_IS("{'S':'abc'}"), ON_A(BEGINS_WITH, "{'S':''}")},
    {"abc begins with abcd", FAILS, A_IS("{'S':'abc'}"), ON_A(BEGINS_WITH, "{'S':'abcd'}")},
    {"abc begins with bc", FAILS, A_IS("{'S':'abc'}"), ON_A(BEGINS_WITH, "{'S':'bc'}")},
    {"bytes ab begin with a", HOLDS, A_IS("{'B':'YWI='}"), ON_A(BEGINS_WITH, "{'B':'YQ=='}")},
    {"bytes ab begin with b", FAILS, A_IS("{'B':'YWI='}"), ON_A(BEGINS_WITH, "{'B':'Yg=='}")},
    {"bytes ab begin with abc", FAILS, A_IS("{'B':'YWI='}"), ON_A(BEGINS_WITH, "{'B':'YWJj'}")},
    {"bytes begin with a text", FAILS, A_IS("{'B':'YWI='}"), ON_A(BEGINS_WITH, "{'S':'YW'}")},
    {"a number begins with a text", FAILS, A_IS("{'N':'12'}"), ON_A(BEGINS_WITH, "{'S':'1'}")},
    {"a set begins with a text", FAILS, A_IS("{'SS':['a']}"), ON_A(BEGINS_WITH, "{'S':'a'}")},
    {"begins with a number", REFUSED, A_IS("{'N':'12'}"), ON_A(BEGINS_WITH, ONE)},
    {"begins with a set", REFUSED, A_IS("{'S':'a'}"), ON_A(BEGINS_WITH, "{'SS':['a']}")},
    /* contains */
    {"abc contains b", HOLDS, A_IS("{'S':'abc'}"), ON_A(CONTAINS, "{'S':'b'}")},
    {"abc contains nothing", HOLDS, A_IS("{'S':'abc'}"), ON_A(CONTAINS, "{'S':''}")},
    {"abc contains ac", FAILS, A_IS("{'S':'abc'}"), ON_A(CONTAINS, "{'S':'ac'}")},
    {"a1 contains number 1", FAILS, A_IS("{'S':'a1'}"), ON_A(CONTAINS, ONE)},
    {"bytes abc contain bc", HOLDS, A_IS("{'B':'YWJj'}"), ON_A(CONTAINS, "{'B':'YmM='}")},
    {"bytes abc contain no bytes", HOLDS, A_IS("{'B':'YWJj'}"), ON_A(CONTAINS, "{'B':''}")},
    {"bytes abc contain ac", FAILS, A_IS("{'B':'YWJj'}"), ON_A(CONTAINS, "{'B':'YWM='}")},
    {"bytes contain a text", FAILS, A_IS("{'B':'YWJj'}"), ON_A(CONTAINS, "{'S':'b'}")},
    {"12 contains 1", FAILS, A_IS("{'N':'12'}"), ON_A(CONTAINS, ONE)},
    {"12 contains text 1", FAILS, A_IS("{'N':'12'}"), ON_A(CONTAINS, "{'S':'1'}")},
    {"SS contains a", HOLDS, A_IS("{'SS':['a','b']}"), ON_A(CONTAINS, "{'S':'a'}")},
    {"SS contains a part of an element", FAILS, A_IS("{'SS':['ab','b']}"), ON_A(CONTAINS, "{'S':'a'}")},
    {"NS contains 1.0", HOLDS, A_IS("{'NS':['2','1']}"), ON_A(CONTAINS, "{'N':'1.0'}")},
    {"NS contains text 1", FAILS, A_IS("{'NS':['1']}"), ON_A(CONTAINS, "{'S':'1'}")},
    {"BS contains a", HOLDS, A_IS("{'BS':['YQ==']}"), ON_A(CONTAINS, "{'B':'YQ=='}")},
    {"SS contains itself", FAILS, A_IS("{'SS':['a','b']}"), ON_A(CONTAINS, "{'SS':['a','b']}")},
    {"L contains 1.0", HOLDS, A_IS("{'L':[{'S':'a'},{'N':'1'}]}"), ON_A(CONTAINS, "{'N':'1.0'}")},
    {"L contains a part of an element", FAILS, A_IS("{'L':[{'S':'abc'}]}"), ON_A(CONTAINS, "{'S':'b'}")},
    {"L contains a list", HOLDS, A_IS("{'L':[{'L':[{'S':'a'}]}]}"), ON_A(CONTAINS, "{'L':[{'S':'a'}]}")},
    {"L contains a map", HOLDS, A_IS("{'L':[{'M':{'x':{'N':'1'}}}]}"), ON_A(CONTAINS, "{'M':{'x':{'N':'1'}}}")},
    {"L contains a set", HOLDS, A_IS("{'L':[{'SS':['a','b']}]}"), ON_A(CONTAINS, "{'SS':['b','a']}")},
    {"L contains NULL", HOLDS, A_IS("{'L':[{'NULL':true}]}"), ON_A(CONTAINS, "{'NULL':true}")},
    {"L contains what its list contains", FAILS, A_IS("{'L':[{'L':[{'S':'a'}]}]}"), ON_A(CONTAINS, "{'S':'a'}")},
    {"M contains a name", FAILS, A_IS("{'M':{'x':{'S':'y'}}}"), ON_A(CONTAINS, "{'S':'x'}")},
    {"M contains a value", FAILS, A_IS("{'M':{'x':{'S':'y'}}}"), ON_A(CONTAINS, "{'S':'y'}")},
    {"true contains true", FAILS, A_IS("{'BOOL':true}"), ON_A(CONTAINS, "{'BOOL':true}")},
    /* paths */
    {"a.b[0] = 1", HOLDS, TREE, ON("a.b[0]", EQUALS, ONE)},
    {"a.b[1].c = x", HOLDS, TREE, ON("a.b[1].c", EQUALS, "{'S':'x'}")},
    {"a.b[2] exists", FAILS, TREE, ON("a.b[2]", EXISTS)},
    {"a.b[1].c exists", HOLDS, TREE, ON("a.b[1].c", EXISTS)},
    {"a.b[1].d is absent", HOLDS, TREE, ON("a.b[1].d", IS_ABSENT)},
    {"a map by index is absent", HOLDS, TREE, ON("a[0]", IS_ABSENT)},
    {"a list by name is absent", HOLDS, TREE, ON("a.b.c", IS_ABSENT)},
    {"inside a number is nothing", HOLDS, TREE, ON("a.b[0].c", DIFFERS, ONE)},
    {"inside a set is nothing", HOLDS, TREE, ON("a.s[0]", IS_ABSENT)},
    {"without an item no path leads anywhere", HOLDS, NULL, ON("a.b[1]", IS_ABSENT)},
    /* several */
    {"both hold", HOLDS, TREE, {{.test = EXISTS, .path = "a"}, {.test = EQUALS, .value = ONE, .path = "a.b[0]"}}},
    {"one does not", FAILS, TREE, {{.test = EXISTS, .path = "a"}, {.test = DIFFERS, .value = ONE, .path = "a.b[0]"}}},
    {"the first does not",
     FAILS,
     TREE,
     {{.test = EXISTS, .path = "z"}, {.test = EQUALS, .value = ONE, .path = "a.b[0]"}}},
    {"the alternative holds",
     HOLDS,
     TREE,
     {{.test = EXISTS, .path = "z"}, {.test = EXISTS, .path = "a", .is_alternative = true}}},
    {"the first alternative holds",
     HOLDS,
     TREE,
     {{.test = EXISTS, .path = "a"}, {.test = EXISTS, .path = "z", .is_alternative = true}}},
    {"the first begins an alternative, as it does anyway",
     FAILS,
     TREE,
     {{.test = EXISTS, .path = "z", .is_alternative = true}}},
    {"neither holds",
     FAILS,
     TREE,
     {{.test = EXISTS, .path = "z"}, {.test = EQUALS, .value = ONE, .path = "z", .is_alternative = true}}},
    {"AND binds closer than OR, at the end",
     HOLDS,
     TREE,
     {{.test = EXISTS, .path = "a"},
      {.test = EXISTS, .path = "a", .is_alternative = true},
      {.test = EXISTS, .path = "z"}}},
    {"AND binds closer than OR, at the beginning",
     HOLDS,
     TREE,
     {{.test = EXISTS, .path = "z"},
      {.test = EXISTS, .path = "a"},
      {.test = EXISTS, .path = "a", .is_alternative = true}}},
    {"AND binds closer than OR, in the middle",
     FAILS,
     TREE,
     {{.test = EXISTS, .path = "z"},
      {.test = EXISTS, .path = "a", .is_alternative = true},
      {.test = EXISTS, .path = "z"},
      {.test = EXISTS, .path = "z", .is_alternative = true}}},
};

#endif
