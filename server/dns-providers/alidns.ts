import { z } from "zod";
import { alidnsProvider, highestFloorSeconds } from "./alidns/alidns-provider.ts";
import { AlidnsClient, vendorName } from "./alidns/client.ts";
import { readOnlyReason, unsupportedReason } from "./alidns/limits.ts";
import { commonTypes } from "../dns/record.ts";
import { vendorOrigin } from "./config-fields.ts";
import { apexCname } from "./single-record-api/vendor-values.ts";
import type { ProviderKind } from "./provider.ts";

const accessKeyId = z
  .string("Enter the access key id of a RAM user.")
  .regex(/^[\w.-]{1,128}$/, "The access key id must be letters and digits, such as LTAI5t…");

const configSchema = z.strictObject({
  accessKeyId: accessKeyId.refine(
    (id) => !id.startsWith("STS."),
    "This is a temporary key (STS.…), which ends within hours and needs a security token. Enter the access key of a RAM user (LTAI…).",
  ),
  accessKeySecret: z
    .string("Enter the secret of the access key.")
    .regex(/^[!-~]{1,256}$/, "The access key secret must be up to 256 characters of plain ASCII without spaces."),
  url: vendorOrigin("https://alidns.aliyuncs.com"),
});

export type AlidnsConfig = z.infer<typeof configSchema>;

/** Alibaba Cloud DNS (API version 2015-01-09). */
export const alidns: ProviderKind<AlidnsConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000008",
  kind: "alidns",
  name: vendorName,
  recordTypes: commonTypes,
  supportsProxied: false,
  // The minimum TTL of the highest edition. The minimum of other zones is read from the API.
  minTtl: 1,
  anyZoneMinTtl: highestFloorSeconds,
  maxTtl: 86_400,
  cutsTexts: true,
  apexCname,
  unsupportedReason,
  readOnlyReason,
  lowersCase: "names",
  granularity: "record",
  configFields: [
    { name: "accessKeyId", label: "Access key id", secret: false, required: true },
    { name: "accessKeySecret", label: "Access key secret", secret: true, required: true },
    { name: "url", label: "API address", secret: false, required: false },
  ],
  addresses: ["url"],
  configSchema,
  storedConfigSchema: configSchema.extend({ accessKeyId }),
  connect: ({ accessKeyId: id, accessKeySecret: secret, url }, environment) =>
    alidnsProvider(new AlidnsClient(url, { id, secret }, environment)),
};
