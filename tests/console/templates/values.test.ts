import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expandTemplate } from "../../../server/bulk/templates/applying/expand.ts";
import { variablesOf as serverVariables, type Template } from "../../../server/bulk/templates/form/template.ts";
import { createTemplateInput } from "../../../server/bulk/templates/schemas.ts";
import { canonicalType } from "../../../server/dns/zone-file/type-names.ts";
import { dataKeys, formOf, nameKey, templateOf, variablesOf, withType } from "../../../web/src/templates/form-rows.ts";
import { helpOf, neededVariables, readValues, shownRecord } from "../../../web/src/templates/values.ts";
import { published } from "../../bulk/templates/templates.ts";

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

test("the values that are asked for are those that the service wants for the chosen groups", () => {
  const group = fc.constantFrom("a", "b", "", undefined);
  const text = fc.constantFrom("%x%", "%y%.%z%", "%z%-%x%", "%domain%", "%{i}", "plain");
  const record = fc.record({ type: fc.constant("TXT"), host: text, data: text, groupId: group });
  fc.assert(
    fc.property(fc.array(record, { minLength: 1 }), fc.subarray(["a", "b"]), (records, chosen) => {
      const groups = chosen.filter((name) => records.some(({ groupId }) => groupId === name));
      const template = createTemplateInput.parse({
        providerId: "example.net",
        providerName: "",
        serviceId: "s",
        serviceName: "",
        records,
      }) as Template;
      const needed = neededVariables({ template: { ...template }, variables: serverVariables(template) }, groups);
      expect(needed.toSorted()).toEqual(serverVariables(template, groups).toSorted());
    }),
  );
});

