/* SPDX-License-Identifier: Apache-2.0 */
#include "race_net.h"

#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern char **environ;

/* ------------------------------------------------------------------------------------------------ where they are */

static bool is_loopback(const char *host)
{
    return strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0;
}

/* "host", "host:8000", "[::1]" and "[::1]:8000", `len` bytes. */
static bool split_authority(const char *authority, size_t len, bool tls, struct proxy_target *ret)
{
    bool v6 = authority[0] == '[';
    const char *end = memchr(authority, v6 ? ']' : ':', len);
    const char *host = authority + (v6 ? 1 : 0);
    size_t host_len = end == NULL ? len : (size_t)(end - host);
    const char *rest = host + host_len + (v6 ? 1 : 0);
    size_t rest_len = len - (size_t)(rest - authority);

    if ((v6 && end == NULL) || host_len == 0 || host_len >= sizeof(ret->host) || rest_len > sizeof(ret->port)) {
        return false;
    }
    memcpy(ret->host, host, host_len);
    ret->host[host_len] = '\0';
    if (rest_len == 0) {
        (void)snprintf(ret->port, sizeof(ret->port), "%s", tls ? "443" : "80");
        return true;
    }
    (void)snprintf(ret->port, sizeof(ret->port), "%.*s", (int)rest_len - 1, rest + 1);
    return rest[0] == ':' && rest_len > 1 && strspn(ret->port, "0123456789") == rest_len - 1;
}

/* The port of the scheme is left out: the Host that is signed is then the one that the server is used to. */
static void write_url(struct race_service *ret)
{
    const struct proxy_target *target = &ret->target;
    bool v6 = strchr(target->host, ':') != NULL;
    bool usual = strcmp(target->port, target->tls ? "443" : "80") == 0;

    (void)snprintf(ret->url, sizeof(ret->url), "http://%s%s%s%s%s", v6 ? "[" : "", target->host, v6 ? "]" : "",
                   usual ? "" : ":", usual ? "" : target->port);
}

bool race_net_parse(const char *url, struct race_service *ret)
{
    bool tls = strncasecmp(url, "https://", 8) == 0;
    const char *authority = url + (tls ? 8 : 7);
    size_t len;

    memset(ret, 0, sizeof(*ret));
    if (!tls && strncasecmp(url, "http://", 7) != 0) {
        return false;
    }
    len = strcspn(authority, "/?#");
    if ((authority[len] != '\0' && strcmp(authority + len, "/") != 0) || memchr(authority, '@', len) != NULL ||
        !split_authority(authority, len, tls, &ret->target)) {
        return false;
    }
    ret->target.tls = tls;
    ret->target.ledger_tls = tls;
    ret->wanted = true;
    ret->direct = is_loopback(ret->target.host);
    write_url(ret);
    return true;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value == NULL || value[0] == '\0' ? NULL : value;
}

static const char *first_of(const char *a, const char *b, const char *c)
{
    return a != NULL ? a : (b != NULL ? b : c);
}

static bool find_service(const struct options *options, bool ledger, struct race_service *ret, struct usage *usage)
{
    const char *url = settings_endpoint(options, ledger ? OPTION_DYNAMODB_ENDPOINT : OPTION_S3_ENDPOINT);
    const char *region = ledger ? options_text(options, OPTION_DYNAMODB_REGION) : NULL;
    char own[320];

    url = first_of(url, variable(ledger ? "AWS_ENDPOINT_URL_DYNAMODB" : "AWS_ENDPOINT_URL_S3"),
                   variable("AWS_ENDPOINT_URL"));
    if (url == NULL) {
        region = first_of(region, options_text(options, OPTION_REGION), variable("AWS_REGION"));
        region = first_of(region, variable("AWS_DEFAULT_REGION"), NULL);
        if (region == NULL || strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(region)) {
            return usage_refuse(usage,
                                "Faults of the network need the endpoint of %s: give --%s-endpoint, or --region.",
                                ledger ? "DynamoDB" : "S3", ledger ? "dynamodb" : "s3");
        }
        (void)snprintf(own, sizeof(own), "https://%s.%.60s.amazonaws.com%s", ledger ? "dynamodb" : "s3", region,
                       strncmp(region, "cn-", 3) == 0 ? ".cn" : "");
        url = own;
    }
    if (!race_net_parse(url, ret)) {
        return usage_refuse(
            usage, "The faults' proxy cannot forward to \"%.100s\": give a URL such as https://host:8000.", url);
    }
    return true;
}

