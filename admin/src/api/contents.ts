import type { Api } from './api.ts';
import { type Applied, untilApplied } from './applied.ts';
import type { Content, ContentStatus, KeyPeriods, Metadata } from './resources.ts';

/** The orders of the list beside the usual one, newest first. */
export const contentOrders = ['createdAt', 'name', '-name'] as const;
export type ContentOrder = (typeof contentOrders)[number];

export interface ContentQuery {
  /** Part of the name or of the ID, in upper or lower case. */
  q?: string | undefined;
  status?: ContentStatus | undefined;
  /** Newest first by default. */
  sort?: ContentOrder | undefined;
  limit?: number;
  offset?: number;
}

export interface ContentPage {
  items: Content[];
  /** Number of matches on all pages. */
  total: number;
}

export function listContents(api: Api, query: ContentQuery, signal?: AbortSignal): Promise<ContentPage> {
  return api.request('GET', '/api/v1/content', { query: { ...query }, signal });
}

/** The first contents, by name, whose name, in upper or lower case, or ID begins so. */
export function findContents(
  api: Api,
  query: { prefix: string; limit: number },
  signal?: AbortSignal,
): Promise<ContentPage> {
  return api.request('GET', '/api/v1/content', { query, signal });
}

/** Whether a content can have this ID. */
export const isContentId = (text: string): boolean => /^[A-Za-z0-9_-]{1,256}$/.test(text);

/** 25 of the longest IDs fit in the 8 KB of a request line that proxies take. */
const idsAtOnce = 25;

/** The names of contents by their IDs, of those that are registered. */
export async function readContentNames(
  api: Api,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, string>> {
  const known = ids.filter(isContentId);
  const parts = Array.from({ length: Math.ceil(known.length / idsAtOnce) }, (_, n) =>
    known.slice(n * idsAtOnce, (n + 1) * idsAtOnce),
  );
  const pages = await Promise.all(
    parts.map((part) =>
      api.request<ContentPage>('GET', '/api/v1/content', { query: { ids: part.join(',') }, signal }),
    ),
  );
  return new Map(pages.flatMap(({ items }) => items).map(({ id, name }) => [id, name]));
}

export interface KeyedContent {
  content: Content;
  /** Base URL of its keys: absolute, or a path on this server. */
  key_endpoint: string;
}

export function readContent(api: Api, id: string, signal?: AbortSignal): Promise<KeyedContent> {
  return api.request('GET', pathOf(id), { signal });
}

/** The fields of a content that can change. */
export interface ContentFields {
  name: string;
  /** Undefined leaves it to the server. */
  keyPeriods: KeyPeriods | null | undefined;
  sizeBytes: number | null;
  manifestKey: string | null;
  /** Undefined leaves it as it is. */
  playlistUrl: string | null;
  metadata: Metadata;
}

interface Registration {
  /** Refuses an ID that is taken with 412 CONTENT_EXISTS. Otherwise its content is updated. */
  isNewOnly?: boolean;
  /** Replaces the session's key. */
  credential?: string;
}

/** Registers a content. */
export function registerContent(
  api: Api,
  body: { id?: string; name: string } & Partial<ContentFields>,
  options: Registration,
): Promise<KeyedContent> {
  return api.request('POST', '/api/v1/content', { body, ...options });
}

/** Changes the given members. */
export async function changeContent(
  api: Api,
  id: string,
  body: Partial<ContentFields> & { status?: ContentStatus },
): Promise<Content> {
  const { content } = await api.request<{ content: Content }>('PATCH', pathOf(id), { body });
  return content;
}

/** Its key requests get 404 from then on, until `changeContent` sets `active`. */
export function disableContent(api: Api, id: string): Promise<{ content: Content } & Applied> {
  return api.request('DELETE', pathOf(id), { query: untilApplied });
}

function pathOf(id: string): string {
  return `/api/v1/content/${encodeURIComponent(id)}`;
}
