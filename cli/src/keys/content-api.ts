import type { ClockPeriods, SequencePeriods } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { askServer, type ServerAccess } from './ask-server.ts';

/** As the API takes them: members that are absent have the server's default. */
type Stated<T, Needed extends keyof T> = Readonly<Pick<T, Needed> & Partial<T>>;

/** Key periods in sequence, as the API takes and shows them. */
export type Sequence = Stated<SequencePeriods, 'mode' | 'count' | 'periodSeconds'>;

/** Key periods by the clock. `origin` is ISO 8601. */
type StatedClock = Stated<Omit<ClockPeriods, 'origin'>, 'mode' | 'periodSeconds'> & {
  readonly origin: string;
};

/** The members of a content that commands state. */
export interface ContentChange {
  readonly name?: string;
  readonly keyPeriods?: Sequence | StatedClock | null | undefined;
  readonly playlistUrl?: string | undefined;
  readonly manifestKey?: string;
  readonly sizeBytes?: number;
}

/** A content as the server shows it. */
export interface ShownContent {
  readonly keyPeriods: Sequence | StatedClock | null;
  readonly playlistUrl: string | null;
  /** URL of its keys: a path alone if the server has no `PUBLIC_URL`. */
  readonly keyEndpoint: string;
  /** `Date` of the answer (RFC 9110, section 6.6.1). */
  readonly date: string | null;
}

const pathOf = (contentId: string): string => `/api/v1/content/${contentId}`;

/** @throws AppError as {@link askServer}: `CONTENT_NOT_FOUND` if the server does not know it */
export function readContent(
  access: ServerAccess,
  contentId: string,
  signal?: AbortSignal,
): Promise<ShownContent> {
  return show(askServer(access, { method: 'GET', path: pathOf(contentId), signal }));
}

/** @returns null if the server does not know it. @throws AppError as {@link askServer} */
export async function findContent(
  access: ServerAccess,
  contentId: string,
  signal?: AbortSignal,
): Promise<ShownContent | null> {
  return readContent(access, contentId, signal).catch((error: unknown) => {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  });
}

/** Registers a content. @throws AppError as {@link askServer} */
export function registerContent(
  access: ServerAccess,
  body: ContentChange & { readonly id: string },
  signal?: AbortSignal,
): Promise<ShownContent> {
  return show(askServer(access, { method: 'POST', path: '/api/v1/content', body, signal }));
}

/** @throws AppError as {@link askServer} */
export function changeContent(
  access: ServerAccess,
  contentId: string,
  body: ContentChange,
  signal?: AbortSignal,
): Promise<ShownContent> {
  return show(askServer(access, { method: 'PATCH', path: pathOf(contentId), body, signal }));
}

async function show(asked: Promise<Response>): Promise<ShownContent> {
  const answer = await asked;
  const body = (await answer.json().catch(() => undefined)) as
    | { content?: Partial<ShownContent>; key_endpoint?: string }
    | null
    | undefined;
  const { keyPeriods = null, playlistUrl = null } = body?.content ?? {};
  return { keyPeriods, playlistUrl, keyEndpoint: body?.key_endpoint ?? '', date: answer.headers.get('date') };
}
