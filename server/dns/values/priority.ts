import { ok, refuse, type Result } from "../../platform/result.ts";

/** A decimal number from 0 to `max` (at most five digits), else null. */
export function parseInteger(text: string | undefined, max: number): number | null {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return null;
  const number = Number(text);
  return number <= max ? number : null;
}

/** The refusal of a priority on a type that has none, or null when none was given. */
export function unwantedPriority(recordType: string, priority: number | null | undefined) {
  if (priority === null || priority === undefined) return null;
  return refuse(`The priority must be left out or null, because ${recordType} records have none; only MX and SRV do.`);
}

/** The parts of an MX or SRV value behind the priority, and the priority itself (0-65535). */
export interface Prioritised {
  priority: number;
  rest: string[];
}

/**
 * Splits a client's value of `<priority>` and `restLength` more parts. A value without the priority is completed by the
 * `priority` field; where both are given they must agree. `form` is the value's form with an example, for refusals.
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
      ? refuse(`The value lacks its priority: give it as ${form}, or set the "priority" field.`)
      : ok({ priority: given, rest: parts });
  }
  if (parts.length !== restLength + 1) return refuse(`The value must have the form ${form}.`);
  const own = parseInteger(parts[0], 65535);
  if (own === null) return refuse(`The priority must be a whole number from 0 to 65535: the form is ${form}.`);
  if (given !== null && given !== own) {
    return refuse(
      `The value says priority ${own} and the "priority" field says ${given}: make them agree or leave one out.`,
    );
  }
  return ok({ priority: own, rest: parts.slice(1) });
}
