import type { en } from "./en.ts";

/** The shape of a language: the texts may differ, the keys and the arguments may not. */
export type Words = Widened<typeof en>;

type Widened<Texts> = Texts extends string
  ? string
  : Texts extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof Texts]: Widened<Texts[Key]> };

/** Languages besides English, by their tag: each is one file of the shape above. */
const languages: Readonly<Record<string, Words>> = {};

const chosen = languages[navigator.language] ?? languages[navigator.language.replace(/-.*/, "")];

/** The texts of a room in the language in use. English comes with the room itself, so that the first page need not load all of it. */
export function inLanguage<Room extends keyof Words>(room: Room, english: Words[Room]): Words[Room] {
  return chosen?.[room] ?? english;
}
