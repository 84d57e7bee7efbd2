import type { Words } from "../shape.ts";

export const notifications: Words["notifications"] = {
  title: "Benachrichtigungen",
  unread: (count) => `${count} ungelesen`,
  all: "Alle",
  onlyUnread: "Ungelesen",
  filter: "Anzeigen",
  readAll: "Alle als gelesen markieren",
  deleteAll: "Alle löschen",
  deleteAllTitle: "Alle Benachrichtigungen löschen",
  deleteAllHint: "Das lässt sich nicht rückgängig machen. Worum es darin geht, bleibt unberührt.",
  delete: (title) => `Löschen: ${title}`,
  isUnread: "Ungelesen",
  open: (name) => `${name} öffnen`,
  openRequest: (number) => `Antrag #${number} öffnen`,
  emptyTitle: "Keine Benachrichtigungen",
  empty:
    "Hier erscheinen Benachrichtigungen zu anderswo geänderten Zonen, ablaufenden Registrierungen und zum eigenen Konto.",
  emptyUnread: "Keine ungelesenen Benachrichtigungen.",
  list: "Benachrichtigungen",
  today: "Heute",
};
