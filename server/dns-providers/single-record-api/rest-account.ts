import type { z } from "zod";
import { escapeOctets } from "../../dns/names/escapes.ts";
import { parseHostAsWritten } from "../../dns/names/names.ts";
import { ruleFor } from "../../dns/record-types.ts";
import { valueOf, type RecordData } from "../../dns/record.ts";
import { ok, refuse } from "../../platform/result.ts";
import { ProviderError } from "../provider.ts";
import { canonicalRdata, unreadContent } from "../rdata-text.ts";
import { linkedPages, type JsonApi } from "../vendor-api/json-api.ts";
import type { RecordAccount } from "./provider.ts";
import { followingUp } from "./record-calls.ts";
import { canonicalOwner } from "./vendor-values.ts";

// What vendors share whose JSON APIs have records as resources: a list to add to, and one address for each record.

interface RestRecords {
  /** Returns the path of a zone's list of records. @throws ProviderError if the account does not have the zone */
  path: (zone: string) => string | Promise<string>;
  /** Returns the body that describes a record. */
  body: (record: RecordData) => object;
  /** Returns the body of an update; that of a new record if left out. */
  updateBody?: (record: RecordData, id: string) => object;
  /** How a record is added to the list; POST if left out. */
  creates?: "POST" | "PUT";
  /** Reads a created record: its id, and its TTL if the answer shows it. */
  made: z.ZodType<{ id: string; ttl?: number | undefined }>;
  /** How a record is changed. */
  updates: "PUT" | "PATCH" | "POST";
  /** Reads the answer to an update or a deletion. */
  done: z.ZodType;
}

/** Returns the calls that change records by additions to their list, and by an update or DELETE of each. */
export function restRecords(
  api: JsonApi,
  { path, body, updateBody = body, creates = "POST", made, updates, done }: RestRecords,
): Pick<RecordAccount, "create" | "update" | "remove"> {
  const vendor = api.calls.name;
  const refused = (message: string) => refuse(`${vendor} refused the change: ${message}`);
  const calls: Pick<RecordAccount, "create" | "update" | "remove"> = {
    async create(zone, record) {
      const answer = await api.send({ method: creates, path: await path(zone), body: body(record) }, made);
      if (!answer.ok) return refused(answer.message);
      const { id, ttl = record.ttl } = answer.value;
      if (ttl === record.ttl) return ok(id);
      const mended = await followingUp(calls.update(zone, id, record));
      if (mended.ok) return ok(id);
      const undone = await followingUp(calls.remove(zone, id));
      if (!undone.ok) throw new ProviderError(undone.message, "unknown", { answered: true, refusal: mended.message });
      return mended;
    },
    async update(zone, id, record) {
      const address = `${await path(zone)}/${encodeURIComponent(id)}`;
      const answer = await api.send({ method: updates, path: address, body: updateBody(record, id) }, done);
      return answer.ok ? ok(null) : refused(answer.message);
    },
    async remove(zone, id) {
      const address = `${await path(zone)}/${encodeURIComponent(id)}`;
      const answer = await api.send({ method: "DELETE", path: address }, done);
      // Somebody else deleted it.
      return answer.ok || answer.status === 404 ? ok(null) : refused(answer.message);
    },
  };
  return calls;
}

/**
 * Reads a list by cursors, which are empty or missing on the last page. @param path of the list, without the cursor
 * @param zone whose absence 404 means
 */
export function cursorPages<T>(
  api: JsonApi,
  path: string,
  schema: z.ZodType<T>,
  { cursorOf, zone }: { cursorOf: (page: T) => string | null | undefined; zone?: string },
): AsyncGenerator<T> {
  const nextOf = (page: T) => {
    const cursor = cursorOf(page) ?? "";
    return cursor === "" ? null : `${path}&cursor=${encodeURIComponent(cursor)}`;
  };
  return linkedPages(api, path, schema, { nextOf, zone });
}

/** Returns a record in canonical form whose data is in master-file form with absolute names; as it is if it cannot be read. */
export function printedRecord(
  zone: string,
  { owner, recordType, rdata, ttl }: { owner: string; recordType: string; rdata: string; ttl: number },
): RecordData {
  const content = canonicalRdata(recordType, rdata) ?? unreadContent(rdata);
  return { recordType, ...canonicalOwner(owner, zone), ...content, strings: null, ttl, proxied: false };
}

/** Returns a text as one quoted string of a master file. */
export function quotedText(text: string): string {
  return `"${escapeOctets(Buffer.from(text, "utf8"), '"\\')}"`;
}

/** Octets of a character-string (RFC 1035 §3.3). */
const longestString = 255;

/** Returns a text as quoted strings, which end between characters, with nothing but quotes and backslashes escaped. */
export function quotedStrings(text: string): string {
  const strings = [""];
  for (const character of text) {
    const last = strings.at(-1) ?? "";
    if (Buffer.byteLength(last + character) > longestString) strings.push(character);
    else strings[strings.length - 1] = last + character;
  }
  return strings.map((one) => `"${one.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(" ");
}

/** Returns a host that a vendor prints without a trailing dot, or in Unicode, as an absolute name in A-labels. */
export function absoluteHost(host: string): string {
  const bare = host.replace(/\.$/, "");
  if (bare === "") return ".";
  const read = /[^\0-\x7f]/.test(bare) ? parseHostAsWritten(bare) : null;
  return `${read?.ok ? read.value : bare}.`;
}

/**
 * Returns data in master-file form that a vendor prints with hosts without their trailing dots, and with the priority of MX and SRV records
 * in a field of its own.
 */
export function rdataWithHosts(recordType: string, content: string, priority: number | string = 0): string {
  const fields = content.split(" ");
  switch (recordType) {
    case "ALIAS":
    case "CNAME":
    case "NS":
    case "PTR":
      return absoluteHost(content);
    case "MX":
      return `${priority} ${absoluteHost(content)}`;
    case "SRV":
      return `${priority} ${[...fields.slice(0, -1), absoluteHost(fields.at(-1) ?? "")].join(" ")}`;
    case "HTTPS":
    case "SVCB":
      return [fields[0], absoluteHost(fields[1] ?? ""), ...fields.slice(2)].join(" ");
    default:
      return content;
  }
}

/** Returns the fields of a record's data in master-file form, with hosts without their trailing dots. */
export function printedFields(record: RecordData): string[] {
  const fields = ruleFor(record.recordType).print(valueOf(record)).split(" ");
  return fields.map((field) => (field === "." ? field : field.replace(/\.$/, "")));
}
