import { session as english } from "./en/session.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const sessionWords = inLanguage("session", english);
