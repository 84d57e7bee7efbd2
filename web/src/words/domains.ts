import { domains as english } from "./en/domains.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const domainsWords = inLanguage("domains", english);
