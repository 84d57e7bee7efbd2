import { expect, test } from "vitest";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

test("the catalogue lists every provider kind with its capabilities for every signed-in user", async () => {
  const member = await zw.member("member");
  const { status, body } = await member.get("/api/providers");
  expect(status).toBe(200);
  const shared = { recordTypes: null, supportsProxied: false, minTtl: 0 };
  expect(body.providers).toEqual([
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000002",
      kind: "zonefile",
      name: "Zone files",
      ...shared,
      configFields: [
        { name: "folder", label: "Folder", secret: false, required: false },
        { name: "hostmaster", label: "Hostmaster", secret: false, required: false },
        { name: "checkNames", label: "Host name check (bind, off)", secret: false, required: false },
        { name: "maxRecordsPerType", label: "Most records per name and type (100)", secret: false, required: false },
        { name: "maxTypesPerName", label: "Most types per name (100)", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000003",
      kind: "rfc2136",
      name: "Name server (RFC 2136)",
      ...shared,
      configFields: [
        { name: "server", label: "Name server", secret: false, required: true },
        { name: "port", label: "Port (53)", secret: false, required: false },
        { name: "tsigName", label: "TSIG key name", secret: false, required: true },
        {
          name: "tsigAlgorithm",
          label: "TSIG algorithm (hmac-sha256, hmac-sha512, hmac-sha384, hmac-sha1)",
          secret: false,
          required: false,
        },
        { name: "tsigSecret", label: "TSIG secret (base64)", secret: true, required: true },
        { name: "zones", label: "Zones, separated by commas", secret: false, required: false },
        { name: "timeoutSeconds", label: "Seconds to wait for an answer (30)", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000004",
      kind: "powerdns",
      name: "PowerDNS",
      ...shared,
      configFields: [
        { name: "url", label: "API address", secret: false, required: true },
        { name: "apiKey", label: "API key", secret: true, required: true },
        { name: "serverId", label: "Server id", secret: false, required: false },
        { name: "timeoutSeconds", label: "Seconds to wait for an answer (30)", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-00000000000a",
      kind: "primary",
      name: "Secondaries (zone transfer)",
      ...shared,
      configFields: [
        { name: "nameServers", label: "Name servers, separated by commas", secret: false, required: true },
        { name: "contact", label: "Contact's mail address", secret: false, required: true },
        { name: "primaryName", label: expect.any(String), secret: false, required: false },
        { name: "notify", label: "Secondaries to notify, separated by commas", secret: false, required: false },
        { name: "allowTransfer", label: expect.any(String), secret: false, required: false },
        { name: "tsigKeys", label: expect.any(String), secret: true, required: false },
        {
          name: "signingSecondaries",
          label: "Secondaries that sign the zones, separated by commas",
          secret: false,
          required: false,
        },
        { name: "catalogZone", label: "Catalog zone", secret: false, required: false },
        { name: "refreshSeconds", label: "SOA refresh in seconds (3600)", secret: false, required: false },
        { name: "retrySeconds", label: "SOA retry in seconds (900)", secret: false, required: false },
        { name: "expireSeconds", label: "SOA expire in seconds (1209600)", secret: false, required: false },
        { name: "negativeTtlSeconds", label: "Negative TTL in seconds (300)", secret: false, required: false },
        { name: "defaultTtl", label: "TTL of SOA and NS in seconds (3600)", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000005",
      kind: "cloudflare",
      name: "Cloudflare",
      recordTypes: expect.arrayContaining(["A", "TXT", "HTTPS", "URI"]),
      supportsProxied: true,
      minTtl: 30,
      configFields: [
        { name: "apiToken", label: "API token", secret: true, required: true },
        { name: "accountId", label: "Account id", secret: false, required: false },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000006",
      kind: "route53",
      name: "Amazon Route 53",
      ...shared,
      recordTypes: expect.arrayContaining(["A", "TXT", "HTTPS"]),
      configFields: [
        { name: "accessKeyId", label: "Access key id", secret: false, required: true },
        { name: "secretAccessKey", label: "Secret access key", secret: true, required: true },
        {
          name: "hostedZoneIds",
          label: "Hosted zone ids, separated by commas (all public zones)",
          secret: false,
          required: false,
        },
        {
          name: "delegationSetId",
          label: "Delegation set of new zones (name servers that Route 53 chooses)",
          secret: false,
          required: false,
        },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000015",
      kind: "gcloud",
      name: "Google Cloud DNS",
      recordTypes: expect.arrayContaining(["A", "ALIAS", "HTTPS", "IPSECKEY", "TXT"]),
      supportsProxied: false,
      minTtl: 0,
      configFields: [
        { name: "serviceAccountKey", label: "Service account key (JSON)", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
        { name: "projectId", label: "Project id (the key's own)", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000016",
      kind: "azure",
      name: "Azure DNS",
      recordTypes: ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT"],
      supportsProxied: false,
      minTtl: 1,
      configFields: [
        { name: "tenantId", label: "Tenant id", secret: false, required: true },
        { name: "clientId", label: "Client id", secret: false, required: true },
        { name: "clientSecret", label: "Client secret", secret: true, required: true },
        { name: "subscriptionId", label: "Subscription id", secret: false, required: true },
        { name: "resourceGroup", label: "Resource group (all)", secret: false, required: false },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000007",
      kind: "digitalocean",
      name: "DigitalOcean",
      ...shared,
      recordTypes: ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"],
      minTtl: 30,
      configFields: [
        { name: "token", label: "API token", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000010",
      kind: "desec",
      name: "deSEC",
      recordTypes: expect.arrayContaining(["A", "TXT"]),
      supportsProxied: false,
      minTtl: 1,
      configFields: [
        { name: "token", label: "API token", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000011",
      kind: "gandi",
      name: "Gandi",
      recordTypes: expect.arrayContaining(["A", "TXT"]),
      supportsProxied: false,
      minTtl: 300,
      configFields: [
        { name: "token", label: "Personal access token", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000012",
      kind: "hetzner",
      name: "Hetzner",
      recordTypes: expect.arrayContaining(["A", "TXT"]),
      supportsProxied: false,
      minTtl: 60,
      configFields: [
        { name: "token", label: "API token", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000013",
      kind: "ns1",
      name: "NS1",
      recordTypes: expect.arrayContaining(["A", "TXT"]),
      supportsProxied: false,
      minTtl: 1,
      configFields: [
        { name: "apiKey", label: "API key", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000014",
      kind: "scaleway",
      name: "Scaleway",
      recordTypes: expect.arrayContaining(["A", "ALIAS", "HTTPS", "TXT"]),
      supportsProxied: false,
      minTtl: 60,
      configFields: [
        { name: "secretKey", label: "Secret key", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
        { name: "projectId", label: "Project id", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000008",
      kind: "alidns",
      name: "Alibaba Cloud DNS",
      recordTypes: ["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA"],
      supportsProxied: false,
      minTtl: 1,
      configFields: [
        { name: "accessKeyId", label: "Access key id", secret: false, required: true },
        { name: "accessKeySecret", label: "Access key secret", secret: true, required: true },
        { name: "url", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000009",
      kind: "dnspod",
      name: "DNSPod",
      recordTypes: ["A", "AAAA", "CNAME", "NS", "MX", "TXT", "SRV", "CAA"],
      supportsProxied: false,
      minTtl: 1,
      configFields: [
        { name: "secretId", label: "SecretId", secret: false, required: true },
        { name: "secretKey", label: "SecretKey", secret: true, required: true },
        { name: "url", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000030",
      kind: "linode",
      name: "Linode",
      recordTypes: expect.arrayContaining(["A", "TXT"]),
      supportsProxied: false,
      minTtl: 300,
      configFields: [
        { name: "token", label: "Personal access token", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000031",
      kind: "vultr",
      name: "Vultr",
      recordTypes: expect.arrayContaining(["A", "TXT"]),
      supportsProxied: false,
      minTtl: 1,
      configFields: [
        { name: "apiKey", label: "API key", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000032",
      kind: "porkbun",
      name: "Porkbun",
      recordTypes: expect.arrayContaining(["A", "ALIAS", "HTTPS", "TXT"]),
      supportsProxied: false,
      minTtl: 600,
      configFields: [
        { name: "apiKey", label: "API key", secret: true, required: true },
        { name: "secretKey", label: "Secret key", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000033",
      kind: "dnsimple",
      name: "DNSimple",
      recordTypes: expect.arrayContaining(["A", "CAA", "SRV", "TXT"]),
      supportsProxied: false,
      minTtl: 0,
      configFields: [
        { name: "token", label: "Account access token", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000034",
      kind: "bunny",
      name: "bunny.net",
      recordTypes: expect.arrayContaining(["A", "CAA", "SRV", "TXT"]),
      supportsProxied: false,
      minTtl: 60,
      configFields: [
        { name: "apiKey", label: "API key", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000035",
      kind: "ovh",
      name: "OVHcloud",
      recordTypes: expect.arrayContaining(["A", "CAA", "DNAME", "HTTPS", "LOC", "TXT"]),
      supportsProxied: false,
      minTtl: 60,
      configFields: [
        { name: "applicationKey", label: "Application key", secret: true, required: true },
        { name: "applicationSecret", label: "Application secret", secret: true, required: true },
        { name: "consumerKey", label: "Consumer key", secret: true, required: true },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000036",
      kind: "inwx",
      name: "INWX",
      recordTypes: expect.arrayContaining(["A", "ALIAS", "CAA", "HTTPS", "TXT"]),
      supportsProxied: false,
      minTtl: 300,
      configFields: [
        { name: "username", label: "User name", secret: false, required: true },
        { name: "password", label: "Password", secret: true, required: true },
        { name: "sharedSecret", label: "Shared secret of the second factor", secret: true, required: false },
        { name: "endpoint", label: "API address", secret: false, required: false },
      ],
    },
    {
      id: "5a1f0c52-7d0e-4c1b-9d0a-000000000050",
      kind: "webhook",
      name: "Webhook adapter",
      ...shared,
      configFields: [
        { name: "url", label: "Adapter's address", secret: false, required: true },
        { name: "token", label: "Token", secret: true, required: false },
        { name: "clientCertificate", label: "Client certificate (PEM)", secret: true, required: false },
        { name: "clientKey", label: "Client key (PEM)", secret: true, required: false },
        { name: "timeoutSeconds", label: "Seconds to wait for an answer (30)", secret: false, required: false },
      ],
    },
    { id: "5a1f0c52-7d0e-4c1b-9d0a-000000000001", kind: "manual", name: "Manual", ...shared, configFields: [] },
  ]);
});

test.each([
  ["route53", { accessKeyId: "ASIAIOSFODNN7EXAMPLE", secretAccessKey: "x".repeat(40) }, "Enter the key of an IAM user"],
  [
    "alidns",
    { accessKeyId: "STS.NUgYrLnoC37mZZCNnAbez", accessKeySecret: "x".repeat(40) },
    "Enter the access key of a RAM user",
  ],
])("a temporary key of %s is refused with advice", async (kind, config, advice) => {
  const { status, body } = await zw.admin.post("/api/provider-configs", { kind, name: `Temporary ${kind}`, config });
  expect([status, body.message]).toEqual([400, expect.stringContaining(advice)]);
});
