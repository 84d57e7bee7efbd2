import { domainDialogs as english } from "./en/domain-dialogs.ts";
import { inLanguage } from "./language.ts";

/** The texts of dialogs and of the first run, which the list of domains comes without. */
export const domainDialogsWords = inLanguage("domainDialogs", english);
