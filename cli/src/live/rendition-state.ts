import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { refusal } from '../refusal.ts';
import { hidden, hideUrls } from '../show-url.ts';
import { isPartial, writeAtomically } from '../write-file.ts';
import type { SourceWindow, WindowHeader } from './source-window.ts';

/** One encrypted segment of the window. */
export interface LiveEntry {
  /** Its number in the output, which never decreases and is never used twice. */
  readonly number: number;
  /** Its number in the source; null if the source has started its numbering again since. */
  source: number | null;
  /** In the source, as `showUrl` shows it. */
  uri: string;
  /** A hash of the source's bytes; empty for a gap. It says nothing about them, since they have far more random bits. */
  readonly identity: string;
  seconds: number;
  /** File name; for a gap, a name without a file. */
  readonly name: string;
  /** Undefined for a gap. */
  readonly encryption: { readonly epoch: number; readonly iv: string } | undefined;
  /** File name of the initialization section in force. */
  readonly map: MapFile | undefined;
  readonly discontinuity: boolean;
  readonly discontinuityNumber: number;
  /** Its other lines, EXTINF among them. */
  lines: readonly string[];
}

export interface MapFile {
  readonly name: string;
  /** Attributes of EXT-X-MAP besides URI and BYTERANGE. */
  readonly attributes: string;
}

/**
 * Everything that a rendition needs to go on. It is written before the playlist, which is made from it: so a process that is
 * killed between the two loses nothing. It contains no secret: URLs are in it as `showUrl` shows them.
 */
export type RenditionState = ReturnType<typeof newState>;

/** The form of the file. A later form gets another number. */
const form = 1;

function newState() {
  return {
    /** Undefined until the first segment. */
    header: undefined as WindowHeader | undefined,
    /** The window of the playlist. */
    entries: [] as LiveEntry[],
    /** Number of the next segment in the output. */
    next: 0,
    /** Added to the source's number. */
    offset: 0,
    /** The source's number of the last segment that was taken. */
    lastSource: null as number | null,
    /** Segments of the window when the source last started its numbering again: the old ones leave one by one. */
    windowLength: 0,
    /** A discontinuity stands before the next segment. */
    breaksNext: false,
    /** The discontinuity sequence number of the last segment. */
    discontinuityNumber: 0,
    /** Seconds of the longest playlist that was published. */
    longestSeconds: 0,
    /** Whether segments have left the window. */
    slides: false,
    /** Files that have left the window, and when they may be removed: milliseconds since 1970. */
    leaving: [] as { readonly name: string; readonly removeAt: number }[],
    ended: false,
  };
}

/** Whether a playlist was ever published. A source that cannot be used is refused before, and waited for afterwards. */
export function hasStarted({ longestSeconds }: RenditionState): boolean {
  return longestSeconds > 0;
}

/** Lines of the source, and attributes of EXT-X-MAP, may have URLs with a credential, such as X-ASSET-URI of EXT-X-DATERANGE. */
function formatState(state: RenditionState): string {
  return JSON.stringify({ form, ...state }, (name, value) => {
    if (name === 'lines') return (value as string[]).map(hideUrls);
    return name === 'attributes' ? hideUrls(value) : value;
  });
}

/** Whether lines from the file lack a part that must not be in it. */
export function hasHiddenParts({ header, entries }: RenditionState): boolean {
  const lines = [header?.lines ?? [], ...entries.map((entry) => entry.lines)].flat();
  return lines.some((line) => line.includes(hidden));
}

/**
 * @returns a new state if the file is not there
 * @throws AppError `VALIDATION_FAILED` if it cannot be used
 */
async function readState(path: string): Promise<RenditionState> {
  if (!existsSync(path)) return newState();
  const text = await readFile(path, 'utf8');
  try {
    const { form: found, ...state } = JSON.parse(text) as RenditionState & { form: unknown };
    if (found === form && Array.isArray(state.entries)) return { ...newState(), ...state };
  } catch {
    // Said below: a cut file and a file of another form need the same remedy.
  }
  throw refusal(`${path} cannot be read as the state of a live encryption; give a new --out folder`);
}

/** The segment of an entry, if the source still names it. */
export function segmentOf({ source }: LiveEntry, { segments, firstNumber }: SourceWindow) {
  return source === null ? undefined : segments[source - firstNumber];
}

/**
 * Brings the window to the source's: segments that left it leave here too, and lines that the packager has rewritten are taken
 * over, such as EXT-X-PROGRAM-DATE-TIME that always stands before the first segment only.
 */
