/** CNAME records that one answer may have. */
const longestChain = 16;

interface Rules<Entry> {
  /** Whether the question asks for a record. */
  includes: (record: Entry) => boolean;
  /** Returns the name that a CNAME record leads to, relative to the zone; null if the answer ends there, such as outside the zone. */
  next: (alias: Entry) => string | null;
}

/** What answers a question. */
interface Followed<Entry> {
  /** The CNAME records on the way, then the records asked for. */
  records: Entry[];
  /** The name that has no such records; null if it has, or the way ends elsewhere. */
  last: { name: string; hasRecords: boolean } | null;
}

/** Follows the CNAME records of a zone to the records asked for (RFC 1034 §4.3.2). A loop is answered with its records, each once. */
export async function followAliases<Entry extends { recordType: string }>(
  recordsAt: (name: string) => Promise<Entry[]>,
  owner: string,
  { includes, next }: Rules<Entry>,
): Promise<Followed<Entry>> {
  const aliases: Entry[] = [];
  const seen = new Set<string>();
  for (let name = owner; ;) {
    seen.add(name);
    const present = await recordsAt(name);
    const asked = present.filter(includes);
    if (asked.length > 0) return { records: [...aliases, ...asked], last: null };
    const alias = present.find(({ recordType }) => recordType === "CNAME");
    if (!alias) return { records: aliases, last: { name, hasRecords: present.length > 0 } };
    aliases.push(alias);
    const target = next(alias);
    if (target === null || seen.has(target) || aliases.length === longestChain) return { records: aliases, last: null };
    name = target;
  }
}
