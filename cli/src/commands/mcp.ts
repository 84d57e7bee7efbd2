import type { Command } from "commander";
import { command } from "../command.ts";
import manifest from "../../package.json" with { type: "json" };

export function mcp(): Command {
  return command("mcp", "Serve tools for assistants over standard input and output", {
    more: "Speaks the Model Context Protocol. Assistants can search and read, and propose changes that a person reviews. With --allow-apply, they can also apply plans.",
    examples: [
      [
        "login --permissions domains:read,records:read,snapshots:read,requests:read,requests:write",
        "Get a token that can read and propose.",
      ],
      ["mcp", "What an assistant's configuration runs: command zonewright, arguments mcp."],
      ["mcp --allow-apply", "Let the assistant apply plans, too, with a token that may write records."],
    ],
  })
    .option("--json", "no effect: all output is JSON messages of the protocol")
    .option("--allow-apply", "also offer tools that change records, each by the hash of a plan")
    .action(async ({ allowApply = false }: { allowApply?: boolean }) => {
      const { serve } = await import("../mcp/server.ts");
      await serve({ allowApply, version: manifest.version });
    });
}