bool race_net_find(const struct options *options, struct race_net *ret, struct usage *usage)
{
    const char *ledger = options_text(options, OPTION_LEDGER);

    if (!find_service(options, false, &ret->store, usage)) {
        return false;
    }
    if (ledger == NULL || strncmp(ledger, "dynamo", 6) != 0) {
        return true;
    }
    return find_service(options, true, &ret->ledger, usage);
}

/* ------------------------------------------------------------------------------------------------ what happens there
 */

/* "PUT key-00003" and "PutItem". */
static void describe(const struct proxy_request *request, const char *where, char *ret, size_t ret_size)
{
    const char *method = request->copies ? "COPY" : request->method;
    size_t path_len = strcspn(request->target, "?");
    const char *name;

    if (request->service_call[0] != '\0') {
        (void)snprintf(ret, ret_size, "%s%s", where, request->service_call);
        return;
    }
    name = memrchr(request->target, '/', path_len);
    name = name == NULL ? request->target : name + 1;
    (void)snprintf(ret, ret_size, "%s%.8s %.*s", where, method, (int)(request->target + path_len - name), name);
}

/* A write of the store. */
static bool is_attempt(const struct proxy_request *request)
{
    return strcmp(request->method, "PUT") == 0 || strcmp(request->method, "DELETE") == 0;
}

static bool is_write(const struct proxy_request *request)
{
    return is_attempt(request) || strcmp(request->service_call, "PutItem") == 0;
}

/* Writes are where it hurts, so what is due mostly meets one of the next of these; now and then a read. */
static bool is_chosen(struct race_net *net, const struct proxy_request *request)
{
    return race_faults_draw(net->faults, is_write(request) ? 2 : 8) == 0;
}

/* Pauses and kills, at this boundary. True: killed. */
static bool hit_sender(struct race_net *net, const struct proxy_request *request, const char *where)
{
    char what[RACE_NAME_SIZE + 16];

    if (!is_chosen(net, request)) {
        return false;
    }
    describe(request, where, what, sizeof(what));
    if (race_faults_take(net->faults, RACE_FAULT_PAUSE)) {
        race_faults_pause(net->faults, request->lane, what);
    }
    if (race_faults_take(net->faults, RACE_FAULT_KILL)) {
        race_faults_kill(net->faults, request->lane, what);
        return true;
    }
    return false;
}

static uint32_t draw_ms(struct race_net *net, uint32_t least, uint32_t most)
{
    return least + (uint32_t)race_faults_draw(net->faults, most - least);
}

enum { LATE_LEAST_MS = 20, LATE_MOST_MS = 7000 }; /* within the life of a signature, and beyond it */

static void make_5xx(struct race_net *net, const struct proxy_request *request, struct proxy_fault *ret)
{
    bool busy = race_faults_draw(net->faults, 2) == 0;

    ret->harm = race_faults_draw(net->faults, 2) == 0 ? PROXY_ANSWER_INSTEAD : PROXY_ANSWER_AFTER;
    ret->status = busy ? 503 : 500;
    if (request->service_call[0] != '\0') {
        ret->type = "application/x-amz-json-1.0";
        ret->body = busy ? "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ServiceUnavailable\","
                           "\"message\":\"The service is not there for the race.\"}"
                         : "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","
                           "\"message\":\"An error for the race.\"}";
        return;
    }
    ret->type = "application/xml";
    ret->body =
        busy ? "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Slower, for the race.</Message></Error>"
             : "<?xml version=\"1.0\"?><Error><Code>InternalError</Code><Message>An error for the race.</Message>"
               "</Error>";
}

