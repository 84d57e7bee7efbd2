import { z } from "zod";
import { maxTtl } from "../dns/record.ts";
import { apiAddress, inMilliseconds, timeoutField, timeoutSeconds } from "./config-fields.ts";
import { powerdnsClient } from "./powerdns/client.ts";
import { powerdnsProvider } from "./powerdns/powerdns-provider.ts";
import type { ProviderKind } from "./provider.ts";

const configSchema = z.strictObject({
  url: apiAddress("http://127.0.0.1:8081"),
  apiKey: z
    .string("Enter the server's api-key.")
    .regex(/^[!-~]{1,500}$/, "The API key must be up to 500 characters of plain ASCII without spaces."),
  serverId: z
    .string()
    .regex(/^[\w.-]{1,100}$/, "The server id must be a word such as localhost.")
    .default("localhost"),
  timeoutSeconds,
});

export type PowerdnsConfig = z.infer<typeof configSchema>;

/** The PowerDNS Authoritative Server through its HTTP API (version 4.2 or newer). */
export const powerdns: ProviderKind<PowerdnsConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000004",
  kind: "powerdns",
  name: "PowerDNS",
  recordTypes: "any",
  vendorTypes: true,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  signsZones: true,
  lowersCase: "owners",
  granularity: "rrset",
  configFields: [
    { name: "url", label: "API address", secret: false, required: true },
    { name: "apiKey", label: "API key", secret: true, required: true },
    { name: "serverId", label: "Server id", secret: false, required: false },
    timeoutField,
  ],
  addresses: ["url"],
  configSchema,
  connect: ({ timeoutSeconds, ...access }, { egress, now }) =>
    powerdnsProvider(powerdnsClient({ ...access, timeoutMilliseconds: inMilliseconds(timeoutSeconds) }, egress), now),
};
