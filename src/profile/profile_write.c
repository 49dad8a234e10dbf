/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile_json.h"
#include "profile/profile_names.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int set_text(json_t *object, const char *name, const char *text)
{
    return json_object_set_new(object, name, json_string(text));
}

static int set_word(json_t *object, const char *name, const struct profile_words *words, int value)
{
    return set_text(object, name, words->word[value]);
}

static int set_flag(json_t *object, const char *name, bool flag)
{
    return json_object_set_new(object, name, json_boolean(flag));
}

static int set_number(json_t *object, const char *name, json_int_t number)
{
    return json_object_set_new(object, name, json_integer(number));
}

static json_t *rule_of(const struct profile_rule *rule)
{
    json_t *object = json_object();
    int failed = set_word(object, "absent", &profile_words_condition, (int)rule->absent);
    failed |= set_flag(object, "absent_atomic", rule->absent_atomic);
    failed |= set_number(object, "absent_rounds", rule->absent_rounds);
    failed |= set_word(object, "match", &profile_words_condition, (int)rule->match);
    failed |= set_flag(object, "match_atomic", rule->match_atomic);
    failed |= set_number(object, "match_rounds", rule->match_rounds);
    failed |= set_number(object, "status_unmet", rule->status_unmet);
    failed |= set_number(object, "status_missing", rule->status_missing);
    failed |= set_word(object, "answer_409", &profile_words_409, (int)rule->answer_409);
    if (failed == 0)
        return object;
    json_decref(object);
    return NULL;
}

static int write_rules(json_t *object, const struct profile *profile)
{
    json_t *rules = json_object();
    int failed = 0;
    for (int request = 0; request < PROFILE_REQUESTS; request++)
        failed |= json_object_set_new(rules, profile_request_name((enum profile_request)request),
                                      rule_of(&profile->rules[request]));
    return json_object_set_new(object, "requests", rules) | failed;
}

static json_t *vendor_of(const struct profile_vendor *vendor)
{
    json_t *object = json_object();
    int failed = set_word(object, "put", &profile_words_condition, (int)vendor->put);
    failed |= set_flag(object, "put_atomic", vendor->put_atomic);
    failed |= set_number(object, "put_rounds", vendor->put_rounds);
    failed |= set_word(object, "copy", &profile_words_condition, (int)vendor->copy);
    failed |= set_flag(object, "copy_atomic", vendor->copy_atomic);
    failed |= set_number(object, "copy_rounds", vendor->copy_rounds);
    if (failed == 0)
        return object;
    json_decref(object);
    return NULL;
}

static int write_vendors(json_t *object, const struct profile *profile)
{
    json_t *vendors = json_object();
    int failed = 0;
    for (int vendor = 1; vendor < PROFILE_VENDORS; vendor++)
        failed |= json_object_set_new(vendors, profile_vendor_name(vendor), vendor_of(&profile->vendors[vendor]));
    return json_object_set_new(object, "vendors", vendors) | failed;
}

static int write_checksums(json_t *object, const struct profile *profile)
{
    json_t *checksums = json_array();
    int failed = 0;
    for (int checksum = 1; checksum < PROFILE_CHECKSUMS; checksum++)
        if (profile->checksums & (UINT32_C(1) << checksum))
            failed |= json_array_append_new(checksums, json_string(profile_checksum_name(checksum)));
    return json_object_set_new(object, "checksums", checksums) | failed;
}

static int write_answers(json_t *object, const struct profile *profile)
{
    int failed = set_word(object, "expiry", &profile_words_expiry, (int)profile->expiry);
    failed |= set_word(object, "stalled_body", &profile_words_stalled, (int)profile->stalled_body);
    failed |= set_number(object, "stalled_body_s", profile->stalled_body_s);
    failed |= set_word(object, "answer_mark", &profile_words_mark, (int)profile->answer_mark);
    failed |= set_word(object, "rename_object", &profile_words_answer, (int)profile->rename_object);
    failed |= set_word(object, "date_on_all", &profile_words_answer, (int)profile->date_on_all);
    failed |= set_word(object, "metadata_survives", &profile_words_answer, (int)profile->metadata_survives);
    failed |= set_word(object, "etag_is_md5", &profile_words_answer, (int)profile->etag_is_md5);
    failed |= set_word(object, "versioned", &profile_words_answer, (int)profile->versioned);
    failed |= set_word(object, "uploads", &profile_words_answer, (int)profile->uploads);
    return failed;
}

char *profile_write(const struct profile *profile)
{
    json_t *object = json_object();
    int failed = set_number(object, "format", PROFILE_FORMAT);
    failed |= set_text(object, "name", profile->name);
    failed |= set_text(object, "version", profile->version);
    failed |= set_text(object, "measured_on", profile->measured_on);
    failed |= set_text(object, "source", profile->source);
    failed |= write_rules(object, profile);
    failed |= set_word(object, "copy_source_match", &profile_words_condition, (int)profile->copy_source_match);
    failed |= write_vendors(object, profile);
    failed |= write_answers(object, profile);
    failed |= set_number(object, "complete_s", profile->complete_s);
    failed |= write_checksums(object, profile);
    char *text = failed ? NULL : json_dumps(object, JSON_INDENT(2));
    json_decref(object);
    size_t len = text ? strlen(text) : 0;
    char *line = text ? realloc(text, len + 2) : NULL;
    if (line == NULL) {
        free(text);
        return NULL;
    }
    memcpy(line + len, "\n", 2);
    return line;
}
