import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Option, type Command } from "commander";
import { changeInput, command, wholeNumber, withChanges, withJson, type ChangeOptions } from "../command.ts";
import { connect } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { carryOut, inputOf, planFileFor, requested } from "../plans.ts";
import { deliver, readInput, readNamed, textOf } from "../terminal.ts";
import { fileOfZone } from "../zone-files.ts";
import { domainNamed, fullName } from "../zones.ts";

interface ExportOptions {
  output?: string;
  revision?: string;
  serverManaged?: true;
  format?: ExportFormat;
  json?: true;
}

const exportFormats = ["zonefile", "octodns", "csv", "tsv", "terraform", "dnscontrol"] as const;
type ExportFormat = (typeof exportFormats)[number];

export function exportZone(): Command {
  return withJson(
    command("export <domain>", "Export a domain's records", {
      examples: [
        ["export example.com > example.com.zone", "Write a zone file that name servers load."],
        ["export example.com --format octodns --output example.com.yaml", "Write it for octoDNS."],
        ["export example.com!internal --revision 12 --output old.zone", "Write an earlier state of a view."],
      ],
    }),
  )
    .addOption(
      new Option("--format <format>", "a zone file (default), or the format of another tool").choices(exportFormats),
    )
    .option(
      "-o, --output <file>",
      "write to this file instead of the standard output; in a folder, to one named after the zone",
    )
    .option("--revision <revision>", "as it was at this revision of the zone")
    .option("--server-managed", "also what the name server maintains, such as signatures")
    .action(async (name: string, { output, revision, serverManaged, format = "zonefile", json }: ExportOptions) => {
      const client = await connect();
      const zone = await domainNamed(client, name);
      const { content } = await client.records.export.query({
        id: zone.id,
        format,
        ...(revision === undefined ? {} : { revision: wholeNumber(revision, "--revision") }),
        ...(serverManaged ? { serverManaged } : {}),
      });
      const file = output === undefined ? undefined : await fileFor(output, fullName(zone), format);
      await deliver(content, file, json ? { domain: fullName(zone), format } : null);
    });
}

const ends: Readonly<Record<ExportFormat, string>> = {
  zonefile: ".zone",
  octodns: ".yaml",
  csv: ".csv",
  tsv: ".tsv",
  terraform: ".tf",
  dnscontrol: ".js",
};

/** Returns the file to write: in a folder, one named after the zone, as `plan` reads it. */
async function fileFor(output: string, domain: string, format: ExportFormat): Promise<string> {
  const isFolder = await stat(output).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(output, fileOfZone(domain, ends[format])) : output;
}

interface ImportOptions extends ChangeOptions {
  replace?: true;
  lenient?: true;
  ignoreOutOfZone?: true;
}

export function importZone(): Command {
  return withChanges(
    command("import <domain> <file>", "Import a file into a domain", {
      more: "Takes zone files, octoDNS, CSV, Terraform and what dig printed. Adds and updates records. An error in the file changes nothing, and names its line. `-` reads the standard input.",
      examples: [
        ["import example.com example.com.zone", "Add what the file has."],
        ["import example.com example.com.zone --replace", "Also delete what it does not have, after a question."],
        ["import example.com - --replace --dry-run < example.com.zone", "See how the zone differs from a file."],
      ],
    }),
    { request: true },
  )
    .option("--replace", "also delete records that the file does not have")
    .option("--lenient", "keep what breaks a rule, with a warning")
    .addOption(new Option("--ignore-out-of-zone", "skip records outside the zone, with a warning"))
    .action(async (name: string, file: string, { replace, lenient, ignoreOutOfZone, ...options }: ImportOptions) => {
      const zonefile = file === "-" ? await readInput() : textOf(file, await readNamed(file));
      if (file === "-" && zonefile.trim() === "")
        throw new Failure("The standard input is empty. Pipe a zone file into it.");
      if (zonefile === "") throw new Failure(`${file} is empty. Check that it was written.`);
      const client = await connect();
      const zone = await domainNamed(client, name);
      const input = {
        id: zone.id,
        zonefile,
        mode: replace ? ("replace" as const) : ("merge" as const),
        ...(lenient ? { lenient } : {}),
        ...(ignoreOutOfZone ? { ignoreOutOfZone } : {}),
      };
      const planned = { ...input, ...(options.unlock ? { unlock: true } : {}) };
      const { planHash, ...plan } = await planFileFor(client, planned, options);
      await carryOut({
        domain: fullName(zone),
        plan,
        options,
        apply: async () => await client.records.importZonefile.mutate({ ...input, planHash, ...changeInput(options) }),
        request: (title) => requested(client, { id: zone.id, changes: inputOf(plan) }, title, options),
      });
    });
}
