import type { Words } from "../shape.ts";
import { counted } from "./count.ts";

type Audit = Words["admin"]["audit"];
/** What a sentence may depend on. */
type AuditFacts = Parameters<Audit["actions"]["records.edit"]["sentence"]>[0];

const number = (value: unknown) => (typeof value === "number" ? value : 0);
const list = new Intl.ListFormat("de");

/** Who changed what in which way: `how` is where it came from, such as “durch einen Import ”. */
function changed({ after }: AuditFacts, how = ""): string {
  const [creates, updates, deletes] = [
    number(after?.["creates"]),
    number(after?.["updates"]),
    number(after?.["deletes"]),
  ];
  const failures = number(after?.["failures"]);
  const failed = failures === 0 ? "" : `; ${counted(failures, "Änderung", "Änderungen")} fehlgeschlagen`;
  const deeds = [
    ...(creates > 0 ? [`${counted(creates, "Eintrag", "Einträge")} hinzugefügt`] : []),
    ...(updates > 0 ? [`${counted(updates, "Eintrag", "Einträge")} geändert`] : []),
    ...(deletes > 0 ? [`${counted(deletes, "Eintrag", "Einträge")} gelöscht`] : []),
  ];
  return `{who} hat ${how}in {domain} ${deeds.length === 0 ? "nichts geändert" : list.format(deeds)}${failed}`;
}

/** The domains of an assignment. */
function place({ domainId, before, after }: AuditFacts): string {
  const given = after ?? before;
  const host = given?.["subdomainPattern"];
  const names = typeof host === "string" && host !== "*" ? `${host} in ` : "";
  if (domainId !== null) return `${names}{domain}`;
  const [group, tag] = [given?.["groupName"], given?.["tag"]];
  // After “auf”, but not after “in”, the case is the accusative.
  const domains = names === "" ? "die Domains" : "den Domains";
  if (typeof group === "string") return `${names}${domains} der Gruppe ${group}`;
  return typeof tag === "string" ? `${names}${domains} mit dem Schlagwort ${tag}` : "eine Domain";
}

