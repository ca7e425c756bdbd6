import { randomUUID } from 'node:crypto';
import { viewerToken } from '@latchkey/support/tokens';
import { demand, type Management } from './management.ts';
import type { Answer, Question } from './send-request.ts';

/** The kinds of revocation: leases by each selector, a content, an API key. */
export const revocationKinds = ['leaseId', 'viewerId', 'contentId', 'pair', 'content', 'api-key'] as const;

export type RevocationKind = (typeof revocationKinds)[number];

/** The credentials that viewers send: a token alone, a token and the lease that it names, or the URL of a session. */
export const credentials = ['lease', 'token', 'session'] as const;

export type Credential = (typeof credentials)[number];

/** A viewer or a holder of an API key who gets a key until the revocation. */
export interface RevocationSubject {
  kind: RevocationKind;
  /** The request for the key. */
  question: Question;
  /** The request for the playlist, of a viewer with a session. */
  playlist?: Question;
  /** The error code of a key request afterwards. */
  refusal: string;
  revoke(): Promise<Answer>;
}

export interface RevocationSubjectOptions {
  management: Management;
  tokenSecret: string;
  /** A content that stays active. */
  contentId: string;
  credential: Credential;
}

/** @throws Error if the server does not create what the subject needs */
export async function createRevocationSubject(
  kind: RevocationKind,
  options: RevocationSubjectOptions,
): Promise<RevocationSubject> {
  const { management, tokenSecret, credential } = options;
  if (kind === 'api-key') return createKeyHolder(options);
  const name = randomUUID().slice(0, 18);
  const viewerId = `viewer-${name}`;
  const contentId = kind === 'contentId' || kind === 'content' ? `content-${name}` : options.contentId;
  if (contentId !== options.contentId) await demand(management.registerContent(contentId));
  const path = `/keys/${contentId}`;
  const headers: Record<string, string> = {
    authorization: `Bearer ${viewerToken(tokenSecret, viewerId)}`,
  };
  let leaseId = '';
  let question: Question = { path, headers };
  let playlist: Question | undefined;
  if (credential === 'session') {
    const { lease, url } = await demand(management.createSession(viewerId, contentId));
    leaseId = lease.id;
    ({ key: question, playlist } = questionsOfSession(contentId, url));
  } else if (credential === 'lease' || kind === 'leaseId') {
    const { lease } = await demand(management.createLease(viewerId, contentId));
    leaseId = lease.id;
    if (credential === 'lease') headers['x-lease-id'] = leaseId;
  }
  const viewer = { kind, question, ...(playlist ? { playlist } : {}) };
  if (kind === 'content') {
    const revoke = () => management.call('DELETE', `/api/v1/content/${contentId}`);
    return { ...viewer, refusal: 'CONTENT_NOT_FOUND', revoke };
  }
  const selector = {
    leaseId: { leaseId },
    viewerId: { viewerId },
    contentId: { contentId },
    pair: { viewerId, contentId },
  }[kind];
  const revoke = () => management.call('POST', '/keys/leases/revoke', selector);
  return { ...viewer, refusal: credential === 'token' ? 'TOKEN_REVOKED' : 'LEASE_REVOKED', revoke };
}

/** @param url of the session, as the server gives it: whatever its origin is, requests go to the servers under test */
export function questionsOfSession(contentId: string, url: string): { key: Question; playlist: Question } {
  const { pathname } = new URL(url);
  const sid = pathname.split('/').at(-2);
  return { key: { path: `/keys/${contentId}?s=${sid}` }, playlist: { path: pathname } };
}

async function createKeyHolder({
  management,
  contentId,
}: RevocationSubjectOptions): Promise<RevocationSubject> {
  const body = { name: randomUUID(), scope: 'playback' };
  const made = await demand(
    management.call('POST', '/api/v1/api-keys', body, ({ json }) => ({
      table: 'api_keys',
      id: json.api_key.id,
    })),
  );
  return {
    kind: 'api-key',
    question: { path: `/keys/${contentId}`, headers: { authorization: `Bearer ${made.raw_key}` } },
    refusal: 'INVALID_API_KEY',
    revoke: () => management.call('DELETE', `/api/v1/api-keys/${made.api_key.id}`),
  };
}
