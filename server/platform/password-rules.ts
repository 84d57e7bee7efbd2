import { badField } from "./errors.ts";
import { isCommon } from "./common-passwords.ts";

const shortest = 12;
const longest = 256;

/** Whom a password is for: what others know of the user is the first that they try. */
export interface PasswordOwner {
  username: string;
  email?: string | null | undefined;
}

/**
 * What is wrong with a new password, to follow a subject as in "It must have …"; null for a good one. Any character counts as
 * one, and nothing is demanded of their kind (NIST SP 800-63B §3.1.1.2).
 */
export function passwordFault(password: string, { username, email }: PasswordOwner): string | null {
  if (!password.isWellFormed()) return "must be well-formed Unicode";
  const text = password.normalize("NFC");
  const length = Array.from(text).length;
  if (length < shortest) return `must have at least ${shortest} characters`;
  if (length > longest) return `must have at most ${longest} characters`;
  const words = ["zonewright", username, ...(email ? [email, email.replace(/@.*$/s, "")] : [])];
  if (isCommon(text, words)) {
    return "must not be one that is tried first, such as a well-known password or a name with digits added; take a few words that have nothing to do with each other";
  }
  return null;
}

/**
 * Refuses a password that is too short, too long or easy to guess. Called by whatever sets one.
 * @param field the input's field that holds it.
 * @throws AppError BAD_REQUEST with the field
 */
export function assertGoodPassword(password: string, owner: PasswordOwner, field: string): void {
  const fault = passwordFault(password, owner);
  if (fault !== null) throw badField([field], `The password ${fault}.`);
}
