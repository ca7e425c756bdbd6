import { mkdir, readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '@latchkey/shared/clock';
import type { CommandContext } from '../command-context.ts';
import { isAlive, machineName } from '../encrypt/output-folder.ts';
import { refusal } from '../refusal.ts';
import { showUrl } from '../show-url.ts';
import { writeAtomically } from '../write-file.ts';

const claimName = '.latchkey-live-claim.json';

interface Claim {
  readonly contentId: string;
  /** As `showUrl` shows it. */
  readonly source: string;
  readonly machine: string;
  readonly pid: number;
}

/** A live process touches its claim this often. */
const touchSeconds = 2;
/** A claim that was not touched for so long belongs to a process that has ended, or to a machine that has. */
const staleMs = 8_000;

interface ClaimOptions extends Pick<CommandContext, 'clock' | 'wait' | 'signal'> {
  readonly folder: string;
  readonly contentId: string;
  /** The playlist that was given. */
  readonly source: string;
}

/**
 * Claims the output folder: two processes that write the same playlist would break it. The claim of a process that was killed
 * does not hinder the next one.
 *
 * @returns a function that keeps the claim until the signal is aborted
 * @throws AppError `VALIDATION_FAILED` if the folder is used otherwise
 */
export async function claimFolder(options: ClaimOptions): Promise<() => Promise<void>> {
  const { contentId, source, clock, wait, signal } = options;
  // Its query may be a credential, and another one at the next start.
  const shownSource = showUrl(source);
  const folder = resolve(options.folder);
  await mkdir(folder, { recursive: true });
  const path = join(folder, claimName);
  const deadline = clock.monotonic() + staleMs;
  for (;;) {
    const claim = await readClaim(path);
    if (!claim) {
      if ((await readdir(folder)).length === 0) break;
      throw refusal(`--out ${folder} is not empty and was not made by encrypt --live; give a new folder`);
    }
    if (claim.contentId !== contentId || claim.source !== shownSource) {
      throw refusal(
        `--out ${folder} has ${claim.contentId} from ${claim.source}; give another folder for ${contentId}`,
      );
    }
    if (!(await isHeld(claim, path, clock))) break;
    // Its process may have been killed a moment ago on another machine.
    if (clock.monotonic() > deadline)
      throw refusal(`--out ${folder} is being written by process ${claim.pid}`);
    await wait(1, signal);
  }
  const own: Claim = { contentId, source: shownSource, machine: machineName(), pid: process.pid };
  await writeAtomically(path, JSON.stringify(own));
  return async () => {
    while (!signal.aborted) {
      await wait(touchSeconds, signal).catch(() => {});
      const now = new Date(clock.now());
      await utimes(path, now, now).catch(() => {});
    }
  };
}

async function readClaim(path: string): Promise<Claim | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Claim;
  } catch {
    throw refusal(`${path} cannot be read; give a new --out folder`);
  }
}

async function isHeld({ machine, pid }: Claim, path: string, clock: Clock): Promise<boolean> {
  // A container gives its processes the same small numbers again, this one's among them.
  if (machine === machineName() && (pid === process.pid || !isAlive(pid))) return false;
  const { mtimeMs } = await stat(path);
  return Math.abs(clock.now() - mtimeMs) < staleMs;
}
