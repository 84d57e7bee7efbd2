import { templates as english } from "./en/templates.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const templatesWords = inLanguage("templates", english);
