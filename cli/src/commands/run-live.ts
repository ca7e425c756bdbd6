import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';
import type { ClockPeriods } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { checkBaseUrl, checkContentId } from '../check-options.ts';
import type { CommandContext } from '../command-context.ts';
import { keyPath } from '../encrypt/content-key-source.ts';
import { createVectorIssuer } from '../encrypt/issue-vectors.ts';
import { realPathOf } from '../encrypt/load-presentation.ts';
import { explainError } from '../explain-error.ts';
import { isWithin } from '../hls/resolve-reference.ts';
import type { ServerAccess } from '../keys/ask-server.ts';
import { agreeOnPeriods, describeClockOffset } from '../keys/clock-periods.ts';
import { createServerKeySource } from '../keys/fetch-content-key.ts';
import { claimFolder } from '../live/claim-folder.ts';
import type { LiveTools } from '../live/encrypt-segment.ts';
import { keepFollowing } from '../live/follow-rendition.ts';
import { createKeyRing } from '../live/key-ring.ts';
import { createFolderSource, createHttpSource, type LiveSource } from '../live/live-source.ts';
import { type LiveReport, openChannel } from '../live/open-channel.ts';
import { uploadChannel } from '../live/upload-channel.ts';
import { refusal, unavailable } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { isUrl } from '../source/request-source.ts';
import { readSourceHeaders } from '../source/source-headers.ts';
import { prepareUpload } from '../upload/upload-presentation.ts';
import { chooseCacheControl, type EncryptCommandOptions } from './encrypt-command-options.ts';
import { readServerAccess } from './server-options.ts';

/** A minute bounds what a revoked viewer can play on, and costs each viewer one key request a minute. */
const defaultPeriodSeconds = 60;
/** Between two attempts to reach a server that is away at the start. */
const retrySeconds = 1;

/** `latchkey encrypt --live`: runs until the source ends or a signal ends it. */
export async function runLive(
  playlist: string,
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  refuseOthers(options);
  const { contentId, register, name = contentId, playlistUrl } = options;
  const { clock, signal, stderr, warn } = context;
  const access = readServerAccess(options, context, '--live');
  const say = (text: string) => void (options.quiet || stderr.write(`${text}\n`));
  const sourceHeaders = readSourceHeaders(options.sourceHeader ?? [], context.env);
  if (Object.keys(sourceHeaders).length > 0 && !isUrl(playlist))
    throw refusal('--source-header and LATCHKEY_SOURCE_HEADERS_FILE are for a source behind an http URL');
  const untilThere = <T>(work: () => Promise<T>) => whenReachable(work, context);

  try {
    const periodSeconds = options.period ?? defaultPeriodSeconds;
    const wanted = { contentId, registerAs: register ? name : undefined, periodSeconds, playlistUrl, clock };
    const { periods, clockOffsetMs } = await untilThere(() => agreeOnPeriods(access, wanted, signal));
    if (options.period !== undefined && options.period !== periods.periodSeconds) {
      warn(`the content has periods of ${periods.periodSeconds} s already, which hold; --period is not used`);
    }
    if (clockOffsetMs !== 0)
      warn(
        `${describeClockOffset(clockOffsetMs)}. Set the clock: segments get the keys of the wrong periods`,
      );
    const outFolder = resolve(options.out);
    const cacheControl = options.upload && chooseCacheControl(options, context);
    if (cacheControl)
      await untilThere(() => prepareUpload(access, { contentId, playlist, cacheControl }, signal));
    const uploader =
      cacheControl && uploadChannel({ ...access, contentId, cacheControl, outFolder, warn, signal });
    const report: LiveReport = { warn, say, published: (...change) => uploader?.published(...change) };
    const prepared = { playlist, sourceHeaders, outFolder, access, periods, report };
    const isEnded = await encryptLive(prepared, options, context);
    await uploader?.finish();
    say(isEnded ? 'The source has ended.' : 'Stopped; the same command goes on.');
  } catch (error) {
    if (!signal.aborted) throw error;
    say('Stopped; the same command goes on.');
  }
}

