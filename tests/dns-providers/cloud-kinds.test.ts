import { describe, expect, test } from "vitest";
import { knownKind } from "../../server/dns-providers/kinds.ts";
import { readAll } from "../../server/zones/changes/provider-call.ts";
import type { VendorCall } from "../support/vendors/loopback-vendor.ts";
import { gcloud, keyFile, token as googleToken } from "../support/vendors/rrsets/gcloud.ts";
import { a, reply, useVendor, zone } from "./rrset-vendor.ts";
import { failureOf } from "./vendor-api/calling.ts";
import { create, record, remove, update } from "./zone-folder.ts";

// What only the kinds do that sign in for tokens. What they share with others is in rrset-kinds.test.ts.

const isRead = ({ method }: VendorCall) => method === "GET";
const apiError = (code: number, reason: string, message: string) =>
  reply({ error: { code, message, errors: [{ message, domain: "global", reason }] } }, code);

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

  test("the record that Google names is refused, and the others are sent again at once", async () => {
    const message = "Invalid value for 'entity.change.additions[1].rrdata[0]': '192.0.2.1'";
    vendor.server.failNext(apiError(400, "invalid", message), 1, isWrite);
    const outcomes = await apply([create(a("one")), create(a("two")), create(a("three"))]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(vendor.server.calls.filter(isWrite)).toHaveLength(2);
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
    ]) {
      expect(configSchema.safeParse({ serviceAccountKey: JSON.stringify({ ...whole, ...wrong }) }).success).toBe(false);
    }
  });
});
