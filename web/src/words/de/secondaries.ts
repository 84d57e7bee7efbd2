import type { Words } from "../shape.ts";

export const secondaries: Words["secondaries"] = {
  title: "Spiegel und Secondaries",
  inRail: "Secondaries",
  intro:
    "Die anderen Stellen, die Zonen ausliefern. Was Aufmerksamkeit braucht, steht oben. Hängt eine zurück oder fällt sie aus, werden Administratoren und der Inhaber der Domain benachrichtigt, andere über einen Kanal.",
  attention: "Nur, was Aufmerksamkeit braucht",
  zone: "Zone",
  state: "Zustand",
  mirrors: "Spiegel",
  provider: "Anbieter",
  lag: "Im Rückstand seit",
  noMirrors:
    "Ein Spiegel ist ein weiterer Anbieter, der den Einträgen einer Zone folgt. In den Einstellungen der Zone lässt sich einer hinzufügen.",
  noFailing: "Kein Spiegel hat Fehler.",
  states: {
    in_sync: "Stimmt überein",
    behind: "Im Rückstand",
    failing: "Fehler",
    unsupported: "Stimmt teilweise überein",
  },
  secondaries: "Secondaries",
  address: "Adresse",
  serials: "Seriennummer dort und hier",
  noSecondaries:
    "Ein Secondary ist ein Nameserver, der eine Zone von Zonewright überträgt. Er wird bei einem DNS-Anbieter der Art „primary“ eingetragen.",
  noBehind: "Kein Secondary ist im Rückstand oder unerreichbar.",
  unreachable: "Fehler",
  late: (since) => `Im Rückstand seit ${since}`,
  unknown: "Noch unbekannt",
  both: (there, here) => `${there}, ${here}`,
};
