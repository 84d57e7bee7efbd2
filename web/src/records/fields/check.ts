import { parseOwner } from "../../../../server/dns/names/names.ts";
import { ruleFor } from "../../../../server/dns/record-types.ts";

/** A form has no field for the strings of a text. */
const adviceForPrograms = / To keep it, send `strings` with \\\d+ in its place\.$/;

/** What is wrong with a record's fields, by the service's own rules; null for what is right. */
export interface FieldFaults {
  name: string | null;
  value: string | null;
  ttl: string | null;
  /** Legal but probably unintended. */
  warnings: readonly string[];
}

/** Checks a record before it is sent. @param zone the zone's name */
export function checkFields(
  { recordType, name, value, ttl }: { recordType: string; name: string; value: string; ttl: number | null },
  zone: string,
): FieldFaults {
  const owner = parseOwner(name, zone);
  const written = ruleFor(recordType).write(value, undefined);
  return {
    name: owner.ok ? null : owner.message,
    value: written.ok ? null : written.message.replace(adviceForPrograms, ""),
    ttl: ttl === null || (ttl >= 0 && ttl <= 2_147_483_647) ? null : "0–2147483647",
    warnings: written.ok ? written.value.warnings : [],
  };
}

/** The type for which a value was meant, if it is one of another kind of address; null otherwise. */
export function betterType(recordType: string, value: string): string | null {
  if (recordType !== "A" && recordType !== "AAAA") return null;
  const fits = (type: string) => ruleFor(type).write(value, undefined).ok;
  const other = recordType === "A" ? "AAAA" : "A";
  if (fits(other)) return other;
  return value.includes(".") && fits("CNAME") ? "CNAME" : null;
}

/** The canonical form of a value, or the text itself if it has none. */
export function canonicalValue(recordType: string, value: string): string {
  const written = ruleFor(recordType).write(value, undefined);
  return written.ok ? written.value.value : value;
}

/** The canonical form of a name relative to the zone, or the text itself. */
export function canonicalName(name: string, zone: string): string {
  const owner = parseOwner(name, zone);
  return owner.ok ? owner.value : name;
}

/** A record as a line of a zone file (RFC 1035 §5.1). */
export function zoneFileLine(record: {
  name: string;
  ttl: number;
  recordType: string;
  value: string;
  strings: readonly string[] | null;
}): string {
  const data = ruleFor(record.recordType).print(record.value, record.strings);
  return `${record.name}\t${record.ttl}\tIN\t${record.recordType}\t${data}`;
}
