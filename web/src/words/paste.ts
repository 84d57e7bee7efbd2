import { paste as english } from "./en/paste.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const pasteWords = inLanguage("paste", english);
