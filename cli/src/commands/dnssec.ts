import type { Command } from "commander";
import type { RouterOutputs } from "@zonewright/client";
import { changeInput, command, group, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes, Failure } from "../failure.ts";
import { uninterrupted } from "../plans.ts";
import { confirmed, note, print, printFields, printJson } from "../terminal.ts";
import { domainNamed, fullName } from "../zones.ts";

type Dnssec = RouterOutputs["dnssec"]["get"];

export function dnssec(): Command {
  return group(
    "dnssec",
    "Show whether a domain's signatures are valid, and turn signing on and off",
    [show(), check(), enable(), disable(), publishDs()],
    "show",
  );
}

function show(): Command {
  return withJson(
    command("show <domain>", "Show a domain's DNSSEC as of the last check", {
      more: "Shows its keys, the DS records to publish and those of the parent zone, and what to do. Exits with 2 if something is wrong.",
      examples: [
        ["dnssec example.com", "Show whether resolvers accept its signatures."],
        ["dnssec example.com --json | jq -r '.dsToPublish[0]'", "Take the DS record to enter at the registrar."],
      ],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    report(await client.dnssec.get.query({ id }), json);
  });
}

function check(): Command {
  return withJson(
    command("check <domain>", "Check a domain's DNSSEC now", {
      more: "Asks the zone and those above it, which takes up to 20 seconds. Exits as dnssec show.",
      examples: [["dnssec check example.com", "See whether the registry has the new DS record."]],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    report(await client.dnssec.check.mutate({ id }), json);
  });
}

function enable(): Command {
  return withJson(
    command("enable <domain>", "Have the provider sign a domain", {
      more: "For the owner and administrators. Shows the DS records to publish, which dnssec publish-ds does. Exits as dnssec show.",
      examples: [["dnssec enable example.com", "Turn on DNSSEC at PowerDNS or Cloudflare."]],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    report(await uninterrupted(client.dnssec.set.mutate({ id, enabled: true }), whereStated(name)), json);
  });
}

function disable(): Command {
  return withJson(
    command("disable <domain>", "Have the provider sign a domain no longer", {
      more: "For the owner and administrators. Deletes the keys. Refused while the parent zone or the registrar has DS records, and until their TTL has passed.",
      examples: [["dnssec disable example.com --yes", "Turn off DNSSEC without a question."]],
    }),
  )
    .option("-y, --yes", "do not ask")
    .option("--force", "although the parent zone cannot be asked for DS records")
    .option("-m, --message <text>", "why; the audit trail keeps it")
    .option("--override", "skip the review that the domain requires (administrators; needs --message)")
    .action(async (name: string, options: Pick<ChangeOptions, "json" | "yes" | "force" | "message" | "override">) => {
      const { json, yes } = options;
      const client = await connect();
      const domain = await domainNamed(client, name);
      const about = `This deletes the keys of ${fullName(domain)}. Turning DNSSEC on again makes others.`;
      if (!yes && !(await confirmed(`${about} Go on?`, about))) throw new Failure("Nothing was changed.");
      const disabled = client.dnssec.set.mutate({ id: domain.id, enabled: false, ...changeInput(options) });
      report(await uninterrupted(disabled, whereStated(name)), json);
    });
}

function publishDs(): Command {
  return withChanges(
    command("publish-ds <domain>", "Publish a domain's DS records", {
      more:
        "Sets them at the registrar that the domain names, or in the domain here that delegates it. Otherwise shows what to enter by hand. " +
        "With --dry-run, exits with 2 if something would change.",
      examples: [
        ["dnssec publish-ds example.com --dry-run", "See where they go, and what is there now."],
        ["dnssec publish-ds example.com --yes", "Publish them without a question."],
      ],
    }),
  ).action(async (name: string, options: ChangeOptions) => {
    const { json, yes, dryRun } = options;
    const client = await connect();
    const { id } = await domainNamed(client, name);
    const plan = await client.dnssec.publishDs.mutate({ id, dryRun: true, ...changeInput(options) });
    const { planHash, through, parentZone, before, after, warnings, instructions } = plan;
    const isSame = before !== null && before.toSorted().join() === after.toSorted().join();
    const isDone = dryRun === true || through === null || planHash === null || isSame;
    if (json && isDone) printJson(plan);
    if (!json) {
      const place = through === "registrar" ? "at the registrar" : `in ${parentZone?.name ?? "the parent zone"}`;
      if (through === null) print(instructions ?? "");
      else {
        printFields([
          [`DS records ${place}`, before === null ? "unknown" : listed(before)],
          ["DS records afterwards", listed(after)],
        ]);
      }
    }
    for (const warning of warnings) note(warning);
    if (isDone) {
      if (through !== null && planHash !== null && !isSame) process.exitCode = exitCodes.pending;
      return;
    }
    const about = "This changes the DS records.";
    if (!yes && !(await confirmed(`${about} Go on?`, about))) throw new Failure("Nothing was changed.");
    const look = `\`zonewright dnssec publish-ds ${name} --dry-run\` shows what is there now.`;
    const done = await uninterrupted(client.dnssec.publishDs.mutate({ id, planHash, ...changeInput(options) }), look);
    if (json) printJson(done);
    else note("The DS records were published.");
  });
}

function whereStated(name: string): string {
  return `\`zonewright dnssec check ${name}\` shows whether it is signed.`;
}

function report(found: Dnssec, json: true | undefined): void {
  if (json) printJson(found);
  else printDnssec(found);
  if (found.findings.some(({ severity }) => severity !== "info")) process.exitCode = exitCodes.pending;
}

function printDnssec(found: Dnssec): void {
  const { notCheckedBecause, checkedAt, state, chain, chainReason, keys, dsToPublish, parentDs } = found;
  printFields([
    ["state", state ?? "unknown"],
    ["chain of trust", chainReason === null ? chain : `${chain}: ${chainReason}`],
    ["keys", keys === null ? "unknown" : listed(keys.map(({ keyTag, role }) => `${keyTag} (${role})`))],
    ["DS records to publish", listed(dsToPublish)],
    ["DS records in the parent zone", parentDs === null ? "unknown" : listed(parentDs)],
    ["checked", checkedAt === null ? (notCheckedBecause ?? "not yet") : checkedAt.toISOString()],
  ]);
  for (const { severity, message } of found.findings) print(`${severity}: ${message}`);
}

function listed(values: readonly string[]): string {
  return values.length === 0 ? "none" : values.join(", ");
}
