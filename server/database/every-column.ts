import { entities, type Tables } from "./tables/all.ts";

const columns = new Map<string, readonly string[]>(
  entities.map(({ meta }) => [meta.tableName, Object.keys(meta.properties).map(columnName)]),
);

/** The ORM names columns alike. */
function columnName(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns all columns of a table by their names. Unlike one with `selectAll`, a repeated statement with these is prepared. */
export function everyColumn<Table extends keyof Tables, Alias extends string = Table>(
  table: Table,
  alias: Alias | Table = table,
): `${Alias}.${keyof Tables[Table] & string}`[] {
  const names = columns.get(table) ?? [];
  return names.map((name) => `${alias}.${name}` as `${Alias}.${keyof Tables[Table] & string}`);
}
