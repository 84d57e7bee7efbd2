import { portfolio as english } from "./en/portfolio.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const portfolioWords = inLanguage("portfolio", english);