export function slideWindow(state: RenditionState, source: SourceWindow, now: number): void {
  state.header = source.header;
  const most = Math.max(state.windowLength, source.segments.length);
  while (state.entries.length > 1) {
    const number = state.entries[0]?.source ?? null;
    const stays = number === null ? state.entries.length <= most : number >= source.firstNumber;
    if (stays) break;
    leave(state, state.entries.splice(0, 1), now);
  }
  for (const entry of state.entries) {
    const segment = segmentOf(entry, source);
    // A gap of ours keeps its EXT-X-GAP, which the source does not have.
    if (segment && (entry.encryption || segment.gap)) entry.lines = segment.lines;
  }
}

/**
 * Starts a new window: the first one, or one after segments were lost. Players skip to it, as they do after a pause. Segments keep the
 * numbers of the source, so renditions stay in step.
 */
export function skipTo(
  state: RenditionState,
  { firstNumber, discontinuitySequence }: SourceWindow,
  now: number,
): void {
  leave(state, state.entries.splice(0), now);
  state.next = firstNumber + state.offset;
  state.lastSource = firstNumber - 1;
  // A discontinuity that stood between is not known unless the source counts them.
  state.discontinuityNumber = Math.max(discontinuitySequence, state.discontinuityNumber);
}

/** The packager starts its numbering again: the output counts on, after a discontinuity. */
export function startRun(state: RenditionState, { firstNumber }: SourceWindow): void {
  for (const entry of state.entries) entry.source = null;
  state.windowLength = Math.max(state.entries.length, 1);
  state.offset = state.next - firstNumber;
  state.lastSource = firstNumber - 1;
  state.breaksNext = true;
  state.ended = false;
}

/** RFC 8216 section 6.2.2: a file stays as long as the segment and the longest playlist that named it. */
function leave(state: RenditionState, entries: readonly LiveEntry[], now: number): void {
  if (entries.length > 0) state.slides = true;
  const inUse = new Set(state.entries.flatMap(({ map }) => map?.name ?? []));
  for (const { name, seconds, encryption, map } of entries) {
    const removeAt = now + (seconds + state.longestSeconds) * 1_000;
    if (encryption) state.leaving.push({ name, removeAt });
    if (map && !inUse.has(map.name)) {
      state.leaving = state.leaving.filter((file) => file.name !== map.name);
      state.leaving.push({ name: map.name, removeAt });
    }
  }
}

const stateName = '.latchkey-live.json';

/** Where one rendition is written: its segments, its playlist, and the state to go on from. */
export type RenditionFolder = Awaited<ReturnType<typeof openRenditionFolder>>;

/**
 * Opens the folder of a rendition, and removes what a killed process has left unfinished.
 *
 * @throws AppError `VALIDATION_FAILED` if its state cannot be read
 */
export async function openRenditionFolder(path: string, playlistName: string) {
  await mkdir(path, { recursive: true });
  const state = await readState(join(path, stateName));
  await removeUnfinished(path, state);
  /** In the playlist on disk. */
  let named = filesOf(state);
  /** Removes files whose time has passed, also while a full disk lets nothing be published. */
  const sweep = async (now: number) => {
    // An initialization section may be in use again, in a playlist that is not written yet.
    const next = filesOf(state);
    const isUnused = (name: string) => !named.has(name) && !next.has(name);
    const due = state.leaving.filter(({ name, removeAt }) => removeAt <= now && isUnused(name));
    if (due.length === 0) return;
    for (const { name } of due) await rm(join(path, name), { force: true });
    state.leaving = state.leaving.filter((file) => !due.includes(file));
  };
  return {
    state,
    /** Writes state and playlist, then removes files whose time has passed. */
    async publish(playlist: string, now: number) {
      // The state first: the playlist can be made from it, and not the other way round.
      await writeAtomically(join(path, stateName), formatState(state), { durable: true });
      await writeAtomically(join(path, playlistName), playlist);
      named = filesOf(state);
      await sweep(now);
    },
    sweep,
  };
}

/** Names of the files that the playlist names. A gap has no file. */
export function filesOf({ entries }: RenditionState): ReadonlySet<string> {
  const names = entries.flatMap(({ name, encryption, map }) => [map?.name, encryption && name]);
  return new Set(names.filter((name) => name !== undefined));
}

/** Only names that are written here are removed. */
const mediaName = /^(\d{5,}(\.[0-9a-f]{8})?|init-[0-9a-f]{16})\.[a-z0-9]{1,8}$/;

async function removeUnfinished(path: string, state: RenditionState): Promise<void> {
  const known = new Set([...filesOf(state), ...state.leaving.map(({ name }) => name)]);
  for (const name of await readdir(path)) {
    if (isPartial(name) || (mediaName.test(name) && !known.has(name)))
      await rm(join(path, name), { force: true });
  }
}
