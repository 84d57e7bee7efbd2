import { records as english } from "./en/records.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const recordsWords = inLanguage("records", english);