static void make_throttle(struct proxy_fault *ret)
{
    ret->harm = PROXY_ANSWER_INSTEAD;
    ret->status = 400;
    ret->type = "application/x-amz-json-1.0";
    ret->body = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException\","
                "\"message\":\"Throttled for the race.\"}";
}

static void make_fault(struct race_net *net, const struct proxy_request *request, enum race_fault fault,
                       struct proxy_fault *ret)
{
    ret->kind = (unsigned)fault;
    switch (fault) {
    case RACE_FAULT_SLOW:
        ret->harm = race_faults_draw(net->faults, 2) == 0 ? PROXY_HOLD_REQUEST : PROXY_HOLD_ANSWER;
        ret->hold_ms = (uint32_t)(race_faults_draw_length(net->faults) / 1000);
        return;
    case RACE_FAULT_LOST_REPLY: ret->harm = PROXY_DROP_ANSWER; return;
    case RACE_FAULT_LATE:
        /* An attempt is never sent twice (R6, E5): replayed within the life of its signature it would undo whatever was
         * committed since. Anything else may come again. */
        ret->harm = is_attempt(request) || race_faults_draw(net->faults, 2) == 0 ? PROXY_LATE : PROXY_TWICE;
        ret->hold_ms = draw_ms(net, LATE_LEAST_MS, LATE_MOST_MS);
        return;
    case RACE_FAULT_5XX: make_5xx(net, request, ret); return;
    case RACE_FAULT_THROTTLE: make_throttle(ret); return;
    case RACE_FAULT_PAUSE:
    case RACE_FAULT_KILL:
    case RACE_FAULTS: break;
    }
}

/* Its process is dead, but what it has sent goes on living, or not. */
static void settle_orphan(struct race_net *net, struct proxy_fault *ret)
{
    static const enum proxy_harm fates[] = {PROXY_NONE, PROXY_LATE, PROXY_DISCARD};

    ret->kind = RACE_FAULT_KILL;
    ret->harm = fates[race_faults_draw(net->faults, 3)];
    ret->hold_ms = draw_ms(net, LATE_LEAST_MS, LATE_MOST_MS);
}

static void arrived(void *context, const struct proxy_request *request, struct proxy_fault *ret)
{
    static const enum race_fault kinds[] = {RACE_FAULT_SLOW, RACE_FAULT_LOST_REPLY, RACE_FAULT_LATE, RACE_FAULT_5XX,
                                            RACE_FAULT_THROTTLE};
    struct race_net *net = context;
    size_t first = race_faults_draw(net->faults, 5);

    if (hit_sender(net, request, "")) {
        settle_orphan(net, ret);
        return;
    }
    if (!is_chosen(net, request)) {
        return;
    }
    for (size_t i = 0; i < 5; i++) {
        enum race_fault fault = kinds[(first + i) % 5];
        bool fits = fault != RACE_FAULT_THROTTLE || request->service_call[0] != '\0';
        if (fits && race_faults_take(net->faults, fault)) {
            make_fault(net, request, fault, ret);
            return;
        }
    }
}

static void answered(void *context, const struct proxy_request *request)
{
    (void)hit_sender(context, request, "answered ");
}

static void delivered(void *context, const struct proxy_request *request)
{
    (void)hit_sender(context, request, "after ");
}

static void met(void *context, const struct proxy_request *request, const struct proxy_fault *fault, uint64_t start_us,
                uint64_t end_us)
{
    struct race_net *net = context;
    char what[RACE_NAME_SIZE + 16];

    if (fault->kind == RACE_FAULT_KILL) {
        return; /* told when it was done */
    }
    describe(request, fault->harm == PROXY_TWICE ? "again " : "", what, sizeof(what));
    race_record_event(net->faults->record, race_fault_event((enum race_fault)fault->kind), request->lane, start_us,
                      end_us, what);
}

/* ------------------------------------------------------------------------------------------------ ports */

