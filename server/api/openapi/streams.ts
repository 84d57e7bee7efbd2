import type { Operation } from "./shapes.ts";

const statuses = [400, 401, 403, 429, 500, 503];

const sample = `id: 01a1fb0f-6204-7000-abd4-276e976be8b7
data: {"event":"connected","gap":false}

id: 01a1fb10-0b4c-7000-8d3b-5f0c1f7c2a11
data: {"event":"zone.drift","id":"01a1fb10-0b4c-7000-8d3b-5f0c1f7c2a11","title":"example.com differs from what its provider serves",…}
`;

const notifications: Operation = {
  operationId: "streamNotifications",
  summary: "Stream your notifications as they come",
  description: `Server-sent events. The first message is \`{"event":"connected"}\`; each further one is a notification as in the list. Every message has an \`id\`: sent back as
\`Last-Event-ID\`, as browsers do by themselves, it brings what came since. When that is not known any more, after a restart of the service or more than 200 notifications, the first
message says \`"gap": true\` and everything that is kept follows. A comment comes after 15 quiet seconds.

At most five streams for each user; a sixth is 429. A stream ends with its token's time, with its session, and when the user turns notifications off; a client
that leaves 1 MiB unread is cut off.

The access token comes in the header, or for browsers' own \`EventSource\` as \`token\`. Personal tokens need the permission \`notifications:read\` and come in the header only.`,
  tags: ["Notifications"],
  security: [{ bearer: [] }],
  parameters: [
    {
      name: "token",
      in: "query",
      description: "An access token, where no header can be sent.",
      required: false,
      schema: { type: "string" },
    },
    {
      name: "Last-Event-ID",
      in: "header",
      description: "The id of the last message that came.",
      required: false,
      schema: { type: "string" },
      example: "01a1fb0f-6204-7000-abd4-276e976be8b7",
    },
  ],
  responses: {
    200: {
      description: "Messages, until the stream ends.",
      content: { "text/event-stream": { schema: { type: "string" }, example: sample } },
    },
    ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }])),
  },
};

/** Every operation that answers with a stream, by its path in the document. */
export const streamPaths: readonly [string, Operation][] = [["/notifications/stream", notifications]];
