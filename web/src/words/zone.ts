import { zone as english } from "./en/zone.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const zoneWords = inLanguage("zone", english);
