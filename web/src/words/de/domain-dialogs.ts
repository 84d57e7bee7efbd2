import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

const domains = (count: number) => counted(count, "Domain", "Domains");

export const domainDialogs: Words["domainDialogs"] = {
  applyTemplate: "Vorlage anwenden…",
  emptyTitle: "Noch keine Domains",
  emptyAdmin:
    "Zonen importieren, die ein Nameserver oder DNS-Anbieter bereits ausliefert: Dort ändert sich dadurch nichts. Oder eine neue Domain hinzufügen.",
  emptyMember: "Hier erscheint eine Domain, sobald Administratoren sie zuweisen.",
  addTitle: "Domain hinzufügen",
  addHint: "Die Zone wird beim Anbieter angelegt. Gibt es sie dort schon, werden ihre Einträge gelesen.",
  onlyName: "Nur der Name wird verwendet.",
  nameExample: "example.com",
  viewHint: "Für mehrere Zonen desselben Namens, etwa intern.",
  expiresHint: "Wann die Registrierung endet, falls bekannt.",
  addTagsHint: "Durch Kommas trennen.",
  fromFiles: "Aus Zonendateien…",
  filesTitle: "Domains aus Zonendateien hinzufügen",
  filesHint:
    "Eine Domain je Datei, etwa aus dem Export von Cloudflare oder einem anderen Anbieter. Die Zone wird beim Anbieter angelegt und bekommt die Einträge der Datei.",
  zoneOf: (file) => `Domain zu ${file}`,
  recordsInFile: (count, shown) => (count === 1 ? "1 Eintrag" : `${shown} Einträge`),
  inLine: (line, message) => `Zeile ${line}: ${message}`,
  notText: "Das ist keine Textdatei.",
  tooLarge: "Die Datei hat mehr als 16 MiB. Bitte teilen.",
  unreadableFile: "Die Datei ist nicht lesbar. Bitte noch einmal wählen.",
  addedFile: "Hinzugefügt",
  withoutRecords: (reason) => `Die Domain wurde hinzugefügt, ihre Einträge nicht: ${reason}`,
  addFiles: (count) => `${domains(count)} hinzufügen`,
  addedFromFiles: (count) => `${domains(count)} hinzugefügt.`,
  added: (name) => `${name} hinzugefügt.`,
  connect: "Anbieter verbinden",
  foundTitle: (count) => (count === 1 ? "Hier wartet eine Zone" : `Hier warten ${counted(count, "Zone", "Zonen")}`),
  found: (names, more) =>
    `Im Zonenordner: ${names}${more > 0 ? ` und ${more} weitere` : ""}. Der Import liest die Dateien und ändert nichts daran.`,
  importFound: (count) => (count === 1 ? "Diese Zone importieren" : "Diese Zonen importieren"),
  unusable: (count) =>
    count === 1
      ? "1 Zonendatei lässt sich nicht importieren"
      : `${counted(count, "", "Zonendateien")} lassen sich nicht importieren`,
  tag: "Schlagwort",
  addTagTo: (count) => `${domains(count)}: Schlagwort hinzufügen`,
  removeTagFrom: (count) => `${domains(count)}: Schlagwort entfernen`,
  reminders: "Erinnerungen…",
  setReminders: "Erinnerungen setzen",
  remindOf: (count) => `${domains(count)}: Erinnerungen setzen`,
  reminded: (count, days) => `${domains(count)}: Erinnerung ${days} Tage vor Ablauf.`,
  progress: (done, total) => `${done} von ${total}`,
  stop: "Abbrechen",
  tagged: (count, tag) => `${domains(count)} mit dem Schlagwort ${tag} versehen.`,
  untagged: (count, tag) => `Das Schlagwort ${tag} wurde von ${domains(count)} entfernt.`,
  notTagged: (count) => `${domains(count)} unverändert:`,
};
