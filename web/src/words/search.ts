import { search as english } from "./en/search.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const searchWords = inLanguage("search", english);
