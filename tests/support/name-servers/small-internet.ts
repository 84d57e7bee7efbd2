import { encode, type Answer, type Packet } from "dns-packet";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { readMessage } from "../../../server/dns/wire/messages.ts";
import { readName } from "../../../server/dns/names/wire-names.ts";
import { typeName } from "../../../server/dns/zone-file/type-names.ts";
import { freePorts } from "../programs.ts";

/** Zones of one server: lines `owner type data` by zone, with absolute names. `.` is the root. */
type Zones = Record<string, readonly string[]>;

/** What a server does instead of answering. `forged`: it answers with another id and with another question. */
type Behavior = "normal" | "silent" | "refused" | "not_authoritative" | "noise" | "forged";

export interface SmallServer {
  readonly address: string;
  zones: Zones;
  behavior: Behavior;
  /** Types that it refuses to answer for. */
  refusedTypes: Set<string>;
  /** The questions it received, as `name TYPE`. */
  questions: string[];
}

export interface SmallInternet {
  /** The same for all servers. */
  readonly port: number;
  /** Starts a server at an address of loopback. */
  server(address: string, zones: Zones): Promise<SmallServer>;
  stop(): Promise<void>;
}

type Flags = { rcode?: number; authoritative?: boolean };
type Reply = Flags & Pick<Packet, "answers" | "authorities" | "additionals">;

/** Starts name servers of a private root on addresses of loopback. They answer like a simple authoritative server. */
export async function startSmallInternet(): Promise<SmallInternet> {
  const open: (Socket | Server)[] = [];
  // One that no other program takes at any address.
  const [port = 0] = await freePorts(1);
  return {
    port,
    async server(address, zones) {
      const own: SmallServer = { address, zones, behavior: "normal", refusedTypes: new Set(), questions: [] };
      const udp = createSocket("udp4");
      udp.on("message", (query, { port: to, address: from }) => {
        for (const answer of answersTo(own, query)) udp.send(answer, to, from);
      });
      udp.bind(port, address);
      const tcp = createServer((socket) => {
        socket.on("error", () => null);
        socket.on("data", (data: Buffer) => {
          for (const answer of answersTo(own, data.subarray(2))) {
            socket.write(Buffer.concat([Buffer.of(answer.length >> 8, answer.length & 255), answer]));
          }
        });
      });
      tcp.listen(port, address);
      await Promise.all([once(udp, "listening"), once(tcp, "listening")]);
      open.push(udp, tcp);
      return own;
    },
    async stop() {
      await Promise.all(open.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    },
  };
}

function answersTo(server: SmallServer, query: Buffer): Buffer[] {
  const { id } = readMessage(query);
  const { name, end } = readName(query, 12);
  const type = typeName(query.readUInt16BE(end));
  server.questions.push(`${name} ${type}`);
  const asked = { id, name, type };
  if (server.refusedTypes.has(type)) return [packet(asked, { rcode: 5 })];
  switch (server.behavior) {
    case "silent":
      return [];
    case "noise":
      return [
        Buffer.concat([
          query.subarray(0, 2),
          Buffer.from([0x84, 0, 0, 1, 0, 9, 0, 0, 0, 0]),
          query.subarray(12, end + 4),
        ]),
      ];
    case "refused":
      return [packet(asked, { rcode: 5 })];
    case "not_authoritative":
      return [packet(asked, { ...answer(server.zones, name, type), authoritative: false })];
    case "forged":
      return [
        packet({ ...asked, id: id ^ 1 }, answer(server.zones, name, type)),
        packet({ ...asked, name: `x.${name}` }, answer(server.zones, name, type)),
      ];
    default:
      return [packet(asked, answer(server.zones, name, type))];
  }
}

function packet(asked: { id: number; name: string; type: string }, reply: Reply): Buffer {
  const { rcode = 0, authoritative = false, ...sections } = reply;
  const questions = [{ name: asked.name, type: asked.type as "A", class: "IN" as const }];
  const flags = (authoritative ? 0x0400 : 0) | rcode;
  return encode({ type: "response", id: asked.id, flags, questions, ...sections });
}

function answer(zones: Zones, name: string, type: string): Reply {
  const served = Object.keys(zones).filter((zone) => isWithin(name, zone));
  const [deepest, above] = served.toSorted((one, other) => other.length - one.length);
  const zone = type === "DS" && deepest === name ? above : deepest;
  if (zone === undefined) return { rcode: 5 };
  const records = (zones[zone] ?? []).map((line) => {
    const [owner = "", recordType = "", ...data] = line.split(" ");
    return { owner, recordType, data };
  });
  const at = (owner: string, wanted: string) =>
    records.filter((record) => record.owner === owner && record.recordType === wanted).map(recordOf);
  const cut = records.find(
    ({ owner, recordType }) =>
      recordType === "NS" && owner !== zone && isWithin(name, owner) && !(type === "DS" && owner === name),
  )?.owner;
  if (cut !== undefined) {
    const authorities = at(cut, "NS");
    const servers = records.filter(({ owner, recordType }) => owner === cut && recordType === "NS");
    const additionals = servers.flatMap(({ data: [server = ""] }) => at(server, "A").concat(at(server, "AAAA")));
    return { authorities, additionals };
  }
  const aliases = at(name, "CNAME");
  const answers = aliases.length > 0 ? aliases : at(name, type);
  if (answers.length > 0) return { authoritative: true, answers };
  const exists = records.some(({ owner }) => isWithin(owner, name));
  return { authoritative: true, rcode: exists ? 0 : 3, authorities: at(zone, "SOA") };
}

function recordOf({ owner, recordType, data }: { owner: string; recordType: string; data: string[] }): Answer {
  const [first = "", second = "", third = "", fourth = ""] = data;
  const base = { name: owner, ttl: 300, class: "IN" as const };
  switch (recordType) {
    case "SOA":
      return {
        ...base,
        type: "SOA",
        data: { mname: first, rname: second, serial: Number(third), refresh: 1, retry: 1, expire: 1, minimum: 1 },
      };
    case "DS":
      return {
        ...base,
        type: "DS",
        data: {
          keyTag: Number(first),
          algorithm: Number(second),
          digestType: Number(third),
          digest: Buffer.from(fourth, "hex"),
        },
      };
    case "DNSKEY":
      return {
        ...base,
        type: "DNSKEY",
        data: { flags: Number(first), algorithm: Number(third), key: Buffer.from(fourth, "base64") },
      };
    case "TXT":
      return { ...base, type: "TXT", data };
    case "MX":
      return { ...base, type: "MX", data: { preference: Number(first), exchange: second } };
    case "SRV":
      return {
        ...base,
        type: "SRV",
        data: { priority: Number(first), weight: Number(second), port: Number(third), target: fourth },
      };
    case "CAA":
      return { ...base, type: "CAA", data: { flags: Number(first), tag: second as "issue", value: third } };
    default:
      return { ...base, type: recordType as "NS", data: first };
  }
}

function isWithin(name: string, zone: string): boolean {
  return zone === "." || name === zone || name.endsWith(`.${zone}`);
}
