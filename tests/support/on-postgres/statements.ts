import { relative } from "node:path";
import { parseSync, Visitor, type ESTree } from "rolldown/utils";
import type { Plugin } from "vitest/config";

/** Functions of server/database that make or send statements. */
const functions = new Set(["queries", "repeated", "inOneTrip", "withNext", "oneByOne", "givingWay"]);
const tags = new Set(["sql", "statement"]);
/** Methods of the query builder and of a unit of work whose names nothing else has. */
const methods = new Set([
  "selectFrom",
  "insertInto",
  "updateTable",
  "deleteFrom",
  "execute",
  "executeTakeFirst",
  "executeTakeFirstOrThrow",
  "executeQuery",
  "executeSql",
  "transactional",
  "findOne",
  "findOneOrFail",
  "findAll",
  "flush",
  "persist",
]);
/** Methods of a unit of work whose names others have as well. */
const methodsOfUnits = new Set([
  "find",
  "create",
  "remove",
  "count",
  "assign",
  "refresh",
  "begin",
  "commit",
  "rollback",
]);
const units = new Set(["em", "tx"]);

/** A place in a source file that makes or sends a statement. */
export interface Place {
  /** The file with the line and the column, both from 1. */
  name: string;
  /** The file and the innermost function with a name. */
  within: string;
  /** Text to insert for it to report that it is executed, and where: offsets. */
  insertions: readonly (readonly [at: number, text: string])[];
}

/**
 * Finds where a source file makes or sends statements: each call of the query builder, each call of a unit of work, each SQL template.
 * @param file relative to the repository
 */
export function statementPlaces(file: string, text: string): Place[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const places: Place[] = [];
  const functionsAround: string[] = [];
  const leave = () => void functionsAround.pop();
  const add = (offset: number, insertions: (call: string) => Place["insertions"]) => {
    const before = text.slice(0, offset).split("\n");
    const name = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    const within = [file, functionsAround.at(-1)].join(" ").trimEnd();
    // Global set-ups execute the server where nothing records.
    places.push({ name, within, insertions: insertions(`(globalThis.statementReached?.("${name}") ?? [])`) });
  };
  new Visitor({
    FunctionDeclaration: ({ id }) => void functionsAround.push(id?.name ?? ""),
    "FunctionDeclaration:exit": leave,
    MethodDefinition: ({ key }) => void functionsAround.push(text.slice(key.start, key.end)),
    "MethodDefinition:exit": leave,
    VariableDeclarator({ id, init }) {
      const isFunction = init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
      functionsAround.push(isFunction ? text.slice(id.start, id.end) : (functionsAround.at(-1) ?? ""));
    },
    "VariableDeclarator:exit": leave,
    TaggedTemplateExpression({ tag }) {
      if (!tags.has(nameOf(tag) ?? "")) return;
      add(tag.start, (call) => [
        [tag.start, `(${call}, `],
        [tag.end, ")"],
      ]);
    },
    CallExpression({ callee, typeArguments }) {
      if (!isSending(callee)) return;
      const opened = text.indexOf("(", typeArguments?.end ?? callee.end) + 1;
      add(callee.type === "MemberExpression" ? callee.property.start : callee.start, (call) => [
        [opened, `...${call}, `],
      ]);
    },
  }).visit(program);
  return places;
}

function isSending(callee: ESTree.Expression): boolean {
  const name = nameOf(callee) ?? "";
  if (callee.type === "Identifier") return functions.has(name);
  if (callee.type !== "MemberExpression") return false;
  return methods.has(name) || (methodsOfUnits.has(name) && units.has(nameOf(callee.object) ?? ""));
}

function nameOf(expression: ESTree.Expression): string | undefined {
  if (expression.type === "Identifier") return expression.name;
  if (expression.type !== "MemberExpression" || expression.property.type !== "Identifier") return undefined;
  return expression.property.name;
}

/** Has each place of the server report when it is executed. Lines stay where they are. */
export const reportStatements: Plugin = {
  name: "report-statements",
  enforce: "pre",
  transform(text, id) {
    const file = relative(process.cwd(), id.split("?")[0] ?? "").replaceAll("\\", "/");
    if (!/^server\/.*\.ts$/.test(file)) return undefined;
    const insertions = statementPlaces(file, text).flatMap((place) => place.insertions);
    let code = text;
    for (const [at, inserted] of insertions.toSorted(([one], [other]) => other - one))
      code = code.slice(0, at) + inserted + code.slice(at);
    return { code, map: null };
  },
};
