import { account as english } from "./en/account.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const accountWords = inLanguage("account", english);
