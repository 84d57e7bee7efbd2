import { queries, type EntityManager } from "../../../database/database.ts";
import { lockAccount } from "../../users/account.ts";
import { hashOf } from "../../../platform/ids.ts";
import { randomBytes } from "node:crypto";

const codesAtOnce = 10;
/** 80 bits: too many to guess, so a plain hash is enough. */
const symbols = 16;

/** Returns the symbols of a typed recovery code, or null if it is not a valid code. */
export function readRecoveryCode(typed: string): string | null {
  const code = readSymbols(typed);
  return code.length === symbols && areSymbols(code) ? code.toLowerCase() : null;
}

/** Manages a user's ten recovery codes, each valid for one sign-in. Stores only hashes. */
export class RecoveryCodes {
  /** Replaces the remaining codes with ten new ones. Call it within a transaction. */
  async replace(em: EntityManager, userId: string): Promise<string[]> {
    const codes = Array.from({ length: codesAtOnce }, () => newSymbols(symbols).toLowerCase());
    // Two parallel calls must not leave twenty codes.
    await lockAccount(em, userId);
    await this.removeAll(em, userId);
    await queries(em)
      .insertInto("recovery_codes")
      .values(codes.map((code) => ({ user_id: userId, code_hash: hashOfCode(userId, code) })))
      .execute();
    return codes.map((code) => (code.match(/.{4}/g) ?? []).join("-"));
  }

  /** Consumes a code. Only one of several parallel calls succeeds. @param code as returned by `readRecoveryCode` */
  async use(em: EntityManager, userId: string, code: string): Promise<boolean> {
    const { numDeletedRows } = await queries(em)
      .deleteFrom("recovery_codes")
      .where("user_id", "=", userId)
      .where("code_hash", "=", hashOfCode(userId, code))
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  async left(em: EntityManager, userId: string): Promise<number> {
    const { count } = await queries(em)
      .selectFrom("recovery_codes")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async removeAll(em: EntityManager, userId: string): Promise<void> {
    await queries(em).deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  }
}

function hashOfCode(userId: string, code: string): string {
  return hashOf(`recovery code ${userId} ${code}`);
}

/** Crockford's base 32, which has no letters that look like digits. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const form = new RegExp(`^[${alphabet}]+$`);

/** Returns random symbols of five bits each, which people can read aloud and type. */
export function newSymbols(count: number): string {
  return Array.from(randomBytes(count), (byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

/** Returns the symbols of a typed code. Ignores case, hyphens and spaces, and accepts letters that look like digits. */
export function readSymbols(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
}

/** Returns whether a text consists only of valid symbols. */
function areSymbols(text: string): boolean {
  return form.test(text);
}
