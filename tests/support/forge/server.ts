import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";

interface Comment {
  id: number;
  body: string;
}

/** A server with the comments of one merge request, by the APIs of GitHub and GitLab. */
export interface Forge {
  readonly url: string;
  /** All comments, oldest first. */
  comments: Comment[];
  /** Answers every list with 500 while it is true. */
  isFailing: boolean;
  stop(): void;
}

/** Lists are in pages, as both document: of 30 (GitHub) or 20 (GitLab) unless asked for more, up to 100. GitLab begins with the newest. */
export async function startForge(): Promise<Forge> {
  const server = createServer((request, response) => void answer(request, response));
  const forge: Forge = { url: "", comments: [], isFailing: false, stop: () => void server.close() };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "", forge.url);
    const isGitLab = url.pathname.startsWith("/api/v4/");
    const given = await textOf(request);
    const { method = "GET" } = request;
    if (method === "GET") {
      if (forge.isFailing) response.writeHead(500).end("{}");
      else listed(url, isGitLab, response);
      return;
    }
    const body = isGitLab ? new URLSearchParams(given).get("body") : (JSON.parse(given) as { body: string }).body;
    const [, id] = /\/(?:notes|comments)\/(\d+)$/.exec(url.pathname) ?? [];
    const known = forge.comments.find((one) => one.id === Number(id));
    const isNew = method === "POST" && id === undefined;
    const isChange = method === (isGitLab ? "PUT" : "PATCH") && known !== undefined;
    const comment = known ?? { id: forge.comments.length + 1, body: "" };
    comment.body = body ?? "";
    if (isNew) forge.comments.push(comment);
    response.writeHead(isNew ? 201 : isChange ? 200 : 404).end(JSON.stringify(comment));
  };
  const listed = (url: URL, isGitLab: boolean, response: ServerResponse) => {
    const size = Math.min(100, Number(url.searchParams.get("per_page") ?? (isGitLab ? 20 : 30)));
    const page = Number(url.searchParams.get("page") ?? 1);
    const isNewestFirst = isGitLab && url.searchParams.get("sort") !== "asc";
    const all = isNewestFirst ? forge.comments.toReversed() : forge.comments;
    const hasNext = page * size < all.length;
    if (hasNext && !isGitLab) {
      url.searchParams.set("page", String(page + 1));
      response.setHeader("link", `<${url.href}>; rel="next"`);
    }
    response.end(JSON.stringify(all.slice((page - 1) * size, page * size)));
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(forge, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
