import { expect } from "vitest";
import type { ValueRule } from "../../../server/dns/values/value-rule.ts";
import { rdataFields } from "../../support/records/rdata-fields.ts";

/** The canonical value of a client's value; fails the test when it is refused. */
export function written(rule: ValueRule, value: string, priority?: number | null): string {
  const result = rule.write(value, priority);
  if (!result.ok) throw new Error(`refused: ${result.message}`);
  return result.value.value;
}

/** The sentence with which a client's value is refused; fails the test when it is accepted. */
export function refusal(rule: ValueRule, value: string, priority?: number | null): string {
  const result = rule.write(value, priority);
  if (result.ok) throw new Error(`accepted as ${result.value.value}`);
  return result.message;
}

/** The canonical value of printed RDATA; fails the test when it is refused. */
export function readText(rule: ValueRule, text: string, origin = "example.com"): string {
  const result = rule.read(rdataFields(text), origin);
  if (!result.ok) throw new Error(`refused: ${result.message}`);
  return result.value.value;
}

/** A canonical value is a fixed point: writing it again, and reading what is printed, both give it back. */
export function expectStable(rule: ValueRule, canonical: string): void {
  expect(written(rule, canonical)).toBe(canonical);
  expectReadable(rule, canonical);
}

/** Reading what is printed gives the value back; holds for values that clients could not have written, too. */
export function expectReadable(rule: ValueRule, canonical: string): void {
  expect(readText(rule, rule.print(canonical), "elsewhere.test")).toBe(canonical);
}
