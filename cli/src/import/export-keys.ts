import { askServer, type ServerAccess } from '../keys/ask-server.ts';
import type { FoundKey } from './imported-key.ts';

/** What the API gives at most. */
const contentsAtOnce = 500;
/** Epochs of one request: `docs/contract.md#keys-that-exist-already`. */
const epochsAtOnce = 1_000;

type ExportedKey = Pick<FoundKey, 'contentId' | 'epoch' | 'key'>;

interface Wanted {
  readonly contentId: string;
  /** Such as 0-99; undefined: the key without an epoch, and every imported key. */
  readonly epochs: string | undefined;
}

/** The keys of one content. @throws AppError as `askServer`, `INSUFFICIENT_SCOPE` without an API key of the scope `admin` */
export async function exportKeys(
  access: ServerAccess,
  { contentId, epochs }: Wanted,
  signal: AbortSignal,
): Promise<ExportedKey[]> {
  const keys: ExportedKey[] = [];
  const path = `/api/v1/content/${contentId}/keys`;
  const read = async (query: string) => {
    const answer = await askServer(access, { method: 'GET', path: `${path}${query}`, signal });
    const page = (await answer.json()) as {
      keys: { epoch: number | null; key: string }[];
      next: number | null;
    };
    for (const { epoch, key } of page.keys)
      keys.push({ contentId, epoch: epoch ?? undefined, key: Buffer.from(key, 'hex') });
    return page.next;
  };
  if (epochs !== undefined) {
    for (const range of splitRange(epochs)) await read(`?epochs=${range}`);
    return keys;
  }
  for (let next = await read(''); next !== null; ) next = await read(`?from=${next}`);
  return keys;
}

/** Ranges that one request takes. What is no range is left to the server, which says so. */
function splitRange(text: string): string[] {
  const [, first, last] = /^(\d{1,10})-(\d{1,10})$/.exec(text) ?? [];
  if (first === undefined || last === undefined || Number(last) < Number(first)) return [text];
  const ranges: string[] = [];
  for (let from = Number(first); from <= Number(last); from += epochsAtOnce)
    ranges.push(`${from}-${Math.min(from + epochsAtOnce - 1, Number(last))}`);
  return ranges;
}

/** The ids of all contents. @throws AppError as `askServer` */
export async function listContents(access: ServerAccess, signal: AbortSignal): Promise<string[]> {
  const ids = new Set<string>();
  for (let offset = 0; ; offset += contentsAtOnce) {
    const path = `/api/v1/content?limit=${contentsAtOnce}&offset=${offset}`;
    const answer = await askServer(access, { method: 'GET', path, signal });
    const { items, total } = (await answer.json()) as { items: { id: string }[]; total: number };
    for (const { id } of items) ids.add(id);
    if (items.length === 0 || offset + items.length >= total) return [...ids].sort();
  }
}
