import type { RouterOutputs } from "@zonewright/client";
import { formatTtl } from "../ui/ttl.ts";

type Difference = RouterOutputs["domains"]["compare"];
type Compared = Difference["added"][number];

/** The records of one name and type, as far as two zones differ. */
export interface Side {
  name: string;
  recordType: string;
  left: string[];
  right: string[];
}

/** Sets a difference side by side: `left` is what the first zone has, `right` what the other has. By name and type, the apex first. */
export function sideBySide({ added, removed, modified }: Difference): Side[] {
  const sides = new Map<string, Side>();
  const put = ({ name, recordType }: Compared, side: "left" | "right", text: string) => {
    const key = `${name} ${recordType}`;
    const found = sides.get(key) ?? { name, recordType, left: [], right: [] };
    found[side].push(text);
    sides.set(key, found);
  };
  for (const record of removed) put(record, "left", record.value);
  for (const record of added) put(record, "right", record.value);
  for (const { before, after } of modified) {
    put(before, "left", described(before, after));
    put(after, "right", described(after, before));
  }
  const order = ({ name, recordType }: Side) => `${name === "@" ? "" : name} ${recordType}`;
  return [...sides.values()].toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** The value, with the fields in which it differs from the other one. */
function described(record: Compared, other: Compared): string {
  const texts = JSON.stringify(record.strings) === JSON.stringify(other.strings) ? null : record.strings;
  const value = texts === null ? record.value : texts.map((text) => JSON.stringify(text)).join(" ");
  const more = [
    ...(record.ttl === other.ttl ? [] : [formatTtl(record.ttl)]),
    ...(record.status === other.status ? [] : [record.status]),
    ...(record.proxied === other.proxied || !record.proxied ? [] : ["proxied"]),
  ];
  return more.length === 0 ? value : `${value} (${more.join(", ")})`;
}
