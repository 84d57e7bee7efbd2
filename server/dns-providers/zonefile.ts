import { isAbsolute } from "node:path";
import { z } from "zod";
import { maxTtl } from "../dns/zone-file/ttl.ts";
import type { ServerRules } from "../dns/zone-rules.ts";
import { ProviderError, type ProviderKind } from "./provider.ts";
import { fileNamesOf, zoneFolder } from "./zonefile/folder.ts";
import { zoneFolderProvider } from "./zonefile/zone-folder-provider.ts";

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** Matches a mailbox at a host name, `host.master@example.com`, or the same as a name: `hostmaster.example.com`. */
const hostmasterForm = new RegExp(`^(?:[a-z0-9._+-]{1,63}@${label}|[a-z0-9_-]{1,63})(?:\\.${label})+$`, "i");
/** Up to 0.2.0 any name could follow the `@`. New zones then get a placeholder mailbox. */
const storedHostmasterForm = /^(?:[a-z0-9._+-]{1,63}@)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/i;

/** The limit of common file systems, in octets; file names are ASCII. */
const longestFileName = 255;
/** The default of BIND's `max-records-per-type` and `max-types-per-name`. */
const defaultLimit = 100;
const mostLimit = 1_000_000;

function limit() {
  const message = `Enter a whole number from 0 (no limit) to ${mostLimit}; BIND's default is ${defaultLimit}.`;
  return z.int(message).min(0, message).max(mostLimit, message).optional();
}

function hostmaster(form: RegExp) {
  const message = "Enter a mailbox at a host name, such as hostmaster@example.com.";
  return z.string().max(200, message).regex(form, message).optional();
}

const configSchema = z.strictObject({
  folder: z.string().min(1).optional(),
  hostmaster: hostmaster(hostmasterForm),
  checkNames: z.enum(["bind", "off"], "Enter bind or off.").optional(),
  maxRecordsPerType: limit(),
  maxTypesPerName: limit(),
});

const storedConfigSchema = configSchema.extend({ hostmaster: hostmaster(storedHostmasterForm) });

export type ZonefileConfig = z.infer<typeof configSchema>;

/** RFC 1035 master files in a folder, for BIND, NSD, Knot or CoreDNS to load. */
export const zonefile: ProviderKind<ZonefileConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000002",
  kind: "zonefile",
  name: "Zone files",
  recordTypes: "any",
  // Files of PowerDNS and others have them; they are kept, and written back.
  restoresVendorTypes: true,
  supportsProxied: false,
  minTtl: 0,
  maxTtl,
  granularity: "zone",
  watchesZones: true,
  separatesViews: true,
  zoneFault: (zone) =>
    (fileNamesOf(zone)[0]?.length ?? 0) > longestFileName
      ? `The zone file's name would be longer than ${longestFileName} characters. Choose a shorter view.`
      : null,
  configFields: [
    { name: "folder", label: "Folder", secret: false, required: false },
    { name: "hostmaster", label: "Hostmaster", secret: false, required: false },
    { name: "checkNames", label: "Host name check (bind, off)", secret: false, required: false },
    {
      name: "maxRecordsPerType",
      label: "Most records per name and type (100)",
      secret: false,
      required: false,
    },
    { name: "maxTypesPerName", label: "Most types per name (100)", secret: false, required: false },
  ],
  addresses: [],
  configSchema,
  storedConfigSchema,
  settings: ["hostmaster", "checkNames", "maxRecordsPerType", "maxTypesPerName"],
  adjust: (config) => ({ serverRules: rulesOf(config) }),
  connect: ({ folder, hostmaster, ...rules }, { zonesFolder, zonesFolderFault, now }) => {
    const fault = folder !== undefined && isAbsolute(folder) ? null : (zonesFolderFault?.() ?? null);
    if (fault !== null) throw new ProviderError(fault, "none");
    return zoneFolderProvider({
      rules: rulesOf(rules),
      folder: zoneFolder(zonesFolder, folder),
      mayBeMissing: folder === undefined,
      hostmaster,
      now,
    });
  },
};

type Settings = Pick<ZonefileConfig, "checkNames" | "maxRecordsPerType" | "maxTypesPerName">;

function rulesOf({ checkNames, maxRecordsPerType, maxTypesPerName }: Settings): ServerRules {
  return {
    checkNames: checkNames !== "off",
    maxRecordsPerType: maxRecordsPerType ?? defaultLimit,
    maxTypesPerName: maxTypesPerName ?? defaultLimit,
  };
}