test.each<[string, ReturnType<typeof helpOf>]>([
  ["", { general: "", own: {} }],
  ["Ask your provider.", { general: "Ask your provider.", own: {} }],
  [
    "policy: none, quarantine or reject; mailbox: the address for reports.",
    { general: "", own: { policy: "none, quarantine or reject", mailbox: "the address for reports" } },
  ],
  [
    "From the setup page.\n%Policy% = what to do: nothing, perhaps\n`mailbox`: where to write",
    { general: "From the setup page.", own: { policy: "what to do: nothing, perhaps", mailbox: "where to write" } },
  ],
  ["policy: a word. Ask the service.", { general: "", own: { policy: "a word. Ask the service." } }],
  ["the policy: a word", { general: "the policy: a word", own: {} }],
  ["policy: one, policy: two", { general: "", own: { policy: "one, policy: two" } }],
  ["other: x; policy: y", { general: "other: x", own: { policy: "y" } }],
  ["policy:\nmailbox: z", { general: "", own: { mailbox: "z" } }],
  ["__proto__: x; a-b: y", { general: "__proto__: x", own: { "a-b": "y" } }],
])("the help %j is shown at its values", (help, shown) => {
  expect(helpOf(help, ["policy", "mailbox", "a-b"])).toEqual(shown);
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
    { type: "mx", host: "@", pointsTo: "mx.example", priority: 10 },
    { type: "mx", name: "@", value: "10 mx.example", ttl: "" },
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

test("a type written as a number has the fields of its name", () => {
  for (let number = 0; number < 300; number += 1) {
    const written = `type${number}`;
    const kind = canonicalType(written) ?? written;
    expect([written, dataKeys(written), nameKey(written)]).toEqual([written, dataKeys(kind), nameKey(kind)]);
  }
});

test("a published template that nobody edited is stored as it was", () => {
  const form = formOf(published);
  expect(form && templateOf(form)).toEqual(published);
});

const text = fc.constantFrom("", "@", "x", "%v%", " x ", "10");
const field = fc.oneof(text, fc.constant(null));
const figure = fc.oneof(field, fc.nat(70_000));
const anyRecord = fc.record(
  {
    type: fc.constantFrom("A", "mx", "MX", "srv", "SRV", "TYPE15", "txt", "SPFM", "Redir301", "PTR", "nonsense"),
    ...Object.fromEntries(
      ["host", "name", "pointsTo", "target", "protocol", "service", "spfRules", "essential"].map((key) => [key, field]),
    ),
    ...Object.fromEntries(
      ["data", "rdata", "ttl", "priority", "weight", "port", "groupId"].map((key) => [key, figure]),
    ),
    later: fc.json(),
  },
  { requiredKeys: ["type"] },
);
const flag = fc.option(fc.boolean());
const anyTemplate = fc.record(
  {
    providerId: fc.constant("example.net"),
    providerName: text,
    serviceId: fc.constant("x"),
    serviceName: text,
    description: field,
    variableDescription: field,
    hostRequired: flag,
    multiInstance: flag,
    warnPhishing: flag,
    version: figure,
    records: fc.array(anyRecord, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ["providerId", "providerName", "serviceId", "serviceName", "records"] },
);

test("any template that the service takes is stored as it was, but for the field that was edited", () => {
  fc.assert(
    fc.property(anyTemplate, (given) => {
      expect(createTemplateInput.safeParse(given).error).toBeUndefined();
      const form = formOf(given);
      if (!form) throw new Error("The template has no form.");
      expect(templateOf(form)).toEqual(given);
      const rows = form.rows.map((row) => ({ ...row, values: { ...row.values, ttl: "77" } }));
      const records = given.records.map((record) => ({ ...record, ttl: 77 }));
      expect(templateOf({ ...form, rows })).toEqual({ ...given, records });
    }),
  );
});

test.each<[record: Record<string, unknown>, name: string, value: string]>([
  [{ type: "mx", host: "@", pointsTo: "mx.example.net", priority: 10 }, "host", "pointsTo"],
  [{ type: "TYPE15", host: "a", data: "mx.example.net", target: "other.example", priority: "10" }, "host", "pointsTo"],
  [
    {
      type: "SRV",
      host: "voice",
      service: "_sip",
      protocol: "_tcp",
      priority: 1,
      weight: 2,
      port: 3,
      data: "a.example",
    },
    "name",
    "target",
  ],
  [
    {
      type: "srv",
      name: "",
      host: "v",
      service: "sip",
      protocol: "tcp",
      priority: 1,
      weight: 2,
      port: 3,
      pointsTo: "@",
    },
    "name",
    "target",
  ],
  [{ type: "txt", host: "t", data: null, rdata: "text" }, "host", "data"],
  [{ type: "SPFM", host: "", data: "include:a.example" }, "host", "spfRules"],
])(
  "the form shows what the service reads of %j, and an edited field replaces what stood in for it",
  (record, name, value) => {
    const expanded = (records: unknown) =>
      expandTemplate({ ...template, records } as Template, {
        zone: "zone.example",
        host: "@",
        variables: {},
        groups: null,
        apexAlias: null,
      });
    const form = formOf({ ...template, records: [record] });
    const [row] = form?.rows ?? [];
    if (!form || !row) throw new Error("The record has no row.");
    const recordsOf = (changed: Partial<typeof row>) =>
      templateOf({ ...form, rows: [{ ...row, ...changed }] })["records"];
    expect(expanded(recordsOf({ original: {} }))).toEqual(expanded([record]));
    const values = { ...row.values, [name]: "edited", [value]: "v=edited.example" };
    expect(expanded(recordsOf({ values: { ...values, [value]: row.values[value] ?? "" } }))).not.toEqual(
      expanded([record]),
    );
    expect(recordsOf({ values })).toEqual([expect.objectContaining({ [name]: "edited", [value]: "v=edited.example" })]);
    const standIns = new Set(["host", "name", "pointsTo", "target", "data", "rdata", "spfRules"]);
    const [edited = {}] = recordsOf({ values }) as object[];
    expect(
      Object.keys(edited)
        .filter((key) => standIns.has(key))
        .toSorted(),
    ).toEqual([name, value].toSorted());
  },
);
