/* SPDX-License-Identifier: Apache-2.0 */
#include "description/description.h"

static const enum option_id own_options[] = {OPTION_WRITERS,      OPTION_KEYS,     OPTION_UPDATES, OPTION_COPIES,
                                             OPTION_DELETES,      OPTION_DURATION, OPTION_FAULTS,  OPTION_SEED,
                                             OPTION_HISTORY,      OPTION_REPORT,   OPTION_KEEP,    OPTION_LOCK,
                                             OPTION_TRANSACTIONS, OPTION_TTL,      OPTION_COUNT};

const struct command command_race = {
    .name = "race",
    .operands = "URL|--lock|--transactions",
    .summary = "let many processes race for names, and check the outcome",
    .description =
        "Starts N processes that all try to create each of K keys, each with its own content. Exactly one must "
        "commit,\n"
        "and the others must get a conflict. With --updates each then increments one shared counter M times, with\n"
        "--if-match. With --copies each copies its own object to shared names. With --deletes they delete and "
        "re-create\n"
        "one object. With --duration they do all of that for a time. The race records every call with its start and "
        "end\n"
        "and reads the objects back. A judge then looks for an order of all calls in which every verdict is right.\n"
        "--faults pauses and kills processes (a new one takes the place of a dead one). A proxy on loopback between "
        "them\n"
        "and the services holds requests, loses answers, delivers late or twice, and answers with errors.\n"
        "The race works below URL/race-<random>/ only. At the end it deletes its objects, unless --keep is given or "
        "the\n"
        "outcome is unknown or broken. Its records stay in the table until their TTL. On a store of files --faults\n"
        "can only pause and kill.\n"
        "With --lock they race for --keys leases in the table of --ledger, or in a SQLite file that is made for the "
        "race:\n"
        "they acquire, hold for a while, and release, and are killed and stopped meanwhile, for less and for more "
        "than\n"
        "--ttl. Each says what it believes. A judge of its own then looks whether two believed at once that they "
        "held\n"
        "one lease, and whether the fencing tokens grew. Without --duration it takes 30 seconds.\n"
        "With --transactions they transfer amounts between --keys accounts, rows of the table of --ledger or of such a "
        "file,\n"
        "and write documents of two halves. The judge looks for one order of all transactions that respects their "
        "times,\n"
        "in which every read is right, and whether the sum of all accounts stays the same.\n",
    .exit_status =
        "   0  exact: every verdict is right\n"
        "   1  incomplete: a process could not do its work, or an object could not be read back\n"
        "   2  bad usage or settings\n"
        "   3  broken: two winners, or a lost update; two holders of a lease, or a token that did not grow;\n"
        "     transactions that have no order, or another sum\n"
        "   4  nothing is wrong so far, but an outcome is still unknown\n"
        "  66, 69, 77  it could not begin: no such bucket, not reached, denied\n"
        "  74  the result could not be written to stdout\n",
    .examples = "oscommit init /srv/store && oscommit race file:///srv/store --writers 8 --keys 50 --updates 25\n"
                "oscommit race s3://bucket/tests --writers 8 --keys 50 --updates 25 --ledger dynamodb://commits \\\n"
                "  --condition-headers off\n"
                "oscommit race s3://bucket/tests --ledger dynamodb://commits --duration 10m --faults all \\\n"
                "  --history race.jsonl --report race.html\n"
                "oscommit race --lock --ledger dynamodb://leases --duration 5m --history leases.jsonl\n"
                "oscommit race --transactions --ledger dynamodb://accounts --duration 5m --faults all\n",
    .options = own_options,
    .min_operands = 0,
    .max_operands = 1,
    .program = LAB_PROGRAM,
};
