import { hostRule } from "./character-strings.ts";
import type { ValueRule } from "./value-rule.ts";

/** CNAME: the canonical name that the owner is an alias of (RFC 1035 §3.3.1). */
export const cnameRule: ValueRule = hostRule("CNAME", "any");
