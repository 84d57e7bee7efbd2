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
export function isCommon(password: string, words: readonly string[]): boolean {
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
