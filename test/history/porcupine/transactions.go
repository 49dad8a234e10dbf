// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// A read or a write of a transaction, as it stands in the file.
type item struct {
	Key      string    `json:"key"`
	Value    *string   `json:"value"`
	Expected *string   `json:"expected"`
	List     *[]string `json:"list"`
	Append   *string   `json:"append"`
}

// What is done at one instant: all of a transaction, or one of its reads.
type step struct {
	reads, writes []item
	optional      bool // unknown: where it does not fit it does nothing, and it may always come after all others
}

// Each register as a list of one value, or of none. As a text, so that two of them can be compared.
type store map[string][]string

func (s store) text() string {
	text, err := json.Marshal(s) // in the order of the keys
	if err != nil {
		panic(err)
	}
	return string(text)
}

func list(value *string) []string {
	if value == nil {
		return nil
	}
	return []string{*value}
}

func (s store) sees(read item) bool {
	if read.List != nil {
		return slices.Equal(s[read.Key], *read.List)
	}
	return slices.Equal(s[read.Key], list(read.Value))
}

func (s store) takes(write item) bool {
	if write.Append != nil {
		s[write.Key] = append(s[write.Key], *write.Append)
		return true
	}
	if !slices.Equal(s[write.Key], list(write.Expected)) {
		return false
	}
	s[write.Key] = list(write.Value)
	return true
}

func (s store) does(what step) bool {
	for _, read := range what.reads {
		if !s.sees(read) {
			return false
		}
	}
	for _, write := range what.writes {
		if !s.takes(write) {
			return false
		}
	}
	return true
}

var transactionModel = porcupine.Model{
	Init: func() interface{} { return store{}.text() },
	Step: func(before, input, _ interface{}) (bool, interface{}) {
		var after store
		if err := json.Unmarshal([]byte(before.(string)), &after); err != nil {
			panic(err)
		}
		what := input.(step)
		if after.does(what) {
			return true, after.text()
		}
		return what.optional, before
	},
}

// Histories of transactions that share a file have keys that begin with their name and a slash.
func (l *line) addTransaction(histories map[string][]porcupine.Operation) {
	items := append(slices.Clone(l.Reads), l.Writes...)
	if len(items) == 0 {
		return
	}
	name, _, _ := strings.Cut(items[0].Key, "/")
	add := func(what step, end int64) {
		histories[name] = append(histories[name],
			porcupine.Operation{ClientId: l.Writer, Input: what, Call: l.Start, Return: end})
	}
	if _, seen := histories[name]; !seen {
		histories[name] = nil
	}
	verdict, end := l.outcome()
	if verdict == "committed" || verdict == "unknown" {
		add(step{reads: l.Reads, writes: l.Writes, optional: verdict == "unknown"}, end)
	}
	if l.Verdict == "committed" {
		return
	}
	for _, read := range l.Reads { // was there while it ran, whatever became of it
		end := int64(never)
		if l.End != nil {
			end = *l.End
		}
		add(step{reads: []item{read}}, end)
	}
}
