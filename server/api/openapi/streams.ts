import type { Operation } from "./shapes.ts";

const statuses = [400, 401, 403, 429, 500, 503];

const sample = `id: 01a1fb0f-6204-7000-abd4-276e976be8b7
data: {"event":"connected","gap":false}

id: 01a1fb10-0b4c-7000-8d3b-5f0c1f7c2a11
data: {"event":"zone.drift","id":"01a1fb10-0b4c-7000-8d3b-5f0c1f7c2a11","title":"example.com differs from what its provider serves",…}
`;

const notifications: Operation = {
  operationId: "streamNotifications",
  summary: "Stream your notifications",
  description: `Server-sent events. The first message is \`{"event":"connected"}\`. Later messages are notifications, as in the list. Every message has an \`id\`. To receive missed
messages, send the last \`id\` as \`Last-Event-ID\` when reconnecting; browsers do so automatically. If the id is no longer known (after a restart, or more than 200 notifications later), the
first message has \`"gap": true\` and all stored notifications follow. A comment is sent after 15 seconds without messages.

Each user can have at most five streams; a sixth returns 429. A stream ends when its token expires, its session ends, or the user turns notifications off. A client with
1 MiB of unread data is disconnected.

Send the access token in the header or, with a browser's \`EventSource\`, as the query parameter \`token\`. Personal tokens need the permission \`notifications:read\` and are accepted only in the header.`,
  tags: ["Notifications"],
  security: [{ bearer: [] }],
  parameters: [
    {
      name: "token",
      in: "query",
      description: "An access token, for clients that cannot send headers.",
      required: false,
      schema: { type: "string" },
    },
    {
      name: "Last-Event-ID",
      in: "header",
      description: "The id of the last received message.",
      required: false,
      schema: { type: "string" },
      example: "01a1fb0f-6204-7000-abd4-276e976be8b7",
    },
  ],
  responses: {
    200: {
      description: "The messages.",
      content: { "text/event-stream": { schema: { type: "string" }, example: sample } },
    },
    ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }])),
  },
};

/** Subscriptions that only tRPC serves, by procedure. */
export const trpcStreams: Readonly<Record<string, { summary: string; description: string }>> = {
  "domains.watch": {
    summary: "Watch domains for changes",
    description: `Sends \`{ domainId, revision, changeSetId }\` for each change of the records of 1 to 50 domains, whoever made it and by whatever means. The first message of each domain has its
present revision and no change set. Domains that you may not see are left out; 404 if you may see none. From an assigned domain, only changes of hosts that match your assignments are sent.

Needs the permission \`records:read\`, works with notifications turned off, and counts toward the five streams of a user.`,
  },
};

/** Every streaming operation, by its path in the document. */
export const streamPaths: readonly [string, Operation][] = [["/notifications/stream", notifications]];
