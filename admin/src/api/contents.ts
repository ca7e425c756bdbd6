import type { Api } from './api.ts';
import type { Content, ContentStatus, Metadata } from './resources.ts';

export interface ContentQuery {
  /** Part of the name or of the id, in any case. */
  q?: string | undefined;
  status?: ContentStatus | undefined;
  limit?: number;
  offset?: number;
}

export interface ContentPage {
  items: Content[];
  /** How many match, on all pages. */
  total: number;
}

/** Newest first. */
export function listContents(api: Api, query: ContentQuery, signal?: AbortSignal): Promise<ContentPage> {
  return api.request('GET', '/api/v1/content', { query: { ...query }, signal });
}

export interface KeyedContent {
  content: Content;
  /** Where its keys are: absolute, or a path on this server. */
  key_endpoint: string;
}

export function readContent(api: Api, id: string, signal?: AbortSignal): Promise<KeyedContent> {
  return api.request('GET', pathOf(id), { signal });
}

/** What may be said of a content again and again. */
export interface ContentFields {
  name: string;
  sizeBytes: number | null;
  manifestKey: string | null;
  metadata: Metadata;
}

/** Registers a content; an id that exists is updated. @param credential instead of the session's */
export function registerContent(
  api: Api,
  body: { id?: string; name: string } & Partial<ContentFields>,
  credential?: string,
): Promise<KeyedContent> {
  return api.request('POST', '/api/v1/content', {
    body,
    ...(credential === undefined ? {} : { credential }),
  });
}

/** Changes the members that are given. */
export async function changeContent(
  api: Api,
  id: string,
  body: Partial<ContentFields> & { status?: ContentStatus },
): Promise<Content> {
  const { content } = await api.request<{ content: Content }>('PATCH', pathOf(id), { body });
  return content;
}

/** Its keys answer 404 from then on, until `changeContent` says `active`. */
export async function disableContent(api: Api, id: string): Promise<Content> {
  const { content } = await api.request<{ content: Content }>('DELETE', pathOf(id));
  return content;
}

function pathOf(id: string): string {
  return `/api/v1/content/${encodeURIComponent(id)}`;
}
