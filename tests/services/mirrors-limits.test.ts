import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { jsonTexts, queries } from "../../server/database/database.ts";
import { cloudflareAddress } from "../../server/dns-providers/cloudflare/client.ts";
import { digitalOceanAddress } from "../../server/dns-providers/digitalocean/api.ts";
import { createEgress, type Egress } from "../../server/platform/net/egress.ts";
import { hour, second, SkippingClock } from "../support/clock.ts";
import type { CallLimits } from "../support/vendors/call-limits.ts";
import { refusal, startCloudflare, type CloudflareServer } from "../support/vendors/cloudflare/server.ts";
import { failure, startDigitalOcean, type DigitalOceanServer } from "../support/vendors/digitalocean/server.ts";
import type { VendorReply } from "../support/vendors/loopback-vendor.ts";
import { startZonewright, type Zonewright } from "../support/zonewright.ts";
import { addZone, manualConfig } from "../support/zones.ts";

const zones = 1_000;
const names = Array.from({ length: zones }, (_, index) => `late${index}.example`);
/** By vendor: its documented limits, calls in so many seconds. */
const documented = {
  // https://developers.cloudflare.com/fundamentals/api/reference/limits/
  cloudflare: [{ calls: 1_200, seconds: 300 }],
  // https://docs.digitalocean.com/reference/api/, "Rate Limit"
  digitalocean: [
    { calls: 5_000, seconds: 3_600 },
    { calls: 250, seconds: 60 },
  ],
};
/** The share of the limits that background work may use. */
const share = 0.8;

const clock = new SkippingClock(beforeSkip);
/** Calls that vendors may not have taken yet. */
const calls = { underWay: 0 };
let zw: Zonewright & { stop(): Promise<void> };
let cloudflare: CloudflareServer;
let digitalOcean: DigitalOceanServer;
let limits: Record<keyof typeof documented, CallLimits>;

beforeAll(async () => {
  [cloudflare, digitalOcean] = await Promise.all([startCloudflare(), startDigitalOcean()]);
  limits = {
    cloudflare: cloudflare.vendor.limitCalls(
      documented.cloudflare,
      clock.now,
      saying(refusal(429, 971, "Please wait and consider throttling your request speed")),
    ),
    digitalocean: digitalOcean.limitCalls(
      documented.digitalocean,
      clock.now,
      saying(failure(429, "too_many_requests", "API Rate limit exceeded.")),
    ),
  };
  zw = await startZonewright({
    env: { JOBS: "off", DRIFT_CHECK: "off" },
    now: clock.now,
    pause: clock.pause,
    egress: leadingTo({ [cloudflareAddress]: cloudflare.url, [digitalOceanAddress]: digitalOcean.url }),
  });
});
afterAll(async () => {
  await zw.stop();
  await Promise.all([cloudflare.stop(), digitalOcean.stop()]);
});

/** A refusal that says how many seconds to wait. */
function saying(reply: VendorReply): (seconds: number) => VendorReply {
  return (seconds) => ({ ...reply, headers: { ...reply.headers, "retry-after": String(seconds) } });
}

/** Calls vendors' own addresses at their stand-ins: only there do the quotas of their accounts apply. */
function leadingTo(standIns: Readonly<Record<string, string>>): Egress {
  const egress = createEgress({ allow: ["127.0.0.1"], now: clock.now });
  return {
    ...egress,
    async guardedFetch(url, request) {
      const [own, standIn] = Object.entries(standIns).find(([address]) => String(url).startsWith(address)) ?? [];
      if (own === undefined || standIn === undefined) throw new Error(`There is no stand-in for ${String(url)}.`);
      calls.underWay += 1;
      try {
        return await egress.guardedFetch(String(url).replace(own, standIn), request);
      } finally {
        calls.underWay -= 1;
      }
    },
  };
}

const db = () => queries(zw.services.database.fork());

/** Lets calls arrive at the time at which they were made, and renews the claims of mirrors, as their process does every few seconds. */
async function beforeSkip(until: Date): Promise<void> {
  do {
    while (calls.underWay > 0) await nextTurn();
    await sql`
      update mirrors set lease_until = ${until}::timestamptz + interval '30 seconds' where lease_token is not null
    `.execute(db());
  } while (calls.underWay > 0);
}

/** Adds a domain with a mirror at each vendor, and waits until both are in sync. @returns its id */
async function mirrored(): Promise<string> {
  const { token: apiToken, accountId } = cloudflare;
  const configs = [
    { kind: "cloudflare", name: "Cloud", config: { apiToken, accountId } },
    { kind: "digitalocean", name: "Ocean", config: { token: digitalOcean.token } },
  ];
  const zone = await addZone(zw, { name: "first.example", providerConfigId: await manualConfig(zw) });
  cloudflare.addZone(zone.name);
  digitalOcean.addDomain(zone.name);
  await zone.add("A", "www", "192.0.2.1", 300);
  for (const config of configs) {
    const { body } = await zw.admin.post("/api/provider-configs", config);
    const { status, body: mirror } = await zone.post("/mirrors", { providerConfigId: body.id });
    expect(status).toBe(200);
    const { body: after } = await zone.post(`/mirrors/${mirror.mirrorId}/reconcile`);
    expect(after.mirrors.at(-1)).toMatchObject({ state: "in_sync" });
  }
  return zone.id;
}

