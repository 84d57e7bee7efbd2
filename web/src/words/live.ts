import { live } from "./en/live.ts";
import { inLanguage } from "./language.ts";

/** The texts of the live connection. */
export const liveWords = inLanguage("live", live);
