import type { Words } from "../language.ts";
import { counted } from "./count.ts";

export const templates: Words["templates"] = {
  title: "Vorlagen",
  intro:
    "Einen erprobten Satz von Einträgen, etwa den eines Mail-Anbieters, in einem Schritt auf eine Zone anwenden. Jede Änderung ist zu sehen, bevor etwas gesendet wird.",
  search: "Nach Anbieter oder Dienst filtern",
  list: "Vorlagen",
  noneFound: "Keine Vorlage passt dazu.",
  builtIn: "Mitgeliefert",
  facts: (_count, shown, variables) =>
    `${counted(shown, "Eintrag", "Einträge")}${variables === 0 ? "" : `, ${counted(variables, "Wert", "Werte")} auszufüllen`}`,
  import: "Importieren…",
  importTitle: "Vorlage importieren",
  importHint:
    "Eine Vorlage im JSON-Format von Domain Connect einfügen oder ihre Datei wählen. Noch wird nichts angewendet.",
  json: "Vorlage",
  notJson: (reason) => `Das ist kein JSON: ${reason}`,
  notObject: "Bitte eine einzelne Vorlage einfügen: ein Objekt, das mit { beginnt.",
  file: "Datei wählen…",
  importNow: "Importieren",
  replaceNow: "Neue Fassung speichern",
  update: "Neue Fassung…",
  updateTitle: (name) => `Neue Fassung von ${name}`,
  updateHint: "Zonen bleiben, wie sie sind, bis die Aktualisierung der verknüpften geplant wird.",
  at: (path, message) => `${path}: ${message}`,
  cancel: "Abbrechen",
  delete: "Löschen…",
  deleteTitle: (name) => `Vorlage ${name} löschen?`,
  deleteHint: "Die Einträge, die sie angelegt hat, bleiben.",
  deleteNow: "Löschen",
  apply: "Auf eine Zone anwenden",
  zone: "Zone",
  zoneMissing: "Bitte die Zone wählen.",
  zoneUnknown: "Eine Zone dieses Namens gibt es hier nicht.",
  host: "Host",
  hostHint: "@ für die Zone selbst oder ein Name darunter, etwa shop.",
  hostMissing: "Diese Vorlage braucht einen Host unterhalb der Zone.",
  groups: "Teile",
  filled: (filled, all) => `${filled} von ${all} Werten ausgefüllt`,
  missing: "Diese Angabe fehlt.",
  values: "Werte",
  onlyEmpty: "Nur leere",
  allFilled: "Alle Werte sind ausgefüllt.",
  paste: "Werte einfügen",
  pasteHint: "Je Zeile name=wert oder ein JSON-Objekt. Namen, die die Vorlage nicht hat, entfallen.",
  pasteNow: "Ausfüllen",
  pasted: (count) => `${count} ausgefüllt`,
  pastedNone: "Keine Zeile nennt einen Wert dieser Vorlage.",
  linked: "Zone verknüpft lassen: Eine neue Fassung der Vorlage lässt sich dann auf alle verknüpften Zonen anwenden",
  plan: "Plan zeigen",
  planTitle: (zone) => `Plan für ${zone}`,
  nothing: "Die Zone hat bereits alles, was diese Vorlage anlegt.",
  conflicts: (count, shown) =>
    count === 1
      ? "1 Eintrag wird gelöscht, weil er der Vorlage widerspricht."
      : `${counted(shown, "", "Einträge")} werden gelöscht, weil sie der Vorlage widersprechen.`,
  toDraft: "In den Entwurf der Zone übernehmen",
  drafted: (template) =>
    `${template} steht im Entwurf und lässt sich dort bearbeiten, zusammen mit anderen Änderungen.`,
  inOtherDraft: "Der Entwurf dieser Zone ändert diese Einträge schon anders. Bitte ihn zuerst anwenden oder verwerfen.",
  applyNow: (zone) => `Auf ${zone} anwenden`,
  applied: (name, zone) => `${name} auf ${zone} angewendet`,
  before: "Bereits angewendet",
  appliedAt: (host, ago, linked) => `Angewendet bei ${host} ${ago}${linked ? ", verknüpft" : ""}.`,
  replacesOwn: "Erneutes Anwenden dort ersetzt, was sie angelegt hat.",
  forgetAt: (host) => `Bei ${host} vergessen`,
  forget: "Vergessen",
  forgotten: "Vergessen. Die Einträge bleiben.",
  unsupported: "Einige Einträge lassen sich nicht anwenden",
  unsupportedHint: (type, reason) => `${type}: ${reason}`,
  phishing: "Bitte jeden Wert prüfen: Diese Vorlage warnt, dass ihre Werte missbraucht werden können.",
  records: "Einträge",
  type: "Typ",
  name: "Name",
  value: "Wert",
  ttl: "TTL",
  more: (count) => `und ${count} weitere`,
  linkedTitle: "Verknüpfte Zonen",
  linkedHint:
    "Verknüpfte Zonen folgen der Vorlage. Zuerst zeigt ein Plan, was ihre jetzige Fassung darin ändert; dann lässt er sich auf alle anwenden.",
  linkedPlan: "Aktualisierung planen",
  linkedPlanTitle: (_count, shown) => `Aktualisierung von ${counted(shown, "Domain", "Domains")}`,
  linkedNothing: (count, shown) =>
    count === 0
      ? "Keine Zone ist mit dieser Vorlage verknüpft."
      : count === 1
        ? "Nichts zu tun: Die verknüpfte Zone entspricht der Vorlage bereits."
        : `Nichts zu tun: Alle ${shown} verknüpften Zonen entsprechen der Vorlage bereits.`,
  linkedApply: (_count, shown) => `${counted(shown, "Domain", "Domains")} aktualisieren`,
};
