import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binary } from "../support/binaries.ts";
import { startNsd, type Authoritative } from "../support/name-servers/authoritative.ts";
import { freePorts, mustRun, run, startProgram } from "../support/programs.ts";

/** Addresses of the servers of a root, of `lab`, of the zones below it, and of BIND, which resolves and validates. */
export const addresses = { root: "127.61.0.1", top: "127.61.0.2", zones: "127.61.0.3", resolver: "127.0.0.1" };

/** How a zone is signed, and what the parent zone says of it. */
export interface PlantedZone {
  /** Algorithms of its keys, one key each, as dnssec-keygen names them; none: unsigned. */
  algorithms: readonly string[];
  /** Options of dnssec-signzone. */
  options?: readonly string[];
  /** Its DS records above: those of all keys by default. */
  ds?: "all" | "none" | "other digest" | "other key" | "first" | "foreign" | "all and foreign";
  /** Whether it asks for its DS records by CDS records. */
  cds?: boolean;
  /** Further lines, relative to it. */
  lines?: readonly string[];
  /** What stands in the signed zone in place of something else. */
  damage?: (signed: string) => string;
}

/** The DS record of a key that no zone has. */
export const foreign = `4711 13 2 ${"0f".repeat(32)}`;

interface Signed {
  text: string;
  ds: string[];
}

/** Returns the beginning of a master file. */
export const soa = (zone: string, ns: string) =>
  `$ORIGIN ${zone === "." ? "." : `${zone}.`}\n$TTL 300\n@ SOA ${ns} hostmaster.lab. 1 1 1 1 1\n@ NS ${ns}\n`;

