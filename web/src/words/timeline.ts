import { timeline as english } from "./en/timeline.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const timelineWords = inLanguage("timeline", english);
