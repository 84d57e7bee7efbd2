import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readValues, shownRecord } from "../../../web/src/templates/values.ts";

const variables = ["target", "dkimKey"];

test.each<[string, string, Record<string, string>]>([
  [
    "lines of name=value",
    "target=shop.example\r\ndkimkey = v=DKIM1; p=abc=\nother=1",
    { target: "shop.example", dkimKey: "v=DKIM1; p=abc=" },
  ],
  ["lines of name: value and percent signs", "%target%: a.example", { target: "a.example" }],
  ["columns of a sheet", "target\ta.example\n\nnothing", { target: "a.example" }],
  ["a JSON object", '{"target":"a.example","dkimKey":5,"other":"x","list":[]}', { target: "a.example", dkimKey: "5" }],
  ["nothing of the kind", "[1]\n=x", {}],
])("%s are read as values", (_, pasted, values) => {
  expect(readValues(pasted, variables)).toEqual(values);
});

test("any pasted text fills only variables of the template", () => {
  fc.assert(
    fc.property(fc.string(), (pasted) => {
      expect(Object.keys(readValues(pasted, variables)).filter((name) => !variables.includes(name))).toEqual([]);
    }),
  );
});

test.each([
  [
    { type: "MX", host: "@", pointsTo: "mx.%domain%", priority: 10, ttl: 3600 },
    { type: "MX", name: "@", value: "10 mx.%domain%", ttl: "3600" },
  ],
  [
    {
      type: "SRV",
      service: "_sip",
      protocol: "_tcp",
      name: "%host%",
      target: "sip.example",
      priority: "1",
      weight: 2,
      port: 5060,
    },
    { type: "SRV", name: "_sip._tcp.%host%", value: "1 2 5060 sip.example", ttl: "" },
  ],
  [
    { type: "TXT", data: "v=%v%", host: null, ttl: {} },
    { type: "TXT", name: "@", value: "v=%v%", ttl: "" },
  ],
])("the record %j is shown in one line", (record, shown) => {
  expect(shownRecord(record)).toEqual(shown);
});
