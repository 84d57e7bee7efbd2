import { dictionary } from "@zxcvbn-ts/language-common";

/** Some 50,000 passwords known from leaks, in lower case: those that are guessed first. */
const known: ReadonlySet<string> = new Set(dictionary["passwords-common"]);

/** Shorter words stand within good passwords by chance. */
const shortestWord = 4;
/** How many digits and signs around a known word still leave it easy to guess. */
const paddingLimit = 8;

/**
 * Whether a password is one of the first to be guessed: a known one or one of `words`, also doubled, or with digits and signs
 * around it, in any case of letters; or a few characters over and over.
 * @param words what stands for the user: names and addresses.
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

/** The same four characters or fewer at least three times, or a word at least twice. */
function repeats(text: string, isWord: (one: string) => boolean): boolean {
  const period = (text + text).indexOf(text, 1);
  const times = text.length / period;
  const unit = text.slice(0, period);
  return times >= 3 && period <= 4 ? true : times >= 2 && isWord(unit);
}
