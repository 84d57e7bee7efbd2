import { standsFor } from "../../dns/dnssec/keys.ts";
import type { Observation, ServerSeen } from "./observe.ts";
import { isWithin } from "./resolver.ts";
import { absoluteName } from "../../dns/names/names.ts";
import { isApexNs } from "../../dns/record.ts";

export const findingCodes = [
  "not_delegated",
  "ns_missing_at_parent",
  "ns_extra_at_parent",
  "glue_missing",
  "glue_wrong",
  "lame",
  "unreachable",
  "serial_differs",
  "ds_without_dnskey",
  "dnskey_without_ds",
  "dangling",
] as const;
export type FindingCode = (typeof findingCodes)[number];

export const severities = ["error", "warning", "info"] as const;

/** Something wrong with what the world sees of a zone. `recordType` and `target` are those of a dangling record. */
export interface Finding {
  code: FindingCode;
  severity: (typeof severities)[number];
  /** Relative to the zone; `@` for the zone itself. */
  name: string;
  recordType: string | null;
  /** The name server; null: the zone as a whole. */
  server: string | null;
  target: string | null;
  message: string;
}

export interface Judgment {
  findings: Finding[];
  /** Returns whether the observation says nothing about an earlier finding, which then stays. */
  leavesOpen: (finding: Pick<Finding, "code" | "server" | "name" | "recordType" | "target">) => boolean;
}

/**
 * Compares what was seen. Pure: no time, no network.
 * @param hasMirrors whether other providers serve the zone, too: each counts serials by itself
 */
export function judge(seen: Observation, { hasMirrors = false }: { hasMirrors?: boolean } = {}): Judgment {
  const servers = byName(seen.servers);
  const unchecked = new Set(
    [...servers].filter(([, at]) => at.some(({ state }) => state === "not_checked")).map(([name]) => name),
  );
  const open: Record<FindingCode, (finding: { server: string | null; target: string | null }) => boolean> = {
    not_delegated: () => seen.parent.kind === "unknown",
    ns_missing_at_parent: () => !knowsBothSets(seen),
    ns_extra_at_parent: () => !knowsBothSets(seen),
    glue_missing: () => isVague(seen),
    glue_wrong: ({ server }) => isVague(seen) || (seen.ownAddresses[server ?? ""] ?? null) === null,
    lame: ({ server }) => isUnseen(seen) || unchecked.has(server ?? ""),
    unreachable: ({ server }) => isUnseen(seen) || unchecked.has(server ?? ""),
    serial_differs: ({ server }) => isUnseen(seen) || unchecked.has(server ?? ""),
    ds_without_dnskey: () => !knowsKeys(seen),
    dnskey_without_ds: () => !knowsKeys(seen),
    dangling: ({ target }) => (seen.targets.get(target ?? "") ?? "unknown") === "unknown",
  };
  return {
    findings: [
      ...notDelegated(seen),
      ...nameServerSets(seen),
      ...glue(seen),
      ...serverFaults(seen, servers),
      ...serials(seen.servers, hasMirrors),
      ...signing(seen),
      ...dangling(seen),
    ],
    leavesOpen: (finding) => open[finding.code](finding),
  };
}

function ofZone(
  code: FindingCode,
  severity: Finding["severity"],
  message: string,
  server: string | null = null,
): Finding {
  return { code, severity, name: "@", recordType: null, server, target: null, message };
}

function isUnseen({ parent, servers }: Observation): boolean {
  return parent.kind === "unknown" || (parent.kind !== "not_delegated" && servers.length === 0);
}

function isVague({ parent }: Observation): boolean {
  return parent.kind === "unknown" || parent.kind === "hidden";
}

function knowsBothSets(seen: Observation): boolean {
  return seen.parent.kind === "not_delegated" || (!isVague(seen) && seen.apex.nameServers !== null);
}

