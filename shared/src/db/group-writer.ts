import { AppError } from '../errors/errors.ts';
import { isDatabaseUnavailable } from './database-fault.ts';

/**
 * Requests of one transaction. A commit waits for the disk once for all of them. More would not be faster, and on SQLite a
 * transaction is time in which the process answers nothing: 128 leases take some 4 ms.
 */
const mostTogether = 128;
/** Requests that wait. At 5,000 a second the last one waits 0.8 s, so that a crowd that comes at once is served. */
const mostWaiting = 4_096;
/** Turns of the event loop that bring no request: one for a connection, and one for its request. Some 20 µs in an idle process. */
const quietTurns = 2;
/** Milliseconds that a request may wait for its turn: as long as for a connection or a locked file. */
const patienceMs = 2_000;
/** Requests that are written alone at the same time. Postgres gives writes six connections, which others need, too. */
const aloneAtOnce = 3;
/**
 * Transactions of several requests at the same time, where the database can run more than one. While one waits for its disk, another
 * one works.
 */
export const groupsAtOnce = 2;
/** A second transaction begins if this number of requests waits. A transaction costs as much as ten rows, so fewer wait for the next. */
export const worthAnother = 16;

/**
 * The outcome of one request of a transaction.
 *
 * - `result`: written.
 * - `refusal`: not written, because of this request. The others are not concerned.
 * - `alone`: would have waited for another transaction; to be written in one of its own.
 * - `later`: depends on another request of this transaction; to be written in the next one.
 */
export type Fate<Result> = { result: Result } | { refusal: Error } | 'alone' | 'later';

export interface GroupWriterOptions<Request, Result> {
  /**
   * Writes the requests in one transaction that waits for no other one. Its first request is never `later`.
   *
   * @returns the fate of each, in their order
   */
  writeTogether(requests: readonly Request[]): Promise<readonly Fate<Result>[]>;
  /** Writes one request in a transaction that may wait. */
  writeAlone(request: Request): Promise<Result>;
  /**
   * Requests with the same subject are never in two transactions at the same time, which would wait for each other. Left out on
   * SQLite: it has one writer, in the thread that also reads requests.
   */
  subjectOf?: (request: Request) => string;
}

/** Writes requests of several callers in shared transactions. */
export interface GroupWriter<Request, Result> {
  /**
   * Resolves after the commit of the request.
   *
   * @throws AppError DEPENDENCY_UNAVAILABLE if too many wait, or one has waited for 2 s; what the database threw
   */
  write(request: Request): Promise<Result>;
}

interface Waiting<Request, Result> {
  request: Request;
  resolve(result: Result): void;
  reject(error: unknown): void;
  /** Null once the request has been taken. */
  patience: NodeJS.Timeout | null;
}

/**
 * Each transaction takes the requests that came while the one before was written, so no timer delays a lone request. If many come
 * meanwhile, a second transaction begins at the same time.
 *
 * If the database refuses a transaction because of what is in it, its requests are written one by one, so that one fails
 * alone. If the database cannot serve, or the commit is in doubt, all of them fail.
 */
