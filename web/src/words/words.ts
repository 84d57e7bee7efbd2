import { shell, ui } from "./en/shell.ts";
import { inLanguage } from "./language.ts";

/** The texts that every page needs. Those of a room are in a file of its name beside this one. */
export const words = {
  shell: inLanguage("shell", shell),
  ui: inLanguage("ui", ui),
};
