import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';
import { type ClockPeriods, currentEpochOf } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import { keyPath } from '../encrypt/content-key-source.ts';
import { checkContentId, checkKeyUrlBase } from '../encrypt/encrypt-options.ts';
import { rootPlaylistName } from '../encrypt/target-names.ts';
import { explainError } from '../explain-error.ts';
import { renderMultivariantPlaylist } from '../hls/multivariant-playlist.ts';
import { isWithin, withoutQuery } from '../hls/resolve-reference.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { writeAtomically } from '../write-atomically.ts';
import { claimFolder } from './claim-folder.ts';
import type { LiveTools } from './encrypt-segment.ts';
import { createFolderSource } from './folder-source.ts';
import { followStep, openFollower, pauseOf } from './follow-rendition.ts';
import type { Follower, PublishedRendition } from './follower.ts';
import { createHttpSource } from './http-source.ts';
import { createVectorIssuer } from './issue-vectors.ts';
import { createKeyRing } from './key-ring.ts';
import type { LiveSource } from './live-source.ts';
import { loadChannel } from './load-channel.ts';
import { hasStarted } from './rendition-state.ts';

export interface LiveOptions {
  /** Path or http URL of a multivariant or media playlist. */
  readonly playlist: string;
  readonly contentId: string;
  readonly outFolder: string;
  readonly keyUrlBase: string;
  /** Nothing outside this folder is read. Default: the folder of `playlist`. */
  readonly sourceRoot?: string | undefined;
  readonly periods: ClockPeriods;
  readonly fetchKey: (epoch: number, signal: AbortSignal) => Promise<Uint8Array>;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly clock: Clock;
  readonly wait: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** Ends it; the playlist stays as it is. */
  readonly signal: AbortSignal;
  readonly report: LiveReport;
}

export interface LiveReport {
  /** @param text one sentence that an operator must know */
  warn(text: string): void;
  /** @param text one sentence about what goes on */
  say(text: string): void;
  /** A playlist was written. @param files paths that it names, relative to the output folder as `path` is */
  published?(path: string, text: string, files: readonly string[]): void;
}

/** After an error, so that a full disk does not fill the log. */
const retrySeconds = 1;
/** The playlist of each rendition, in the folder of its own that it has below a multivariant playlist. */
const mediaPlaylistName = 'index.m3u8';

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
    const { location, ...opened } = await openSource(options, signal);
    const tools = createTools(options, opened.source, signal);
    const { outFolder, contentId } = options;
    const keepClaim = await claimFolder({ ...tools, folder: outFolder, contentId, source: location });
    void keepClaim();
    void tools.keys.keepAhead();
    const followers = await openFollowers(location, options, tools);
    // One that fails ends the others. All are awaited, so that no write is cut off.
    await Promise.allSettled(
      followers.map((follower) => follow(follower).catch((error) => end.abort(error))),
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
  const { contentId, clock, periods, fetchKey, report, randomBytes } = options;
  const keyUrlBase = checkKeyUrlBase(options.keyUrlBase);
  const wait = (seconds: number, until: AbortSignal) => options.wait(seconds, until);
  const common = { periods, clock, wait, signal };
  return {
    ...common,
    source,
    keys: createKeyRing({ ...common, fetchKey, say: report.warn }),
    vectors: createVectorIssuer(randomBytes),
    keyUrlOf: (epoch) => `${keyUrlBase}${keyPath({ contentId, epoch })}`,
    warn: limitRepetition(report.warn, clock),
  };
}

async function openSource(
  { playlist, sourceRoot }: LiveOptions,
  signal: AbortSignal,
): Promise<{ source: LiveSource; location: string }> {
  if (/^https?:\/\//i.test(playlist)) {
    if (sourceRoot !== undefined) throw refusal('--source-root is for a playlist on disk');
    const url = URL.canParse(playlist) ? new URL(playlist) : undefined;
    if (url && !url.username && !url.password)
      return { source: createHttpSource(signal), location: url.href };
    throw refusal(
      `"${showUrl(playlist)}"; accepted: the path of a playlist, or an http or https URL without a password`,
    );
  }
  const folder = await existing(dirname(playlist), 'the folder of the playlist');
  const root = sourceRoot === undefined ? folder : await existing(sourceRoot, '--source-root');
  if (!isWithin(folder, root)) throw refusal(`${showUrl(playlist)} lies outside of --source-root ${root}`);
  return { source: createFolderSource(root), location: join(folder, basename(playlist)) };
}

async function existing(path: string, what: string): Promise<string> {
  return realpath(path).catch((cause: unknown) => {
    throw refusal(`${what} ${showUrl(path)} is not there`, cause);
  });
}

async function openFollowers(
  location: string,
  { outFolder, report }: LiveOptions,
  tools: LiveTools,
): Promise<Follower[]> {
  const { multivariant, renditions, nameOfUri } = await loadChannel(location, tools);
  const out = resolve(outFolder);
  const rootName = rootPlaylistName(withoutQuery(location));
  const pathOf = (name: string) => (multivariant ? `${name}/${mediaPlaylistName}` : rootName);
  const missing = new Set(renditions.map(({ name }) => name));
  const epochs = new Map<string, number>();
  const onPublish = async (name: string, { text, files, lastEpoch }: PublishedRendition) => {
    const prefix = multivariant ? `${name}/` : '';
    report.published?.(
      pathOf(name),
      text,
      files.map((file) => `${prefix}${file}`),
    );
    if (lastEpoch !== undefined && epochs.get(name) !== lastEpoch) {
      epochs.set(name, lastEpoch);
      report.say(`${name}: epoch ${lastEpoch}`);
    }
    if (missing.size === 0) return;
    missing.delete(name);
    if (missing.size > 0 || !multivariant) return;
    // Only now: before, a player would find a rendition missing.
    const root = renderMultivariantPlaylist(multivariant, (uri) => pathOf(nameOfUri.get(uri) ?? ''), []);
    await writeAtomically(join(out, rootName), root);
    report.published?.(
      rootName,
      root,
      renditions.map((rendition) => pathOf(rendition.name)),
    );
  };
  const followers: Follower[] = [];
  for (const { name, location: playlist } of renditions) {
    const path = join(out, pathOf(name));
    const places = { name, location: playlist, folder: dirname(path), playlistName: basename(path) };
    followers.push(await openFollower({ ...places, onPublish: (done) => onPublish(name, done) }, tools));
  }
  const { periods, clock } = tools;
  const names = renditions.map(({ name }) => name).join(', ');
  const epoch = currentEpochOf(periods, clock.now());
  report.say(
    `Follows ${showUrl(location)} (${names}). The key changes every ${periods.periodSeconds} s; epoch ${epoch} now.`,
  );
  return followers;
}

async function follow(follower: Follower): Promise<void> {
  const { options, tools, folder } = follower;
  const { signal, warn, wait } = tools;
  for (;;) {
    signal.throwIfAborted();
    try {
      if (await followStep(follower)) return;
    } catch (error) {
      signal.throwIfAborted();
      const isRefused = error instanceof AppError && error.status === 400;
      if (isRefused && !hasStarted(folder.state)) throw error;
      warn(`${options.name}: ${explainError(error)}; its playlist stands still`);
      await wait(retrySeconds, signal);
    }
    await wait(pauseOf(follower), signal);
  }
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