/** Each action: its name among all, and the sentence of an entry. What is in braces becomes a name that filters by it. */
const actions: Audit["actions"] = {
  "assignment.approve": {
    title: "Zugriffsanfrage genehmigt",
    sentence: (facts) => `{who} hat {user} wie angefragt Zugriff auf ${place(facts)} gewährt`,
  },
  "assignment.create": {
    title: "Zugriff gewährt",
    sentence: (facts) => `{who} hat {user} Zugriff auf ${place(facts)} gewährt`,
  },
  "assignment.delete": {
    title: "Zugriff entzogen",
    sentence: (facts) => `{who} hat {user} den Zugriff auf ${place(facts)} entzogen`,
  },
  "assignment.end": {
    title: "Zugriff beendet",
    sentence: (facts) => `Der Zugriff von {user} auf ${place(facts)} ist beendet`,
  },
  "assignment.reject": {
    title: "Zugriffsanfrage abgelehnt",
    sentence: (facts) => `{who} hat die Anfrage von {user} nach Zugriff auf ${place(facts)} abgelehnt`,
  },
  "assignment.request": {
    title: "Zugriff angefragt",
    sentence: (facts) => `{who} hat Zugriff auf ${place(facts)} angefragt`,
  },
  "auth.approve_device": { title: "Gerät genehmigt", sentence: () => "{who} hat ein Gerät mit einem Code angemeldet" },
  "auth.authorize_cli": { title: "Kommandozeile angemeldet", sentence: () => "{who} hat die Kommandozeile angemeldet" },
  "auth.confirm": { title: "Sitzung bestätigt", sentence: () => "{who} hat die Sitzung bestätigt" },
  "auth.confirmation_failed": {
    title: "Bestätigung fehlgeschlagen",
    sentence: () => "{who} konnte die Sitzung nicht bestätigen",
  },
  "auth.refresh_reused": {
    title: "Sitzung beendet: Token doppelt verwendet",
    sentence: () => "Eine Sitzung von {user} wurde beendet, weil ihr Refresh-Token zweimal verwendet wurde",
  },
  "auth.refuse_device": { title: "Gerät abgelehnt", sentence: () => "{who} hat die Anmeldung eines Geräts abgelehnt" },
  "auth.second_factor_failed": {
    title: "Zweiter Faktor fehlgeschlagen",
    sentence: () => "Ein zweiter Faktor für {target} war falsch",
  },
  "auth.sign_in": { title: "Angemeldet", sentence: () => "{who} hat sich angemeldet" },
  "auth.sign_in_failed": {
    title: "Anmeldung fehlgeschlagen",
    sentence: ({ targetId }) =>
      targetId === null
        ? "Eine Anmeldung mit unbekanntem Benutzernamen ist fehlgeschlagen"
        : "Eine Anmeldung als {target} ist fehlgeschlagen",
  },
  "auth.sign_out": { title: "Abgemeldet", sentence: () => "{who} hat sich abgemeldet" },
  "change_request.apply": {
    title: "Änderungsantrag angewendet",
    sentence: () => "{who} hat den Antrag {target} angewendet",
  },
  "change_request.approve": {
    title: "Änderungsantrag genehmigt",
    sentence: () => "{who} hat den Antrag {target} genehmigt",
  },
  "change_request.comment": {
    title: "Änderungsantrag kommentiert",
    sentence: () => "{who} hat den Antrag {target} kommentiert",
  },
  "change_request.create": {
    title: "Änderungsantrag gestellt",
    sentence: () => "{who} hat {target} für {domain} beantragt",
  },
  "change_request.fail": {
    title: "Änderungsantrag fehlgeschlagen",
    sentence: () => "Der Antrag {target} ist fehlgeschlagen",
  },
  "change_request.reject": {
    title: "Änderungsantrag abgelehnt",
    sentence: () => "{who} hat den Antrag {target} abgelehnt",
  },
  "change_request.reopen": {
    title: "Änderungsantrag wieder offen",
    sentence: () => "{who} konnte den Antrag {target} nicht anwenden: Die Genehmigung zählt nicht mehr",
  },
  "change_request.withdraw": {
    title: "Änderungsantrag zurückgezogen",
    sentence: () => "{who} hat den Antrag {target} zurückgezogen",
  },
  "channel.create": { title: "Kanal hinzugefügt", sentence: () => "{who} hat den Kanal {target} hinzugefügt" },
  "channel.delete": { title: "Kanal gelöscht", sentence: () => "{who} hat den Kanal {target} gelöscht" },
  "channel.disable": { title: "Kanal abgeschaltet", sentence: () => "Der Kanal {target} wurde abgeschaltet" },
  "channel.update": { title: "Kanal geändert", sentence: () => "{who} hat den Kanal {target} geändert" },
  "domain.change_registration": {
    title: "Registrierung geändert",
    sentence: () => "{who} hat die Registrierung von {domain} geändert",
  },
  "domain.change_tls_hosts": {
    title: "Überwachte Zertifikate geändert",
    sentence: () => "{who} hat geändert, welche Zertifikate von {domain} überwacht werden",
  },
  "domain.set_dnssec": {
    title: "DNSSEC ein- oder ausgeschaltet",
    sentence: () => "{who} hat DNSSEC von {domain} ein- oder ausgeschaltet",
  },
  "domain.check_dnssec": { title: "DNSSEC geprüft", sentence: () => "{who} hat DNSSEC von {domain} geprüft" },
  "domain.check_delegation": {
    title: "Delegation geprüft",
    sentence: () => "{who} hat die Delegation von {domain} geprüft",
  },
  "domain.check_expiry": {
    title: "Ablauf abgefragt",
    sentence: () => "{who} hat abgefragt, wann {domain} abläuft",
  },
  "domain.create": { title: "Domain hinzugefügt", sentence: () => "{who} hat {domain} hinzugefügt" },
  "domain.delete": { title: "Domain entfernt", sentence: () => "{who} hat {domain} entfernt" },
  "domain.import": { title: "Domain importiert", sentence: () => "{who} hat {domain} importiert" },
  "domain.import_table": {
    title: "Import einer Tabelle begonnen",
    sentence: () => "{who} hat den Import einer Tabelle von Domains begonnen",
  },
  "domain.move": {
    title: "Domain umgezogen",
    sentence: () => "{who} hat {domain} zu einem anderen Anbieter umgezogen",
  },
  "domain.raise_serial": {
    title: "Seriennummer angehoben",
    sentence: () => "{who} hat die Seriennummer von {domain} angehoben",
  },
  "domain.refuse_update": {
    title: "Dynamic Update abgewiesen",
    sentence: () => "Ein Dynamic Update von {domain} durch {who} wurde abgewiesen",
  },
  "domain.registration_change_failed": {
    title: "Änderung einer Registrierung fehlgeschlagen",
    sentence: () => "Der Registrar von {domain} hat eine Änderung nicht ausgeführt",
  },
  "domain.registration_changed": {
    title: "Registrierung beim Registrar geändert",
    sentence: () => "Die Registrierung von {domain} hat sich beim Registrar geändert",
  },
  "domain.send_dnssec": {
    title: "Ein- oder Ausschalten von DNSSEC begonnen",
    sentence: () => "{who} hat begonnen, DNSSEC von {domain} ein- oder auszuschalten",
  },
  "domain.send_registration": {
    title: "Änderung einer Registrierung begonnen",
    sentence: () => "{who} hat begonnen, die Registrierung von {domain} zu ändern",
  },
  "domain.set_expiry": { title: "Ablauf gesetzt", sentence: () => "{who} hat gesetzt, wann {domain} abläuft" },
  "domain.set_expiry_remind": {
    title: "Ablauferinnerungen gesetzt",
    sentence: () => "{who} hat die Ablauferinnerungen von {domain} gesetzt",
  },
  "domain.snooze_delegation": {
    title: "Befund zurückgestellt",
    sentence: () => "{who} hat einen Befund zu {domain} zurückgestellt",
  },
  "domain.update": {
    title: "Einstellungen der Domain geändert",
    sentence: () => "{who} hat Einstellungen von {domain} geändert",
  },
  "feed.create": { title: "Kalenderfeed erstellt", sentence: () => "{who} hat den Kalenderfeed {target} erstellt" },
  "feed.delete": { title: "Kalenderfeed gelöscht", sentence: () => "{who} hat den Kalenderfeed {target} gelöscht" },
  "identity.bind": {
    title: "Identität verknüpft",
    sentence: () => "{who} hat eine Identität eines anderen Dienstes verknüpft",
  },
  "identity.groups": {
    title: "Verzeichnisgruppen angewendet",
    sentence: () => "Verzeichnisgruppen haben geändert, was {target} darf",
  },
  "identity.register": {
    title: "Über einen Dienst registriert",
    sentence: () => "{target} hat sich über einen anderen Dienst registriert",
  },
  "identity.sign_in": {
    title: "Über einen Dienst angemeldet",
    sentence: () => "{target} hat sich über einen anderen Dienst angemeldet",
  },
  "identity.unbind": {
    title: "Identität entfernt",
    sentence: () => "{who} hat eine Identität eines anderen Dienstes entfernt",
  },
  "identity_config.create": {
    title: "Anmeldedienst hinzugefügt",
    sentence: () => "{who} hat den Anmeldedienst {target} hinzugefügt",
  },
  "identity_config.delete": {
    title: "Anmeldedienst gelöscht",
    sentence: () => "{who} hat den Anmeldedienst {target} gelöscht",
  },
  "identity_config.update": {
    title: "Anmeldedienst geändert",
    sentence: () => "{who} hat den Anmeldedienst {target} geändert",
  },
  "invitation.create": { title: "Einladung erstellt", sentence: () => "{who} hat eine Einladung erstellt" },
  "invitation.delete": { title: "Einladung gelöscht", sentence: () => "{who} hat eine Einladung gelöscht" },
  "mirror.create": { title: "Spiegel hinzugefügt", sentence: () => "{who} hat einen Spiegel von {domain} hinzugefügt" },
  "mirror.delete": { title: "Spiegel gelöscht", sentence: () => "{who} hat einen Spiegel von {domain} gelöscht" },
  "mirror.reconcile": {
    title: "Spiegel abgeglichen",
    sentence: () => "{who} hat einen Spiegel von {domain} abgeglichen",
  },
  "provider_config.create": {
    title: "DNS-Anbieter hinzugefügt",
    sentence: () => "{who} hat den DNS-Anbieter {target} hinzugefügt",
  },
  "provider_config.delete": {
    title: "DNS-Anbieter gelöscht",
    sentence: () => "{who} hat den DNS-Anbieter {target} gelöscht",
  },
  "provider_config.update": {
    title: "DNS-Anbieter geändert",
    sentence: () => "{who} hat den DNS-Anbieter {target} geändert",
  },
  "records.bulk": { title: "Einträge gemeinsam geändert", sentence: (facts) => changed(facts) },
  "records.edit": { title: "Einträge geändert", sentence: (facts) => changed(facts) },
  "records.import": { title: "Einträge importiert", sentence: (facts) => changed(facts, "durch einen Import ") },
  "records.replace": { title: "Werte ersetzt", sentence: (facts) => changed(facts, "durch eine Ersetzung ") },
  "records.push": {
    title: "Einträge des Anbieters überschrieben",
    sentence: (facts) => changed(facts, "gegen den Stand des Anbieters "),
  },
  "records.revert": {
    title: "Änderung zurückgenommen",
    sentence: (facts) => changed(facts, "zur Rücknahme einer Änderung "),
  },
  "records.rollback": {
    title: "Früherer Stand wiederhergestellt",
    sentence: (facts) => changed(facts, "für einen früheren Stand "),
  },
  "records.sync": {
    title: "Einträge des Anbieters übernommen",
    sentence: (facts) => changed(facts, "nach dem Stand des Anbieters "),
  },
  "records.template": {
    title: "Einträge einer Vorlage angelegt",
    sentence: (facts) => changed(facts, "durch eine Vorlage "),
  },
  "registrar_config.create": {
    title: "Registrar hinzugefügt",
    sentence: () => "{who} hat den Registrar {target} hinzugefügt",
  },
  "registrar_config.delete": {
    title: "Registrar gelöscht",
    sentence: () => "{who} hat den Registrar {target} gelöscht",
  },
  "registrar_config.update": {
    title: "Registrar geändert",
    sentence: () => "{who} hat den Registrar {target} geändert",
  },
  "replacement.apply": {
    title: "Ersetzung begonnen",
    sentence: () => "{who} hat eine Ersetzung in mehreren Domains begonnen",
  },
  "replacement.revert": {
    title: "Änderung vieler Domains zurückgenommen",
    sentence: () => "{who} hat eine Änderung vieler Domains zurückgenommen",
  },
  "replacement.stop": {
    title: "Änderung vieler Domains abgebrochen",
    sentence: () => "{who} hat eine Änderung vieler Domains abgebrochen",
  },
  "session.revoke": { title: "Sitzung widerrufen", sentence: () => "{who} hat eine Sitzung widerrufen" },
  "snapshot.create": { title: "Snapshot angelegt", sentence: () => "{who} hat einen Snapshot von {domain} angelegt" },
  "template.apply": {
    title: "Vorlage angewendet",
    sentence: () => "{who} hat eine Vorlage auf {domain} angewendet",
  },
  "template.apply_linked": {
    title: "Vorlage in ihren Domains aktualisiert",
    sentence: () => "{who} hat die Domains aktualisiert, die mit der Vorlage {target} verknüpft sind",
  },
  "template.create": { title: "Vorlage hinzugefügt", sentence: () => "{who} hat die Vorlage {target} hinzugefügt" },
  "template.delete": { title: "Vorlage gelöscht", sentence: () => "{who} hat die Vorlage {target} gelöscht" },
  "template.unlink": { title: "Vorlage gelöst", sentence: () => "{who} hat eine Vorlage von {domain} gelöst" },
  "template.update": { title: "Vorlage geändert", sentence: () => "{who} hat die Vorlage {target} geändert" },
  "token.create": { title: "Persönliches Token erstellt", sentence: () => "{who} hat das Token {target} erstellt" },
  "token.delete": { title: "Persönliches Token gelöscht", sentence: () => "{who} hat das Token {target} gelöscht" },
  "tsig_key.create": {
    title: "TSIG-Schlüssel erstellt",
    sentence: () => "{who} hat den TSIG-Schlüssel {target} erstellt",
  },
  "tsig_key.delete": {
    title: "TSIG-Schlüssel widerrufen",
    sentence: () => "{who} hat den TSIG-Schlüssel {target} widerrufen",
  },
  "two_factor.disable": {
    title: "Zweiter Faktor entfernt",
    sentence: ({ actorId, targetId }) =>
      actorId === targetId
        ? "{who} hat einen zweiten Faktor entfernt"
        : "{who} hat einen zweiten Faktor von {target} entfernt",
  },
  "two_factor.enable": {
    title: "Zweiter Faktor hinzugefügt",
    sentence: () => "{who} hat einen zweiten Faktor hinzugefügt",
  },
  "two_factor.recovery_codes": {
    title: "Wiederherstellungscodes erzeugt",
    sentence: () => "{who} hat neue Wiederherstellungscodes erzeugt",
  },
  "user.change_email": { title: "E-Mail-Adresse geändert", sentence: () => "{who} hat die E-Mail-Adresse geändert" },
  "user.change_password": { title: "Passwort geändert", sentence: () => "{who} hat das Passwort geändert" },
  "user.create": { title: "Benutzer hinzugefügt", sentence: () => "{who} hat {target} als Benutzer hinzugefügt" },
  "user.delete": { title: "Benutzer gelöscht", sentence: () => "{who} hat den Benutzer {target} gelöscht" },
  "user.forgot_password": {
    title: "Zurücksetzen des Passworts angefordert",
    sentence: () => "Für {target} wurde angefordert, das Passwort zurückzusetzen",
  },
  "user.register": { title: "Benutzer registriert", sentence: () => "{target} hat sich registriert" },
  "user.request_email_verification": {
    title: "Bestätigung der E-Mail-Adresse angefordert",
    sentence: () => "Eine Bestätigung der E-Mail-Adresse von {target} wurde angefordert",
  },
  "user.reset_password": {
    title: "Passwort zurückgesetzt",
    sentence: () => "Das Passwort von {target} wurde per E-Mail zurückgesetzt",
  },
  "user.revoke_access": {
    title: "Zugänge widerrufen",
    sentence: () => "{who} hat Zugänge zum Konto von {target} widerrufen",
  },
  "user.update": { title: "Benutzer geändert", sentence: () => "{who} hat den Benutzer {target} geändert" },
  "user.update_profile": { title: "Profil geändert", sentence: () => "{who} hat das Profil geändert" },
  "user.verify_email": {
    title: "E-Mail-Adresse bestätigt",
    sentence: () => "Die E-Mail-Adresse von {target} wurde bestätigt",
  },
};

