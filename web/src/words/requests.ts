import { requests as english } from "./en/requests.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const requestsWords = inLanguage("requests", english);
