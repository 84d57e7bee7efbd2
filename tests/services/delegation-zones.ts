import { appendFile, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../support/binaries.ts";
import { mustRun } from "../support/programs.ts";

/** Addresses of the servers: BIND finds only 127.0.0.1. Nothing listens on the last. */
export const addresses = {
  root: "127.60.0.1",
  top: "127.60.0.2",
  bind: "127.0.0.1",
  nsd: "127.60.0.4",
  dead: "127.60.0.9",
};

/** A zone below `lab`, as its servers and the parent zone have it. Lines are relative to it. */
export interface TestZone {
  name: string;
  /** Its records without SOA, by server; null: the server does not have it. */
  bind: readonly string[] | null | "unloaded";
  nsd: readonly string[] | null;
  serials?: { bind: number; nsd: number };
  /** What the zone `lab` says of it, relative to it. */
  above: readonly string[];
  /** Signs it, and adds the DS record above: the right one, that of another key, one with another digest, or none. */
  ds?: "right" | "other key" | "other digest" | "none";
  /** What a check must find: `code name type server-or-target`. */
  faults: readonly string[];
}

const hosted = ["@ NS ns1.hosting.lab.", "@ NS ns2.hosting.lab."];
const own = ["@ NS ns1", "@ NS ns2", `ns1 A ${addresses.bind}`, `ns2 A ${addresses.nsd}`];
const content = ["@ A 192.0.2.1", "www A 192.0.2.2", "text TXT x"];

/** A healthy zone with these records. */
function plain(name: string, lines: readonly string[], servers: readonly string[] = hosted): TestZone {
  const all = [...servers, ...content, ...lines];
  return { name, bind: all, nsd: all, above: servers, faults: [] };
}

/** Healthy zones of many kinds; every thirteenth kind comes again. */
export function healthyZones(count: number): TestZone[] {
  const kinds: ((name: string, index: number) => TestZone)[] = [
    (name) => plain(name, ["alias CNAME www"]),
    (name) => plain(name, ["@ MX 10 mail", "mail A 192.0.2.3"], own),
    (name) => plain(name, ["none MX 0 .", "_no._tcp SRV 0 0 0 ."]),
    (name) => plain(name, ["a CNAME b", "b CNAME c", "c CNAME www.hosting.lab."]),
    (name) => plain(name, ["key CNAME text", "mail MX 5 www.hosting.lab."], own),
    (name) => plain(name, ["* A 192.0.2.9", "star CNAME anything", "@ MX 10 wild"]),
    (name) => plain(name, ["sub NS ns1.sub", `ns1.sub A ${addresses.dead}`, "far CNAME www.dead.lab."]),
    (name) => plain(name, ["part NS ns1.hosting.lab.", "_sip._tcp SRV 1 2 5060 www"], own),
    (name) =>
      plain(name, ["_acme-challenge CNAME gone.hosting.lab.", "deep.er.still A 192.0.2.4", "er CNAME er.still"]),
    (name) =>
      plain(name, ["six AAAA 2001:db8::1", "@ MX 10 six", "_x._udp SRV 0 0 1 six"], [...own, "@ NS ns1.hosting.lab."]),
    (name, index) => ({ ...plain(name, []), serials: { bind: index, nsd: index } }),
    (name) => plain(name, ["moved DNAME www.hosting.lab.", "upper CNAME WWW.Hosting.LAB."], own),
    (name, index) => (index % 5 === 0 ? { ...plain(name, []), ds: "right" } : plain(name, ["www2 CNAME www"], own)),
  ];
  return Array.from({ length: count }, (_, index) => {
    const make = kinds[index % kinds.length];
    if (!make) throw new Error("There is a kind for each index.");
    return make(`h${index}`, index);
  });
}

/** Zones with one planted fault each. */
export function faultyZones(): TestZone[] {
  const zones: Omit<TestZone, "name">[] = [
    { ...plain("", []), above: [], faults: ["not_delegated @"] },
    {
      ...plain("", [], [...hosted, "@ NS ns3.hosting.lab."]),
      above: hosted,
      faults: ["ns_missing_at_parent @ ns3.hosting.lab"],
    },
    { ...plain("", []), above: [...hosted, "@ NS ns3.hosting.lab."], faults: ["ns_extra_at_parent @ ns3.hosting.lab"] },
    {
      ...plain("", [], ["@ NS ns1.hosting.lab."]),
      above: ["@ NS ns2.hosting.lab."],
      faults: ["ns_extra_at_parent @ ns2.hosting.lab", "ns_missing_at_parent @ ns1.hosting.lab"],
    },
    { ...plain("", [], own), above: own.filter((line) => !line.startsWith("ns2 ")), faults: ["glue_missing @ ns2"] },
    { ...plain("", [], own), above: withGlue(`ns2 A ${addresses.dead}`), faults: ["glue_wrong @ ns2"] },
    {
      ...plain("", [], own),
      above: [...own, `ns2 A ${addresses.dead}`],
      faults: ["glue_wrong @ ns2"],
    },
    { ...plain("", []), bind: null, faults: ["lame @ ns1.hosting.lab"] },
    { ...plain("", []), nsd: null, faults: ["lame @ ns2.hosting.lab"] },
    { ...plain("", []), bind: "unloaded", faults: ["lame @ ns1.hosting.lab"] },
    { ...plain("", [], [...hosted, "@ NS dead.hosting.lab."]), faults: ["unreachable @ dead.hosting.lab"] },
    {
      ...plain("", []),
      above: [...hosted, "@ NS nowhere.hosting.lab."],
      faults: ["ns_extra_at_parent @ nowhere.hosting.lab", "unreachable @ nowhere.hosting.lab"],
    },
    { ...plain("", []), serials: { bind: 8, nsd: 7 }, faults: ["serial_differs @ ns2.hosting.lab"] },
    { ...plain("", []), serials: { bind: 7, nsd: 8 }, faults: ["serial_differs @ ns1.hosting.lab"] },
    { ...plain("", []), serials: { bind: 4_294_967_290, nsd: 3 }, faults: ["serial_differs @ ns1.hosting.lab"] },
    { ...plain("", []), above: [...hosted, `@ DS 4711 13 2 ${"0f".repeat(32)}`], faults: ["ds_without_dnskey @"] },
    { ...plain("", []), ds: "other key", faults: ["ds_without_dnskey @"] },
    { ...plain("", []), ds: "other digest", faults: ["ds_without_dnskey @"] },
    { ...plain("", []), ds: "none", faults: ["dnskey_without_ds @"] },
    { ...plain("", ["a CNAME gone"]), faults: ["dangling a CNAME gone"] },
    { ...plain("", ["a CNAME gone.hosting.lab."]), faults: ["dangling a CNAME gone.hosting.lab."] },
    { ...plain("", ["a CNAME www.unregistered.lab."], own), faults: ["dangling a CNAME www.unregistered.lab."] },
    { ...plain("", ["a CNAME www.example.nonexistent."]), faults: ["dangling a CNAME www.example.nonexistent."] },
    { ...plain("", ["a CNAME b.hosting.lab."]), faults: ["dangling a CNAME b.hosting.lab."] },
    { ...plain("", ["@ MX 10 gone"]), faults: ["dangling @ MX gone"] },
    { ...plain("", ["@ MX 10 text"], own), faults: ["dangling @ MX text"] },
    { ...plain("", ["@ MX 10 b.hosting.lab."]), faults: ["dangling @ MX b.hosting.lab."] },
    { ...plain("", ["sub NS gone.hosting.lab."]), faults: ["dangling sub NS gone.hosting.lab."] },
    { ...plain("", ["_sip._tcp SRV 1 2 5060 gone"], own), faults: ["dangling _sip._tcp SRV gone"] },
    {
      ...plain("", ["_sip._tcp SRV 1 2 5060 text.hosting.lab."]),
      faults: ["dangling _sip._tcp SRV text.hosting.lab."],
    },
    { ...plain("", ["* CNAME gone.hosting.lab."]), faults: ["dangling * CNAME gone.hosting.lab."] },
    {
      ...plain("", [], [...hosted, "@ NS nowhere.hosting.lab."]),
      faults: ["dangling @ NS nowhere.hosting.lab."],
    },
  ];
  return zones.map((zone, index) => Object.assign(zone, { name: `f${index}` }));
}

function withGlue(line: string): string[] {
  const [owner] = line.split(" ");
  return own.map((other) => (other.startsWith(`${owner} `) ? line : other));
}

const hosting: TestZone = plain("hosting", [
  `ns1 A ${addresses.bind}`,
  `ns2 A ${addresses.nsd}`,
  `ns3 A ${addresses.nsd}`,
  `dead A ${addresses.dead}`,
  "b CNAME gone",
]);

const soa = (zone: string, serial: number) =>
  `$ORIGIN ${zone}.\n$TTL 300\n@ SOA ns1.hosting.lab. hostmaster ${serial} 1 1 1 1\n`;

/** Master files of all servers. */
export interface MasterFiles {
  root: Map<string, string>;
  top: Map<string, string>;
  bind: Map<string, string>;
  nsd: Map<string, string>;
  unloaded: string[];
}

/** Writes the master files of `lab`, the root and these zones; signs where that is asked for. */
export async function masterFiles(zones: readonly TestZone[]): Promise<MasterFiles> {
  const glue = [`ns1.hosting A ${addresses.bind}`, `ns2.hosting A ${addresses.nsd}`];
  const above = [
    "@ NS a.servers",
    `a.servers A ${addresses.top}`,
    "hosting NS ns1.hosting",
    "hosting NS ns2.hosting",
    ...glue,
  ];
  above.push("dead NS ns.dead", `ns.dead A ${addresses.dead}`);
  const files: MasterFiles = {
    root: new Map([
      [
        ".",
        `$TTL 300\n. SOA a.root. h. 1 1 1 1 1\n. NS a.root.\na.root. A ${addresses.root}\nlab. NS a.servers.lab.\na.servers.lab. A ${addresses.top}\n`,
      ],
    ]),
    top: new Map(),
    bind: new Map(),
    nsd: new Map(),
    unloaded: [],
  };
  for (const zone of [hosting, ...zones]) {
    const full = `${zone.name}.lab`;
    const { bind = 1, nsd = 1 } = zone.serials ?? {};
    const text = (lines: readonly string[], serial: number) => `${soa(full, serial)}${lines.join("\n")}\n`;
    const signed = zone.ds === undefined ? null : await sign(full, text(zone.nsd ?? [], nsd));
    if (zone.bind === "unloaded") files.unloaded.push(full);
    else if (zone.bind) files.bind.set(full, signed?.text ?? text(zone.bind, bind));
    if (zone.nsd) files.nsd.set(full, signed?.text ?? text(zone.nsd, nsd));
    if (zone === hosting) continue;
    above.push(...zone.above.map((line) => belowTop(line, zone.name)));
    if (signed && zone.ds !== "none") above.push(`${zone.name} DS ${damaged(signed.ds, zone.ds)}`);
  }
  files.top.set("lab", `${soa("lab", 1)}${above.join("\n")}\n`);
  return files;
}

/** Rewrites a line relative to a zone as one relative to `lab`. */
function belowTop(line: string, zone: string): string {
  const [owner = "", type = "", ...data] = line.split(" ");
  const name = owner === "@" ? zone : `${owner}.${zone}`;
  const value = type === "NS" && !line.endsWith(".") ? `${data.join(" ")}.${zone}` : data.join(" ");
  return `${name} ${type} ${value}`;
}

function damaged(ds: string, how: TestZone["ds"]): string {
  const [tag = "", algorithm = "", digestType = "", digest = ""] = ds.split(" ");
  if (how === "other key") return [(Number(tag) + 1) % 65_536, algorithm, digestType, digest].join(" ");
  if (how === "other digest") return [tag, algorithm, digestType, "ab".repeat(32)].join(" ");
  return ds;
}

async function sign(zone: string, text: string): Promise<{ text: string; ds: string }> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-signed-"));
  try {
    const file = join(folder, "zone");
    await writeFile(file, text);
    await mustRun(binary("dnssec-keygen"), ["-q", "-K", folder, "-a", "ECDSAP256SHA256", "-f", "KSK", zone]);
    const key = (await readdir(folder)).find((name) => name.endsWith(".key")) ?? "";
    await appendFile(file, await readFile(join(folder, key), "utf8"));
    await mustRun(binary("dnssec-signzone"), [
      "-q",
      "-z",
      "-K",
      folder,
      "-d",
      folder,
      "-o",
      zone,
      "-f",
      `${file}.signed`,
      file,
    ]);
    const ds = await mustRun(binary("dnssec-dsfromkey"), ["-2", join(folder, key)]);
    return { text: await readFile(`${file}.signed`, "utf8"), ds: ds.trim().split(" DS ")[1] ?? "" };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
