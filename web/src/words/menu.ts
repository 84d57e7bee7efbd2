import { menu } from "./en/menu.ts";
import { inLanguage } from "./language.ts";

/** The texts of the pages about the whole service, and of the menu of the account. */
export const menuWords = inLanguage("menu", menu);