function knowsKeys({ parent, apex }: Observation): boolean {
  if (parent.kind === "not_delegated") return true;
  return parent.kind !== "unknown" && parent.ds !== null && apex.keys !== null;
}

function notDelegated({ parent, zone }: Observation): Finding[] {
  if (parent.kind !== "not_delegated") return [];
  const above = parent.zone === "." ? "the root zone" : parent.zone;
  const message = `${zone} is not delegated: ${above} has no NS records for it, so no one can resolve it. Register the name, or enter its name servers at the registrar.`;
  return [ofZone("not_delegated", "error", message)];
}

function nameServerSets({ parent, apex, zone }: Observation): Finding[] {
  if (parent.kind !== "delegated" || apex.nameServers === null) return [];
  const above = new Set(parent.nameServers);
  const own = new Set(apex.nameServers);
  return [
    ...apex.nameServers
      .filter((name) => !above.has(name))
      .map((name) =>
        ofZone(
          "ns_missing_at_parent",
          "warning",
          `${name} is a name server of ${zone} in the zone, but not at the registry. Add it at the registrar, or delete its NS record.`,
          name,
        ),
      ),
    ...parent.nameServers
      .filter((name) => !own.has(name))
      .map((name) =>
        ofZone(
          "ns_extra_at_parent",
          "warning",
          `${name} is a name server of ${zone} at the registry, but the zone has no NS record for it. Add the NS record, or remove it at the registrar.`,
          name,
        ),
      ),
  ];
}

function glue({ parent, zone, ownAddresses }: Observation): Finding[] {
  if (parent.kind !== "delegated") return [];
  return parent.nameServers
    .filter((name) => isWithin(name, zone))
    .flatMap((name) => {
      const above = parent.glue.filter((record) => record.name === name).map(({ address }) => address);
      if (above.length === 0) {
        const message = `The registry has no address (glue) for ${name}, which lies within ${zone}, so resolvers cannot reach it. Enter its addresses at the registrar.`;
        return [ofZone("glue_missing", "error", message, name)];
      }
      const own = ownAddresses[name] ?? null;
      if (own === null || sameSet(above, own)) return [];
      const message = `The registry has ${listed(above)} for ${name}, the zone has ${listed(own)}. Enter the right addresses at the registrar, or correct the records of ${name}.`;
      return [
        ofZone("glue_wrong", above.some((address) => own.includes(address)) ? "warning" : "error", message, name),
      ];
    });
}

function serverFaults(seen: Observation, servers: ReadonlyMap<string, ServerSeen[]>): Finding[] {
  const { zone } = seen;
  return [...servers].flatMap(([name, all]) => {
    // Wrong glue is reported as such.
    const own = seen.ownAddresses[name] ?? null;
    const at = all.filter(({ address }) => own === null || address === null || own.includes(address));
    const faults = (state: ServerSeen["state"]) => at.filter((server) => server.state === state);
    const [lame, silent, nowhere] = [faults("lame"), faults("unreachable"), faults("no_address")];
    const found: Finding[] = [];
    const report = (code: FindingCode, message: string) => found.push(ofZone(code, "error", message, name));
    if (lame[0]) {
      report(
        "lame",
        `${name} (${places(lame)}) is a name server of ${zone}, but does not serve it. ${lame[0].detail ?? ""} Set the zone up there, or remove the server from the NS records and at the registrar.`,
      );
    }
    if (silent[0]) {
      report(
        "unreachable",
        `${name} (${places(silent)}) does not answer. Check the server and its firewall for port 53, UDP and TCP.`,
      );
    } else if (nowhere[0] && !isReportedAsDangling(seen, name)) {
      report(
        "unreachable",
        `${name} is a name server of ${zone}, but has no address. Add an address, or remove the server from the NS records and at the registrar.`,
      );
    }
    return found;
  });
}

function isReportedAsDangling({ pointers, targets }: Observation, server: string): boolean {
  const state = targets.get(server);
  const isReported = state === "missing" || state === "no_address";
  return isReported && pointers.some((pointer) => isApexNs(pointer) && pointer.target === server);
}

