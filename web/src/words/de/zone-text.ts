import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

export const zoneText: Words["zoneText"] = {
  title: (zone) => `${zone} als Text`,
  field: "Zonendatei",
  hint: "Notizen, Sperren und Proxy-Einstellungen bleiben bei ihren Einträgen. Kommentare und die Reihenfolge der Zeilen bleiben nicht erhalten.",
  readOnly: "Diese Zone ist lesbar, aber nicht änderbar.",
  loading: "Zone wird gelesen…",
  madeFrom: (revision) => `Aus Revision ${revision}`,
  open: "Datei öffnen…",
  save: "Als Datei speichern",
  drop: "Datei loslassen, um den Text durch sie zu ersetzen. Noch wird nichts gesendet.",
  opened: (name) => `${name} ist jetzt der Text. Noch wird nichts gesendet.`,
  pasted: "Ein langer Text wurde eingefügt. Noch wird nichts gesendet.",
  undo: "Rückgängig",
  again: "Neu beginnen",
  againTitle: "Neu von der Zone ausgehen?",
  againHint: "Was hier getippt wurde, geht verloren. Der Entwurf bleibt.",
  notText: "Das ist keine Textdatei. Bitte eine Zonendatei wählen.",
  tooLong: (size, most) =>
    `Dieser Text hat ${size}, und der Editor nimmt höchstens ${most}. Er wurde nicht eingefügt. Bitte „Einfügen oder importieren…“ bei den Einträgen oder die Kommandozeile verwenden.`,
  large: (count) => `${count} Einträge sind zu viele, um sie als Text zu bearbeiten`,
  largeHint: (most) =>
    `Der Editor nimmt Zonen mit bis zu ${most} Einträgen. Bitte die Zone exportieren, die Datei bearbeiten und bei den Einträgen einfügen oder importieren, was sich unterscheidet.`,
  toRecords: "Zu den Einträgen",
  plan: "Was der Text ändert",
  changes: "Änderungen",
  comparing: "Wird verglichen…",
  compared: (revision) => `Mit Revision ${revision} verglichen`,
  none: "Keine Änderungen. Sobald der Text bearbeitet wird, erscheint hier, was er anlegt, ändert oder löscht.",
  errors: (count) => counted(count, "Zeile ist nicht lesbar", "Zeilen sind nicht lesbar"),
  errorsHint: "Verglichen wird erst, wenn der ganze Text lesbar ist.",
  problems: (count) => counted(count, "Problem", "Probleme"),
  line: (line) => `Zeile ${line}`,
  toLine: (line, what) => `Zu Zeile ${line} springen: ${what}`,
  more: (count) => `Und ${count} weitere.`,
  warnings: (count) => counted(count, "Warnung", "Warnungen"),
  soa: "Der SOA-Eintrag entfällt: Der Nameserver verwaltet ihn.",
  managed: "Die Einträge der Zonensignatur werden nicht gezeigt: Der Nameserver verwaltet sie.",
  outside: (count) =>
    `${counted(count, "Eintrag liegt außerhalb der Zone und entfällt", "Einträge liegen außerhalb der Zone und entfallen")}.`,
  leftOut: (count) => counted(count, "Änderung entfällt", "Änderungen entfallen"),
  leftOutHint: "Diese Einträge bleiben, wie sie sind; alle anderen Änderungen lassen sich prüfen.",
  foreignType: "Diesen Typ verwalten die Nameserver.",
  locked: "Dieser Eintrag ist gesperrt.",
  tooMany: (count, most) =>
    `Dieser Text ergibt ${count} Änderungen, und ein Entwurf fasst höchstens ${most}. Bitte zuerst einen Teil der Zone ändern oder die ganze Datei über die Kommandozeile importieren.`,
  tooManyShort: "Zu viele Änderungen für einen Entwurf",
  latin1:
    "Diese Datei ist kein UTF-8. Sie wurde als Latin-1 (Windows-1252) gelesen: Bitte Namen und Texte mit Umlauten und Akzenten prüfen.",
  moved: (from, to) =>
    `Die Zone hat sich seit Beginn dieses Textes geändert: Sie hat Revision ${to}, und der Text begann mit ${from}. Was andere geändert haben, bleibt, sofern der Text nicht denselben Eintrag ändert.`,
  takeTheirs: "Deren Änderungen im Text zeigen",
  draftMoved:
    "Der Entwurf hat sich seit Beginn dieses Textes anderswo geändert. Der Text zeigt jene Änderungen noch nicht. Seine eigenen kommen zum Entwurf hinzu.",
  showDraft: "Entwurf im Text zeigen",
  gone: "Der Stand, mit dem dieser Text begann, ist nicht mehr gespeichert. Deshalb wird der Text mit der Zone verglichen, wie sie jetzt ist. Was andere seither hinzugefügt haben, erscheint als gelöscht.",
  elsewhere:
    "Ein anderer Tab bearbeitet diesen Text ebenfalls. Nach dem Neuladen erscheint, was zuletzt getippt wurde.",
  filtered: "Nur der eigene Teil dieser Zone ist sichtbar. Der Rest bleibt, wie er ist.",
};
