import { reference as english } from "./en/reference.ts";
import { inLanguage } from "./language.ts";

/** The texts of the API reference. */
export const referenceWords = inLanguage("reference", english);
