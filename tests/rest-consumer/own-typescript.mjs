import { registerHooks } from "node:module";

/** Gives a generator this project's TypeScript: the repository's own has no JavaScript API, which generators build on. */
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === "typescript" ? { ...context, parentURL: import.meta.url } : context),
});
