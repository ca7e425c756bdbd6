import { AppError } from '@latchkey/shared/errors';
import { keyPath } from '../encrypt/content-key-source.ts';
import { askServer, type ServerAccess, staleForSeconds } from '../keys/ask-server.ts';
import { failure, refusal } from '../refusal.ts';
import { workOff } from '../work-off.ts';
import { describeName, type FoundKey } from './imported-key.ts';

/** Requests at once: each is a transaction of the server, which writes some hundred a second. */
const atOnce = 8;

interface StoreOptions {
  readonly access: ServerAccess;
  readonly signal: AbortSignal;
  /** Called after each key. */
  readonly done: () => void;
}

/** A key as the server lists it. */
interface ListedKey {
  readonly epoch: number | null;
  /** 32 hex digits. */
  readonly key: string;
  readonly source: 'derived' | 'imported';
}

/**
 * Lists keys of a content: the key without an epoch, and every imported one.
 *
 * @param epochs such as 0-99: these instead, 1,000 at most
 * @throws AppError as `askServer`: `INSUFFICIENT_SCOPE` without an API key of the scope `admin`
 */
export async function listKeys(
  access: ServerAccess,
  contentId: string,
  { epochs, signal }: { epochs?: string | undefined; signal: AbortSignal },
): Promise<ListedKey[]> {
  const all: ListedKey[] = [];
  for (let query: string | null = epochs === undefined ? '' : `?epochs=${epochs}`; query !== null; ) {
    const path = `/api/v1/content/${contentId}/keys${query}`;
    const answer = await askServer(access, { method: 'GET', path, signal });
    const { keys, next } = (await answer.json()) as { keys: ListedKey[]; next: number | null };
    all.push(...keys);
    query = next === null ? null : `?from=${next}`;
  }
  return all;
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
    const known = await listKeys(access, contentId, { signal }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'INSUFFICIENT_SCOPE') return null;
      if (error instanceof AppError && error.code === 'CONTENT_NOT_FOUND') return [];
      throw error;
    });
    if (known === null) return false;
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
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return error.code;
    }
    if (waited === staleForSeconds)
      throw failure(`${describeName(found)} was stored, but ${access.server} serves another key`);
    // Another replica may not know the change yet.
    await access.wait(1, signal);
  }
}
