import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { argumentsOn, configurationOn, settingsOn } from "../../support/pages/page-configuration.ts";
import { narrowedToken } from "../../dns-service/update-clients/narrowed.ts";
import { certificatesFor, namesIn, startServedZone, type ServedZone } from "./served-zone.ts";

/** Programs with the configurations of the guide, against a zone that BIND serves. */

const zone = "clients.test";
let at: ServedZone;

beforeAll(async () => {
  at = await startServedZone(zone, { PDNS_LISTEN: "127.0.0.1:0" });
});
afterAll(() => at.stop());

const certificates = "docs/guide/certificates.md";
const powerdnsClients = "docs/guide/powerdns-clients.md";
const addresses = "docs/guide/dynamic-addresses.md";
/** What the pages show, and a test has its own of. */
const documented = { url: "https://dns.example.com", zone: "example.com", token: "zw_pt_…" };

const challenges = (hostPattern: string) =>
  narrowedToken(at.zw.admin, { domainIds: [at.domainId], hostPattern, recordTypes: ["TXT"] });

test("lego gets three certificates at once, each with a token for its challenge alone, also in raw mode", async () => {
  const obtained = await at.together(["", "one", "two"], async (name, challenge) => {
    const values = { [documented.url]: at.zw.url, [documented.token]: await challenges(challenge) };
    const settings = await settingsOn(certificates, "HTTPREQ_ENDPOINT", values);
    if (name === `two.${zone}`) settings["HTTPREQ_MODE"] = "RAW";
    const command = await argumentsOn(certificates, "--dns httpreq", { [documented.zone]: name });
    return await at.lego(name, command, { ...settings, HTTPREQ_POLLING_INTERVAL: "1" });
  });
  expect(obtained).toEqual(certificatesFor(zone, `one.${zone}`, `two.${zone}`));
});

test("lego takes PowerDNS's API below a base path and at a port of its own for PowerDNS, and gets three certificates at once", async () => {
  const urls = new Map([[`ported.${zone}`, at.zw.powerdnsUrl ?? ""]]);
  const obtained = await at.together(["", "based", "ported"], async (name, hostPattern) => {
    const wish = { domainIds: [at.domainId], hostPattern, recordTypes: ["TXT"] };
    const key = await narrowedToken(at.zw.admin, { ...wish, permissions: ["records:read", "records:write"] });
    const url = urls.get(name) ?? `${at.zw.url}/pdns`;
    const values = { [`${documented.url}/pdns`]: url, [documented.token]: key };
    const settings = await settingsOn(powerdnsClients, "PDNS_API_URL", values);
    const command = await argumentsOn(powerdnsClients, "--dns pdns", { [documented.zone]: name });
    return await at.lego(name, command, { ...settings, PDNS_POLLING_INTERVAL: "1" });
  });
  expect(obtained).toEqual(certificatesFor(zone, `based.${zone}`, `ported.${zone}`));
});

test("dehydrated gets three certificates at once, with a hook of one call", async () => {
  const obtained = await at.together(["", "hooked-one", "hooked-two"], async (name, challenge) => {
    const folder = join(at.folder, `dehydrated-${name}`);
    const token = await challenges(challenge);
    const hook = await at.file(
      `hook-${name}.sh`,
      await configurationOn(certificates, "#!/bin/sh", { [documented.token]: token, [documented.url]: at.zw.url }),
      0o700,
    );
    const config = await at.file(
      `dehydrated-${name}.conf`,
      `${await configurationOn(certificates, "CHALLENGETYPE", { "/etc/dehydrated/zonewright.sh": hook })}
CA="${at.pebble.directory}"
CURL_OPTS="--cacert ${at.pebble.authorityFile}"
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
    const values = { "dns.example.com": new URL(at.zw.url).host, [documented.token]: token };
    const [otherType, other] = type === "A" ? ["AAAA", "2001:db8::1"] : ["A", "192.0.2.1"];
    for (const name of [inadynName, ddclientName]) {
      const record = { recordType: otherType, name, value: other };
      expect((await at.zw.admin.post(`/api/domains/${at.domainId}/records`, record)).status).toBe(201);
    }
    const inadyn = await at.file(
      "inadyn.conf",
      // The service has no TLS here; and the machine has no such address, so inadyn is given one, as the page says.
      `allow-ipv6 = true\n${await configurationOn(addresses, "custom home", {
        ...values,
        "home.example.com": inadynHost,
        "ssl         = true": "ssl         = false",
        "\n}": `\n    checkip-command = "/bin/echo ${inadynAddress}"\n}`,
      })}`,
    );
    await at.run("inadyn", ["-1", "-n", "-f", inadyn, `--cache-dir=${at.folder}`]);
    const ddclient = await at.file(
      "ddclient.conf",
      await configurationOn(addresses, "protocol=dyndns2", {
        ...values,
        "home.example.com": ddclientHost,
        "ssl=yes": "ssl=no",
        "use=if, if=eth0": `use=ip, ip=${ddclientAddress}`,
      }),
    );
    const cache = join(at.folder, "ddclient.cache");
    await at.run("ddclient", ["-daemon=0", "-file", ddclient, "-cache", cache, "-force"]);
    expect(await at.served(inadynHost, type)).toEqual([inadynAddress]);
    expect(await at.served(ddclientHost, type)).toEqual([ddclientAddress]);
    for (const name of [inadynHost, ddclientHost]) expect(await at.served(name, otherType)).toEqual([other]);
  });
});
