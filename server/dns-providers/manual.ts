import { z } from "zod";
import { maxTtl } from "../dns/record.ts";
import type { ProviderKind } from "./provider.ts";

const configSchema = z.strictObject({});

/** No back end: the records exist only in Zonewright. */
export const manual: ProviderKind<z.infer<typeof configSchema>> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000001",
  kind: "manual",
  name: "Manual",
  recordTypes: "any",
  vendorTypes: true,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  separatesViews: true,
  granularity: "record",
  configFields: [],
  addresses: [],
  configSchema,
  connect: null,
};