function refuseOthers(options: EncryptCommandOptions): void {
  const { keysFrom, envFile, keyVersion, rotateEvery, perRenditionIds, force, keyPeriods } = options;
  if (keysFrom === 'env' || envFile !== undefined || keyVersion !== undefined) {
    throw refusal('--live needs keys from a server, whose clock they follow: give --server <url>');
  }
  if (rotateEvery !== undefined)
    throw refusal('--live rotates by the clock: give --period <seconds>, not --rotate-every');
  if (keyPeriods === false)
    throw refusal('--live follows the key periods of the content, so not --no-key-periods');
  if (perRenditionIds)
    throw refusal('--live has one content id for all renditions, so not --per-rendition-ids');
  if (force) throw refusal('--live replaces nothing: give a new --out folder instead of --force');
}

/** The key ring repeats attempts itself. A wait of minutes here, as a 429 may ask for, would hold it up. */
const endAttempt: ServerAccess['wait'] = async () => {
  throw unavailable('the server is busy (503 or 429)');
};

/** A channel must start while the server restarts. Refusals end it at once. */
async function whenReachable<T>(work: () => Promise<T>, { wait, signal, warn }: CommandContext): Promise<T> {
  for (let said = false; ; said = true) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const isAway = error instanceof AppError && (error.status >= 500 || error.status === 429);
      if (!isAway) throw error;
      if (!said) warn(`${explainError(error)}; waits for it`);
      await wait(retrySeconds, signal);
    }
  }
}

/** A channel whose server has agreed. */
interface PreparedChannel {
  /** Path or http URL of a multivariant or media playlist. */
  readonly playlist: string;
  /** For requests to the origin of `playlist`. Names in lower case. */
  readonly sourceHeaders: Readonly<Record<string, string>>;
  readonly outFolder: string;
  readonly access: ServerAccess;
  readonly periods: ClockPeriods;
  readonly report: LiveReport;
}

/**
 * Encrypts a live presentation while a packager writes it, until the source ends or the signal of the command is aborted. The playlist stays as
 * it is. Started again with the same output folder, it goes on.
 *
 * @returns whether the source has ended
 * @throws AppError `VALIDATION_FAILED` for input or options that cannot be used, or an error of the file system at the start
 */
async function encryptLive(
  prepared: PreparedChannel,
  { contentId, keyUrl, sourceRoot, plainNames }: EncryptCommandOptions,
  context: CommandContext,
): Promise<boolean> {
  checkContentId(contentId);
  const { outFolder, access, periods, report } = prepared;
  const { clock, wait, randomBytes } = context;
  const end = new AbortController();
  const signal = AbortSignal.any([context.signal, end.signal]);
  try {
    const { address, source } = await openSource(prepared, sourceRoot, signal);
    const keyUrlBase = checkBaseUrl(keyUrl ?? access.server, '--key-url');
    const server = createServerKeySource({ ...access, wait: endAttempt });
    const fetchKey = (epoch: number, until: AbortSignal) => server.get({ contentId, epoch }, until);
    const common = { periods, clock, wait, signal };
    const tools: LiveTools = {
      ...common,
      source,
      plainNames: plainNames ?? false,
      keys: createKeyRing({ ...common, fetchKey, say: report.warn }),
      vectors: createVectorIssuer(randomBytes),
      keyUrlOf: (epoch) => `${keyUrlBase}${keyPath({ contentId, epoch })}`,
      warn: limitRepetition(report.warn, clock),
    };
    const keepClaim = await claimFolder({ ...tools, folder: outFolder, contentId, source: address });
    void keepClaim();
    void tools.keys.keepAhead();
    const { followers, lookup } = await openChannel({ address, outFolder, report }, tools);
    // One that fails ends the others. All are awaited, so that no write is cut off.
    await Promise.allSettled(
      followers.map((follower) => keepFollowing(follower, lookup).catch((error) => end.abort(error))),
    );
    signal.throwIfAborted();
    return true;
  } catch (error) {
    if (context.signal.aborted) return false;
    throw error;
  } finally {
    end.abort();
  }
}

/** @param sourceRoot nothing outside this folder is read. Default: the folder of the playlist */
async function openSource(
  { playlist, sourceHeaders: headers }: PreparedChannel,
  sourceRoot: string | undefined,
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
