import type { WrittenContent, WrittenEpochs } from '../encrypt/content-key-source.ts';
import { usualSpeed } from '../encrypt/written-epochs.ts';
import { refusal } from '../refusal.ts';
import type { ServerAccess } from './ask-server.ts';
import {
  type ContentChange,
  changeContent,
  findContent,
  registerContent,
  type Sequence,
  type ShownContent,
} from './content-api.ts';

/** Registers contents on a server, and states their key periods there (`docs/reference/contract.md#key-periods`). */
export type ContentRegistrar = ReturnType<typeof createContentRegistrar>;

interface RegistrarOptions {
  /** Name of content that is registered; absent: its id. */
  readonly name?: string | undefined;
  /** False leaves all key periods as they are. */
  readonly keyPeriods?: boolean | undefined;
  /** Where players will find the playlist, for playback sessions; absent: what the content has stays. */
  readonly playlistUrl?: string | undefined;
}

export function createContentRegistrar(access: ServerAccess, options: RegistrarOptions = {}) {
  const { name, keyPeriods: statesPeriods = true, playlistUrl } = options;
  /** The statements that `settle` makes, by content id. */
  const pending = new Map<string, ContentChange>();
  const later = (contentId: string, statement: ContentChange) =>
    void pending.set(contentId, { ...pending.get(contentId), ...statement });

  async function create(contentId: string, keyPeriods: Sequence | null, signal?: AbortSignal): Promise<void> {
    const stated = { name: name ?? contentId, keyPeriods: keyPeriods ?? undefined, playlistUrl };
    await registerContent(access, { id: contentId, ...stated }, signal);
  }
  /** States the playlist at once if the server has none, so that a refusal comes before the work. Sessions use an old one until `settle`. */
  async function statePlaylist(
    contentId: string,
    { playlistUrl: present }: ShownContent,
    signal?: AbortSignal,
  ) {
    if (playlistUrl === undefined || present === playlistUrl) return;
    if (present) later(contentId, { playlistUrl });
    else await changeContent(access, contentId, { playlistUrl }, signal);
  }

  return {
    /**
     * Registers the content if the server does not know it, with its key periods. Known content keeps its name, since a POST
     * would rename it. Where its key periods do not serve the keys of these epochs, they are widened, so that the presentation
     * that viewers play meanwhile goes on.
     *
     * @throws AppError as `askServer`; `VALIDATION_FAILED` for a live channel
     */
    async register({ contentId, epochs }: WrittenContent, signal?: AbortSignal): Promise<void> {
      const known = await findContent(access, contentId, signal);
      const wanted = epochs && toSequence(epochs);
      if (!known) return create(contentId, statesPeriods ? wanted : null, signal);
      await statePlaylist(contentId, known, signal);
      if (!statesPeriods) return;
      const { keyPeriods: present } = known;
      if (present?.mode === 'clock')
        throw refusal(
          `the key periods of ${contentId} follow the clock: it is a live channel, and stating a sequence would end it. ` +
            'Give another --content-id, or set keyPeriods of this content to null first',
        );
      if (!present) return void (wanted && later(contentId, { keyPeriods: wanted }));
      // The server serves one key throughout only if no periods are stated.
      if (!wanted) return void (await changeContent(access, contentId, { keyPeriods: null }, signal));
      if (present.count < wanted.count)
        await changeContent(access, contentId, { keyPeriods: { ...present, count: wanted.count } }, signal);
      const isSame = present.count === wanted.count && present.periodSeconds === wanted.periodSeconds;
      // Whether there is a pace is the operator's choice. Burst and speed follow from the length of the periods.
      if (!isSame) later(contentId, { keyPeriods: { ...wanted, pace: present.pace ?? true } });
    },
    /** Registers content that has no keys of its own, and leaves its key periods as they are. */
    async registerKeyless(contentId: string, signal?: AbortSignal): Promise<void> {
      const known = await findContent(access, contentId, signal);
      if (known) await statePlaylist(contentId, known, signal);
      else await create(contentId, null, signal);
    },
    /** States the exact key periods and the playlist of every registered content. Call it once viewers can have the new presentation. */
    async settle(signal?: AbortSignal): Promise<void> {
      for (const [contentId, statement] of [...pending]) {
        await changeContent(access, contentId, statement, signal);
        pending.delete(contentId);
      }
    },
  };
}

/** The key periods of an encrypted presentation, as the API takes them. The speed that a server chooses is left to it. */
export function toSequence({ count, longestMs, speed }: WrittenEpochs): Sequence {
  const periods = { mode: 'sequence', count, periodSeconds: longestMs / 1_000 } as const;
  return speed === usualSpeed ? periods : { ...periods, speed };
}
