import { z } from "zod";
import { line, prose, shownId } from "../../api/schemas.ts";
import { changeableColumns, dateOrders } from "./portfolio-table.ts";

export const exportPortfolioInput = z.strictObject({
  format: z
    .enum(["csv"], "This must be csv.")
    .default("csv")
    .meta({ description: "Format of the table. Default: csv (RFC 4180).", example: "csv" }),
});

export const portfolioText = z
  .object({
    csv: z.string().meta({
      description:
        "A row for each domain, by name: name, view, provider, group, tags, expires, registrar, notes, owner, yearlyCost, currency, " +
        "reminders, autoRenew, locked.",
      example: "name,view,provider\r\nexample.com,,Embedded zone files\r\n",
    }),
  })
  .meta({ id: "PortfolioText", description: "The domains as a table." });

export const portfolioCosts = z
  .object({
    groups: z
      .array(
        z.object({
          groupName: z
            .string()
            .nullable()
            .meta({ description: "The group; null: domains without one.", example: "Shops" }),
          currency: z
            .string()
            .nullable()
            .meta({ description: "The currency; null: no cost is entered.", example: "EUR" }),
          domains: z.int().meta({ description: "Number of domains.", example: 12 }),
          yearlyCost: z
            .number()
            .nullable()
            .meta({ description: "Sum of their yearly costs; null if none is entered.", example: 150 }),
        }),
      )
      .meta({ description: "A sum for each group and currency, by group." }),
  })
  .meta({ id: "PortfolioCosts", description: "What domains cost in a year." });

export const importPortfolioInput = z.strictObject({
  csv: z
    .string("This must be text.")
    .min(1, "This must not be empty.")
    .refine((text) => text.isWellFormed(), "This must be well-formed Unicode.")
    .meta({
      description:
        "A table with a header and a row for each domain, at most 20,000, separated by commas, semicolons or tabs. `name` is required; `view`, " +
        "`group`, `tags`, `expires`, `registrar`, `notes`, `owner`, `yearlyCost`, `currency` and `reminders` may follow in any order. " +
        "Other columns are ignored.",
      example: "name;expires;yearlyCost;currency\nexample.com;2031-03-01;12,50;EUR\n",
    }),
  dateOrder: z.enum(dateOrders, "This must be dmy, mdy or ymd.").optional().meta({
    description:
      "Order of day, month and year in dates such as `03/04/27`. Without it, rows with such dates are refused. Dates such as `2027-04-03` or `3 Apr 2027` do not need it.",
    example: "dmy",
  }),
  emptyCells: z
    .enum(["keep", "clear"], "This must be keep or clear.")
    .default("keep")
    .meta({ description: "Whether an empty cell keeps the domain's value or clears it. Default: keep." }),
  dryRun: z.boolean("This must be true or false.").default(false).meta({ description: "Only plans. Default: false." }),
  planHash: line(100, 1)
    .optional()
    .meta({ description: "`planHash` of the plan that you were shown. Required unless `dryRun`.", example: "q3xVnF…" }),
  message: prose(500)
    .optional()
    .meta({ description: "Why, at most 500 characters. The audit trail keeps it.", example: "CHG-1042" }),
});

export type ImportPortfolioInput = z.output<typeof importPortfolioInput>;

const cell = (description: string, example: string) => z.string().meta({ description, example });

const importedRow = z.object({
  line: z.int().meta({ description: "The line of the table on which the row begins, from 1.", example: 2 }),
  name: z.string().meta({ description: "The domain, with its view after `!`.", example: "example.com" }),
  domainId: shownId("The domain's id; null if the row names none.").nullable(),
  changes: z
    .array(
      z.object({
        field: z.enum(changeableColumns).meta({ description: "The column.", example: "expires" }),
        before: cell("What an exported table has now.", "2030-03-01"),
        after: cell("What it would have.", "2031-03-01"),
      }),
    )
    .meta({ description: "What the row changes." }),
  warnings: z.array(z.string()).meta({ description: "What to know about the row.", example: [] }),
  refusal: z.string().nullable().meta({ description: "Why the row is left out; null if it is not.", example: null }),
});

export const portfolioImport = z
  .object({
    ignoredColumns: z
      .array(z.string())
      .meta({ description: "Headers that are unknown or that an import cannot change.", example: ["provider"] }),
    needsDateOrder: z
      .boolean()
      .meta({ description: "Whether rows are refused because `dateOrder` is missing.", example: false }),
    changed: z.int().meta({ description: "Number of rows that change something.", example: 1 }),
    unchanged: z.int().meta({ description: "Number of rows that change nothing.", example: 40 }),
    refused: z.int().meta({ description: "Number of rows that are left out.", example: 0 }),
    rows: z
      .array(importedRow)
      .meta({ description: "The rows that change something, are refused, or have a warning, in order." }),
    planHash: z.string().meta({ description: "Identifies the plan.", example: "q3xVnF…" }),
    applied: z.boolean().meta({ description: "Whether the plan was carried out.", example: false }),
    undo: z.string().nullable().meta({
      description: "A table that takes the import back. Import it with `emptyCells: clear`. Null: nothing was changed.",
      example: null,
    }),
  })
  .meta({ id: "PortfolioImport", description: "What a table changes, row by row." });
