import * as fc from "fast-check";

const inner = fc.constantFrom(..."abcXYZ019_-".split(""));
const outer = fc.constantFrom(..."abcXYZ019_".split(""));

/** A label that a client may write, capitals included. */
export const label = fc
  .tuple(outer, fc.array(inner, { maxLength: 8 }), outer)
  .map(([first, middle, last]) => first + middle.join("") + last);

/** A host name whose last label is not a number, with and without the trailing dot. */
export const hostName = fc
  .tuple(fc.array(label, { maxLength: 4 }), fc.constantFrom("com", "Test", "xn--p1ai"), fc.constantFrom("", "."))
  .map(([labels, last, dot]) => [...labels, last].join(".") + dot);
