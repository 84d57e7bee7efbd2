import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

export const assignments: Words["admin"]["assignments"] = {
  title: "Zuweisungen",
  count: (total) => counted(total, "Zuweisung", "Zuweisungen"),
  one: "1 Zuweisung",
  hint: "Welche Mitglieder Einträge von Zonen, die ihnen nicht gehören, sehen oder ändern dürfen, und bis wann. Zugewiesen wird in der Zone, auf ihrer Seite Zugriff.",
  member: "Mitglied",
  person: "Mitglied",
  personSearch: "Alle",
  personNone: "Kein Benutzer passt dazu.",
  self: "Sie",
  zone: "Zone",
  zones: "Zonen",
  group: (name) => `Gruppe ${name}`,
  tag: (name) => `Tag ${name}`,
  records: "Einträge",
  may: "Darf",
  ends: "Endet",
  noEnd: "Nie",
  fromGroup: "aus einer Gruppe eines Anmeldedienstes",
  clear: "Alle zeigen",
  emptyTitle: "Noch niemand hat Zugriff",
  empty:
    "Mitglieder sehen nur ihre eigenen Zonen. Eine Zone oder einige ihrer Hosts werden in der Zone zugewiesen, auf ihrer Seite Zugriff.",
  noneFound: "Keine Zuweisung passt dazu.",
};
