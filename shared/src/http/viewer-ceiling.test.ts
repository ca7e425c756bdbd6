import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createViewerCeiling } from './viewer-ceiling.ts';

function setUp() {
  const clock = createManualClock();
  const limited: string[] = [];
  const ceiling = createViewerCeiling(clock, (limit) => void limited.push(limit));
  const reply = { header: () => reply } as unknown as FastifyReply;
  /** @returns the code of the refusal; null if there is none */
  const act = (viewer: string, action: string) => {
    let refusal: string | null = null;
    const principal = { kind: 'viewer', id: viewer, contents: null };
    ceiling(action)?.({ principal } as unknown as FastifyRequest, reply, (error) => {
      refusal = error ? (error as unknown as { code: string }).code : null;
    });
    return refusal;
  };
  return { clock, limited, act };
}

// The answers to clients are tested with the whole server.
test('a viewer makes 1,200 leases, renewals and sessions a minute together, and again in the next minute', () => {
  const { clock, limited, act } = setUp();
  const actions = ['lease.create', 'lease.renew', 'session.create'];
  for (let n = 0; n < 1_200; n++) expect(act('ada', actions[n % 3] ?? '')).toBeNull();
  clock.advance(59_999);
  for (const action of actions) expect(act('ada', action)).toBe('RATE_LIMITED');
  expect(limited).toEqual(['leases', 'leases', 'leases']);
  expect(act('ada', 'lease.revoke')).toBeNull();
  clock.advance(1);
  expect(act('ada', 'lease.create')).toBeNull();
});

test('upload URLs of a viewer have a ceiling of their own, and other viewers have theirs', () => {
  const { act } = setUp();
  for (let n = 0; n < 1_200; n++) expect(act('ada', 'upload.presign')).toBeNull();
  expect(act('ada', 'upload.presign')).toBe('RATE_LIMITED');
  expect([act('ada', 'lease.create'), act('bob', 'upload.presign')]).toEqual([null, null]);
});
