import { z } from "zod";
import { line, pageOf, prose, shownId, timestamp } from "../../api/schemas.ts";
import { findingCodes } from "../../registry/delegation/findings.ts";
import { harmfulDnssecCodes } from "../../registry/dnssec/findings.ts";
import { registrationFindings } from "../../registry/registrars/plan.ts";
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
        "reminders, autoRenew, locked. Costs are empty except for domains that you own; administrators and auditors see all. The last two are " +
        "empty for personal tokens without `registrations:read`.",
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
        "A table with a header of at most 100 columns and a row for each domain, at most 20,000, separated by commas, semicolons or tabs. `name` is required; `view`, " +
        "`group`, `tags`, `expires`, `registrar`, `notes`, `owner`, `yearlyCost`, `currency` and `reminders` may follow in any order. " +
        "Other columns are ignored. A tag that contains a separator is in quotes.",
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

export const startPortfolioImportInput = importPortfolioInput.omit({ dryRun: true }).extend({
  planHash: line(100, 1).meta({ description: "`planHash` of the plan that you were shown.", example: "q3xVnF…" }),
  undo: z
    .boolean("This must be true or false.")
    .default(false)
    .meta({ description: "Whether to return the table that takes the import back. Default: false." }),
});

export type StartPortfolioImportInput = z.output<typeof startPortfolioImportInput>;

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
    refused: z
      .int()
      .meta({ description: "Number of rows that are left out, also because of what happened meanwhile.", example: 0 }),
    rows: z
      .array(importedRow)
      .meta({ description: "The rows that change something, are refused, or have a warning, in order." }),
    planHash: z.string().meta({ description: "Identifies the plan.", example: "q3xVnF…" }),
    applied: z.boolean().meta({ description: "Whether the plan was carried out.", example: false }),
    undo: z
      .string()
      .nullable()
      .meta({
        description:
          "A table that takes the import back. Import it with `emptyCells: clear`. Cells of what a row did not change are `(keep)`. A date " +
          "comes back without its time and its source, as one that was entered. Null: nothing was changed.",
        example: null,
      }),
  })
  .meta({ id: "PortfolioImport", description: "What a table changes, row by row." });

const finding = {
  code: z
    .enum([...registrationFindings, ...findingCodes, ...harmfulDnssecCodes])
    .meta({ description: "What it is: a finding of the registration, the delegation or DNSSEC.", example: "expired" }),
  severity: z
    .enum(["error", "warning", "info"])
    .meta({ description: "`error`: names do not resolve, or soon will not.", example: "error" }),
  message: z.string().meta({
    description: "What is wrong and what to do.",
    example: "example.com has expired. Renew it at its registrar while you still can.",
  }),
};

const name = z.string().meta({ description: "Domain name in lower-case A-labels.", example: "example.com" });
const view = z.string().meta({ description: "View; empty: the default view.", example: "" });

const flag = (description: string) => z.boolean().nullable().meta({ description, example: true });

const portfolioDomain = z
  .object({
    id: shownId("The domain's id."),
    name,
    view,
    expiresAt: timestamp("When the registration expires; null if unknown.").nullable(),
    status: z
      .enum(["active", "expiring", "expired", "disabled"])
      .meta({ description: "`expiring`: `expiresAt` is closer than the earliest reminder.", example: "active" }),
    groupName: z.string().nullable().meta({ description: "Group label.", example: "Customers" }),
    tags: z.array(z.string()).meta({ description: "Tags.", example: ["production"] }),
    registration: z
      .object({
        expirySource: z
          .enum(["rdap", "whois", "registrar", "manual"])
          .nullable()
          .meta({ description: "Source of `expiresAt`; null if there is none yet.", example: "registrar" }),
        registrar: z.string().nullable().meta({
          description: "The registrar's account, else what is known of the registrar; null if unknown.",
          example: "Company account",
        }),
        account: z
          .string()
          .nullable()
          .meta({ description: "Name of the registrar configuration; null: none is set.", example: "Company account" }),
        autoRenew: flag(
          "Whether it renews itself, as the registrar says; null if unknown, and for personal tokens without `registrations:read`.",
        ),
        locked: flag(
          "Whether transfers are refused, as the registrar says; null if unknown, and for personal tokens without `registrations:read`.",
        ),
        yearlyCost: z.number().nullable().meta({
          description: "What it costs in a year; null if not entered, and for members who do not own the domain.",
          example: 12.5,
        }),
        currency: z.string().nullable().meta({ description: "Currency of `yearlyCost` (ISO 4217).", example: "EUR" }),
      })
      .nullable()
      .meta({ description: "What is known of the registration; null unless you see the domain as a whole." }),
    findings: z.array(z.object(finding)).meta({
      description:
        "What is wrong, what harms most first. Personal tokens without `registrations:read` get only findings of the delegation.",
    }),
  })
  .meta({ id: "PortfolioDomain", description: "A domain with what is known of its registration." });

export const portfolioPage = z
  .object({ domains: z.array(portfolioDomain).meta({ description: "In the order of `sort`." }), ...pageOf })
  .meta({ id: "PortfolioPage", description: "A page of domains with their registrations." });

export const portfolioFindings = z
  .object({
    findings: z
      .array(z.object({ domainId: shownId("The domain's id."), name, view, ...finding }))
      .meta({ description: "At most 100, what harms most first." }),
    more: z.boolean().meta({ description: "Whether there are more.", example: false }),
    withoutRegistrations: z.boolean().meta({
      description:
        "Whether findings of registrations are left out, because the personal token lacks `registrations:read`.",
      example: false,
    }),
  })
  .meta({ id: "PortfolioFindings", description: "What is wrong with domains." });
