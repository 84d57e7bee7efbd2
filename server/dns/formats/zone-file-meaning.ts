import { ownerWithin, readHost, shown } from "../names/names.ts";
import { recordKey, type RecordData, looksLikeTtl } from "../record.ts";
import type { EntryMeaning, EntryPlace, MeantEntry } from "../zone-file/contents.ts";
import type { Field, LogicalLine } from "../zone-file/tokens.ts";
import {
  dumpNote,
  cloudflareAutomatic,
  isPlaceholderServer,
  readComment,
  fromOctalEscapes,
  type Dialects,
} from "./dialects.ts";

/** What a zone file says about a record beside its data. */
export interface Said {
  proxied: boolean | null;
  comment: string | null;
}

interface MeaningOptions {
  automaticTtl?: number | undefined;
  supportsProxied?: boolean;
}

/** Types whose data has names, and their positions among the fields. */
export const nameFields: ReadonlyMap<string, readonly number[]> = new Map([
  ["CNAME", [0]],
  ["DNAME", [0]],
  ["NS", [0]],
  ["PTR", [0]],
  ["RP", [0, 1]],
  ["MX", [1]],
  ["AFSDB", [1]],
  ["KX", [1]],
  ["HTTPS", [1]],
  ["SVCB", [1]],
  ["SRV", [3]],
  ["NAPTR", [5]],
]);

const winsTypes = new Set(["WINS", "WINSR", "WINS-R", "NBSTAT"]);
const longestComment = 1000;
const nothingSaid: Said = { proxied: null, comment: null };

/**
 * Reads the entries of a zone file as the software that wrote them means them. Every reading that is not literal is noted. Rules that could
 * be wrong for another file apply only to files that bear a sign of their dialect.
 */
export class ZoneFileMeaning implements EntryMeaning {
  readonly #dialects: Dialects;
  readonly #options: MeaningOptions;
  readonly #said = new Map<string, Said>();
  /** The targets of NS records so far that are outside the zone, where a file may give their addresses. */
  readonly #servers = new Set<string>();
  /** Whether the file writes full names without the final dot. */
  #omitsDots: boolean;

  constructor(dialects: Dialects, options: MeaningOptions) {
    this.#dialects = dialects;
    this.#options = options;
    this.#omitsDots = dialects.cloudflare || dialects.goDaddy || dialects.cPanel;
  }

  said(record: RecordData): Said {
    return this.#said.size === 0 ? nothingSaid : (this.#said.get(recordKey(record)) ?? nothingSaid);
  }

  entry(given: LogicalLine, place: EntryPlace): MeantEntry {
    if (isDirective(given)) return this.#leftOut(given, dumpNote(given, ""), place);
    const octal = this.#withoutOctal(withoutTimeStamp(given, place), place.note);
    const type = typeAt(octal);
    const recordType = octal.fields[type]?.raw.toUpperCase() ?? "";
    const line = this.#withOwner(octal, recordType, place);
    const note =
      dumpNote(line, recordType) ??
      winsNote(recordType) ??
      this.#addressNote(line, recordType, type, place) ??
      aliasNote(line, recordType, type);
    if (note !== null) return this.#leftOut(line, note, place);
    let meant = line;
    for (const position of nameFields.get(recordType) ?? []) {
      meant = this.#withName(meant, recordType, type + 1 + position, place);
    }
    return meant;
  }

  record(record: RecordData, line: LogicalLine, { defaultTtl, note }: EntryPlace): RecordData {
    const { comment } = line;
    if (hasLooseWords(line, record.recordType)) {
      note(
        "Without quotes, each word of the text is a string of its own, and the blanks between them are lost. Put the whole text in double quotes to keep them.",
      );
    }
    const automatic = this.#dialects.cloudflare && record.ttl === cloudflareAutomatic;
    const ttl = automatic ? (this.#options.automaticTtl ?? defaultTtl) : record.ttl;
    if (ttl !== record.ttl) note(`TTL ${record.ttl} means automatic at Cloudflare and is read as ${ttl}.`);
    const meant = ttl === record.ttl ? record : { ...record, ttl };
    if (comment === null || comment === "") return meant;
    if (/^\s*AWS routing=/.test(comment)) {
      note("Route 53's routing policy is left out: the record answers every query.");
      return meant;
    }
    return this.#dialects.cloudflare ? this.#withCloudflareComment(meant, comment, note) : meant;
  }

  #leftOut(line: LogicalLine, message: string | null, { note }: EntryPlace): MeantEntry {
    if (message === null) return line;
    note(message);
    return { ...line, isLeftOut: true };
  }

