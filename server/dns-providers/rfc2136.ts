import { z } from "zod";
import { realPause, type Pause } from "../platform/pause.ts";
import { parseHost, parseZoneName } from "../dns/names/names.ts";
import { maxTtl, recordKey, rrsetKey, type ReadRecord } from "../dns/record.ts";
import {
  type ProviderKind,
  ProviderError,
  type ApplyOptions,
  type ApplyResult,
  type DnsProvider,
  type ListedZones,
  type RecordChange,
} from "./provider.ts";
import { inMilliseconds, timeoutField, timeoutSeconds } from "./config-fields.ts";
import { tsigAlgorithms } from "../dns/wire/tsig.ts";
import { isServerManaged, isSignatureOverSoa, types } from "../dns/zone-file/type-names.ts";
import type { Soa } from "../dns/zone-file/contents.ts";
import { isRaisedAlone } from "./applying/serial-fingerprints.ts";
import { applyByUpdate } from "./rfc2136/apply-updates.ts";
import { rcodes, queryMessage, type WireMessage } from "../dns/wire/messages.ts";
import { recordOf } from "./rfc2136/read-names.ts";
import { NameServerSession, refusal, type NameServerSettings } from "./rfc2136/session.ts";
import { readName, skipName, WireError } from "../dns/names/wire-names.ts";

/** Matches base64 of at least one octet. */
const secretForm = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

const configSchema = z.strictObject({
  server: z
    .string()
    .trim()
    .max(253)
    .regex(/^[a-z0-9:._-]+$/i, "Enter the name server as a host name or an IP address, such as ns1.example.com.")
    // An IPv6 address has two colons at least.
    .refine(
      (server) => !/^[^:]*:\d*$/.test(server),
      "Enter only the host name or IP address; its port belongs in `port`.",
    ),
  port: z.int().min(1).max(65_535).default(53),
  tsigName: z
    .string()
    .toLowerCase()
    .transform((name) => name.replace(/\.$/, ""))
    .refine(
      (name) => parseHost(name).ok,
      "Enter the key's name exactly as on the name server, such as zonewright.example.com.",
    ),
  tsigAlgorithm: z.enum(tsigAlgorithms).default("hmac-sha256"),
  tsigSecret: z
    .string()
    .trim()
    .max(1024)
    .regex(secretForm, "Enter the key's secret in base64, exactly as on the name server."),
  zones: z
    .string()
    .max(10_000)
    .refine((zones) => zonesIn(zones).every((zone) => parseZoneName(zone).ok), "Enter zone names separated by commas.")
    .optional(),
  timeoutSeconds,
});

export type Rfc2136Config = z.infer<typeof configSchema>;

/** Any name server with dynamic update (RFC 2136) and zone transfer (RFC 5936), signed with TSIG (RFC 8945). */
export const rfc2136: ProviderKind<Rfc2136Config> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000003",
  kind: "rfc2136",
  name: "Name server (RFC 2136)",
  recordTypes: "any",
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  signsZones: true,
  granularity: "record",
  createsZones: false,
  configFields: [
    { name: "server", label: "Name server", secret: false, required: true },
    { name: "port", label: "Port (53)", secret: false, required: false },
    { name: "tsigName", label: "TSIG key name", secret: false, required: true },
    { name: "tsigAlgorithm", label: `TSIG algorithm (${tsigAlgorithms.join(", ")})`, secret: false, required: false },
    { name: "tsigSecret", label: "TSIG secret (base64)", secret: true, required: true },
    { name: "zones", label: "Zones, separated by commas", secret: false, required: false },
    timeoutField,
  ],
  // TSIG sends authentication codes, never the key (RFC 8945), so another server learns nothing.
  addresses: [],
  configSchema,
  connect: (
    { server, port, tsigName, tsigAlgorithm, tsigSecret, zones, timeoutSeconds },
    { now, egress, pause = realPause },
  ) =>
    nameServerProvider({
      host: server,
      port,
      key: { name: tsigName, algorithm: tsigAlgorithm, secret: Buffer.from(tsigSecret, "base64") },
      zones: zonesIn(zones ?? "").flatMap((zone) => {
        const parsed = parseZoneName(zone);
        return parsed.ok ? [parsed.value] : [];
      }),
      timeoutMilliseconds: inMilliseconds(timeoutSeconds),
      egress,
      now,
      pause,
    }),
};

function zonesIn(list: string): string[] {
  return list
    .split(",")
    .map((zone) => zone.trim())
    .filter((zone) => zone !== "");
}

interface NameServer extends NameServerSettings {
  /** The zones to list, because DNS has no list of them. */
  zones: readonly string[];
  pause: Pause;
}

/** Seconds that a signer may lag behind its zone: BIND takes several for a few thousand records. */
const signingLagSeconds = 30;

/**
 * Returns a provider for a name server with dynamic update and zone transfer. Each operation uses one TCP connection; every message
 * is signed.
 */
function nameServerProvider(server: NameServer): DnsProvider {
  return {
    signingLagSeconds,
    listZones: () => NameServerSession.use(server, (session) => listZones(session, server.zones)),
    createZone: (zone) => NameServerSession.use(server, (session) => findZone(session, zone)),
    readZone: (zone) => readZone(server, zone),
    applyChanges: (zone, changes, options = {}) =>
      NameServerSession.use(server, (session) => applyChanges(session, zone, changes, options, server)),
    readSoa: (zone) => NameServerSession.use(server, (session) => soaOf(session, zone)),
    fingerprint: (zone) => NameServerSession.use(server, (session) => serialOf(session, zone)),
  };
}

