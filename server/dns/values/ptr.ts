import { hostRule } from "./host.ts";
import { readVerbatim } from "./uneditable.ts";
import type { ValueRule } from "./value-rule.ts";

const strict = hostRule("PTR");

/** PTR: a host name, in reverse zones that of an address (RFC 1035 §3.3.12). Malformed data of a zone file is kept as written. */
export const ptrRule: ValueRule = {
  ...strict,
  read(fields, origin) {
    const host = strict.read(fields, origin);
    return host.ok ? host : readVerbatim("PTR", fields, origin);
  },
  print(value) {
    return /[ "]/.test(value) ? value : strict.print(value);
  },
};
