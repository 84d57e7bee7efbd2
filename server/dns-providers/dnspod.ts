import { z } from "zod";
import { commonTypes } from "../dns/record.ts";
import { DnspodClient, dnspodAddress, vendorName } from "./dnspod/client.ts";
import { dnspodProvider, highestFloorSeconds } from "./dnspod/dnspod-provider.ts";
import { readOnlyReason, unsupportedReason } from "./dnspod/limits.ts";
import { vendorOrigin } from "./config-fields.ts";
import { apexCname } from "./single-record-api/vendor-values.ts";
import type { ProviderKind } from "./provider.ts";

const configSchema = z.strictObject({
  secretId: z
    .string("Enter the SecretId of a CAM user's API key.")
    .regex(/^[\w.-]{1,128}$/, "The SecretId must be letters and digits, such as AKID…"),
  secretKey: z
    .string("Enter the SecretKey of the API key.")
    .regex(/^[!-~]{1,256}$/, "The SecretKey must be up to 256 characters of plain ASCII without spaces."),
  url: vendorOrigin(dnspodAddress),
});

export type DnspodConfig = z.infer<typeof configSchema>;

/** DNSPod through Tencent Cloud's API 3.0 (version 2021-03-23). */
export const dnspod: ProviderKind<DnspodConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000009",
  kind: "dnspod",
  name: vendorName,
  recordTypes: commonTypes,
  supportsProxied: false,
  // The minimum TTL of the highest package. The minimum of other zones is read from the API.
  minTtl: 1,
  anyZoneMinTtl: highestFloorSeconds,
  maxTtl: 604_800,
  cutsTexts: true,
  apexCname,
  unsupportedReason,
  readOnlyReason,
  lowersCase: "names",
  granularity: "record",
  configFields: [
    { name: "secretId", label: "SecretId", secret: false, required: true },
    { name: "secretKey", label: "SecretKey", secret: true, required: true },
    { name: "url", label: "API address", secret: false, required: false },
  ],
  addresses: ["url"],
  configSchema,
  connect: ({ secretId: id, secretKey: key, url }, environment) =>
    dnspodProvider(new DnspodClient(url, { id, key }, environment), environment.pause),
};