export const audit: Audit = {
  title: "Audit-Protokoll",
  count: (total) => counted(total, "Eintrag", "Einträge"),
  one: "1 Eintrag",
  filters: "Filter",
  person: "Person",
  personSearch: "Alle",
  personNone: "Kein Benutzer passt dazu.",
  self: "Sie",
  zone: "Zone",
  action: "Aktion",
  anyAction: "Alle Aktionen",
  from: "Von",
  until: "Bis",
  clear: "Alle zeigen",
  noneFound: "Kein Eintrag passt dazu.",
  what: "Was geschah",
  when: "Wann",
  address: "IP-Adresse",
  service: "Zonewright",
  visitor: "Jemand ohne Anmeldung",
  key: (name) => `TSIG-Schlüssel ${name}`,
  byKey: (name) => `mit dem TSIG-Schlüssel ${name}`,
  byToken: "mit einem persönlichen Token",
  deletedUser: "(gelöschtes Konto)",
  noName: (id) => `(${id.slice(-8)})`,
  nothing: "(unbekannt)",
  onlyOf: (name) => `Nur Einträge von ${name}`,
  onlyAbout: (name) => `Nur Einträge zu ${name}`,
  onlyDomain: (name) => `Nur Einträge zu ${name}, samt Anträgen, Snapshots, Zuweisungen und Schlüsseln`,
  onlyTarget: "Nur, was mit einer bestimmten Sache geschah.",
  details: "Einzelheiten",
  /** An action of an earlier version. */
  unknown: (action) => `{who}: ${action}`,
  absent: "–",
  request: "Anfrage",
  actionName: "Aktion",
  older: "Ältere",
  newest: "Neueste",
  export: "Exportieren",
  exportAs: { csv: "Als Tabelle (CSV)", jsonl: "Als JSON-Zeilen" },
  exporting: (entries) => `${counted(entries, "Eintrag", "Einträge")} gelesen…`,
  stop: "Anhalten",
  stopped: "Der Export wurde angehalten.",
  goOn: "Fortsetzen",
  discard: "Verwerfen",
  exported: (entries) => `${counted(entries, "Eintrag", "Einträge")} gespeichert.`,
  exportedFirst: (entries) =>
    `Die neuesten ${entries} Einträge wurden gespeichert. Für frühere bitte „Bis“ setzen oder GET /api/audit/export aufrufen.`,
  actions,
};
