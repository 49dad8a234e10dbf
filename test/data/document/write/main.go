// SPDX-License-Identifier: Apache-2.0

// Writes the items below ../items as the AWS SDK for Go v2 makes them: go run . ../items
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The struct of the persistence that documents are shared with.
type object struct {
	Version     int64  `json:"version"`
	TimeStamp   int64  `json:"timestamp"`
	ClientToken string `json:"clientToken,omitempty"`
	Desired     any    `json:"desired,omitempty"`
	Reported    any    `json:"reported,omitempty"`
}

type fixture struct {
	name     string
	kind     string
	document string
}

var prefixes = map[string]string{"reported": "DSR#", "desired": "DSD#", "combined": "DSC#"}

var fixtures = []fixture{
	{"reported", "reported", `{"version":1,"timestamp":1736424000123456789,"reported":{"on":true}}`},
	{"desired", "desired", `{"version":9223372036854775807,"timestamp":0,"desired":{"on":false}}`},
	{"combined", "combined", `{"version":7,"timestamp":-1,"clientToken":"lamp #7","desired":{"on":false},"reported":{"on":true}}`},
	{"empty_token", "reported", `{"version":1,"timestamp":2,"clientToken":"","reported":{}}`},
	{"null_model", "combined", `{"version":1,"timestamp":2,"desired":null,"reported":{"a":null}}`},
	{"false_and_zero", "combined", `{"version":1,"timestamp":2,"desired":false,"reported":0}`},
	{"empty_string_and_list", "combined", `{"version":1,"timestamp":2,"desired":"","reported":[]}`},
	{"values", "reported", `{"version":1,"timestamp":2,"reported":{"s":"text","empty":"","n":1,"t":true,"f":false,"nil":null,` +
		`"l":[1,"a",null,[],{}],"m":{"a b":{"c.d":[{"e":1.5}]}},"utf8":"\u00e4\ud83d\ude00","nul":"a\u0000b"}}`},
	{"numbers", "reported", `{"version":1,"timestamp":2,"reported":[0,-0.0,1,-1,100.0,0.1,1.5,-4.35,0.30000000000000004,1e21,1e23,` +
		`1e-7,9223372036854775808.0,18446744073709551616.0,123456789012,9007199254740991,1e125,9.9e125,1e-130,2.2250738585072014e-100,0.000123456789012345678]}`},
	{"levels_31", "reported", `{"version":1,"timestamp":2,"reported":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`},
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// TagKey "": the SDK's own.
func item(f fixture, tagKey string) any {
	var o object
	check(json.Unmarshal([]byte(f.document), &o))
	attributes, err := attributevalue.MarshalMapWithOptions(o, func(options *attributevalue.EncoderOptions) {
		if tagKey != "" {
			options.TagKey = tagKey
		}
	})
	check(err)
	attributes["PK"] = &types.AttributeValueMemberS{Value: "DS#device-1"}
	attributes["SK"] = &types.AttributeValueMemberS{Value: prefixes[f.kind] + "shadow"}
	text, err := attributevalue.MarshalMapJSON(attributes)
	check(err)
	var sorted any
	check(json.Unmarshal(text, &sorted))
	return sorted
}

func main() {
	for _, f := range fixtures {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		check(encoder.Encode(map[string]any{"kind": f.kind, "document": json.RawMessage(f.document),
			"tags": item(f, "json"), "fields": item(f, "")}))
		check(os.WriteFile(filepath.Join(os.Args[1], f.name+".json"), text.Bytes(), 0o644))
	}
}
