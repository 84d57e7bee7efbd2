import { secondaries as english } from "./en/secondaries.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const secondariesWords = inLanguage("secondaries", english);
