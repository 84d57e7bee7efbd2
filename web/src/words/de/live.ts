import type { Words } from "../shape.ts";

export const live: Words["live"] = {
  lost: "Keine Verbindung zu Zonewright. Es wird weiter versucht; der Entwurf ist sicher.",
  refused:
    "Diese Seite zeigt keine Änderungen von selbst: Andere Browser und Programme belegen alle Live-Verbindungen dieses Kontos. Bitte dort eine schließen oder diese Seite neu laden, um Änderungen zu sehen.",
};
