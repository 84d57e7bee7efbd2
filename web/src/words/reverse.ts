import { reverse as english } from "./en/reverse.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const reverseWords = inLanguage("reverse", english);
