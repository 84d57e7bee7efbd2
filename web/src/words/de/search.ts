import type { Words } from "../language.ts";
import { counted } from "./count.ts";

export const search: Words["search"] = {
  title: "Suche",
  q: "Teil eines Namens oder Werts",
  example: "203.0.113.7, www, v=spf1…",
  filters: "Mehr Filter",
  fewer: "Weniger Filter",
  value: "Genauer Wert",
  valueHint: "In beliebiger Schreibweise",
  host: "Host",
  hostHint: "www, @ oder *.shop",
  note: "Notiz",
  type: "Typ",
  anyType: "Alle Typen",
  tag: "Schlagwort",
  anyTag: "Alle Schlagwörter",
  clear: "Filter zurücksetzen",
  emptyTitle: "Einträge in allen Zonen finden",
  empty:
    "Einen Teil eines Namens oder Werts eingeben, etwa eine Adresse, von der Server umziehen. Die Filter finden einen genauen Wert, einen Host, eine Notiz oder alle Einträge eines Typs.",
  short: "Bitte mindestens 3 Zeichen eingeben.",
  noneFound: "Kein Eintrag passt dazu.",
  one: "1 Eintrag",
  count: (total) => counted(total, "Eintrag", "Einträge"),
  many: (total) => `Mehr als ${total} Einträge. Um alle zu sehen, bitte die Suche eingrenzen.`,
  replace: "In allen ersetzen…",
  results: "Gefundene Einträge",
  name: "Name",
  held: "Wert",
  ttl: "TTL",
  disabled: "Deaktiviert",
};
