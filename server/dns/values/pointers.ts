import { hostRule } from "./character-strings.ts";
import { readVerbatim, splitFields } from "./uneditable.ts";
import type { ValueRule } from "./value-rule.ts";

/** Returns the rule of a type whose value is one name, and whose malformed data in a zone file is kept as written. */
function lenientHostRule(recordType: string, form: "host" | "any"): ValueRule {
  const strict = hostRule(recordType, form);
  return {
    ...strict,
    read(fields, origin) {
      const host = strict.read(fields, origin);
      return host.ok ? host : readVerbatim(recordType, fields, origin);
    },
    print(value) {
      const [field, ...others] = splitFields(recordType, value) ?? [];
      return field && !field.quoted && others.length === 0 ? strict.print(value) : value;
    },
  };
}

/** PTR: a name, in reverse zones that of a host (RFC 1035 §3.3.12), elsewhere that of a service, such as `Office\032Printer._ipp._tcp.example.com` (RFC 6763 §4.1). */
export const ptrRule: ValueRule = lenientHostRule("PTR", "any");

/** ALIAS: the host name whose addresses the name server answers with, also at the apex. PowerDNS and some vendors have it; no RFC. */
export const aliasRule: ValueRule = lenientHostRule("ALIAS", "host");

/** CNAME: the canonical name that the owner is an alias of (RFC 1035 §3.3.1). */
export const cnameRule: ValueRule = hostRule("CNAME", "any");

/** NS: the host name of a name server (RFC 1035 §3.3.11). */
export const nsRule: ValueRule = hostRule("NS", "host");
