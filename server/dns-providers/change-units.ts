import type { RecordChange } from "./provider.ts";

/**
 * Groups changes that hang together and must not be made in different calls: those of a name, and of the names that records move between.
 * @param counts whether a change takes part
 * @returns indexes, each group in the order of the changes
 */
export function unitsOf(changes: readonly RecordChange[], counts: (index: number) => boolean): number[][] {
  const byName = new Map<string, { names: Set<string>; indexes: number[] }>();
  changes.forEach(({ before, after }, index) => {
    if (!counts(index)) return;
    const unit = { names: new Set<string>(), indexes: [index] };
    for (const record of [before, after]) if (record) unit.names.add(record.name);
    for (const name of unit.names) {
      const other = byName.get(name);
      if (!other || other === unit) continue;
      for (const more of other.names) unit.names.add(more);
      unit.indexes.unshift(...other.indexes);
      for (const more of other.names) byName.set(more, unit);
    }
    for (const name of unit.names) byName.set(name, unit);
  });
  return [...new Set(byName.values())].map(({ indexes }) => indexes);
}
