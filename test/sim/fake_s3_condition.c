/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of writes: Amazon S3 User Guide, "Conditional requests"; and what other stores make of them. */
#include "sim/fake_s3_internal.h"

#include <stdio.h>
#include <string.h>

static struct text unquoted(struct text etag)
{
    if (etag.len >= 2 && etag.p[0] == '"' && etag.p[etag.len - 1] == '"')
        return text_of(etag.p + 1, etag.len - 2);
    return etag;
}

bool fake_s3_is_etag(struct text wanted, const char *held)
{
    struct text left = unquoted(wanted);
    struct text right = unquoted(text_from(held));
    return text_is(wanted, "*") || (left.len == right.len && memcmp(left.p, right.p, right.len) == 0);
}

static void precondition_failed(struct fake_s3 *s3, const char *condition)
{
    char extra[96];
    if (s3->options.answer_409 == FAKE_S3_409_FINAL && s3->contended) {
        fake_s3_fail(s3, 409, "FileAlreadyExists", "The object exists already.", NULL);
        return;
    }
    snprintf(extra, sizeof(extra), "<Condition>%s</Condition>", condition);
    fake_s3_fail(s3, 412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold", extra);
}

static void not_implemented(struct fake_s3 *s3, const char *header)
{
    char extra[96];
    snprintf(extra, sizeof(extra), "<Header>%s</Header>", header);
    fake_s3_fail(s3, 501, "NotImplemented", "A header you provided implies functionality that is not implemented",
                 extra);
}

static bool is_undecided(struct fake_s3 *s3, struct fake_upload *upload)
{
    bool spoiled = upload != NULL && upload->spoiled;
    bool contended = s3->options.answer_409 == FAKE_S3_409_UNDECIDED && s3->contended;
    if (!spoiled && !contended)
        return false;
    if (upload != NULL)
        upload->spoiled = true;
    fake_s3_fail(s3, 409, "ConditionalRequestConflict",
                 "The conditional request cannot succeed due to a conflicting operation against this resource.", NULL);
    return true;
}

static bool matches(struct fake_s3 *s3, struct text wanted)
{
    const struct fake_object *current = fake_store_current(s3, buf_str(&s3->key));
    if (current == NULL && !s3->options.missing_is_412) {
        fake_s3_no_such_key(s3);
        return false;
    }
    if (current == NULL || !fake_s3_is_etag(wanted, current->etag)) {
        precondition_failed(s3, "If-Match");
        return false;
    }
    return true;
}

bool fake_s3_condition_holds(struct fake_s3 *s3, enum fake_s3_write write, struct fake_upload *upload)
{
    const struct text *none_match = fake_request_header(&s3->request, "if-none-match");
    const struct text *match = fake_request_header(&s3->request, "if-match");
    enum fake_s3_condition becomes = s3->options.conditions[write];
    if (becomes == FAKE_S3_IGNORED || (none_match == NULL && match == NULL))
        return true;
    if (becomes == FAKE_S3_REFUSED || (none_match != NULL && !text_is(*none_match, "*"))) {
        not_implemented(s3, none_match != NULL ? "If-None-Match" : "If-Match");
        return false;
    }
    if (is_undecided(s3, upload))
        return false;
    if (none_match != NULL && fake_store_current(s3, buf_str(&s3->key)) != NULL) {
        precondition_failed(s3, "If-None-Match");
        return false;
    }
    return match == NULL || matches(s3, *match);
}
