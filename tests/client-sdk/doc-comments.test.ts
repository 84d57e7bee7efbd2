import { expect, test } from "vitest";
import { z } from "zod";
import { withFieldComments } from "../../client-sdk/field-comments.ts";
import { proceduresDeclaration } from "../../client-sdk/procedures-declaration.ts";
import { open } from "../../server/api/procedures.ts";
import { router } from "../../server/api/trpc.ts";

const part = z.object({ size: z.number().describe("In metres.") }).meta({ id: "Part", description: "A part." });
const thing = z
  .object({
    id: z.string().describe("Which one; `/**/` is none."),
    note: z.string().nullable().describe("Free text."),
    parts: z.array(part).describe("What it is made of."),
    silent: z.boolean(),
  })
  .meta({ id: "Thing", description: "A thing." });

const api = router({
  things: router({
    get: open({ method: "GET", path: "/things/{id}", operationId: "getThing", tag: "Domains", summary: "One" })
      .input(z.object({ id: z.string().describe("Which one.") }))
      .output(thing)
      .query(() => ({ id: "", note: null, parts: [], silent: true })),
    old: open({
      method: "POST",
      path: "/things",
      operationId: "oldThing",
      tag: "Domains",
      summary: "The old way",
      deprecated: { since: "2027-03-01", instead: "things.get" },
    })
      .input(z.object({}))
      .output(thing)
      .mutation(() => ({ id: "", note: null, parts: [], silent: true })),
  }),
});

/** A declaration as the compiler formats it. */
const declaration = `export declare const api: Router<{
    ctx: object;
}, Routes<{
    things: Router<{
        ctx: object;
    }, Routes<{
        get: Query<{
            input: {
                id: string;
            };
            output: {
                id: string;
                note: string | null;
                parts: {
                    size: number;
                }[];
                silent: boolean;
            };
        }>;
        old: Mutation<{
            input: Record<string, never>;
            output: Thing;
        }>;
    }>>;
}>>;
`;

test("each field gets its comment in the declaration, even within lists, and no comment ends early", () => {
  expect(
    withFieldComments(declaration, api)
      .match(/\/\*\*.*\*\/\n.*/g)
      ?.map((text) => text.replace(/\n */, " ")),
  ).toEqual([
    "/** Which one. */ id: string;",
    "/** Which one; `/**\\/` is none. */ id: string;",
    "/** Free text. */ note: string | null;",
    "/** What it is made of. */ parts: {",
    "/** In metres. */ size: number;",
  ]);
  expect(withFieldComments(declaration, api).replaceAll(/^ *\/\*\*.*\*\/\n/gm, "")).toBe(declaration);
});

test("a declaration without one of the procedures is refused", () => {
  expect(() => withFieldComments(declaration.replace("old:", "older:"), api)).toThrow("fields of things.old.");
});

test("a deprecated procedure or field is marked @deprecated with its replacement", () => {
  const text = proceduresDeclaration(api);
  expect(text).toMatch(/@deprecated Use `things\.get`\.\n +\*\/\n +mutate: Inferred\["things"\]\["old"\]\["mutate"\];/);
  expect(text).toContain("Deprecated since 2027-03-01. Use `GET /things/{id}` instead.");
  expect(text.match(/@deprecated/g)).toHaveLength(2);
});
