import { notifications as english } from "./en/notifications.ts";
import { inLanguage } from "./language.ts";

/** The texts of the room. */
export const notificationsWords = inLanguage("notifications", english);
