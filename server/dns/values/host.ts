import { ok, refuse, type Result } from "../../platform/result.ts";
import { foldName, parseDomainNameAsWritten, parseHostAsWritten, readHostAsWritten } from "../names/names.ts";
import { genericValue, parseGeneric, readGeneric } from "./generic-form.ts";
import { unwantedPriority } from "./priority.ts";
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
