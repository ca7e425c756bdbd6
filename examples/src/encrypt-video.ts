import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Presentation, segmentsOfPeriod } from './presentations.ts';
import type { Progress } from './progress.ts';

export interface EncryptVideoOptions {
  readonly presentation: Presentation;
  /** The clear multivariant playlist. */
  readonly playlist: string;
  /** Holds the encrypted presentations. */
  readonly folder: string;
  readonly serverUrl: string;
  /** With a scope that may read keys and write content. */
  readonly apiKey: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** The command gets PATH and HOME from it. */
  readonly env: NodeJS.ProcessEnv;
}

const commandFile = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));

/**
 * Registers a presentation on the server and encrypts it with `latchkey encrypt`, with a new key every few segments. Files of
 * an earlier run are kept if video, key server and keys are the same.
 *
 * @throws Error with the output of the command, if it fails
 */
export async function encryptVideo(options: EncryptVideoOptions): Promise<void> {
  const { presentation, folder, progress } = options;
  const step = progress.start(`Encrypting it as ${presentation.label}`);
  const out = join(folder, presentation.id);
  await register(options);
  const stamp = await describeInputs(options);
  const stampFile = `${out}.inputs.json`;
  if (existsSync(out) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) {
    return step.done('kept from an earlier run');
  }
  await runEncrypt(options, out, step.report);
  writeFileSync(stampFile, stamp);
  step.done();
}

async function register({ presentation, serverUrl, apiKey, signal }: EncryptVideoOptions): Promise<void> {
  const response = await fetch(`${serverUrl}/api/v1/content`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: presentation.contentId, name: presentation.title }),
    signal,
  });
  if (!response.ok) throw new Error(`${presentation.contentId} was not registered: ${await response.text()}`);
}

/** The hash of the first key is enough, because all keys come from one master key. */
async function describeInputs(options: EncryptVideoOptions): Promise<string> {
  const { presentation, playlist, serverUrl, apiKey, signal } = options;
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${serverUrl}/keys/${presentation.contentId}/0`, { headers, signal });
  if (!response.ok) throw new Error(`no key for ${presentation.contentId}: ${await response.text()}`);
  const keyHash = createHash('sha256')
    .update(await response.bytes())
    .digest('hex');
  return `${JSON.stringify({ playlist, serverUrl, segmentsOfPeriod, keyHash }, null, 2)}\n`;
}

async function runEncrypt(
  { presentation, playlist, serverUrl, apiKey, signal, env }: EncryptVideoOptions,
  out: string,
  report: (fraction: number) => void,
): Promise<void> {
  const args = ['encrypt', playlist, '--content-id', presentation.contentId, '--out', out, '--force'];
  const more = ['--server', serverUrl, '--rotate-every', String(segmentsOfPeriod)];
  const child = spawn(process.execPath, [commandFile, ...args, ...more], {
    env: { PATH: env.PATH, HOME: env.HOME, LATCHKEY_API_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // SIGTERM instead of the `signal` option of spawn, so that the command can remove its half-written folder.
  const interrupt = () => child.kill('SIGTERM');
  if (signal.aborted) interrupt();
  signal.addEventListener('abort', interrupt);
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    const [, done, total] = [...written.matchAll(/^(\d+) of (\d+) files$/gm)].at(-1) ?? [];
    if (done !== undefined) report(Number(done) / Number(total));
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`latchkey encrypt failed:\n${written.trim()}`);
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}
