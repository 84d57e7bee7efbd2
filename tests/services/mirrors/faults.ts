import { readFile, writeFile } from "node:fs/promises";
import { refusal } from "../../support/vendors/cloudflare/server.ts";
import type { CallLimit, CallLimits } from "../../support/vendors/call-limits.ts";
import type { LoopbackVendor, VendorFault, VendorReply } from "../../support/vendors/loopback-vendor.ts";
import { failure } from "../../support/vendors/route53/server.ts";
import { zone, type Places } from "./places.ts";

/** Returns a pseudo-random integer below a number. */
type Random = (below: number) => number;

/** Pseudo-random numbers that a failure can be repeated with. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const away: VendorFault = { after: false, reply: failure(503, "ServiceUnavailable", "Try again later.") };
const route53Faults: readonly VendorFault[] = [
  away,
  { after: false, reply: failure(400, "Throttling", "Rate exceeded") },
  { after: false, reply: failure(403, "AccessDenied", "The harbour master does not like it.") },
  { after: true, reply: failure(504, "GatewayTimeout", "timed out") },
  { after: false, reply: null },
  { after: true, reply: null },
];

let disturbances = 0;

/** What goes wrong now and then, one after another: a vendor refuses, is away, limits calls, or does its work and says nothing. */
export function disturb({ cloudflare, route53 }: Places, random: Random): void {
  const does = (["throttle", "fail", "failAfter", "cut", "cutAfter", "refuse"] as const)[disturbances++ % 6] ?? "fail";
  cloudflare.fault(random(2) === 0 ? "GET" : "POST", does, random(2));
  route53.failNext(route53Faults[disturbances % route53Faults.length] ?? away);
}

let edits = 0;

/** A person changes records at one mirror after another, past Zonewright. Only NSD, which is a secondary, cannot be edited. */
export async function editThere(places: Places, random: Random): Promise<void> {
  const { powerdns, cloudflare, route53, hostedZone, file } = places;
  const address = `198.51.100.${(edits += 1)}`;
  const name = `${["www", "theirs"][random(2)]}.${zone}`;
  const ways = [
    () => {
      const records = [{ content: address, disabled: false }];
      const rrset = { name: `${name}.`, type: "A", ttl: 300, changetype: "REPLACE", records };
      return powerdns.call("PATCH", `/zones/${zone}.`, { rrsets: [rrset] });
    },
    () => {
      const rrset = { name: `www.${zone}.`, type: "A", ttl: 300, changetype: "REPLACE" };
      const rrsets = [{ ...rrset, records: [{ content: "192.0.2.1", disabled: true }] }];
      return powerdns.call("PATCH", `/zones/${zone}.`, { rrsets });
    },
    () => cloudflare.addRecord(zone, { type: "A", name, content: address, ttl: 300 }),
    () => {
      const [one] = cloudflare.records(zone);
      if (one) cloudflare.removeRecord(zone, one.id);
    },
    () => route53.put(hostedZone, { name, type: "A", ttl: 300, values: [address] }),
    async () => {
      const kept = (await readFile(file, "utf8")).split("\n").filter((line) => !/^txt\d/.test(line));
      await writeFile(file, `${kept.join("\n")}\nbyhand 300 IN A ${address}\n`);
    },
  ];
  await Promise.resolve(ways[edits % ways.length]?.());
}

const now = () => new Date();

async function reconcileAll({ admin }: Places): Promise<void> {
  const { body } = await admin.get("/api/domains?limit=1");
  const path = `/api/domains/${body.domains[0].id}/mirrors`;
  const { mirrors } = (await admin.get(path)).body as { mirrors: { id: string }[] };
  const answers = await Promise.all(mirrors.map(({ id }) => admin.post(`${path}/${id}/reconcile`)));
  for (const { status } of answers) if (status !== 200) throw new Error(`Answered ${status}.`);
}

/** Outages of mirrors, which last until they are mended. Each returns how. */
export const outages = {
  "PowerDNS is down": async ({ proxy }: Places) => {
    await proxy.refuse();
    return () => proxy.accept();
  },
  "PowerDNS is slow": async ({ proxy }: Places) => {
    const struck = proxy.next({ does: "hold answer", to: "transfer" });
    return async () => (await struck).release();
  },
  "the zone file cannot be read": async ({ file }: Places) => {
    const text = await readFile(file, "utf8");
    await writeFile(file, "; broken\n( (\n");
    return () => writeFile(file, text);
  },
  "NSD is down": async ({ nsd }: Places) => {
    await nsd.stop();
    return () => nsd.restart();
  },
  "both vendors are away": async ({ cloudflare, route53 }: Places) => {
    for (const { failNext } of [cloudflare.vendor, route53]) failNext(away, 1_000);
    return () => undefined;
  },
  "both vendors limit calls": async (places: Places) => {
    const { cloudflare, route53 } = places;
    const limit = (most: readonly CallLimit[], wait: (seconds: number) => number) => [
      cloudflare.vendor.limitCalls(most, now, (seconds) => ({
        ...refusal(429, 971, "Please wait"),
        headers: { "retry-after": String(wait(seconds)) },
      })),
      route53.limitCalls(most, now, throttled),
    ];
    const limits = limit([{ calls: 3, seconds: 2 }], (seconds) => seconds);
    return async () => {
      // Mirrors that rest after another failure made no calls, and those of a busy machine come too slowly. They are tried when somebody asks for it.
      const strict = isUnused(limits) ? limit([{ calls: 1, seconds: 600 }], () => 1) : [];
      while (isUnused(strict)) await reconcileAll(places);
      limit([], () => 0);
    };
  },
} satisfies Record<string, (places: Places) => Promise<() => unknown>>;
export type Outage = keyof typeof outages;

function throttled(): VendorReply {
  return failure(400, "Throttling", "Rate exceeded");
}

function isUnused(limits: readonly CallLimits[]): boolean {
  return limits.some(({ refused }) => refused === 0);
}

/** Has calls wait at three mirrors: one was carried out without an answer, one was not, and the answer to the third is on its way. */
export async function holdCalls({ cloudflare, route53, proxy }: Places): Promise<unknown> {
  return await Promise.all([
    unanswered(cloudflare.vendor, true),
    unanswered(route53, false),
    proxy.next({ does: "hold answer", to: "change" }),
  ]);
}

const isChange = ({ method }: { method: string }) => method === "POST";

/** The next change at a vendor arrives and gets no answer. @param after whether it is carried out */
async function unanswered(vendor: LoopbackVendor, after: boolean): Promise<void> {
  const arrived = Promise.withResolvers<void>();
  vendor.failNext({ after, reply: "never" }, 1, isChange);
  vendor.meanwhile(isChange, arrived.resolve);
  await arrived.promise;
}
