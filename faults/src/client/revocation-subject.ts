import { randomUUID } from 'node:crypto';
import { viewerToken } from '@latchkey/rig/tokens';
import type { Answer, Question } from './ask.ts';
import { demand, type Management } from './management.ts';

/** What can be revoked: leases by each selector, a content, an API key. */
export const revocationKinds = ['leaseId', 'viewerId', 'contentId', 'pair', 'content', 'api-key'] as const;

export type RevocationKind = (typeof revocationKinds)[number];

/** A viewer or a holder of an API key who gets a key until the revocation. */
export interface RevocationSubject {
  kind: RevocationKind;
  /** The request for the key. */
  question: Question;
  /** The error code of a key request afterwards. */
  refusal: string;
  revoke(): Promise<Answer>;
}

export interface RevocationSubjectOptions {
  management: Management;
  tokenSecret: string;
  /** A content that stays active. */
  contentId: string;
  /** Whether the viewer names its lease, or sends only a token. */
  withLease: boolean;
}

/** @throws Error if the server does not create what the subject needs */
export async function createRevocationSubject(
  kind: RevocationKind,
  options: RevocationSubjectOptions,
): Promise<RevocationSubject> {
  const { management, tokenSecret, withLease } = options;
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
  if (withLease || kind === 'leaseId') {
    const { lease } = await demand(management.createLease(viewerId, contentId));
    leaseId = lease.id;
  }
  if (withLease) headers['x-lease-id'] = leaseId;
  const question = { path, headers };
  if (kind === 'content') {
    const revoke = () => management.call('DELETE', `/api/v1/content/${contentId}`);
    return { kind, question, refusal: 'CONTENT_NOT_FOUND', revoke };
  }
  const selector = {
    leaseId: { leaseId },
    viewerId: { viewerId },
    contentId: { contentId },
    pair: { viewerId, contentId },
  }[kind];
  const revoke = () => management.call('POST', '/keys/leases/revoke', selector);
  return { kind, question, refusal: withLease ? 'LEASE_REVOKED' : 'TOKEN_REVOKED', revoke };
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
