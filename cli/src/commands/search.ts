import type { Command } from "commander";
import type { RouterOutputs } from "@zonewright/client";
import { command, withJson } from "../command.ts";
import { connect } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { note, printJson, printTable, progress, type Column } from "../terminal.ts";
import { recordColumns } from "../zones.ts";

type FoundRecord = RouterOutputs["records"]["search"]["records"][number];

const columns: readonly Column<FoundRecord>[] = [
  { title: "domain", cell: ({ domainName }) => domainName },
  ...recordColumns.slice(0, -1),
];

interface SearchOptions {
  value?: string;
  type?: string;
  tag?: string;
  group?: string;
  view?: string;
  json?: true;
}

export function search(): Command {
  return withJson(
    command("search [text]", "Search records in all domains", {
      examples: [
        ["search old-host", "Find records whose name or value contains this text."],
        ["search --value 192.0.2.1 --type A", "Find every address record with exactly this value."],
        ["search _dmarc --tag production --json", "Search the domains with a tag, for programs."],
      ],
    }),
  )
    .option("--value <value>", "exactly this value, in any notation")
    .option("--type <type>", "only records of this type")
    .option("--tag <tag>", "only domains with this tag")
    .option("--group <group>", "only domains in this group")
    .option("--view <view>", "only this view; default: the default view")
    .action(async (text: string | undefined, { json, ...filters }: SearchOptions) => {
      if (text === undefined && filters.value === undefined) {
        throw new Failure("Name a text to search for, or a --value.");
      }
      const client = await connect();
      const input = { ...filters, ...(text === undefined ? {} : { search: text }) };
      const found: FoundRecord[] = [];
      let totalIsExact = true;
      for (let page = 1; ; page++) {
        const answer = await client.records.search.query({ ...input, page, limit: 100 });
        found.push(...answer.records);
        totalIsExact = answer.totalIsExact;
        if (answer.records.length < 100 || found.length >= answer.total) break;
        progress("records read", { done: found.length, total: answer.total });
      }
      progress("");
      if (json) printJson({ records: found, total: found.length, totalIsExact });
      else {
        printTable(found, columns, "No matching records.");
        if (!totalIsExact) note("There are more. Narrow the search to see the rest.");
      }
    });
}
