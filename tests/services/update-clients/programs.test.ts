import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binary } from "../../support/binaries.ts";
import { startBind } from "../../support/name-servers/bind.ts";
import type { UpdateServer } from "../../support/name-servers/update-server.ts";
import { mustRun } from "../../support/programs.ts";
import { startPebble, type Pebble } from "../../support/servers/pebble.ts";
import { startZonewright, type Zonewright } from "../../support/zonewright.ts";
import { narrowedToken } from "../../update-clients/narrowed.ts";

/** Programs as people run them, against zones that BIND serves. */

const runFile = promisify(execFile);
const zone = "clients.test";
let zw: Zonewright & { stop(): Promise<void> };
let bind: UpdateServer;
let pebble: Pebble;
let domainId: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "zonewright-clients-"));
  bind = await startBind([zone]);
  pebble = await startPebble(bind.port);
  zw = await startZonewright({ env: { EGRESS_ALLOW: "127.0.0.1", PDNS_LISTEN: "127.0.0.1:0" } });
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

const served = async (name: string, type: string) => (await bind.lookUp(name, type)).map(({ rdata }) => rdata);
const file = async (name: string, text: string, mode = 0o600): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text, { mode });
  return path;
};
const challenges = (hostPattern: string) =>
  narrowedToken(zw.admin, { domainIds: [domainId], hostPattern, recordTypes: ["TXT"] });

/** The names in a certificate. */
async function namesIn(certificate: string): Promise<string[]> {
  const text = await mustRun("openssl", ["x509", "-in", certificate, "-noout", "-ext", "subjectAltName"]);
  return [...text.matchAll(/DNS:([^\s,]+)/g)].map(([, name = ""]) => name).toSorted();
}

async function lego(host: string, mode: Record<string, string> = {}): Promise<string[]> {
  const settings = {
    HTTPREQ_ENDPOINT: `${zw.url}/api/acme`,
    HTTPREQ_USERNAME: "any",
    HTTPREQ_PASSWORD: await challenges(host === "" ? "_acme-challenge" : `_acme-challenge.${host}`),
    HTTPREQ_POLLING_INTERVAL: "1",
    ...mode,
  };
  return await runLego("httpreq", host, settings);
}

async function runLego(provider: string, host: string, settings: Record<string, string>): Promise<string[]> {
  const name = host === "" ? zone : `${host}.${zone}`;
  const where = join(folder, `lego-${provider}-${host}`);
  const env = { PATH: process.env["PATH"], LEGO_CA_CERTIFICATES: pebble.authorityFile, ...settings };
  const domains = ["-d", name, "-d", `*.${name}`];
  const resolver = ["--dns.resolvers", `127.0.0.1:${bind.port}`, "--dns.disable-cp"];
  const options = ["--server", pebble.directory, "--path", where, "-a", "--email", "a@clients.test"];
  await runFile(binary("lego"), [...options, ...domains, "--dns", provider, ...resolver, "run"], { env });
  return await namesIn(join(where, "certificates", `${name}.crt`));
}

test("lego gets a certificate for a domain and its wildcard with a token for that challenge alone, and cleans up", async () => {
  expect(await lego("")).toEqual([`*.${zone}`, zone]);
  expect(await served(`_acme-challenge.${zone}`, "TXT")).toEqual([]);
});

test("three clients get certificates at the same time, also in lego's raw mode", async () => {
  const made = await Promise.all([lego("one"), lego("two", { HTTPREQ_MODE: "RAW" }), lego("three")]);
  expect(made).toEqual(["one", "two", "three"].map((host) => [`*.${host}.${zone}`, `${host}.${zone}`]));
  for (const host of ["one", "two", "three"])
    expect(await served(`_acme-challenge.${host}.${zone}`, "TXT")).toEqual([]);
});

