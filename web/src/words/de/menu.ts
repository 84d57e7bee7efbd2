import type { Words } from "../shape.ts";

export const menu: Words["menu"] = {
  administration: "Verwaltung",
  users: "Benutzer",
  assignments: "Zuweisungen",
  invitations: "Einladungen",
  providers: "DNS-Anbieter",
  registrars: "Registrare",
  signIn: "Anmeldedienste",
  channels: "Kanäle",
  tsigKeys: "TSIG-Schlüssel",
  audit: "Audit-Protokoll",
  system: "System",
  themes: { system: "Design: System", light: "Design: hell", dark: "Design: dunkel" },
  apiDocs: "API-Dokumentation",
};
