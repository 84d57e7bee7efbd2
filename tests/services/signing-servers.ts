import { startSigningBind } from "../support/name-servers/bind.ts";
import { startSigningKnot } from "../support/name-servers/knot.ts";
import { nsupdate } from "../support/name-servers/nsupdate.ts";
import { startPowerdns } from "../support/name-servers/powerdns-api.ts";
import type { SigningServer } from "../support/name-servers/update-server.ts";
import type { PresentedRecord } from "../support/records/presentation.ts";

/** A server that signs its zones, as a provider and as others reach it. */
export interface SigningTarget {
  kind: "rfc2136" | "powerdns";
  config: unknown;
  /** Types of the records that the server maintains, as far as the provider shows them. */
  maintains: ReadonlySet<string>;
  /** Whether it deletes the DS of a delegation with its name servers. */
  dropsDs: boolean;
  transfer(zone: string): Promise<PresentedRecord[]>;
  resign(zone: string): Promise<void>;
  /** Adds records, bypassing Zonewright: absolute owner, TTL, type and data, as in a master file. */
  add(zone: string, lines: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

const bind = { maintains: new Set(["RRSIG", "NSEC", "DNSKEY", "TYPE65534"]), dropsDs: true };
const knot = { maintains: new Set(["RRSIG", "NSEC", "DNSKEY", "CDS", "CDNSKEY"]), dropsDs: false };

export const signingTargets: readonly (readonly [string, (zone: string) => Promise<SigningTarget>])[] = [
  ["BIND with inline signing", async (zone) => byUpdates(await startSigningBind([zone], { inline: true }), bind)],
  ["BIND without inline signing", async (zone) => byUpdates(await startSigningBind([zone], { inline: false }), bind)],
  ["Knot", async (zone) => byUpdates(await startSigningKnot([zone]), knot)],
  ["PowerDNS", startSigningPowerdns],
];

function byUpdates(server: SigningServer, does: Pick<SigningTarget, "maintains" | "dropsDs">): SigningTarget {
  return {
    ...does,
    kind: "rfc2136",
    config: server.config,
    transfer: (zone) => server.transfer(zone),
    resign: (zone) => server.resign(zone),
    add: (zone, lines) =>
      nsupdate(
        server,
        zone,
        lines.map((line) => `update add ${line}`),
      ),
    stop: () => server.stop(),
  };
}

async function startSigningPowerdns(zone: string): Promise<SigningTarget> {
  const server = await startPowerdns();
  await server.call("POST", "/zones", { name: `${zone}.`, kind: "Native", nameservers: [`ns.${zone}.`] });
  await server.pdnsutil("secure-zone", zone);
  await server.pdnsutil("rectify-zone", zone);
  return {
    kind: "powerdns",
    config: { url: server.url, apiKey: server.apiKey },
    // PowerDNS signs on the fly, and its API lists no signatures.
    maintains: new Set(),
    dropsDs: false,
    transfer: (name) => server.transfer(name),
    async resign(name) {
      await server.pdnsutil("rectify-zone", name);
    },
    async add(name, lines) {
      const rrsets = lines.map((line) => {
        const [owner = "", ttl, type, ...data] = line.split(" ");
        const records = [{ content: data.join(" "), disabled: false }];
        return { name: owner, type, ttl: Number(ttl), changetype: "REPLACE", records };
      });
      await server.call("PATCH", `/zones/${name}.`, { rrsets });
    },
    stop: () => server.stop(),
  };
}
