import { replace as english } from "./en/replace.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const replaceWords = inLanguage("replace", english);
