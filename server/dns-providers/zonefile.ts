import { z } from "zod";
import { maxTtl } from "../zone-file/ttl.ts";
import type { ProviderKind } from "./provider.ts";
import { zoneFolder } from "./zonefile/folder.ts";
import { zoneFolderProvider } from "./zonefile/zone-folder-provider.ts";

/** A mailbox, `host.master@example.com`, or the same as a name: `hostmaster.example.com`. */
const hostmasterForm = /^(?:[a-z0-9._+-]{1,63}@)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/;

const configSchema = z.strictObject({
  folder: z.string().min(1).optional(),
  hostmaster: z.string().toLowerCase().max(200).regex(hostmasterForm).optional(),
});

export type ZonefileConfig = z.infer<typeof configSchema>;

/** RFC 1035 master files in a folder, which BIND, NSD, Knot or CoreDNS load. */
export const zonefile: ProviderKind<ZonefileConfig> = {
  id: "5a1f0c52-7d0e-4c1b-9d0a-000000000002",
  kind: "zonefile",
  name: "Zone files",
  recordTypes: "any",
  supportsProxied: false,
  strictHostNames: true,
  minTtl: 0,
  maxTtl,
  granularity: "zone",
  watchesZones: true,
  configFields: [
    { name: "folder", label: "Folder", secret: false, required: false },
    { name: "hostmaster", label: "Hostmaster", secret: false, required: false },
  ],
  configSchema,
  connect: ({ folder, hostmaster }, { zonesFolder, now }) =>
    zoneFolderProvider({
      folder: zoneFolder(zonesFolder, folder),
      mayBeMissing: folder === undefined,
      hostmaster,
      now,
    }),
};
