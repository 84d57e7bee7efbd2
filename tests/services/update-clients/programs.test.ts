import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { narrowedToken } from "../../update-clients/narrowed.ts";
import { certificatesFor, namesIn, startServedZone, type ServedZone } from "./served-zone.ts";

/** Programs as people run them, against a zone that BIND serves. */

const zone = "clients.test";
let at: ServedZone;

beforeAll(async () => {
  at = await startServedZone(zone, { PDNS_LISTEN: "127.0.0.1:0" });
});
afterAll(() => at.stop());

const challenges = (hostPattern: string) =>
  narrowedToken(at.zw.admin, { domainIds: [at.domainId], hostPattern, recordTypes: ["TXT"] });

test("lego gets three certificates at once, each with a token for its challenge alone, also in raw mode", async () => {
  const obtained = await at.together(["", "one", "two"], async (name, challenge) => {
    const settings = {
      HTTPREQ_ENDPOINT: `${at.zw.url}/api/acme`,
      HTTPREQ_USERNAME: "any",
      HTTPREQ_PASSWORD: await challenges(challenge),
      HTTPREQ_POLLING_INTERVAL: "1",
      ...(name === `two.${zone}` ? { HTTPREQ_MODE: "RAW" } : {}),
    };
    return await at.lego("httpreq", name, settings);
  });
  expect(obtained).toEqual(certificatesFor(zone, `one.${zone}`, `two.${zone}`));
});

test("lego takes PowerDNS's API below a base path and at a port of its own for PowerDNS, and gets three certificates at once", async () => {
  const urls = new Map([[`ported.${zone}`, at.zw.powerdnsUrl ?? ""]]);
  const obtained = await at.together(["", "based", "ported"], async (name, hostPattern) => {
    const wish = { domainIds: [at.domainId], hostPattern, recordTypes: ["TXT"] };
    const key = await narrowedToken(at.zw.admin, { ...wish, permissions: ["records:read", "records:write"] });
    const url = urls.get(name) ?? `${at.zw.url}/pdns`;
    const settings = { PDNS_API_URL: url, PDNS_API_KEY: key, PDNS_POLLING_INTERVAL: "1", PDNS_TTL: "60" };
    return await at.lego("pdns", name, settings);
  });
  expect(obtained).toEqual(certificatesFor(zone, `based.${zone}`, `ported.${zone}`));
});

test("dehydrated gets three certificates at once, with a hook of one call", async () => {
  const obtained = await at.together(["", "hooked-one", "hooked-two"], async (name, challenge) => {
    const folder = join(at.folder, `dehydrated-${name}`);
    const token = await challenges(challenge);
    const hook = await at.file(
      `hook-${name}.sh`,
      `#!/bin/sh
case "$1" in deploy_challenge) verb=present ;; clean_challenge) verb=cleanup ;; *) exit 0 ;; esac
curl -sf -u any:${token} -H 'content-type: application/json' \\
  -d "{\\"fqdn\\":\\"_acme-challenge.$2\\",\\"value\\":\\"$4\\"}" ${at.zw.url}/api/acme/$verb
`,
      0o700,
    );
    const config = await at.file(
      `dehydrated-${name}.conf`,
      `CA="${at.pebble.directory}"
CURL_OPTS="--cacert ${at.pebble.authorityFile}"
CHALLENGETYPE="dns-01"
HOOK="${hook}"
BASEDIR="${folder}"
CONTACT_EMAIL="a@clients.test"
`,
    );
    await mkdir(folder, { recursive: true });
    await at.run("dehydrated", ["--config", config, "--register", "--accept-terms"]);
    await at.run("dehydrated", ["--config", config, "--cron", "--domain", `${name} *.${name}`]);
    return await namesIn(join(folder, "certs", name, "cert.pem"));
  });
  expect(obtained).toEqual(certificatesFor(zone, `hooked-one.${zone}`, `hooked-two.${zone}`));
});

describe.each([
  ["IPv4", "A", "192.0.2.9", "192.0.2.5"],
  ["IPv6", "AAAA", "2001:db8::9", "2001:db8::5"],
])("an address of %s", (_family, type, inadynAddress, ddclientAddress) => {
  test("inadyn and ddclient set an address and leave the other family's in place", async () => {
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
