import { badField } from "./errors.ts";
import { dictionary } from "@zxcvbn-ts/language-common";

/** About 50,000 leaked passwords in lower case, which attackers try first. */
const known: ReadonlySet<string> = new Set(dictionary["passwords-common"]);

/** Shorter words occur in good passwords by chance. */
const shortestWord = 4;
/** Number of digits and symbols around a known word that still leave it easy to guess. */
const paddingLimit = 8;

/**
 * Returns whether a password is easy to guess: a known password or one of `words`, also repeated or surrounded by digits and symbols,
 * ignoring case; or a short repeated sequence.
 * @param words the user's names and addresses
 */
function isCommon(password: string, words: readonly string[]): boolean {
  const text = password.toLowerCase();
  const personal = new Set(words.map((word) => word.normalize("NFC").toLowerCase()));
  const isWord = (one: string) => known.has(one) || personal.has(one);
  if (isWord(text) || repeats(text, isWord)) return true;
  const word = text.replace(/^[^\p{L}]+/u, "").replace(/[^\p{L}]+$/u, "");
  if (word.length < shortestWord || text.length - word.length > paddingLimit) return false;
  return isWord(word) || repeats(word, isWord);
}

/** Returns whether a text repeats up to four characters at least three times, or a word at least twice. */
function repeats(text: string, isWord: (one: string) => boolean): boolean {
  const period = (text + text).indexOf(text, 1);
  const times = text.length / period;
  const unit = text.slice(0, period);
  return times >= 3 && period <= 4 ? true : times >= 2 && isWord(unit);
}

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
