// Publishes one object exactly once; every later run says who was first.
#include <cstdio>
#include <oscommit.hpp>

int main(int argc, char **argv)
{
    oscommit::options options;
    options.store_url = argc > 1 ? argv[1] : "file:///tmp/oscommit-example";
    os_error err;
    if (argc < 2 && os_init("/tmp/oscommit-example", &err) != OS_OK)
        return std::fprintf(stderr, "%s\n", err.message), 1;
    auto client = oscommit::client::from_environment(options); // OSCOMMIT_LEDGER and so on
    if (!client)
        return std::fprintf(stderr, "%s\n", client.message()), 1;

    auto outcome = client->put_if_absent("report/2026-11.json", "{\"rows\": 42}\n");
    if (outcome.verdict() == oscommit::verdict::unknown &&
        !outcome.ticket().empty()) { // rare: it may have been applied
        std::fprintf(stderr, "Keep this ticket until it is settled: %s\n", outcome.ticket().data());
        outcome = client->settle(outcome.ticket()); // asks, for two minutes
    }
    std::printf("%s %s\n", to_string(outcome.verdict()),
                outcome.committed() ? outcome.etag().data() : outcome.message());
    switch (outcome.verdict()) {
    case oscommit::verdict::committed: return 0;
    case oscommit::verdict::conflict: return 3;
    case oscommit::verdict::unknown: return 4;
    case oscommit::verdict::not_executed: break;
    }
    return 1;
}
