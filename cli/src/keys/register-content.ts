import { AppError } from '@latchkey/shared/errors';
import type { WrittenContent, WrittenEpochs } from '../encrypt/content-key-source.ts';
import { refusal } from '../refusal.ts';
import { askServer, type ServerAccess } from './ask-server.ts';

/** Registers contents on a server, and states their key periods there (`docs/contract.md#key-periods`). */
export interface ContentRegistrar {
  /**
   * Registers the content if the server does not know it, with its key periods. Known content keeps its name, since a POST
   * would rename it. Where its key periods do not serve the keys of these epochs, they are widened, so that the presentation
   * that viewers play meanwhile goes on.
   *
   * @throws AppError as `askServer`; `VALIDATION_FAILED` for a live channel
   */
  register(content: WrittenContent, signal?: AbortSignal): Promise<void>;
  /** Registers content that has no keys of its own, and leaves its key periods as they are. */
  registerKeyless(contentId: string, signal?: AbortSignal): Promise<void>;
  /** States the exact key periods and the playlist of every registered content. Call it once viewers can have the new presentation. */
  settle(signal?: AbortSignal): Promise<void>;
}

interface RegistrarOptions {
  /** Name of content that is registered; absent: its id. */
  readonly name?: string | undefined;
  /** False leaves all key periods as they are. */
  readonly keyPeriods?: boolean | undefined;
  /** Where players will find the playlist, for playback sessions; absent: what the content has stays. */
  readonly playlistUrl?: string | undefined;
}

/** Key periods in sequence, as the API takes and shows them. */
interface Sequence {
  readonly mode: 'sequence';
  readonly count: number;
  readonly periodSeconds: number;
  readonly burst?: number;
  readonly speed?: number;
  readonly pace?: boolean;
}

/** As the server shows them. */
type ShownPeriods = Sequence | { readonly mode: 'clock' } | null;

/** The part of a content that is compared. */
interface ShownContent {
  readonly keyPeriods: ShownPeriods;
  readonly playlistUrl: string | null;
}

interface Statement {
  readonly keyPeriods?: Sequence | null;
  readonly playlistUrl?: string;
}

export function createContentRegistrar(
  access: ServerAccess,
  options: RegistrarOptions = {},
): ContentRegistrar {
  const { name, keyPeriods: statesPeriods = true, playlistUrl } = options;
  /** What `settle` states, by content id. */
  const pending = new Map<string, Statement>();
  const later = (contentId: string, statement: Statement) =>
    void pending.set(contentId, { ...pending.get(contentId), ...statement });

  async function create(contentId: string, keyPeriods: Sequence | null, signal?: AbortSignal): Promise<void> {
    const stated = { ...(keyPeriods && { keyPeriods }), ...(playlistUrl && { playlistUrl }) };
    const body = { id: contentId, name: name ?? contentId, ...stated };
    await askServer(access, { method: 'POST', path: '/api/v1/content', body, signal });
  }
  async function state(contentId: string, body: Statement, signal?: AbortSignal): Promise<void> {
    await askServer(access, { method: 'PATCH', path: pathOf(contentId), body, signal });
  }
  /** At once where there is none, so that a refusal comes before the work. Sessions use another one until `settle`. */
  async function statePlaylist(
    contentId: string,
    { playlistUrl: present }: ShownContent,
    signal?: AbortSignal,
  ) {
    if (playlistUrl === undefined || present === playlistUrl) return;
    if (present) later(contentId, { playlistUrl });
    else await state(contentId, { playlistUrl }, signal);
  }

  return {
    async register({ contentId, epochs }, signal) {
      const known = await find(access, contentId, signal);
      const wanted = epochs && toSequence(epochs);
      if (!known) return create(contentId, statesPeriods ? wanted : null, signal);
      await statePlaylist(contentId, known, signal);
      if (!statesPeriods) return;
      const { keyPeriods: present } = known;
      if (present?.mode === 'clock') throw isLive(contentId);
      if (!present) return void (wanted && later(contentId, { keyPeriods: wanted }));
      // One key throughout is served only where no periods are stated.
      if (!wanted) return state(contentId, { keyPeriods: null }, signal);
      if (present.count < wanted.count)
        await state(contentId, { keyPeriods: { ...present, count: wanted.count } }, signal);
      const isSame = present.count === wanted.count && present.periodSeconds === wanted.periodSeconds;
      // Whether there is a pace is the operator's choice. Burst and speed follow from the length of the periods.
      if (!isSame) later(contentId, { keyPeriods: { ...wanted, pace: present.pace ?? true } });
    },
    async registerKeyless(contentId, signal) {
      const known = await find(access, contentId, signal);
      if (known) await statePlaylist(contentId, known, signal);
      else await create(contentId, null, signal);
    },
    async settle(signal) {
      for (const [contentId, statement] of [...pending]) {
        await state(contentId, statement, signal);
        pending.delete(contentId);
      }
    },
  };
}

async function find(
  access: ServerAccess,
  contentId: string,
  signal?: AbortSignal,
): Promise<ShownContent | null> {
  try {
    return await readShown(await askServer(access, { method: 'GET', path: pathOf(contentId), signal }));
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  }
}

/** The key periods of an encrypted presentation, as the API takes them. The speed that a server chooses is left to it. */
export function toSequence({ count, longestMs, speed }: WrittenEpochs): Sequence {
  const periods = { mode: 'sequence', count, periodSeconds: longestMs / 1_000 } as const;
  return speed === usualSpeed ? periods : { ...periods, speed };
}

/** What a server chooses where no speed is stated. */
const usualSpeed = 2;

const pathOf = (contentId: string): string => `/api/v1/content/${contentId}`;

async function readShown(answer: Response): Promise<ShownContent> {
  const body = (await answer.json().catch(() => undefined)) as
    | { content?: Partial<ShownContent> }
    | null
    | undefined;
  const { keyPeriods = null, playlistUrl = null } = body?.content ?? {};
  return { keyPeriods, playlistUrl };
}

function isLive(contentId: string): AppError {
  const detail =
    `the key periods of ${contentId} follow the clock: it is a live channel, and stating a sequence would end it. ` +
    'Give another --content-id, or set keyPeriods of this content to null first';
  return refusal(detail);
}
