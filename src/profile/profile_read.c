/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/text.h"
#include "profile/profile_json.h"
#include "profile/profile_names.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* The first fault is told, and ends the reading. */
struct reader {
    const char *where;
    os_error *err;
    os_code code;
};

/* An object in the file; `place` is its name in sentences, with a dot behind it ("requests.put."), "" for the whole. */
struct part {
    struct reader *reader;
    const json_t *object;
    const char *place;
};

static bool profile_read_failed(const struct part *part)
{
    return part->reader->code != OS_OK;
}

static void profile_read_refuse(const struct part *part, const char *name, const char *why)
{
    part->reader->code = error_set(part->reader->err, OS_ERR_CONFIG, "The store profile %.300s: %s%.100s %s.",
                                   part->reader->where, part->place, name, why);
}

/* Every name must be one of the list, which ends with NULL. */
static void check_names(const struct part *part, const char *const *names)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)part->object, name, value)
    {
        const char *const *known = names;
        while (*known && strcmp(*known, name) != 0)
            known++;
        if (*known == NULL && !profile_read_failed(part))
            profile_read_refuse(part, name, "is not a field that this release knows");
    }
}

static const json_t *value_of(const struct part *part, const char *name)
{
    return profile_read_failed(part) ? NULL : json_object_get(part->object, name);
}

static void read_text(const struct part *part, const char *name, bool required, char *ret, size_t ret_size)
{
    const json_t *value = value_of(part, name);
    if (value == NULL && !required)
        return;
    const char *text = json_string_value(value);
    if (profile_read_failed(part))
        return;
    if (text == NULL || (required && text[0] == '\0')) {
        profile_read_refuse(part, name, required ? "must be a text that is not empty" : "must be a text");
        return;
    }
    struct text slice = text_of(text, json_string_length(value));
    for (size_t i = 0; i < slice.len && !profile_read_failed(part); i++)
        if ((unsigned char)slice.p[i] < 0x20 || slice.p[i] == 0x7f)
            profile_read_refuse(part, name, "has a control character");
    if (!profile_read_failed(part) && !text_copy(slice, ret, ret_size))
        profile_read_refuse(part, name, "is too long");
}

static void list_words(const struct profile_words *words, char *ret, size_t ret_size)
{
    size_t used = (size_t)snprintf(ret, ret_size, "must be");
    for (size_t i = 0; i < words->count && used < ret_size; i++) {
        const char *before = i == 0 ? "" : i + 1 == words->count ? " or" : ",";
        used += (size_t)snprintf(ret + used, ret_size - used, "%s \"%s\"", before, words->word[i]);
    }
}

static int read_word(const struct part *part, const char *name, const struct profile_words *words)
{
    const json_t *value = value_of(part, name);
    if (value == NULL)
        return 0;
    const char *word = json_string_value(value);
    for (size_t i = 0; word && i < words->count; i++)
        if (strcmp(word, words->word[i]) == 0) /* jansson refuses a NUL inside */
            return (int)i;
    char why[192];
    list_words(words, why, sizeof(why));
    profile_read_refuse(part, name, why);
    return 0;
}

static enum profile_condition read_condition(const struct part *part, const char *name)
{
    return (enum profile_condition)read_word(part, name, &profile_words_condition);
}

static enum profile_answer read_yes_no(const struct part *part, const char *name)
{
    return (enum profile_answer)read_word(part, name, &profile_words_answer);
}

static bool read_flag(const struct part *part, const char *name)
{
    const json_t *value = value_of(part, name);
    if (value && json_typeof(value) != JSON_TRUE && json_typeof(value) != JSON_FALSE)
        profile_read_refuse(part, name, "must be true or false");
    return json_is_true(value);
}

static json_int_t read_number(const struct part *part, const char *name, json_int_t most)
{
    const json_t *value = value_of(part, name);
    if (value == NULL)
        return 0;
    json_int_t number = json_integer_value(value);
    if (json_typeof(value) == JSON_INTEGER && number >= 0 && number <= most)
        return number;
    char why[64];
    snprintf(why, sizeof(why), "must be a whole number from 0 to %lld", (long long)most);
    profile_read_refuse(part, name, why);
    return 0;
}

/* An object below this one; false when it is not there, or is none. */
static bool enter(const struct part *part, const char *name, const char *place, const char *const *names,
                  struct part *ret)
{
    const json_t *value = value_of(part, name);
    if (value == NULL)
        return false;
    if (json_typeof(value) != JSON_OBJECT) {
        profile_read_refuse(part, name, "must be an object");
        return false;
    }
    *ret = (struct part){.reader = part->reader, .object = value, .place = place};
    check_names(ret, names);
    return !profile_read_failed(ret);
}

