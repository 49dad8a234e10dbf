#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holders of leases of one table, killed and paused: at no instant do two of them believe that they hold one key.

Every holder is a process that prints what it believes (lease_history.py says how), and is started alike:
    PROGRAM WHO ENDPOINT TABLE KEYS TTL_S EXTEND_MS HOLD_MS [MORE...]

Environment, as for the other tests of programs (oscommit_testing.py), and
    OSCOMMIT_TEST_LEASE_HOLDER   the holder by this library (lease_holder.c)
    OSCOMMIT_TEST_LEASE_PEER     the holder by the crate dynamodb-lease (scripts/servers.sh builds it)
    OSCOMMIT_TEST_FAKETIME       libfaketime (wall_clock.py)
    OSCOMMIT_TEST_LEASE_RACE_S   how long the fleet races [60]
"""

import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]
import oscommit_testing as testing
import wall_clock
from lease_history import describe, judge, read_events
from oscommit_testing import EXIT_SKIPPED, FaultProxy, dynamo


@dataclass(frozen=True)
class Side:
    """Who takes part: what the names of its holders begin with, how its program is found, its own arguments, and whether
    a pause of any length leaves it exact."""

    name: str
    program: str
    more: tuple = ()
    count: int = 1
    survives_pauses: bool = False


OURS = Side("ours", "OSCOMMIT_TEST_LEASE_HOLDER", (), 1, True)
FENCED = Side("fenced", "OSCOMMIT_TEST_LEASE_HOLDER", ("fencing",), 2, True)
CRATE = Side("crate", "OSCOMMIT_TEST_LEASE_PEER", ("crate",), 3)  # believes what the crate tells
CAREFUL = Side("careful", "OSCOMMIT_TEST_LEASE_PEER", ("expiry",))  # looks at lease_expiry besides

# What holds for a side named here holds for all of them: each must have taken a lease from another one.
FLEET = (OURS, FENCED, CRATE)

# The crate writes whole seconds, rounded down: after an extension its lease is good for more than TTL_S - 1, and the
# next one is due EXTEND_MS later. A pause shorter than what is left does no harm; a second is left for the machine.
TTL_S, EXTEND_MS = 4, 500
PAUSE_S = {"short pause": (0.2, 1.5), "long pause": (TTL_S + 1, 2 * TTL_S)}
TURNS = ("short pause", "kill", "short pause", "long pause")
SHORT_HOLD, LONG_HOLD = "100-600", "60000-60000"
FLEET_S, KEYS = int(os.environ.get("OSCOMMIT_TEST_LEASE_RACE_S") or 60), 2
CHANGES = FLEET_S // 5
ANSWER_S, HOUR_S = 60, 3600


def now_us():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


class Driver:
    """The lines of the test itself: what it did to whom."""

    def __init__(self):
        self.lines = []

    def say(self, event, who):
        self.lines.append(f'{{"event":"{event}","who":"{who}","at_us":{now_us()}}}')


class Holder:
    """A process that takes leases. Its lines come through a pipe, also those of one that was killed."""

    def __init__(self, who, side, arguments, driver, environment):
        self.who, self.side, self.lines, self.gone = who, side, [], False
        self._driver, self._news = driver, threading.Condition()
        self._process = subprocess.Popen(
            [os.environ[side.program], who, *map(str, arguments), *side.more],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            with self._news:
                self.lines.append(line.strip())
                self._news.notify_all()
        with self._news:
            self.gone = True
            self._news.notify_all()

    def events(self):
        with self._news:
            return read_events(self.lines)

    def believes(self):
        """Whether it says so; it may be over all the same."""
        return any(event.kind in ("held", "until") for event in self.events()[-1:])

    def wait_for(self, kind, count=1, seconds=ANSWER_S):
        """The event of this kind that is the `count`th; None if it does not come."""

        def found():
            return [event for event in read_events(self.lines) if event.kind == kind][count - 1 : count]

        with self._news:
            self._news.wait_for(lambda: found() or self.gone, seconds)
            return (found() or [None])[0]

    def kill(self):
        self._process.kill()
        self._process.wait(60)
        self._driver.say("killed", self.who)

    def pause(self):
        os.kill(self._process.pid, signal.SIGSTOP)
        with open(f"/proc/{self._process.pid}/stat", encoding="ascii") as stat:
            while stat.read().rpartition(")")[2].split()[0] != "T":
                stat.seek(0)
        self._driver.say("paused", self.who)

    def go_on(self):
        self._driver.say("resumed", self.who)
        os.kill(self._process.pid, signal.SIGCONT)

    def paused_for(self, seconds):
        self.pause()
        time.sleep(seconds)  # the pause itself: nothing is awaited
        self.go_on()

    def close(self, by=signal.SIGTERM):
        """Ends it, between two holds if it is asked to, and says how it ended."""
        if self._process.poll() is None:
            self._process.send_signal(by)
            self._process.send_signal(signal.SIGCONT)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(60)
        self._reader.join(30)
        self._process.stdout.close()
        return self._process.returncode


class LeaseCase(unittest.TestCase):
    """A table of the class's own; holders that end with their test."""

    @classmethod
    def setUpClass(cls):
        cls.endpoint = os.environ["OSCOMMIT_TEST_DYNAMODB_ENDPOINT"]
        cls.table = f"lease-{time.time_ns()}-{os.getpid()}"
        cls.base = {
            **os.environ,
            "AWS_ACCESS_KEY_ID": testing.ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": testing.SECRET_KEY,
            "AWS_REGION": testing.REGION,
        }
        cls.ask(
            "CreateTable",
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "key", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}],
        )
        cls.addClassCleanup(cls.ask, "DeleteTable")
        while cls.ask("DescribeTable")["Table"]["TableStatus"] != "ACTIVE":
            time.sleep(0.05)  # a table tells nobody that it can be used
        cls.ask("UpdateTimeToLive", TimeToLiveSpecification={"AttributeName": "lease_expiry", "Enabled": True})

    @classmethod
    def ask(cls, action, **request):
        status, answer = dynamo(cls.endpoint, action, {"TableName": cls.table, **request})
        if status != 200:
            raise RuntimeError(f"{action}: HTTP status {status}: {answer}")
        return answer

    def setUp(self):
        self.driver, self.holders, self.numbers = Driver(), [], {}
        self.keys = [f"{self.id().rpartition('.')[2]}-{number}" for number in range(KEYS)]

    def hold(self, side, keys=None, hold_ms=LONG_HOLD, endpoint=None, **environment):
        """Starts one more holder of a side: a name is of one process."""
        number = self.numbers.setdefault(side.name, 0)
        self.numbers[side.name] += 1
        arguments = [endpoint or self.endpoint, self.table, ",".join(keys or self.keys[:1]), TTL_S, EXTEND_MS, hold_ms]
        holder = Holder(f"{side.name}{number}", side, arguments, self.driver, {**self.base, **environment})
        self.holders.append(holder)
        self.addCleanup(holder.close, signal.SIGKILL)
        return holder

    def holds(self, *arguments, **options):
        """The same, and waits until it says that it holds the lease."""
        holder = self.hold(*arguments, **options)
        self.assertIsNotNone(holder.wait_for("held"), f"{holder.who} did not take the lease")
        return holder

    def item(self):
        """The item of the first key as it stands."""
        return self.ask("GetItem", ConsistentRead=True, Key={"key": {"S": self.keys[0]}}).get("Item")

    def proxy(self):
        proxy = FaultProxy(self.endpoint)
        self.addCleanup(proxy.close)
        return proxy

    def judged(self, changes, sides=()):
        files = [*(list(holder.lines) for holder in self.holders), self.driver.lines]
        judgement = judge(files, changes, [side.name for side in sides])
        print(describe(judgement), file=sys.stderr)
        return judgement

    def exact(self, changes, sides=()):
        judgement = self.judged(changes, sides)
        self.assertTrue(judgement.exact, describe(judgement))

    def two_believe(self, first, second):
        """The hole is there: the judge finds these two, and nothing else."""
        judgement = self.judged(1)
        self.assertEqual((len(judgement.faults), judgement.missing), (1, []), describe(judgement))
        self.assertRegex(judgement.faults[0], rf"^{first.who} \(.*\) and {second.who} \(.*\) both believe for ")


