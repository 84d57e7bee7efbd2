import { badField } from "./errors.ts";
import { isCommon } from "./common-passwords.ts";

const shortest = 12;
const longest = 256;

/** The user of a password, because attackers try names and addresses first. */
export interface PasswordOwner {
  username: string;
  email?: string | null | undefined;
}

/**
 * Returns what is wrong with a new password as a predicate ("must have at least …"), or null. Counts every code point as one character
 * and requires no character classes (NIST SP 800-63B §3.1.1.2).
 */
export function passwordFault(password: string, { username, email }: PasswordOwner): string | null {
  if (!password.isWellFormed()) return "must be well-formed Unicode";
  const text = password.normalize("NFC");
  const length = Array.from(text).length;
  if (length < shortest) return `must have at least ${shortest} characters`;
  if (length > longest) return `must have at most ${longest} characters`;
  const words = ["zonewright", username, ...(email ? [email, email.replace(/@.*$/s, "")] : [])];
  if (isCommon(text, words)) {
    return "must not be easy to guess, like a common password or a name with digits. Choose several unrelated words";
  }
  return null;
}

/**
 * Refuses a password that is too short, too long or easy to guess. Every call that sets a password uses it.
 * @param field the input field that contains the password
 * @throws AppError BAD_REQUEST with the field
 */
export function assertGoodPassword(password: string, owner: PasswordOwner, field: string): void {
  const fault = passwordFault(password, owner);
  if (fault !== null) throw badField([field], `The password ${fault}.`);
}
