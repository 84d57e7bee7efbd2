import { dataRule } from "./data.ts";
import type { ValueRule } from "./value-rule.ts";

/** DHCID: the client that a DHCP server registered a name for, in Base64 (RFC 4701 §3.1). DHCP servers write it. */
export const dhcidRule: ValueRule = dataRule("DHCID", { form: '"<Base64>"' });
