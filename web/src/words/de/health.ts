import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

export const health: Words["health"] = {
  title: "Zustand",
  inRecords: "In den Einträgen",
  inRecordsHint: "Prüft nur gespeicherte Einträge und sendet keine DNS-Anfragen.",
  fine: (checked) => `Geprüft: ${checked}. Alles in Ordnung.`,
  checked: (faults, checked) => `Geprüft: ${checked}. Gefunden: ${faults}.`,
  records: (_count, shown) => counted(shown, "Eintrag", "Einträge"),
  faults: (_count, shown) => counted(shown, "Fehler", "Fehler"),
  isPart: "Nur einige Hosts sind sichtbar. Fehlende Einträge werden nicht gemeldet.",
  omitted: (count) =>
    `${counted(count, "weiterer ist nicht aufgeführt. Er erscheint", "weitere sind nicht aufgeführt. Sie erscheinen")}, sobald diese behoben sind.`,
  again: "Erneut prüfen",
  severities: { error: "Fehler", warning: "Warnung", info: "Hinweis" },
  inDraft: "Im Entwurf beheben",
  inDraftOf: (message) => `Im Entwurf beheben: ${message}`,
  drafted: (count, shown) =>
    count === 1
      ? "1 Änderung steht im Entwurf. Bitte prüfen und anwenden."
      : `${counted(shown, "", "Änderungen")} stehen im Entwurf. Bitte prüfen und anwenden.`,
  changed: "Die Zone hat sich seit der Prüfung geändert. So sieht sie jetzt aus.",
  inOtherDraft: "Der Entwurf ändert diese Einträge bereits. Bitte zuerst jene Änderungen anwenden oder verwerfen.",
  template: "Vorlage suchen",
  more: (count) => `und ${counted(count, "weiterer", "weitere")}`,
  ptr: "PTR-Einträge",
  ptrHint: "Reverse-Einträge der Adressen dieser Zone, die fehlen oder nicht übereinstimmen.",
  ptrFine: "In den sichtbaren Reverse-Zonen fehlt kein PTR-Eintrag, und keiner ist falsch.",
  ptrLooking: "Wird gesucht…",
  ptrFurther: "Weitersuchen",
  ptrPartly: (found) => `Bisher ${found}. Es gibt noch mehr Einträge zu prüfen.`,
  ptrOmitted: (count) => `${counted(count, "weiterer ist", "weitere sind")} hier nicht aufgeführt.`,
  ptrMend: "Unter „Reverse-Zonen“ beheben",
};
