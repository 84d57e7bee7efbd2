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

const form = '"<priority> <weight> <port> <target>", such as "10 5 5060 sip.example.com"';

/** SRV: `<priority> <weight> <port> <target>` (RFC 2782); the target `.` means that the service is not available. */
export const srvRule: ValueRule = {
  recordType: "SRV",
  write(value, priority, door = "api") {
    const taken = takePriority(value, 3, priority, form);
    if (!taken.ok) return taken;
    const [weightText, portText, target = ""] = taken.value.rest;
    const weight = parseInteger(weightText, 65535);
    if (weight === null) return refuse(`The weight must be a whole number from 0 to 65535. Use the form ${form}.`);
    const port = parseInteger(portText, 65535);
    if (port === null || (port === 0 && door === "api"))
      return refuse(
        `The port must be a whole number from 1 to 65535. Use the form ${form}. To say that a service is not offered, write "0 0 1 ." (RFC 2782).`,
      );
    const written = target === "." ? ok({ host: ".", warnings: [] }) : writeHost(target, "The target in the SRV value");
    if (!written.ok) return written;
    const { host, warnings } = written.value;
    const first = taken.value.priority;
    return ok(namedValue(`${first} ${weight} ${port} ${host}`, first, warnings));
  },
  read(fields, origin) {
    const generic = readGeneric(fields);
    if (generic) {
      if (!generic.ok || generic.value.length < 7) return generic.ok ? refuse(`SRV data must be ${form}.`) : generic;
      return genericValue(generic.value, generic.value.readUInt16BE(0));
    }
    const [first, weight, port] = fields.slice(0, 3).map((field) => parseInteger(field.raw, 65535) ?? undefined);
    const target = fields[3];
    if (
      first === undefined ||
      weight === undefined ||
      port === undefined ||
      target === undefined ||
      fields.length > 4
    ) {
      return refuse(`SRV data must be ${form}.`);
    }
    const host = readHostAsWritten(target.raw, origin);
    return host.ok ? ok(namedValue(`${first} ${weight} ${port} ${host.value}`, first)) : host;
  },
  print(value) {
    return parseGeneric(value) ? value : printHost(value);
  },
};
