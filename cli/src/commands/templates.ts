import type { Command } from "commander";
import type { Client, RouterOutputs } from "@zonewright/client";
import { changeInput, command, group, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { carryOut, mendPointers, offeredPointers } from "../plans.ts";
import { print, printFields, printJson, printTable, type Column } from "../terminal.ts";
import { domainNamed, every, fullName } from "../zones.ts";

type Summary = RouterOutputs["templates"]["list"]["templates"][number];

export function templates(): Command {
  return group("templates", "List, show and apply templates", [list(), show(), apply()], "list");
}

const nameOf = ({ providerId, serviceId }: Pick<Summary, "providerId" | "serviceId">) => `${providerId}/${serviceId}`;

const columns: readonly Column<Summary>[] = [
  { title: "template", cell: nameOf },
  { title: "service", cell: ({ providerName, serviceName }) => `${providerName}: ${serviceName}` },
  { title: "records", cell: ({ recordCount }) => String(recordCount), alignRight: true },
  { title: "variables", cell: ({ variables }) => variables.join(", ") },
];

function list(): Command {
  return withJson(
    command("list", "List templates", {
      examples: [
        ["templates", "List all."],
        ["templates list --search mail", "List those whose provider or service contains this text."],
      ],
    }),
  )
    .option("--search <text>", "only templates whose provider or service contains this text")
    .action(async ({ search, json }: { search?: string; json?: true }) => {
      const client = await connect();
      const found = await every(client.each(client.templates.list, search === undefined ? {} : { search }));
      if (json) printJson({ templates: found, total: found.length });
      else printTable(found, columns, "No matching templates.");
    });
}

/** Returns the template of a name such as `example.net/website`, or of an id. @throws Failure if there is none */
async function templateNamed(client: Client, given: string): Promise<Summary> {
  for await (const one of client.each(client.templates.list, {}))
    if (one.id === given || nameOf(one) === given) return one;
  throw new Failure(`There is no template ${given}. \`zonewright templates\` lists them.`);
}

function show(): Command {
  return withJson(
    command("show <template>", "Show a template", {
      examples: [["templates show example.net/website", "See its records and variables."]],
    }),
  ).action(async (given: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await templateNamed(client, given);
    const found = await client.templates.get.query({ id });
    if (json) {
      printJson(found);
      return;
    }
    printFields([
      ["template", nameOf(found)],
      ["service", `${found.providerName}: ${found.serviceName}`],
      ...(found.description === null ? [] : [["about", found.description] as const]),
      ["variables", found.variables.join(", ") || "none"],
      ...(found.groups.length === 0 ? [] : [["groups", found.groups.join(", ")] as const]),
    ]);
    const { records } = found.template as { records?: Record<string, unknown>[] };
    for (const { type, groupId: _, ...fields } of records ?? []) {
      const parts = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
      print(`${String(type)} ${parts.join(" ")}`);
    }
  });
}

interface ApplyOptions extends ChangeOptions {
  host: string;
  set?: string[];
  group?: string[];
  link?: true;
}

function apply(): Command {
  return withChanges(
    command("apply <domain> <template>", "Apply a template to a domain", {
      more: "Shows the plan. Records that conflict with the template are deleted, after a question.",
      examples: [
        [
          "templates apply example.com example.net/website --set target=www.example.net",
          "Apply it with a value for its variable.",
        ],
        [
          "templates apply example.com example.net/website --host shop --set target=x.example.net --dry-run",
          "See what it changes at a host.",
        ],
      ],
    }),
  )
    .option("--host <name>", "where to apply it", "@")
    .option("--set <variable=value...>", "a value for each variable")
    .option("--group <group...>", "only these groups of its records")
    .option("--link", "follow later changes of the template")
    .action(async (name: string, given: string, options: ApplyOptions) => {
      const variables = variablesOf(options.set ?? []);
      const client = await connect();
      const zone = await domainNamed(client, name);
      const { id: templateId } = await templateNamed(client, given);
      const { host, group: groups, link, unlock } = options;
      const input = { id: zone.id, templateId, host, variables, ...(groups === undefined ? {} : { groups }) };
      const plan = await client.templates.plan.mutate({ ...input, ...(unlock ? { unlock } : {}) });
      await carryOut({
        domain: fullName(zone),
        plan: { ...plan, warnings: [...plan.warnings, ...offeredPointers(plan.reverse, mendPointers)] },
        options,
        apply: async () => {
          const more = { planHash: plan.planHash, ...(link ? { linked: true } : {}), ...changeInput(options) };
          return await client.templates.applyPlan.mutate({ ...input, ...more });
        },
      });
    });
}

function variablesOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (name === undefined) throw new Failure(`--set takes a variable and its value: --set ${text}=…`);
      return [name, value];
    }),
  );
}
