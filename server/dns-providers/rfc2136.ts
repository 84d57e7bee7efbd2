import { z } from "zod";
import { realPause } from "../platform/pause.ts";
import { parseHost, parseZoneName } from "../dns/names/names.ts";
import { maxTtl } from "../dns/record.ts";
import type { ProviderKind } from "./provider.ts";
import { inMilliseconds, timeoutField, timeoutSeconds } from "./config-fields.ts";
import { nameServerProvider } from "./rfc2136/name-server-provider.ts";
import { tsigAlgorithms } from "../dns/wire/tsig.ts";

/** Matches base64 of at least one octet. */
const secretForm = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

const configSchema = z.strictObject({
  server: z
    .string()
    .trim()
    .max(253)
    .regex(/^[a-z0-9:._-]+$/i, "Enter the name server as a host name or an IP address, such as ns1.example.com.")
    // An IPv6 address has two colons at least.
    .refine(
      (server) => !/^[^:]*:\d*$/.test(server),
      "Enter only the host name or IP address; its port belongs in `port`.",
    ),
  port: z.int().min(1).max(65_535).default(53),
  tsigName: z
    .string()
    .toLowerCase()
    .transform((name) => name.replace(/\.$/, ""))
    .refine(
      (name) => parseHost(name).ok,
      "Enter the key's name exactly as on the name server, such as zonewright.example.com.",
    ),
  tsigAlgorithm: z.enum(tsigAlgorithms).default("hmac-sha256"),
  tsigSecret: z
    .string()
    .trim()
    .max(1024)
    .regex(secretForm, "Enter the key's secret in base64, exactly as on the name server."),
  zones: z
    .string()
    .max(10_000)
    .refine((zones) => zonesIn(zones).every((zone) => parseZoneName(zone).ok), "Enter zone names separated by commas.")
    .optional(),
  timeoutSeconds,
});

export type Rfc2136Config = z.infer<typeof configSchema>;

/** Any name server with dynamic update (RFC 2136) and zone transfer (RFC 5936), signed with TSIG (RFC 8945). */
export const rfc2136: ProviderKind<Rfc2136Config> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000003",
  kind: "rfc2136",
  name: "Name server (RFC 2136)",
  recordTypes: "any",
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  signsZones: true,
  granularity: "record",
  configFields: [
    { name: "server", label: "Name server", secret: false, required: true },
    { name: "port", label: "Port (53)", secret: false, required: false },
    { name: "tsigName", label: "TSIG key name", secret: false, required: true },
    { name: "tsigAlgorithm", label: `TSIG algorithm (${tsigAlgorithms.join(", ")})`, secret: false, required: false },
    { name: "tsigSecret", label: "TSIG secret (base64)", secret: true, required: true },
    { name: "zones", label: "Zones, separated by commas", secret: false, required: false },
    timeoutField,
  ],
  // TSIG sends authentication codes, never the key (RFC 8945), so another server learns nothing.
  addresses: [],
  configSchema,
  connect: (
    { server, port, tsigName, tsigAlgorithm, tsigSecret, zones, timeoutSeconds },
    { now, egress, pause = realPause },
  ) =>
    nameServerProvider({
      host: server,
      port,
      key: { name: tsigName, algorithm: tsigAlgorithm, secret: Buffer.from(tsigSecret, "base64") },
      zones: zonesIn(zones ?? "").flatMap((zone) => {
        const parsed = parseZoneName(zone);
        return parsed.ok ? [parsed.value] : [];
      }),
      timeoutMilliseconds: inMilliseconds(timeoutSeconds),
      egress,
      now,
      pause,
    }),
};

function zonesIn(list: string): string[] {
  return list
    .split(",")
    .map((zone) => zone.trim())
    .filter((zone) => zone !== "");
}
