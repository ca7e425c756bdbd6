import { basename, dirname, join } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';
import type { ClockPeriods } from '@latchkey/shared/contracts';
import { checkBaseUrl, checkContentId } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import { keyPath } from '../encrypt/content-key-source.ts';
import { createVectorIssuer } from '../encrypt/issue-vectors.ts';
import { realPathOf } from '../encrypt/load-presentation.ts';
import { isWithin } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { isUrl } from '../source/request-source.ts';
import { claimFolder } from './claim-folder.ts';
import type { LiveTools } from './encrypt-segment.ts';
import { keepFollowing } from './keep-following.ts';
import { createKeyRing } from './key-ring.ts';
import { createFolderSource, createHttpSource, type LiveSource } from './live-source.ts';
import { type LiveReport, openChannel } from './open-channel.ts';

/** `signal` ends it; the playlist stays as it is. */
export interface LiveOptions extends Pick<CommandContext, 'randomBytes' | 'clock' | 'wait' | 'signal'> {
  /** Path or http URL of a multivariant or media playlist. */
  readonly playlist: string;
  readonly contentId: string;
  readonly outFolder: string;
  readonly keyUrlBase: string;
  /** File names of segments without a hash of the bytes. */
  readonly plainNames: boolean;
  /** Nothing outside this folder is read. Default: the folder of `playlist`. */
  readonly sourceRoot?: string | undefined;
  /** For requests to the origin of `playlist`. Names in lower case. */
  readonly sourceHeaders?: Readonly<Record<string, string>>;
  readonly periods: ClockPeriods;
  readonly fetchKey: (epoch: number, signal: AbortSignal) => Promise<Uint8Array>;
  readonly report: LiveReport;
}

/**
 * Encrypts a live presentation while a packager writes it, until the source ends or the signal is aborted. Started again with
 * the same output folder, it goes on.
 *
 * @returns whether the source has ended
 * @throws AppError `VALIDATION_FAILED` for input or options that cannot be used, or an error of the file system at the start
 */
export async function encryptLive(options: LiveOptions): Promise<boolean> {
  checkContentId(options.contentId);
  const end = new AbortController();
  const signal = AbortSignal.any([options.signal, end.signal]);
  try {
    const { address, source } = await openSource(options, signal);
    const tools = createTools(options, source, signal);
    const { outFolder, contentId } = options;
    const keepClaim = await claimFolder({ ...tools, folder: outFolder, contentId, source: address });
    void keepClaim();
    void tools.keys.keepAhead();
    const { followers, lookup } = await openChannel({ ...options, address }, tools);
    // One that fails ends the others. All are awaited, so that no write is cut off.
    await Promise.allSettled(
      followers.map((follower) => keepFollowing(follower, lookup).catch((error) => end.abort(error))),
    );
    signal.throwIfAborted();
    return true;
  } catch (error) {
    if (options.signal.aborted) return false;
    throw error;
  } finally {
    end.abort();
  }
}

function createTools(options: LiveOptions, source: LiveSource, signal: AbortSignal): LiveTools {
  const { contentId, clock, wait, periods, fetchKey, plainNames, report, randomBytes } = options;
  const keyUrlBase = checkBaseUrl(options.keyUrlBase, '--key-url');
  const common = { periods, clock, wait, signal };
  return {
    ...common,
    source,
    keys: createKeyRing({ ...common, fetchKey, say: report.warn }),
    vectors: createVectorIssuer(randomBytes),
    keyUrlOf: (epoch) => `${keyUrlBase}${keyPath({ contentId, epoch })}`,
    plainNames,
    warn: limitRepetition(report.warn, clock),
  };
}

async function openSource(
  { playlist, sourceRoot, sourceHeaders: headers = {} }: LiveOptions,
  signal: AbortSignal,
): Promise<{ source: LiveSource; address: string }> {
  if (isUrl(playlist)) {
    if (sourceRoot !== undefined) throw refusal('--source-root is for a playlist on disk');
    if (!URL.canParse(playlist))
      throw refusal(`"${showUrl(playlist)}"; accepted: the path of a playlist, or an http or https URL`);
    const address = new URL(playlist).href;
    return { source: createHttpSource({ address, headers, signal }), address };
  }
  const folder = await realPathOf(dirname(playlist), 'the folder of the playlist');
  const root = sourceRoot === undefined ? folder : await realPathOf(sourceRoot, '--source-root');
  if (!isWithin(folder, root)) throw refusal(`${showUrl(playlist)} lies outside of --source-root ${root}`);
  return { source: createFolderSource(root), address: join(folder, basename(playlist)) };
}

/** The same warning at most once in this time: a source that is away gives one with each look. */
const repeatAfterMs = 60_000;

function limitRepetition(warn: (text: string) => void, clock: Clock): (text: string) => void {
  const saidAt = new Map<string, number>();
  return (text) => {
    const now = clock.monotonic();
    if (now - (saidAt.get(text) ?? Number.NEGATIVE_INFINITY) < repeatAfterMs) return;
    for (const [old, at] of saidAt) if (now - at >= repeatAfterMs) saidAt.delete(old);
    saidAt.set(text, now);
    warn(text);
  };
}
