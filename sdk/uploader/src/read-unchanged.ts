import { type FileHandle, open } from 'node:fs/promises';

/** Bytes that are read at a time. */
const pieceBytes = 256 * 1024;

/** What tells that a file is still the one that was picked. */
export interface FileState {
  readonly size: number;
  /** Time of its last change. */
  readonly mtimeMs: number;
}

/**
 * Reads a file piece by piece, unless it changes: neither before, since it was picked, nor while it is read. That is looked at
 * once more before the last piece. `openAsBlob` (Node 24) does not notice a file that is overwritten or grows.
 *
 * @throws Error that says what changed
 */
export async function* readUnchanged(filePath: string, picked: FileState): AsyncGenerator<Uint8Array> {
  const file = await open(filePath, 'r');
  try {
    const { ctimeMs } = await expectPicked(file, picked);
    for (let position = 0; position < picked.size; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, picked.size - position));
      const { bytesRead } = await file.read(piece, 0, piece.length, position);
      if (bytesRead === 0) throw new Error(`it has ${position} bytes now, not ${picked.size}`);
      position += bytesRead;
      if (position === picked.size) {
        const now = await expectPicked(file, picked);
        // Tools that set the time of a change back cannot set this one.
        if (now.ctimeMs !== ctimeMs) throw new Error('it was changed while it was sent');
      }
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function expectPicked(file: FileHandle, picked: FileState): Promise<{ ctimeMs: number }> {
  const { size, mtimeMs, ctimeMs } = await file.stat();
  if (size !== picked.size) throw new Error(`it has ${size} bytes now, not ${picked.size}`);
  if (mtimeMs !== picked.mtimeMs) throw new Error('it was changed since it was picked');
  return { ctimeMs };
}
