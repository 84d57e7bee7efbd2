import { beforeAll, describe, expect, test } from "vitest";
import { createClient, type Client } from "../../client-sdk/src/index.ts";
import { adminPassword, useZonewright } from "../support/zonewright.ts";
import { manualConfig } from "../support/zones.ts";
import { failure } from "./failure.ts";

const zw = useZonewright();
let client: Client;
let id: string;

beforeAll(async () => {
  client = createClient({ url: zw.url });
  await client.signIn({ username: "admin", password: adminPassword });
  const providerConfigId = await manualConfig(zw);
  ({ id } = await client.domains.create.mutate({ name: "example.com", providerConfigId }));
});

test("the client finds a domain by its exact name, and by any host name in it", async () => {
  expect(await client.domainNamed("Example.com.")).toMatchObject({ id });
  expect(await client.domainNamed("xample.com")).toBeNull();
  expect(await client.zoneOf("_acme-challenge.www.example.com")).toMatchObject({
    domain: { id, name: "example.com" },
    host: "_acme-challenge.www",
  });
  expect(await client.zoneOf("www.example.org")).toBeNull();
  expect(await failure(client.zoneOf("not a name"))).toMatchObject({ code: "BAD_REQUEST" });
});

test("the client finds a view of a name, and names the views if a bare name does not say which", async () => {
  const providerConfigId = await manualConfig(zw);
  const create = (name: string) => client.domains.create.mutate({ name, providerConfigId });
  const internal = await create("example.com!internal");
  expect(await client.domainNamed("example.com!Internal")).toMatchObject({ id: internal.id, view: "internal" });
  expect(await client.domainNamed("example.com")).toMatchObject({ id, view: "" });
  expect(await client.zoneOf("www.example.com!internal")).toMatchObject({ domain: { id: internal.id }, host: "www" });
  for (const view of ["a", "b"]) await create(`views.example!${view}`);
  expect(await failure(client.domainNamed("views.example"))).toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining("views.example!a, views.example!b"),
  });
});

describe("ensureRecord", () => {
  const record = { recordType: "AAAA", name: "www", value: "2001:db8::1" } as const;

  test("ensureRecord creates a record once, and changes nothing for another spelling of it", async () => {
    const made = await client.ensureRecord({ id, ...record, ttl: 300 });
    expect(made).toMatchObject({ outcome: "created", record: { ...record, ttl: 300, version: 1 } });
    const again = await client.ensureRecord({ id, ...record, name: "WWW.example.com.", value: "2001:0db8:0::1" });
    expect(again).toEqual({ outcome: "unchanged", record: made.record });
  });

  test("ensureRecord updates the differing fields of an equal record, and keeps other records of its name", async () => {
    await client.ensureRecord({ id, ...record, value: "2001:db8::2" });
    const changed = await client.ensureRecord({ id, ...record, ttl: 600, comment: "Web server" });
    expect(changed).toMatchObject({ outcome: "updated", record: { ttl: 600, comment: "Web server", version: 2 } });
    const { records } = await client.records.list.query({ id, name: "www" });
    expect(records.map(({ value }) => value).toSorted()).toEqual(["2001:db8::1", "2001:db8::2"]);
  });

  test("ensureRecord finds an MX record whose priority is given separately from the value", async () => {
    const mail = { id, recordType: "MX", name: "@", value: "mail.example.net", priority: 10 } as const;
    expect((await client.ensureRecord(mail)).outcome).toBe("created");
    expect((await client.ensureRecord(mail)).outcome).toBe("unchanged");
    expect((await client.ensureRecord({ ...mail, priority: 20 })).outcome).toBe("created");
  });

  test("ensureRecord keeps a TXT record however its text is split, unless other strings are given", async () => {
    const text = { id, recordType: "TXT", name: "text", value: "ab" } as const;
    const { record: cut } = await client.ensureRecord({ ...text, strings: ["a", "b"] });
    expect(await client.ensureRecord(text)).toEqual({ outcome: "unchanged", record: cut });
    const whole = await client.ensureRecord({ ...text, strings: null });
    expect(whole).toMatchObject({ outcome: "created", record: { strings: null } });
    expect(await client.ensureRecord(text)).toEqual({ outcome: "unchanged", record: whole.record });
    expect(await client.deleteRecord({ ...text, strings: ["", "ab"] })).toBe(false);
    expect(await client.deleteRecord({ ...text, strings: ["a", "b"] })).toBe(true);
    expect((await client.records.list.query({ id, name: "text" })).records).toEqual([whole.record]);
  });

  test("ensureRecord enables a disabled record, disables one on request, and prefers one that is as wanted", async () => {
    const spare = { id, recordType: "A", name: "spare", value: "192.0.2.1" } as const;
    const made = await client.ensureRecord({ ...spare, status: "disabled" });
    expect(made).toMatchObject({ outcome: "created", record: { status: "disabled" } });
    expect(await client.ensureRecord({ ...spare, status: "disabled" })).toMatchObject({ outcome: "unchanged" });
    const enabled = { outcome: "updated", record: { id: made.record.id, status: "active" } };
    expect(await client.ensureRecord(spare)).toMatchObject(enabled);
    expect(await client.ensureRecord({ ...spare, status: "disabled" })).toMatchObject({ outcome: "updated" });
    expect(await client.ensureRecord({ ...spare, status: "active" })).toMatchObject(enabled);
    const copy = await client.records.create.mutate({ ...spare, status: "disabled" });
    expect(await client.ensureRecord(spare)).toMatchObject({ outcome: "unchanged", record: { id: made.record.id } });
    const asDisabled = await client.ensureRecord({ ...spare, status: "disabled" });
    expect(asDisabled).toMatchObject({ outcome: "unchanged", record: { id: copy.id } });
  });

  test("ensureRecord fails with the same error as creating an impossible record", async () => {
    const cname = { id, recordType: "CNAME", name: "www", value: "shop.example.net" } as const;
    expect(await failure(client.ensureRecord(cname))).toMatchObject({ code: "CONFLICT" });
  });
});

test("deleteRecord deletes only the record of that type, name and value, and returns whether it existed", async () => {
  for (const value of ["192.0.2.1", "192.0.2.2"]) {
    await client.records.create.mutate({ id, recordType: "A", name: "old", value });
  }
  const target = { id, recordType: "A", name: "old", value: "192.0.2.1" };
  expect(await client.deleteRecord(target)).toBe(true);
  expect(await client.deleteRecord(target)).toBe(false);
  expect((await client.records.list.query({ id, name: "old" })).records).toMatchObject([{ value: "192.0.2.2" }]);
});

test("deleteRecord takes a name out of DNS although there is a disabled copy of the record, which it deletes next", async () => {
  const target = { id, recordType: "A", name: "copied", value: "192.0.2.1" } as const;
  for (const statuses of [["active", "disabled"] as const, ["disabled", "active"] as const]) {
    for (const status of statuses) await client.records.create.mutate({ ...target, status });
    expect(await client.deleteRecord(target)).toBe(true);
    const { records } = await client.records.list.query({ id, name: "copied" });
    expect(records.map(({ status }) => status)).toEqual(["disabled"]);
    expect(await client.deleteRecord(target)).toBe(true);
    expect(await client.deleteRecord(target)).toBe(false);
  }
});
