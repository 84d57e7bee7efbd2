import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TsigKey } from "../../../server/dns/wire/tsig.ts";
import { newKey } from "../../dns-service/updates/key-clients.ts";
import { certificatesFor, namesIn, startServedZone, type ServedZone } from "./served-zone.ts";

/** ACME clients that update by RFC 2136, configured as docs/guide/certificates.md shows, against a zone that BIND serves. */

const zone = "updated.test";
let at: ServedZone;

beforeAll(async () => {
  at = await startServedZone(zone, { DNS_LISTEN: "127.0.0.1:0", DNS_ANSWER_SOA: "on" });
});
afterAll(() => at.stop());

/** A key for nothing but the challenges of one name. */
async function challengeKey(hostPattern: string): Promise<{ key: TsigKey; port: number; secret: string }> {
  const limits = { access: "update", hostPattern, recordTypes: ["TXT"] } as const;
  const { tsig: key } = await newKey(at.zw.admin, at.domainId, limits);
  return { key, port: at.zw.services.dnsService.ports[0] ?? 0, secret: key.secret.toString("base64") };
}

test("certbot with its rfc2136 plugin gets three certificates at once, each for a name and its wildcard, and cleans up", async () => {
  const obtained = await at.together(["", "one", "two"], async (name, challenge) => {
    const { key, port, secret } = await challengeKey(challenge);
    const credentials = await at.file(
      `rfc2136-${name}.ini`,
      `dns_rfc2136_server = 127.0.0.1
dns_rfc2136_port = ${port}
dns_rfc2136_name = ${key.name}
dns_rfc2136_secret = ${secret}
dns_rfc2136_algorithm = HMAC-SHA256
`,
    );
    // It locks its folders.
    const folder = join(at.folder, `certbot-${name}`);
    const folders = ["config", "work", "logs"].flatMap((one) => [`--${one}-dir`, join(folder, one)]);
    const plugin = [
      "--dns-rfc2136",
      "--dns-rfc2136-credentials",
      credentials,
      "--dns-rfc2136-propagation-seconds",
      "1",
    ];
    const account = ["--server", at.pebble.directory, "--non-interactive", "--agree-tos", "--email", `a@${zone}`];
    const env = { REQUESTS_CA_BUNDLE: at.pebble.authorityFile };
    await at.run("certbot", ["certonly", ...account, ...folders, ...plugin, "-d", name, "-d", `*.${name}`], env);
    return await namesIn(join(folder, "config", "live", name, "cert.pem"));
  });
  expect(obtained).toEqual(certificatesFor(zone, `one.${zone}`, `two.${zone}`));
}, 90_000);

test("lego with its rfc2136 provider gets three certificates at once, each for a name and its wildcard, and cleans up", async () => {
  const obtained = await at.together(["", "one", "two"], async (name, challenge) => {
    const { key, port, secret } = await challengeKey(challenge);
    const settings = {
      RFC2136_NAMESERVER: `127.0.0.1:${port}`,
      RFC2136_TSIG_ALGORITHM: "hmac-sha256.",
      RFC2136_TSIG_KEY: key.name,
      RFC2136_TSIG_SECRET: secret,
      RFC2136_POLLING_INTERVAL: "1",
      RFC2136_SEQUENCE_INTERVAL: "1",
    };
    // It looks for its zone unsigned, at the resolver that it is given.
    return await at.lego("rfc2136", name, settings, port);
  });
  expect(obtained).toEqual(certificatesFor(zone, `one.${zone}`, `two.${zone}`));
}, 90_000);
