/* SPDX-License-Identifier: Apache-2.0 */
/* GetObjectTagging and GetBucketVersioning. */
#include "sim/fake_s3_internal.h"

#include <string.h>

static void begin_document(struct fake_s3 *s3, const char *root)
{
    fake_s3_begin(s3, 200);
    fake_answer_header(&s3->answer, "Content-Type", "application/xml");
    buf_add_f(&s3->answer.body,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%s xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">",
              root);
}

/* Percent-encoded, into an element. */
static void write_decoded(struct fake_s3 *s3, const char *element, struct text text)
{
    buf_reset(&s3->scratch);
    if (!fake_decode(&s3->scratch, text)) {
        s3->no_memory = !buf_ok(&s3->scratch);
        return;
    }
    buf_add_f(&s3->answer.body, "<%s>", element);
    fake_s3_escape(&s3->answer.body, buf_str(&s3->scratch));
    buf_add_f(&s3->answer.body, "</%s>", element);
}

void fake_s3_get_tags(struct fake_s3 *s3)
{
    const struct fake_object *object = fake_s3_find_asked(s3);
    if (object == NULL)
        return;
    begin_document(s3, "Tagging");
    buf_add_str(&s3->answer.body, "<TagSet>");
    const char *at = object->tags;
    while (*at != '\0') {
        size_t len = strcspn(at, "&");
        size_t name = strcspn(at, "=&");
        size_t value = name < len ? name + 1 : len;
        buf_add_str(&s3->answer.body, "<Tag>");
        write_decoded(s3, "Key", text_of(at, name));
        write_decoded(s3, "Value", text_of(at + value, len - value));
        buf_add_str(&s3->answer.body, "</Tag>");
        at += at[len] == '&' ? len + 1 : len;
    }
    buf_add_str(&s3->answer.body, "</TagSet></Tagging>");
}

void fake_s3_get_versioning(struct fake_s3 *s3)
{
    begin_document(s3, "VersioningConfiguration");
    if (s3->options.versioned)
        buf_add_str(&s3->answer.body, "<Status>Enabled</Status>");
    buf_add_str(&s3->answer.body, "</VersioningConfiguration>");
}
