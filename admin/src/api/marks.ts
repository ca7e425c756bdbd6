import type { Api } from './api.ts';

/** A revocation that refuses the tokens from before it. */
export interface Mark {
  id: string;
  /** Null: all viewers of the content. */
  viewerId: string | null;
  /** Null: all contents. */
  contentId: string | null;
  markedAt: string;
  /** From then on no accepted token can be from before it. */
  /** Null if it does not lapse. */
  lapsesAt: string | null;
}

interface MarkPage {
  marks: Mark[];
  next_cursor: string | null;
}

/** Newest first. */
export function listMarks(
  api: Api,
  query: { viewerId?: string; contentId?: string; limit?: number },
  signal?: AbortSignal,
): Promise<MarkPage> {
  return api.request('GET', '/api/v1/marks', { query: { ...query }, signal });
}

export function liftMark(api: Api, { id }: Mark): Promise<void> {
  return api.request('DELETE', `/api/v1/marks/${encodeURIComponent(id)}`);
}
