import { hostRule } from "./character-strings.ts";
import type { ValueRule } from "./value-rule.ts";

/** NS: the host name of a name server (RFC 1035 §3.3.11). */
export const nsRule: ValueRule = hostRule("NS", "host");
