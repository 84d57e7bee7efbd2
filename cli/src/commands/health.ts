import { InvalidArgumentError, Option, type Command } from "commander";
import type { RouterOutputs } from "@zonewright/client";
import { changeInput, command, group, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, Failure } from "../failure.ts";
import { carryOut } from "../plans.ts";
import { note, printJson, printTable, type Column } from "../terminal.ts";
import { domainNamed, fullName } from "../zones.ts";

type Health = RouterOutputs["records"]["health"];
type Fault = Health["faults"][number];
type Mend = Fault["mend"][number];

const codes: Readonly<Record<Fault["code"], true>> = {
  zone_rule: true,
  ns_without_address: true,
  alias_target: true,
  dangling: true,
  spf_duplicate: true,
  spf_lookups: true,
  spf_allows_all: true,
  spf_missing: true,
  dmarc_duplicate: true,
  dmarc_missing: true,
  dmarc_without_mailbox: true,
  private_address: true,
  ttl_short: true,
  ttl_long: true,
};

export function health(): Command {
  return group("health", "Find and mend faults in a domain's records", [check(), mend()], "check");
}

const columns: readonly Column<Fault>[] = [
  { title: "severity", cell: ({ severity }) => severity },
  { title: "name", cell: ({ name }) => name },
  { title: "code", cell: ({ code }) => code },
  { title: "what is wrong", cell: ({ message }) => message },
  { title: "why it matters", cell: ({ why }) => why },
];

function check(): Command {
  return withJson(
    command("check <domain>", "List faults in a domain's records", {
      more: "Exits with 2 if it finds something.",
      examples: [
        ["health example.com", "List what is wrong, worst first."],
        ["health check example.com --json", "Print it for programs, with the changes that mend it."],
      ],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    const found = await client.records.health.query({ id });
    if (json) printJson(found);
    else
      printTable(
        found.faults,
        columns,
        `Nothing is wrong in ${found.checked === 1 ? "1 record" : `${found.checked} records`}.`,
      );
    if (!json && found.total > found.faults.length) note(`${found.total - found.faults.length} more are not listed.`);
    if (found.total > 0) process.exitCode = exitCodes.pending;
  });
}

function mend(): Command {
  return withChanges(
    command("mend <domain>", "Mend faults in a domain's records", {
      more: "Fixes faults that need no decision. Asks first. Notes, such as short TTLs, only if named with --code.",
      examples: [
        ["health mend example.com --dry-run", "See what would change."],
        ["health mend example.com --code spf_duplicate --code ttl_short", "Mend only faults of these kinds."],
      ],
    }),
  )
    .addOption(
      new Option("--code <code>", "only faults of this code; may be repeated")
        .choices(Object.keys(codes))
        .default([])
        .argParser((code: string, named: string[]) => [...named, checkedCode(code)]),
    )
    .action(async (name: string, options: ChangeOptions & { code: string[] }) => {
      const client = await connect();
      const zone = await domainNamed(client, name);
      const domain = fullName(zone);
      const { revision, faults, total } = await client.records.health.query({ id: zone.id });
      // A short TTL or a policy without reports may be meant.
      const wanted = faults.filter(({ code, severity }) =>
        options.code.length === 0 ? severity !== "info" : options.code.includes(code),
      );
      const changes = merged(wanted.flatMap((fault) => fault.mend));
      const plan =
        changes.length === 0 ? { ...nothing, revision } : await client.records.plan.mutate({ id: zone.id, changes });
      if (plan.revision !== revision)
        throw new Failure(`Nothing was changed: ${domain} has changed since it was checked. Run the command again.`);
      const mended = await carryOut({
        domain,
        plan,
        options,
        alwaysAsk: true,
        apply: async () => {
          const input = { id: zone.id, changes, planHash: plan.planHash, ...changeInput(options) };
          return await client.records.applyPlan.mutate(input);
        },
      });
      const isCut =
        total > faults.length ||
        wanted.some(({ mend: { length }, recordCount }) => length === mostMended && recordCount > length);
      if (!mended || !isCut) return;
      const { total: left } = await client.records.health.query({ id: zone.id });
      if (left > 0)
        note(`${left === 1 ? "1 fault is" : `${left} faults are`} left. To mend more, run the command again.`);
    });
}

/** Changes that mend one fault at a time. */
const mostMended = 100;

function checkedCode(code: string): string {
  if (Object.hasOwn(codes, code)) return code;
  throw new InvalidArgumentError(`Allowed choices are ${Object.keys(codes).join(", ")}.`);
}

const nothing = { creates: [], updates: [], deletes: [], planHash: "" };

/** Joins the changes that several faults have for one record. */
function merged(all: readonly Mend[]): Mend[] {
  const byRecord = new Map<string, Mend>();
  for (const change of all) {
    const known = byRecord.get(change.recordId);
    if (known?.action === "delete") continue;
    // The first value counts: each was made without the other.
    const both =
      known && change.action === "update" ? { ...change, record: { ...change.record, ...known.record } } : change;
    byRecord.set(change.recordId, both);
  }
  return [...byRecord.values()];
}
