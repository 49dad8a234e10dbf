/* SPDX-License-Identifier: Apache-2.0 */
/* render FILE.jsonl OUT.html: the report of a history, for the page's test. Exit status 0 also where it is refused. */
#include "history/jsonl.h"
#include "report.h"

#include <stdio.h>

static int render(FILE *in, const char *name, FILE *out)
{
    static struct judge_result judged;
    struct history *history = history_new();
    os_error err = {.code = OS_ERR_NO_MEMORY};
    int status = 1;

    if (history != NULL && jsonl_read(in, name, history, &err) && judge_history(history, &judged) &&
        report_write(history, &judged, out, &err) == OS_OK) {
        status = 0;
    } else {
        (void)fprintf(stderr, "%s\n", err.message);
    }
    history_free(history);
    return status;
}

int main(int argc, char **argv)
{
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
    FILE *out = in != NULL ? fopen(argv[2], "w") : NULL;
    int status = 2;

    if (out == NULL) {
        (void)fputs("usage: render FILE.jsonl OUT.html\n", stderr);
    } else {
        status = render(in, argv[1], out);
    }
    if (out != NULL && fclose(out) != 0) {
        status = 1;
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    return status;
}
