/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** The path of something in a value. */
export type Place = (string | number)[];

/** Every place of a value, itself included. */
export function placesOf(value: Json, place: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [place];
  const children = Array.isArray(value)
    ? value.map((child, index) => placesOf(child, [...place, index]))
    : Object.entries(value).map(([key, child]) => placesOf(child, [...place, key]));
  return [place, ...children.flat()];
}

/** The value at a path; null if there is none. */
export function at(value: Json, place: Place): Json {
  return place.reduce<Json>((inner, part) => (inner as Record<string | number, Json>)[part] ?? null, value);
}

/** A copy with another value at a place; undefined removes it. */
export function replaced(value: Json, place: Place, by: Json | undefined): Json {
  const [part, ...rest] = place;
  if (part === undefined) return by ?? null;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, Json>;
  const child = rest.length === 0 ? by : replaced(copy[part] ?? null, rest, by);
  if (child === undefined) return withoutPart(copy, part);
  else Object.defineProperty(copy, part, { value: child, enumerable: true, configurable: true, writable: true });
  return copy;
}

function withoutPart(value: Record<string | number, Json>, part: string | number): Json {
  if (Array.isArray(value)) return value.filter((_, index) => index !== part) as Json[];
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== part));
}