  #withoutOctal(line: LogicalLine, note: (message: string) => void): LogicalLine {
    const [first] = line.fields;
    if (!line.leadingBlank && first?.raw.startsWith("\\") && /^\\052(?:\.|$)/.test(first.raw)) {
      note(String.raw`The name "\052" is read as "*": Route 53 writes escapes in octal.`);
      return this.#withoutOctal(withField(line, 0, { ...first, raw: `*${first.raw.slice(4)}` }), note);
    }
    if (!this.#dialects.microsoft && !this.#dialects.route53) return line;
    if (!line.fields.some(({ raw }) => raw.includes("\\"))) return line;
    const fields = line.fields.map((field) => ({
      ...field,
      raw: fromOctalEscapes(field.raw, ({ escape, character }) => {
        const meaning = character === null ? "" : `, which is ${shown(character)}`;
        note(`${escape} is read as octal${meaning}: Route 53 and Microsoft DNS write escapes so.`);
      }),
    }));
    return { ...line, fields };
  }

  /** Returns the entry with the owner that is meant. */
  #withOwner(line: LogicalLine, recordType: string, place: EntryPlace): LogicalLine {
    const [first] = line.fields;
    if (line.leadingBlank || !first || first.quoted) return line;
    const { zone, note } = place;
    const { raw } = first;
    const apex = withField(line, 0, { ...first, raw: `${zone}.` });
    if (recordType === "SOA" && isRoot(raw, place)) {
      note('The SOA of the root is read as that of the zone: the file begins with "$ORIGIN .".');
      return apex;
    }
    if (recordType === "SOA" && place.origin === zone && isSame(raw, zone)) {
      this.#omitsDots = true;
      note(`The owner of the SOA, ${shown(raw)}, has no final dot and is read as the zone itself.`);
      return apex;
    }
    const full = this.#meant(raw, place);
    return full === null ? line : withField(line, 0, { ...first, raw: full });
  }

  /** Returns the entry with the name in a field of its data that is meant. */
  #withName(line: LogicalLine, recordType: string, index: number, place: EntryPlace): LogicalLine {
    const field = line.fields[index];
    if (!field || field.quoted) return line;
    const { raw } = field;
    const full = this.#meant(raw, place);
    if (recordType === "NS") {
      const host = readHost(full ?? raw, place.origin);
      if (host.ok && ownerWithin(host.value, place.zone) === null) this.#servers.add(host.value.toLowerCase());
    }
    return full === null ? line : withField(line, index, { ...field, raw: full });
  }

  /** Returns the name that a name stands for if it is not literal, or null. Notes a literal one that its author probably means otherwise. */
  #meant(raw: string, place: EntryPlace): string | null {
    const full = this.#full(raw, place) ?? withoutAt(raw, place);
    if (full === null && isUndotted(raw, place)) {
      place.note(
        `${shown(raw)} has no final dot, so it means ${shown(`${raw}.${place.zone}.`)}. Write ${shown(`${raw}.`)} if you mean that name.`,
      );
    }
    return full;
  }

  /** Returns the full name that a name without final dot stands for in such a file, or null. */
  #full(raw: string, place: EntryPlace): string | null {
    if (!this.#omitsDots || !isUndotted(raw, place)) return null;
    place.note(`${shown(raw)} has no final dot and is read as the full name.`);
    return `${raw}.`;
  }

  /** Returns why data is not an address or name server of this zone, or null. */
  #addressNote(
    { leadingBlank, fields }: LogicalLine,
    recordType: string,
    type: number,
    place: EntryPlace,
  ): string | null {
    if (recordType === "NS" && isPlaceholderServer(fields[type + 1]?.raw ?? "")) {
      return "The text in place of a name server is left out, as Cloudflare asks.";
    }
    if (recordType !== "A" && recordType !== "AAAA") return null;
    if (this.#dialects.goDaddy) {
      const data = fields
        .slice(type + 1)
        .map(({ raw }) => raw)
        .join(" ");
      if (/^[a-z][a-z ]*$/i.test(data))
        return `${shown(data)} is a service of GoDaddy's, not an address, and is left out.`;
    }
    if (this.#servers.size === 0) return null;
    const owner = leadingBlank || !fields[0] ? null : readHost(fields[0].raw, place.origin);
    if (!owner?.ok || !this.#servers.has(owner.value.toLowerCase())) return null;
    return `The address of the name server ${owner.value} is left out: it belongs to another zone.`;
  }

  #withCloudflareComment(record: RecordData, comment: string, note: (message: string) => void): RecordData {
    const { proxied, flattened, tags, text } = readComment(comment, record.recordType);
    const { supportsProxied = false } = this.#options;
    const isProxied = proxied === true && supportsProxied;
    const meant = isProxied ? { ...record, proxied: true } : record;
    const key = recordKey(meant);
    if (!this.#said.has(key)) this.#said.set(key, { proxied, comment: text?.slice(0, longestComment) ?? null });
    if (text !== null) note("Cloudflare's comment is kept as the record's comment.");
    if (proxied === true && !isProxied) {
      note("Cloudflare's proxy answered for this record. It is imported without a proxy, so its value becomes public.");
    }
    if (flattened) note("Cloudflare's setting to flatten this CNAME is left out.");
    if (tags.length > 0) note(`Cloudflare's tags are left out: ${tags.join(", ")}.`);
    return meant;
  }
}

function isDirective({ leadingBlank, fields: [first] }: LogicalLine): boolean {
  return !leadingBlank && first?.quoted === false && first.raw.startsWith("$");
}

function withField(line: LogicalLine, index: number, field: Field): LogicalLine {
  return { ...line, fields: line.fields.with(index, field) };
}

/** Returns the index of the type, after owner, TTL and class; the number of fields if there is none. */
function typeAt({ leadingBlank, fields }: LogicalLine): number {
  let index = leadingBlank ? 0 : 1;
  for (let field = fields[index]; field !== undefined; field = fields[++index]) {
    if (!looksLikeTtl(field.raw) && !/^(?:in|aws|class\d{1,5})$/i.test(field.raw)) break;
  }
  return index;
}

/** Removes `[AGE:3624713]`, the time of a dynamic update in hours, which Microsoft DNS writes before the TTL. */
function withoutTimeStamp(line: LogicalLine, { note }: EntryPlace): LogicalLine {
  const index = line.leadingBlank ? 0 : 1;
  const field = line.fields[index];
  if (!field?.raw.startsWith("[") || field.quoted || !/^\[ag(?:e|ing):\d{1,10}\]$/i.test(field.raw)) return line;
  note("The time stamp of Microsoft DNS, [AGE:…], is left out.");
  return { ...line, fields: line.fields.toSpliced(index, 1) };
}

function winsNote(recordType: string): string | null {
  return winsTypes.has(recordType) ? "A lookup in WINS works only in Microsoft DNS and is left out." : null;
}

/** Returns a note about an alias as cli53 writes it: `AWS ALIAS A target zone health`. */
function aliasNote({ fields }: LogicalLine, recordType: string, type: number): string | null {
  if (recordType !== "ALIAS" || fields[type - 1]?.raw.toUpperCase() !== "AWS") return null;
  const target = fields[type + 2]?.raw ?? "";
  return `Route 53's alias to ${shown(target)} is left out: zone files have no such record. Create it at the provider.`;
}

/** Returns whether a text has several words without quotes around them, such as an unquoted `v=spf1 mx -all`. */
function hasLooseWords(line: LogicalLine, recordType: string): boolean {
  if (recordType !== "TXT" && recordType !== "SPF") return false;
  const [first, ...others] = line.fields.slice(typeAt(line) + 1);
  if (first?.raw === String.raw`\#`) return false;
  return [first, ...others].filter((field) => field?.quoted === false).length > 1;
}

function isRoot(raw: string, { origin }: EntryPlace): boolean {
  return raw === "." || (raw === "@" && (origin === "." || origin === ""));
}

function isSame(raw: string, zone: string): boolean {
  const host = readHost(raw, "");
  return host.ok && host.value.toLowerCase() === zone && !raw.endsWith(".");
}

/** Returns whether a relative name repeats the zone's name, so that its author probably meant it to be complete. */
function isUndotted(raw: string, { zone, origin }: EntryPlace): boolean {
  if (origin !== zone || raw.length < zone.length || raw.endsWith(".")) return false;
  const end = raw.slice(-zone.length).toLowerCase();
  return end === zone && (raw.length === zone.length || raw.at(-zone.length - 1) === ".");
}

/** Returns `_sip._tls` for GoDaddy's `_sip._tls.@`, or null. */
function withoutAt(raw: string, { note }: EntryPlace): string | null {
  if (!raw.endsWith(".@") || raw.endsWith("\\.@") || raw.length === 2) return null;
  const name = raw.slice(0, -2);
  note(`${shown(raw)} is read as ${shown(name)}: its "@" stands for the zone.`);
  return name;
}
