import { ok, refuse, type Result } from "../../platform/result.ts";

/** Parses a decimal number from 0 to `max` (at most five digits), or returns null. */
export function parseInteger(text: string | undefined, max: number): number | null {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return null;
  const number = Number(text);
  return number <= max ? number : null;
}

/** Refuses a priority for a type that has none. Returns null if none was given. */
export function unwantedPriority(recordType: string, priority: number | null | undefined) {
  if (priority === null || priority === undefined) return null;
  return refuse(`The priority must be omitted or null, because ${recordType} records have none; only MX and SRV do.`);
}

/** An MX or SRV value split into its priority (0-65535) and the remaining parts. */
export interface Prioritised {
  priority: number;
  rest: string[];
}

/**
 * Splits a client's value of `<priority>` and `restLength` more parts. If the value has no priority, the `priority` field supplies it;
 * if both are given, they must agree.
 * @param form the value's form with an example, for refusals
 */
export function takePriority(
  value: string,
  restLength: number,
  priority: number | null | undefined,
  form: string,
): Result<Prioritised> {
  const parts = value.trim().split(/[ \t]+/);
  const given = priority ?? null;
  if (given !== null && !(Number.isInteger(given) && given >= 0 && given <= 65535)) {
    return refuse("The priority must be a whole number from 0 to 65535, such as 10.");
  }
  if (parts.length === restLength && parts[0] !== "") {
    return given === null
      ? refuse(`The value has no priority. Use the form ${form}, or set the "priority" field.`)
      : ok({ priority: given, rest: parts });
  }
  if (parts.length !== restLength + 1) return refuse(`The value must have the form ${form}.`);
  const own = parseInteger(parts[0], 65535);
  if (own === null) return refuse(`The priority must be a whole number from 0 to 65535. Use the form ${form}.`);
  if (given !== null && given !== own) {
    return refuse(`The value has priority ${own}, but the "priority" field is ${given}. Make them agree, or omit one.`);
  }
  return ok({ priority: own, rest: parts.slice(1) });
}
