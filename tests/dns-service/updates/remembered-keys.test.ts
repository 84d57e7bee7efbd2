import { beforeAll, describe, expect, test } from "vitest";
import { inOneTrip } from "../../../server/database/statements.ts";
import { rcodes } from "../../../server/dns/wire/messages.ts";
import { signRequest } from "../../../server/dns/wire/tsig.ts";
import { prerequisite as pre, update, UpdateClient } from "../../support/name-servers/update-client.ts";
import { useZonewright } from "../../support/zonewright.ts";
import { newKey, newZone } from "./key-clients.ts";

/*
 * A key that made an update is remembered, and the transaction that makes the next one looks it up again. Whatever the next message is, the
 * answer must be that of a key that was looked up first.
 */

const zw = useZonewright({ env: { DNS_LISTEN: "127.0.0.1:0" } });
const seconds = () => Math.floor(Date.now() / 1_000);
type Zone = Awaited<ReturnType<typeof newZone>>;
let served: Zone;
let manual: Zone;

beforeAll(async () => {
  served = await newZone(zw, "remembered.example");
  const { body } = await zw.admin.post("/api/provider-configs", { kind: "manual", name: "Manual" });
  manual = await newZone(zw, "remembered-manual.example", { providerConfigId: body.id });
});

/** A new key that has made an update, its client, and the signed message. */
async function usedKey(zone: Zone) {
  const key = await newKey(zw.admin, zone.id);
  const client = new UpdateClient(zone.client.port, zone.client.zone, key.tsig);
  const sent = signRequest(client.message([update.add(key.id, "A", "192.0.2.1")]), key.tsig, seconds());
  const repeat = async () => client.verified(await client.exchange(sent.message, "udp"), sent.mac).rcode;
  expect(await repeat()).toBe(rcodes.NOERROR);
  return { ...key, client, repeat };
}

describe.each([
  ["a zone with a back end", () => served],
  ["a zone without one", () => manual],
])("a key that has updated %s", (_, ofKind) => {
  test("a revoked TSIG key gets BADKEY for every kind of message", async () => {
    const zone = ofKind();
    const { id, tsig, client, repeat } = await usedKey(zone);
    const before = await zone.lines();
    expect((await zw.admin.delete(`/api/auth/me/tsig-keys/${id}`)).status).toBe(200);
    const elsewhere = new UpdateClient(client.port, "other.example", tsig);
    const messages = {
      "an update": () => client.update([update.add("late", "A", "192.0.2.1")]),
      "the message that was answered before": repeat,
      "one whose prerequisite fails": () => client.update([], [pre.nameInUse("nowhere")]),
      "one of another zone": () => elsewhere.update([update.add("late", "A", "192.0.2.1")]),
      "one with a type that nobody can write": () => client.update([update.add("late", "NSEC", "a.example. A")]),
      "a query": () => client.query("@", "SOA"),
    };
    for (const [what, send] of Object.entries(messages)) {
      const outcome = await send().catch((error: unknown) => String(error));
      expect({ what, outcome }).toEqual({ what, outcome: expect.stringContaining("BADKEY") });
    }
    expect(await zone.lines()).toEqual(before);
  });

  test("a cached key loses rights when its owner's role changes", async () => {
    const zone = ofKind();
    const name = `owner-${zone.id.slice(-8)}`;
    const owner = await zw.member(name);
    const userId: string = (await owner.get("/api/auth/me")).body.id;
    await zw.admin.put(`/api/users/${userId}`, { role: "admin" });
    const client = new UpdateClient(
      zone.client.port,
      zone.client.zone,
      (await newKey(await zw.signIn(name, "another long enough password"), zone.id)).tsig,
    );
    expect(await client.update([update.add("by-admin", "A", "192.0.2.1")])).toBe(rcodes.NOERROR);
    await zw.admin.put(`/api/users/${userId}`, { role: "member" });
    const before = await zone.lines();
    await expect(client.update([update.add("by-member", "A", "192.0.2.1")])).resolves.not.toBe(rcodes.NOERROR);
    expect(await zone.lines()).toEqual(before);
    await zw.admin.put(`/api/users/${userId}`, { role: "admin" });
    expect(await client.update([update.add("by-member", "A", "192.0.2.1")])).toBe(rcodes.NOERROR);
  });

  test("a key lookup inside a transaction finds the cached key unchanged", async () => {
    const { tsig } = await usedKey(ofKind());
    const { tsigKeyCredentials: credentials, database } = zw.services;
    const remembered = credentials.remembered(tsig.name);
    if (!remembered) throw new Error("The key is not remembered.");
    const found: boolean[] = [];
    for (let use = 0; use < 8; use++) {
      await database.fork().transactional(async (tx) => {
        const { statement, answered } = credentials.lookup(remembered, (isSame) => found.push(isSame));
        const [answer] = await inOneTrip(tx, [statement]);
        if (answer) answered(answer);
      });
    }
    expect(found).toEqual(Array.from({ length: 8 }, () => true));
  });
});
