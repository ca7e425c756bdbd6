import { expect } from 'vitest';
import { type ExpectedLease, type ExpectedLeases, graceMs, names } from './expected-leases.fixture.ts';
import { createSessionExtender } from './extend-sessions.ts';
import { type LeaseFixture, rawKeys } from './lease.fixture.ts';
import type { LeaseSelector } from './lease-selector.ts';
import type { Database } from './own-tables.ts';
import { createLeasePurge } from './purge-leases.ts';
import { createRevocationWriter } from './revocation-writer.ts';
import { insertLeases } from './stored-leases.fixture.ts';

interface Pair {
  viewerId: string;
  contentId: string;
}

/** One type for each kind, so that TypeScript can tell them apart. */
type Acts<Kind extends string, Facts> = Kind extends string ? { kind: Kind } & Facts : never;

/** An act on one lease, which `pick` names. */
type ActOnOne =
  | Acts<'renew' | 'use' | 'release', { pick: number }>
  | Acts<'revoke and renew', { pick: number; selector: LeaseSelector }>;

/** One act of a random sequence. */
export type SimulatedAct =
  | ActOnOne
  | Acts<'create' | 'session', { deviceId: string | null } & Pair>
  | Acts<'crowd', Pair>
  | Acts<'revoke', { selector: LeaseSelector }>
  | Acts<'revoke and create', { selector: LeaseSelector } & Pair>
  | Acts<'advance', { ms: number }>
  | Acts<'write' | 'purge', unknown>;

type Act<Kind extends SimulatedAct['kind']> = Extract<SimulatedAct, { kind: Kind }>;

/** More than a revocation writes in its own transaction. */
const crowd = 105;
const crowdLifeMs = 60_000;
/** Short, so that leases and revocations are purged within a sequence. */
const leasesKeptMs = 20_000;
const marksKeptMs = 1_000;

/** Does an act both to the lease service and to what is expected of it, and compares the answers. */
export class SimulatedActs {
  readonly #expected: ExpectedLeases;
  readonly #service: LeaseFixture;
  readonly #db: Database;

  constructor(expected: ExpectedLeases, service: LeaseFixture, db: Database) {
    this.#expected = expected;
    this.#service = service;
    this.#db = db;
  }

  async apply(act: SimulatedAct): Promise<void> {
    if (act.kind === 'advance') this.#service.clock.advance(act.ms);
    else if (act.kind === 'create' || act.kind === 'session') await this.#create(act);
    else if (act.kind === 'crowd') await this.#addCrowd(act);
    else if (act.kind === 'write') await this.#writeSome();
    else if (act.kind === 'purge') await this.#purge();
    else if (act.kind === 'revoke') this.#note(act.selector, await this.#revoke(act.selector));
    else if (act.kind === 'revoke and create') await this.#revokeAndCreate(act);
    else await this.#actOnOne(act);
  }

