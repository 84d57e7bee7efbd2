import { z } from "zod";
import { maxTtl } from "../dns/zone-file/ttl.ts";
import { digitalOceanAddress, digitalOceanApi } from "./digitalocean/api.ts";
import { digitalOceanProvider } from "./digitalocean/digitalocean-provider.ts";
import { unsupportedReason, minTtl, recordTypes } from "./digitalocean/limits.ts";
import { apiAddress } from "./config-fields.ts";
import type { ProviderKind } from "./provider.ts";

const configSchema = z.strictObject({
  token: z
    .string("Enter an API token.")
    .trim()
    .regex(/^[!-~]{20,500}$/, "The API token must be 20 to 500 characters of plain ASCII without spaces."),
  endpoint: apiAddress(digitalOceanAddress).default(digitalOceanAddress),
});

export type DigitalOceanConfig = z.infer<typeof configSchema>;

/** The domains of a DigitalOcean account. */
export const digitalocean: ProviderKind<DigitalOceanConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000007",
  kind: "digitalocean",
  name: "DigitalOcean",
  recordTypes,
  supportsProxied: false,
  minTtl,
  maxTtl,
  cutsTexts: true,
  unsupportedReason,
  lowersCase: "owners",
  granularity: "record",
  configFields: [
    { name: "token", label: "API token", secret: true, required: true },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => digitalOceanProvider(digitalOceanApi(config, environment)),
};
