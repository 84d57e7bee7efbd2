import { badField } from "../../../platform/errors.ts";
import { readRecoveryCode } from "./recovery-codes.ts";
import type { PasskeyAnswer } from "./relying-party.ts";

/** The proof of a second factor. */
export type Proof =
  | { method: "totp" | "email" | "recovery"; code: string }
  | { method: "passkey"; credential: PasskeyAnswer };

/** A proof as submitted by the caller. */
export interface GivenProof {
  method: Proof["method"];
  code?: string | undefined;
  credential?: PasskeyAnswer | undefined;
}

/** @throws AppError BAD_REQUEST for malformed input, which does not count as an attempt */
export function readProof({ method, code, credential }: GivenProof): Proof {
  if (method === "passkey") {
    if (!credential) throw badField(["credential"], "Send the result of the browser's navigator.credentials.get.");
    return { method, credential };
  }
  if (code === undefined) throw badField(["code"], "Enter the code.");
  if (method !== "recovery") return { method, code: readSixDigits(code) };
  const symbols = readRecoveryCode(code);
  if (symbols === null) throw badField(["code"], "A recovery code looks like 7k2m-x0qd-9fhs-3w8c.");
  return { method, code: symbols };
}

/** @throws AppError BAD_REQUEST */
export function readSixDigits(code: string): string {
  if (/^\d{3} ?\d{3}$/.test(code)) return code.replace(" ", "");
  throw badField(["code"], "The code must have six digits.");
}
