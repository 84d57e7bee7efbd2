import { resolve, type JsonSchema } from "../support/api/json-schema.ts";

/** The documents that the two schemas stand in, which their references lead into. */
export interface Side {
  before: object;
  after: object;
}

/**
 * Where one schema is not as good as the other for a client. What a client may send must still be taken; what it may be
 * sent must have been possible before.
 */
export function schemaBreaks(
  direction: "input" | "output",
  before: JsonSchema,
  after: JsonSchema,
  sides: Side,
  at: string,
): string[] {
  const [given, taken] = direction === "input" ? [before, after] : [after, before];
  const [givenIn, takenIn] = direction === "input" ? [sides.before, sides.after] : [sides.after, sides.before];
  return unfitting(given, taken, { direction, givenIn, takenIn, seen: new Set() }, at);
}

interface Roots {
  direction: "input" | "output";
  givenIn: object;
  takenIn: object;
  /** Pairs of references that are being compared: schemas may contain themselves. */
  seen: Set<string>;
}

/** Where a value of one schema may be invalid in the other. Reports too much rather than too little. */
function unfitting(given: JsonSchema, taken: JsonSchema, roots: Roots, at: string): string[] {
  const pair = `${given.$ref} ${taken.$ref}`;
  if (given.$ref !== undefined && taken.$ref !== undefined) {
    if (roots.seen.has(pair)) return [];
    roots.seen.add(pair);
  }
  const one = given.$ref === undefined ? given : resolve(given.$ref, roots.givenIn);
  const other = taken.$ref === undefined ? taken : resolve(taken.$ref, roots.takenIn);
  if (one.anyOf) return one.anyOf.flatMap((option) => unfitting(option, other, roots, at));
  if (other.anyOf) {
    const tries = other.anyOf.map((option) => unfitting(one, option, roots, at));
    return tries.some((found) => found.length === 0) ? [] : (tries.toSorted((a, b) => a.length - b.length)[0] ?? []);
  }
  const parts = [objectBreaks, mapBreaks, itemBreaks].flatMap((breaks) => breaks(one, other, roots, at));
  return [
    ...valueBreaks(one, other, roots.direction, at),
    ...(roots.direction === "input" ? defaultBreaks(one, other, at) : []),
    ...parts,
  ];
}

/** Omitting a field must mean what it meant before. */
function defaultBreaks(before: JsonSchema, after: JsonSchema, at: string): string[] {
  const [known, now] = [before, after].map((schema) => JSON.stringify(schema.default));
  return known !== undefined && known !== now
    ? [`${at} is ${now ?? "nothing"} where it is left out, not ${known}`]
    : [];
}

function valueBreaks(one: JsonSchema, other: JsonSchema, direction: "input" | "output", at: string): string[] {
  const found: string[] = [];
  const types = other.type === undefined ? null : [other.type].flat();
  const wider = [one.type ?? []].flat().filter((type) => types && !accepts(types, type));
  if (types && (one.type === undefined || wider.length > 0)) {
    found.push(`${at} may be ${wider.join(" or ") || "anything"}, not only ${types.join(" or ")}`);
  }
  const values = allowed(other);
  if (values) {
    const strange = (allowed(one) ?? ["anything"]).filter((value) => !values.includes(value));
    // An enum may grow in answers; a discriminator has a single value, which stays.
    const grows = direction === "output" && one.enum !== undefined && values.length > 1;
    if (strange.length > 0 && !grows) found.push(`${at} may be ${strange.map(String).join(", ")}`);
  }
  const bounds = [
    ["minimum", -1],
    ["minLength", -1],
    ["minItems", -1],
    ["maximum", 1],
    ["maxLength", 1],
    ["maxItems", 1],
  ] as const;
  for (const [bound, sign] of bounds) {
    const limit = other[bound];
    const own = one[bound] ?? longestOf(one, bound) ?? sign * Infinity;
    if (limit !== undefined && sign * own > sign * limit) found.push(`${at} may pass the ${bound} of ${limit}`);
  }
  if (other.format !== undefined && one.format !== other.format) found.push(`${at} may be no ${other.format}`);
  if (other.pattern !== undefined && one.pattern !== other.pattern) found.push(`${at} may be of another form`);
  return found;
}

/** Returns the length of an enum's longest value as its bound; null for others. */
function longestOf({ enum: values }: JsonSchema, bound: string): number | null {
  if (bound !== "maxLength" || values === undefined) return null;
  return Math.max(...values.map((value) => (typeof value === "string" ? value.length : Infinity)));
}

function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function allowed(schema: JsonSchema): unknown[] | null {
  return schema.enum ?? ("const" in schema ? [schema.const] : null);
}

function objectBreaks(one: JsonSchema, other: JsonSchema, roots: Roots, at: string): string[] {
  const found: string[] = [];
  const own = one.properties ?? {};
  for (const name of other.required ?? []) {
    if (other.properties && !(one.required ?? []).includes(name)) found.push(`${at}.${name} may be missing`);
  }
  for (const [name, property] of Object.entries(own)) {
    const known = other.properties?.[name] ?? other.additionalProperties;
    if (typeof known === "object") found.push(...unfitting(property, known, roots, `${at}.${name}`));
    // A new field in answers is harmless. One that is no longer accepted is refused or, worse, ignored.
    else if (roots.direction === "input" && other.type !== undefined) found.push(`${at}.${name} is not taken`);
  }
  if (roots.direction === "output" && one.properties) {
    const gone = Object.keys(other.properties ?? {}).filter(
      (name) => !(name in own) && !other.required?.includes(name),
    );
    found.push(...gone.map((name) => `${at}.${name} is gone`));
  }
  return found;
}

/** The names and values of objects with arbitrary field names. */
function mapBreaks(one: JsonSchema, other: JsonSchema, roots: Roots, at: string): string[] {
  const [given, taken] = [one.additionalProperties, other.additionalProperties];
  const values =
    typeof given === "object" && typeof taken === "object" ? unfitting(given, taken, roots, `${at}{}`) : [];
  if (typeof given === "object" && taken === false) values.push(`${at} takes no fields of any name`);
  if (!one.propertyNames || !other.propertyNames) return values;
  return [...values, ...unfitting(one.propertyNames, other.propertyNames, roots, `${at}{name}`)];
}

function itemBreaks(one: JsonSchema, other: JsonSchema, roots: Roots, at: string): string[] {
  const [own = [], known = []] = [one.prefixItems, other.prefixItems];
  const first = known.flatMap((schema, index) => {
    const given = own[index] ?? one.items;
    return given ? unfitting(given, schema, roots, `${at}[${index}]`) : [`${at}[${index}] may be anything`];
  });
  const rest = one.items && other.items ? unfitting(one.items, other.items, roots, `${at}[]`) : [];
  return [...first, ...rest];
}
