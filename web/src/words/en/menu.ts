/** The pages about the whole service, and the menu of the account. They come after the first page. */
export const menu = {
  administration: "Administration",
  users: "Users",
  assignments: "Assignments",
  invitations: "Invitations",
  providers: "DNS providers",
  registrars: "Registrars",
  signIn: "Sign-in providers",
  channels: "Channels",
  tsigKeys: "TSIG keys",
  audit: "Audit trail",
  system: "System",
  themes: { system: "System theme", light: "Light theme", dark: "Dark theme" },
  apiDocs: "API documentation",
};
