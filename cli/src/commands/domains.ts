import type { Command } from "commander";
import type { Client, Domain, RouterOutputs } from "@zonewright/client";
import { command, group, withJson } from "../command.ts";
import { connect } from "../credentials.ts";
import { explain, Failure } from "../failure.ts";
import { uninterrupted } from "../plans.ts";
import { counted, confirmed, print, printFields, printJson, printTable, progress, type Column } from "../terminal.ts";
import { configNamed, domainNamed, fullName } from "../zones.ts";

type DomainDetail = RouterOutputs["domains"]["get"];

export function domains(): Command {
  return group("domains", "List, add, show and move domains", [list(), show(), add(), move()], "list");
}

const columns: readonly Column<Domain>[] = [
  { title: "domain", cell: fullName },
  { title: "records", cell: ({ recordCount }) => String(recordCount), alignRight: true },
  { title: "status", cell: ({ status, driftedAt }) => (driftedAt === null ? status : `${status}, drifted`) },
  { title: "expires", cell: ({ expiresAt }) => day(expiresAt) },
  { title: "group", cell: ({ groupName }) => groupName ?? "" },
  { title: "tags", cell: ({ tags }) => tags.join(", ") },
];

function day(date: Date | null): string {
  return date?.toISOString().slice(0, 10) ?? "";
}

interface ListOptions {
  search?: string;
  tag?: string;
  group?: string;
  view?: string;
  drift?: true;
  json?: true;
}

function list(): Command {
  return withJson(
    command("list", "List domains", {
      examples: [
        ["domains", "List all domains that you may see."],
        ["domains list --tag production --drift", "List those with a tag that differ from their provider."],
        ["domains list --json | jq -r '.domains[].name'", "Pass their names to another program."],
      ],
    }),
  )
    .option("--search <text>", "only names that contain this text")
    .option("--tag <tag>", "only domains with this tag")
    .option("--group <group>", "only domains in this group")
    .option("--view <view>", "only this view; default: the default view")
    .option("--drift", "only domains that differ from their provider")
    .action(async ({ json, drift, ...filters }: ListOptions) => {
      const client = await connect();
      const found: Domain[] = [];
      for await (const domain of client.eachDomain({ ...filters, ...(drift ? { drift: true } : {}) })) {
        found.push(domain);
        if (found.length % 100 === 0) progress(`${found.length} domains …`);
      }
      progress("");
      if (json) printJson({ domains: found, total: found.length });
      else printTable(found, columns, "No matching domains.");
    });
}

