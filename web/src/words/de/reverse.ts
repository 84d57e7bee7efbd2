import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

export const reverse: Words["reverse"] = {
  title: "Reverse-Zonen",
  intro:
    "PTR-Einträge zu den Adressen der Zonen, die fehlen oder falsch sind. Jeder lässt sich berichtigen, nachdem die Änderung gezeigt wurde.",
  count: (_count, shown) => counted(shown, "Befund", "Befunde"),
  looking: "Wird gesucht…",
  further: "Weitersuchen",
  furtherHint: "Es gibt noch mehr Einträge zu prüfen.",
  emptyTitle: "Nichts zu berichtigen",
  empty:
    "Jede Adresse in den Reverse-Zonen hat ihren PTR-Eintrag. Ein Netz wird geprüft, sobald seine Reverse-Zone, etwa 2.0.192.in-addr.arpa, zu den Domains gehört.",
  problems: {
    missing: "Fehlt",
    stale: "Veraltet",
    mismatched: "Falscher Name",
    unreachable: "Nicht erreichbar",
  },
  says: {
    missing: (address, expected) => `${address} hat keinen PTR-Eintrag. ${expected} hat diese Adresse.`,
    stale: (address, value) => `${address} zeigt auf ${value}, aber dort steht diese Adresse nicht.`,
    mismatched: (address, value, expected) => `${address} zeigt auf ${value}, aber ${expected} hat diese Adresse.`,
    unreachable: (address) => `Kein CNAME führt zum PTR-Eintrag von ${address}.`,
  },
  mend: "Berichtigen…",
  mendAll: (count, shown) => (count === 1 ? "Berichtigen…" : `Alle ${shown} berichtigen…`),
  mendOne: (address) => `${address} berichtigen`,
  notYours: "Für diese Einträge fehlt das Recht zum Ändern.",
  planTitle: (zone) => `Änderungen an ${zone}`,
  planning: "Wird geplant…",
  apply: (_count, shown) => `${counted(shown, "Änderung", "Änderungen")} anwenden`,
  cancel: "Abbrechen",
  done: (zone) => `In ${zone} berichtigt`,
  more: (count) => `und ${counted(count, "weiterer Befund", "weitere Befunde")} in dieser Zone.`,
};
