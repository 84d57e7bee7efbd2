import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { knownKind } from "../../../server/dns-providers/kinds.ts";
import { createEgress } from "../../../server/platform/net/egress.ts";
import { startBind } from "../../support/name-servers/bind.ts";
import { startPowerdns, type PowerdnsServer } from "../../support/name-servers/powerdns-api.ts";
import type { Secondary } from "../../support/name-servers/secondary.ts";
import { startNsdSecondary } from "../../support/name-servers/secondary-nsd.ts";
import type { UpdateServer } from "../../support/name-servers/update-server.ts";
import { freePorts } from "../../support/programs.ts";
import { asPresented, recordLines, type PresentedRecord } from "../../support/records/presentation.ts";
import type { RestClient } from "../../support/rest-client.ts";
import { migratedDatabase } from "../../support/servers/postgres.ts";
import { startService } from "../../support/service-process.ts";
import { startCloudflare, type CloudflareServer } from "../../support/vendors/cloudflare/server.ts";
import { startRoute53, type Route53Server } from "../../support/vendors/route53/server.ts";
import { startFaultyProxy, type FaultyProxy } from "../failure/faulty-proxy.ts";
import { powerdnsWire } from "../failure/wire-requests.ts";

export const zone = "mirrored.test";

/** The service as a process, and every place that serves the zone. */
export interface Places {
  bind: UpdateServer;
  powerdns: PowerdnsServer;
  /** Between Zonewright and PowerDNS. */
  proxy: FaultyProxy;
  cloudflare: CloudflareServer;
  route53: Route53Server;
  /** The zone's id at Route 53. */
  hostedZone: string;
  nsd: Secondary;
  /** The zone file in the mirror's folder. */
  file: string;
  /** The administrator at the process that runs now. */
  admin: RestClient;
  /** Ids of the provider configurations by place; `main` is BIND's. */
  configs: Record<string, string>;
  /** Has the process notify the secondaries that are behind, which it does once a minute by itself. */
  runJobs(): void;
  /** Kills the process, and starts it again. */
  kill(): Promise<void>;
  /** The zone's records at each place, as lines without the apex NS records. */
  served(): Promise<Record<string, string[]>>;
  stop(): Promise<void>;
}

export async function startPlaces(): Promise<Places> {
  const dataDir = await mkdtemp(join(tmpdir(), "zonewright-mirrors-"));
  const [bind, powerdns, cloudflare, route53] = await Promise.all([
    startBind([zone]),
    startPowerdns(),
    startCloudflare(),
    startRoute53(),
  ]);
  const proxy = await startFaultyProxy(Number(new URL(powerdns.url).port), powerdnsWire);
  const [dnsPort = 0] = await freePorts(1);
  const nsd = await startNsdSecondary({ primaryPort: dnsPort, key: null, zones: [zone] });
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: await migratedDatabase("zonewright_mirrors"),
    EGRESS_ALLOW: "127.0.0.1",
    DNS_LISTEN: `127.0.0.1:${dnsPort}`,
  };
  const start = () => startService(env, ["secondaries.notify"]);
  let service = await start();
  const kinds = kindsOf({ bind, powerdns, proxy, cloudflare, route53, nsd });
  const admin = await service.signIn();
  const configs: Record<string, string> = {};
  for (const [name, [kind, config]] of Object.entries(kinds)) {
    const { body } = await admin.post("/api/provider-configs", { kind, name, config });
    configs[name] = body.id;
  }
  cloudflare.addZone(zone, "enterprise");
  const hostedZone = route53.addZone(zone);
  const egress = createEgress({ allow: ["127.0.0.1"], now: () => new Date() });
  /** As Zonewright's own adapter reads it. */
  const read = async (name: string) => {
    const [kind = "", config] = kinds[name] ?? [];
    const environment = { zonesFolder: join(dataDir, "zones"), now: () => new Date(), egress };
    const records = [];
    for await (const batch of knownKind(kind).connect?.(config, environment).readZone(zone) ?? [])
      records.push(...batch);
    return lines(asPresented(zone, records));
  };
  const places: Places = {
    bind,
    powerdns,
    proxy,
    cloudflare,
    route53,
    hostedZone,
    nsd,
    file: join(dataDir, "zones", "mirrored", `${zone}.zone`),
    admin,
    configs,
    runJobs: () => service.runJobs(),
    async kill() {
      await service.stop("SIGKILL");
      service = await start();
      places.admin = await service.signIn();
    },
    served: async () => ({
      bind: lines(await bind.transfer(zone)),
      powerdns: lines(await powerdns.transfer(zone)),
      nsd: lines(await nsd.served(zone)),
      files: await read("files"),
      cloudflare: await read("cloudflare"),
      route53: await read("route53"),
    }),
    async stop() {
      await service.stop("SIGKILL");
      await egress.close();
      await proxy.stop();
      await Promise.all([bind, powerdns, cloudflare, route53].map((server) => server.stop()));
      await nsd.remove();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return places;
}

function kindsOf({
  bind,
  proxy,
  powerdns,
  cloudflare,
  route53,
  nsd,
}: Pick<Places, "bind" | "proxy" | "powerdns" | "cloudflare" | "route53" | "nsd">): Record<
  string,
  [kind: string, config: object]
> {
  const { token: apiToken, accountId, url: cloud } = cloudflare;
  const { accessKeyId, secretAccessKey, url: endpoint } = route53;
  return {
    main: ["rfc2136", bind.config],
    powerdns: ["powerdns", { url: `http://127.0.0.1:${proxy.port}`, apiKey: powerdns.apiKey }],
    files: ["zonefile", { folder: "mirrored" }],
    cloudflare: ["cloudflare", { apiToken, accountId, endpoint: cloud }],
    secondaries: [
      "primary",
      { nameServers: "ns1.example.net", contact: "dns@example.net", notify: `127.0.0.1:${nsd.port}` },
    ],
    route53: ["route53", { accessKeyId, secretAccessKey, endpoint }],
  };
}

/** Lines that compare as a set. Each provider has apex NS records of its own. */
export function lines(presented: readonly PresentedRecord[]): string[] {
  return recordLines(presented).filter((line) => !line.startsWith(`${zone}. `) || !/ NS /.test(line));
}