test.each([
  ["below a base path", () => `${zw.url}/pdns`, ""],
  ["at a port of its own", () => zw.powerdnsUrl ?? "", "ported"],
])("lego takes PowerDNS's API %s for PowerDNS, with a token for that challenge alone", async (_where, url, host) => {
  const [hostPattern, name] = host === "" ? ["_acme-challenge", zone] : [`_acme-challenge.${host}`, `${host}.${zone}`];
  const wish = { domainIds: [domainId], hostPattern, recordTypes: ["TXT"] };
  const key = await narrowedToken(zw.admin, { ...wish, permissions: ["records:read", "records:write"] });
  const settings = { PDNS_API_URL: url(), PDNS_API_KEY: key, PDNS_POLLING_INTERVAL: "1", PDNS_TTL: "60" };
  expect(await runLego("pdns", host, settings)).toEqual([`*.${name}`, name]);
  expect(await served(`_acme-challenge.${name}`, "TXT")).toEqual([]);
});

test("dehydrated gets a certificate with a hook of one call", async () => {
  const token = await challenges("_acme-challenge.hooked");
  const hook = await file(
    "hook.sh",
    `#!/bin/sh
case "$1" in deploy_challenge) verb=present ;; clean_challenge) verb=cleanup ;; *) exit 0 ;; esac
curl -sf -u any:${token} -H 'content-type: application/json' \\
  -d "{\\"fqdn\\":\\"_acme-challenge.$2\\",\\"value\\":\\"$4\\"}" ${zw.url}/api/acme/$verb
`,
    0o700,
  );
  const config = await file(
    "dehydrated.conf",
    `CA="${pebble.directory}"
CURL_OPTS="--cacert ${pebble.authorityFile}"
CHALLENGETYPE="dns-01"
HOOK="${hook}"
BASEDIR="${join(folder, "dehydrated")}"
CONTACT_EMAIL="a@clients.test"
`,
  );
  await mustRun("mkdir", ["-p", join(folder, "dehydrated")]);
  await mustRun(binary("dehydrated"), ["--config", config, "--register", "--accept-terms"]);
  const name = `hooked.${zone}`;
  await mustRun(binary("dehydrated"), ["--config", config, "--cron", "--domain", `${name} *.${name}`]);
  const certificate = join(folder, "dehydrated", "certs", name, "cert.pem");
  expect(await namesIn(certificate)).toEqual([`*.${name}`, name]);
  expect(await readFile(certificate, "utf8")).toContain("BEGIN CERTIFICATE");
  expect(await served(`_acme-challenge.${name}`, "TXT")).toEqual([]);
});

test("inadyn and ddclient set the address of their host", async () => {
  const [inadynHost, ddclientHost] = ["inadyn", "ddclient"].map((host) => `${host}.${zone}`);
  const token = await narrowedToken(zw.admin, { domainIds: [domainId], recordTypes: ["A", "AAAA"] });
  const { host } = new URL(zw.url);
  const inadyn = await file(
    "inadyn.conf",
    `custom home {
    ssl             = false
    hostname        = "${inadynHost}"
    username        = "any"
    password        = "${token}"
    ddns-server     = "${host}"
    ddns-path       = "/nic/update?hostname=%h&myip=%i"
    checkip-command = "/bin/echo 192.0.2.9"
}
`,
  );
  await mustRun(binary("inadyn"), ["-1", "-n", "-f", inadyn, `--cache-dir=${folder}`]);
  expect(await served(inadynHost ?? "", "A")).toEqual(["192.0.2.9"]);
  const ddclient = await file(
    "ddclient.conf",
    `ssl=no
protocol=dyndns2
server=${host}
login=any
password='${token}'
use=ip, ip=192.0.2.5
${ddclientHost}
`,
  );
  const cache = join(folder, "ddclient.cache");
  await runFile(binary("ddclient"), ["-daemon=0", "-file", ddclient, "-cache", cache, "-force"], { timeout: 30_000 });
  expect(await served(ddclientHost ?? "", "A")).toEqual(["192.0.2.5"]);
});
