import type { en } from "./en.ts";

/** The shape of a language: the texts may differ, the keys and the arguments may not. */
export type Words = Widened<typeof en>;

type Widened<Texts> = Texts extends string
  ? string
  : Texts extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof Texts]: Widened<Texts[Key]> };
