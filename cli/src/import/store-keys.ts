import { AppError } from '@latchkey/shared/errors';
import { keyPath } from '../encrypt/content-key-source.ts';
import { askServer, type ServerAccess } from '../keys/ask-server.ts';
import { refusal } from '../refusal.ts';
import { workOff } from '../work-off.ts';
import { describeName, type FoundKey } from './imported-key.ts';

/** Requests at once: each is a transaction of the server, which writes some hundred a second. */
const atOnce = 8;
/** A replica knows a change of content within 5 s at the latest (`docs/contract.md#age-of-a-state`), and one more to be sure. */
const staleForSeconds = 6;

interface StoreOptions {
  readonly access: ServerAccess;
  readonly signal: AbortSignal;
  /** Called after each key. */
  readonly done: () => void;
}

/** A key that the server has already. */
interface KnownKey {
  epoch: number | null;
  key: string;
  source: 'derived' | 'imported';
}

/**
 * Refuses to replace a key that was imported before by another one: viewers may play what it encrypts.
 *
 * @returns whether that could be found out: it takes an API key with the scope `admin`
 * @throws AppError `VALIDATION_FAILED`
 */
export async function assertNothingReplaced(
  keys: readonly FoundKey[],
  { access, signal }: Pick<StoreOptions, 'access' | 'signal'>,
): Promise<boolean> {
  for (const [contentId, wanted] of Map.groupBy(keys, (key) => key.contentId)) {
    const known = await readImported(access, contentId, signal);
    if (known === 'not allowed') return false;
    for (const found of wanted) {
      const stored = known.find(
        ({ epoch, source }) => epoch === (found.epoch ?? null) && source === 'imported',
      );
      if (!stored || stored.key === found.key.toString('hex')) continue;
      throw refusal(
        `${describeName(found)} has another imported key already, and ${found.place} would replace it. Nothing was stored; --replace allows it`,
      );
    }
  }
  return true;
}

/** @returns nothing for a content that the server does not know */
async function readImported(
  access: ServerAccess,
  contentId: string,
  signal: AbortSignal,
): Promise<KnownKey[] | 'not allowed'> {
  const all: KnownKey[] = [];
  for (let from = ''; ; ) {
    try {
      const path = `/api/v1/content/${contentId}/keys${from}`;
      const answer = await askServer(access, { method: 'GET', path, signal });
      const { keys, next } = (await answer.json()) as { keys: KnownKey[]; next: number | null };
      all.push(...keys);
      if (next === null) return all;
      from = `?from=${next}`;
    } catch (error) {
      if (error instanceof AppError && error.code === 'INSUFFICIENT_SCOPE') return 'not allowed';
      if (error instanceof AppError && error.code === 'CONTENT_NOT_FOUND') return all;
      throw error;
    }
  }
}

/** Stores the keys, several at once. The same again changes nothing, so a run that was ended can be repeated. @throws AppError of the server */
export async function storeKeys(keys: readonly FoundKey[], options: StoreOptions): Promise<void> {
  const { access, signal, done } = options;
  await workOff(keys, atOnce, async ({ contentId, epoch, key }) => {
    const path = `/api/v1/content/${contentId}/keys${epoch === undefined ? '' : `/${epoch}`}`;
    await askServer(access, { method: 'PUT', path, bytes: key, signal });
    done();
  });
}

/**
 * Reads every key back, as a player gets it.
 *
 * @returns how many the server does not serve now, by the code of its refusal, such as `EPOCH_NOT_YET` or `CONTENT_NOT_FOUND` of a disabled
 *   content
 * @throws AppError `INTERNAL` if it serves another key
 */
export async function compareKeys(
  keys: readonly FoundKey[],
  options: StoreOptions,
): Promise<Map<string, number>> {
  const refused = new Map<string, number>();
  await workOff(keys, atOnce, async (found) => {
    const code = await compare(found, options);
    if (code) refused.set(code, (refused.get(code) ?? 0) + 1);
    options.done();
  });
  return refused;
}

async function compare(found: FoundKey, { access, signal }: StoreOptions): Promise<string | null> {
  for (let waited = 0; ; waited++) {
    try {
      const answer = await askServer(access, { method: 'GET', path: keyPath(found), signal });
      if (found.key.equals(Buffer.from(await answer.arrayBuffer()))) return null;
    } catch (error) {
      const isServed = !(error instanceof AppError) || error.status >= 500;
      if (isServed) throw error;
      return error.code;
    }
    if (waited === staleForSeconds)
      throw new AppError('INTERNAL', {
        detail: `${describeName(found)} was stored, but ${access.server} serves another key`,
      });
    // Another replica may not know the change yet.
    await access.wait(1, signal);
  }
}