  async #create({ kind, deviceId, viewerId, contentId }: Act<'create' | 'session'>): Promise<string> {
    const isSession = kind === 'session';
    const held = this.#expected.filter(
      (lease) =>
        deviceId !== null &&
        lease.deviceId === deviceId &&
        names({ viewerId, contentId }, lease) &&
        this.#expected.stateOf(lease) === 'active' &&
        lease.isSession === isSession,
    );
    const asked = { viewerId, contentId, ...(deviceId !== null && { deviceId }) };
    const path = isSession ? '/keys/sessions' : '/keys/leases';
    const { status, body } = await this.#service.ask('POST', path, rawKeys.full, asked);
    expect(status).toBe(held.length > 0 && !isSession ? 200 : 201);
    // A new session takes the place of the one of its device.
    if (isSession) for (const [, lease] of held) lease.isRevoked = true;
    const times = {
      createdAt: Date.parse(body.lease.createdAt),
      expiresAt: Date.parse(body.lease.expiresAt),
    };
    const facts = { viewerId, contentId, deviceId, isSession, ...times };
    this.#expected.set(body.lease.id, { ...facts, isRevoked: false });
    return body.lease.id;
  }

  async #addCrowd({ viewerId, contentId }: Act<'crowd'>): Promise<void> {
    const { at } = await this.#db
      .selectFrom('revocations')
      .select((eb) => eb.fn.max<number | null>('revoked_up_to').as('at'))
      .executeTakeFirstOrThrow();
    const now = this.#service.clock.now();
    // As the service does it: later than every revocation.
    const createdAt = Math.max(now, Number(at ?? 0) + 1);
    const expiresAt = now + crowdLifeMs;
    const row = {
      viewer_id: viewerId,
      content_id: contentId,
      created_at: createdAt,
      expires_at: expiresAt,
    };
    const facts = { viewerId, contentId, deviceId: null, isSession: false, createdAt, expiresAt };
    for (const { id } of await insertLeases(this.#db, crowd, () => row))
      this.#expected.set(id, { ...facts, isRevoked: false });
  }

  /** One transaction of the writer, which writes some of a crowd. */
  async #writeSome(): Promise<void> {
    let looks = 0;
    const { signal } = new AbortController();
    Object.defineProperty(signal, 'aborted', { get: () => looks++ > 0 });
    await createRevocationWriter({ db: this.#db, clock: this.#service.clock, signal }).run();
  }

  async #purge(): Promise<void> {
    const purge = createLeasePurge({
      db: this.#db,
      clock: this.#service.clock,
      signal: new AbortController().signal,
      renewGraceSeconds: graceMs / 1_000,
      keepHours: leasesKeptMs / 3_600_000,
      changesKeepMinutes: 60,
      marksKeptMs,
    });
    await purge.run();
    const before = this.#service.clock.now() - leasesKeptMs - graceMs;
    for (const [id] of this.#expected.filter(({ expiresAt }) => expiresAt < before))
      this.#expected.delete(id);
  }

  /** @returns how many leases the answer counts */
  async #revoke({ viewerId, contentId }: LeaseSelector): Promise<number> {
    const named = { ...(viewerId !== null && { viewerId }), ...(contentId !== null && { contentId }) };
    const { status, body } = await this.#service.ask('POST', '/keys/leases/revoke', rawKeys.admin, named);
    expect(status).toBe(200);
    return body.revoked;
  }

  #note(selector: LeaseSelector, counted: number): void {
    const ended = this.#expected.filter((lease) => names(selector, lease) && this.#expected.isOpen(lease));
    for (const [, lease] of ended) lease.isRevoked = true;
    expect(counted).toBe(ended.length);
  }

  /** Either may be first. After that, every read must agree on which one was. */
  async #revokeAndCreate({ selector, viewerId, contentId }: Act<'revoke and create'>): Promise<void> {
    const [counted, id] = await Promise.all([
      this.#revoke(selector),
      this.#create({ kind: 'create', viewerId, contentId, deviceId: null }),
    ]);
    const lease = this.#expected.get(id);
    const isRevoked = (await this.#expected.reader.findLease(id))?.revokedAt != null;
    if (isRevoked) expect(names(selector, lease)).toBe(true);
    this.#expected.delete(id);
    this.#note(selector, counted - (isRevoked ? 1 : 0));
    this.#expected.set(id, { ...lease, isRevoked });
  }

  async #actOnOne(act: ActOnOne): Promise<void> {
    const [id, lease] = this.#expected.pick(act.pick) ?? [];
    if (!id || !lease) return;
    if (act.kind === 'use') return this.#use(id, lease);
    if (act.kind === 'release') return this.#release(id, lease);
    if (act.kind === 'renew') return this.#renew(id, lease, null);
    const [counted] = await Promise.all([this.#revoke(act.selector), this.#renew(id, lease, act.selector)]);
    this.#note(act.selector, counted);
  }

  /** @param meanwhile is revoked at the same time, and may be first */
  async #renew(leaseId: string, lease: ExpectedLease, meanwhile: LeaseSelector | null): Promise<void> {
    const wasOpen = this.#expected.isOpen(lease);
    const { status, body } = await this.#service.ask('POST', '/keys/leases/renew', rawKeys.admin, {
      leaseId,
    });
    const mayBeRevoked = meanwhile !== null && names(meanwhile, lease);
    if (!wasOpen || !mayBeRevoked) expect(status).toBe(wasOpen ? 200 : 403);
    if (status === 200) lease.expiresAt = Date.parse(body.lease.expiresAt);
    else if (lease.isRevoked || wasOpen) expect(body.code).toBe('LEASE_REVOKED');
  }

  async #use(id: string, lease: ExpectedLease): Promise<void> {
    await createSessionExtender(this.#service.writing)(new Map([[id, this.#service.clock.now()]]));
    const expiresAt = (await this.#expected.reader.findLease(id))?.expiresAt ?? 0;
    const mayExtend = lease.isSession && this.#expected.stateOf(lease) === 'active';
    if (!mayExtend) expect(expiresAt).toBe(lease.expiresAt);
    lease.expiresAt = expiresAt;
  }

  async #release(leaseId: string, lease: ExpectedLease): Promise<void> {
    const token = this.#service.tokenOf(lease.viewerId);
    const { body } = await this.#service.ask('POST', '/keys/leases/revoke', token, { leaseId });
    expect(body.revoked).toBe(lease.isRevoked ? 0 : 1);
    lease.isRevoked = true;
  }
}
