import type { Command } from "commander";
import type { Client, DnsRecord, Domain, Plan, Snapshot } from "@zonewright/client";
import { changeInput, command, group, wholeNumber, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { uninterrupted, carryOut, changesOf, printPlan, type Changes } from "../plans.ts";
import { visible } from "../table.ts";
import { chosen, counted, note, print, printJson, printTable, type Column } from "../terminal.ts";
import { domainNamed, every, fullName, instant } from "../zones.ts";

export function snapshot(): Command {
  return group("snapshot", "Take and list snapshots", [take(), list()], "take");
}

const columns: readonly Column<Snapshot>[] = [
  { title: "snapshot", cell: ({ version }) => String(version), alignRight: true },
  { title: "taken (UTC)", cell: ({ createdAt }) => instant(createdAt) },
  { title: "records", cell: ({ recordCount }) => String(recordCount), alignRight: true },
  { title: "trigger", cell: ({ trigger }) => trigger.replace("_", " ") },
  { title: "name", cell: ({ name }) => name ?? "" },
];

function take(): Command {
  return withJson(
    command("take <domain>", "Take a snapshot of a domain's records", {
      examples: [
        ["snapshot example.com", "Take one before larger work."],
        ["snapshot example.com --name 'Before the move'", "Give it a name by which you find it again."],
      ],
    }),
  )
    .option("--name <text>", "what you call it")
    .action(async (domain: string, { json, name }: { json?: true; name?: string }) => {
      const client = await connect();
      const zone = await domainNamed(client, domain);
      const look = `\`zonewright snapshot list ${fullName(zone)}\` shows whether it was taken.`;
      const input = { id: zone.id, ...(name === undefined ? {} : { name }) };
      const taken = await uninterrupted(client.snapshots.create.mutate(input), look);
      if (json) printJson({ ...taken, records: null });
      else print(`Took snapshot ${taken.version} of ${fullName(zone)}: ${counted(taken.recordCount, "record")}.`);
    });
}

function list(): Command {
  return withJson(
    command("list <domain>", "List a domain's snapshots", {
      examples: [["snapshot list example.com", "List them, newest first."]],
    }),
  ).action(async (name: string, { json }: { json?: true }) => {
    const client = await connect();
    const { id } = await domainNamed(client, name);
    const found = await every(client.eachSnapshot({ id, records: false }));
    if (json) printJson({ snapshots: found, total: found.length });
    else printTable(found, columns, "There are no snapshots. `zonewright snapshot` takes one.");
  });
}

/** Returns the snapshot of a number. @throws Failure if there is none */
async function snapshotNumbered(client: Client, zone: Domain, given: string): Promise<Snapshot> {
  const number = wholeNumber(given, "The snapshot");
  for await (const one of client.eachSnapshot({ id: zone.id, records: false })) if (one.version === number) return one;
  throw new Failure(
    `${fullName(zone)} has no snapshot ${number}. \`zonewright snapshot list ${fullName(zone)}\` lists them.`,
  );
}

export function diff(): Command {
  return withJson(
    command("diff <domain> [from] [to]", "Compare snapshots, or two domains", {
      more: "Snapshots are named by number. Without `to`, compares with the records of now.",
      examples: [
        ["diff example.com 3", "See what changed since snapshot 3."],
        ["diff example.com 3 5", "See what changed between two snapshots."],
        ["diff example.com --with example.com!internal", "Compare two views, or two domains."],
      ],
    }),
  )
    .option("--with <domain>", "compare with the records of this domain")
    .action(
      async (
        name: string,
        from: string | undefined,
        to: string | undefined,
        { with: other, json }: { with?: string; json?: true },
      ) => {
        if ((from === undefined) === (other === undefined)) {
          throw new Failure("Name a snapshot to compare from, or a domain to compare --with.");
        }
        const client = await connect();
        const zone = await domainNamed(client, name);
        const changes = await compared(client, zone, from, to, other);
        if (json) printJson({ domain: fullName(zone), changes: changesOf(changes) });
        else printPlan(fullName(zone), changes);
      },
    );
}

async function compared(
  client: Client,
  zone: Domain,
  from: string | undefined,
  to: string | undefined,
  other: string | undefined,
): Promise<Changes> {
  const { id } = zone;
  if (other !== undefined) {
    const { id: with_ } = await domainNamed(client, other);
    return asChanges(await client.domains.compare.mutate({ id, with: with_ }));
  }
  const first = await snapshotNumbered(client, zone, from ?? "");
  if (to !== undefined) {
    const second = await snapshotNumbered(client, zone, to);
    return asChanges(await client.snapshots.diff.query({ id, from: first.id, to: second.id }));
  }
  const { records } = await client.snapshots.get.query({ id, snapshotId: first.id });
  return sinceThen(records ?? [], await every(client.eachRecord({ id, serverManaged: false }, { pageSize: 500 })));
}

type Difference = Awaited<ReturnType<Client["snapshots"]["diff"]["query"]>>;

function asChanges({ added, removed, modified }: Difference): Changes {
  const id = "";
  return {
    creates: added,
    updates: modified.map((update) => ({ id, ...update })),
    deletes: removed.map((record) => ({ id, ...record })),
  };
}

/** Matches records by id, then by type, name and value, as the server does between snapshots. */
function sinceThen(then: readonly DnsRecord[], now: readonly DnsRecord[]): Changes {
  const before = new Map(then.map((record) => [record.id, record]));
  const updates: Plan["updates"] = [];
  const compare = (old: DnsRecord, record: DnsRecord) => {
    before.delete(old.id);
    if (published(old) !== published(record)) updates.push({ id: record.id, before: old, after: record, changes: {} });
  };
  const others: DnsRecord[] = [];
  for (const record of now) {
    const old = before.get(record.id);
    if (old === undefined) others.push(record);
    else compare(old, record);
  }
  const gone = new Map([...before.values()].map((record) => [identity(record), record]));
  const creates = others.filter((record) => {
    const old = gone.get(identity(record));
    if (old !== undefined) compare(old, record);
    return old === undefined;
  });
  return { creates, updates, deletes: [...before.values()] };
}

/** What no two records of a zone share. */
function identity({ recordType, name, value, strings }: DnsRecord): string {
  return JSON.stringify([recordType, name, value, strings]);
}

function published({ recordType, name, value, strings, ttl, proxied, status }: DnsRecord): string {
  return JSON.stringify([recordType, name, value, strings, ttl, proxied, status]);
}

export function rollback(): Command {
  return withChanges(
    command("rollback <domain> [snapshot]", "Roll a domain's records back to a snapshot", {
      more: "Without a number, lists the snapshots to choose from. Shows what changes, and asks.",
      examples: [
        ["rollback example.com", "Choose a snapshot, and roll back to it."],
        ["rollback example.com 3 --yes --message 'Undo the move'", "Roll back without a question, with a reason."],
        ["rollback example.com 3 --dry-run", "See what that would change."],
      ],
    }),
  ).action(async (name: string, number: string | undefined, options: ChangeOptions) => {
    const client = await connect();
    const zone = await domainNamed(client, name);
    const { id } = zone;
    const { id: snapshotId, version } = await target(client, zone, number);
    const input = { id, snapshotId, ...(options.unlock ? { unlock: true } : {}) };
    const { plan, planHash, failed } = await client.snapshots.rollback.mutate({ ...input, dryRun: true });
    if (plan === null || planHash === null) throw new Failure("The server returned no plan. Upgrade it.");
    const forbidden = failed.map(({ recordType, name: host, error }) => `${host} ${recordType} stays: ${error}`);
    if (!options.json) note(`Snapshot ${version} of ${fullName(zone)}:`);
    await carryOut({
      domain: fullName(zone),
      plan: { ...plan, warnings: [...plan.warnings, ...forbidden] },
      options,
      alwaysAsk: true,
      apply: async () => await client.snapshots.rollback.mutate({ ...input, planHash, ...changeInput(options) }),
    });
  });
}

async function target(client: Client, zone: Domain, number: string | undefined): Promise<Snapshot> {
  if (number !== undefined) return await snapshotNumbered(client, zone, number);
  const { snapshots, total } = await client.snapshots.list.query({ id: zone.id, records: false, limit: 20 });
  if (total === 0)
    throw new Failure(`${fullName(zone)} has no snapshots. \`zonewright history undo\` undoes a change.`);
  return await chosen(
    `Snapshots of ${fullName(zone)}, newest first:`,
    snapshots,
    ({ version, name, createdAt, recordCount }) => {
      const facts = [`snapshot ${version}`, `${instant(createdAt)} UTC`, counted(recordCount, "record")];
      return [...facts, ...(name === null ? [] : [visible(name)])].join(", ");
    },
    `Name a snapshot by its number: zonewright rollback ${fullName(zone)} <snapshot>.`,
  );
}