export function createGroupWriter<Request, Result>(
  options: GroupWriterOptions<Request, Result>,
): GroupWriter<Request, Result> {
  type Entry = Waiting<Request, Result>;
  const { subjectOf } = options;
  const together = new Set<Entry>();
  const apart = new Set<Entry>();
  const subjects = new Set<string>();
  const writeApart = createLoneWriter(apart, (request: Request) => options.writeAlone(request));
  let writers = 0;

  const mayAddWriter = () =>
    subjectOf !== undefined && writers < groupsAtOnce && together.size >= worthAnother;

  async function writeGroups(): Promise<void> {
    const gather = () => (subjectOf ? immediately() : untilQuiet(together));
    for (await gather(); ; await gather()) {
      const group = take(
        together,
        mostTogether,
        ({ request }) => !subjectOf || !subjects.has(subjectOf(request)),
      );
      // The remaining requests wait for their subjects, which another writer has. That writer takes them next.
      if (group.length === 0) break;
      const own = new Set(subjectOf ? group.map(({ request }) => subjectOf(request)) : []);
      for (const subject of own) subjects.add(subject);
      await writeGroup(group);
      for (const subject of own) subjects.delete(subject);
    }
    writers--;
  }

  async function writeGroup(group: Entry[]): Promise<void> {
    const fates = await options.writeTogether(group.map(({ request }) => request)).catch((error: unknown) => {
      const isOfOne = group.length > 1 && !isDatabaseUnavailable(error);
      if (!isOfOne) for (const entry of group) entry.reject(error);
      return isOfOne ? group.map(() => 'alone' as const) : null;
    });
    if (fates) settle(group, fates, { together, apart });
    writeApart();
  }

  return {
    write(request) {
      if (together.size + apart.size >= mostWaiting) return Promise.reject(overloaded());
      return new Promise((resolve, reject) => {
        const entry: Entry = { request, resolve, reject, patience: null };
        entry.patience = setTimeout(() => {
          together.delete(entry);
          apart.delete(entry);
          reject(overloaded());
        }, patienceMs);
        together.add(entry);
        if (writers > 0 && !mayAddWriter()) return;
        writers++;
        void writeGroups();
      });
    },
  };
}

/** @returns writes the requests in `apart`, each in its own transaction, a few at a time. Call it after a request was added */
function createLoneWriter<Request, Result>(
  apart: Set<Waiting<Request, Result>>,
  writeAlone: (request: Request) => Promise<Result>,
): () => void {
  let writing = 0;
  return function writeApart() {
    while (writing < aloneAtOnce && apart.size > 0) {
      const [entry] = take(apart, 1, () => true);
      if (!entry) return;
      writing++;
      void writeAlone(entry.request)
        .then(entry.resolve, entry.reject)
        .finally(() => {
          writing--;
          writeApart();
        });
    }
  };
}

function settle<Request, Result>(
  group: readonly Waiting<Request, Result>[],
  fates: readonly Fate<Result>[],
  { together, apart }: Record<'together' | 'apart', Set<Waiting<Request, Result>>>,
): void {
  const later: Waiting<Request, Result>[] = [];
  for (const [n, entry] of group.entries()) {
    const fate = fates[n] ?? 'alone';
    if (fate === 'alone') apart.add(entry);
    else if (fate === 'later') later.push(entry);
    else if ('refusal' in fate) entry.reject(fate.refusal);
    else entry.resolve(fate.result);
  }
  if (later.length === 0) return;
  // Before the requests that came after them.
  const others = [...together];
  together.clear();
  for (const entry of [...later, ...others]) together.add(entry);
}

/** Takes the first fitting entries out of the waiting ones. From here on the database limits how long they take. */
function take<E extends { patience: NodeJS.Timeout | null }>(
  waiting: Set<E>,
  most: number,
  fits: (entry: E) => boolean,
): E[] {
  const taken: E[] = [];
  for (const entry of waiting) {
    if (taken.length === most) break;
    if (!fits(entry)) continue;
    waiting.delete(entry);
    if (entry.patience) clearTimeout(entry.patience);
    entry.patience = null;
    taken.push(entry);
  }
  return taken;
}

/**
 * Waits until a transaction is full, or nothing more has arrived. What came while the one before held up the process is still in the kernel:
 * Node takes one new connection in a turn of its event loop, and reads its request in the next. With a transaction in each turn, viewers who
 * come at once would wait for their connections for seconds.
 */
async function untilQuiet(waiting: ReadonlySet<unknown>): Promise<void> {
  for (let quiet = 0; quiet < quietTurns && waiting.size < mostTogether; ) {
    const { size } = waiting;
    await immediately();
    quiet = waiting.size > size ? 0 : quiet + 1;
  }
}

const immediately = () => new Promise<void>((resolve) => setImmediate(resolve));

const overloaded = () =>
  new AppError('DEPENDENCY_UNAVAILABLE', { detail: 'Too many writes wait for the database. Try again.' });
