import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The types of HLS are from RFC 8216, section 10, and those of its segments from RFC 4337 and RFC 3555. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.ts': 'video/mp2t',
  '.vtt': 'text/vtt; charset=utf-8',
  '.m4s': 'video/mp4',
  '.mp4': 'video/mp4',
};

/**
 * Answers with a file of a folder.
 *
 * @param path with `/`, as in a URL, decoded
 * @returns false, with nothing sent, if the file does not exist or is outside the folder
 */
export async function sendFile(response: ServerResponse, folder: string, path: string): Promise<boolean> {
  const file = join(folder, path);
  const type = mediaTypes[extname(file)];
  if (!file.startsWith(folder + sep) || path.includes('\0') || type === undefined) return false;
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return false;
  // A later run may write another video under the same name, so `no-cache`.
  response.writeHead(200, {
    'content-type': type,
    'content-length': found.size,
    'cache-control': 'no-cache',
  });
  if (response.req.method === 'HEAD') response.end();
  // A player that seeks closes the connection in the middle, which is not an error.
  else await pipeline(createReadStream(file), response).catch(() => response.destroy());
  return true;
}