/* ------------------------------------------------------------------------------------------------ conditions */

/* What proves (profile_proves) must say what it rests on. */
static void check_atomic(const struct part *part, const char *name, bool atomic, enum profile_condition condition,
                         bool raced)
{
    if (profile_read_failed(part) || !atomic)
        return;
    if (condition != PROFILE_ENFORCED)
        profile_read_refuse(part, name, "is true, but the condition is not enforced");
    else if (!raced)
        profile_read_refuse(part, name,
                            "is true, but no round of a race was run and the source is not \"documentation\"");
}

static int read_status(const struct part *part, const char *name)
{
    int status = (int)read_number(part, name, 599);
    if (status > 0 && status < 100)
        profile_read_refuse(part, name, "must be an HTTP status, or 0");
    return status;
}

static void read_rule(const struct part *part, bool documented, struct profile_rule *ret)
{
    ret->absent = read_condition(part, "absent");
    ret->match = read_condition(part, "match");
    ret->absent_atomic = read_flag(part, "absent_atomic");
    ret->match_atomic = read_flag(part, "match_atomic");
    ret->absent_rounds = (uint32_t)read_number(part, "absent_rounds", PROFILE_ROUNDS_MAX);
    ret->match_rounds = (uint32_t)read_number(part, "match_rounds", PROFILE_ROUNDS_MAX);
    ret->status_unmet = read_status(part, "status_unmet");
    ret->status_missing = read_status(part, "status_missing");
    ret->answer_409 = (enum profile_409)read_word(part, "answer_409", &profile_words_409);
    check_atomic(part, "absent_atomic", ret->absent_atomic, ret->absent, documented || ret->absent_rounds > 0);
    check_atomic(part, "match_atomic", ret->match_atomic, ret->match, documented || ret->match_rounds > 0);
}

static void read_rules(const struct part *whole, struct profile *ret)
{
    static const char *const names[] = {"put", "copy", "complete", "delete", "rename", NULL};
    static const char *const fields[] = {
        "absent",       "match",        "absent_atomic",  "match_atomic", "absent_rounds",
        "match_rounds", "status_unmet", "status_missing", "answer_409",   NULL};
    bool documented = strcmp(ret->source, PROFILE_SOURCE_DOCUMENTATION) == 0;
    struct part rules;
    if (!enter(whole, "requests", "requests.", names, &rules))
        return;
    for (int request = 0; request < PROFILE_REQUESTS; request++) {
        const char *name = profile_request_name((enum profile_request)request);
        char place[32];
        snprintf(place, sizeof(place), "requests.%s.", name);
        struct part rule;
        if (enter(&rules, name, place, fields, &rule))
            read_rule(&rule, documented, &ret->rules[request]);
    }
    if (!profile_read_failed(&rules) && ret->rules[PROFILE_DELETE].absent != PROFILE_UNKNOWN)
        profile_read_refuse(&rules, "delete.absent",
                            "must be \"unknown\": DELETE has no condition that the object is absent");
}

static void read_vendors(const struct part *whole, struct profile *ret)
{
    static const char *const names[] = {"cloudflare", "google", "alibaba", "tencent", NULL};
    static const char *const fields[] = {"put", "put_atomic", "put_rounds", "copy", "copy_atomic", "copy_rounds", NULL};
    struct part vendors;
    if (!enter(whole, "vendors", "vendors.", names, &vendors))
        return;
    for (int vendor = 1; vendor < PROFILE_VENDORS; vendor++) {
        const char *name = profile_vendor_name(vendor);
        char place[32];
        snprintf(place, sizeof(place), "vendors.%s.", name);
        struct part part;
        if (!enter(&vendors, name, place, fields, &part))
            continue;
        struct profile_vendor *read = &ret->vendors[vendor];
        read->put = read_condition(&part, "put");
        read->put_atomic = read_flag(&part, "put_atomic");
        read->copy = read_condition(&part, "copy");
        read->copy_atomic = read_flag(&part, "copy_atomic");
        read->put_rounds = (uint32_t)read_number(&part, "put_rounds", PROFILE_ROUNDS_MAX);
        read->copy_rounds = (uint32_t)read_number(&part, "copy_rounds", PROFILE_ROUNDS_MAX);
        check_atomic(&part, "put_atomic", read->put_atomic, read->put, true);
        check_atomic(&part, "copy_atomic", read->copy_atomic, read->copy, true);
    }
}

/* ------------------------------------------------------------------------------------------------ the whole */

/* A day, or only a month. */
static bool is_date(const char *text)
{
    static const char shape[] = "dddd-dd-dd";
    size_t len = strlen(text);
    if (len != strlen("dddd-dd") && len != strlen(shape))
        return false;
    for (size_t i = 0; i < len; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (shape[i] == 'd' ? !digit : text[i] != shape[i])
            return false;
    }
    return true;
}

