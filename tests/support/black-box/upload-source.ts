import { createCipheriv, createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const KiB = 1024;

/** Sizes of the segments of a presentation, from 1 KiB to 64 MiB. 198 of them are 260 MB. */
export function mixedSizes(count: number): number[] {
  const rare: Readonly<Record<number, number>> = { 7: 64 * KiB, 150: 17 * KiB };
  return Array.from({ length: count }, (_, n) => {
    const inKiB = rare[n];
    if (inKiB !== undefined) return inKiB * KiB;
    // 1 KiB, then uneven sizes up to 350 KiB.
    return n === 0 ? KiB : (KiB + ((n * 7_919) % 350) * KiB * (n % 3 === 0 ? 1 : 0.3) + (n % 17)) | 0;
  });
}

/** Writes segments of these sizes, a media playlist with all of them, and a multivariant one. @returns their paths, sorted */
export async function writeSource(folder: string, sizes: readonly number[]): Promise<string[]> {
  const names = sizes.map((_, n) => `${String(n).padStart(5, '0')}.${n % 5 === 0 ? 'm4s' : 'ts'}`);
  const texts = {
    'video/index.m3u8': ['#EXTM3U', ...names.flatMap((name) => ['#EXTINF:2,', name]), '#EXT-X-ENDLIST', ''],
    'master.m3u8': ['#EXTM3U', '#EXT-X-STREAM-INF:BANDWIDTH=1', 'video/index.m3u8', ''],
  };
  await mkdir(join(folder, 'video'), { recursive: true });
  for (const [path, lines] of Object.entries(texts)) await writeFile(join(folder, path), lines.join('\n'));
  for (const [n, name] of names.entries())
    await writeFile(join(folder, 'video', name), makeBytes(n, sizes[n] ?? 0));
  return [...Object.keys(texts), ...names.map((name) => `video/${name}`)].sort();
}

/** Bytes whose blocks all differ, within a file and between files. */
function makeBytes(seed: number, size: number): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed % 256), Buffer.alloc(16, seed >> 8));
  return cipher.update(Buffer.alloc(size));
}

export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** Hash and type of the object at a public URL. */
export async function readObject(url: string): Promise<{ hash: string; type: string | null }> {
  const answer = await fetch(url);
  const hash = createHash('sha256');
  for await (const chunk of answer.body ?? []) hash.update(chunk);
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
  return { hash: hash.digest('hex'), type: answer.headers.get('content-type') };
}
