import type { AnyTRPCRouter } from "@trpc/server";
import { z } from "zod";
import { comment } from "./comment.ts";

type Schema = Exclude<z.core.JSONSchema.JSONSchema, boolean>;

interface Procedure {
  _def: { inputs: z.core.$ZodType[]; output?: z.core.$ZodType };
}

/**
 * Adds the schemas' field descriptions to the router's declaration, as comments that editors show. The compiler emits
 * types only.
 *
 * Parses the declaration line by line, relying on the compiler's layout: a property that opens a brace ends its line with
 * it, and a line that begins with a brace closes it.
 * @throws Error if a procedure is missing from the declaration
 */
export function withFieldComments(declaration: string, appRouter: AnyTRPCRouter): string {
  const schemas = schemasOf(appRouter);
  const found = new Set<string>();
  const open: string[] = [];
  const lines: string[] = [];
  for (const line of declaration.split("\n")) {
    const [, indent = "", name] = /^( +)(\w+)\??: /.exec(line) ?? [];
    const closed = /^ *\}/.test(line) ? open.pop() : undefined;
    const [router, procedure, side, ...fields] = [...open.slice(1), ...(name === undefined ? [] : [name])];
    if (line.endsWith("{")) open.push(name ?? closed ?? "");
    found.add(`${router}.${procedure}`);
    const schema = name === undefined ? undefined : schemas.get(`${router}.${procedure}.${side}`);
    const text = schema && fields.length > 0 ? fieldText(schema, fields) : null;
    if (text !== null) lines.push(comment(text, indent));
    lines.push(line);
  }
  const missing = Object.keys(appRouter._def.procedures as object).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`There is no place for comments on the fields of ${missing.join(", ")}.`);
  return lines.join("\n");
}

/** Returns the schemas by keys such as `records.create.input` and `records.create.output`. */
function schemasOf(appRouter: AnyTRPCRouter): Map<string, Schema> {
  const schemas = new Map<string, Schema>();
  const procedures = appRouter._def.procedures as Record<string, Procedure>;
  for (const [name, { _def }] of Object.entries(procedures)) {
    const {
      inputs: [input],
      output,
    } = _def;
    if (input) schemas.set(`${name}.input`, z.toJSONSchema(input, { io: "input", unrepresentable: "any" }));
    if (output) schemas.set(`${name}.output`, z.toJSONSchema(output, { io: "output", unrepresentable: "any" }));
  }
  return schemas;
}

function fieldText(root: Schema, fields: readonly string[]): string | null {
  let found = [root];
  for (const field of fields) {
    found = found
      .flatMap((schema) => objectsIn(schema, root))
      .map(({ properties }) => properties?.[field] as Schema | undefined)
      .filter((schema) => schema !== undefined);
  }
  return found.map((schema) => descriptionOf(schema, root)).find((text) => text !== undefined) ?? null;
}

/** Returns the schemas that a schema references or offers as alternatives. */
function within({ $ref, anyOf = [], oneOf = [], allOf = [] }: Schema, root: Schema): Schema[] {
  const named = $ref === undefined ? undefined : root.$defs?.[$ref.replace("#/$defs/", "")];
  return [...(named ? [named] : []), ...anyOf, ...oneOf, ...allOf] as Schema[];
}

function objectsIn(schema: Schema, root: Schema): Schema[] {
  if (schema.properties) return [schema];
  const items = schema.items ? [schema.items as Schema] : [];
  return [...within(schema, root), ...items].flatMap((one) => objectsIn(one, root));
}

function descriptionOf(schema: Schema, root: Schema): string | undefined {
  if (schema.description !== undefined) return schema.description;
  const inner = within(schema, root).map((one) => descriptionOf(one, root));
  return inner.find((text) => text !== undefined);
}
