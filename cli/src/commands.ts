import type { Command } from "commander";

/** A command as the list of all shows it. Its module is loaded only when it runs, so that the program starts fast. */
interface Entry {
  name: string;
  summary: string;
  /** Left out of the help. */
  hidden?: true;
  /** Some tell of all commands. */
  load: (wholeProgram: () => Promise<Command>) => Promise<Command>;
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
    summary: "Show the server, user and token in use",
    load: async () => (await import("./commands/login.ts")).whoami(),
  },
  {
    name: "domains",
    summary: "List, add, show and move domains",
    load: async () => (await import("./commands/domains.ts")).domains(),
  },
  {
    name: "records",
    summary: "List, add, set, remove and edit records",
    load: async () => (await import("./commands/records.ts")).records(),
  },
  {
    name: "search",
    summary: "Search records in all domains",
    load: async () => (await import("./commands/search.ts")).search(),
  },
  {
    name: "export",
    summary: "Export a domain's records",
    load: async () => (await import("./commands/transfer.ts")).exportZone(),
  },
  {
    name: "import",
    summary: "Import a file into a domain",
    load: async () => (await import("./commands/transfer.ts")).importZone(),
  },
  {
    name: "plan",
    summary: "Show how zones differ from files",
    load: async () => (await import("./commands/plan.ts")).plan(),
  },
  {
    name: "apply",
    summary: "Make zones equal to files",
    load: async () => (await import("./commands/plan.ts")).apply(),
  },
  {
    name: "sync",
    summary: "Take over a domain's records from its provider",
    load: async () => (await import("./commands/sync.ts")).sync(),
  },
  {
    name: "push",
    summary: "Write a domain's records over its provider's",
    load: async () => (await import("./commands/sync.ts")).push(),
  },
  {
    name: "drift",
    summary: "Show how domains differ from their providers",
    load: async () => (await import("./commands/sync.ts")).drift(),
  },
  {
    name: "snapshot",
    summary: "Take and list snapshots",
    load: async () => (await import("./commands/snapshots.ts")).snapshot(),
  },
  {
    name: "diff",
    summary: "Compare snapshots, or two domains",
    load: async () => (await import("./commands/snapshots.ts")).diff(),
  },
  {
    name: "rollback",
    summary: "Roll a domain's records back to a snapshot",
    load: async () => (await import("./commands/snapshots.ts")).rollback(),
  },
  {
    name: "history",
    summary: "List, show and undo changes",
    load: async () => (await import("./commands/history.ts")).history(),
  },
  {
    name: "replace",
    summary: "Replace a value in many domains",
    load: async () => (await import("./commands/replace.ts")).replace(),
  },
  {
    name: "requests",
    summary: "List, review and apply change requests",
    load: async () => (await import("./commands/requests.ts")).requests(),
  },
  {
    name: "templates",
    summary: "List, show and apply templates",
    load: async () => (await import("./commands/templates.ts")).templates(),
  },
  {
    name: "health",
    summary: "Find and mend faults in a domain's records",
    load: async () => (await import("./commands/health.ts")).health(),
  },
  {
    name: "reverse",
    summary: "Check and mend PTR records",
    load: async () => (await import("./commands/reverse.ts")).reverseZones(),
  },
  {
    name: "portfolio",
    summary: "Check, export and import the table of domains",
    load: async () => (await import("./commands/portfolio.ts")).portfolio(),
  },
  {
    name: "registration",
    summary: "Show what is known of a registration",
    load: async () => (await import("./commands/portfolio.ts")).registration(),
  },
  {
    name: "dnssec",
    summary: "Show whether a domain's signatures are valid",
    load: async () => (await import("./commands/dnssec.ts")).dnssec(),
  },
  {
    name: "audit",
    summary: "List and export the audit trail",
    load: async () => (await import("./commands/audit.ts")).audit(),
  },
  {
    name: "watch",
    summary: "Show events as they happen",
    load: async () => (await import("./commands/watch.ts")).watch(),
  },
  {
    name: "tokens",
    summary: "List, add and remove personal tokens",
    load: async () => (await import("./commands/tokens.ts")).tokens(),
  },
  {
    name: "mcp",
    summary: "Serve tools for assistants over standard input and output",
    load: async () => (await import("./commands/mcp.ts")).mcp(),
  },
  {
    name: "completion",
    summary: "Print a script that completes commands in your shell",
    load: async (wholeProgram) => (await import("./commands/completion.ts")).completion(wholeProgram),
  },
  {
    name: "describe",
    summary: "Print all commands as JSON",
    hidden: true,
    load: async (wholeProgram) => (await import("./commands/describe.ts")).describe(wholeProgram),
  },
];