async function listZones(session: NameServerSession, zones: readonly string[]): Promise<ListedZones> {
  // Without zones, query the root: the answer shows whether the server knows the key.
  const asked = zones.length === 0 ? ["."] : zones;
  const answers = await askForSoas(session, asked);
  const found = zones.filter((_, index) => {
    const answer = answers[index];
    return answer !== undefined && holdsSoa(answer);
  });
  const [first] = answers;
  // PowerDNS also answers NOTAUTH to an unknown key.
  const refused =
    zones.length === 0
      ? first?.rcode === rcodes.NOTAUTH
      : found.length === 0 && first !== undefined && first.rcode !== rcodes.NOERROR;
  if (refused && first) throw refusal(first.rcode, asked[0] ?? "");
  return { names: found, unusable: [] };
}

async function findZone(session: NameServerSession, zone: string): Promise<void> {
  const [answer] = await askForSoas(session, [zone]);
  if (answer && holdsSoa(answer)) return;
  throw new ProviderError(
    `The name server does not serve ${zone}, and DNS has no way to add a zone: create it on the server first.`,
    "none",
    { zoneMissing: true },
  );
}

/** Holds back records of types that a signer maintains until a signature over the SOA shows that the server signs the zone. */
async function* readZone(server: NameServer, zone: string): AsyncGenerator<ReadRecord[]> {
  const session = await NameServerSession.open(server);
  try {
    // Different RDATA may be the same record; the records of an RRset are adjacent.
    let rrset = "";
    let known = new Set<string>();
    let signed = false;
    let heldBack: ReadRecord[] = [];
    for await (const message of session.transfer(zone)) {
      const batch: ReadRecord[] = [];
      for (const wire of message.answers) {
        const record = recordOf(message, wire, zone);
        if (record === null) continue;
        const key = rrsetKey(record);
        if (key !== rrset) [rrset, known] = [key, new Set()];
        const isNew = !known.has(recordKey(record));
        known.add(recordKey(record));
        if (!isNew) continue;
        signed ||= isSignatureOverSoa(record);
        if (!isServerManaged(record)) batch.push(record);
        else if (signed) batch.push({ ...record, serverManaged: true });
        else heldBack.push(record);
      }
      if (signed) {
        for (const record of heldBack) batch.push({ ...record, serverManaged: true });
        heldBack = [];
      }
      if (batch.length > 0) yield batch;
    }
    if (heldBack.length > 0) yield heldBack;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new ProviderError(`The zone sent by the name server cannot be read: ${error.message}.`, "none");
  } finally {
    session.close();
  }
}

async function applyChanges(
  session: NameServerSession,
  zone: string,
  changes: readonly RecordChange[],
  options: ApplyOptions,
  { now, pause }: NameServer,
): Promise<ApplyResult> {
  const before = await serialOf(session, zone).catch(() => null);
  const { outcomes, dropped } = await applyByUpdate(session, zone, changes, options, pause);
  const { accepted } = session.updates;
  if (accepted === 0) return { outcomes, before, after: before };
  // A signer raises the serial too and may publish other people's edits with ours, so the next check reads the zone.
  if (options.signed) return { outcomes, before, after: null, dropped };
  // The serial after our updates is the only fingerprint of what they made. If it cannot be read, the next sync sets it.
  const after = await serialOf(session, zone).catch(() => null);
  const ours = before !== null && after !== null && isRaisedAlone(Number(before), Number(after), accepted, now());
  return { outcomes, before, after: ours ? after : null, dropped };
}

/** RFC 1035 §3.3.13. */
async function soaOf(session: NameServerSession, zone: string): Promise<Soa | null> {
  const [answer] = await askForSoas(session, [zone]);
  const soa = answer?.answers.find(({ type }) => type === types.SOA);
  if (!answer || !soa) return null;
  const { octets } = answer;
  const rnameAt = skipName(octets, soa.rdataStart);
  const serialAt = skipName(octets, rnameAt);
  const [serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0] = [0, 4, 8, 12, 16].map((offset) =>
    octets.readUInt32BE(serialAt + offset),
  );
  const { written: mname } = readName(octets, soa.rdataStart);
  const { written: rname } = readName(octets, rnameAt);
  return { mname, rname, serial, refresh, retry, expire, minimum, ttl: soa.ttl };
}

async function serialOf(session: NameServerSession, zone: string): Promise<string | null> {
  const [answer] = await askForSoas(session, [zone]);
  if (!answer) return null;
  if (answer.rcode !== rcodes.NOERROR) throw refusal(answer.rcode, zone);
  const soa = answer.answers.find(({ type }) => type === types.SOA);
  if (!soa) throw refusal(9, zone);
  const serialAt = skipName(answer.octets, skipName(answer.octets, soa.rdataStart));
  return String(answer.octets.readUInt32BE(serialAt));
}

async function askForSoas(session: NameServerSession, zones: readonly string[]): Promise<WireMessage[]> {
  return await session.ask(
    zones.map((zone) => (id) => queryMessage(id, zone, "SOA")),
    "none",
  );
}

function holdsSoa({ authoritative, rcode, answers }: WireMessage): boolean {
  return authoritative && rcode === rcodes.NOERROR && answers.some(({ type }) => type === types.SOA);
}
