import { createCipheriv, createHash } from 'node:crypto';
import { join } from 'node:path';
import { type ClockPeriods, currentEpochOf } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { CommandContext } from '../command-context.ts';
import type { VectorIssuer } from '../encrypt/issue-vectors.ts';
import { addHash } from '../encrypt/media-file.ts';
import { segmentName } from '../encrypt/target-names.ts';
import { showUrl } from '../show-url.ts';
import { writeAtomically } from '../write-file.ts';
import type { KeyRing } from './key-ring.ts';
import type { LiveSource } from './live-source.ts';
import type { LiveEntry, MapFile } from './rendition-state.ts';
import type { SourceSegment } from './source-window.ts';

/** The tools that all renditions of a live encryption share. `signal` ends all of them. */
export interface LiveTools extends Pick<CommandContext, 'clock' | 'wait' | 'signal'> {
  readonly source: LiveSource;
  readonly periods: ClockPeriods;
  readonly keys: KeyRing;
  readonly vectors: VectorIssuer;
  readonly keyUrlOf: (epoch: number) => string;
  /** File names of segments without a hash of the bytes. */
  readonly plainNames: boolean;
  /** @param text what an operator must know: one sentence */
  readonly warn: (text: string) => void;
}

/** When a segment was first seen in the playlist of the source. */
export interface Sighting {
  /** Milliseconds since 1970. */
  readonly firstSeen: number;
  /** Seconds from its beginning to the end of the playlist then. */
  readonly secondsToEnd: number;
}

/** A segment that was seen in the source, and its place in the output. */
interface SeenSegment extends Sighting {
  readonly segment: SourceSegment;
  /** Number in the output. */
  readonly number: number;
  /** Undefined if it is not read yet. */
  readonly bytes: Buffer | undefined;
  /** Its initialization section, in the output. */
  readonly map: MapFile | undefined;
}

/** The record of a written segment. */
export type WrittenSegment = Pick<LiveEntry, 'identity' | 'name' | 'encryption' | 'map'>;

/**
 * Reads a segment, encrypts it in memory and writes it. So no clear byte of it is ever on the disk of the output.
 *
 * @param folder of the rendition
 * @throws SourceUnavailable, AppError, or an error of the file system as Node gives it
 */
export async function encryptSegment(
  { segment, number, bytes: known, map, ...sighting }: SeenSegment,
  folder: string,
  tools: LiveTools,
): Promise<WrittenSegment> {
  const { source } = tools;
  const plainName = segmentName(BigInt(number), segment.uri, map !== undefined);
  if (segment.gap) return { identity: '', name: plainName, map, encryption: undefined };
  const location = await source.resolve(segment);
  const bytes = known ?? (await source.read(location, segment.byteRange));

  const { epoch, key } = await findKey(segment, sighting, tools);
  const iv = tools.vectors.issue(epoch);
  const cipher = createCipheriv('aes-128-cbc', key, Buffer.from(iv, 'hex'));
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()]);
  const name = tools.plainNames ? plainName : addHash(plainName, identityOf(encrypted));
  await writeAtomically(join(folder, name), encrypted);
  return { identity: identityOf(bytes), name, map, encryption: { epoch, iv } };
}

async function findKey(
  { programTime, place }: SourceSegment,
  sighting: Sighting,
  { periods, clock, keys, warn, wait, signal }: LiveTools,
): Promise<{ epoch: number; key: Uint8Array }> {
  const untilOrigin = () => (periods.origin - clock.now()) / 1_000;
  if (untilOrigin() > 0) {
    warn(
      `the key periods begin at ${new Date(periods.origin).toISOString()}; the playlist stands still until then`,
    );
    // In pieces: a timer of Node takes at most 24 days, and the clock may be set.
    while (untilOrigin() > 0) await wait(Math.min(untilOrigin(), 1), signal);
  }
  const { epoch, strayed } = chooseEpoch(periods, { programTime, ...sighting }, clock.now());
  if (strayed) {
    warn(
      `${showUrl(place.playlist)}: #EXT-X-PROGRAM-DATE-TIME is far from the clock of this machine, so the clock chooses the keys`,
    );
  }
  try {
    return { epoch, key: await keys.get(epoch) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'EPOCH_PAST') throw error;
    // It passed while the segment waited, or the clock of the server is ahead.
    const current = currentEpochOf(periods, clock.now());
    return { epoch: current, key: await keys.get(current) };
  }
}

/** Names bytes: 64 bits of a hash. A channel has a few sections, and nobody gains from two that share a name. */
export function identityOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** An encoder, its network and a packager take some seconds, and a transcoder in a cloud up to half a minute. */
const longestDelayMs = 30_000;

/**
 * The epoch of the moment when a segment begins.
 *
 * A program time that is far from the clock is not used. If it lagged by an hour, a viewer who is revoked now would already
 * have the keys of the next hour, since keys are served by the clock.
 *
 * @param programTime by EXT-X-PROGRAM-DATE-TIME, in milliseconds since 1970
 * @param now milliseconds since 1970, not before the origin of the periods
 * @returns an epoch whose key is served now, and whether the program time was too far from the clock and not used
 */
export function chooseEpoch(
  periods: ClockPeriods,
  { programTime, firstSeen, secondsToEnd }: Sighting & Pick<SourceSegment, 'programTime'>,
  now: number,
): { epoch: number; strayed: boolean } {
  const expected = firstSeen - secondsToEnd * 1_000;
  const toleranceMs = longestDelayMs + periods.periodSeconds * 1_000;
  const strayed = programTime !== undefined && Math.abs(programTime - expected) > toleranceMs;
  const begins = programTime === undefined || strayed ? firstSeen : programTime;
  const current = currentEpochOf(periods, now);
  const earliest = periods.behind === null ? 0 : Math.max(0, current - periods.behind);
  // Not later than the current one either: its key may not be served yet.
  return { epoch: Math.min(Math.max(currentEpochOf(periods, begins), earliest), current), strayed };
}
