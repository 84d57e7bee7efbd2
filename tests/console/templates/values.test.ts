import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dataKeys, formOf, templateOf, variablesOf, withType } from "../../../web/src/templates/form-rows.ts";
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

const srv = {
  service: "_sip",
  protocol: "_tcp",
  name: "%host%",
  priority: 0,
  weight: 5,
  port: 5060,
  target: "s.example",
};
const template = {
  providerId: "example.net",
  providerName: "Example",
  serviceId: "x",
  serviceName: "X",
  version: 3,
  multiInstance: true,
  records: [
    { type: "MX", host: "@", priority: 10, pointsTo: "%mx%.example", ttl: "%ttl%" },
    { type: "SRV", ...srv, ttl: 60 },
    { type: "TXT", host: "_dmarc", data: "v=DMARC1", ttl: 60, groupId: "a", txtConflictMatchingMode: "All" },
    { type: "SPFM", host: "@", spfRules: "include:%domain%" },
    { type: "REDIR301", host: "@", target: "https://example.net", later: { unknown: true } },
  ],
};

test("a template that the form has read is the same once it is written, with what the form does not show", () => {
  const form = formOf(template);
  expect(form && templateOf(form)).toEqual(template);
  expect(form && variablesOf(form.rows)).toEqual(["mx", "ttl"]);
});

test.each([{ records: "none" }, { records: [1] }, { records: [null] }])(
  "records that are no rows have no form",
  (given) => {
    expect(formOf(given)).toBeNull();
  },
);

test("a value that stands in the field of another type is found, and a row keeps name and value in another type", () => {
  const form = formOf({ records: [{ type: "CNAME", host: "www", data: "a.example" }] });
  const [row] = form?.rows ?? [];
  expect(row?.values).toMatchObject({ host: "www", pointsTo: "a.example" });
  const changed = row && withType(row, "SRV");
  expect(changed?.values).toMatchObject({ name: "www", target: "a.example" });
  expect(dataKeys("SRV").at(-1)).toBe("target");
});
