import { ok, refuse } from "../../platform/result.ts";
import { readHostAsWritten } from "../names/names.ts";
import {
  genericValue,
  parseGeneric,
  readGeneric,
  namedValue,
  printHost,
  writeHost,
  parseInteger,
  takePriority,
} from "./character-strings.ts";
import type { ValueRule } from "./value-rule.ts";

const form = '"<priority> <domain>", such as "10 mail.example.com"';

/** MX: `<priority> <domain>` (RFC 1035 §3.3.9). `0 .` is a null MX: the name accepts no mail (RFC 7505). */
export const mxRule: ValueRule = {
  recordType: "MX",
  write(value, priority) {
    const taken = takePriority(value, 1, priority, form);
    if (!taken.ok) return taken;
    const { priority: preference, rest } = taken.value;
    const [target = ""] = rest;
    if (target === ".") {
      return preference === 0
        ? ok({ value: "0 .", priority: 0, warnings: [] })
        : refuse('The domain "." requires priority 0. Write "0 ." to declare that this name accepts no mail.');
    }
    const written = writeHost(target, "The mail server in the MX value");
    if (!written.ok) return written;
    const { host, warnings } = written.value;
    return ok(namedValue(`${preference} ${host}`, preference, warnings));
  },
  read(fields, origin) {
    const generic = readGeneric(fields);
    if (generic) {
      if (!generic.ok || generic.value.length < 3) return generic.ok ? refuse(`MX data must be ${form}.`) : generic;
      return genericValue(generic.value, generic.value.readUInt16BE(0));
    }
    const [first, second, ...others] = fields;
    const preference = parseInteger(first?.raw, 65535);
    if (preference === null || second === undefined || others.length > 0) return refuse(`MX data must be ${form}.`);
    const host = readHostAsWritten(second.raw, origin);
    return host.ok ? ok(namedValue(`${preference} ${host.value}`, preference)) : host;
  },
  print(value) {
    return parseGeneric(value) ? value : printHost(value);
  },
};
