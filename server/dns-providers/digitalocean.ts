import { z } from "zod";
import { maxTtl } from "../dns/record.ts";
import { digitalOceanAddress, digitalOceanApi } from "./digitalocean/api.ts";
import { digitalOceanProvider } from "./digitalocean/digitalocean-provider.ts";
import { unsupportedReason, minTtl, recordTypes } from "./digitalocean/limits.ts";
import { apiAddress, credential, credentialFields } from "./config-fields.ts";
import type { ProviderKind } from "./provider.ts";

const configSchema = z.strictObject({
  token: credential("API token", 20, 500),
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
  configFields: credentialFields({ token: "API token" }),
  addresses: ["endpoint"],
  configSchema,
  connect: (config, environment) => digitalOceanProvider(digitalOceanApi(config, environment)),
};
