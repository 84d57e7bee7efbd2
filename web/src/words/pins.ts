import { pins as english } from "./en/pins.ts";
import { inLanguage } from "./language.ts";

/** The texts of pinned zones and saved searches. */
export const pinsWords = inLanguage("pins", english);
