import { createHmac } from "node:crypto";
import { second, type Clock } from "../clock.ts";

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

/** A code that the app shows neither at a moment nor within two steps of it. */
export function wrongCodeAt(secret: string, moment: Date): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => codeAt(secret, new Date(moment.getTime() + steps * step)));
  return ["000000", "000001", "000002", "000003", "000004", "000005"].find((code) => !right.includes(code)) ?? "";
}

/** Sets the clock to the middle of the next time step, so none ends during a test. */
export function middleOfStep(clock: Clock): void {
  clock.advance(1.5 * step - (clock.now().getTime() % step));
}
