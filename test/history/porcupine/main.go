// SPDX-License-Identifier: Apache-2.0

// Judges histories (docs/history.md) with Porcupine, a linearizability checker written apart from ours: a second
// opinion on each of them. Shares no line with lab/history, which it is there to check: it reads the file and knows
// the meaning of verdicts by itself.
//
//	porcupine FILE...
//
// Prints "KEY accept", "KEY refuse" or, after some minutes, "KEY undecided" for each key, ordered by key. Of
// transactions it prints the same for each of the histories that share the file (transactions.go).
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	timeout     = 5 * time.Minute
	longestLine = 1 << 16
	afterAll    = math.MaxInt64 - 1 // the final value is read when every call has ended
	never       = math.MaxInt64     // an unknown write may take effect behind that, which is as good as never
)

type line struct {
	Version   int     `json:"oscommit_history"`
	Call      *int64  `json:"call"`
	Final     *string `json:"final"`
	Writer    int     `json:"writer"`
	Operation string  `json:"operation"`
	Key       string  `json:"key"`
	Expected  *string `json:"expected"`
	Value     *string `json:"value"`
	Start     int64   `json:"start_us"`
	End       *int64  `json:"end_us"`
	Verdict   string  `json:"verdict"`
	Settled   string  `json:"settled"`
	SettledAt int64   `json:"settled_us"`
	Versions  *int64  `json:"versions"`

	Transaction *int64 `json:"transaction"`
	Reads       []item `json:"reads"`
	Writes      []item `json:"writes"`
}

// What a call asks of the register, and what it is said to have done.
type request struct {
	verdict  string // of a write; "" for a look
	expected string
	value    string
	versions int64 // of a look; -1: whatever they are
}

// "" is no object.
type register struct {
	value    string
	versions int64
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// The last thing that was said of a call, and when that was certain.
func (l *line) outcome() (verdict string, end int64) {
	verdict, end = l.Verdict, never
	if l.End != nil {
		end = *l.End
	}
	if l.Settled != "" {
		verdict = l.Settled
		if l.SettledAt != 0 {
			end = l.SettledAt
		}
	}
	if verdict == "unknown" {
		end = never
	}
	return verdict, end
}

func stepRegister(before, input, _ interface{}) (bool, interface{}) {
	state, asked := before.(register), input.(request)
	holds := state.value == asked.expected
	after := register{value: asked.value, versions: state.versions}
	if asked.value != "" {
		after.versions++
	}
	switch asked.verdict {
	case "": // a look
		return state.value == asked.value && (asked.versions < 0 || asked.versions == state.versions), state
	case "committed":
		return holds, after
	case "conflict":
		return !holds, state
	default: // unknown; where it comes too late or too early it does nothing, and it may always come after all others
		if holds {
			return true, after
		}
		return true, state
	}
}

var model = porcupine.Model{
	Init: func() interface{} { return register{} },
	Step: stepRegister,
}

// Adds what the line says to its key's operations, if it says anything.
func (l *line) add(keys map[string][]porcupine.Operation) {
	if l.Final != nil {
		versions := int64(-1)
		if l.Versions != nil {
			versions = *l.Versions
		}
		keys[*l.Final] = append(keys[*l.Final], porcupine.Operation{
			Input: request{value: text(l.Value), versions: versions}, Call: afterAll, Return: afterAll})
		return
	}
	if l.Call == nil {
		return
	}
	verdict, end := l.outcome()
	asked := request{verdict: verdict, expected: text(l.Expected), value: text(l.Value), versions: -1}
	if _, seen := keys[l.Key]; !seen {
		keys[l.Key] = nil
	}
	if l.Operation == "read" {
		if l.Verdict != "" && verdict != "committed" {
			return
		}
		asked.verdict = ""
	}
	if verdict != "not executed" {
		keys[l.Key] = append(keys[l.Key],
			porcupine.Operation{ClientId: l.Writer, Input: asked, Call: l.Start, Return: end})
	}
}

func read(name string, keys, transactions map[string][]porcupine.Operation) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(make([]byte, longestLine), longestLine)
	for number := 1; scanner.Scan(); number++ {
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, number, err)
		}
		if number == 1 && l.Version != 1 {
			return fmt.Errorf("%s is no history of version 1", name)
		}
		l.add(keys)
		if l.Transaction != nil {
			l.addTransaction(transactions)
		}
	}
	return scanner.Err()
}

func judge(out *bufio.Writer, model porcupine.Model, histories map[string][]porcupine.Operation) {
	words := map[porcupine.CheckResult]string{
		porcupine.Ok: "accept", porcupine.Illegal: "refuse", porcupine.Unknown: "undecided"}
	names := make([]string, 0, len(histories))
	for name := range histories {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintln(out, name, words[porcupine.CheckOperationsTimeout(model, histories[name], timeout)])
	}
}

func main() {
	keys := map[string][]porcupine.Operation{}
	transactions := map[string][]porcupine.Operation{}
	for _, name := range os.Args[1:] {
		if err := read(name, keys, transactions); err != nil {
			fmt.Fprintln(os.Stderr, "porcupine:", err)
			os.Exit(1)
		}
	}
	out := bufio.NewWriter(os.Stdout)
	judge(out, model, keys)
	judge(out, transactionModel, transactions)
	if err := out.Flush(); err != nil {
		os.Exit(1)
	}
}
