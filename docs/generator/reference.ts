import { accessByCall } from "./access.ts";
import { apiDocument } from "./api-document.ts";
import { apiPages, callIndex, type Api } from "./api-pages.ts";
import { commandLinePage, describedCommands } from "./cli-pages.ts";
import { dependencyPage } from "./dependency-page.ts";
import { configurationPage, errorsPage, eventsPage } from "./list-pages.ts";
import { generatedNote, page } from "./markdown.ts";

/** Returns every page of the reference, keyed by its path below docs/reference. */
export async function referencePages(): Promise<Map<string, string>> {
  const api = { document: apiDocument(), access: await accessByCall() };
  return new Map([
    ["README.md", indexPage(api)],
    ["configuration.md", configurationPage()],
    ["events.md", eventsPage()],
    ["errors.md", errorsPage()],
    ["command-line.md", commandLinePage(await describedCommands())],
    ["dependencies.md", dependencyPage()],
    ...[...apiPages(api)].map(([name, text]): [string, string] => [`api/${name}`, text]),
  ]);
}

function indexPage(api: Api): string {
  return page(
    generatedNote,
    "# Reference",
    `Look up every environment variable, call, field, event and error code here.

- [Configuration](configuration.md): the environment variables.
- [Events](events.md): what users and channels are notified of.
- [Errors](errors.md): the error codes, and what to do.
- [Objects](api/objects.md): the objects in responses.
- [Command line](command-line.md): every command, with its options and examples.
- [Dependencies](dependencies.md): the packages of an installation, and their licenses.
- [Access rights](../rights.md): who may make which call.
- [Calls](#calls), below.`,
    "A running service has the same as an OpenAPI 3.1 document at `/api/openapi.json`, and as an interactive page at `/api/docs`.",
    "## Calls",
    api.document.info.description,
    `The examples are for a shell with the service's address and an [access token](api/sign-in-and-account.md#login) or [personal token](api/sign-in-and-account.md#createtoken):

\`\`\`sh
ZONEWRIGHT=http://127.0.0.1:3000
TOKEN=…
\`\`\``,
    "Every call is also a tRPC procedure below `/trpc`, except the redirects of external sign-in (`authorize`, `oauthCallback`, `oidcCallback`). The [client](../../client-sdk/README.md) has them with their types.",
    callIndex(api),
  );
}
