import { operationsOf, type ApiDocument, type ApiOperation } from "../support/api/api-document.ts";
import { schemaBreaks, type Side } from "./schema-breaks.ts";

/**
 * What a client written for one version of the interface would trip over in another: calls that are gone, inputs that are
 * refused, fields of answers that are missing or have become something else. What is only added does not count.
 */
export function breakingChanges(before: ApiDocument, after: ApiDocument): string[] {
  return operationsOf(before).flatMap(({ method, path, operation }) => {
    const at = `${method} ${path}`;
    const now = after.paths[path]?.[method.toLowerCase()];
    return now ? operationBreaks(operation, now, { before, after }, at) : [`${at} is gone`];
  });
}

function operationBreaks(before: ApiOperation, after: ApiOperation, sides: Side, at: string): string[] {
  const parts = [parameterBreaks, bodyBreaks, answerBreaks];
  return parts.flatMap((breaks) => breaks(before, after, sides, at));
}

type Parameter = NonNullable<ApiOperation["parameters"]>[number];

function byPlace(parameters: readonly Parameter[] = []): Map<string, Parameter> {
  return new Map(parameters.map((one) => [`${one.in} ${one.name}`, one]));
}

function parameterBreaks(before: ApiOperation, after: ApiOperation, sides: Side, at: string): string[] {
  const found: string[] = [];
  const known = byPlace(before.parameters);
  const now = byPlace(after.parameters);
  for (const [name, parameter] of known) {
    const other = now.get(name);
    if (!other) found.push(`${at}: the ${name} parameter is gone`);
    else found.push(...schemaBreaks("input", parameter.schema, other.schema, sides, `${at}: ${name}`));
  }
  for (const [name, parameter] of now) {
    if (parameter.required === true && known.get(name)?.required !== true) {
      found.push(`${at}: the ${name} parameter is needed now`);
    }
  }
  return found;
}

function bodyBreaks(before: ApiOperation, after: ApiOperation, sides: Side, at: string): string[] {
  const known = before.requestBody?.content["application/json"]?.schema;
  const now = after.requestBody?.content["application/json"]?.schema;
  if (known && !now) return [`${at}: takes no body any more`];
  return known && now ? schemaBreaks("input", known, now, sides, `${at}: body`) : [];
}

function answerBreaks(before: ApiOperation, after: ApiOperation, sides: Side, at: string): string[] {
  return Object.entries(before.responses)
    .filter(([status]) => status.startsWith("2") || status.startsWith("3"))
    .flatMap(([status, response]) => {
      const other = after.responses[status];
      if (!other) return [`${at}: does not answer ${status} any more`];
      const known = response.content?.["application/json"]?.schema;
      const now = other.content?.["application/json"]?.schema;
      if (known && !now) return [`${at}: ${status} has no JSON any more`];
      return known && now ? schemaBreaks("output", known, now, sides, `${at}: ${status}`) : [];
    });
}