class Fleet(LeaseCase):
    def replace(self, running, victim):
        victim.kill()
        running.remove(victim)
        running.append(self.hold(victim.side, self.keys, SHORT_HOLD))

    def strike(self, running, turn):
        """Does it to a holder that believes that it holds a lease. False: there is none right now that it suits."""
        found = [holder for holder in running if holder.believes()]
        if turn == "long pause":
            found = [holder for holder in found if holder.side.survives_pauses]
        if not found:
            return False
        victim = random.choice(found)
        if turn == "kill":
            self.replace(running, victim)
        else:
            victim.paused_for(random.uniform(*PAUSE_S[turn]))
        return True

    def chaos(self, running):
        """Strikes by turns until the time is over. How often each."""
        done = dict.fromkeys(TURNS, 0)
        turns = itertools.cycle(TURNS)
        turn = next(turns)
        end = time.monotonic() + FLEET_S
        while time.monotonic() < end:
            time.sleep(random.uniform(0.2, 0.8))  # something is to happen in between
            if self.strike(running, turn):
                done[turn] += 1
                turn = next(turns)
        return done

    def test_killed_and_paused_the_fleet_is_exact(self):
        running = [self.hold(side, self.keys, SHORT_HOLD) for side in FLEET for _ in range(side.count)]
        for holder in running:
            self.assertIsNotNone(holder.wait_for("held"), holder.who)
        done = self.chaos(running)
        print(", ".join(f"{number} {kind}s" for kind, number in done.items()), file=sys.stderr)
        self.assertGreaterEqual(min(done.values()), 1)
        for holder in running:
            self.assertEqual(holder.close(), 0, f"{holder.who} ended badly")
        self.exact(CHANGES, FLEET)


