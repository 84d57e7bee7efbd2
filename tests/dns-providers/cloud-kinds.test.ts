import { describe, expect, test } from "vitest";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import { VendorAccounts } from "../../server/dns-providers/vendor-api/accounts.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { azure, missingVersion, token as azureToken, unauthorizedFor } from "../support/vendors/rrsets/azure.ts";
import { recordKey } from "../../server/dns/record.ts";
import { gcloud, keyFile } from "../support/vendors/rrsets/gcloud.ts";
import { json } from "../support/vendors/rrsets/server.ts";
import { a, reply, useVendor, zone } from "./rrset-vendor.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { create, record, remove, update } from "./zone-folder.ts";

// What only the kinds do that sign in for tokens. What they share with others is in rrset-kinds.test.ts.

const isRead = ({ method }: VendorCall) => method === "GET";
const isZones = ({ url }: VendorCall) => url.pathname.endsWith("/dnsZones");
const isLatest = ({ url }: VendorCall) => url.searchParams.get("api-version") === "2023-07-01-preview";
const isSigning = ({ url }: VendorCall) => url.pathname.includes("/dnssecConfigs");
const isList = ({ url }: VendorCall) => url.pathname.endsWith("/recordsets");
const elsewhere = (name: string, values: string[]) => [{ name, type: "A", ttl: 60, values }];
const apiError = (code: number, reason: string, message: string) =>
  reply({ error: { code, message, errors: [{ message, domain: "global", reason }] } }, code);

/** A record set as Azure lists it. */
const listed = (type: string, properties: object, name = "www", etag = "e1") => ({
  name,
  type: `Microsoft.Network/dnszones/${type}`,
  etag,
  properties: { TTL: 60, targetResource: {}, ...properties },
});

