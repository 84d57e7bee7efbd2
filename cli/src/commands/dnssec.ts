import type { Command } from "commander";
import type { RouterOutputs } from "@zonewright/client";
import { command, group, withJson } from "../command.ts";
import { connect } from "../credentials.ts";
import { exitCodes } from "../failure.ts";
import { print, printFields, printJson } from "../terminal.ts";
import { domainNamed } from "../zones.ts";

type Dnssec = RouterOutputs["dnssec"]["get"];

export function dnssec(): Command {
  return group("dnssec", "Show whether a domain's signatures are valid", [show(), check()], "show");
}

function show(): Command {
  return withJson(
    command("show <domain>", "Show a domain's DNSSEC as of the last check", {
      more: "Shows its keys, the DS records to publish and those of the zone above, and what to do. Exits with 2 if something is wrong.",
      examples: [
        ["dnssec example.com", "Show whether resolvers accept its signatures."],
        ["dnssec example.com --json | json '.dsToPublish[0]'", "Take the DS record to enter at the registrar."],
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

function report(found: Dnssec, json: true | undefined): void {
  if (json) printJson(found);
  else printDnssec(found);
  if (found.findings.some(({ severity }) => severity !== "info")) process.exitCode = exitCodes.pending;
}

function printDnssec(found: Dnssec): void {
  const { notCheckedBecause, checkedAt, state, chain, chainReason, keys, dsToPublish, parentDs } = found;
  printFields([
    ["state", state ?? "unknown"],
    ["chain", chainReason === null ? chain : `${chain}: ${chainReason}`],
    ["keys", keys === null ? "unknown" : listed(keys.map(({ keyTag, role }) => `${keyTag} (${role})`))],
    ["DS records to publish", listed(dsToPublish)],
    ["DS records in the zone above", parentDs === null ? "unknown" : listed(parentDs)],
    ["checked", checkedAt === null ? (notCheckedBecause ?? "not yet") : checkedAt.toISOString()],
  ]);
  for (const { severity, message } of found.findings) print(`${severity}: ${message}`);
}

function listed(values: readonly string[]): string {
  return values.length === 0 ? "none" : values.join(", ");
}
