import { hashOf } from "../../../platform/opaque-tokens.ts";
import { newSymbols, readSymbols } from "../../auth/readable-codes.ts";

/** 130 bits. */
const symbols = 26;

/** A code in groups of up to five: `7ZK4M-9T2QX-…`. */
export function newInviteCode(): string {
  return newSymbols(symbols).replaceAll(/.{5}(?=.)/g, "$&-");
}

/** How a code is stored and found, however it was typed. */
export function inviteCodeHash(code: string): string {
  return hashOf(`invitation ${readSymbols(code)}`);
}
