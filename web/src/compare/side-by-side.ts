import type { RouterOutputs } from "@zonewright/client";
import { zoneWords } from "../words/zone.ts";
import { ttlText, type ProviderKind } from "../zone/ttl.ts";

type Difference = RouterOutputs["domains"]["compare"];
type Compared = Difference["added"][number];

/** The records of one name and type, as far as two zones differ. */
export interface Side {
  name: string;
  recordType: string;
  left: string[];
  right: string[];
}

/** What a zone's provider means by an automatic TTL. */
type Kind = Pick<ProviderKind, "automaticTtl"> | null | undefined;

/**
 * Sets a difference side by side: `left` is what the first zone has, `right` what the other has. By name and type, the apex first.
 * @param kinds those of the two zones' providers, once they are known
 */
export function sideBySide({ added, removed, modified }: Difference, kinds: readonly [Kind, Kind]): Side[] {
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
    put(before, "left", described(before, after, kinds[0]));
    put(after, "right", described(after, before, kinds[1]));
  }
  const order = ({ name, recordType }: Side) => `${name === "@" ? "" : name} ${recordType}`;
  return [...sides.values()].toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
}

/** The value, with the fields in which it differs from the other one. */
function described(record: Compared, other: Compared, kind: Kind): string {
  const texts = JSON.stringify(record.strings) === JSON.stringify(other.strings) ? null : record.strings;
  const value = texts === null ? record.value : texts.map((text) => JSON.stringify(text)).join(" ");
  // A proxied record's TTL says that it is proxied.
  const isSame = record.ttl === other.ttl && record.proxied === other.proxied;
  const more = [
    ...(isSame ? [] : [ttlText(record, kind)]),
    ...(record.status === other.status
      ? []
      : [record.status === "disabled" ? zoneWords.nowDisabled : zoneWords.nowEnabled]),
  ];
  return more.length === 0 ? value : `${value} (${more.join(", ")})`;
}
