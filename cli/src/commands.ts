import type { Command } from "commander";

/** A command as the list of all shows it. Its module is loaded only when it runs, so that the program starts fast. */
interface Entry {
  name: string;
  summary: string;
  load: () => Promise<Command>;
}

/** All commands, in the order of the help. */
export const commands: readonly Entry[] = [
  {
    name: "login",
    summary: "Sign in to a server",
    load: async () => (await import("./commands/login.ts")).login(),
  },
  {
    name: "logout",
    summary: "Forget the stored token",
    load: async () => (await import("./commands/login.ts")).logout(),
  },
  {
    name: "whoami",
    summary: "Show the server and token in use",
    load: async () => (await import("./commands/login.ts")).whoami(),
  },
  {
    name: "domains",
    summary: "List, add, show and move domains",
    load: async () => (await import("./commands/domains.ts")).domains(),
  },
];
