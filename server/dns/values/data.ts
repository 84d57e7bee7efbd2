import { ok, refuse, type Result } from "../../platform/result.ts";
import { printHost, writeHost, unwantedPriority } from "./character-strings.ts";
import { readKnown, readVerbatim, splitFields } from "./uneditable.ts";
import type { RdataField, ValueRule } from "./value-rule.ts";

interface DataForm {
  /** Ends a refusal: the form and an example. */
  form: string;
  /** Index of the field that is a host name. */
  hostAt?: number;
  /** Returns what is wrong with canonical data beyond its grammar, as a sentence; null if nothing. */
  fault?: (fields: readonly string[]) => string | null;
  /** Returns warnings about canonical data, given its fields. */
  warnings?: (fields: readonly string[]) => string[];
}

/**
 * Returns the rule of a type whose value is its data as in a master file. The canonical value has single spaces, lower-case names with a
 * trailing dot, and no spaces within hexadecimal or Base64.
 */
export function dataRule(
  recordType: string,
  { form, hostAt, fault = () => null, warnings = () => [] }: DataForm,
): ValueRule {
  return {
    recordType,
    write(value, priority) {
      const unwanted = unwantedPriority(recordType, priority);
      if (unwanted) return unwanted;
      const fields = /\p{Cc}/u.test(value) ? null : splitFields(recordType, value.trim());
      if (fields === null)
        return refuse(`The ${recordType} value must be one line with all quotes closed. Use the form ${form}.`);
      const named = hostAt === undefined ? ok({ fields, warnings: [] }) : withHost(recordType, fields, hostAt);
      if (!named.ok) return named;
      const read = readKnown(recordType, named.value.fields, "");
      if (!read.ok) return refuse(`${read.message} Use the form ${form}.`);
      const canonical = (splitFields(recordType, read.value.value) ?? []).map(({ raw }) => raw);
      const wrong = fault(canonical);
      if (wrong !== null) return refuse(wrong);
      return ok({ ...read.value, warnings: [...named.value.warnings, ...warnings(canonical)] });
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
function withHost(
  recordType: string,
  fields: RdataField[],
  at: number,
): Result<{ fields: RdataField[]; warnings: string[] }> {
  const field = fields[at];
  // The root, and data in generic form (RFC 3597), stay as they are.
  if (!field || field.raw === "." || fields[0]?.raw === "\\#") return ok({ fields, warnings: [] });
  const written = writeHost(field.raw, `The host name in the ${recordType} value`, "any");
  if (!written.ok) return written;
  const { host, warnings } = written.value;
  return ok({ fields: fields.with(at, { raw: printHost(host), quoted: false }), warnings });
}
