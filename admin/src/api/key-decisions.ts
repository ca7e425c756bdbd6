import type { Api } from './api.ts';

/** A key request as an admin describes it. */
export interface DescribedKeyRequest {
  contentId: string;
  /** Either this or `token`. */
  viewerId?: string;
  /** A viewer token, or the id of a playback session. */
  token?: string;
  /** With `viewerId`: what its token said. A token that is issued now and opens everything, if they are left out. */
  issuedAt?: string | null;
  contentIds?: string[] | null;
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

type Outcome = 'served' | 'refused' | 'unknown';

export interface KeyDecision {
  outcome: Outcome;
  code: string | null;
  decidedAt: string;
  viewerId: string | null;
  contentId: string;
  /** The same with a token that is issued now and opens the content. Null without a viewer. */
  withNewToken: { outcome: Outcome; code: string | null } | null;
  steps: DecisionStep[];
}

/** What the key request would get now, and why. */
export function explainKeyRequest(api: Api, described: DescribedKeyRequest): Promise<KeyDecision> {
  return api.request('POST', '/api/v1/key-decisions', { body: described });
}
