/* What the tests use of two parsers: ical.js names its types where "nodenext" does not look, and those of node-ical leave out `datetype`. */

declare module "ical.js" {
  class Component {
    constructor(jCal: unknown);
    getAllSubcomponents(name: string): Component[];
    getFirstPropertyValue(name: string): unknown;
  }
  const library: { parse(text: string): unknown; Component: typeof Component };
  export default library;
}

declare module "node-ical" {
  export const sync: { parseICS(text: string): object };
}
