import { ok, refuse, type Result } from "../../platform/result.ts";
import { foldName, parseDomainNameAsWritten, parseHostAsWritten, readHostAsWritten } from "../names/names.ts";
import { genericValue, parseGeneric, readGeneric } from "./character-strings.ts";
import type { CanonicalValue, ValueRule } from "./value-rule.ts";

/** Returns a value of numbers and names, given as written. */
export function namedValue(written: string, priority: number | null = null, warnings: string[] = []): CanonicalValue {
  const value = foldName(written);
  return { value, ...(value === written ? {} : { writtenValue: written }), priority, warnings };
}

/**
 * Checks a name written by a client and returns it as written, with a warning if it looks like a relative name.
 * @param form `host` for the name of a host, `any` for any domain name
 */
export function writeHost(
  input: string,
  subject: string,
  form: "host" | "any" = "host",
): Result<{ host: string; warnings: string[] }> {
  const host = (form === "host" ? parseHostAsWritten : parseDomainNameAsWritten)(input, subject);
  if (!host.ok) return host;
  const looksRelative = host.value !== "." && !host.value.includes(".") && !input.endsWith(".");
  const warning = `"${host.value}" is read as the full name "${host.value}.", not as a name within this zone.`;
  return ok({ host: host.value, warnings: looksRelative ? [warning] : [] });
}

/** Prints a value that ends in a host name for a master file, with the trailing dot. */
export function printHost(value: string): string {
  return /(?:^| )\.$/.test(value) ? value : `${value}.`;
}

/**
 * Returns the rule of a type whose value is one name.
 * @param form `host` for that of a host: NS (RFC 1035 §3.3.11). `any` for any domain name: CNAME (§3.3.1)
 */
export function hostRule(recordType: string, form: "host" | "any"): ValueRule {
  return {
    recordType,
    write(value, priority) {
      const unwanted = unwantedPriority(recordType, priority);
      if (unwanted) return unwanted;
      const written = writeHost(value.trim(), `The ${recordType} value`, form);
      if (!written.ok) return written;
      return ok(namedValue(written.value.host, null, written.value.warnings));
    },
    read(fields, origin) {
      const generic = readGeneric(fields);
      if (generic) return generic.ok ? genericValue(generic.value) : generic;
      const [field, ...others] = fields;
      if (field === undefined || others.length > 0) {
        return refuse(`${recordType} data must be one domain name, such as "www.example.com.".`);
      }
      const host = readHostAsWritten(field.raw, origin);
      return host.ok ? ok(namedValue(host.value)) : host;
    },
    print(value) {
      return parseGeneric(value) ? value : printHost(value);
    },
  };
}

/** Parses a decimal number from 0 to `max` (at most five digits), or returns null. */
export function parseInteger(text: string | undefined, max: number): number | null {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return null;
  const number = Number(text);
  return number <= max ? number : null;
}

/** Refuses a priority for a type that has none. Returns null if none was given. */
export function unwantedPriority(recordType: string, priority: number | null | undefined) {
  if (priority === null || priority === undefined) return null;
  return refuse(`The priority must be omitted or null, because ${recordType} records have none; only MX and SRV do.`);
}

/** An MX or SRV value split into its priority (0-65535) and the remaining parts. */
export interface Prioritised {
  priority: number;
  rest: string[];
}

/**
 * Splits a client's value of `<priority>` and `restLength` more parts. If the value has no priority, the `priority` field supplies it;
 * if both are given, they must agree.
 * @param form the value's form with an example, for refusals
 */
export function takePriority(
  value: string,
  restLength: number,
  priority: number | null | undefined,
  form: string,
): Result<Prioritised> {
  const parts = value.trim().split(/[ \t]+/);
  const given = priority ?? null;
  if (given !== null && !(Number.isInteger(given) && given >= 0 && given <= 65535)) {
    return refuse("The priority must be a whole number from 0 to 65535, such as 10.");
  }
  if (parts.length === restLength && parts[0] !== "") {
    return given === null
      ? refuse(`The value has no priority. Use the form ${form}, or set the "priority" field.`)
      : ok({ priority: given, rest: parts });
  }
  if (parts.length !== restLength + 1) return refuse(`The value must have the form ${form}.`);
  const own = parseInteger(parts[0], 65535);
  if (own === null) return refuse(`The priority must be a whole number from 0 to 65535. Use the form ${form}.`);
  if (given !== null && given !== own) {
    return refuse(`The value has priority ${own}, but the "priority" field is ${given}. Make them agree, or omit one.`);
  }
  return ok({ priority: own, rest: parts.slice(1) });
}
