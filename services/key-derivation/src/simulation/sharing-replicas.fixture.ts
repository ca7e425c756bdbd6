import { setImmediate as turn } from 'node:timers/promises';
import { createMasterKey, deriveContentKey } from '@latchkey/shared/derivation';
import type { AppError } from '@latchkey/shared/errors';
import { createContentKeyCache } from '../content-key-cache.ts';
import { type ContentKeyIssuer, createContentKeyIssuer } from '../issue-content-key.ts';
import { createMasterKeyRing } from '../master-key-ring.ts';
import type { KeyPace, PacedKey } from '../pace/key-pace.ts';
import { createLocalPace } from '../pace/local-pace.ts';
import { createSharedPace } from '../pace/shared-pace.ts';
import type { PaceLedger } from './pace-ledger.fixture.ts';
import type { SimulatedKeyServer, SimulatedRequest } from './simulated-key-server.fixture.ts';
import type { SimulatedRedis } from './simulated-redis.fixture.ts';
import { count, type Tally } from './simulated-requests.fixture.ts';
import { epochs } from './simulated-schedules.fixture.ts';

const masterKey = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));
const mib = 1_024 * 1_024;

/** Two replicas that issue keys as in service, with one pace in Redis. Their answers come while other events happen. */
export class SharingReplicas {
  readonly #server: SimulatedKeyServer;
  readonly #redis: SimulatedRedis;
  readonly #ledger: PaceLedger;
  readonly #tally: Tally;
  readonly #issuers: readonly ContentKeyIssuer[];
  readonly #open = new Set<Promise<void>>();
  #fault: Error | null = null;

  constructor(server: SimulatedKeyServer, redis: SimulatedRedis, ledger: PaceLedger, tally: Tally) {
    this.#server = server;
    this.#redis = redis;
    this.#ledger = ledger;
    this.#tally = tally;
    this.#issuers = ([0, 1] as const).map((which) =>
      createContentKeyIssuer({
        authority: server.replicas[which].authority,
        rules: { contentMode: 'registered', leaseMode: 'optional' },
        // The versions of the contents stand for their states.
        masterKeys: { ...createMasterKeyRing([masterKey], () => {}), find: () => masterKey },
        pace: this.#watch(
          which,
          createSharedPace(redis.connect(), createLocalPace(server.clockOf(which), mib)),
        ),
        clock: server.clockOf(which),
        keys: createContentKeyCache(),
        noteUse: () => {},
      }),
    );
  }

  /** Notes every key that the pace allows, whether it is then served or not. */
  #watch(which: number, pace: KeyPace): KeyPace {
    const note = (key: PacedKey, waitMs: number) => {
      try {
        const { lostAnswers } = this.#redis;
        if (this.#ledger.note(key, which, waitMs, this.#server.nowMs, lostAnswers))
          count(this.#tally, 'as much as the pace allows');
      } catch (fault) {
        this.#fault ??= fault as Error;
      }
      return waitMs;
    };
    return {
      take(key) {
        const waitMs = pace.take(key);
        return typeof waitMs === 'number' ? note(key, waitMs) : waitMs.then((ms) => note(key, ms));
      },
    };
  }

  /** @throws Error if an earlier answer broke a guarantee */
  ask(which: 0 | 1): void {
    if (this.#fault) throw this.#fault;
    const request = this.#server.pickRequest(epochs);
    const answering = async () => this.#issuers[which]?.issue(request);
    const answered = answering()
      .then(
        (key) => this.#noteKey(which, request, key),
        (error: AppError) => this.#noteRefusal(which, request, error),
      )
      .catch((fault: Error) => {
        this.#fault ??= fault;
      })
      .finally(() => this.#open.delete(answered));
    this.#open.add(answered);
  }

  #noteKey(which: number, request: SimulatedRequest, key: Buffer | undefined): void {
    count(this.#tally, 'served');
    this.#server.judge(which, request, { code: 'served' });
    if (!key?.equals(deriveContentKey(masterKey, request.contentId, request.epoch)))
      throw new Error(`another key than that of ${request.contentId}/${request.epoch}`);
  }

  #noteRefusal(which: number, request: SimulatedRequest, error: AppError): void {
    const { code, members } = error;
    count(this.#tally, code);
    if (code === 'KEY_PACE_EXCEEDED') return;
    if (code === 'DEPENDENCY_UNAVAILABLE') {
      this.#server.readUnknown(which, request);
      return;
    }
    const opensAt = members?.opensAt === undefined ? undefined : Date.parse(String(members.opensAt));
    this.#server.judge(which, request, { code, opensAt });
  }

  /** Lets every request end. @throws Error if an answer broke a guarantee */
  async finish(): Promise<void> {
    while (this.#open.size > 0) {
      this.#redis.progress();
      await turn();
    }
    if (this.#fault) throw this.#fault;
  }
}
