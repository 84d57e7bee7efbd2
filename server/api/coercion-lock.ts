import type { AnyTRPCRouter } from "@trpc/server";

interface SchemaDef {
  coerce?: boolean;
  shape?: Record<string, Schema>;
  innerType?: Schema;
  element?: Schema;
  in?: Schema;
  out?: Schema;
  options?: Schema[];
}

interface Schema {
  _zod?: { def: SchemaDef };
  _def?: SchemaDef;
}

/** Locked definitions. They outlive a server and are shared by schemas that differ only in their description. */
const locked = new WeakSet<SchemaDef>();

/**
 * Locks the `coerce` flag of every input schema at its declared value.
 *
 * trpc-to-openapi 3.3.0 sets it to true on all numbers and booleans of an input at each REST call, including bodies. Afterwards `"false"`
 * is true and null is 0, over tRPC as well.
 */
export function lockCoercion(appRouter: AnyTRPCRouter): void {
  const lock = (schema: Schema | undefined): void => {
    const def = schema?._zod?.def;
    if (!def || locked.has(def)) return;
    locked.add(def);
    const declared = def.coerce;
    Object.defineProperty(def, "coerce", {
      get: () => declared,
      set() {
        // Ignored on purpose.
      },
      enumerable: true,
      configurable: false,
    });
    for (const child of [
      ...Object.values(def.shape ?? {}),
      def.innerType,
      def.element,
      def.in,
      def.out,
      ...(def.options ?? []),
    ])
      lock(child);
  };
  const procedures = appRouter._def.procedures as Record<string, { _def: { inputs?: Schema[] } }>;
  for (const procedure of Object.values(procedures)) procedure._def.inputs?.forEach(lock);
}