describe("Google Cloud DNS", () => {
  const vendor = useVendor(gcloud);
  const { apply, held } = vendor;
  const { isWrite } = gcloud;
  const path = "/dns/v1/projects/harbour-dns-1/managedZones";
  const tokenCalls = () => vendor.server.calls.filter(({ url }) => url.pathname === "/token");

  test("all changes go into one call, and an RRset that somebody else changed refuses it with the advice to sync", async () => {
    await apply([create(a("old")), create(a("www"))]);
    await apply([remove(a("old")), update(a("www"), a("www", "192.0.2.2")), create(a("new"))], true);
    expect(vendor.server.calls.filter(isWrite)).toHaveLength(2);
    expect(held()).toEqual(["new A 3600 192.0.2.1", "www A 3600 192.0.2.2"]);
    const elsewhere = { name: "www", type: "A", ttl: 60, values: ["192.0.2.2"] };
    vendor.server.meanwhile(isWrite, () => vendor.server.store.write(zone, [elsewhere]));
    const outcomes = await apply([create(a("more")), remove(a("www", "192.0.2.2"))]);
    expect(outcomes).toEqual([
      { ok: true },
      { ok: false, message: expect.stringMatching(/Precondition not met .*deletions\[0\].*sync the zone first/) },
    ]);
    expect(held()).toEqual(["more A 3600 192.0.2.1", "new A 3600 192.0.2.1", "www A 60 192.0.2.2"]);
  });

  test("a record of Google's that somebody else deleted meanwhile is refused with the advice to sync, and the zone is not missing", async () => {
    await apply([create(a("www"))]);
    vendor.server.meanwhile(isWrite, () => vendor.server.store.write(zone, elsewhere("www", [])));
    expect(await apply([create(a("more")), remove(a("www"))])).toEqual([
      { ok: true },
      { ok: false, message: expect.stringMatching(/deletions\[0\].*does not exist.*sync the zone first/) },
    ]);
    vendor.server.meanwhile(isWrite, () => vendor.server.store.zones.clear());
    expect(await failureOf(apply([create(a("late"))]))).toMatchObject({ zoneMissing: true, effect: "none" });
  });

  test("the record that Google names is refused, and the others are sent again at once", async () => {
    const message = "Invalid value for 'entity.change.additions[1].rrdata[0]': '192.0.2.1'";
    vendor.server.failNext(apiError(400, "invalid", message), 1, isWrite);
    const outcomes = await apply([create(a("one")), create(a("two")), create(a("three"))]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(vendor.server.calls.filter(isWrite)).toHaveLength(2);
  });

  test("all records that Google names are refused at once, whether by number or by name and type", async () => {
    const [one, two, four] = [
      `Invalid value for 'entity.change.additions[one.${zone}.][A].rrdata[0]': '192.0.2.1'`,
      `Invalid value for 'entity.change.additions[Two.${zone}.][A].rrdata': '<empty>'`,
      "Invalid value for 'entity.change.additions[3].rrdata[0]': '192.0.2.1'",
    ];
    const errors = [one, two, four].map((message) => ({ message, domain: "global", reason: "invalid" }));
    vendor.server.failNext(reply({ error: { code: 400, message: one, errors } }, 400), 1, isWrite);
    const names = ["one", "two", "three", "four"];
    const outcomes = await apply(names.map((name) => create(a(name))));
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false, true, false]);
    expect(outcomes[1]).toMatchObject({ message: expect.stringContaining("<empty>") });
    expect(vendor.server.calls.filter(isWrite)).toHaveLength(2);
  });

  test("a set of 2,500 RRsets is undone within Google's limits when a later call of it is refused, and undone whole afterwards", async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => a(`h${index}`));
    vendor.server.failNext(
      apiError(400, "invalid", "Not this one"),
      1,
      (call) => isWrite(call) && call.body.includes('"h2499.'),
    );
    const outcomes = await apply(
      many.map((one) => create(one)),
      true,
    );
    expect([outcomes.filter(({ ok }) => ok), held()]).toEqual([[], []]);
    expect(vendor.server.calls.filter(isWrite)).toHaveLength(5);
    for (const changes of [many.map((one) => create(one)), many.map((one) => remove(one))]) {
      expect((await apply(changes, true)).filter(({ ok }) => !ok)).toEqual([]);
    }
    expect([held(), vendor.server.calls.filter(isWrite)]).toEqual([[], expect.objectContaining({ length: 11 })]);
  });

  test("a change that is too large for Google is refused, and is not taken for a lack of rights", async () => {
    const message = "The change would exceed quota for additions per change.";
    vendor.server.failNext(apiError(403, "quotaExceeded", message), 1, isWrite);
    const [outcome] = await apply([create(a("www"))]);
    expect(outcome).toEqual({ ok: false, message: expect.stringContaining(message) });
    vendor.server.failNext(apiError(403, "rateLimitExceeded", "Slow down"), 1, isWrite);
    expect(await apply([create(a("www"))])).toEqual([{ ok: true }]);
  });

  test("one token serves all connections until shortly before it ends, and a refused one is replaced once", async () => {
    await vendor.provider.listZones();
    await vendor.provider.listZones();
    expect(tokenCalls()).toHaveLength(1);
    await vendor.clock.pause(3_500_000);
    await vendor.provider.listZones();
    expect(tokenCalls()).toHaveLength(2);
    vendor.server.failNext({ after: false, reply: gcloud.unauthorized }, 1, ({ url }) => url.pathname === path);
    expect((await vendor.provider.listZones()).names).toEqual([zone]);
    expect(tokenCalls()).toHaveLength(3);
    vendor.server.failNext({ after: false, reply: gcloud.unauthorized }, 2, ({ url }) => url.pathname === path);
    expect((await failureOf(vendor.provider.listZones())).message).toContain("rejects the key");
  });

  test("calls that need a token at the same time share one, also when the old one is refused to all of them", async () => {
    await Promise.all([vendor.provider.listZones(), vendor.connect().listZones(), vendor.provider.listZones()]);
    expect(tokenCalls()).toHaveLength(2);
    await vendor.provider.listZones();
    const old = vendor.server.calls.at(-1)?.headers.authorization;
    // One of them may have the new token before the others send the old one.
    vendor.server.failNext(
      { after: false, reply: gcloud.unauthorized },
      3,
      ({ url, headers }) => url.pathname === path && headers.authorization === old,
    );
    await Promise.all([1, 2, 3].map(() => vendor.provider.listZones()));
    expect(tokenCalls()).toHaveLength(3);
  });

  test("connections that find their token expired request one together, and a person does not wait for an import's", async () => {
    const accounts = new VendorAccounts({ now: vendor.clock.now, pause: vendor.clock.pause });
    const connections = Array.from({ length: 10 }, () => vendor.connect({}, { accounts }));
    await connections[0]?.listZones();
    vendor.clock.advance(3_600_000);
    await Promise.all(connections.map((one) => one.listZones()));
    expect(tokenCalls()).toHaveLength(2);
    vendor.clock.advance(3_600_000);
    vendor.server.failNext({ after: false, reply: "never" }, 1, ({ url }) => url.pathname === "/token");
    const asked = Promise.withResolvers<void>();
    vendor.server.meanwhile(({ url }) => url.pathname === "/token", asked.resolve);
    const imported = vendor.connect({}, { accounts, purpose: "import" }).listZones();
    await asked.promise;
    expect((await vendor.connect({}, { accounts }).listZones()).names).toEqual([zone]);
    // Otherwise it asks again in the midst of a later test.
    vendor.server.cutUnanswered();
    expect((await imported).names).toEqual([zone]);
  });

  test("a key that Google no longer takes and a clock that is off are reported with Google's words", async () => {
    const said = "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.";
    vendor.server.failNext(reply({ error: "invalid_grant", error_description: said }, 400), 1);
    const { message, effect } = await failureOf(vendor.provider.listZones());
    expect([effect, message]).toEqual(["none", expect.stringContaining(said)]);
    expect(message).toContain("this server's clock");
  });

  test("no message has a line of Google's key, a token or an assertion, whatever an answer repeats", async () => {
    const { private_key } = JSON.parse(keyFile("")) as { private_key: string };
    const lines = private_key.split("\n").filter((line) => line.length > 8 && !line.startsWith("-----"));
    await vendor.provider.listZones();
    const googleToken = vendor.server.calls.at(-1)?.headers.authorization?.slice("Bearer ".length) ?? "";
    const assertion = new URLSearchParams(tokenCalls()[0]?.body).get("assertion") ?? "";
    const repeated = `${JSON.stringify(private_key)} ${googleToken} ${assertion}`;
    for (const status of [400, 403, 500]) {
      for (const part of [repeated, googleToken, assertion, lines[0], lines.at(-1)]) {
        vendor.server.failNext(apiError(status, "forbidden", `Seen: ${part}`), 5);
        const { message } = await failureOf(vendor.provider.listZones());
        expect(message).toContain("Seen: ");
        for (const secret of [googleToken, assertion, ...lines]) expect(message).not.toContain(secret);
        vendor.server.forgetFaults();
      }
    }
  });

  test("records that Google steers are read-only and shown with what they choose from", async () => {
    const routingPolicy = {
      wrr: {
        items: [
          { weight: 1, rrdatas: ["192.0.2.1"] },
          { weight: 9, rrdatas: ["192.0.2.9"] },
        ],
      },
    };
    const rrsets = [{ name: `www.${zone}.`, type: "A", ttl: 60, routingPolicy }];
    await vendor.provider.listZones();
    vendor.server.failNext(reply({ rrsets }), 3, ({ url }) => url.pathname.endsWith("/rrsets"));
    expect((await readAll(vendor.provider, zone)).map(({ value }) => value)).toEqual(["192.0.2.1", "192.0.2.9"]);
    expect(new Set((await vendor.provider.readOnlyRecords?.(zone))?.values())).toEqual(
      new Set(["steers these records by a routing policy; change them there."]),
    );
    const [outcome] = await apply([remove(a("www", "192.0.2.1", 60))]);
    expect(outcome).toEqual({ ok: false, message: expect.stringContaining("Google Cloud DNS steers these records") });
  });

  test("private zones are not listed, and of several zones of one name none is guessed", async () => {
    const managedZones = [
      { name: "inside", dnsName: `${zone}.`, visibility: "private" },
      { name: "forwarded", dnsName: "other.example.", forwardingConfig: {} },
      { name: "one", dnsName: `${zone}.`, visibility: "public" },
      { name: "two", dnsName: `${zone}.` },
    ];
    vendor.server.failNext(reply({ managedZones }), 2, ({ url }) => url.pathname === path);
    expect(await vendor.provider.listZones()).toEqual({
      names: [],
      unusable: [{ name: zone, reason: expect.stringContaining(`several public zones named ${zone} (one, two)`) }],
    });
    expect((await failureOf(readAll(vendor.provider, zone))).message).toContain("Delete all but one");
    expect(vendor.server.calls.filter(isWrite)).toEqual([]);
  });

  test("5,000 records are read page by page, and Google's name servers at the apex change but stay", async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({
      name: `h${index}`,
      type: "A",
      ttl: 60,
      values: ["192.0.2.1"],
    }));
    vendor.server.store.write(zone, many);
    const read = await readAll(vendor.provider, zone);
    expect(read).toHaveLength(5_002);
    const servers = read
      .filter(({ recordType }) => recordType === "NS")
      .map(({ value }) => record("@", "NS", value, 21_600));
    const outcomes = await apply(
      servers.map((one) => remove(one)),
      true,
    );
    expect(outcomes[0]).toMatchObject({
      ok: false,
      message: expect.stringContaining("exactly one resource record set of type 'NS'"),
    });
  });

  test("a change is in effect once Google reports it as done", async () => {
    const { changeRefs: [ref = ""] = [] } = await vendor.provider.applyChanges(zone, [create(a("www"))]);
    vendor.server.failNext(reply({ id: "7", status: "pending" }), 1, isRead);
    expect(await vendor.provider.isSettled?.(ref)).toBe(false);
    expect(await vendor.provider.isSettled?.(ref)).toBe(true);
  });

  test("only the whole JSON file of a service account's RSA key is taken", () => {
    const { configSchema } = knownKind("gcloud");
    const whole = JSON.parse(keyFile("https://oauth2.googleapis.com/token")) as Record<string, string>;
    expect(configSchema.safeParse({ serviceAccountKey: JSON.stringify(whole) }).success).toBe(true);
    for (const wrong of [
      { type: "authorized_user" },
      { private_key: "-----BEGIN PRIVATE KEY-----" },
      { client_email: undefined },
      { token_uri: "file:///etc/passwd" },
      { token_uri: "https://elsewhere.example/token" },
      { token_uri: "http://oauth2.googleapis.com/token" },
    ]) {
      expect(configSchema.safeParse({ serviceAccountKey: JSON.stringify({ ...whole, ...wrong }) }).success).toBe(false);
    }
  });
});

