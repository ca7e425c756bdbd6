import { type ClockPeriods, currentEpochOf } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { refusal } from '../refusal.ts';
import { askServer, type ServerAccess } from './ask-server.ts';

interface ClockContent {
  readonly contentId: string;
  /** The name to register unknown content with; undefined registers nothing. */
  readonly registerAs: string | undefined;
  /** Seconds of a period for content that has none. */
  readonly periodSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The clock by which the keys of a live content change. Content that has key periods keeps them. With `registerAs`, content
 * without them gets some that begin now.
 *
 * @throws AppError `VALIDATION_FAILED` for content without a clock, else as {@link askServer}
 */
export async function agreeOnPeriods(
  access: ServerAccess,
  { contentId, registerAs, periodSeconds, now }: ClockContent,
  signal: AbortSignal,
): Promise<ClockPeriods> {
  const path = `/api/v1/content/${contentId}`;
  const keyPeriods = { mode: 'clock', origin: new Date(now).toISOString(), periodSeconds };
  const known = await askServer(access, { method: 'GET', path, signal }).catch((error: unknown) => {
    if (error instanceof AppError && error.status === 404 && registerAs !== undefined) return undefined;
    throw error;
  });
  if (!known) {
    const body = { id: contentId, name: registerAs, keyPeriods };
    return readPeriods(
      await askServer(access, { method: 'POST', path: '/api/v1/content', body, signal }),
      contentId,
    );
  }
  const stated = await readContent(known);
  if (stated.keyPeriods || registerAs === undefined) return toPeriods(stated.keyPeriods, contentId);
  return readPeriods(
    await askServer(access, { method: 'PATCH', path, body: { keyPeriods }, signal }),
    contentId,
  );
}

/** As the API shows them; what is absent has the server's default. */
interface StatedPeriods {
  readonly mode: string;
  readonly origin: string;
  readonly periodSeconds: number;
  readonly ahead?: number;
  readonly behind?: number | null;
}

async function readPeriods(answer: Response, contentId: string): Promise<ClockPeriods> {
  return toPeriods((await readContent(answer)).keyPeriods, contentId);
}

async function readContent(answer: Response): Promise<{ keyPeriods?: StatedPeriods | null }> {
  const body = (await answer.json()) as { content?: { keyPeriods?: StatedPeriods | null } } | null;
  return body?.content ?? {};
}

function toPeriods(stated: StatedPeriods | null | undefined, contentId: string): ClockPeriods {
  if (!stated) {
    const detail = `the content ${contentId} has no key periods; give --register to state them, with --period <seconds>`;
    throw refusal(detail);
  }
  if (stated.mode !== 'clock') {
    throw refusal(
      `the key periods of the content ${contentId} have mode "${stated.mode}"; --live needs mode "clock"`,
    );
  }
  const { periodSeconds, ahead = 1, behind = null } = stated;
  const periods = { mode: 'clock', origin: Date.parse(stated.origin), periodSeconds, ahead, behind } as const;
  if (Number.isFinite(currentEpochOf(periods, 0))) return periods;
  throw new AppError('INTERNAL', { detail: `the key periods of the content ${contentId} cannot be read` });
}