class CrateAlone(LeaseCase):
    """What two holders of the crate do to each other, with nobody else there: our documents name it."""

    def after_a_long_pause(self, side):
        first = self.holds(side)
        second = self.hold(side)
        first.pause()
        self.assertIsNotNone(second.wait_for("held"))
        first.go_on()
        self.assertIsNotNone(first.wait_for("lost"))
        return first, second

    def test_expected_hole_after_a_pause_longer_than_the_ttl_it_still_believes(self):
        first, second = self.after_a_long_pause(CRATE)
        # It is told by its next extension, which the item refuses.
        self.two_believe(first, second)

    def test_by_the_expiry_a_pause_longer_than_the_ttl_is_exact(self):
        self.after_a_long_pause(CAREFUL)
        self.exact(1)

    def test_expected_hole_a_clock_that_is_ahead_takes_what_is_held(self):
        clock = wall_clock.of(self)
        clock.set(TTL_S + 2)
        first = self.holds(CAREFUL)
        begun = time.monotonic()
        second = self.holds(CAREFUL, **clock.environment)
        self.assertLess(time.monotonic() - begun, TTL_S - 1, "it waited: its clock is not ahead")
        self.assertIsNotNone(first.wait_for("lost"))
        self.two_believe(first, second)

    def held_through_a_proxy(self, side, action):
        """A holder whose extensions meet the action; and another one, which waits."""
        proxy = self.proxy()
        first = self.holds(side, endpoint=proxy.url)
        rule = proxy.add(action, target="UpdateItem", times=1)
        self.assertTrue(proxy.wait_hits(rule))
        return first, self.hold(side), proxy, rule

    def test_expected_hole_while_an_extension_has_no_answer_it_believes_for_ever(self):
        first, second, proxy, rule = self.held_through_a_proxy(CRATE, "hold")
        self.assertIsNotNone(second.wait_for("held"))
        self.assertIsNone(first.wait_for("lost", seconds=2 * TTL_S))
        proxy("release", id=rule, how="forward")
        self.assertIsNotNone(first.wait_for("lost"), "the item refuses the late extension")
        self.two_believe(first, second)

    def test_by_the_expiry_an_extension_without_an_answer_is_exact(self):
        first, second, proxy, rule = self.held_through_a_proxy(CAREFUL, "hold")
        self.assertIsNotNone(second.wait_for("held"))
        self.assertIsNotNone(first.wait_for("lost"))
        proxy("release", id=rule, how="forward")
        self.exact(1)

    def test_an_extension_whose_answer_is_lost_is_a_lease_lost_that_stands_to_its_end(self):
        first, second, _, _ = self.held_through_a_proxy(CRATE, "drop_answer")
        lost = first.wait_for("lost")
        self.assertIsNotNone(lost)
        # It sent the same request again, which met its own version; the version that stands is known to nobody.
        taken = second.wait_for("held")
        self.assertGreater(taken.at_us - lost.at_us, (TTL_S - 2) * 1_000_000, "it was released")
        self.exact(1)

    def test_a_take_whose_answer_is_lost_waits_for_its_own_end(self):
        proxy = self.proxy()
        rule = proxy.add("drop_answer", target="PutItem", times=1)
        begun = now_us()
        taken = self.holds(CRATE, endpoint=proxy.url).wait_for("held")
        self.assertTrue(proxy.wait_hits(rule))
        self.assertGreater(taken.at_us - begun, (TTL_S - 1) * 1_000_000)


