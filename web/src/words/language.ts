import { local } from "../ui/storage.ts";
import type { Words } from "./shape.ts";

export type Language = "de" | "en";

/** Where the browser keeps the chosen language, if somebody chose one. Read by early.ts, too. */
export const languageKey = "zonewright.language";

/** The types promise what some embedded browsers do not have. */
const preferred: readonly string[] | undefined = navigator.languages;

/** The chosen language and those of the browser, as far as there is a dictionary. What a browser reports need not be a tag: under `LANG=C`, some say "C". */
const tags = [local.getItem(languageKey) ?? "", ...(preferred ?? [])].filter((tag) => /^(de|en)\b/i.test(tag));

/** The language in use. */
export const language = (tags[0] ?? "en").slice(0, 2).toLowerCase() as Language;

/** The language of dates, numbers and order: that of the texts, as the browser's region writes it. */
export const locale = tags.find((tag) => tag.startsWith(language) && /^..-([A-Z]{2}|\d{3})$/.test(tag)) ?? language;

/** The texts of the rooms that are loaded. */
const rooms: { -readonly [Room in keyof Words]?: Words[Room] } = {};
let dictionary: Words | undefined;

/**
 * The texts of a room in the language in use. English comes with the room itself, so that the first page need not load all of it, and another
 * language writes over it.
 */
export function inLanguage<Room extends keyof Words>(room: Room, english: Words[Room]): Words[Room] {
  rooms[room] = english;
  return Object.assign(english, dictionary?.[room]);
}

/** Loads what only those need who do not read English. Await it before anything is shown or another page is loaded. */
export async function loadLanguage(): Promise<void> {
  if (language === "en") return;
  try {
    dictionary = (await import("./de.ts")).de;
  } catch {
    // English is there already, and the page says so.
    return;
  }
  document.documentElement.lang = language;
  for (const [room, texts] of Object.entries(rooms)) inLanguage(room as keyof Words, texts);
}
