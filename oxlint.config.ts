import { defineConfig } from "oxlint";

/**
 * The wings of `server/`, in layers from top to bottom: a file may import what stands in a lower layer, and of its own layer the wings that are
 * listed behind its own. docs/architecture.md has the same table.
 */
export const layers: readonly Readonly<Record<string, readonly string[]>>[] = [
  { composition: [] },
  {
    bulk: ["dns-providers", "notifications", "zones"],
    "dns-service": ["dns-providers", "notifications", "zones"],
    zones: ["accounts", "dns-providers", "notifications", "registry"],
    registry: ["dns-providers", "notifications"],
    accounts: ["notifications"],
    "dns-providers": ["notifications"],
    notifications: [],
  },
  {
    api: ["access"],
    access: [],
    ops: [],
  },
  {
    database: ["dns", "platform"],
    dns: ["platform"],
    platform: [],
  },
];

/** The rooms of `web/src/` that consist of pages. Only routes.tsx and frame.tsx import them. */
const pages = [
  "account",
  "admin",
  "domains",
  "notifications",
  "palette",
  "records",
  "replace",
  "requests",
  "search",
  "timeline",
];

/** Calls to other servers go through one door. */
const outgoing = [
  {
    regex: "^(undici|(node:)?(tls|https|http2|dgram))$",
    message: "Calls to the outside go through server/platform/net.",
  },
  {
    regex: "^(node:)?(net|http)$",
    importNames: ["connect", "createConnection", "Socket", "request", "get", "Agent", "ClientRequest", "default"],
    message: "Calls to the outside go through server/platform/net.",
    allowTypeImports: true,
  },
];
const alone = [{ group: ["**/tests/**", "**/client-sdk/**", "**/bench/**"], message: "The server stands alone." }];
const withoutHttp = [
  {
    group: [
      "express",
      "@trpc/server",
      "@trpc/server/*",
      "trpc-to-openapi",
      "**/api/trpc.ts",
      "**/api/procedures.ts",
      "**/api/rest.ts",
      "**/app.ts",
    ],
    message: "Services know nothing of HTTP and tRPC: they throw AppError and return data.",
  },
];
const withoutRouters = [
  { group: ["**/router.ts"], message: "Only router.ts and the places that mount it import routers." },
];
const withoutQueries = [
  {
    group: ["**/database/**", "kysely", "@mikro-orm/*", "pg"],
    message: "A router holds no queries: input, one service call, output.",
  },
];
const pure = [
  {
    group: ["node:fs", "node:fs/*", "node:http", "**/database/**", "**/services.ts", "@mikro-orm/*", "kysely"],
    message: "This part is pure: no files, no network, no database.",
  },
];

interface Pattern {
  regex?: string;
  group?: string[];
  message: string;
  importNames?: string[];
  allowTypeImports?: boolean;
}

type Restriction = ["error", { patterns: Pattern[] }];

const restricted = (...patterns: readonly (readonly Pattern[])[]): { "no-restricted-imports": Restriction } => ({
  "no-restricted-imports": ["error", { patterns: patterns.flat() }],
});

/** What a wing must not import: wings above it, and those beside it that it does not list. */
function above(room: string): Pattern[] {
  const layer = layers.findIndex((rooms) => Object.hasOwn(rooms, room));
  const beside = layers[layer]?.[room] ?? [];
  const rooms = layers
    .slice(0, layer + 1)
    .flatMap((some) => Object.keys(some))
    .filter((other) => other !== room && !beside.includes(other));
  if (rooms.length === 0) return [];
  return [
    {
      regex: `^(?:\\.\\./)+(?:${rooms.join("|")})/`,
      message: `${room} may import lower layers${beside.map((other) => `, ${other}`).join("")}; see docs/architecture.md.`,
    },
  ];
}