function show(): Command {
  return withJson(
    command("show <domain>", "Show a domain", {
      examples: [
        ["domains show example.com", "Show its provider, settings, expiry date and revision."],
        ["domains show example.com!internal", "Show its view `internal`."],
      ],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    const domain = await client.domains.get.query({ id });
    if (json) printJson(domain);
    else await printDomain(client, domain);
  });
}

async function printDomain(client: Client, domain: DomainDetail): Promise<void> {
  const { nameUnicode, name, drift, driftError, reviewRequired, registrar, notes } = domain;
  printFields([
    ["domain", fullName(domain)],
    ...(nameUnicode === name ? [] : [["in Unicode", nameUnicode] as const]),
    [
      "provider",
      (await providerConfigs(client)).find(({ id }) => id === domain.providerConfigId)?.name ?? domain.providerConfigId,
    ],
    ["status", domain.status],
    ["records", String(domain.recordCount)],
    ["revision", String(domain.revision)],
    ["expires", day(domain.expiresAt) || "unknown"],
    ...(registrar === null ? [] : [["registrar", registrar] as const]),
    ["group", domain.groupName ?? "–"],
    ["tags", domain.tags.join(", ") || "–"],
    ["snapshot schedule", domain.snapshotSchedule],
    ["reviews", reviewRequired],
    [
      "drift",
      driftError ??
        (drift ? `${drift.created} to create, ${drift.updated} to update, ${drift.deleted} to delete` : "none"),
    ],
    ...(notes === null || notes === "" ? [] : [["notes", notes] as const]),
  ]);
}

/** The provider configurations that the token may see: none without `providers:read`. */
async function providerConfigs(client: Client): Promise<{ id: string; name: string }[]> {
  try {
    return (await client.providerConfigs.list.query()).configs;
  } catch {
    return [];
  }
}

interface AddOptions {
  provider?: string;
  group?: string;
  tag?: string[];
  json?: true;
}

function add(): Command {
  return withJson(
    command("add <domain...>", "Add domains", {
      more: "Creates the zone at the provider. If it exists there, its records are imported.",
      examples: [
        ["domains add example.com", "Add a domain that the server keeps as a zone file."],
        [
          "domains add example.org example.net --provider 'BIND, Amsterdam' --tag production",
          "Add two at another provider.",
        ],
        ["domains add example.com!internal", "Add the view `internal` of a name."],
      ],
    }),
  )
    .option("--provider <configuration>", "name or id of the provider configuration (default: zone files)")
    .option("--group <group>", "the group")
    .option("--tag <tag...>", "tags")
    .action(async (names: string[], { provider, group: groupName, tag: tags, json }: AddOptions) => {
      const client = await connect();
      const providerConfigId = provider === undefined ? undefined : (await configNamed(client, provider)).id;
      const added: DomainDetail[] = [];
      try {
        for (const name of names) {
          const input = {
            name,
            ...(providerConfigId === undefined ? {} : { providerConfigId }),
            ...(groupName === undefined ? {} : { groupName }),
            ...(tags === undefined ? {} : { tags }),
          };
          const look = `\`zonewright domains show ${name}\` shows whether it was added.`;
          const domain = await uninterrupted(client.domains.create.mutate(input), look).catch((error: unknown) =>
            refused(error, names, name),
          );
          added.push(domain);
          if (!json) print(`Added ${fullName(domain)} with ${counted(domain.recordCount, "record")}.`);
        }
      } finally {
        // A failure does not take back those before it.
        if (json && added.length > 0) printJson({ domains: added });
      }
    });
}

/** Says which of several domains was refused, and which ones come after it. @throws Failure */
async function refused(error: unknown, names: readonly string[], name: string): Promise<never> {
  if (names.length === 1) throw error;
  const { text, exitCode } = await explain(error);
  const later = names.slice(names.indexOf(name) + 1);
  const rest = later.length === 0 ? "" : ` Not added: ${later.join(", ")}.`;
  throw new Failure(`${name}: ${text}${rest}`, exitCode);
}

interface MoveOptions {
  to: string;
  yes?: true;
  force?: true;
  override?: true;
  message?: string;
  json?: true;
}

function move(): Command {
  return withJson(
    command("move <domain>", "Move a domain to another provider", {
      more: "Its records are written to the new provider first. The zone at the present provider stays.",
      examples: [
        ["domains move example.com --to Cloudflare", "Write the zone to Cloudflare and manage it there from now on."],
      ],
    }),
  )
    .requiredOption("--to <configuration>", "name or id of the new provider configuration")
    .option("-y, --yes", "do not ask")
    .option("--force", "also if secondaries will drop the zone, or earlier changes cannot be confirmed")
    .option("--override", "skip the review that the domain requires (administrators; needs --message)")
    .option("-m, --message <text>", "with --override: why")
    .action(async (name: string, { to, yes, json, ...options }: MoveOptions) => {
      const client = await connect();
      const { id, recordCount, ...domain } = await domainNamed(client, name);
      const { id: providerConfigId } = await configNamed(client, to);
      if (domain.providerConfigId === providerConfigId) {
        if (json) printJson(await client.domains.get.query({ id }));
        else print(`${fullName(domain)} is at ${to} already.`);
        return;
      }
      const about = `This moves ${fullName(domain)} with ${counted(recordCount, "record")} to ${to}.`;
      if (!yes && !(await confirmed(`${about} Go on?`, about))) throw new Failure("Nothing was changed.");
      const look = `\`zonewright domains show ${fullName(domain)}\` shows where it is.`;
      const moved = await uninterrupted(client.domains.update.mutate({ id, providerConfigId, ...options }), look);
      if (json) printJson(moved);
      else print(`Moved ${fullName(moved)} to ${to}. Change its name servers at the registrar if they differ.`);
    });
}
