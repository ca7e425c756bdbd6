import type { Authority } from '@latchkey/shared/authority';
import type {
  ContentState,
  LeaseState,
  MarkState,
  Principal,
  TokenContents,
} from '@latchkey/shared/contracts';
import { AppError, codes, type ErrorCode } from '@latchkey/shared/errors';
import { createLeaseState, createManualClock } from '@latchkey/shared/testing';
import { expect, test } from 'vitest';
import { openAuthority } from './authority.fixture.ts';
import { decideKeyRequest, type KeyRules } from './decide-key-request.ts';
import { codesOfSteps, stepNames } from './decision-steps.ts';
import { createKeyRequestExplainer } from './explain-key-request.ts';
import type { KeyRequest } from './key-request.ts';
import { createLocalPace } from './pace/local-pace.ts';

const leaseId = '5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11';
const clock = createManualClock();
const now = clock.now();
const film = { mode: 'sequence', count: 2, periodSeconds: 10, burst: 2, speed: 2, pace: true } as const;
const lease = createLeaseState({ viewerId: 'ada', expiresAt: now + 60_000, renewableUntil: now + 90_000 });
const ada = { kind: 'viewer', id: 'ada', issuedNotBefore: now, contents: null, mayUpload: false } as const;
const blocked = { markedAt: now, blockedUntil: now + 1 };
const rulesOf = (leaseMode: KeyRules['leaseMode']): KeyRules => ({ contentMode: 'registered', leaseMode });

interface World {
  content: ContentState | null;
  lease: LeaseState | null;
  mark: MarkState | null;
  isAway?: boolean;
}

async function open(world: World, rules: KeyRules, holds = true) {
  const read = async <T>(value: T): Promise<T> => {
    if (world.isAway) throw new AppError('DEPENDENCY_UNAVAILABLE');
    return value;
  };
  const { authority, follower } = openAuthority(clock, {
    findContent: () => read(world.content),
    findLease: () => read(world.lease),
    findMark: () => read(world.mark),
  });
  // A process that has not read the feed yet serves nothing.
  await follower.pull();
  const pace = createLocalPace(clock, 100_000);
  const masterKeys = { holds: () => (holds ? ({} as never) : null) };
  const explainer = createKeyRequestExplainer({ authority, rules, masterKeys, pace, clock });
  return {
    authority,
    pace,
    explain: (request: KeyRequest, visible: TokenContents | null = null) => explainer(request, visible),
  };
}

async function decide(authority: Authority, request: KeyRequest, rules: KeyRules): Promise<ErrorCode | null> {
  for (;;) {
    const decision = decideKeyRequest(request, authority, rules, now, 0);
    if (decision.kind === 'serve') return null;
    if (decision.kind === 'refuse') return decision.code;
    await authority[decision.unknown.cache].load(decision.unknown.key);
  }
}

/** Every combination of the facts that a decision uses. */
function* worlds(): Generator<{ world: World; rules: KeyRules; request: KeyRequest }> {
  const contents = [
    null,
    { status: 'disabled', keyVersion: 1, keyPeriods: null },
    { status: 'active', keyVersion: 1, keyPeriods: null },
  ] as const;
  const leases = [
    null,
    lease,
    { ...lease, revokedAt: now },
    { ...lease, expiresAt: now - 1, renewableUntil: 0 },
  ];
  const principals: Principal[] = [ada, { ...ada, contents: new Set(['other']) }, { ...ada, id: 'bob' }];
  for (const mode of ['off', 'optional', 'required'] as const)
    for (const state of contents)
      for (const keyPeriods of [null, film])
        for (const own of leases)
          for (const mark of [null, now, blocked, { markedAt: null, blockedUntil: now }])
            for (const principal of principals)
              for (const named of [null, leaseId])
                for (const epoch of [undefined, 1, 2])
                  yield {
                    world: { content: state && { ...state, keyPeriods }, lease: own, mark },
                    rules: rulesOf(mode),
                    request: { principal, contentId: 'film', epoch, leaseId: named },
                  };
}