/** Signs a zone with BIND's tools, with keys of its own. */
export async function sign(
  zone: string,
  text: string,
  { algorithms, options = [], cds = false }: Pick<PlantedZone, "algorithms" | "options" | "cds">,
): Promise<Signed> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-dnssec-"));
  try {
    const file = join(folder, "zone");
    const keys: string[] = [];
    for (const algorithm of algorithms) {
      const size = algorithm.startsWith("RSA") ? ["-b", "1024"] : [];
      const name = await mustRun(binary("dnssec-keygen"), [
        "-q",
        "-K",
        folder,
        "-a",
        algorithm,
        ...size,
        "-f",
        "KSK",
        zone,
      ]);
      keys.push(name.trim());
    }
    const published = await Promise.all(keys.map((key) => readFile(join(folder, `${key}.key`), "utf8")));
    const lines = await Promise.all(
      keys.map((key) => mustRun(binary("dnssec-dsfromkey"), ["-2", join(folder, `${key}.key`)])),
    );
    const ds = lines.map((line) => line.trim().split(" DS ")[1]?.toLowerCase() ?? "");
    const asked = cds ? ds.map((one) => `@ CDS ${one}`) : [];
    await writeFile(file, [text, ...published, ...asked, ""].join("\n"));
    const known = ["-q", "-z", "-P", "-K", folder, "-d", folder, "-o", zone, "-f", `${file}.signed`];
    await mustRun(binary("dnssec-signzone"), [...known, ...options, file]);
    return { text: await readFile(`${file}.signed`, "utf8"), ds };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What is above a zone, by what is planted there. */
function dsAbove(how: PlantedZone["ds"], ds: readonly string[]): string[] {
  const [first = ""] = ds;
  const [tag = "", algorithm = "", digestType = ""] = first.split(" ");
  if (how === "none") return [];
  if (how === "foreign") return [foreign];
  if (how === "all and foreign") return [...ds, foreign];
  if (how === "first") return [first];
  if (how === "other digest") return [[tag, algorithm, digestType, "ab".repeat(32)].join(" ")];
  if (how === "other key") return [[(Number(tag) + 1) % 65_536, algorithm, digestType, "ab".repeat(32)].join(" ")];
  return [...ds];
}

export interface SigningWorld {
  port: number;
  /** The DS record of the root. */
  anchor: string;
  /** The DS records of a zone, by BIND's tools. */
  ds(zone: string): readonly string[];
  /** What delv says of a zone's SOA: its first comment. */
  delv(zone: string): Promise<string>;
  /** The status and flags of the resolver's answer to an SOA question. */
  resolve(zone: string): Promise<{ status: string; validated: boolean }>;
  stop(): Promise<void>;
}

/** Starts a signed root with `lab`, and zones by name below it; those of two labels below `lab` are delegated by the one above them. */
export async function startSigningWorld(zones: Readonly<Record<string, PlantedZone>>): Promise<SigningWorld> {
  const [port = 0] = await freePorts(1);
  const files = new Map<string, string>();
  const above = new Map<string, string[]>();
  const digests = new Map<string, string[]>();
  const names = Object.keys(zones).toSorted((one, other) => other.split(".").length - one.split(".").length);
  for (const name of names) {
    const planted = zones[name] ?? { algorithms: [] };
    const parent = names.find((other) => other !== name && name.endsWith(`.${other}`)) ?? "lab";
    const text = `${soa(name, "ns.hosting.lab.")}${[...(planted.lines ?? []), ...(above.get(name) ?? [])].join("\n")}\nwww A 192.0.2.1\n`;
    const signed = planted.algorithms.length === 0 ? { text, ds: [] } : await sign(name, text, planted);
    digests.set(name, signed.ds);
    files.set(name, planted.damage ? planted.damage(signed.text) : signed.text);
    const lines = [`${name}. NS ns.hosting.lab.`, ...dsAbove(planted.ds, signed.ds).map((ds) => `${name}. DS ${ds}`)];
    above.set(parent, [...(above.get(parent) ?? []), ...lines]);
  }
  const glue = `a.servers A ${addresses.top}\nns.hosting A ${addresses.zones}\n`;
  const lab = await sign("lab", `${soa("lab", "a.servers.lab.")}${glue}${above.get("lab")?.join("\n")}\n`, {
    algorithms: ["ECDSAP256SHA256"],
  });
  const delegated = lab.ds.map((ds) => `lab. DS ${ds}\n`).join("");
  const rootText = `${soa(".", "a.root.")}a.root. A ${addresses.root}\nlab. NS a.servers.lab.\na.servers.lab. A ${addresses.top}\n${delegated}`;
  const root = await sign(".", rootText, { algorithms: ["RSASHA256"] });
  const servers: Authoritative[] = [
    await startNsd({ address: addresses.root, port, zones: new Map([[".", root.text]]) }),
    await startNsd({ address: addresses.top, port, zones: new Map([["lab", lab.text]]) }),
    await startNsd({ address: addresses.zones, port, zones: files }),
  ];
  const [anchor = ""] = root.ds;
  const resolver = await startResolver(port, anchor);
  return {
    port,
    anchor,
    ds: (zone) => digests.get(zone) ?? [],
    async delv(zone) {
      const query = ["-a", resolver.anchors, "+root=.", `@${addresses.resolver}`, "-p", String(port)];
      const { stdout, stderr } = await run(binary("delv"), [...query, `${zone}.`, "SOA"]);
      return /^; (.+)$/m.exec(stdout)?.[1] ?? /resolution failed: (.+)$/m.exec(stdout + stderr)?.[1] ?? stdout + stderr;
    },
    resolve: (zone) => resolver.resolve(zone),
    async stop() {
      await resolver.stop();
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** Starts BIND as a validating resolver. Its port is that of the servers that it asks, too. */
export async function startResolver(port: number, anchor: string) {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-resolver-"));
  const [tag, algorithm, digestType, digest] = anchor.split(" ");
  const anchors = `trust-anchors { . static-ds ${tag} ${algorithm} ${digestType} "${digest}"; };\n`;
  await writeFile(join(folder, "anchors"), anchors);
  await writeFile(join(folder, "hints"), `. 300 NS a.root.\na.root. 300 A ${addresses.root}\n`);
  await writeFile(
    join(folder, "named.conf"),
    `options {
  directory "${folder}";
  pid-file none;
  session-keyfile none;
  port ${port};
  listen-on { ${addresses.resolver}; };
  listen-on-v6 { none; };
  recursion yes;
  dnssec-validation yes;
  empty-zones-enable no;
  max-ncache-ttl 1;
  max-cache-ttl 1;
};
controls { };
zone "." { type hint; file "hints"; };
${anchors}`,
  );
  const args = ["-g", "-n", "1", "-4", "-c", join(folder, "named.conf")];
  const server = await startProgram(binary("named"), args, / running$/m);
  return {
    anchors: join(folder, "anchors"),
    resolve: (zone: string) => resolved(zone, port),
    async stop() {
      await server.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the status and flags of a resolver's answer to an SOA question. */
async function resolved(zone: string, port: number): Promise<{ status: string; validated: boolean }> {
  const query = [`@${addresses.resolver}`, "-p", String(port), "+dnssec", "+tries=1", "+time=20"];
  const answer = await mustRun(binary("dig"), [...query, `${zone}.`, "SOA"]);
  const [, status = ""] = /status: (\w+)/.exec(answer) ?? [];
  return { status, validated: /flags:[^;]* ad[ ;]/.test(answer) };
}

/**
 * Starts Unbound as a validating resolver with a cache that lasts one second.
 * @param servers the addresses of zones, by name: by itself it asks only on port 53
 */
export async function startUnbound(anchor: string, servers: Readonly<Record<string, string>>) {
  const [port = 0] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), "zonewright-unbound-"));
  const stubs = Object.entries(servers).map(
    ([name, address]) => `stub-zone:\n  name: "${name}"\n  stub-addr: ${address}\n`,
  );
  await writeFile(
    join(folder, "unbound.conf"),
    `server:
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  verbosity: 1
  num-threads: 1
  interface: ${addresses.resolver}@${port}
  do-ip6: no
  do-not-query-localhost: no
  access-control: 127.0.0.0/8 allow
  module-config: "validator iterator"
  trust-anchor: ". DS ${anchor}"
  cache-max-ttl: 1
  cache-max-negative-ttl: 1
  val-bogus-ttl: 1
remote-control:
  control-enable: no
${stubs.join("")}`,
  );
  const args = ["-d", "-p", "-c", join(folder, "unbound.conf")];
  const server = await startProgram(binary("unbound"), args, /start of service/);
  return {
    resolve: (zone: string) => resolved(zone, port),
    async stop() {
      await server.stop("SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
