import { expect, test } from "vitest";
import { kindByName, providerKinds } from "../../server/dns-providers/kinds.ts";
import { problemOf } from "../support/problems.ts";
import { keyFile } from "../support/vendors/rrsets/gcloud.ts";
import { useZonewright } from "../support/zonewright.ts";
import type { Body } from "../support/zones.ts";

const zw = useZonewright();
const again = "Enter the secret again, because the address has changed.";

/** A configuration of each kind whose secret goes to an address, and the fields with the secret and the address. */
const kinds: [kind: string, secret: string, address: string, config: Record<string, string>][] = [
  ["powerdns", "apiKey", "url", { url: "http://192.0.2.1:8081", apiKey: "a-key-of-powerdns" }],
  ["cloudflare", "apiToken", "endpoint", { apiToken: "a-token-of-cloudflare" }],
  ["digitalocean", "token", "endpoint", { token: "a-token-of-digitalocean" }],
  ["route53", "secretAccessKey", "endpoint", { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "x".repeat(40) }],
  ["gcloud", "serviceAccountKey", "endpoint", { serviceAccountKey: keyFile("https://oauth2.googleapis.com/token") }],
  [
    "azure",
    "clientSecret",
    "endpoint",
    {
      tenantId: "11111111-2222-4333-8444-000000000001",
      clientId: "11111111-2222-4333-8444-000000000002",
      subscriptionId: "11111111-2222-4333-8444-000000000003",
      clientSecret: "a~secret.of-azure",
    },
  ],
  ["desec", "token", "endpoint", { token: "a-token-of-the-desec-account" }],
  ["gandi", "token", "endpoint", { token: "a-token-of-the-gandi-account" }],
  ["hetzner", "token", "endpoint", { token: "a-token-of-the-hetzner-project" }],
  ["ns1", "apiKey", "endpoint", { apiKey: "a-key-of-the-ns1-account" }],
  ["scaleway", "secretKey", "endpoint", { secretKey: "a-key-of-the-scaleway-project" }],
  ["alidns", "accessKeySecret", "url", { accessKeyId: "LTAI5t", accessKeySecret: "a-secret-of-alidns" }],
  ["dnspod", "secretKey", "url", { secretId: "AKID", secretKey: "a-secret-of-dnspod" }],
  ["huaweicloud", "secretKey", "endpoint", { accessKey: "HARBOURACCESSKEY", secretKey: "a-secret-of-huaweicloud" }],
  ["linode", "token", "endpoint", { token: "a-token-of-the-linode-account" }],
  ["vultr", "apiKey", "endpoint", { apiKey: "a-key-of-the-vultr-account" }],
  ["porkbun", "secretKey", "endpoint", { apiKey: "pk1_a-key-of-porkbun", secretKey: "sk1_a-key-of-porkbun" }],
  ["dnsimple", "token", "endpoint", { token: "a-token-of-the-dnsimple-account" }],
  ["bunny", "apiKey", "endpoint", { apiKey: "a-apikey-of-the-bunny-account" }],
  [
    "ovh",
    "applicationSecret",
    "endpoint",
    {
      applicationKey: "0123456789abcdef",
      applicationSecret: "a-secret-of-the-ovh-application",
      consumerKey: "a-key-of-the-ovh-consumer",
    },
  ],
  ["inwx", "password", "endpoint", { username: "harbour-master", password: "a password of inwx" }],
  ["webhook", "token", "url", { url: "http://192.0.2.1:8053", token: "a-token-of-the-adapter" }],
];

let made = 0;
async function add(kind: string, config: Record<string, unknown>): Promise<Body> {
  const { status, body } = await zw.admin.post("/api/provider-configs", { kind, name: `Config ${++made}`, config });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}
const at = (config: Body) => `/api/provider-configs/${config.id}`;

test("every kind that sends a secret to an address is covered here", () => {
  const sending = providerKinds.filter(({ configFields }) => configFields.some(({ secret }) => secret));
  // Their keys sign messages and are never sent.
  const signing = ["primary", "rfc2136"];
  expect(sending.map(({ kind }) => kind).toSorted()).toEqual([...kinds.map(([kind]) => kind), ...signing].toSorted());
  for (const [kind, , address] of kinds) expect(kindByName(kind)?.addresses).toEqual([address]);
});

test.each(kinds)("a stored secret of %s is not sent to a new address", async (...row) => {
  const [kind, secret, address, config] = row;
  const stored = await add(kind, config);
  const fields = kindByName(kind)?.configFields.filter((field) => field.secret && field.name in config) ?? [];
  for (const kept of [undefined, "", "********"]) {
    const masked = Object.fromEntries(fields.map(({ name }) => [name, kept]));
    const elsewhere = { ...stored.config, ...masked, [address]: "https://attacker.example" };
    const { issues } = problemOf(await zw.admin.put(at(stored), { config: elsewhere }), 400, "BAD_REQUEST");
    expect(issues).toEqual(fields.map(({ name }) => ({ path: ["config", name], message: again })));
  }
  const { body } = await zw.admin.get("/api/provider-configs");
  expect(body.configs).toContainEqual(stored);
  const sent = { ...stored.config, ...config, [address]: "https://other.example" };
  expect((await zw.admin.put(at(stored), { config: sent })).status).toBe(200);
  // The vendor's own address is another address as well.
  const { [address]: _, ...back } = { ...sent, [secret]: "********" };
  expect(await zw.admin.put(at(stored), { config: back })).toBeProblem(400, "BAD_REQUEST");
});

test("a secret is kept if the new address has the same origin, or none is given", async () => {
  const powerdns = await add("powerdns", { url: "http://192.0.2.1:8081", apiKey: "a-key-of-powerdns" });
  const kept = { apiKey: "", url: "http://192.0.2.1:8081/api/v1", serverId: "other" };
  expect((await zw.admin.put(at(powerdns), { config: kept })).status).toBe(200);
  const cloudflare = await add("cloudflare", { apiToken: "a-token-of-cloudflare" });
  expect((await zw.admin.put(at(cloudflare), { config: { accountId: "0".repeat(32) } })).status).toBe(200);
});

test("a TSIG key is kept when the server changes, because only authentication codes are sent", async () => {
  const key = { tsigName: "key.example.com", tsigSecret: Buffer.from("a key of a name server").toString("base64") };
  const stored = await add("rfc2136", { server: "192.0.2.1", ...key });
  const moved = { server: "192.0.2.2", tsigName: key.tsigName };
  expect((await zw.admin.put(at(stored), { config: moved })).body.config).toMatchObject({ server: "192.0.2.2" });
});
