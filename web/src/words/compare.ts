import { compare as english } from "./en/compare.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const compareWords = inLanguage("compare", english);
