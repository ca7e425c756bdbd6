import { createHmac } from 'node:crypto';
import type { ContentState } from '@latchkey/shared/contracts';
import { type AnyMasterKey, createMasterKey, deriveContentKey } from '@latchkey/shared/derivation';
import { usualCachesBytes } from '@latchkey/shared/memory';
import { createManualClock } from '@latchkey/shared/testing';
import { describe, expect, test } from 'vitest';
import { openAuthority } from './authority.fixture.ts';
import { createContentKeyCache } from './content-key-cache.ts';
import { createContentKeyIssuer } from './issue-content-key.ts';
import type { KeyRequest } from './key-request.ts';
import { createMasterKeyRing } from './master-key-ring.ts';
import type { KeyPace } from './pace/key-pace.ts';
import { createLocalPace } from './pace/local-pace.ts';

const masterKey = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));

const film = { mode: 'sequence', count: 100, periodSeconds: 10, burst: 8, speed: 2, pace: true } as const;
const paced: ContentState = { status: 'active', keyVersion: 1, keyPeriods: film };

function setUp(
  findContent: (contentId: string) => Promise<ContentState | null>,
  pace?: Pick<KeyPace, 'take'>,
  held: AnyMasterKey = masterKey,
) {
  const clock = createManualClock();
  const { authority, bus, follower } = openAuthority(clock, { findContent });
  const issuer = createContentKeyIssuer({
    keys: createContentKeyCache(),
    noteUse: () => {},
    authority,
    rules: { contentMode: 'registered', leaseMode: 'optional' },
    masterKeys: createMasterKeyRing([held], () => {}),
    pace: pace ?? createLocalPace(clock, usualCachesBytes),
    clock,
  });
  const request: KeyRequest = {
    principal: { kind: 'viewer', id: 'ada', issuedNotBefore: clock.now(), contents: null, mayUpload: false },
    contentId: 'film',
    epoch: 7,
    leaseId: null,
  };
  return { clock, bus, follower, authority, issuer, request };
}

