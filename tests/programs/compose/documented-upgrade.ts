import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentedStack } from './documented-stack.ts';

/** 100 key requests a second, each sent whether or not those before it were answered. */
const sendEveryMs = 10;
/** They ask in turn. */
const viewers = 100;
/** As long as a player waits for a key. */
const answerWithinMs = 5_000;
/** Both ways are measured twice, so that the table shows how much the figures vary. To Compose, a changed setting is what a new image is. */
const changes = ['warn', 'error'].map((level) => `LOG_LEVEL=${level}`);

/** The commands of the document, as they stand there. */
export interface UpgradeCommands {
  /** One service after the other, in a loop. */
  readonly inTurn: string;
  readonly allAtOnce: string;
}

/**
 * Replaces all processes of a stack, one after the other and then all at once, under 100 key requests a second.
 *
 * @param contentId content of the stack
 * @returns a Markdown table of the key requests that failed
 */
export async function measureUpgrade(
  stack: DocumentedStack,
  { inTurn, allAtOnce }: UpgradeCommands,
  contentId: string,
): Promise<string> {
  const [before = '', loop = ''] = inTurn.split(/^(?=for service in )/m);
  const services = /^for service in (.+);/.exec(loop)?.[1];
  const rest = loop.slice(loop.indexOf(';') + 1, loop.indexOf('\ndone\n') + '\ndone\n'.length);
  if (!services) throw new Error('the commands of the upgrade have no loop over the services');
  const rows = new Map<string, string[]>();
  const measure = async (name: string, commands: string) => {
    const failed = await countFailures(() => stack.run(commands), stack, contentId);
    rows.set(name, [...(rows.get(name) ?? []), failed]);
  };
  for (const change of changes) {
    appendSetting(stack.folder, change);
    // The folder is a copy, which has nothing to pull from, and its images are built.
    await stack.run(before.replace(/^git pull.*\n/, ''));
    for (const name of services.split(' ')) await measure(name, `for service in ${name};${rest}`);
  }
  for (const change of changes) {
    appendSetting(stack.folder, change);
    await measure('all at once', `${allAtOnce}\n`);
    await stack.ready();
  }
  const lines = [...rows].map(([name, found]) => `| ${name} | ${found.join(' | ')} |`);
  return ['| replaced | failed, first time | second time |', '|---|---|---|', ...lines].join('\n');
}

/** The last line of a setting holds. */
function appendSetting(folder: string, line: string): void {
  const file = join(folder, '.env');
  const kept = readFileSync(file, 'utf8').replace(/^LOG_LEVEL=.*\n/gm, '');
  writeFileSync(file, `${kept}${line}\n`);
}

/**
 * Viewers ask for a key 100 times a second until something has happened and the server is ready.
 *
 * @returns how many requests failed, of how many, and for how long
 */
async function countFailures(
  happens: () => Promise<unknown>,
  stack: DocumentedStack,
  contentId: string,
): Promise<string> {
  const failedAtMs: number[] = [];
  const running = new Set<Promise<void>>();
  const send = () => {
    const sentAtMs = performance.now();
    const request = stack
      .keyOfViewer(contentId, `viewer-${sent % viewers}`, AbortSignal.timeout(answerWithinMs))
      .catch(() => void failedAtMs.push(sentAtMs))
      .finally(() => running.delete(request));
    running.add(request);
    sent++;
  };
  let sent = 0;
  const timer = setInterval(send, sendEveryMs);
  try {
    await happens();
    await stack.ready();
  } finally {
    clearInterval(timer);
    await Promise.all(running);
  }
  if (failedAtMs.length === 0) return `0 of ${sent}`;
  const seconds = (Math.max(...failedAtMs) - Math.min(...failedAtMs)) / 1_000;
  return `${failedAtMs.length} of ${sent}, in ${seconds.toFixed(1)} s`;
}