test('an explanation always ends with the code that the request gets, at the step that refuses it', async () => {
  const seen = new Set<ErrorCode | null>();
  for (const { world, rules, request } of worlds()) {
    const { authority, explain } = await open(world, rules);
    const { outcome, code, steps } = await explain(request);
    const decided = await decide(authority, request, rules);
    expect({ code, ...request, ...world }).toEqual({ code: decided, ...request, ...world });
    expect(outcome).toBe(decided === null ? 'served' : 'refused');
    seen.add(decided);
    expect(steps.map(({ step }) => step)).toEqual(stepNames);
    const refused = steps.findIndex(({ answer }) => answer === 'refused');
    if (decided === null) expect(refused).toBe(-1);
    else expect(codesOfSteps[stepNames[refused] ?? 'credential']).toContain(decided);
    for (const [place, { answer }] of steps.entries()) {
      const expected = refused >= 0 && place > refused ? ['not-reached'] : ['passed', 'skipped', 'refused'];
      expect(expected).toContain(answer);
    }
  }
  expect([...seen].sort()).toEqual(
    [
      'CONTENT_NOT_ENTITLED',
      'CONTENT_NOT_FOUND',
      'EPOCH_NOT_FOUND',
      'LEASE_EXPIRED',
      'LEASE_REQUIRED',
      'LEASE_REVOKED',
      'LEASE_UNKNOWN',
      'TOKEN_REVOKED',
      'VIEWER_BLOCKED',
      null,
    ].sort(),
  );
});

test('the steps name every refusal of a key request once', () => {
  const named = Object.values(codesOfSteps).flat();
  expect(new Set(named).size).toBe(named.length);
  // The rest are refused before a decision: by form, scope, rate or method.
  const before = ['VALIDATION_FAILED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE', 'RATE_LIMITED'];
  for (const code of ['LEASE_UNKNOWN', 'EPOCH_PAST', 'EPOCH_NOT_YET', 'KEY_PACE_EXCEEDED'] as const)
    expect(named).toContain(code);
  for (const code of named)
    expect([before.includes(code), Object.hasOwn(codes, code)]).toEqual([false, true]);
});

test('a step whose state cannot be read is shown as unknown, never as passed', async () => {
  const { explain } = await open(
    { content: null, lease: null, mark: null, isAway: true },
    rulesOf('optional'),
  );
  const { outcome, code, steps } = await explain({
    principal: ada,
    contentId: 'film',
    epoch: undefined,
    leaseId: null,
  });
  expect([outcome, code]).toEqual(['unknown', 'DEPENDENCY_UNAVAILABLE']);
  expect(steps.map(({ answer }) => answer).slice(0, 4)).toEqual([
    'passed',
    'skipped',
    'unknown',
    'not-reached',
  ]);
});

test('an explanation takes no key of the pace, and says when none is left', async () => {
  const world = {
    content: { status: 'active', keyVersion: 1, keyPeriods: { ...film, count: 9 } },
    lease,
    mark: null,
  } as const;
  const { explain, pace } = await open(world, rulesOf('optional'));
  const request = { principal: ada, contentId: 'film', epoch: 5, leaseId: null };
  for (let n = 0; n < 5; n++) expect((await explain(request)).outcome).toBe('served');
  const key = { viewerId: 'ada', contentId: 'film', periods: world.content.keyPeriods };
  pace.take({ ...key, epoch: 1 });
  pace.take({ ...key, epoch: 2 });
  expect(await explain(request)).toMatchObject({ outcome: 'refused', code: 'KEY_PACE_EXCEEDED' });
  // A key that the viewer got lately costs nothing.
  expect(await explain({ ...request, epoch: 2 })).toMatchObject({ outcome: 'served' });
});

test('a caller who is limited to some contents sees no lease and no session of others', async () => {
  const world = {
    content: { status: 'active', keyVersion: 1, keyPeriods: null },
    lease: { ...lease, contentId: 'other' },
    mark: null,
  } as const;
  const { explain } = await open(world, rulesOf('optional'));
  const session = { kind: 'session', id: leaseId, session: { leaseId, secretHash: '0'.repeat(64) } } as const;
  for (const [principal, code] of [
    [ada, 'LEASE_UNKNOWN'],
    [session, 'INVALID_SESSION'],
  ] as const) {
    const request = { principal, contentId: 'film', epoch: undefined, leaseId };
    const explained = await explain(request, new Set(['film']));
    expect(explained).toMatchObject({ outcome: 'refused', code });
    expect(JSON.stringify(explained)).not.toContain('other');
    expect(await explain(request)).not.toEqual(explained);
  }
});

test('a key of a version that this process lacks is explained as such', async () => {
  const world = {
    content: { status: 'active', keyVersion: 7, keyPeriods: null },
    lease,
    mark: null,
  } as const;
  const { explain } = await open(world, rulesOf('off'), false);
  const { code, steps } = await explain({
    principal: ada,
    contentId: 'film',
    epoch: undefined,
    leaseId: null,
  });
  expect(code).toBe('DEPENDENCY_UNAVAILABLE');
  expect(steps.find(({ answer }) => answer === 'refused')).toMatchObject({
    step: 'key',
    facts: { keyVersion: 7 },
  });
});
