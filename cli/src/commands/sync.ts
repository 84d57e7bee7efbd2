import type { Command } from "commander";
import type { Client, Domain } from "@zonewright/client";
import { changeInput, command, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, explain, Failure } from "../failure.ts";
import { carryOut, changesOf, countsOf, printPlan, sizeOf, type Changes } from "../plans.ts";
import { note, print, printJson, progress } from "../terminal.ts";
import { isAboutAll } from "../zone-plans.ts";
import { domainNamed, every, fullName } from "../zones.ts";

export function sync(): Command {
  return withChanges(
    command("sync <domain>", "Take over a domain's records from its provider", {
      more: "The provider's records replace those of the server, which keeps a snapshot.",
      examples: [
        ["sync example.com", "Show what the provider changed, and take it over."],
        ["sync example.com --yes --message 'Edited at the vendor'", "Do so without a question, with a reason."],
      ],
    }),
  ).action(async (name: string, options: ChangeOptions) => {
    const client = await connect();
    const zone = await domainNamed(client, name);
    const { plan, planHash } = await differences(client, zone, options);
    await carryOut({
      domain: fullName(zone),
      plan,
      options,
      apply: async () => {
        // A sync is never reviewed.
        const { override: _, ...input } = changeInput(options);
        return await client.domains.sync.mutate({ id: zone.id, planHash, ...input });
      },
    });
  });
}

export function push(): Command {
  return withChanges(
    command("push <domain>", "Write a domain's records over its provider's", {
      more: "The opposite of `sync`: what was changed at the provider is undone. What it had stays in the history and in a snapshot.",
      examples: [
        ["push example.com", "Show what the provider changed, and undo it there."],
        ["push example.com --yes --message 'Edited by mistake'", "Do so without a question, with a reason."],
      ],
    }),
  ).action(async (name: string, options: ChangeOptions) => {
    const client = await connect();
    const zone = await domainNamed(client, name);
    const { id } = zone;
    const { plan, planHash, failed } = await client.domains.push.mutate({
      id,
      dryRun: true,
      ...(options.unlock ? { unlock: true } : {}),
    });
    if (plan === null || planHash === null) throw new Failure("The server returned no plan. Upgrade it.");
    const forbidden = failed.map(({ recordType, name: host, error }) => `${host} ${recordType} stays: ${error}`);
    await carryOut({
      domain: fullName(zone),
      plan: { ...plan, warnings: [...plan.warnings, ...forbidden] },
      options,
      apply: async () => await client.domains.push.mutate({ id, planHash, ...changeInput(options) }),
    });
  });
}

/** What a sync would do. */
async function differences(
  client: Client,
  { id }: Domain,
  { unlock }: ChangeOptions = {},
): Promise<{ plan: Changes; planHash: string }> {
  const { plan, planHash } = await client.domains.sync.mutate({ id, dryRun: true, ...(unlock ? { unlock } : {}) });
  if (plan === null || planHash === null) throw new Failure("The server returned no plan. Upgrade it.");
  return { plan, planHash };
}

export function drift(): Command {
  return withJson(
    command("drift [domain...]", "Show how domains differ from their providers", {
      more: "Reads each named zone at its provider. Without a name, lists the domains that the server's last check found. Exits with 2 if one differs, and with 1 if a named one could not be compared.",
      examples: [
        ["drift", "List the domains that differ, by the last check."],
        ["drift example.com example.org", "Compare two now, record by record."],
      ],
    }),
  ).action(async (names: string[], { json }: { json?: true }) => {
    const client = await connect();
    const checked: { domain: string; error: string | null; plan: Changes | null }[] = [];
    if (names.length === 0) {
      for (const zone of await every(client.eachDomain({ drift: true }))) {
        const { drift, driftError } = await client.domains.get.query({ id: zone.id });
        if (json) checked.push({ domain: fullName(zone), error: driftError, plan: null });
        else print(`${fullName(zone)}: ${driftError ?? (drift === null ? "differs" : driftText(drift))}`);
        process.exitCode = exitCodes.pending;
      }
      if (!json && process.exitCode !== exitCodes.pending) print("No domain differs from its provider.");
    }
    for (const name of names) {
      if (names.length === 1) progress(`Reading ${name} …`);
      else progress("zones compared", { done: checked.length, total: names.length });
      const one = await compared(client, name);
      progress("");
      checked.push(one);
      const { domain, error, plan } = one;
      if (error !== null) note(`${domain}: ${error}`);
      else if (!json && sizeOf(plan) === 0) print(`${domain}: ${countsOf(plan)}`);
      else if (!json) printPlan(domain, plan);
      if (error !== null) process.exitCode = exitCodes.error;
      else if (sizeOf(plan) > 0) process.exitCode ??= exitCodes.pending;
    }
    if (json) {
      const reports = checked.map(({ domain, error, plan }) => ({ domain, error, changes: plan && changesOf(plan) }));
      printJson({ domains: reports });
    }
  });
}

/** Compares a named domain with its provider, or says why that failed. @throws an error that the other domains would have, too */
async function compared(
  client: Client,
  name: string,
): Promise<{ domain: string; error: null; plan: Changes } | { domain: string; error: string; plan: null }> {
  let domain = name;
  try {
    const zone = await domainNamed(client, name);
    domain = fullName(zone);
    return { domain, error: null, plan: (await differences(client, zone)).plan };
  } catch (error) {
    if (isAboutAll(error)) throw error;
    return { domain, error: (await explain(error)).text, plan: null };
  }
}

/** Says what a sync would do. */
export function driftText({
  created,
  updated,
  deleted,
}: {
  created: number;
  updated: number;
  deleted: number;
}): string {
  return `a sync would create ${created}, update ${updated} and delete ${deleted} records`;
}
