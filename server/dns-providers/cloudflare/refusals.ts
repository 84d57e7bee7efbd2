import { z } from "zod";
import { maybe } from "../vendor-api/maybe.ts";

/** A refusal. */
export interface Refusal {
  status: number;
  codes: readonly number[];
  /** Cloudflare's messages, each with its code. */
  reason: string;
}

const errorEntry = z.object({
  code: maybe(z.number()),
  message: maybe(z.string()).transform((message) => message ?? ""),
});
const body = z.object({
  errors: z.array(
    errorEntry
      .extend({ error_chain: maybe(z.array(errorEntry)) })
      .transform(({ error_chain: chain = [], ...error }) => [error].concat(chain)),
  ),
});

/** Returns the codes and messages in a refusal's body. */
export function reasonIn(answer: unknown): { codes: number[]; reason: string } {
  const parsed = body.safeParse(answer);
  const errors = parsed.success ? parsed.data.errors.flat() : [];
  return {
    codes: errors.flatMap(({ code }) => code ?? []),
    reason:
      errors.map(({ code, message }) => (code === undefined ? message : `${message} (${code})`)).join(" ") ||
      "no reason given",
  };
}

/** Codes for a malformed header, an unknown or expired token, or one without the permission. */
const tokenCodes = new Set([6003, 6111, 9106, 9109, 10_000]);

export function refusesToken({ status, codes }: Refusal): boolean {
  return status === 401 || status === 403 || codes.some((code) => tokenCodes.has(code));
}

/** Returns whether it is "Authentication error", which also comes now and then for valid tokens (octodns/octodns-cloudflare#121). */
export function mayBeSporadic(answer: unknown): boolean {
  return reasonIn(answer).codes.includes(10_000);
}

/** Codes for an identifier that is not a zone of this token. */
const noZoneCodes = new Set([1001, 1049, 7003]);

export function saysZoneMissing({ status, codes }: Refusal): boolean {
  // Codes above 80,000 are about records.
  return codes.some((code) => noZoneCodes.has(code)) || (status === 404 && !codes.some((code) => code > 80_000));
}

/** Returns whether the account already has a zone of this name. */
export function saysZoneExists({ codes }: Refusal): boolean {
  return codes.includes(1061);
}
