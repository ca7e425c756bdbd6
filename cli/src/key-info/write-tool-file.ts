import { resolve } from 'node:path';
import { keyIdOf } from '@latchkey/shared/derivation';
import { refusal } from '../refusal.ts';
import { writeNewFile } from '../write-new-file.ts';
import { type ToolName, toolFormats } from './tool-formats.ts';

interface ToolFileOptions {
  readonly tool: ToolName;
  readonly contentId: string;
  readonly epoch: number | undefined;
  /** Where players fetch the key. */
  readonly url: string;
  /** A new file; `-` is standard output. */
  readonly out: string;
  readonly fetchKey: () => Promise<Uint8Array>;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly write: (text: string) => unknown;
}

/** A block of AES (RFC 8216 section 5.2). */
const ivBytes = 16;

/**
 * Writes what a tool reads, with mode 0600 because the key is in it. The key for ffmpeg lies beside the file, in `<out>.key`.
 *
 * @throws AppError `VALIDATION_FAILED` for a file that exists, else as `fetchKey`
 */
export async function writeToolFile(options: ToolFileOptions): Promise<void> {
  const { tool, contentId, epoch, url, out, fetchKey, randomBytes, write } = options;
  const isShown = out === '-';
  if (isShown && tool === 'ffmpeg')
    throw refusal('ffmpeg reads the key from a file beside the key info: give --out <file>');
  const keyFile = resolve(`${out}.key`);
  const key = Buffer.from(await fetchKey());
  const iv = Buffer.from(randomBytes(ivBytes));
  const text = toolFormats[tool]({ key, keyId: keyIdOf(contentId, epoch), iv, url, keyFile });
  if (isShown) return void write(text);
  if (tool === 'ffmpeg') await writeNewFile('--out', keyFile, key);
  await writeNewFile('--out', out, text);
}
