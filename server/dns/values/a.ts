import { ok, refuse } from "../../platform/result.ts";
import { readGeneric, unwantedPriority } from "./character-strings.ts";
import type { ValueRule } from "./value-rule.ts";

const wrongForm = 'The A value must be an IPv4 address of four numbers from 0 to 255, such as "192.0.2.1".';

/** A: an IPv4 address (RFC 1035 §3.4.1). */
export const aRule: ValueRule = {
  recordType: "A",
  write(value, priority) {
    return unwantedPriority("A", priority) ?? canonical(value.trim());
  },
  read(fields) {
    const generic = readGeneric(fields);
    if (generic) return generic.ok ? canonical(generic.value.join(".")) : generic;
    return canonical(fields.map((field) => field.raw).join(" "));
  },
  print(value) {
    return value;
  },
};

// No leading zeros, because some software reads them as octal.
const fourNumbers = /^(?:(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

function canonical(address: string) {
  return fourNumbers.test(address) ? ok({ value: address, priority: null, warnings: [] }) : refuse(wrongForm);
}
