import { z } from "zod";
import { maxTtl } from "../dns/zone-file/ttl.ts";
import { apiAddress } from "./config-fields.ts";
import type { ProviderKind } from "./provider.ts";
import { route53Address, route53Api } from "./route53/client.ts";
import { unsupportedReason, keeps, recordTypes } from "./route53/limits.ts";
import { route53Provider } from "./route53/route53-provider.ts";

const configSchema = z.strictObject({
  accessKeyId: z
    .string("Give the id of an access key.")
    .trim()
    .regex(/^\w{16,128}$/, "The id of an access key is letters and digits, such as AKIAIOSFODNN7EXAMPLE."),
  secretAccessKey: z
    .string("Give the secret of the access key.")
    .trim()
    .regex(/^[!-~]{16,200}$/, "The secret access key must be 16 to 200 characters of plain ASCII without spaces."),
  hostedZoneIds: z
    .string()
    .max(10_000)
    .refine(
      (ids) => idsIn(ids).every((id) => /^[A-Z0-9]{1,32}$/.test(id)),
      "Give ids of hosted zones, such as Z0123456789ABCDEFGHIJ, with commas between them.",
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
  keeps,
  granularity: "rrset",
  configFields: [
    { name: "accessKeyId", label: "Access key id", secret: false, required: true },
    { name: "secretAccessKey", label: "Secret access key", secret: true, required: true },
    {
      name: "hostedZoneIds",
      label: "Ids of the hosted zones that are meant, with commas between them (all public ones)",
      secret: false,
      required: false,
    },
    { name: "endpoint", label: "API address", secret: false, required: false },
  ],
  addresses: ["endpoint"],
  configSchema,
  connect: ({ hostedZoneIds, ...access }, environment) =>
    route53Provider(route53Api(access, environment), idsIn(hostedZoneIds ?? "")),
};

/** An id may be given as the console or as the API prints it: `/hostedzone/Z0123`. */
function idsIn(list: string): string[] {
  return list
    .split(",")
    .map((id) => id.trim().replace("/hostedzone/", ""))
    .filter((id) => id !== "");
}
