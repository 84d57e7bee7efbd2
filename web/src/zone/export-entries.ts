import { client, messageOf } from "../api.ts";
import type { MenuProps } from "../ui/menu.tsx";
import { saveFile } from "../ui/save-file.ts";
import { toast } from "../ui/toast.tsx";
import { zoneWords } from "../words/zone.ts";

const text = zoneWords.exports;

/** How the file of each format is called, for a zone by its address, which has its view. */
const fileNames = {
  zonefile: (zone: string) => `${zone}.zone`,
  octodns: (zone: string) => `${zone}.yaml`,
  csv: (zone: string) => `${zone}.csv`,
  tsv: (zone: string) => `${zone}.tsv`,
  terraform: (zone: string) => `${zone}.tf`,
  dnscontrol: () => "dnsconfig.js",
} as const;

interface Source {
  id: string;
  /** Its name in addresses. */
  address: string;
  /** An earlier state instead of the newest one. */
  revision?: number;
}

/** Returns the entries of a menu that save a zone as a file, one for each format. */
export function exportEntries({ id, address, revision }: Source): MenuProps["groups"][number] {
  const save = async (format: keyof typeof fileNames) => {
    try {
      const { content } = await client.records.export.query({ id, format, revision });
      const state = revision === undefined ? address : `${address}-${revision}`;
      saveFile(fileNames[format](state), content);
    } catch (error) {
      toast({ title: messageOf(error) });
    }
  };
  return Object.entries(text).map(([format, label]) => ({
    id: `export-${format}`,
    label,
    run: () => void save(format as keyof typeof fileNames),
  }));
}
