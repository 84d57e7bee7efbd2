import type { AnyTRPCRouter } from "@trpc/server";
import { z } from "zod";
import { comment } from "./comment.ts";

type Schema = Exclude<z.core.JSONSchema.JSONSchema, boolean>;

interface Procedure {
  _def: { output?: z.core.$ZodType };
}

/** The router's declaration with names in place of types, and the declaration of these names. */
export interface NamedResults {
  router: string;
  results: string;
  names: string[];
}

/** Where the router's declaration finds the names, and these find the server. */
const resultsModule = "./src/results.ts";
const serverFolder = "../../server/";

/**
 * Gives the types of results, and of their parts, the names that they have in the API document. So editors show `Plan` instead of all its
 * fields, and programs can import the type.
 *
 * Parses the declaration line by line, as `withFieldComments` does: the type of a property that opens a brace ends in the line of the same
 * indentation that begins with a brace and ends with a semicolon.
 * @throws Error if a result has no name, or a name has two types
 */
export function namedResults(declaration: string, appRouter: AnyTRPCRouter): NamedResults {
  const schemas = resultSchemas(appRouter);
  const types = new Map<string, string>();
  const nameless = new Set(schemas.keys());

  /** Returns a property with its type, or the types within it, named. */
  function named(property: readonly string[], schema: Schema, root: Schema): string[] {
    const [first = ""] = property;
    const last = property.at(-1) ?? "";
    const inner = withNamedParts(property.slice(1, -1), schema, root);
    const found = namedSchema(schema, root);
    if (!found) return [first, ...inner, last];
    // A list of alternatives stands in parentheses, and an object may be the argument of a generic type.
    const [head = ""] = /^ +\w+\??: \(*/.exec(first) ?? [];
    const [closing = ""] = /^ *\}>*/.exec(last) ?? [];
    const margin = closing.indexOf("}");
    const body = [first.slice(head.length), ...inner.map((line) => line.slice(margin)), closing.trim()].join("\n");
    const type = body.replaceAll('import("../server/', `import("${serverFolder}`);
    const text = `${comment(found.text)}\nexport type ${found.name} = ${type};`;
    const known = types.get(found.name) ?? text;
    if (known !== text) throw new Error(`${found.name} has two types:\n${known}\n${text}`);
    types.set(found.name, text);
    return [`${head}${found.name}${last.slice(closing.length)}`];
  }

  function withNamedParts(lines: readonly string[], schema: Schema, root: Schema): string[] {
    const made: string[] = [];
    for (let at = 0; at < lines.length; at += 1) {
      const [, indent = "", field] = /^( +)(\w+)\??: .*\{$/.exec(lines[at] ?? "") ?? [];
      const [part] = field === undefined ? [] : partsOf(schema, field, root);
      const end = part ? endOf(lines, at, indent) : at;
      made.push(...(part ? named(lines.slice(at, end + 1), part, root) : lines.slice(at, at + 1)));
      at = end;
    }
    return made;
  }

  const lines = declaration.split("\n");
  const made: string[] = [];
  const open: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, indent = "", name] = /^( +)(\w+)\??: /.exec(line) ?? [];
    const closed = /^ *\}/.test(line) ? open.pop() : undefined;
    const procedure = open.slice(1).join(".");
    const schema = name === "output" ? schemas.get(procedure) : undefined;
    const result = schema && line.endsWith("{") ? schema : null;
    const end = result ? endOf(lines, at, indent) : at;
    const text = result ? named(lines.slice(at, end + 1), result, result) : [line];
    made.push(...text);
    // It has a name from here, or from the server.
    if (/^ +output: (?:import\(".*"\)\.)?[A-Z]\w*;$/.test(text.join("\n"))) nameless.delete(procedure);
    if (!result && line.endsWith("{")) open.push(name ?? closed ?? "");
    at = end;
  }
  if (nameless.size > 0) throw new Error(`There is no name for the results of ${[...nameless].join(", ")}.`);
  const names = [...types.keys()].toSorted();
  return {
    router: [`import type { ${names.join(", ")} } from "${resultsModule}";`, ...made].join("\n"),
    results: `${names.map((name) => types.get(name)).join("\n")}\n`,
    names,
  };
}

/** Returns the schemas of results by procedure. */
function resultSchemas(appRouter: AnyTRPCRouter): Map<string, Schema> {
  const procedures = Object.entries(appRouter._def.procedures as Record<string, Procedure>);
  return new Map(
    procedures.flatMap(([name, { _def }]) =>
      _def.output ? [[name, z.toJSONSchema(_def.output, { io: "output", unrepresentable: "any" }) as Schema]] : [],
    ),
  );
}

function endOf(lines: readonly string[], start: number, indent: string): number {
  return lines.findIndex((line, index) => index > start && line.startsWith(`${indent}}`) && line.endsWith(";"));
}

/** Returns the name of a schema, of the items of a list, or of what may also be null. */
function namedSchema(schema: Schema, root: Schema): { name: string; text: string } | null {
  const { $ref, id, items, anyOf = [] } = schema;
  const name = $ref?.replace("#/$defs/", "") ?? id;
  if (name !== undefined) return { name, text: referenced(schema, root).description ?? "" };
  const alternatives = anyOf.filter(({ type }) => type !== "null");
  const [inner = items as Schema | undefined, ...others] = alternatives;
  return inner && others.length === 0 ? namedSchema(inner, root) : null;
}

function referenced(schema: Schema, root: Schema): Schema {
  return schema.$ref === undefined ? schema : (root.$defs?.[schema.$ref.replace("#/$defs/", "")] ?? {});
}

/** Returns the schemas of a field of an object, of the objects of a list, or of alternatives. */
function partsOf(schema: Schema, field: string, root: Schema): Schema[] {
  const { properties, items, anyOf = [], oneOf = [], allOf = [] } = referenced(schema, root);
  const own = properties?.[field] as Schema | undefined;
  const inner = [...anyOf, ...oneOf, ...allOf, ...(items ? [items as Schema] : [])] as Schema[];
  return own ? [own] : inner.flatMap((one) => partsOf(one, field, root));
}