/** The rules for the files of one wing: for its routers, for what speaks HTTP, and for everything else. */
function rulesOf(room: string) {
  const upward = above(room);
  const files = (...patterns: string[]) => patterns.map((pattern) => `server/${room}/${pattern}`);
  const speaksHttp = ["api", "composition"].includes(room);
  const usual = speaksHttp ? [alone] : [alone, withoutHttp, withoutRouters];
  return [
    { files: files("**"), rules: restricted(outgoing, upward, ...usual) },
    { files: files("**/http.ts"), rules: restricted(outgoing, upward, alone) },
    { files: files("**/router.ts"), rules: restricted(outgoing, upward, alone, withoutQueries) },
  ];
}

const message = "Calls to the outside go through server/platform/net.";

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  ignorePatterns: ["**/dist/**", "data/**", "client-sdk/api/**", "tests/rest-consumer/**"],
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-non-null-assertion": "error",
    eqeqeq: "error",
    "no-await-in-loop": "off",
    "no-shadow": "off",
    "no-underscore-dangle": ["error", { allow: ["_def", "_zod"] }],
    "typescript/no-unsafe-enum-assignment": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "import/no-cycle": ["error", { ignoreTypes: false }],
  },
  overrides: [
    {
      files: ["server/**"],
      rules: {
        ...restricted(outgoing, alone),
        "no-restricted-globals": ["error", ...["fetch", "WebSocket", "EventSource"].map((name) => ({ name, message }))],
        "no-restricted-properties": ["error", { object: "globalThis", property: "fetch", message }],
      },
    },
    ...layers.flatMap((rooms) => Object.keys(rooms).flatMap(rulesOf)),
    {
      files: ["server/platform/net/**"],
      rules: restricted(above("platform"), alone, withoutHttp, withoutRouters),
    },
    {
      files: ["server/dns/**"],
      rules: restricted(outgoing, above("dns"), alone, withoutHttp, pure),
    },
    {
      files: ["server/zones/records/editing/{zone-view,edits,drafts}.ts"],
      rules: restricted(outgoing, above("zones"), alone, withoutHttp, withoutRouters, pure),
    },
    {
      files: ["server/zones/snapshots/diff.ts"],
      rules: restricted(outgoing, above("zones"), alone, withoutHttp, withoutRouters, pure),
    },
    {
      // What must appear is waited for: a test fails if it does not.
      files: ["tests/services/console/**"],
      rules: { "vitest/expect-expect": ["error", { assertFunctionNames: ["expect*", "**.waitFor", "**.waitForURL"] }] },
    },
    {
      // The console uses the client and the pure model, nothing else of the server.
      files: ["web/src/**"],
      plugins: ["typescript", "unicorn", "oxc", "import", "promise", "react", "jsx-a11y"],
      rules: {
        ...restricted([
          {
            group: ["**/server/**", "!**/server/dns/**"],
            message: "The console uses the client package and server/dns, nothing else.",
          },
          { group: ["node:*"], message: "The console runs in browsers." },
          {
            regex: `^(\\.\\./)+(${pages.join("|")})/`,
            message: "Rooms of pages do not import each other: what two of them use goes to zone, session, live or ui.",
          },
        ]),
        "react/react-in-jsx-scope": "off",
        "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }],
        // Long lists are virtual: their rows are positioned elements with roles.
        "jsx-a11y/prefer-tag-over-role": "off",
        "react/incompatible-library": "off",
      },
    },
    {
      // The command line uses the client and the pure formats, nothing else of the server.
      files: ["cli/src/**"],
      rules: restricted([
        {
          group: ["**/server/**", "!**/server/dns/formats/**", "!@modelcontextprotocol/**"],
          message: "The command line uses the client package and server/dns/formats, nothing else.",
        },
        { group: ["**/client-sdk/**", "**/web/**", "**/tests/**"], message: "Import @zonewright/client instead." },
      ]),
    },
    {
      files: ["client-sdk/src/**"],
      rules: restricted([{ group: ["node:*"], message: "The client runs in browsers too." }]),
    },
  ],
});