describe("Azure DNS", () => {
  const vendor = useVendor(azure);
  const { apply, held } = vendor;
  const { isWrite } = azure;
  const tokenCalls = () => vendor.server.calls.filter(({ url }) => url.pathname.endsWith("/token"));
  const sent = () =>
    vendor.server.calls
      .filter(isWrite)
      .map(({ method, headers }) => [method, headers["if-match"], headers["if-none-match"]]);

  test("each record set is written on the condition that it is as it was read", async () => {
    await apply([create(a("www"))]);
    await apply([update(a("www"), a("www", "192.0.2.2"))]);
    await apply([remove(a("www", "192.0.2.2"))]);
    expect(sent()).toEqual([
      ["PUT", undefined, "*"],
      ["PUT", expect.stringMatching(/^e/), undefined],
      ["DELETE", expect.stringMatching(/^e/), undefined],
    ]);
  });

  test("where Azure lacks the version that signs zones, none is signed, and turning it on says why", async () => {
    const lacks = missingVersion("dnszones/dnssecConfigs", "2023-07-01-preview");
    vendor.server.failNext({ after: false, reply: lacks }, 2, isSigning);
    expect(await vendor.provider.signing?.keys(zone)).toEqual([]);
    expect(await failureOf(vendor.provider.signing?.set(zone, true) ?? Promise.resolve())).toMatchObject({
      effect: "none",
      message: expect.stringContaining("this subscription lacks the API version 2023-07-01-preview"),
    });
  });

  test("a record set of Azure that somebody else created, changed or deleted meanwhile stays as it is there", async () => {
    await apply([create(a("changed")), create(a("deleted"))]);
    const { store } = vendor.server;
    for (const [change, edit] of [
      [create(a("new")), elsewhere("new", ["192.0.2.9"])],
      [update(a("changed"), a("changed", "192.0.2.2")), elsewhere("changed", ["192.0.2.9"])],
      [update(a("deleted"), a("deleted", "192.0.2.2")), elsewhere("deleted", [])],
    ] as const) {
      vendor.server.meanwhile(isWrite, () => store.write(zone, edit));
      expect(await apply([change])).toEqual([
        { ok: false, message: expect.stringMatching(/Azure DNS refused the change: .*sync the zone first/) },
      ]);
    }
    expect(held()).toEqual(["changed A 60 192.0.2.9", "new A 60 192.0.2.9"]);
  });

  test("a set of Azure's that is refused in part is undone, whatever the refusal repeats", async () => {
    await apply([create(a("aaa")), create(a("www"))]);
    const set = [update(a("aaa"), a("aaa", "192.0.2.2")), update(a("www"), a("www", "192.0.2.2"))];
    const repeated = json(412, { error: { code: "PreconditionFailed", message: `Seen: ${azureToken.slice(9)}` } });
    vendor.server.failNext(
      { after: false, reply: repeated },
      1,
      ({ method, url }) => method === "PUT" && url.pathname.endsWith("/www"),
    );
    const outcomes = await apply(set, true);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false]);
    expect(JSON.stringify(outcomes)).toMatch(/Seen: \*+ \(412\)/);
    expect(held()).toEqual(["aaa A 3600 192.0.2.1", "www A 3600 192.0.2.1"]);
  });

  test("the metadata of a record set stays when its records change", async () => {
    const properties = { TTL: 60, metadata: { owner: "harbour" }, ARecords: [{ ipv4Address: "192.0.2.1" }] };
    const one = { name: "www", type: "Microsoft.Network/dnszones/A", etag: "e77", properties };
    vendor.server.failNext(reply({ value: [one] }), 1, isList);
    await apply([create(a("www", "192.0.2.2", 60))]);
    const { body, headers } = vendor.server.calls.findLast(isWrite) ?? { body: "{}", headers: {} };
    expect([headers["if-match"], JSON.parse(body)]).toEqual([
      "e77",
      { properties: { ...properties, ARecords: [{ ipv4Address: "192.0.2.1" }, { ipv4Address: "192.0.2.2" }] } },
    ]);
  });

  test("the metadata of a record set comes back when its deletion is undone, and nothing is written without its ETag", async () => {
    await apply([create(a("aaa")), create(a("www"))]);
    const properties = { metadata: { owner: "harbour" }, ARecords: [{ ipv4Address: "192.0.2.1" }] };
    const etag = vendor.server.store.rrset(zone, "aaa", "A")?.etag;
    vendor.server.failNext(reply({ value: [listed("A", { ...properties, TTL: 3600 }, "aaa", etag)] }), 1, isList);
    vendor.server.failNext({ after: false, reply: azure.refusal("Not this one") }, 1, ({ url }) =>
      url.pathname.endsWith("/new"),
    );
    await apply([remove(a("aaa")), create(a("new"))], true);
    expect(held()).toEqual(["aaa A 3600 192.0.2.1", "www A 3600 192.0.2.1"]);
    const { body } = vendor.server.calls.findLast(isWrite) ?? { body: "{}" };
    expect(JSON.parse(body)).toMatchObject({ properties: { metadata: { owner: "harbour" } } });
    const writes = sent().length;
    const unmarked = { ...listed("A", { ...properties, TTL: 3600 }, "aaa"), etag: undefined };
    vendor.server.failNext(reply({ value: [unmarked] }), 1, isList);
    expect(await apply([remove(a("aaa"))])).toEqual([{ ok: false, message: expect.stringContaining("ETag") }]);
    expect(sent()).toHaveLength(writes);
  });

  test("an alias of Azure is shown as one read-only record, and nothing is written in its place", async () => {
    const id = "/subscriptions/s/resourceGroups/harbour/providers/Microsoft.Network/publicIPAddresses/quay";
    const one = {
      name: "@",
      type: "Microsoft.Network/dnszones/A",
      etag: "e1",
      properties: { TTL: 60, targetResource: { id } },
    };
    vendor.server.failNext(reply({ value: [one] }), 3, isList);
    const [alias, ...others] = await readAll(vendor.provider, zone);
    expect([alias, others]).toEqual([
      expect.objectContaining({ recordType: "AZURE_ALIAS", name: "@", value: `A ${id}` }),
      [],
    ]);
    const reason = "has an alias to one of its resources here; change it there.";
    expect(alias && knownKind("azure").readOnlyReason?.(alias)).toBe(reason);
    const outcomes = await apply([create(a("@")), ...(alias ? [remove(alias)] : [])]);
    expect(outcomes).toEqual([
      { ok: false, message: `Azure DNS ${reason}` },
      { ok: false, message: `Azure DNS ${reason}` },
    ]);
    expect(sent()).toEqual([]);
  });

  test("record sets of Azure that Traffic Manager steers, or whose type is unknown, are shown and read-only", async () => {
    const value = [
      listed("A", { trafficManagementProfile: { id: "/subscriptions/s/steered" } }),
      listed("SVCB", { SVCBRecords: [{ priority: 1, target: "." }] }, "sub"),
      listed("CNAME", { CNAMERecord: {} }, "empty"),
    ];
    vendor.server.failNext(reply({ value }), 3, isList);
    const read = await readAll(vendor.provider, zone);
    expect(read.map(({ recordType, name, value: data }) => [recordType, name, data])).toEqual([
      ["AZURE_ALIAS", "www", "A /subscriptions/s/steered"],
      ["AZURE_RECORDS", "sub", "SVCB"],
    ]);
    for (const one of read) expect(knownKind("azure").readOnlyReason?.(one)).toContain("change");
    expect((await apply([create(a("www")), ...read.map((one) => remove(one))])).map(({ ok }) => ok)).toEqual([
      false,
      false,
      false,
    ]);
    expect(sent()).toEqual([]);
  });

  test("a record of Azure's without one of its fields is reported, and not read as another value", async () => {
    for (const [type, properties] of [
      ["MX", { MXRecords: [{ preference: 10 }] }],
      ["CAA", { caaRecords: [{ flags: 0, tag: "issue" }] }],
    ] as const) {
      vendor.server.failNext(reply({ value: [listed(type, properties)] }), 1, isList);
      expect((await failureOf(readAll(vendor.provider, zone))).message).toContain(
        `${type} records that cannot be read`,
      );
    }
  });

  test("DS, NAPTR and TLSA reach Azure in its own fields, and are read back as they were written", async () => {
    const digest = "2bb183af5f22588179a53b0a98631fad1a292118";
    const written = [
      record("sub", "DS", `60485 5 1 ${digest}`, 3600),
      record("4.3.2.1", "NAPTR", '100 10 "U" "E2U+sip" "!^.*$!sip:user@example.com!" .', 3600),
      record("_443._tcp", "TLSA", `3 1 1 ${digest}`, 3600),
    ];
    await apply([create(record("sub", "NS", "ns.example.net", 3600))]);
    expect((await apply(written.map((one) => create(one)))).filter(({ ok }) => !ok)).toEqual([]);
    const bodies = vendor.server.calls.filter(isWrite).map(({ body }) => JSON.stringify(JSON.parse(body).properties));
    for (const sent of [
      { DSRecords: [{ keyTag: 60_485, algorithm: 5, digest: { algorithmType: 1, value: digest } }] },
      { TLSARecords: [{ usage: 3, selector: 1, matchingType: 1, certAssociationData: digest }] },
    ]) {
      expect(bodies.map((body) => body.toLowerCase())).toContainEqual(
        JSON.stringify({ TTL: 3600, ...sent }).toLowerCase(),
      );
    }
    expect(bodies.join(" ")).toContain('"replacement":""');
    const read = await readAll(vendor.provider, zone);
    expect(read.map(recordKey)).toEqual(expect.arrayContaining(written.map(recordKey)));
  });

  test("a subscription of Azure without the latest version is read and written with the one before, but has no DS", async () => {
    const missing = missingVersion("dnszones/recordsets", "2023-07-01-preview");
    vendor.server.failNext({ after: false, reply: missing }, 1, isLatest);
    const ds = record("sub", "DS", "1 13 2 ab", 3600);
    expect(await apply([create(a("www")), create(ds)])).toEqual([
      { ok: true },
      { ok: false, message: expect.stringContaining("has no DS records in this subscription") },
    ]);
    await readAll(vendor.provider, zone);
    expect([held(), vendor.server.calls.filter(isLatest)]).toEqual([["www A 3600 192.0.2.1"], [expect.anything()]]);
    // Azure may offer it a day later.
    vendor.clock.advance(24 * 3_600_000);
    const delegation = record("sub", "NS", "ns.example.net", 3600);
    expect(await apply([create(delegation), create(ds)])).toEqual([{ ok: true }, { ok: true }]);
  });

  test.each([
    [
      "dnsZones/TXT/write",
      "/resourceGroups/rg/providers/Microsoft.Network/dnszones/quay.example/TXT/x",
      "role DNS Zone Contributor for the zone quay.example, or in the resource group rg: it lacks Microsoft.Network/dnsZones/TXT/write.",
    ],
    [
      "dnsZones/write",
      "/resourceGroups/rg/providers/Microsoft.Network/dnszones/quay.example",
      "role DNS Zone Contributor in the resource group rg: it lacks",
    ],
    [
      "dnsZones/read",
      "/resourceGroups/rg/providers/Microsoft.Network",
      "role Reader in the resource group rg: it lacks",
    ],
    ["dnsZones/read", "", "role Reader in the subscription: it lacks"],
  ])("a role of Azure that is missing for %s over %s is named", async (action, scope, expected) => {
    const reply = unauthorizedFor(`Microsoft.Network/${action}`, scope);
    vendor.server.failNext({ after: false, reply }, 1, isList);
    const { message } = await failureOf(readAll(vendor.provider, zone));
    expect(message).toMatch(
      /^Azure DNS rejects the application of this provider configuration\. Check that it has the /,
    );
    expect(message).toContain(expected);
  });

  test("Azure's name servers at the apex are read-only, and others can stand beside them", async () => {
    const own = (await readAll(vendor.provider, zone)).find(({ recordType }) => recordType === "NS");
    expect(own && knownKind("azure").readOnlyReason?.(own)).toContain("manages its own name servers");
    expect(await apply([create(record("@", "NS", "ns.example.net", 172_800))])).toEqual([{ ok: true }]);
    expect(vendor.server.store.rrset(zone, "@", "NS")?.values).toHaveLength(3);
  });

  test("texts reach Azure as they are, string by string", async () => {
    const texts = ['say "hi"', "back\\slash", "v=DKIM1; p=abc;", "t".repeat(300)];
    const written = texts.map((text) => record("text", "TXT", text, 3600));
    expect((await apply(written.map((one) => create(one)))).filter(({ ok }) => !ok)).toEqual([]);
    const { properties } = JSON.parse(vendor.server.calls.findLast(isWrite)?.body ?? "{}") as {
      properties: { TXTRecords: { value: string[] }[] };
    };
    expect(properties.TXTRecords.map(({ value }) => value)).toEqual([
      ...texts.slice(0, 3).map((text) => [text]),
      ["t".repeat(255), "t".repeat(45)],
    ]);
  });

  test("lists follow Azure's links, but lead the token nowhere else", async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({
      name: `h${index}`,
      type: "A",
      ttl: 60,
      values: ["192.0.2.1"],
    }));
    vendor.server.store.write(zone, many);
    expect(await readAll(vendor.provider, zone)).toHaveLength(5_002);
    expect(vendor.server.calls.filter(isList)).toHaveLength(11);
    const list = vendor.server.calls.find(isList)?.url;
    const nextLink = `https://management.azure.com${list?.pathname}${list?.search}&$skipToken=5000`;
    vendor.server.failNext(reply({ value: [], nextLink }), 1, isList);
    expect(await readAll(vendor.provider, zone)).toHaveLength(2);
    vendor.server.failNext(reply({ value: [], nextLink: "https://attacker.example/next" }), 1, isList);
    expect((await failureOf(readAll(vendor.provider, zone))).message).toContain("does not look like its API");
  });

  test("without a resource group, all zones are listed, none is created, and none of several of one name is guessed", async () => {
    const whole = vendor.connect({ resourceGroup: undefined });
    expect((await whole.listZones()).names).toEqual([zone]);
    expect((await whole.applyChanges(zone, [create(a("www"))])).outcomes).toEqual([{ ok: true }]);
    const accounts = new VendorAccounts({ now: vendor.clock.now, pause: vendor.clock.pause });
    const before = vendor.server.calls.filter(isZones).length;
    for (let count = 0; count < 3; count++)
      await readAll(vendor.connect({ resourceGroup: undefined }, { accounts }), zone);
    expect(vendor.server.calls.filter(isZones)).toHaveLength(before + 1);
    expect((await failureOf(whole.createZone("new.example"))).message).toContain(
      "creates zones in a resource group only",
    );
    const named = ["one", "two"].map((group) => ({
      id: `/subscriptions/s/resourceGroups/${group}/providers/Microsoft.Network/dnszones/${zone}`,
      name: zone,
    }));
    vendor.server.failNext(reply({ value: named }), 2, ({ url }) => url.pathname.endsWith("/dnsZones"));
    const reason = expect.stringContaining(`several zones named ${zone} (in one, two)`);
    expect(await whole.listZones()).toEqual({ names: [], unusable: [{ name: zone, reason }] });
    expect((await failureOf(readAll(vendor.connect({ resourceGroup: undefined }), zone))).message).toEqual(reason);
  });

  test("an expired secret is reported with Azure's code, and neither it nor a token is repeated", async () => {
    const { clientSecret = "" } = vendor.server.config;
    const said = `AADSTS7000222: The provided client secret keys are expired. ${clientSecret}`;
    vendor.server.failNext(reply({ error: "invalid_client", error_description: said }, 401), 1);
    const { message } = await failureOf(vendor.provider.listZones());
    expect(message).toMatch(/^Azure DNS rejects the secret .* It says: AADSTS7000222/);
    await vendor.provider.listZones();
    expect(tokenCalls()).toHaveLength(2);
    vendor.server.failNext(reply({ error: { code: "Bad", message: `Seen: ${azureToken} ${clientSecret}` } }, 400), 1);
    const repeated = await failureOf(vendor.provider.listZones());
    expect(repeated.message).toContain("Seen: ");
    for (const secret of [clientSecret, azureToken]) expect(`${message} ${repeated.message}`).not.toContain(secret);
  });
});
