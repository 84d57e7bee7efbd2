import { CompiledQuery } from "kysely";

type Value = string | number | boolean | Date | null | undefined;

/** The text of each template. Evaluating it again gives the same object. */
const texts = new WeakMap<TemplateStringsArray, string>();

/**
 * Returns a statement with a parameter for each value. Its text is the same string each time, which costs neither building nor finding the
 * prepared statement: for what each change sends. Anything else uses the query builder, which knows the columns.
 * @example statement<{ name: string }>`select name from domains where id = ${domainId}`
 */
export function statement<Row>(template: TemplateStringsArray, ...values: readonly Value[]): CompiledQuery<Row> {
  let text = texts.get(template);
  if (text === undefined) {
    text = template.reduce((before, part, index) => `${before}$${index}${part}`);
    texts.set(template, text);
  }
  return CompiledQuery.raw(text, [...values]);
}
