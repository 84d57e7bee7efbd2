import { createHmac } from "node:crypto";
import { second, type Clock } from "../clock.ts";
import type { RestClient } from "../rest-client.ts";

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
export const step = 30 * second;

/** The code that an authenticator app shows at a moment (RFC 6238 §4, RFC 4226 §5.3). */
export function codeAt(secret: string, moment: Date): string {
  const bits = Array.from(secret, (symbol) => base32.indexOf(symbol).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(moment.getTime() / step)));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

/** The codes of some steps before and after a moment. */
function codesAround(secret: string, moment: Date, before: number, after: number): string[] {
  return Array.from({ length: before + 1 + after }, (_, index) =>
    codeAt(secret, new Date(moment.getTime() + (index - before) * step)),
  );
}

/** Codes that the app shows neither at a moment nor within two steps of it. */
export function wrongCodesAt(secret: string, moment: Date, count: number): string[] {
  const right = codesAround(secret, moment, 2, 2);
  const others = Array.from({ length: count + right.length }, (_, index) => String(index).padStart(6, "0"));
  return others.filter((code) => !right.includes(code)).slice(0, count);
}

/** A code that the app shows neither at a moment nor within two steps of it. */
export function wrongCodeAt(secret: string, moment: Date): string {
  return wrongCodesAt(secret, moment, 1)[0] ?? "";
}

/**
 * Sets up an app for an account. By chance, two steps of a secret have the same code: then a used code, or one that is not yet valid, works as
 * another one. So this is repeated until the codes of the next half hour differ.
 * @returns its secret
 */
export async function setUpApp(client: RestClient, now: Date): Promise<string> {
  for (;;) {
    const { status, body } = await client.post("/api/2fa/totp/setup");
    if (status !== 200) throw new Error(`The app could not be set up: ${JSON.stringify(body)}`);
    const codes = codesAround(body.secret, now, 4, 60);
    if (new Set(codes).size === codes.length) return body.secret;
  }
}

/** Sets the clock to the middle of the next time step, so none ends during a test. */
export function middleOfStep(clock: Clock): void {
  clock.advance(1.5 * step - (clock.now().getTime() % step));
}
