import { expect, test } from "vitest";
import { parse, type ZodObject, type ZodType } from "zod";
import { providerKinds } from "../../../server/dns-providers/kinds.ts";
import {
  configOf,
  freeName,
  isSeldom,
  textsOf,
  usualOf,
  withPortApart,
} from "../../../web/src/admin/provider-fields.ts";
import { batches, begun, stateOf, withResults } from "../../../web/src/admin/import-run.ts";

const configFields = [
  { name: "server", label: "Name server", secret: false, required: true },
  { name: "port", label: "Port", secret: false, required: false },
  { name: "tsigSecret", label: "Secret", secret: true, required: true },
];
const kind = { kind: "rfc2136", configFields };

test("the form of a stored configuration starts with its values, and with empty secrets", () => {
  expect(textsOf(kind, { server: "ns1.example", port: 53, tsigSecret: "********" })).toEqual({
    server: "ns1.example",
    port: "53",
    tsigSecret: "",
  });
});

test("numbers are sent as numbers, texts trimmed, and empty fields left out", () => {
  expect(configOf(kind, { server: " 10 ", port: "5353", tsigSecret: "" })).toEqual({ server: "10", port: 5353 });
  expect(configOf(kind, { server: "x", port: "many", tsigSecret: "s" })).toEqual({
    server: "x",
    port: "many",
    tsigSecret: "s",
  });
});

test("a form shows what counts where nothing is set, and does not store it", () => {
  const shown = textsOf(kind, {});
  expect(shown).toEqual({ server: "", port: "53", tsigSecret: "" });
  expect(configOf(kind, { ...shown, server: "ns1.example" })).toEqual({ server: "ns1.example" });
  expect(configOf(kind, { ...shown, port: "" })).toEqual({});
});

const defaults = providerKinds.flatMap(({ kind: name, configFields: fields, configSchema }) =>
  fields.flatMap((field) => {
    const usual = usualOf(name, field.name);
    const other = usual === "localhost" ? "other" : String(Number(usual) - 1);
    return usual === null ? [] : [{ name, field, usual, other, configSchema }];
  }),
);

test.each(defaults)(
  "what the form of $name shows for $field.name is the service's default, and another value is stored as it takes it",
  ({ name, field, usual, other, configSchema }) => {
    expect(isSeldom(field)).toBe(true);
    const { [field.name]: setting } = (configSchema as unknown as ZodObject).shape;
    const byDefault = parse(setting as ZodType, undefined) as string | number | undefined;
    expect(String(byDefault ?? usual)).toBe(usual);
    const sent = configOf({ kind: name, configFields: [field] }, { [field.name]: other })[field.name];
    expect(parse(setting as ZodType, sent)).toBe(sent);
  },
);

test("a new configuration is named after its kind, with a number if that is taken", () => {
  expect(freeName("PowerDNS", [])).toBe("PowerDNS");
  expect(freeName("PowerDNS", ["PowerDNS", "PowerDNS 2"])).toBe("PowerDNS 3");
});

test("an import counts each zone of a batch, and keeps the reason of each failure", () => {
  const results = [
    { name: "a.test", success: true, domainId: "1", records: 3, error: null },
    { name: "b.test", success: false, domainId: null, records: 0, error: "No." },
  ];
  expect(withResults(begun(5), results)).toEqual({
    total: 5,
    done: 2,
    running: true,
    unknown: [],
    startedAt: null,
    imported: ["a.test"],
    failures: [{ name: "b.test", error: "No." }],
  });
});

test("an import of the service is running until it has an end, and there may be none", () => {
  const progress = { startedAt: new Date(), finishedAt: null, total: 2, done: 1, results: [] };
  expect(stateOf(progress)).toMatchObject({ running: true, total: 2, done: 1 });
  expect(stateOf({ ...progress, finishedAt: new Date() })?.running).toBe(false);
  expect(stateOf({ ...progress, startedAt: null })).toBeNull();
});

test("zones are imported in batches that leave none out", () => {
  expect(batches(["a", "b", "c", "d", "e"], 2)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect(batches([])).toEqual([]);
});

test.each([
  ["ns1.example.com:5353", { server: "ns1.example.com", port: "5353" }],
  ["192.0.2.1:53", { server: "192.0.2.1", port: "53" }],
  ["[2001:db8::1]:53", { server: "2001:db8::1", port: "53" }],
  ["2001:db8::1", { server: "2001:db8::1", port: "" }],
  ["ns1.example.com", { server: "ns1.example.com", port: "" }],
])("the name server %j is read as %j", (server, read) => {
  expect(withPortApart([{ name: "server" }, { name: "port" }], { server, port: "" })).toEqual(read);
});

test("a kind without a field for a port keeps its texts", () => {
  const texts = { server: "ns1.example.com:5353" };
  expect(withPortApart([{ name: "server" }], texts)).toBe(texts);
});
