import { zoneText as english } from "./en/zone-text.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const zoneTextWords = inLanguage("zoneText", english);
