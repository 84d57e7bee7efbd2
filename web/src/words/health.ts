import { health as english } from "./en/health.ts";
import { inLanguage } from "./language.ts";

/** The texts of a zone's health page. */
export const healthWords = inLanguage("health", english);