/** Compares the serials of the servers of one primary, which the SOA record names. */
function serials(servers: readonly ServerSeen[], hasMirrors: boolean): Finding[] {
  if (!hasMirrors) return differingSerials(servers);
  return [...Map.groupBy(servers, ({ primary }) => primary ?? null).values()].flatMap(differingSerials);
}

function differingSerials(servers: readonly ServerSeen[]): Finding[] {
  const answering = servers.filter(({ serial }) => serial !== null);
  const newest = answering
    .map(({ serial }) => serial ?? 0)
    .reduce((one, other) => (isNewer(other, one) ? other : one), 0);
  const behind = answering.filter(({ serial }) => serial !== newest);
  return [...byName(behind)].map(([name, at]) =>
    ofZone(
      "serial_differs",
      "warning",
      `${name} (${places(at)}) serves serial ${at[0]?.serial}, others serve ${newest}. If it stays so, check that the server gets NOTIFY messages and may transfer the zone.`,
      name,
    ),
  );
}

/** Serial number arithmetic (RFC 1982); 0 is where the comparison begins. */
function isNewer(one: number, other: number): boolean {
  if (other === 0) return true;
  const difference = (one - other) >>> 0;
  return difference > 0 && difference < 0x8000_0000;
}

function signing({ parent, apex, zone }: Observation): Finding[] {
  if (parent.kind === "unknown" || parent.kind === "not_delegated") return [];
  const { ds } = parent;
  const { keys } = apex;
  if (ds === null || keys === null) return [];
  if (ds.length > 0) {
    if (ds.some((one) => keys.some((key) => standsFor(one, key, zone)))) return [];
    const message =
      keys.length === 0
        ? `The registry has a DS record for ${zone}, but the zone is not signed. Validating resolvers refuse all its names. Remove the DS record at the registrar, or sign the zone.`
        : `No DS record at the registry matches a DNSKEY of ${zone}. Validating resolvers refuse all its names. Enter the DS record of the present key at the registrar.`;
    return [ofZone("ds_without_dnskey", "error", message)];
  }
  if (!keys.some(({ entryPoint }) => entryPoint)) return [];
  const message = `${zone} is signed, but the registry has no DS record for it, so no resolver validates it. Enter the DS record at the registrar.`;
  return [ofZone("dnskey_without_ds", "info", message)];
}

function dangling({ pointers, targets, zone }: Observation): Finding[] {
  return pointers.flatMap(({ name, recordType, target }) => {
    const state = targets.get(target);
    if (state !== "missing" && (state !== "no_address" || recordType === "CNAME")) return [];
    const fault = state === "missing" ? "which does not exist" : "which has no address";
    const owner = absoluteName(name, zone);
    const risk = state === "missing" && !isWithin(target, zone) ? "Whoever takes that name can answer for yours. " : "";
    // Without its own NS records, a zone is gone.
    const remedy =
      name === "@" && recordType === "NS"
        ? "Correct the name, or add the name server's address before you take this one out of the delegation."
        : "Delete the record, or point it elsewhere.";
    const message = `${recordType} of ${owner} points to ${target}, ${fault}. ${risk}${remedy}`;
    const severity = state === "missing" ? "error" : "warning";
    return [{ code: "dangling", severity, name, recordType, server: null, target, message } as const];
  });
}

function byName(servers: readonly ServerSeen[]): Map<string, ServerSeen[]> {
  return Map.groupBy(servers, ({ name }) => name);
}

function places(servers: readonly ServerSeen[]): string {
  return listed(servers.map(({ address }) => address ?? ""));
}

function listed(addresses: readonly string[]): string {
  return addresses.length === 0 ? "none" : addresses.toSorted().join(", ");
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const all = new Set(other);
  return new Set(one).size === all.size && one.every((item) => all.has(item));
}
