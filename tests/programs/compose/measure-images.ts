import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { images } from '../../../tools/image/images.ts';

/** The base image of the Dockerfile. */
const baseImage = 'node:24-bookworm-slim';

const docker = async (...args: string[]) => (await promisify(execFile)('docker', args)).stdout.trim();

/**
 * A Markdown table of the images and of the memory of their processes.
 *
 * @param tag of built images
 * @param containersOf the ids of the running containers of a service
 */
export async function measureImages(
  tag: string,
  containersOf: (service: string) => Promise<string[]>,
): Promise<string> {
  const sizeOf = async (image: string) =>
    Number(await docker('image', 'inspect', '--format', '{{.Size}}', image));
  const baseSize = await sizeOf(baseImage);
  const rows: string[] = [];
  for (const name of Object.keys(images).map((path) => basename(path))) {
    const size = (await sizeOf(`latchkey.invalid/${name}:${tag}`)) - baseSize;
    const [id = ''] = await containersOf(name).catch(() => []);
    const memory = id === '' ? '' : await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', id);
    rows.push(`| \`${name}\` | ${(size / 1e6).toFixed(1)} MB | ${memory.split(' / ')[0] ?? ''} |`);
  }
  return ['| image | beyond the base image | memory with little to do |', '|---|---|---|', ...rows].join(
    '\n',
  );
}
