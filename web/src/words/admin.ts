import { admin as english } from "./en/admin.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const adminWords = inLanguage("admin", english);
