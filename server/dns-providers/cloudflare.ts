import { z } from "zod";
import { apiAddress } from "./config-fields.ts";
import { cloudflareAddress, CloudflareClient } from "./cloudflare/client.ts";
import { cloudflareProvider, smallestTtl } from "./cloudflare/cloudflare-provider.ts";
import { apexCname, automaticTtl, sharedUnsupported, unsupported } from "./cloudflare/records.ts";
import type { ProviderKind } from "./provider.ts";

const configSchema = z.strictObject({
  apiToken: z
    .string("Enter an API token with the permissions Zone Read and DNS Edit.")
    .regex(/^[!-~]{1,500}$/, "The API token must be up to 500 characters of plain ASCII without spaces."),
  accountId: z
    .string()
    .regex(
      /^[0-9a-f]{32}$/,
      "The account id must be 32 hexadecimal digits, as in the address of Cloudflare's dashboard.",
    )
    .optional(),
  endpoint: apiAddress(cloudflareAddress).default(cloudflareAddress),
});

export type CloudflareConfig = z.infer<typeof configSchema>;

/** Cloudflare DNS. */
export const cloudflare: ProviderKind<CloudflareConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000005",
  kind: "cloudflare",
  name: "Cloudflare",
  recordTypes:
    "A AAAA CAA CERT CNAME DNSKEY DS HTTPS MX NAPTR NS OPENPGPKEY PTR SMIMEA SRV SSHFP SVCB TLSA TXT URI".split(" "),
  supportsProxied: true,
  apexCname,
  minTtl: smallestTtl.enterprise,
  anyZoneMinTtl: smallestTtl.others,
  maxTtl: 86_400,
  automaticTtl,
  automaticSeconds: 300,
  proxiedTtl: 1,
  unsupportedReason: unsupported,
  unsupportedRrset: sharedUnsupported,
  lowersCase: "names",
  granularity: "record",
  configFields: [
    { name: "apiToken", label: "API token", secret: true, required: true },
    { name: "accountId", label: "Account id", secret: false, required: false },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => cloudflareProvider(new CloudflareClient(config, environment)),
};
