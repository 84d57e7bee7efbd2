import { ok, refuse, type Result } from "../../platform/result.ts";
import { parseHost } from "../names/names.ts";
import { printHost } from "./host.ts";
import { unwantedPriority } from "./priority.ts";
import { readKnown, readVerbatim, splitFields } from "./uneditable.ts";
import type { RdataField, ValueRule } from "./value-rule.ts";

interface DataForm {
  /** Ends a refusal: the form and an example. */
  form: string;
  /** Index of the field that is a host name. */
  hostAt?: number;
  /** Returns warnings about canonical data, given its fields. */
  warnings?: (fields: readonly string[]) => string[];
}

/**
 * Returns the rule of a type whose value is its data as in a master file. The canonical value has single spaces, lower-case names with a
 * trailing dot, and no spaces within hexadecimal or Base64.
 */
export function dataRule(recordType: string, { form, hostAt, warnings = () => [] }: DataForm): ValueRule {
  return {
    recordType,
    write(value, priority) {
      const unwanted = unwantedPriority(recordType, priority);
      if (unwanted) return unwanted;
      const fields = /\p{Cc}/u.test(value) ? null : splitFields(recordType, value.trim());
      if (fields === null)
        return refuse(`The ${recordType} value must be one line with all quotes closed. Use the form ${form}.`);
      const named = hostAt === undefined ? ok(fields) : withHost(recordType, fields, hostAt);
      if (!named.ok) return named;
      const read = readKnown(recordType, named.value, "");
      if (!read.ok) return refuse(`${read.message} Use the form ${form}.`);
      const canonical = splitFields(recordType, read.value.value) ?? [];
      return ok({ ...read.value, warnings: warnings(canonical.map(({ raw }) => raw)) });
    },
    read(fields, origin) {
      const known = readKnown(recordType, fields, origin);
      return known.ok ? known : readVerbatim(recordType, fields, origin);
    },
    print(value) {
      return value;
    },
  };
}

/** Converts the host name that a client wrote: Unicode to A-labels, and always absolute. */
function withHost(recordType: string, fields: RdataField[], at: number): Result<RdataField[]> {
  const field = fields[at];
  if (!field || field.raw === "." || field.raw.startsWith("\\#")) return ok(fields);
  const host = parseHost(field.raw, `The host name in the ${recordType} value`);
  return host.ok ? ok(fields.with(at, { raw: printHost(host.value), quoted: false })) : host;
}
