import { describe, expect, test } from 'vitest';
import type { Principal } from '../contracts/index.ts';
import { scopes } from '../contracts/index.ts';
import { type Access, assertScope, scopesOf } from './access.ts';

const principals: Record<string, Principal> = {
  ...Object.fromEntries(
    scopes.map((scope) => [
      scope,
      { kind: 'api-key', id: 'k', name: 'n', scope, contents: null, cacheKey: 'h' } as const,
    ]),
  ),
  viewer: { kind: 'viewer', id: 'v', issuedNotBefore: null, contents: null, mayUpload: false },
  uploader: { kind: 'viewer', id: 'v', issuedNotBefore: null, contents: null, mayUpload: true },
  anonymous: { kind: 'anonymous', id: null },
};

/** The table of `docs/reference/contract.md#scopes`. */
const table: Record<Exclude<Access, 'open'>, string[]> = {
  internal: [],
  'any-api-key': ['admin', 'full', 'packager', 'upload', 'playback'],
  manage: ['admin', 'full'],
  'content:register': ['admin', 'full', 'packager'],
  'content:read': ['admin', 'full', 'packager', 'playback'],
  presign: ['admin', 'full', 'upload', 'uploader'],
  keys: ['admin', 'full', 'packager', 'playback', 'viewer', 'uploader', 'anonymous'],
  licenses: ['admin', 'full', 'packager', 'playback', 'viewer', 'uploader', 'anonymous'],
  'key-info': ['admin', 'full', 'packager', 'playback'],
  packaging: ['admin', 'full', 'packager'],
  leases: ['admin', 'full', 'viewer', 'uploader', 'anonymous'],
  'player-metrics': ['viewer', 'uploader', 'anonymous'],
};

describe.each(Object.entries(table))('%s', (access, allowed) => {
  test(`a route of the row ${access} is for ${allowed.join(', ') || 'no client'} and nobody else`, () => {
    for (const [name, principal] of Object.entries(principals)) {
      const asking = () => assertScope(principal, access as Access);
      if (allowed.includes(name)) expect(asking, name).not.toThrow();
      else expect(asking, name).toThrow(expect.objectContaining({ code: 'INSUFFICIENT_SCOPE' }));
    }
  });
});

test('a refusal names the scopes that would be enough', () => {
  expect(scopesOf('manage')).toBe('admin full');
  expect(() => assertScope(principals.playback as Principal, 'manage')).toThrow(
    expect.objectContaining({ members: { scope: 'admin full' } }),
  );
});