/**
 * Copies a domain with its mirrors, which are left as an outage of both vendors leaves them: each lacks the record since a second after the
 * one before, and is tried again in an hour, the oldest now.
 */
async function copyAfterOutage(id: string): Promise<void> {
  for (const name of names) {
    cloudflare.addZone(name);
    digitalOcean.addDomain(name);
  }
  const began = clock.now();
  clock.advance(2 * zones * second);
  const copies = sql`${jsonTexts(names)} with ordinality as copy (name, place)`;
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns where table_schema = 'public' and table_name = 'domains' and is_generated = 'NEVER'
  `.execute(db());
  const columns = sql.join(rows.map(({ name }) => sql.ref(name)));
  await sql`
    insert into domains (${columns}) select ${columns} from (
      select (jsonb_populate_record(d, jsonb_build_object(
        'id', md5(copy.name)::uuid, 'name', copy.name, 'provider_zone', copy.name
      ))).* from domains d, ${copies} where d.id = ${id}::uuid
    ) as copied
  `.execute(db());
  await sql`
    insert into records select (jsonb_populate_record(r, jsonb_build_object(
      'record_id', gen_random_uuid(), 'domain_id', md5(copy.name)::uuid
    ))).* from records r, ${copies} where r.domain_id = ${id}::uuid
  `.execute(db());
  await sql`
    insert into mirrors select (jsonb_populate_record(m, jsonb_build_object(
      'id', gen_random_uuid(), 'domain_id', md5(copy.name)::uuid, 'provider_zone', copy.name, 'revision', m.revision - 1,
      'behind_since', ${began}::timestamptz + make_interval(secs => copy.place), 'error', 'It was away.', 'failures', 1, 'unreachable', true,
      'due_at', ${clock.now()}::timestamptz + case when copy.place = 1 then interval '0' else interval '1 hour' end
    ))).* from mirrors m, ${copies} where m.domain_id = ${id}::uuid
  `.execute(db());
}

/** Has the reconciler work until all mirrors follow. */
async function reconcileAll(): Promise<void> {
  await vi.waitFor(
    async () => {
      await zw.services.mirrorReconciler.run(new AbortController().signal);
      const { rows } = await sql`select id from mirrors where revision < wanted_revision or failures > 0`.execute(db());
      expect(rows).toHaveLength(0);
    },
    { timeout: 280_000, interval: 50 },
  );
}

/**
 * Returns the zones whose first change at a vendor came too early or too late for their age. Two are under way at once. One that a busy machine
 * lets wait is overtaken by those after it, which come hardly earlier by that.
 */
function outOfPlace(changed: readonly (string | undefined)[]) {
  const order = [...new Set(changed)];
  expect(new Set(order)).toEqual(new Set(names));
  return order.flatMap((name = "", place) => {
    const early = names.indexOf(name) - place;
    return early > 5 || early < -zones / 10 ? [{ name, place }] : [];
  });
}

test("after an outage of two vendors all zones follow at both within the vendors' documented limits, those that are behind for longest first", async () => {
  await copyAfterOutage(await mirrored());
  clock.advance(2 * hour);
  cloudflare.forgetCalls();
  digitalOcean.calls.length = 0;
  await reconcileAll();
  for (const name of names) {
    expect(cloudflare.records(name).map(({ content }) => content)).toEqual(["192.0.2.1"]);
    expect(digitalOcean.lines(name)).toEqual(["www A 300 192.0.2.1"]);
  }
  for (const vendor of ["cloudflare", "digitalocean"] as const) {
    expect({ vendor, refused: limits[vendor].refused }).toEqual({ vendor, refused: 0 });
    for (const { calls, seconds } of documented[vendor])
      expect({ vendor, most: limits[vendor].most(seconds) <= calls * share }).toEqual({ vendor, most: true });
  }
  const batches = cloudflare.calls.filter(({ method, path }) => method === "POST" && path.endsWith("/batch"));
  const nameOf = new Map(names.map((name) => [cloudflare.zone(name).id, name]));
  expect(outOfPlace(batches.map(({ path }) => nameOf.get(path.split("/").at(-3) ?? "")))).toEqual([]);
  const creations = digitalOcean.calls.filter(
    ({ method, url }) => method === "POST" && url.pathname.endsWith("/records"),
  );
  expect(outOfPlace(creations.map(({ url }) => url.pathname.split("/").at(-2)))).toEqual([]);
});
