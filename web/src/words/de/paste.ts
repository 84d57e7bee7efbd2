import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

export const paste: Words["paste"] = {
  title: (zone) => `Einträge zu ${zone} hinzufügen`,
  hint: "Liest Zonendateien, Ausgaben von dig, octoDNS-YAML, CSV, TSV und Terraform. Daraus wird ein Entwurf, der geprüft werden kann.",
  text: "Einträge als Text",
  placeholder: "www 300 IN A 192.0.2.1",
  choose: "Datei wählen…",
  another: "Anderen Text verwenden",
  large: (size, name) => `${size} aus ${name}`,
  clipboard: "der Zwischenablage",
  format: "Format",
  formats: {
    auto: "Erkennen",
    zonefile: "Zonendatei",
    dig: "Ausgabe von dig",
    octodns: "octoDNS-YAML",
    csv: "CSV",
    tsv: "TSV",
    terraform: "Terraform",
  },
  readAs: (format) => `Gelesen als: ${format}`,
  lenient: "Einträge behalten, die eine Regel verletzen, und zu lange Zeichenketten teilen",
  replace: "Einträge desselben Namens und Typs ersetzen",
  reading: "Wird gelesen…",
  comparing: "Wird mit der Zone verglichen…",
  latin1:
    "Diese Datei ist kein UTF-8. Sie wurde als Latin-1 (Windows-1252) gelesen: Bitte Namen und Texte mit Umlauten und Akzenten prüfen.",
  notText: "Das ist keine Textdatei. Bitte eine Zonendatei, CSV-, YAML- oder Terraform-Datei wählen.",
  unreadable: (name) => `Die Datei ${name} lässt sich nicht lesen. Bitte erneut wählen.`,
  tooLarge: (size) => `Dieser Text hat ${size}; höchstens 16 MB lassen sich lesen. Bitte aufteilen.`,
  errors: (count) => counted(count, "Zeile ist nicht lesbar", "Zeilen sind nicht lesbar"),
  fix: "Bitte den Text berichtigen oder sein Format wählen. Nichts wird hinzugefügt, bevor alles lesbar ist.",
  more: (count) => `Und ${count} weitere.`,
  warnings: (count) => counted(count, "Warnung", "Warnungen"),
  line: (line) => `Zeile ${line}`,
  outside: (count) =>
    `${counted(count, "Eintrag liegt außerhalb der Zone und entfällt", "Einträge liegen außerhalb der Zone und entfallen")}.`,
  noneInside: (zone) =>
    `Kein Eintrag von ${zone} gefunden. Namen mit Punkt am Ende müssen mit dem Namen der Zone enden.`,
  soa: "Der SOA-Eintrag entfällt: Der Nameserver verwaltet ihn.",
  records: "Gefundene Einträge",
  tickAll: "Alle Einträge",
  already: (count) => `${counted(count, "Eintrag ist", "Einträge sind")} bereits in der Zone.`,
  ownServers: "Die Nameserver der Zone selbst: nur auswählen, wenn sie sich ändern sollen.",
  foreignType: "Diesen Typ verwalten die Nameserver.",
  locked: "Gesperrt",
  ticked: (count, all) => `${count} von ${all} ausgewählt`,
  tooMany: (most) =>
    `Ein Entwurf fasst höchstens ${most} Änderungen. Bitte weniger auswählen oder die ganze Datei über die Kommandozeile importieren.`,
  add: (count) => `${counted(count, "Änderung", "Änderungen")} in den Entwurf`,
};
