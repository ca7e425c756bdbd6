import { resolve } from 'node:path';
import { AppError } from '@latchkey/shared/errors';
import { type CommandContext, createWarn } from '../command-context.ts';
import { explainError } from '../explain-error.ts';
import type { ServerAccess } from '../keys/ask-server.ts';
import { agreeOnPeriods, describeClockOffset } from '../keys/clock-periods.ts';
import { createServerKeySource } from '../keys/fetch-content-key.ts';
import { encryptLive } from '../live/encrypt-live.ts';
import type { LiveReport } from '../live/open-channel.ts';
import { uploadChannel } from '../live/upload-channel.ts';
import { refusal } from '../refusal.ts';
import { isUrl } from '../source/request-source.ts';
import { readSourceHeaders } from '../source/source-headers.ts';
import { chooseCacheControl } from '../upload/cache-control.ts';
import { prepareUpload } from '../upload/upload-presentation.ts';
import type { EncryptCommandOptions } from './encrypt-command-options.ts';
import { readServerAccess } from './server-options.ts';

/** A minute bounds what a revoked viewer can play on, and costs each viewer one key request a minute. */
const defaultPeriodSeconds = 60;
/** Between two attempts to reach a server that is away at the start. */
const retrySeconds = 1;

/** @throws AppError `VALIDATION_FAILED` for options that need --live */
export function refuseLiveOptions({ period }: EncryptCommandOptions): void {
  if (period !== undefined)
    throw refusal('--period is for --live; --rotate-every rotates a finished presentation');
}

/** `latchkey encrypt --live`: runs until the source ends or a signal ends it. */
export async function runLive(
  playlist: string,
  options: EncryptCommandOptions,
  context: CommandContext,
): Promise<void> {
  refuseOthers(options);
  const { contentId, out, register, name = contentId, playlistUrl, sourceRoot } = options;
  const { clock, signal, stderr, randomBytes, wait } = context;
  const access = readServerAccess(options, context, '--live');
  const warn = createWarn(context);
  const say = (text: string) => void (options.quiet || stderr.write(`${text}\n`));
  const sourceHeaders = readSourceHeaders(options.sourceHeader ?? [], context.env);
  if (Object.keys(sourceHeaders).length > 0 && !isUrl(playlist))
    throw refusal('--source-header and LATCHKEY_SOURCE_HEADERS_FILE are for a source behind an http URL');
  const untilThere = <T>(work: () => Promise<T>) => whenReachable(work, context, warn);

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
    const outFolder = resolve(out);
    const cacheControl = options.upload && chooseCacheControl(options, true, warn);
    if (cacheControl)
      await untilThere(() => prepareUpload(access, { contentId, playlist, cacheControl }, signal));
    const uploader =
      cacheControl && uploadChannel({ ...access, contentId, cacheControl, outFolder, warn, signal });
    const keys = createServerKeySource({ ...access, wait: endAttempt, registrar: undefined });
    const report: LiveReport = { warn, say, published: (...change) => uploader?.published(...change) };
    const isEnded = await encryptLive({
      ...{ playlist, contentId, outFolder, sourceRoot, sourceHeaders, periods, report },
      ...{ clock, randomBytes, signal, wait },
      keyUrlBase: options.keyUrl ?? access.server,
      plainNames: options.plainNames ?? false,
      fetchKey: (epoch, until) => keys.get({ contentId, epoch }, until),
    });
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
  throw new AppError('DEPENDENCY_UNAVAILABLE', { detail: 'the server is busy (503 or 429)' });
};

/** A channel must start while the server restarts. Refusals end it at once. */
async function whenReachable<T>(
  work: () => Promise<T>,
  { wait, signal }: CommandContext,
  warn: (text: string) => void,
): Promise<T> {
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