static void read_names(const struct part *whole, struct profile *ret)
{
    read_text(whole, "name", true, ret->name, sizeof(ret->name));
    read_text(whole, "version", false, ret->version, sizeof(ret->version));
    read_text(whole, "measured_on", true, ret->measured_on, sizeof(ret->measured_on));
    read_text(whole, "source", true, ret->source, sizeof(ret->source));
    if (!profile_read_failed(whole) && !is_date(ret->measured_on))
        profile_read_refuse(whole, "measured_on", "must be a date as \"2026-11-22\" or \"2026-11\"");
}

static void read_checksums(const struct part *whole, struct profile *ret)
{
    const json_t *list = value_of(whole, "checksums");
    if (list && json_typeof(list) != JSON_ARRAY)
        profile_read_refuse(whole, "checksums", "must be an array");
    size_t index;
    json_t *value;
    json_array_foreach((json_t *)list, index, value)
    {
        const char *word = json_string_value(value);
        int checksum = 1;
        while (word && checksum < PROFILE_CHECKSUMS && strcmp(word, profile_checksum_name(checksum)) != 0)
            checksum++;
        if (word == NULL || checksum == PROFILE_CHECKSUMS) {
            profile_read_refuse(whole, "checksums",
                                "may have \"CRC32\", \"CRC32C\", \"CRC64NVME\", \"SHA1\" and \"SHA256\" only");
            return;
        }
        ret->checksums |= UINT32_C(1) << checksum;
    }
}

static void check_format(const struct part *whole)
{
    const json_t *format = value_of(whole, "format");
    if (!json_is_integer(format))
        profile_read_refuse(whole, "format", "must be a number: this is not a profile");
    else if (json_integer_value(format) != PROFILE_FORMAT)
        profile_read_refuse(whole, "format", "is not 1, the only format that this release reads");
}

static void read_whole(const struct part *whole, struct profile *ret)
{
    static const char *const fields[] = {"format",       "name",
                                         "version",      "measured_on",
                                         "source",       "requests",
                                         "vendors",      "copy_source_match",
                                         "expiry",       "complete_s",
                                         "checksums",    "rename_object",
                                         "date_on_all",  "metadata_survives",
                                         "etag_is_md5",  "versioned",
                                         "uploads",      "remarks",
                                         "stalled_body", "stalled_body_s",
                                         "answer_mark",  NULL};
    check_format(whole);
    check_names(whole, fields);
    read_names(whole, ret);
    read_rules(whole, ret);
    read_vendors(whole, ret);
    read_checksums(whole, ret);
    ret->copy_source_match = read_condition(whole, "copy_source_match");
    ret->expiry = (enum profile_expiry)read_word(whole, "expiry", &profile_words_expiry);
    ret->stalled_body = (enum profile_stalled)read_word(whole, "stalled_body", &profile_words_stalled);
    ret->stalled_body_s = (uint32_t)read_number(whole, "stalled_body_s", PROFILE_STALLED_MAX_S);
    ret->complete_s = (uint32_t)read_number(whole, "complete_s", PROFILE_COMPLETE_MAX_S);
    ret->answer_mark = (enum profile_mark)read_word(whole, "answer_mark", &profile_words_mark);
    ret->rename_object = read_yes_no(whole, "rename_object");
    ret->date_on_all = read_yes_no(whole, "date_on_all");
    ret->metadata_survives = read_yes_no(whole, "metadata_survives");
    ret->etag_is_md5 = read_yes_no(whole, "etag_is_md5");
    ret->versioned = read_yes_no(whole, "versioned");
    ret->uploads = read_yes_no(whole, "uploads");
}

os_code profile_parse(const char *text, size_t len, const char *where, struct profile *ret, os_error *err)
{
    if (len == 0 || len > PROFILE_TEXT_MAX)
        return error_set(err, OS_ERR_CONFIG, "The store profile %.300s is empty, or over 64 KiB.", where);
    json_error_t fault;
    json_t *object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault);
    if (object == NULL)
        return error_set(err, OS_ERR_CONFIG, "The store profile %.300s is not JSON: line %d, %.150s.", where,
                         fault.line, fault.text);
    struct profile profile;
    memset(&profile, 0, sizeof(profile));
    struct reader reader = {.where = where, .err = err, .code = OS_OK};
    const struct part whole = {.reader = &reader, .object = object, .place = ""};
    if (json_typeof(object) == JSON_OBJECT)
        read_whole(&whole, &profile);
    else
        profile_read_refuse(&whole, "the file", "must be an object");
    json_decref(object);
    if (reader.code == OS_OK)
        *ret = profile;
    return reader.code;
}
