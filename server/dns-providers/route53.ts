import { z } from "zod";
import { maxTtl } from "../dns/record.ts";
import { apiAddress } from "./config-fields.ts";
import type { ProviderKind } from "./provider.ts";
import { route53Address, route53Api } from "./route53/client.ts";
import { unsupportedReason, readOnlyReason, recordTypes } from "./route53/limits.ts";
import { route53Provider } from "./route53/route53-provider.ts";

const accessKeyId = z
  .string("Enter the access key id.")
  .trim()
  .regex(/^\w{16,128}$/, "The access key id must be letters and digits, such as AKIAIOSFODNN7EXAMPLE.");

const configSchema = z.strictObject({
  // The prefixes are in the IAM User Guide, "IAM identifiers".
  accessKeyId: accessKeyId.refine(
    (id) => !id.startsWith("ASIA"),
    "This is a temporary key (ASIA…), which ends within hours and needs a session token. Enter the key of an IAM user (AKIA…).",
  ),
  secretAccessKey: z
    .string("Enter the secret of the access key.")
    .trim()
    .regex(/^[!-~]{16,200}$/, "The secret access key must be 16 to 200 characters of plain ASCII without spaces."),
  hostedZoneIds: z
    .string()
    .max(10_000)
    .refine(
      (ids) => idsIn(ids).every((id) => /^[A-Z0-9]{1,32}$/.test(id)),
      "Enter hosted zone ids, such as Z0123456789ABCDEFGHIJ, separated by commas.",
    )
    .optional(),
  delegationSetId: z
    .string()
    .trim()
    .regex(
      /^(?:\/?delegationset\/)?[A-Z0-9]{1,32}$/,
      "Enter the id of a reusable delegation set, such as N1PA6795UAMPLE.",
    )
    .optional(),
  endpoint: apiAddress(route53Address).default(route53Address),
});

export type Route53Config = z.infer<typeof configSchema>;

/** The hosted zones of an AWS account. */
export const route53: ProviderKind<Route53Config> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000006",
  kind: "route53",
  name: "Amazon Route 53",
  recordTypes,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  unsupportedReason,
  readOnlyReason,
  lowersCase: "owners",
  granularity: "rrset",
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
  addresses: ["endpoint"],
  configSchema,
  storedConfigSchema: configSchema.extend({ accessKeyId }),
  connect: ({ hostedZoneIds, ...access }, environment) =>
    route53Provider(route53Api(access, environment), idsIn(hostedZoneIds ?? "")),
};

/** Returns the ids in a list, which may be written as the console or as the API prints them: `/hostedzone/Z0123`. */
function idsIn(list: string): string[] {
  return list
    .split(",")
    .map((id) => id.trim().replace("/hostedzone/", ""))
    .filter((id) => id !== "");
}
