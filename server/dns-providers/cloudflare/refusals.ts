import { z } from "zod";

/** An answer that is not a success. */
export interface Refusal {
  status: number;
  codes: readonly number[];
  /** Cloudflare's own sentences, each with its code. */
  reason: string;
}

const told = z.object({ code: z.number().optional(), message: z.string().default("") });
const body = z.object({ errors: z.array(told.extend({ error_chain: z.array(told).optional() })) });

/** What the body of a refusal says. */
export function reasonIn(answer: unknown): { codes: number[]; reason: string } {
  const parsed = body.safeParse(answer);
  const errors = parsed.success ? parsed.data.errors.flatMap((error) => [error].concat(error.error_chain ?? [])) : [];
  return {
    codes: errors.flatMap(({ code }) => code ?? []),
    reason:
      errors.map(({ code, message }) => (code === undefined ? message : `${message} (${code})`)).join(" ") ||
      "it gives no reason",
  };
}

/** A bad form of the header, an unknown or expired token, one without the right. */
const tokenCodes = new Set([6003, 6111, 9106, 9109, 10_000]);

export function refusesToken({ status, codes }: Refusal): boolean {
  return status === 401 || status === 403 || codes.some((code) => tokenCodes.has(code));
}

/** An identifier that is no zone of this token's. */
const noZoneCodes = new Set([1001, 1049, 7003]);

export function saysZoneMissing({ status, codes }: Refusal): boolean {
  // Above 80,000 are codes about records.
  return codes.some((code) => noZoneCodes.has(code)) || (status === 404 && !codes.some((code) => code > 80_000));
}

/** A zone of this name is in this account already. */
export function saysZoneExists({ codes }: Refusal): boolean {
  return codes.includes(1061);
}
