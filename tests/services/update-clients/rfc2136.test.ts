import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TsigKey } from "../../../server/dns/wire/tsig.ts";
import { newKey } from "../../dns-service/updates/key-clients.ts";
import { binary } from "../../support/binaries.ts";
import { startBind } from "../../support/name-servers/bind.ts";
import type { UpdateServer } from "../../support/name-servers/update-server.ts";
import { mustRun } from "../../support/programs.ts";
import { startPebble, type Pebble } from "../../support/servers/pebble.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";

/** ACME clients that update by RFC 2136, configured as docs/guide/certificates.md shows, against a zone that BIND serves. */

const runFile = promisify(execFile);
const zone = "updated.test";
let zw: Zonewright & { stop(): Promise<void> };
let bind: UpdateServer;
let pebble: Pebble;
let folder: string;
let domainId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-rfc2136-"));
  bind = await startBind([zone]);
  pebble = await startPebble(bind.port);
  zw = await startZonewright({
    env: { EGRESS_ALLOW: "127.0.0.1", DNS_LISTEN: "127.0.0.1:0", DNS_ANSWER_SOA: "on" },
  });
  const { body: config } = await zw.admin.post("/api/provider-configs", {
    kind: "rfc2136",
    name: "BIND",
    config: bind.config,
  });
  const { body } = await zw.admin.post("/api/domains", { name: zone, providerConfigId: config.id });
  domainId = body.id;
});
afterAll(async () => {
  await zw.stop();
  await pebble.stop();
  await bind.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A key for nothing but the challenges of one name. */
async function challengeKey(hostPattern: string): Promise<{ key: TsigKey; port: number; secret: string }> {
  const { tsig: key } = await newKey(zw.admin, domainId, { access: "update", hostPattern, recordTypes: ["TXT"] });
  return { key, port: zw.services.dnsService.ports[0] ?? 0, secret: key.secret.toString("base64") };
}

/** The names in a certificate. */
async function namesIn(certificate: string): Promise<string[]> {
  const text = await mustRun("openssl", ["x509", "-in", certificate, "-noout", "-ext", "subjectAltName"]);
  return [...text.matchAll(/DNS:([^\s,]+)/g)].map(([, name = ""]) => name).toSorted();
}

const leftAt = async (name: string) => (await bind.lookUp(`_acme-challenge.${name}`, "TXT")).map(({ rdata }) => rdata);

test("certbot with its rfc2136 plugin gets a certificate for a domain and its wildcard, and cleans up", async () => {
  const { key, port, secret } = await challengeKey("_acme-challenge");
  const credentials = join(folder, "rfc2136.ini");
  await writeFile(
    credentials,
    `dns_rfc2136_server = 127.0.0.1
dns_rfc2136_port = ${port}
dns_rfc2136_name = ${key.name}
dns_rfc2136_secret = ${secret}
dns_rfc2136_algorithm = HMAC-SHA256
`,
    { mode: 0o600 },
  );
  const folders = ["config", "work", "logs"].flatMap((name) => [`--${name}-dir`, join(folder, "certbot", name)]);
  const plugin = ["--dns-rfc2136", "--dns-rfc2136-credentials", credentials, "--dns-rfc2136-propagation-seconds", "1"];
  const account = ["--server", pebble.directory, "--non-interactive", "--agree-tos", "--email", "a@updated.test"];
  const env = { PATH: process.env["PATH"], REQUESTS_CA_BUNDLE: pebble.authorityFile, HOME: folder };
  const domains = ["-d", zone, "-d", `*.${zone}`];
  await runFile(binary("certbot"), ["certonly", ...account, ...folders, ...plugin, ...domains], { env });
  const certificate = join(folder, "certbot", "config", "live", zone, "cert.pem");
  expect(await namesIn(certificate)).toEqual([`*.${zone}`, zone]);
  expect(await leftAt(zone)).toEqual([]);
}, 90_000);

test("lego with its rfc2136 provider gets a certificate for a host and its wildcard, and cleans up", async () => {
  const name = `shop.${zone}`;
  const { key, port, secret } = await challengeKey("_acme-challenge.shop");
  const env = {
    PATH: process.env["PATH"],
    LEGO_CA_CERTIFICATES: pebble.authorityFile,
    RFC2136_NAMESERVER: `127.0.0.1:${port}`,
    RFC2136_TSIG_ALGORITHM: "hmac-sha256.",
    RFC2136_TSIG_KEY: key.name,
    RFC2136_TSIG_SECRET: secret,
    RFC2136_SEQUENCE_INTERVAL: "1",
  };
  const options = ["--server", pebble.directory, "--path", join(folder, "lego"), "-a", "--email", "a@updated.test"];
  // It looks for its zone unsigned, at the resolver that it is given.
  const resolver = ["--dns.resolvers", `127.0.0.1:${port}`, "--dns.disable-cp"];
  const domains = ["-d", name, "-d", `*.${name}`];
  await runFile(binary("lego"), [...options, ...domains, "--dns", "rfc2136", ...resolver, "run"], { env });
  expect(await namesIn(join(folder, "lego", "certificates", `${name}.crt`))).toEqual([`*.${name}`, name]);
  expect(await leftAt(name)).toEqual([]);
}, 90_000);