class WallClock(LeaseCase):
    """The wall clock of a holder of ours, or of one that waits, is set by an hour."""

    def setUp(self):
        super().setUp()
        self.clock = wall_clock.of(self)

    def waits(self, side, **options):
        """One more holder, which has asked for the lease and did not get it."""
        proxy = self.proxy()
        asked = proxy.add("pass", target="PutItem")
        waiter = self.hold(side, endpoint=proxy.url, **options)
        self.assertTrue(proxy.wait_hits(asked, 2))
        return waiter, lambda more: self.assertTrue(proxy.wait_hits(asked, 2 + more))

    def test_set_forwards_it_is_lost_before_another_has_it(self):
        for side in (OURS, FENCED):
            with self.subTest(side=side.name):
                first = self.holds(side, **self.clock.environment)
                second, _ = self.waits(CRATE)
                self.clock.set(HOUR_S)
                lost = first.wait_for("lost")
                self.assertIsNotNone(lost)
                believed = [event.until_us for event in first.events() if event.until_us]
                self.assertLess(lost.at_us, believed[-1], "it went by its time alone")
                self.assertIsNotNone(second.wait_for("held"))
                first.kill()
                second.kill()
                self.clock.set(0)
        self.exact(2)

    def test_set_backwards_it_holds_on_and_nobody_else_has_it(self):
        first = self.holds(OURS, **self.clock.environment)
        others = [self.waits(side)[0] for side in (OURS, CRATE)]
        extended = sum(event.kind == "until" for event in first.events())
        self.clock.set(-HOUR_S)
        # Each is a third of its time to live: it goes on for more than that.
        self.assertIsNotNone(first.wait_for("until", extended + 6))
        self.assertEqual([event.kind for holder in others for event in holder.events()], [])
        self.assertTrue(first.believes())
        self.exact(0)

    def wait_with_a_clock_that_is_set_forwards(self, side):
        first = self.holds(side)
        second, has_asked_again = self.waits(OURS, **self.clock.environment)
        self.clock.set(HOUR_S)
        has_asked_again(2 * TTL_S)  # once in a second
        self.assertTrue(first.believes())
        self.assertEqual(second.events(), [])
        first.kill()
        self.assertIsNotNone(second.wait_for("held"))
        self.exact(1)

    def test_who_waits_takes_nothing_from_ours_with_a_clock_set_forwards(self):
        self.wait_with_a_clock_that_is_set_forwards(OURS)

    def test_who_waits_takes_nothing_from_the_crate_with_a_clock_set_forwards(self):
        self.wait_with_a_clock_that_is_set_forwards(CRATE)

    def test_expected_hole_a_crate_whose_clock_is_ahead_takes_what_ours_holds(self):
        first = self.holds(OURS)
        self.clock.set(HOUR_S)
        second = self.holds(CRATE, **self.clock.environment)
        self.assertIsNotNone(first.wait_for("lost"))
        self.two_believe(first, second)


def main():
    """Exit status 77 where a program or the table's server is not there."""
    needed = ["OSCOMMIT_TEST_DYNAMODB_ENDPOINT", "OSCOMMIT_TEST_TOOL", *sorted({side.program for side in (*FLEET, CRATE)})]
    missing = [name for name in needed if not os.environ.get(name)]
    if missing:
        required = os.environ.get("OSCOMMIT_REQUIRE_SERVERS") == "1"
        print(f"{'FAILED' if required else 'SKIPPED'}: not set: {', '.join(missing)}", file=sys.stderr)
        sys.exit(1 if required else EXIT_SKIPPED)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in sys.argv[1:]] or None
    tests = [test for case in (Fleet, CrateAlone, WallClock) for test in loader.loadTestsFromTestCase(case)]
    result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(testing.of_this_share(tests)))
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