static bool open_lane(struct race_net *net, unsigned lane)
{
    struct proxy_target any = {.tls = net->store.target.tls, .ledger_tls = net->ledger.target.tls};
    bool indirect = !net->store.direct || (net->ledger.wanted && !net->ledger.direct);

    if (net->store.direct) {
        net->store_port[lane] = proxy_listen(net->proxy, lane, &net->store.target);
    }
    if (net->ledger.wanted && net->ledger.direct) {
        net->ledger_port[lane] = proxy_listen(net->proxy, lane, &net->ledger.target);
    }
    if (indirect) {
        net->any_port[lane] = proxy_listen(net->proxy, lane, &any);
    }
    return (!net->store.direct || net->store_port[lane] != 0) &&
           (!net->ledger.wanted || !net->ledger.direct || net->ledger_port[lane] != 0) &&
           (!indirect || net->any_port[lane] != 0);
}

bool race_net_open(struct race_net *net, struct race_faults *faults, unsigned writers, const char *ca_file,
                   struct usage *usage)
{
    struct proxy_hooks hooks = {
        .context = net, .arrived = arrived, .answered = answered, .delivered = delivered, .met = met};

    net->faults = faults;
    net->proxy = proxy_new(&hooks, ca_file);
    if (net->proxy == NULL) {
        return usage_refuse(usage,
                            "The faults' proxy could not be made: there is not enough memory, or the CA file \"%s\" "
                            "cannot be used.",
                            ca_file == NULL ? "" : ca_file);
    }
    for (unsigned i = 0; i < writers; i++) {
        if (!open_lane(net, i)) {
            return usage_refuse(usage, "The faults' proxy could not open its ports on loopback: %s.", strerror(errno));
        }
    }
    return proxy_run(net->proxy) || usage_refuse(usage, "The faults' proxy could not be started: %s.", strerror(errno));
}

void race_net_drain(struct race_net *net)
{
    if (net->proxy != NULL) {
        proxy_drain(net->proxy);
    }
}

void race_net_close(struct race_net *net)
{
    proxy_free(net->proxy);
    net->proxy = NULL;
}

/* ------------------------------------------------------------------------------------------------ processes */

bool race_net_url(const struct race_net *net, unsigned lane, bool ledger, char *ret, size_t ret_size)
{
    const struct race_service *service = ledger ? &net->ledger : &net->store;

    if (net->proxy == NULL || !service->wanted) {
        return false;
    }
    if (service->direct) {
        (void)snprintf(ret, ret_size, "http://127.0.0.1:%u", (ledger ? net->ledger_port : net->store_port)[lane]);
    } else {
        (void)snprintf(ret, ret_size, "%s", service->url);
    }
    return true;
}

static bool is_of_proxies(const char *entry)
{
    static const char *const names[] = {"http_proxy", "https_proxy", "all_proxy", "no_proxy"};
    size_t len = strcspn(entry, "=");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strlen(names[i]) == len && strncasecmp(entry, names[i], len) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_variable(char **list, size_t *used, const char *name, unsigned port)
{
    if (asprintf(&list[*used], "%s=http://127.0.0.1:%u", name, port) < 0) {
        list[*used] = NULL;
        return false;
    }
    *used += 1;
    return true;
}

char **race_net_environment(const struct race_net *net, unsigned lane)
{
    bool indirect = net->proxy != NULL && net->any_port[lane] != 0;
    size_t count = 0;
    size_t used = 0;
    char **ret;
    bool good;

    while (environ[count] != NULL) {
        count++;
    }
    ret = calloc(count + 3, sizeof(ret[0]));
    good = ret != NULL;
    for (size_t i = 0; i < count && good; i++) {
        if (!indirect || !is_of_proxies(environ[i])) {
            ret[used] = strdup(environ[i]);
            good = ret[used] != NULL;
            used++;
        }
    }
    if (good && indirect) {
        good = add_variable(ret, &used, "http_proxy", net->any_port[lane]) &&
               add_variable(ret, &used, "OSCOMMIT_RACE_HTTP_PROXY", net->any_port[lane]); /* src/http/proxy.h */
    }
    if (!good) {
        race_net_free_environment(ret);
        return NULL;
    }
    return ret;
}

void race_net_free_environment(char **environment)
{
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        free(environment[i]);
    }
    free(environment);
}