describe('issuing a content key', () => {
  test('a second request for a key is answered at once, without a read', async () => {
    const { issuer, request, authority } = setUp(async () => ({
      status: 'active',
      keyVersion: 1,
      keyPeriods: null,
    }));
    const expected = deriveContentKey(masterKey, 'film', 7);
    expect(await issuer.issue(request)).toEqual(expected);
    const loads = authority.contents.loadsBegun;
    expect(issuer.issue(request)).toEqual(expected);
    expect(authority.contents.loadsBegun).toBe(loads);
  });

  test('beyond the pace a key request gets KEY_PACE_EXCEEDED, with the seconds after which one is served', async () => {
    const { issuer, request, clock } = setUp(async () => paced);
    await issuer.issue({ ...request, epoch: 0 });
    for (let epoch = 1; epoch < 8; epoch++)
      expect(issuer.issue({ ...request, epoch })).toBeInstanceOf(Buffer);
    const beyond = () => issuer.issue({ ...request, epoch: 8 });
    expect(beyond).toThrow(expect.objectContaining({ code: 'KEY_PACE_EXCEEDED', retryAfterSeconds: 5 }));
    clock.advance(4_999);
    expect(beyond).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
    clock.advance(1);
    expect(beyond()).toEqual(deriveContentKey(masterKey, 'film', 8));
  });

  test('an epoch that is not served yet is refused with the time from which it is, also if no calendar knows that time', async () => {
    const origin = createManualClock().now();
    const keyPeriods = { mode: 'clock', origin, periodSeconds: 86_400, ahead: 0, behind: 0 } as const;
    const { issuer, request } = setUp(async () => ({ status: 'active', keyVersion: 1, keyPeriods }));
    await issuer.issue({ ...request, epoch: 0 });
    const refused = (epoch: number, opensAt: string, retryAfterSeconds: number) =>
      expect(() => issuer.issue({ ...request, epoch })).toThrow(
        expect.objectContaining({ members: { currentEpoch: 0, opensAt }, retryAfterSeconds }),
      );
    refused(1, new Date(origin + 86_400_000).toISOString(), 86_400);
    refused(4_294_967_295, '9999-12-31T23:59:59.999Z', 4_294_967_295 * 86_400);
  });

  test('a content that is disabled while the pace is asked for elsewhere gets no key', async () => {
    const asked = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<number>();
    const pace: Pick<KeyPace, 'take'> = {
      take() {
        asked.resolve();
        return taken.promise;
      },
    };
    let state = paced;
    const { issuer, request, bus } = setUp(async () => state, pace);
    const answer = Promise.resolve(issuer.issue(request));
    await asked.promise;
    state = { ...paced, status: 'disabled' };
    bus.publish({
      type: 'change',
      number: 1,
      at: 0,
      link: { id: 'a', previous: null },
      change: { kind: 'content', contentId: 'film' },
    });
    taken.resolve(0);
    await expect(answer).rejects.toMatchObject({ code: 'CONTENT_NOT_FOUND' });
  });

  test('content that is disabled while a custodian is asked for its key gets no key, and many requests are one call', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<Buffer>();
    let calls = 0;
    const custodied: AnyMasterKey = {
      version: 1,
      mac() {
        calls++;
        asked.resolve();
        return answered.promise;
      },
    };
    let state: ContentState = { status: 'active', keyVersion: 1, keyPeriods: null };
    const { issuer, request, bus } = setUp(async () => state, undefined, custodied);
    const ask = (viewer: number) =>
      Promise.resolve(
        issuer.issue({ ...request, principal: { ...request.principal, id: `${viewer}` } as never }),
      );
    const answers = Array.from({ length: 100 }, (_, viewer) => ask(viewer));
    await asked.promise;
    state = { ...state, status: 'disabled' };
    bus.publish({
      type: 'change',
      number: 1,
      at: 0,
      link: { id: 'a', previous: null },
      change: { kind: 'content', contentId: 'film' },
    });
    const block = createHmac('sha256', masterKey.pseudoRandomKey).update('film/7\x01').digest();
    answered.resolve(block);
    for (const answer of answers) await expect(answer).rejects.toMatchObject({ code: 'CONTENT_NOT_FOUND' });
    state = { ...state, status: 'active' };
    bus.publish({
      type: 'change',
      number: 2,
      at: 0,
      link: { id: 'a', previous: null },
      change: { kind: 'content', contentId: 'film' },
    });
    expect(await ask(1)).toEqual(deriveContentKey(masterKey, 'film', 7));
    expect(calls).toBe(1);
  });

  test('content that is disabled while its state is being read gets no key', async () => {
    let status: ContentState['status'] = 'active';
    let release = () => {};
    const { issuer, request, bus } = setUp(async () => {
      const read: ContentState = { status, keyVersion: 1, keyPeriods: null };
      // The row is read now, and the answer of the read comes late.
      if (status === 'active')
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      return read;
    });
    const answer = issuer.issue(request);
    status = 'disabled';
    bus.publish({
      type: 'change',
      number: 1,
      at: 0,
      link: { id: 'a', previous: null },
      change: { kind: 'content', contentId: 'film' },
    });
    release();
    await expect(answer).rejects.toMatchObject({ code: 'CONTENT_NOT_FOUND' });
  });

  test('a state that was not confirmed for 5 s is read again, and the request is refused if that fails', async () => {
    let reachable = true;
    const { issuer, request, clock, follower } = setUp(async () => {
      if (!reachable) throw new Error('connection lost');
      return { status: 'active', keyVersion: 1, keyPeriods: null };
    });
    await follower.pull();
    await issuer.issue(request);
    reachable = false;
    clock.advance(5_000);
    expect(issuer.issue(request)).toBeInstanceOf(Buffer);
    clock.advance(1);
    await expect(issuer.issue(request)).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    await follower.pull();
    expect(issuer.issue(request)).toBeInstanceOf(Buffer);
  });

  test('a key request whose states always arrive too old is refused with 503 within 8 s, not after twelve slow reads', async () => {
    let reads = 0;
    const { issuer, request, clock } = setUp(async () => {
      reads++;
      clock.advance(5_001);
      return { status: 'active', keyVersion: 1, keyPeriods: null };
    });
    await expect(issuer.issue(request)).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
    expect(reads).toBe(2);
  });

  test('a key request whose reads are all overtaken by changes is refused with 503, not read without end', async () => {
    let publish = () => {};
    const { issuer, request, bus } = setUp(async () => {
      publish();
      return { status: 'active', keyVersion: 1, keyPeriods: null };
    });
    publish = () =>
      bus.publish({
        type: 'change',
        number: 1,
        at: 0,
        link: { id: 'a', previous: null },
        change: { kind: 'content', contentId: 'film' },
      });
    await expect(issuer.issue(request)).rejects.toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE' });
  });
});
