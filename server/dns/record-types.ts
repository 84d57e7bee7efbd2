import { aRule } from "./values/a.ts";
import { aaaaRule } from "./values/aaaa.ts";
import { caaRule } from "./values/caa.ts";
import { dhcidRule } from "./values/dhcid.ts";
import { dsRule } from "./values/ds.ts";
import { naptrRule } from "./values/naptr.ts";
import { aliasRule, cnameRule, nsRule, ptrRule } from "./values/pointers.ts";
import { sshfpRule } from "./values/sshfp.ts";
import { httpsRule, svcbRule } from "./values/svcb.ts";
import { smimeaRule, tlsaRule } from "./values/tlsa.ts";
import { splitFields, uneditableRule } from "./values/uneditable.ts";
import { mxRule } from "./values/mx.ts";
import { srvRule } from "./values/srv.ts";
import { txtRule } from "./values/txt.ts";
import type { ValueRule } from "./values/value-rule.ts";
import { isKnownType, rdataFromFields, rdataToText } from "./rdata/rdata.ts";
import { valueOf, type EditableType, type RecordData } from "./record.ts";

const editableRules: Record<EditableType, ValueRule> = {
  A: aRule,
  AAAA: aaaaRule,
  CNAME: cnameRule,
  NS: nsRule,
  MX: mxRule,
  TXT: txtRule,
  SRV: srvRule,
  CAA: caaRule,
  PTR: ptrRule,
  TLSA: tlsaRule,
  SSHFP: sshfpRule,
  HTTPS: httpsRule,
  SVCB: svcbRule,
  DS: dsRule,
  NAPTR: naptrRule,
  DHCID: dhcidRule,
  ALIAS: aliasRule,
};

/** Types whose rules read generic form themselves, because their data may not be text. */
const takesGeneric = new Set(["TXT", "CAA"]);

const rules = new Map<string, ValueRule>(
  [...Object.entries(editableRules), ["SMIMEA", smimeaRule] as const].map(([type, rule]) => [
    type,
    takesGeneric.has(type) || !isKnownType(type) ? rule : takingGeneric(rule),
  ]),
);

/**
 * Returns a rule that also takes a client's value in generic form (RFC 3597 §5), and judges what it stands for. Otherwise `\# 3 016100` would be a
 * name.
 */
function takingGeneric(rule: ValueRule): ValueRule {
  return {
    ...rule,
    write(value, priority, door) {
      if (!/^\s*\\#(?:\s|$)/.test(value)) return rule.write(value, priority, door);
      const rdata = rdataFromFields(rule.recordType, splitFields(rule.recordType, value.trim()) ?? [], "");
      if (!rdata.ok) return rdata;
      const text = rdataToText(rule.recordType, rdata.value);
      return text.ok ? rule.write(text.value, priority, door) : text;
    },
  };
}

/** Returns the value rule of a type (mnemonic in upper case, or `TYPE65280`). Types that clients cannot create are preserved as read. */
export function ruleFor(recordType: string): ValueRule {
  return rules.get(recordType) ?? uneditableRule(recordType);
}

/** Prints a record's RDATA in master-file form, names as written, and absolute with a trailing dot. */
export function printRdata(record: Pick<RecordData, "recordType" | "value" | "strings" | "writtenValue">): string {
  return ruleFor(record.recordType).print(valueOf(record), record.strings);
}
