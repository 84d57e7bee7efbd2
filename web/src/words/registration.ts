import { registration as english } from "./en/registration.ts";
import { inLanguage } from "./language.ts";

/** The texts of a registration's page. */
export const registrationWords = inLanguage("registration", english);
