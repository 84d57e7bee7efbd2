import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { narrowedToken } from "../../update-clients/narrowed.ts";
import { namesIn, startServedZone, type ServedZone } from "./served-zone.ts";

/** Programs as people run them, against a zone that BIND serves. */

const zone = "clients.test";
let at: ServedZone;

beforeAll(async () => {
  at = await startServedZone(zone, { PDNS_LISTEN: "127.0.0.1:0" });
});
afterAll(() => at.stop());

const challenges = (hostPattern: string) =>
  narrowedToken(at.zw.admin, { domainIds: [at.domainId], hostPattern, recordTypes: ["TXT"] });

async function lego(host: string, mode: Record<string, string> = {}): Promise<string[]> {
  const settings = {
    HTTPREQ_ENDPOINT: `${at.zw.url}/api/acme`,
    HTTPREQ_USERNAME: "any",
    HTTPREQ_PASSWORD: await challenges(host === "" ? "_acme-challenge" : `_acme-challenge.${host}`),
    HTTPREQ_POLLING_INTERVAL: "1",
    ...mode,
  };
  return await at.lego("httpreq", host === "" ? zone : `${host}.${zone}`, settings);
}

test("lego gets a certificate for a domain and its wildcard with a token for that challenge alone, and cleans up", async () => {
  expect(await lego("")).toEqual([`*.${zone}`, zone]);
  expect(await at.served(`_acme-challenge.${zone}`, "TXT")).toEqual([]);
});

test("three clients get certificates at the same time, also in lego's raw mode", async () => {
  const made = await Promise.all([lego("one"), lego("two", { HTTPREQ_MODE: "RAW" }), lego("three")]);
  expect(made).toEqual(["one", "two", "three"].map((host) => [`*.${host}.${zone}`, `${host}.${zone}`]));
  for (const host of ["one", "two", "three"])
    expect(await at.served(`_acme-challenge.${host}.${zone}`, "TXT")).toEqual([]);
});

test.each([
  ["below a base path", () => `${at.zw.url}/pdns`, ""],
  ["at a port of its own", () => at.zw.powerdnsUrl ?? "", "ported"],
])("lego takes PowerDNS's API %s for PowerDNS, with a token for that challenge alone", async (_where, url, host) => {
  const [hostPattern, name] = host === "" ? ["_acme-challenge", zone] : [`_acme-challenge.${host}`, `${host}.${zone}`];
  const wish = { domainIds: [at.domainId], hostPattern, recordTypes: ["TXT"] };
  const key = await narrowedToken(at.zw.admin, { ...wish, permissions: ["records:read", "records:write"] });
  const settings = { PDNS_API_URL: url(), PDNS_API_KEY: key, PDNS_POLLING_INTERVAL: "1", PDNS_TTL: "60" };
  expect(await at.lego("pdns", name, settings)).toEqual([`*.${name}`, name]);
  expect(await at.served(`_acme-challenge.${name}`, "TXT")).toEqual([]);
});

test("dehydrated gets a certificate with a hook of one call", async () => {
  const token = await challenges("_acme-challenge.hooked");
  const hook = await at.file(
    "hook.sh",
    `#!/bin/sh
case "$1" in deploy_challenge) verb=present ;; clean_challenge) verb=cleanup ;; *) exit 0 ;; esac
curl -sf -u any:${token} -H 'content-type: application/json' \\
  -d "{\\"fqdn\\":\\"_acme-challenge.$2\\",\\"value\\":\\"$4\\"}" ${at.zw.url}/api/acme/$verb
`,
    0o700,
  );
  const config = await at.file(
    "dehydrated.conf",
    `CA="${at.pebble.directory}"
CURL_OPTS="--cacert ${at.pebble.authorityFile}"
CHALLENGETYPE="dns-01"
HOOK="${hook}"
BASEDIR="${join(at.folder, "dehydrated")}"
CONTACT_EMAIL="a@clients.test"
`,
  );
  await mkdir(join(at.folder, "dehydrated"), { recursive: true });
  await at.run("dehydrated", ["--config", config, "--register", "--accept-terms"]);
  const name = `hooked.${zone}`;
  await at.run("dehydrated", ["--config", config, "--cron", "--domain", `${name} *.${name}`]);
  const certificate = join(at.folder, "dehydrated", "certs", name, "cert.pem");
  expect(await namesIn(certificate)).toEqual([`*.${name}`, name]);
  expect(await readFile(certificate, "utf8")).toContain("BEGIN CERTIFICATE");
  expect(await at.served(`_acme-challenge.${name}`, "TXT")).toEqual([]);
});

describe.each([
  ["IPv4", "A", "192.0.2.9", "192.0.2.5"],
  ["IPv6", "AAAA", "2001:db8::9", "2001:db8::5"],
])("an address of %s", (_family, type, inadynAddress, ddclientAddress) => {
  test("is set by inadyn and by ddclient, and the host's other address stays", async () => {
    const [inadynName, ddclientName] = ["inadyn", "ddclient"].map((program) => `${program}-${type.toLowerCase()}`);
    const [inadynHost, ddclientHost] = [`${inadynName}.${zone}`, `${ddclientName}.${zone}`];
    const token = await narrowedToken(at.zw.admin, { domainIds: [at.domainId], recordTypes: ["A", "AAAA"] });
    const { host } = new URL(at.zw.url);
    const [otherType, other] = type === "A" ? ["AAAA", "2001:db8::1"] : ["A", "192.0.2.1"];
    for (const name of [inadynName, ddclientName]) {
      const record = { recordType: otherType, name, value: other };
      expect((await at.zw.admin.post(`/api/domains/${at.domainId}/records`, record)).status).toBe(201);
    }
    const inadyn = await at.file(
      "inadyn.conf",
      `allow-ipv6 = true
custom home {
    ssl             = false
    hostname        = "${inadynHost}"
    username        = "any"
    password        = "${token}"
    ddns-server     = "${host}"
    ddns-path       = "/nic/update?hostname=%h&myip=%i"
    checkip-command = "/bin/echo ${inadynAddress}"
}
`,
    );
    await at.run("inadyn", ["-1", "-n", "-f", inadyn, `--cache-dir=${at.folder}`]);
    const ddclient = await at.file(
      "ddclient.conf",
      `ssl=no
protocol=dyndns2
use=ip, ip=${ddclientAddress}
server=${host}
login=any
password='${token}'
${ddclientHost}
`,
    );
    const cache = join(at.folder, "ddclient.cache");
    await at.run("ddclient", ["-daemon=0", "-file", ddclient, "-cache", cache, "-force"]);
    expect(await at.served(inadynHost, type)).toEqual([inadynAddress]);
    expect(await at.served(ddclientHost, type)).toEqual([ddclientAddress]);
    for (const name of [inadynHost, ddclientHost]) expect(await at.served(name, otherType)).toEqual([other]);
  });
});
