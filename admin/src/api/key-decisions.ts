import type { Api } from './api.ts';

/** A key request as an admin describes it. */
export interface DescribedKeyRequest {
  contentId: string;
  /** Either this or `token`. */
  viewerId?: string;
  /** A viewer token, or the id of a playback session. */
  token?: string;
  epoch?: number;
  leaseId?: string;
}

export interface DecisionStep {
  step: string;
  answer: 'passed' | 'refused' | 'unknown' | 'skipped' | 'not-reached';
  code: string | null;
  /** What the step went by. Names that end with `At` are times (ISO 8601). */
  facts: Record<string, string | number | boolean | null>;
}

export interface KeyDecision {
  outcome: 'served' | 'refused' | 'unknown';
  code: string | null;
  decidedAt: string;
  viewerId: string | null;
  contentId: string;
  steps: DecisionStep[];
}

/** What the key request would get now, and why. */
export function explainKeyRequest(api: Api, described: DescribedKeyRequest): Promise<KeyDecision> {
  return api.request('POST', '/api/v1/key-decisions', { body: described });
}
