import type { Access } from "./access.ts";
import { callsOf, type ApiDocument, type Call, type Schema } from "./api-document.ts";
import { answerExample, curl } from "./examples.ts";
import { anchor, fenced, generatedNote, json, page, table } from "./markdown.ts";
import { fieldRows, nameOf, typeText, type LinkTo } from "./schema-text.ts";

/** The sources of the API pages. */
export interface Api {
  document: ApiDocument;
  access: ReadonlyMap<string, Access>;
}

/** The pages below docs/reference/api: one for each tag, and one for the objects in responses. */
export function apiPages(api: Api): Map<string, string> {
  const { document } = api;
  const calls = callsOf(document);
  const pages = document.tags.map(({ name, description }): [string, string] => {
    const tagged = calls.filter(({ operation }) => operation.tags[0] === name);
    return [
      fileOf(name),
      page(generatedNote, `# ${name}`, description, callTable(tagged, ""), ...tagged.map((call) => section(call, api))),
    ];
  });
  return new Map([...pages, ["objects.md", objectsPage(document)]]);
}

/** The calls of every tag, for the index. */
export function callIndex({ document }: Api): string {
  const calls = callsOf(document);
  return document.tags
    .map(({ name, description }) => {
      const tagged = calls.filter(({ operation }) => operation.tags[0] === name);
      return `### ${name}\n\n[${description}](api/${fileOf(name)})\n\n${callTable(tagged, `api/${fileOf(name)}`)}`;
    })
    .join("\n\n");
}

function fileOf(tag: string): string {
  return `${anchor(tag)}.md`;
}

function callTable(calls: readonly Call[], file: string): string {
  const rows = calls.map(({ method, path, operation: { operationId, summary } }) => [
    `[${operationId}](${file}#${anchor(operationId)})`,
    `\`${method} ${path}\``,
    summary,
  ]);
  return table(["operation", "call", "summary"], rows);
}

const openToAll = { who: "anybody", token: "–", whose: "–", confirmed: "–" };

function section(call: Call, { document, access }: Api): string {
  const { method, path, operation } = call;
  const { operationId, summary, deprecated, parameters = [], requestBody } = operation;
  const linkTo = linkWithin(document, "");
  const known = access.get(`${method} ${path}`);
  const { who, token, whose, confirmed } = known ?? openToAll;
  const body = requestBody?.content["application/json"]?.schema;
  return page(
    `## ${operationId}`,
    `**${summary}.**${deprecated ? " Deprecated: it will be removed." : ""}`,
    `\`${method} ${path}\`${known ? ` · tRPC ${known.kind} \`${known.procedure}\`` : ""}`,
    descriptionOf(call),
    `[Access](../../rights.md): ${who}. Personal token: ${token === "–" ? "none" : `\`${token}\``}.${whose === "–" ? "" : ` Scope: ${whose}.`}${confirmed === "–" ? "" : ` Confirmation: ${confirmed}.`}`,
    parameters.length === 0 ? null : parameterTable(call, linkTo),
    body ? bodyTable(body, linkTo, document) : null,
    fenced("sh", curl(call, who, document)),
    answer(call, linkTo, document),
  ).trimEnd();
}

const accessNotes =
  /^(?:No authentication required\.|Requires the `tempToken`.*|(?:Administrators only\. )?Personal tokens (?:are not accepted|are accepted|need).*)$/;

/** The description without its last paragraph, if that only says who may call. */
function descriptionOf({ operation: { description = "" } }: Call): string | null {
  const paragraphs = description.split("\n\n");
  const text = accessNotes.test(paragraphs.at(-1) ?? "") ? paragraphs.slice(0, -1) : paragraphs;
  return text.length === 0 ? null : text.join("\n\n");
}

function parameterTable({ operation: { parameters = [] } }: Call, linkTo: LinkTo): string {
  const rows = parameters.map((one) => [
    `\`${one.name}\``,
    one.in,
    typeText(one.schema, linkTo),
    one.required ? "yes" : "",
    one.description ?? "",
  ]);
  return table(["parameter", "in", "type", "required", "description"], rows);
}

function bodyTable(schema: Schema, linkTo: LinkTo, document: ApiDocument): string | null {
  const body = document.components.schemas[nameOf(schema.$ref ?? "")] ?? schema;
  const rows = fieldRows(body, linkTo, document);
  if (rows.length === 0) return null;
  return table(
    ["body field", "type", "required", "description"],
    rows.map((row) => [`\`${row.field}\``, row.type, row.required ? "yes" : "", row.description]),
  );
}

function answer({ operation: { responses } }: Call, linkTo: LinkTo, document: ApiDocument): string {
  const [status, success] = Object.entries(responses).find(([one]) => /^[23]/.test(one)) ?? ["", {}];
  const errors = Object.keys(responses).filter((one) => /^[45]/.test(one));
  const text = `Errors: ${errors.join(", ")} ([meaning](../errors.md)).`;
  const [[type, media] = ["", undefined]] = Object.entries(success.content ?? {});
  if (!media) return `Response \`${status}\`: ${success.description ?? ""} ${text}`;
  if (type !== "application/json") {
    const example = typeof media.example !== "string" ? "" : `\n\n${fenced("", media.example.trimEnd())}`;
    return `Response \`${status}\` (\`${type}\`): ${success.description ?? ""} ${text}${example}`;
  }
  return `Response \`${status}\`: ${typeText(media.schema, linkTo)}. ${text}\n\n${json(answerExample(media, document))}`;
}

function objectsPage(document: ApiDocument): string {
  const linkTo = linkWithin(document, "objects.md");
  const named = Object.entries(document.components.schemas)
    .filter(([name]) => !isBody(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const objects = named.map(([name, schema]) => {
    const rows = fieldRows(schema, linkTo, document);
    return page(
      `## ${name}`,
      schema.description ?? "",
      schema.anyOf ? `${typeText(schema, linkTo)}.` : null,
      rows.length === 0
        ? null
        : table(
            ["field", "type", "description"],
            rows.map((row) => [`\`${row.field}\`${row.required ? "" : " (optional)"}`, row.type, row.description]),
          ),
    ).trimEnd();
  });
  return page(
    generatedNote,
    "# Objects",
    "The objects in responses. New fields may appear: ignore those you do not know.",
    ...objects,
  );
}

function isBody(name: string): boolean {
  return name.endsWith("Body");
}

/** Objects have their own page; a body is described at the call that takes it. */
function linkWithin(document: ApiDocument, here: string): LinkTo {
  return (name) => {
    if (!isBody(name)) return `[${name}](${here === "objects.md" ? "" : "objects.md"}#${anchor(name)})`;
    const owner = callsOf(document).find(
      ({ operation }) => nameOf(operation.requestBody?.content["application/json"]?.schema.$ref ?? "") === name,
    );
    if (!owner) throw new Error(`No call takes ${name}.`);
    const { operationId, tags } = owner.operation;
    return `[body of ${operationId}](${fileOf(tags[0] ?? "")}#${anchor(operationId)})`;
  };
}
