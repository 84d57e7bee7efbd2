import { account } from "./de/account.ts";
import { admin } from "./de/admin.ts";
import { compare } from "./de/compare.ts";
import { domainDialogs } from "./de/domain-dialogs.ts";
import { domains } from "./de/domains.ts";
import { health } from "./de/health.ts";
import { live } from "./de/live.ts";
import { menu } from "./de/menu.ts";
import { notifications } from "./de/notifications.ts";
import { palette } from "./de/palette.ts";
import { paste } from "./de/paste.ts";
import { pins } from "./de/pins.ts";
import { portfolio } from "./de/portfolio.ts";
import { records } from "./de/records.ts";
import { reference } from "./de/reference.ts";
import { registration } from "./de/registration.ts";
import { replace } from "./de/replace.ts";
import { requests } from "./de/requests.ts";
import { reverse } from "./de/reverse.ts";
import { search } from "./de/search.ts";
import { secondaries } from "./de/secondaries.ts";
import { session } from "./de/session.ts";
import { shell, ui } from "./de/shell.ts";
import { templates } from "./de/templates.ts";
import { timeline } from "./de/timeline.ts";
import { zone } from "./de/zone.ts";
import { zoneText } from "./de/zone-text.ts";
import type { Words } from "./shape.ts";

/**
 * German. Those who read it load all of it at once.
 *
 * Nobody is addressed where it can be avoided: buttons and hints are infinitives (“Zone importieren”), requests say “Bitte …”, and “Sie” is
 * for what concerns one's own rights and account. Never “du”. People are named by what they are to a thing: “die antragstellende Person”.
 *
 * | English | German |
 * |---|---|
 * | zone, domain, view, host, TTL, snapshot, secondary | Zone, Domain, View, Host, TTL, Snapshot, Secondary (Pl. Secondaries) |
 * | record | Eintrag |
 * | change, change set; change request; access request | Änderung; Antrag, Änderungsantrag; Anfrage |
 * | review | prüfen, Prüfung |
 * | approve, reject, withdraw | genehmigen, ablehnen, zurückziehen (an assignment: entziehen) |
 * | apply; adopt from the provider | anwenden; übernehmen |
 * | undo; revert; restore; discard | rückgängig; zurücknehmen; wiederherstellen; verwerfen |
 * | draft, history, template, plan | Entwurf, Verlauf, Vorlage, Plan |
 * | DNS provider; sign-in provider; registrar; registry | DNS-Anbieter; Anmeldedienst, Dienst; Registrar; Registry |
 * | mirror, drift | Spiegel, Abweichung, abweichen |
 * | health, finding | Zustand, Befund |
 * | registration, expiry, renewal, transfer lock | Registrierung, Ablauf, Verlängerung, Transfersperre |
 * | owner, member, assignment, access | Inhaber, Mitglied, Zuweisung, Zugriff |
 * | user, administrator, account, session, way in | Benutzer, Administrator, Konto, Sitzung, Zugang |
 * | disabled | a domain or record: deaktiviert; a user: gesperrt; a channel: abgeschaltet |
 * | stop (for good) | abbrechen; anhalten only what goes on later |
 * | the name of a column or a choice: state, status | Status, not Zustand |
 * | tag (a label) | Schlagwort: “Tag” would read as a day |
 * | note, reason, contact | Notiz, Begründung, Kontakt |
 * | audit trail, job | Audit-Protokoll, Auftrag |
 * | name server, zone file, reverse zone, serial | Nameserver, Zonendatei, Reverse-Zone, Seriennummer |
 */
export const de: Words = {
  account,
  admin,
  compare,
  domainDialogs,
  domains,
  health,
  live,
  menu,
  notifications,
  palette,
  paste,
  pins,
  portfolio,
  records,
  reference,
  registration,
  replace,
  requests,
  reverse,
  search,
  secondaries,
  session,
  shell,
  templates,
  timeline,
  ui,
  zone,
  zoneText,
};
