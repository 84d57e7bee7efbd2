/** What reads records from text. It loads together: the first page names every file that it may load, and has little room. */
export { PasteDialog } from "./paste/paste-dialog.tsx";
export { TextPage } from "./text/text-page.tsx";
