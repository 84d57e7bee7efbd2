import type { AnyTRPCRouter } from "@trpc/server";
import type { OpenApiDocument } from "../server/api/openapi/shapes.ts";
import { openApiDocument } from "../server/api/openapi/document.ts";
import { streamPaths, trpcStreams } from "../server/api/openapi/other-operations.ts";
import { metaOf } from "../server/api/rest.ts";
import { comment } from "./comment.ts";

/** The client method for each kind of procedure. */
const calls = { query: "query", mutation: "mutate", subscription: "subscribe" } as const;

/**
 * Returns the declaration of the client's procedures: the types that tRPC infers, each with its description from the API
 * document as a comment. Editors show no comments through tRPC's own mapped types.
 */
export function proceduresDeclaration(appRouter: AnyTRPCRouter): string {
  const document = openApiDocument(appRouter, { version: "", siteUrl: "" });
  const procedures = appRouter._def.procedures as Record<string, { _def: { type: keyof typeof calls } }>;
  const rooms = Map.groupBy(Object.entries(procedures), ([name]) => name.split(".")[0] ?? "");
  const lines = [
    'import type { TRPCClient } from "@trpc/client";',
    'import type { AppRouter } from "./app-router.js";',
    "type Inferred = TRPCClient<AppRouter>;",
  ];
  const table: string[] = [];
  for (const [room, members] of rooms) {
    const text = roomText(
      members.map(([name]) => name),
      appRouter,
      document,
    );
    const type = `${room.charAt(0).toUpperCase()}${room.slice(1)}Procedures`;
    table.push(comment(text, "    "), `    ${room}: ${type};`);
    lines.push(comment(text), `export interface ${type} {`);
    for (const [name, { _def }] of members) {
      const procedure = name.slice(room.length + 1);
      const call = calls[_def.type];
      const told = procedureText(name, appRouter, document);
      lines.push(comment(told, "    "), `    ${procedure}: {`);
      lines.push(
        comment(told, "        "),
        `        ${call}: Inferred["${room}"]["${procedure}"]["${call}"];`,
        "    };",
      );
    }
    lines.push("}");
  }
  lines.push("interface Routers {", ...table, "}", comment("All procedures, by their routers."));
  lines.push("export type Procedures = Routers & Omit<Inferred, keyof Routers>;");
  return `${lines.join("\n")}\n`;
}

/** Returns the document's descriptions of the tags of a router's procedures. */
function roomText(names: readonly string[], appRouter: AnyTRPCRouter, { tags }: OpenApiDocument): string {
  const own = new Set(names.flatMap((name) => metaOf(appRouter, name)?.openapi?.tags ?? []));
  return tags.flatMap(({ name, description }) => (own.has(name) ? [description] : [])).join("\n\n");
}

/** Returns the document's description of a procedure, with its REST route. */
function procedureText(name: string, appRouter: AnyTRPCRouter, document: OpenApiDocument): string {
  const trpcOnly = trpcStreams[name];
  if (trpcOnly) return `${trpcOnly.summary}.\n\n${trpcOnly.description}\n\nOver tRPC only: \`GET /trpc/${name}\``;
  const { openapi, deprecated } = metaOf(appRouter, name) ?? {};
  // Only the notification stream has no route of its own; http.ts serves it over REST.
  const { method, path } = openapi ?? { method: "GET", path: streamPaths[0]?.[0] ?? "" };
  const operation = document.paths[path]?.[method.toLowerCase()];
  const parts = [`${String(operation?.["summary"])}.`, operation?.description, `\`${method} /api${path}\``];
  if (deprecated) parts.push(`@deprecated Use \`${deprecated.instead}\`.`);
  return parts.filter(Boolean).join("\n\n");
}
