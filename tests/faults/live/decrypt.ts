import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** @returns what `openssl enc` makes of these bytes with the key as it is served */
export type Decrypter = (bytes: Buffer, keyUrl: string, iv: string) => Promise<Buffer>;

/** Longer than the server is away in this run. */
const keyAttempts = 60;
const keyPauseMs = 500;

/** @param token of a viewer who keeps every right */
export function createDecrypter(token: string, env: NodeJS.ProcessEnv): Decrypter {
  const keys = new Map<string, Promise<string>>();

  async function fetchKey(url: string): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
        if (!answer.ok) throw new Error(`a viewer got ${answer.status} for ${url}`);
        return Buffer.from(await answer.arrayBuffer()).toString('hex');
      } catch (error) {
        if (attempt === keyAttempts) throw error;
        await sleep(keyPauseMs);
      }
    }
  }

  return async (bytes, keyUrl, iv) => {
    const fetching = keys.get(keyUrl) ?? fetchKey(keyUrl);
    keys.set(keyUrl, fetching);
    const args = ['enc', '-d', '-aes-128-cbc', '-K', await fetching, '-iv', iv];
    const child = spawn('openssl', args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => {}).end(bytes);
    const [clear, said] = await Promise.all([buffer(child.stdout), buffer(child.stderr)]);
    if (said.length > 0) throw new Error(`openssl: ${said.toString().trim().split('\n')[0]}`);
    return clear;
  };
}
