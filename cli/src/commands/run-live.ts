import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';
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
import { isUrl, type SourceAccess } from '../source/request-source.ts';
import { readSourceHeaders } from '../source/source-headers.ts';
import { prepareUpload } from '../upload/upload-presentation.ts';
import { chooseCacheControl, type EncryptCommandOptions } from './encrypt-command-options.ts';
import { readServerAccess } from './server-options.ts';

/** A minute bounds what a revoked viewer can play on, and costs each viewer one key request a minute. */
const defaultPeriodSeconds = 60;
/** Between two attempts to reach a server that is away at the start. */
const retrySeconds = 1;

/**
 * `latchkey encrypt --live`: encrypts a live presentation while a packager writes it, until the source ends or a signal ends it. The playlist
 * stays as it is. Started again with the same output folder, it goes on.
 *
 * @param playlist path or http URL of a multivariant or media playlist
 * @throws AppError `VALIDATION_FAILED` for input or options that cannot be used, or an error of the file system at the start
 */
export async function runLive(
  playlist: string,
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  refuseOthers(options);
  const { contentId } = options;
  const { clock, wait, randomBytes, stderr, warn } = context;
  const access = readServerAccess(options, context, '--live');
  const say = (text: string) => void (options.quiet || stderr.write(`${text}\n`));
  const headers = readSourceHeaders(options.sourceHeader ?? [], context.env);
  if (Object.keys(headers).length > 0 && !isUrl(playlist))
    throw refusal('--source-header and LATCHKEY_SOURCE_HEADERS_FILE are for a source behind an http URL');
  const end = new AbortController();
  const signal = AbortSignal.any([context.signal, end.signal]);
  let uploader: ReturnType<typeof uploadChannel> | undefined;
  try {
    const { periods, cacheControl } = await agree(access, playlist, options, context);
    checkContentId(contentId);
    const outFolder = resolve(options.out);
    if (cacheControl)
      uploader = uploadChannel({
        ...access,
        contentId,
        cacheControl,
        outFolder,
        warn,
        signal: context.signal,
      });
    const report: LiveReport = { warn, say, published: (...change) => uploader?.published(...change) };
    const { address, source } = await openSource(playlist, options.sourceRoot, { headers, signal });
    const keyUrlBase = checkBaseUrl(options.keyUrl ?? access.server, '--key-url');
    const server = createServerKeySource({ ...access, wait: endAttempt });
    const fetchKey = (epoch: number, until: AbortSignal) => server.get({ contentId, epoch }, until);
    const common = { periods, clock, wait, signal };
    const tools: LiveTools = {
      ...common,
      source,
      plainNames: options.plainNames ?? false,
      keys: createKeyRing({ ...common, fetchKey, say: warn }),
      vectors: createVectorIssuer(randomBytes),
      keyUrlOf: (epoch) => `${keyUrlBase}${keyPath({ contentId, epoch })}`,
      warn: limitRepetition(warn, clock),
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
    end.abort();
    await uploader?.finish();
    say('The source has ended.');
  } catch (error) {
    if (!context.signal.aborted) throw error;
    await uploader?.finish();
    say('Stopped; the same command goes on.');
  } finally {
    end.abort();
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

/** Agrees with the server on the key periods, and on the upload if one is wanted. */
async function agree(
  access: ServerAccess,
  playlist: string,
  options: EncryptCommandOptions,
  context: CommandContext,
) {
  const { contentId, register, name = contentId, playlistUrl, period } = options;
  const { clock, signal, warn } = context;
  const periodSeconds = period ?? defaultPeriodSeconds;
  const wanted = { contentId, registerAs: register ? name : undefined, periodSeconds, playlistUrl, clock };
  const agreed = await whenReachable(() => agreeOnPeriods(access, wanted, signal), context);
  const { periods, clockOffsetMs } = agreed;
  if (period !== undefined && period !== periods.periodSeconds)
    warn(`the content has periods of ${periods.periodSeconds} s already, which hold; --period is not used`);
  if (clockOffsetMs !== 0)
    warn(`${describeClockOffset(clockOffsetMs)}. Set the clock: segments get the keys of the wrong periods`);
  const cacheControl = options.upload && chooseCacheControl(options, context);
  if (cacheControl)
    await whenReachable(() => prepareUpload(access, { contentId, playlist, cacheControl }, signal), context);
  return { periods, cacheControl };
}

/** @param sourceRoot nothing outside this folder is read. Default: the folder of the playlist */
async function openSource(
  playlist: string,
  sourceRoot: string | undefined,
  access: Pick<SourceAccess, 'headers' | 'signal'>,
): Promise<{ source: LiveSource; address: string }> {
  if (isUrl(playlist)) {
    if (sourceRoot !== undefined) throw refusal('--source-root is for a playlist on disk');
    const address = URL.parse(playlist)?.href;
    if (address === undefined)
      throw refusal(`"${showUrl(playlist)}"; accepted: the path of a playlist, or an http or https URL`);
    return { source: createHttpSource({ ...access, address }), address };
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
