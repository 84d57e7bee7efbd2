import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newKey } from "../../dns-service/updates/key-clients.ts";
import { argumentsOn, configurationOn, settingsOn } from "../../support/pages/page-configuration.ts";
import { certificatesFor, namesIn, startServedZone, type ServedZone } from "./served-zone.ts";

/** ACME clients that update by RFC 2136, configured as docs/guide/certificates.md shows, against a zone that BIND serves. */

const zone = "updated.test";
let at: ServedZone;

beforeAll(async () => {
  at = await startServedZone(zone, { DNS_LISTEN: "127.0.0.1:0", DNS_ANSWER_SOA: "on" });
});
afterAll(() => at.stop());

const certificates = "docs/guide/certificates.md";

/** A key for nothing but the challenges of one name, in place of the page's. */
async function challengeKey(hostPattern: string): Promise<Record<string, string>> {
  const limits = { access: "update", hostPattern, recordTypes: ["TXT"] } as const;
  const { tsig: key } = await newKey(at.zw.admin, at.domainId, limits);
  return {
    "zw-q7m2xk4cha5de": key.name,
    "Zx3l0vVZ0m7Ck1Jp8c2q4mXyT6bWn9dRuEoHfGsKaLQ=": key.secret.toString("base64"),
  };
}

const port = () => at.zw.services.dnsService.ports[0] ?? 0;

test("certbot with its rfc2136 plugin gets three certificates at once, each for a name and its wildcard, and cleans up", async () => {
  const obtained = await at.together(["", "one", "two"], async (name, challenge) => {
    const credentials = await at.file(
      `rfc2136-${name}.ini`,
      await configurationOn(certificates, "dns_rfc2136_server", {
        ...(await challengeKey(challenge)),
        "192.0.2.10": "127.0.0.1",
        "port = 53": `port = ${port()}`,
      }),
    );
    const command = await argumentsOn(certificates, "certbot certonly", {
      "/etc/letsencrypt/rfc2136.ini": credentials,
      "example.com": name,
    });
    // It locks its folders.
    const folder = join(at.folder, `certbot-${name}`);
    const folders = ["config", "work", "logs"].flatMap((one) => [`--${one}-dir`, join(folder, one)]);
    const account = ["--server", at.pebble.directory, "--non-interactive", "--agree-tos", "--email", `a@${zone}`];
    const env = { REQUESTS_CA_BUNDLE: at.pebble.authorityFile };
    await at.run("certbot", [...command, ...account, ...folders, "--dns-rfc2136-propagation-seconds", "1"], env);
    return await namesIn(join(folder, "config", "live", name, "cert.pem"));
  });
  expect(obtained).toEqual(certificatesFor(zone, `one.${zone}`, `two.${zone}`));
});

test("lego with its rfc2136 provider gets three certificates at once, each for a name and its wildcard, and cleans up", async () => {
  const obtained = await at.together(["", "one", "two"], async (name, challenge) => {
    const server = { "192.0.2.10:53": `127.0.0.1:${port()}` };
    const values = { ...(await challengeKey(challenge)), ...server };
    const settings = await settingsOn(certificates, "RFC2136_NAMESERVER", values);
    // It looks for its zone unsigned, at the resolver that it is given.
    const command = await argumentsOn(certificates, "--dns rfc2136 ", { "example.com": name, ...server });
    const fast = { RFC2136_POLLING_INTERVAL: "1", RFC2136_SEQUENCE_INTERVAL: "1" };
    return await at.lego(name, command, { ...settings, ...fast });
  });
  expect(obtained).toEqual(certificatesFor(zone, `one.${zone}`, `two.${zone}`));
});
