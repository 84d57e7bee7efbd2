import { palette as english } from "./en/palette.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const paletteWords = inLanguage("palette", english);
